// Kernels in the style of public benchmark suites, with size_t indices throughout.
// data: a float[1024] random -2 2
// data: b float[1024] random -2 2
// data: c float[1024] zero
// run: gemm 32x32/8x8 a b c long:32
// near: 1e-4
// gives: a=0.994035304,0.266235352,-1.04443359,-0.553100586,-0.573669434,-1.89044189,1.56036377,1.05444336,-1.71252441 b=0.994080722,0.364746094,-0.166259766,-1.55053711,0.996337891,-1.05047607,-0.98840332,-0.791687012,0.685668945 c=5.65951973,-7.43382359,1.45874774,-5.32023191,13.8141356,-8.22644138,9.17459488,7.6022048,-8.95897198
// data: a float[1024] random -2 2
// data: c float[1024] zero
// run: stencil 32x32/8x4 a c ulong:32
// near: 1e-5
// gives: a=0.994035304,0.266235352,-1.04443359,-0.553100586,-0.573669434,-1.89044189,1.56036377,1.05444336,-1.71252441 c=0.613366596,-0.266235352,-1.04443359,-0.553100586,-0.573669434,-1.89044189,-1.56036377,-1.05444336,-1.71252441
// data: r int[65] steps 0 8
// data: x int[512] random 0 63
// data: v float[512] random -1 1
// data: b float[64] random -1 1
// data: y float[64] zero
// run: spmv 64/16 r x v b y
// near: 1e-4
// gives: r=f28f9fdce481b786 x=e84efae785cd0b0e v=0.514875412,-0.773101807,0.0180053711,-0.0242614746,0.507995605,0.699157715,0.470458984,0.0325622559,0.72052002 b=0.500298977,-0.137115479,-0.636444092,0.215698242,0.0739746094,-0.337615967,0.491790771,0.836517334,0.775878906 y=0.356364114,-1.01793253,0,0,0,0.167036697,0.479666114,-1.20627749,0
// data: a uint[1024] random
// data: o uint[1024] zero
// run: scan 1024/128 a o local:512
// gives: a=48be52f9c873af9f o=3f54f51c9a48acd7
// data: a uint[256] random
// run: bitonic 128/128 a
// gives: a=8d1e60ca60a5a348
// data: p float[256] random -5 5
// data: q float[256] random -5 5
// data: m int[256] zero
// run: nearest 256/64 p q m ulong:256
// gives: p=6fc0d9647be080c7 q=fb03bce847717512 m=c0eac6155ac26940
// data: a int[1024] random 0 255
// data: t int[1024] zero
// run: transpose 32x32/8x8 a t local:288
// gives: a=3c266043c188abcb t=94897ea74cdc639b
// data: t uchar[256] random 97 100
// data: o int[8] zero
// run: search 253/23 t o
// gives: t=ea7174b911e9e0b9 o=dfbb73972f65c8b5
// data: d int[1024] random 1 100
// run: floyd 32x32/8x8 d int:0
// run: floyd 32x32/8x8 d int:1
// run: floyd 32x32/8x8 d int:17
// gives: d=27c27bd3d5cda5dc
// data: s float[128] random 10 100
// data: o float[256] zero
// run: options 128/32 s o
// near: 1e-4
// gives: s=57.1667957,60.9902954,68.0792236,45.7440186,90.4542542,74.8358154,68.4623718,87.0361328,67.2662354 o=13.6508303,15.0230093,20.8165836,5.14771366,41.6946335,26.816988,21.1458645,38.365345,20.1229038
// data: g uchar[1024] random 0 1
// data: n uchar[1024] zero
// run: life 32x32/16x2 g n
// gives: g=221d68316ee00ecd n=75eae1c67de93737
// data: k ulong[64] random
// data: o ulong[64] zero
// run: cipher 64/64 k o
// gives: k=ab2870c14a697fda o=d245883ac07559aa
kernel void gemm(global const float *a, global const float *b, global float *c, long n)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (long k = 0; k < n; k++)
        sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

kernel void stencil(global const float *a, global float *c, ulong n)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        c[y * n + x] = 0.5f * a[y * n + x] +
                       0.125f * (a[(y - 1) * n + x] + a[(y + 1) * n + x] + a[y * n + x - 1] + a[y * n + x + 1]);
    else
        c[y * n + x] = -fabs(a[y * n + x]);
}

kernel void spmv(global const int *r, global const int *x, global const float *v, global const float *b, global float *y)
{
    size_t i = get_global_id(0);
    float sum = 0;
    for (int k = r[i] & 511; k < (r[i + 1] & 511); k++)
        sum += v[k] * b[x[k]];
    y[i] = sum;
}

kernel void scan(global const uint *a, global uint *o, local uint *t)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    t[l] = a[i];
    for (size_t d = 1; d < n; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint v = l >= d ? t[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += v;
    }
    o[i] = t[l];
}

kernel void bitonic(global uint *a)
{
    size_t i = get_global_id(0);
    for (size_t k = 2; k <= 256; k *= 2)
        for (size_t j = k / 2; j; j /= 2) {
            size_t x = 2 * j * (i / j) + i % j, y = x + j;
            uint p = a[x], q = a[y];
            if ((p > q) == ((x & k) == 0)) {
                a[x] = q;
                a[y] = p;
            }
            barrier(CLK_GLOBAL_MEM_FENCE);
        }
}

kernel void nearest(global const float *p, global const float *q, global int *m, ulong n)
{
    size_t i = get_global_id(0);
    float best = INFINITY;
    size_t at = 0;
    for (size_t k = 0; k < n; k++) {
        float d = fabs(p[i] - q[k]);
        if (d < best) {
            best = d;
            at = k;
        }
    }
    m[i] = (int)at;
}

kernel void transpose(global const int *a, global int *t, local int *tile)
{
    size_t x = get_local_id(0), y = get_local_id(1), n = get_global_size(0);
    tile[y * 9 + x] = a[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[(get_group_id(0) * 8 + y) * n + get_group_id(1) * 8 + x] = tile[x * 9 + y];
}

kernel void search(global const uchar *t, global int *o)
{
    size_t i = get_global_id(0);
    const uchar pattern[] = {97, 98, 99};
    int k = 0;
    while (k < 3 && t[i + k] == pattern[k])
        k++;
    atomic_inc(&o[k]);
    if (k == 3)
        atomic_add(&o[4], (int)i);
}

kernel void floyd(global int *d, int k)
{
    size_t x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);
    if (x != k && y != k)
        d[y * n + x] = min(d[y * n + x], d[y * n + k] + d[k * n + x]);
}

float normal(float d)
{
    float k = 1 / (1 + 0.2316419f * fabs(d)), c = k * (0.31938153f + k * (-0.356563782f + k * 1.781477937f));
    c *= 0.39894228f * exp(-0.5f * d * d);
    return d > 0 ? 1 - c : c;
}

kernel void options(global const float *s, global float *o)
{
    size_t i = get_global_id(0);
    float d1 = (log(s[i] / 50) + 0.06f) / 0.3f, d2 = d1 - 0.3f;
    o[2 * i] = s[i] * normal(d1) - 49 * normal(d2);
    o[2 * i + 1] = 49 * normal(-d2) - s[i] * normal(-d1);
}

kernel void life(global const uchar *g, global uchar *n)
{
    long x = get_global_id(0), y = get_global_id(1), w = get_global_size(0);
    int sum = 0;
    for (long dy = -1; dy <= 1; dy++)
        for (long dx = -1; dx <= 1; dx++)
            sum += (dx || dy) ? g[((y + dy + w) % w) * w + (x + dx + w) % w] : 0;
    n[y * w + x] = sum == 3 || (sum == 2 && g[y * w + x]);
}

kernel void cipher(global const ulong *k, global ulong *o)
{
    uint2 v = as_uint2(k[get_global_id(0)]);
    uint sum = 0;
    for (int r = 0; r < 32; r++) {
        sum += 0x9e3779b9;
        v.x += (v.y << 4 ^ v.y >> 5) + v.y ^ sum;
        v.y += (v.x << 4 ^ v.x >> 5) + v.x ^ sum;
    }
    o[get_global_id(0)] = as_ulong(v);
}
