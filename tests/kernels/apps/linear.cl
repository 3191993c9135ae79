// Linear algebra, the numbers small and whole so that sums are exact, or compared as far as their order matters.
//
// data: a float[576] random -4 4
// data: b float[576] random -4 4
// data: c float[576] random -4 4
// data: d float[576] zero
// data: e float[576] zero
// run: whole 576/64 a
// run: whole 576/64 b
// run: whole 576/64 c
// run: gemm 24x24/8x8 a b d int:24 float:1 float:0
// run: gemm 24x24/8x8 d c e int:24 float:2 float:0
// run: gemm 24x24/24x1 a c e int:24 float:3 float:-1
// gives: a=b863bd896acfca95 b=9596783125c32858 c=b84da13ee5f7ee65 d=4f3353ef26be2eb1 e=7210bbd65028f92c
// data: a float[1024] random -4 4
// data: b float[1024] random -4 4
// data: c float[1024] zero
// run: whole 1024/64 a
// run: whole 1024/64 b
// run: sgemm_blocked 8x8/8x8 a b c int:32
// gives: a=baf77c047fe0d188 b=c1058a00f2213f08 c=8348db0d2df150d5
// data: a float[1200] random -3 3
// data: x float[40] random -3 3
// data: y float[30] zero
// data: z float[40] zero
// run: whole 1200/40 a
// run: whole 40/40 x
// run: rows_times 30/10 a x y int:30 int:40
// run: columns_times 40/20 a y z int:30 int:40
// run: bicg 40/8 a x y z int:30 int:40
// gives: a=55a1b676cbc4c618 x=dcf65c5fcd6caba8 y=9c364734f901303f z=8e87f1934745d8aa
// data: a float[400] random -3 3
// data: x float[20] random -3 3
// data: y float[20] random -3 3
// data: u float[20] random -3 3
// data: v float[20] random -3 3
// data: w float[20] zero
// run: gemver_outer 20x20/20x2 a x y u v
// run: gemver_x 20/20 a x y
// run: gemver_w 20/10 a w x
// run: gesummv 20/20 a a x y w int:20
// near: 1e-4
// gives: a=3.0160982,-0.590109348,-1.14614391,3.19771338,0.271462202,-1.17463911,2.86697769,4.24236965,-3.17958093 x=10.0633301,-8.21898365,-11.8130693,-3.48827243,14.0010433,3.74414229,7.87609148,21.496294,-16.0252228 y=1.44396057,-2.31930542,0.677764893,0.81729126,2.33230591,1.19055176,-0.119018555,1.79333496,-2.37661743 u=1.28225098,-0.411346436,2.1546936,0.520294189,-0.307617188,1.76422119,0.259277344,1.76687622,-1.98614502 v=1.38723907,-0.679412842,-1.6038208,-0.716400146,0.0665588379,-0.297180176,2.24542236,2.63378906,-0.233734131 w=825.239115,-92.4440613,1093.22583,-200.4673,305.08551,697.153076,282.675018,-40.0559502,-1124.65247
// data: a float[320] random -3 3
// data: b float[320] random -3 3
// data: c float[400] zero
// run: whole 320/32 a
// run: whole 320/32 b
// run: syrk 20x20/10x10 a c int:20 int:16 float:1 float:1
// run: syr2k 20x20/4x5 a b c int:20 int:16 float:0.5 float:2
// gives: a=fa8c40153703bd05 b=96fded0ca8668178 c=67d1f68ba24aa545
// data: data float[512] random -8 8
// data: mean float[16] zero
// data: deviation float[16] zero
// data: out float[256] zero
// run: column_mean 16/16 data mean int:16 int:32
// run: column_deviation 16/16 data mean deviation int:16 int:32
// run: centre 16x32/16x2 data mean deviation int:16 int:32
// run: correlation 16/4 data out int:16 int:32
// near: 1e-4
// gives: data=0.152248818,0.0374199077,0.135944083,-0.172430128,0.232142448,-0.0937632397,-0.187772617,-0.0970564932,-0.0372012556 mean=0.546361923,0.130081177,-0.901298523,0.473571777,-0.0712585449,-0.38898468,0.656471252,-0.42829895,-0.800926208 deviation=4.52750163,4.41640568,4.71967268,3.92123246,3.91987324,4.2884655,4.42280388,4.72433758,4.33267212 out=0.210722404,1,-0.210805938,-0.214604929,-0.13942951,0.105163485,0.0908176079,0.097071439,0.0598661713
// data: a float[256] random -8 8
// data: r float[64] zero
// data: q float[256] zero
// run: gram_norm 8/8 a r int:0
// run: gram_column 32/32 a r q int:0
// run: gram_rest 8/8 a r q int:0
// run: gram_norm 8/8 a r int:1
// run: gram_column 32/32 a r q int:1
// run: gram_rest 8/8 a r q int:1
// near: 1e-4
// gives: a=3.87953846,1.06494141,-1.64550781,3.52636719,5.6953125,-4.17773438,-7.95507812,5.9296875,6.7265625 r=1.59118636,26.4379311,0,0,0,0,0,0,0 q=0.0399936768,0.0402808152,-0.0622404143,0.133382872,0.215422019,-0.158020467,-0.300896406,0.224287122,0.254428476
// data: m float[256] random -1 1
// run: dominate 16/16 m
// run: lud_diagonal 16/16 m int:16
// near: 1e-4
// gives: m=1.24968711,16.1331177,-0.0127494559,0.0273224246,0.0441274941,-0.0323692411,-0.061636243,0.045943439,0.0521176569
// data: m float[272] random -1 1
// data: factors float[16] zero
// run: dominate 16/16 m
// run: gauss_factors 16/16 m factors int:0
// run: gauss_rows 17x16/17x4 m factors int:0
// run: gauss_factors 16/16 m factors int:1
// run: gauss_rows 17x16/17x4 m factors int:1
// near: 1e-4
// gives: m=0.798889594,16.1331177,3.08080006,3.20604134,3.24440289,3.24318409,3.15016365,3.00517464,3.16407776 factors=0.123388292,0,-0.0806293488,-0.291597575,-0.109106578,-0.335126102,-0.136594683,-0.103598103,-0.0581912473
// data: first int[129] steps 0 9
// data: columns int[1200] random 0 127
// data: values float[1200] random -5 5
// data: x float[128] random -5 5
// data: y float[128] zero
// run: whole 1200/40 values
// run: whole 128/32 x
// run: spmv_rows 128/32 first columns values x y
// run: spmv_warp 512/32 first columns values x y
// gives: first=e73ff5aa5a1ae79c columns=44b334c604e3f41a values=c729ef8fd7fb40a5 x=c35b0bdb46124165 y=5c9bff6f3d27b101
// data: diagonals float[384] random -5 5
// data: x float[128] random -5 5
// data: y float[128] zero
// run: tridiagonal 128/32 diagonals x y int:128
// gives: diagonals=5c7975f29a904df0 x=879bc0a3b35c6f5c y=d200476c9c63bdf7

#pragma OPENCL FP_CONTRACT OFF

kernel void whole(global float *a)
{
    a[get_global_id(0)] = rint(a[get_global_id(0)]);
}

kernel void gemm(global const float *a, global const float *b, global float *c, int n, float alpha, float beta)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n) {
        float sum = c[i * n + j] * beta;
        for (int k = 0; k < n; k++)
            sum += alpha * a[i * n + k] * b[k * n + j];
        c[i * n + j] = sum;
    }
}

// Four by four results for each work-item, panels in local memory.
kernel void sgemm_blocked(global const float *a, global const float *b, global float *c, int n)
{
    local float pa[8 * 32], pb[8 * 32];
    int tx = get_local_id(0), ty = get_local_id(1), t = ty * 8 + tx;
    float sum[4][4];
    for (int i = 0; i < 16; i++)
        sum[i / 4][i % 4] = 0;
    for (int k0 = 0; k0 < n; k0 += 8) {
        for (int i = t; i < 256; i += 64) {
            pa[i] = a[(i % 32) * n + k0 + i / 32];
            pb[i] = b[(k0 + i / 32) * n + i % 32];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 8; k++) {
            float4 va = vload4(ty, pa + k * 32), vb = vload4(tx, pb + k * 32);
            sum[0][0] += va.x * vb.x, sum[0][1] += va.x * vb.y, sum[0][2] += va.x * vb.z, sum[0][3] += va.x * vb.w;
            sum[1][0] += va.y * vb.x, sum[1][1] += va.y * vb.y, sum[1][2] += va.y * vb.z, sum[1][3] += va.y * vb.w;
            sum[2][0] += va.z * vb.x, sum[2][1] += va.z * vb.y, sum[2][2] += va.z * vb.z, sum[2][3] += va.z * vb.w;
            sum[3][0] += va.w * vb.x, sum[3][1] += va.w * vb.y, sum[3][2] += va.w * vb.z, sum[3][3] += va.w * vb.w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        vstore4((float4)(sum[i][0], sum[i][1], sum[i][2], sum[i][3]), tx, c + (ty * 4 + i) * n);
}

kernel void rows_times(global const float *a, global const float *x, global float *y, int rows, int columns)
{
    int i = get_global_id(0);
    if (i < rows) {
        float sum = 0;
        for (int j = 0; j < columns; j++)
            sum += a[i * columns + j] * x[j];
        y[i] = sum;
    }
}

kernel void columns_times(global const float *a, global const float *y, global float *z, int rows, int columns)
{
    int j = get_global_id(0);
    for (int i = 0; i < rows; i++)
        z[j] += a[i * columns + j] * y[i];
}

kernel void bicg(global const float *a, global const float *p, global float *q, global float *s, int rows, int columns)
{
    int i = get_global_id(0);
    float row = 0, column = 0;
    for (int k = 0; k < columns; k++)
        row += i < rows ? a[i * columns + k] * p[k] : 0;
    for (int k = 0; k < rows; k++)
        column += a[k * columns + i] * p[k];
    if (i < rows)
        q[i] = row;
    s[i] = column;
}

kernel void gemver_outer(global float *a, global const float *x, global const float *y, global const float *u,
                         global const float *v)
{
    int j = get_global_id(0), i = get_global_id(1), n = get_global_size(0);
    a[i * n + j] += x[i] * y[j] + u[i] * v[j];
}

kernel void gemver_x(global const float *a, global float *x, global const float *y)
{
    int i = get_global_id(0), n = get_global_size(0);
    float sum = x[i];
    for (int j = 0; j < n; j++)
        sum += 0.5f * a[j * n + i] * y[j];
    x[i] = sum;
}

kernel void gemver_w(global const float *a, global float *w, global const float *x)
{
    int i = get_global_id(0), n = get_global_size(0);
    for (int j = 0; j < n; j++)
        w[i] += 0.25f * a[i * n + j] * x[j];
}

kernel void gesummv(global const float *a, global const float *b, global const float *x, global const float *y,
                    global float *w, int n)
{
    int i = get_global_id(0);
    float s = 0, t = 0;
    for (int j = 0; j < n; j++) {
        s += a[i * n + j] * x[j];
        t += b[j * n + i] * y[j];
    }
    w[i] = 1.5f * s - 1.25f * t;
}

kernel void syrk(global const float *a, global float *c, int n, int m, float alpha, float beta)
{
    int j = get_global_id(0), i = get_global_id(1);
    c[i * n + j] *= beta;
    for (int k = 0; k < m; k++)
        c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
}

kernel void syr2k(global const float *a, global const float *b, global float *c, int n, int m, float alpha, float beta)
{
    int j = get_global_id(0), i = get_global_id(1);
    float sum = c[i * n + j] * beta;
    for (int k = 0; k < m; k++)
        sum += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
    c[i * n + j] = sum;
}

kernel void column_mean(global const float *data, global float *mean, int m, int n)
{
    int j = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += data[i * m + j];
    mean[j] = sum / n;
}

kernel void column_deviation(global const float *data, global const float *mean, global float *deviation, int m, int n)
{
    int j = get_global_id(0);
    float sum = 0;
    for (int i = 0; i < n; i++)
        sum += (data[i * m + j] - mean[j]) * (data[i * m + j] - mean[j]);
    float d = sqrt(sum / n);
    deviation[j] = d <= 0.005f ? 1 : d;
}

kernel void centre(global float *data, global const float *mean, global const float *deviation, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    data[i * m + j] = (data[i * m + j] - mean[j]) / (sqrt((float)n) * deviation[j]);
}

kernel void correlation(global const float *data, global float *out, int m, int n)
{
    int j1 = get_global_id(0);
    out[j1 * m + j1] = 1;
    for (int j2 = j1 + 1; j2 < m; j2++) {
        float sum = 0;
        for (int i = 0; i < n; i++)
            sum += data[i * m + j1] * data[i * m + j2];
        out[j1 * m + j2] = out[j2 * m + j1] = sum;
    }
}

// a has 32 rows and 8 columns.
kernel void gram_norm(global const float *a, global float *r, int k)
{
    if (get_global_id(0) == 0) {
        float sum = 0;
        for (int i = 0; i < 32; i++)
            sum += a[i * 8 + k] * a[i * 8 + k];
        r[k * 8 + k] = sqrt(sum);
    }
}

kernel void gram_column(global const float *a, global const float *r, global float *q, int k)
{
    int i = get_global_id(0);
    q[i * 8 + k] = a[i * 8 + k] / r[k * 8 + k];
}

kernel void gram_rest(global float *a, global float *r, global const float *q, int k)
{
    int j = get_global_id(0);
    if (j > k) {
        r[k * 8 + j] = 0;
        for (int i = 0; i < 32; i++)
            r[k * 8 + j] += q[i * 8 + k] * a[i * 8 + j];
        for (int i = 0; i < 32; i++)
            a[i * 8 + j] -= q[i * 8 + k] * r[k * 8 + j];
    }
}

kernel void dominate(global float *m)
{
    int i = get_global_id(0);
    m[i * 16 + i] += 16;
}

// LU decomposition of a 16 x 16 block in local memory.
kernel void lud_diagonal(global float *m, int n)
{
    local float s[16][16];
    int t = get_local_id(0);
    for (int i = 0; i < 16; i++)
        s[i][t] = m[i * n + t];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 15; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                s[t][i] -= s[t][j] * s[j][i];
            s[t][i] /= s[i][i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (t > i)
            for (int j = 0; j < i + 1; j++)
                s[i + 1][t] -= s[i + 1][j] * s[j][t];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 1; i < 16; i++)
        m[i * n + t] = s[i][t];
}

kernel void gauss_factors(global const float *m, global float *factors, int k)
{
    int i = get_global_id(0);
    factors[i] = i > k ? m[i * 17 + k] / (m[k * 17 + k] + 4) : 0;
}

kernel void gauss_rows(global float *m, global const float *factors, int k)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i > k && j >= k)
        m[i * 17 + j] -= factors[i] * m[k * 17 + j];
}

kernel void spmv_rows(global const int *first, global const int *columns, global const float *values,
                      global const float *x, global float *y)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = first[i]; k < first[i + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[i] = sum;
}

// Four lanes a row.
kernel void spmv_warp(global const int *first, global const int *columns, global const float *values,
                      global const float *x, global float *y)
{
    local float parts[32];
    int row = get_global_id(0) / 4, lane = get_global_id(0) % 4, t = get_local_id(0);
    float sum = 0;
    for (int k = first[row] + lane; k < first[row + 1]; k += 4)
        sum += values[k] * x[columns[k]];
    parts[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane == 0)
        y[row] += 2 * (parts[t] + parts[t + 1] + parts[t + 2] + parts[t + 3]);
}

kernel void tridiagonal(global const float *diagonals, global const float *x, global float *y, int n)
{
    int i = get_global_id(0);
    float sum = diagonals[n + i] * x[i];
    if (i > 0)
        sum += diagonals[i] * x[i - 1];
    if (i < n - 1)
        sum += diagonals[2 * n + i] * x[i + 1];
    y[i] = sum;
}
