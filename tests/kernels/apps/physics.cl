// Particles and fields.
//
// data: position float[512] random 0 4
// data: charge float[128] random 0 1
// data: neighbours int[32] random 0 7
// data: force float[512] zero
// run: box_forces 128/16 position charge neighbours force
// near: 1e-4
// gives: position=1.94774461,2.26623535,2.8815918,0.955566406,3.48242188,1.44689941,0.859741211,1.42633057,1.8001709 charge=0.50718379,0.591186523,0.200134277,0.266769409,0.175247192,0.00569152832,0.812805176,0.567123413,0.389663696 neighbours=3cae219612e529f5 force=13.9857303,2.57247996,22.1126518,-23.7497654,49.5744324,-12.7382879,-16.7288399,0.903052866,1.73608005
// data: atoms float[256] random 0 8
// data: grid float[2048] zero
// run: cutoff_potential 16x16x8/8x8x1 atoms grid int:64 float:0.5
// near: 1e-4
// gives: atoms=3.90610313,4.5324707,3.17724609,5.76318359,6.84765625,1.91113281,0.0224609375,6.96484375,7.36328125 grid=3.2483084,0,0,0,0,0,0.0477388129,0.267692477,0.605155885
// data: phi float[64] random -1 1
// data: magnitude float[64] zero
// data: k float[256] random -1 1
// data: x float[288] random -1 1
// data: q float[192] zero
// run: mri_magnitude 64/32 phi magnitude
// run: mri_q 96/32 k x q int:64
// near: 1e-4
// gives: phi=0.468838215,0.133117676,-0.428985596,0.290649414,-0.426177979,-0.205688477,0.723632812,0.787872314,0.214080811 magnitude=0.615729287,0.0223600008,0.863918662,0.549152613,0.295282751,0.0723015741,1.09183502,1.06423831,0.0479569137 k=0.492001176,-0.773101807,-0.62197876,0.0180053711,0.735778809,-0.0242614746,0.893280029,0.507995605,0.903808594 x=0.522467295,-0.137115479,0.227020264,-0.256744385,0.734405518,-0.733703613,0.363952637,0.815704346,0.396026611 q=2.59364871,-2.69602466,-1.47518623,0.876401544,0.45978868,0.881564379,3.41131663,-6.20749044,2.03465772
// data: points float[384] random -1 1
// data: bins int[20] zero
// run: angles 128/32 points bins int:128
// gives: points=69aa797bdac9a0e5 bins=27bb76e20895adfc
// data: position float[256] random -2 2
// data: velocity float[256] zero
// data: out float[256] zero
// run: n_body 64/32 position velocity out float:0.01
// run: n_body 64/32 out velocity position float:0.01
// near: 1e-4
// gives: position=1.00194243,0.266275108,-0.411655545,0.882378042,1.42408311,-1.04473078,-1.98848033,1.48315883,1.68144071 velocity=0.0280504286,0.0026508153,-0.0185716655,0.0524199307,0.0169988908,-0.0198166855,0.019280497,0.049136892,-0.0133248325 out=1.00193176,0.266248614,-0.411469817,0.881853819,1.42391312,-1.04453266,-1.98867309,1.48266745,1.68157399
// data: variables float[640] random 1 2
// data: areas float[128] random 1 2
// data: neighbours int[512] random -2 127
// data: normals float[1536] random -1 1
// data: factors float[128] zero
// data: fluxes float[640] zero
// run: flow_factor 128/32 variables areas factors
// run: flow_flux 128/32 variables neighbours normals fluxes
// run: flow_step 128/64 variables fluxes factors
// near: 1e-3
// gives: variables=1.48924757,1.51412463,1.54590845,0.984986186,1.22353435,1.25265408,1.89796257,1.50804734,1.64767456 areas=1.50718379,1.59118652,1.20013428,1.26676941,1.17524719,1.00569153,1.81280518,1.56712341,1.3896637 neighbours=3efcae32b0bba952 normals=0.500710845,-0.137115479,-0.222045898,-0.977386475,-0.0924682617,-0.975036621,0.140655518,0.49407959,0.54006958 factors=0.192564828,0.204454631,0.197632998,0.293334454,0.313227981,0.234929189,0.179170579,0.193230674,0.220268786 fluxes=1.8983318,-2.56459141,-5.78629875,-0.607546747,3.84783077,1.60554004,2.30609465,1.46119463,0
// data: weights float[128] random 0.1 1
// data: sums float[128] zero
// data: chosen int[128] zero
// data: seeds int[128] random 1 100000
// run: filter_prefix 1/1 weights sums
// run: filter_pick 128/32 sums chosen seeds int:128
// gives: weights=72f269ad77061784 sums=3e6d88daf0d3a496 chosen=71fb5e9a7d2f1cdf seeds=76698188b09521d2
// data: state float[64] random 0.2 0.8
// data: out float[64] zero
// run: cell_model 16/16 state out int:20
// near: 1e-3
// gives: state=0.519802426,0.539935291,0.371304333,0.5871948,0.372146606,0.438293457,0.717089832,0.736361682,0.564224243 out=0.544057267,0.543711901,0.37820375,0.581757784,0.373314381,0.434525728,0.689250946,0.709453464,0.557100713
// data: keys int[64] random 0 63
// data: cells int[65] zero
// data: sorted int[64] zero
// run: cell_count 64/32 keys cells
// run: cell_scan 1/1 cells
// run: cell_place 1/1 keys cells sorted
// gives: keys=bcd993ba70be6b79 cells=eef19ec757b05167 sorted=9bb97d210f68efe5

#pragma OPENCL FP_CONTRACT OFF

// Each group is a box of 16 particles and looks at itself and four neighbours, particles in local memory.
kernel void box_forces(global const float4 *position, global const float *charge, global const int *neighbours,
                       global float4 *force)
{
    local float4 own[16], other[16];
    local float other_charge[16];
    int t = get_local_id(0), box = get_group_id(0);
    own[t] = position[box * 16 + t];
    float4 sum = 0;
    for (int k = -1; k < 4; k++) {
        int from = k < 0 ? box : neighbours[box * 4 + k];
        other[t] = position[from * 16 + t];
        other_charge[t] = charge[from * 16 + t];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 16; j++) {
            float r2 = own[t].w + other[j].w - dot(own[t].xyz, other[j].xyz);
            float v = exp(-0.5f * fabs(r2)), fs = 2 * v;
            float3 d = own[t].xyz - other[j].xyz;
            sum += other_charge[j] * (float4)(fs * d, v);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[box * 16 + t] = sum;
}

kernel void cutoff_potential(constant float4 *atoms, global float *grid, int n, float spacing)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    float3 p = spacing * (float3)(x, y, z);
    float energy = 0;
    for (int i = 0; i < n; i++) {
        float3 d = p - atoms[i].xyz;
        float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
        if (r2 < 4) {
            float s = 1 - r2 * 0.25f;
            energy += atoms[i].w * rsqrt(r2 + 0.01f) * s * s;
        }
    }
    grid[(z * 16 + y) * 16 + x] += energy;
}

kernel void mri_magnitude(global const float *phi, global float *magnitude)
{
    int i = get_global_id(0);
    magnitude[i] = phi[i] * phi[i] + phi[63 - i] * phi[63 - i];
}

kernel void mri_q(constant float4 *k, global const float *x, global float *q, int n)
{
    int i = get_global_id(0);
    float re = 0, im = 0;
    for (int j = 0; j < n; j++) {
        float angle = 6.2831853f * (k[j].x * x[i] + k[j].y * x[96 + i] + k[j].z * x[192 + i]);
        re += k[j].w * cos(angle);
        im += k[j].w * sin(angle);
    }
    q[i] = re;
    q[96 + i] = im;
}

// A histogram of angles between points: the bin is found by halving.
constant float limits[21] = {1, .9f, .8f, .7f, .6f, .5f, .4f, .3f, .2f, .1f, 0, -.1f, -.2f, -.3f, -.4f, -.5f, -.6f, -.7f, -.8f, -.9f, -9};

kernel void angles(global const float *points, global int *bins, int n)
{
    local int own[20];
    int i = get_global_id(0), t = get_local_id(0);
    if (t < 20)
        own[t] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float3 a = rint(vload3(i, points) * 4);
    for (int j = i + 1; j < n; j++) {
        float3 b = rint(vload3(j, points) * 4);
        float d = (a.x * b.x + a.y * b.y + a.z * b.z) / 32;
        int low = 0, high = 20;
        while (high > low + 1) {
            int middle = (low + high) / 2;
            if (d >= limits[middle])
                high = middle;
            else
                low = middle;
        }
        atomic_inc(&own[low]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < 20)
        atomic_add(&bins[t], own[t]);
}

kernel void n_body(global const float4 *position, global float4 *velocity, global float4 *out, float dt)
{
    local float4 tile[32];
    int i = get_global_id(0), t = get_local_id(0);
    float4 p = position[i];
    float3 a = 0;
    for (int j = 0; j < (int)get_num_groups(0); j++) {
        tile[t] = position[j * 32 + t];
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 4
        for (int k = 0; k < 32; k++) {
            float3 r = tile[k].xyz - p.xyz;
            float inverse = rsqrt(dot(r, r) + 0.1f);
            a += tile[k].w * inverse * inverse * inverse * r;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float4 v = velocity[i];
    v.xyz += a * dt;
    velocity[i] = v;
    out[i] = (float4)(p.xyz + v.xyz * dt, p.w);
}

typedef struct {
    float3 x, y, z;
} flux;

float pressure(float density, float energy, float speed2)
{
    return 0.4f * (energy - 0.5f * density * speed2);
}

kernel void flow_factor(global const float *variables, global const float *areas, global float *factors)
{
    int i = get_global_id(0), n = get_global_size(0);
    float density = variables[i], energy = variables[4 * n + i];
    float3 v = (float3)(variables[n + i], variables[2 * n + i], variables[3 * n + i]) / density;
    float speed2 = dot(v, v), c = sqrt(1.4f * fabs(pressure(density, energy, speed2)) / density);
    factors[i] = 0.5f / (sqrt(areas[i]) * (sqrt(speed2) + c));
}

void contribution(flux *f, float3 momentum, float p, float3 v)
{
    f->x = (float3)(v.x * momentum.x + p, v.x * momentum.y, v.x * momentum.z);
    f->y = (float3)(f->x.y, v.y * momentum.y + p, v.y * momentum.z);
    f->z = (float3)(f->x.z, f->y.z, v.z * momentum.z + p);
}

kernel void flow_flux(global const float *variables, global const int *neighbours, global const float *normals,
                      global float *fluxes)
{
    int i = get_global_id(0), n = get_global_size(0);
    float density = variables[i];
    float3 momentum = (float3)(variables[n + i], variables[2 * n + i], variables[3 * n + i]), v = momentum / density;
    flux mine, theirs;
    contribution(&mine, momentum, pressure(density, variables[4 * n + i], dot(v, v)), v);
    float mass = 0;
    float3 out = 0;
    for (int j = 0; j < 4; j++) {
        int nb = neighbours[i + j * n];
        float3 normal = (float3)(normals[i + j * n], normals[i + (j + 4) * n], normals[i + (j + 8) * n]);
        if (nb >= 0) {
            float d = variables[nb];
            float3 m = (float3)(variables[n + nb], variables[2 * n + nb], variables[3 * n + nb]), w = m / d;
            contribution(&theirs, m, pressure(d, variables[4 * n + nb], dot(w, w)), w);
            mass += 0.5f * dot(normal, momentum + m) - 0.2f * length(normal) * (density - d);
            out += 0.5f * (float3)(dot(normal, mine.x + theirs.x), dot(normal, mine.y + theirs.y), dot(normal, mine.z + theirs.z));
        } else if (nb == -1) {
            out += normal * pressure(density, variables[4 * n + i], dot(v, v));
        } else {
            mass += dot(normal, momentum) * 0.5f;
        }
    }
    fluxes[i] = mass;
    fluxes[n + i] = out.x;
    fluxes[2 * n + i] = out.y;
    fluxes[3 * n + i] = out.z;
}

kernel void flow_step(global float *variables, global const float *fluxes, global const float *factors)
{
    int i = get_global_id(0), n = get_global_size(0);
    for (int k = 0; k < 5; k++)
        variables[k * n + i] += 0.1f * factors[i] * fluxes[k * n + i];
}

kernel void filter_prefix(global const float *weights, global float *sums)
{
    float sum = 0;
    for (int i = 0; i < 128; i++)
        sums[i] = sum += weights[i];
}

// Systematic resampling with a random number generator in each work-item.
kernel void filter_pick(global const float *sums, global int *chosen, global int *seeds, int n)
{
    int i = get_global_id(0);
    uint seed = (uint)seeds[i] * 1103515245u + 12345u;
    seeds[i] = (int)(seed & 0x7fffffff);
    float u = (float)(seed >> 16 & 0x7fff) / 32768 * sums[n - 1];
    int at = n - 1;
    for (int k = 0; k < n; k++)
        if (sums[k] >= u) {
            at = k;
            break;
        }
    chosen[i] = at;
}

// A few differential equations with many terms, stepped in one long body.
kernel void cell_model(global const float *state, global float *out, int steps)
{
    int i = get_global_id(0);
    float4 s = vload4(i, state);
    for (int t = 0; t < steps; t++) {
        float v = s.x * 100 - 80;
        float alpha = fabs(v + 47) < 1e-3f ? 3.2f : 0.32f * (v + 47.13f) / (1 - exp(-0.1f * (v + 47.13f)));
        float beta = 0.08f * exp(-v / 11);
        float inf = alpha / (alpha + beta), tau = 1 / (alpha + beta);
        float h = v >= -40 ? 1 / (0.13f * (1 + exp(-(v + 10.66f) / 11.1f))) : 3.56f * exp(0.079f * v);
        float4 d = (float4)(-0.1f * (s.x - 0.3f) + 0.05f * s.y * s.z, (inf - s.y) * exp(-tau), (1 / (1 + h) - s.z) * 0.1f,
                            0.02f * log(1 + s.x * s.x) - 0.01f * s.w);
        s += 0.05f * d;
        s = clamp(s, 0.01f, 1.0f);
    }
    vstore4(s, i, out);
}

kernel void cell_count(global const int *keys, global int *cells)
{
    atomic_inc(&cells[keys[get_global_id(0)] + 1]);
}

kernel void cell_scan(global int *cells)
{
    for (int i = 0; i < 64; i++)
        cells[i + 1] += cells[i];
}

kernel void cell_place(global const int *keys, global int *cells, global int *sorted)
{
    for (int i = 0; i < 64; i++)
        sorted[cells[keys[i]]++] = i;
}
