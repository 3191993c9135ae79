// Clusters, neighbours, small networks.
//
// data: points float[1024] random 0 10
// data: swapped float[1024] zero
// data: centres float[40] random 0 10
// data: membership int[128] value -1
// data: counts int[5] zero
// run: kmeans_swap 128/32 points swapped int:128 int:8
// run: kmeans_assign 128/32 swapped centres membership counts int:128 int:5 int:8
// gives: points=c1ac166e65b28329 swapped=c2a5d22a1ed4ba21 centres=52768dd5095bda84 membership=25f6666d6b547c50 counts=0331160518ebf665
// data: places float[400] random -90 90
// data: distances float[200] zero
// data: best int[1] value 0x7fffffff
// run: nn_distance 224/32 places distances int:200 float:30 float:-12
// run: nn_best 224/32 distances best int:200
// near: 1e-5
// gives: places=43.8432083,11.9805908,-35.6671143,42.5033569,-45.8322144,-66.2942505,76.3659668,39.4546509,-83.9987183 distances=73.9244168,59.0554504,85.219841,30.6587906,77.0779724,96.3828049,105.981598,13.3238497,151.944717 best=40355a45a49ad7be
// data: input float[65] random 0 1
// data: weights float[1105] random -1 1
// data: sums float[64] zero
// data: hidden float[17] zero
// data: old float[1105] zero
// run: layer_forward 16x64/16x16 input weights sums local:64 local:1024 int:16
// run: layer_finish 16/16 sums hidden int:4
// run: adjust_weights 16x64/16x16 hidden weights input old int:16
// near: 1e-4
// gives: input=0.535887029,0.566558838,0.285507202,0.645324707,0.286911011,0.397155762,0.861816406,0.893936157,0.607040405 weights=0.505851234,0.182373047,0.0954325944,-0.738491416,0.802237809,1.01377022,0.69195962,0.430626899,0.648379922 sums=1.17101589,0.710873067,0.294669271,0.895577192,-2.67998123,2.21307826,-1.33226669,1.43617344,0.622252524 hidden=0.434507919,0,0.0299771056,0.0495151505,0.662209451,0.28872022,0.890242219,0.971782565,0.345895231 old=0.070723383,0,0.00256760395,0.00958600547,0.0569985583,0.0344000719,0.230167612,0.260613471,0.062991716
// data: points float[512] random -5 5
// data: weights float[64] random 1 4
// data: assigned int[64] random 0 3
// data: costs float[64] zero
// data: centre int[4] list 3,17,40,61
// data: lower float[256] zero
// data: switching uchar[64] zero
// run: median_gain 64/32 points weights assigned costs centre lower switching int:9
// near: 1e-4
// gives: points=2.47732282,0.665588379,2.20397949,-2.61108398,3.70605469,-1.38275146,-2.85064697,-1.43417358,-0.499572754 weights=2.47147846,2.77355957,1.75091553,1.60040283,3.74855042,1.80030823,3.37922668,1.52574158,2.78793335 assigned=51fca74e932a7b07 costs=0,0,0,0,0,0,0,0,0 centre=d7b910aa33cb0b42 lower=33.4115565,-70.7605133,-64.6434021,-22.2440643,-6.28466797,-111.709007,0,-176.564453,-230.989853 switching=b3016da95213c56a
// data: image float[784] random 0 1
// data: filters float[100] random -1 1
// data: maps float[2304] zero
// data: pooled float[576] zero
// data: out float[10] zero
// run: convolution_layer 24x24x4/8x8x1 image filters maps
// run: pooling_layer 12x12x4/12x4x1 maps pooled
// run: softmax_layer 10/10 pooled filters out
// near: 1e-4
// gives: image=0.483179053,0.566558838,0.000106811523,0.0962371826,0.319046021,0.0754394531,0.776412964,0.808197021,0.323852539 filters=0.46387085,0.182373047,0.111572266,0.48046875,-0.978607178,-0.0576782227,0.818450928,-0.568054199,0.859985352 maps=0.291416114,0.362229168,0.753080368,0,0.965800345,0,0,0.411556363,0.0849037617 pooled=0.734610359,0.362229168,0.753080368,0,1.62943685,1.19813383,0.829836071,0.537648141,0.0849037617 out=0.100000005,0.103423461,0.0958006009,0.100141428,0.0915994495,0.105997279,0.129705176,0.104348131,0.0889638513

#pragma OPENCL FP_CONTRACT OFF

kernel void kmeans_swap(global const float *points, global float *swapped, int n, int features)
{
    int i = get_global_id(0);
    for (int f = 0; f < features; f++)
        swapped[f * n + i] = points[i * features + f];
}

kernel void kmeans_assign(global const float *points, global const float *centres, global int *membership,
                          global int *counts, int n, int clusters, int features)
{
    int i = get_global_id(0), index = 0;
    float least = FLT_MAX;
    for (int c = 0; c < clusters; c++) {
        float sum = 0;
        for (int f = 0; f < features; f++) {
            float d = points[f * n + i] - centres[c * features + f];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            index = c;
        }
    }
    membership[i] = index;
    atomic_inc(&counts[index]);
}

kernel void nn_distance(global const float *places, global float *distances, int n, float latitude, float longitude)
{
    int i = get_global_id(0);
    if (i < n) {
        float2 p = vload2(i, places);
        distances[i] = sqrt((latitude - p.x) * (latitude - p.x) + (longitude - p.y) * (longitude - p.y));
    }
}

// Distances are positive, so their bits are in the same order.
kernel void nn_best(global const float *distances, global int *best, int n)
{
    local int least;
    int i = get_global_id(0);
    if (get_local_id(0) == 0)
        least = 0x7fffffff;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        atomic_min(&least, as_int(distances[i]) >> 12);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_min(best, least);
}

kernel void layer_forward(global const float *input, global const float *weights, global float *sums,
                          local float *nodes, local float *products, int hidden)
{
    int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int index = (hidden + 1) * (16 * by + ty + 1) + tx + 1;
    if (tx == 0)
        nodes[ty] = input[16 * by + ty + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    products[ty * 16 + tx] = weights[index] * nodes[ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i <= 16; i *= 2) {
        if (ty % i == 0 && i > 1 && ty % (i / 2) == 0)
            products[ty * 16 + tx] += products[(ty + i / 2) * 16 + tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (ty == 0)
        sums[by * hidden + tx] = products[tx];
}

kernel void layer_finish(global const float *sums, global float *hidden, int blocks)
{
    int j = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < blocks; k++)
        sum += sums[k * 16 + j];
    hidden[j + 1] = 1 / (1 + exp(-sum));
}

kernel void adjust_weights(global const float *delta, global float *weights, global const float *layer,
                           global float *old, int hidden)
{
    int by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int index = (hidden + 1) * (16 * by + ty + 1) + tx + 1;
    float change = 0.3f * delta[tx + 1] * layer[by * 16 + ty + 1] + 0.3f * old[index];
    weights[index] += change;
    old[index] = change;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (ty == 0 && by == 0) {
        weights[tx + 1] += 0.3f * delta[tx + 1];
        old[tx + 1] = 0.3f * delta[tx + 1];
    }
}

// What opening one more centre would save.
kernel void median_gain(global const float *points, global const float *weights, global const int *assigned,
                        global const float *costs, global const int *centre, global float *lower,
                        global uchar *switching, int candidate)
{
    local float coordinates[8];
    int i = get_global_id(0);
    if (get_local_id(0) == 0)
        for (int d = 0; d < 8; d++)
            coordinates[d] = points[d * 64 + candidate];
    barrier(CLK_LOCAL_MEM_FENCE);
    float there = 0, now = 0;
    for (int d = 0; d < 8; d++) {
        float p = points[d * 64 + i], a = p - coordinates[d], b = p - points[d * 64 + centre[assigned[i]]];
        there += a * a;
        now += b * b;
    }
    there *= weights[i];
    now = now * weights[i] + costs[i];
    if (there < now) {
        switching[i] = 1;
        lower[i * 4] = there - now;
    } else {
        lower[i * 4 + assigned[i]] += now - there;
    }
}

kernel void convolution_layer(global const float *image, constant float *filters, global float *maps)
{
    int x = get_global_id(0), y = get_global_id(1), m = get_global_id(2);
    float sum = 0;
    for (int j = 0; j < 5; j++)
        for (int i = 0; i < 5; i++)
            sum += image[(y + j) * 28 + x + i] * filters[m * 25 + j * 5 + i];
    maps[(m * 24 + y) * 24 + x] = fmax(sum, 0.0f);
}

kernel void pooling_layer(global const float *maps, global float *pooled)
{
    int x = get_global_id(0), y = get_global_id(1), m = get_global_id(2);
    global const float *p = maps + (m * 24 + 2 * y) * 24 + 2 * x;
    float2 a = vload2(0, p), b = vload2(0, p + 24);
    a = fmax(a, b);
    pooled[(m * 12 + y) * 12 + x] = fmax(a.x, a.y);
}

kernel void softmax_layer(global const float *pooled, global const float *filters, global float *out)
{
    local float scores[10];
    int c = get_local_id(0);
    float sum = 0;
    for (int i = 0; i < 576; i++)
        sum += pooled[i] * filters[(i * 7 + c * 13) % 100] * 0.02f;
    scores[c] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    float most = scores[0], total = 0;
    for (int i = 1; i < 10; i++)
        most = fmax(most, scores[i]);
    for (int i = 0; i < 10; i++)
        total += exp(scores[i] - most);
    out[c] = exp(sum - most) / total;
}
