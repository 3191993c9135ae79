// Pointers as data: stored, compared, cast, through every address space; structures with 64-bit members.
// options: -cl-std=CL3.0
// data: a int[256] random -1000 1000
// data: o long[256] zero
// run: differences 256/64 a o
// gives: a=d64a7b8b2ea27faa o=95e6e370bd92c515
// data: a long[256] random -1000000 1000000
// data: t long[512] zero
// data: o long[64] zero
// run: table 64/16 a t o
// gives: a=be7075fa3dbef1fc t=73daffc3f5a6602c o=60555d160cd981d3
// data: s long[192] random
// data: o long[192] zero
// run: structs 64/32 s o
// gives: s=5fdbba38b99137a3 o=e8a44f9b466776e7
// data: a int[128] random -1000 1000
// data: o long[128] zero
// run: spaces 128/32 a o local:256
// gives: a=e75da74f0a411b16 o=754582b29355e47f
// data: o long[64] zero
// run: variables 64/16 o
// gives: o=fc92d29e53e0bbb7
// data: a float[192] random -10 10
// data: o float[192] zero
// run: threes 64/16 a o
// gives: a=b20a6b752d66a427 o=684861b6d8014c2c
// data: o ulong[96] zero
// run: sizes 24/8+65537 o
// gives: o=3d985157928bff95
// data: o ulong[128] zero
// run: sizes_2d 8x4/4x2+3x99999 o
// gives: o=5a167c31e71cd0d5
// data: a int[64] random 0 1000
// data: o int[64] zero
// run: far_and_back 64/32 a o long:5000000000
// gives: a=2e2ab11780554584 o=02892e990e838816
// data: a ulong[33] random
// data: o ulong[33] zero
// run: bytes 33/11 a o
// gives: a=4b6e0c5a250881bb o=d9b447270ae51688
// data: a int[512] random -1000 1000
// data: o int[512] zero
// run: private_arrays 32/8 a o
// gives: a=9d75af020c0ca86f o=0fc462c83c9b8c8d
// data: a int[256] perm
// data: o int[256] zero
// run: chase 16/16 a o
// gives: a=c9659f05f6da6175 o=1bf27ed90e689af7
kernel void differences(global const int *a, global long *o)
{
    size_t i = get_global_id(0);
    global const int *first = a, *last = a + get_global_size(0), *p = a + (a[i] & 255);
    o[i] = (last - first) * 100 + (p - first) + (p >= a + 7) * 1000 + ((size_t)last - (size_t)p) * 10000;
}

kernel void table(global long *a, global ulong *t, global long *o)
{
    size_t i = get_global_id(0);
    t[2 * i] = (ulong)(a + i * 4);
    t[2 * i + 1] = (ulong)&a[255 - i];
    global long *p = (global long *)t[2 * i], *q = (global long *)(size_t)t[2 * i + 1];
    o[i] = p[0] - p[1] * 2 + p[2] * 3 - p[3] + *q * 7;
    t[2 * i] -= (ulong)a;
    t[2 * i + 1] = (ulong)(q > p) + 2 * (p + (255 - i - 4 * i) == q);
}

struct record {
    char tag;
    long big;
    short small;
};

kernel void structs(global struct record *s, global struct record *o)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    struct record r = s[i], q = s[n - 1 - i];
    r.big = r.big * 3 + q.tag;
    r.small += (short)q.big;
    r.tag ^= (char)(q.big >> 40);
    o[i].tag = r.tag;
    o[i].big = r.big;
    o[i].small = r.small;
}

long add_up(global const int *p, size_t n)
{
    long sum = 0;
    for (size_t k = 0; k < n; k++)
        sum = sum * 31 + p[k];
    return sum;
}

long add_up_local(local int *p, size_t n)
{
    long sum = 0;
    for (size_t k = 0; k < n; k++)
        sum = sum * 31 + p[k];
    return sum;
}

kernel void spaces(global const int *a, global long *o, local int *t)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    local int own[32];
    int mine[8];
    local int *p = t + l, *q = &own[n - 1 - l];
    *p = a[i];
    *q = a[i] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 8; k++)
        mine[k] = t[(l + k) % n] - own[(l * k) % n];
    private int *r = mine + (a[i] & 3);
    o[i] = add_up(a + i / 32 * 32, n) + add_up_local(t, n) * 3 + add_up_local(own, l) + r[0] * 100 + r[4] + (long)(r - mine);
}

constant long primes[] = {2, 3, 5, 7, 11, 13, 17, 19, -1234567890123456789};
constant int deltas[2][3] = {{1, -2, 3}, {-4, 5, -6}};

kernel void variables(global long *o)
{
    size_t i = get_global_id(0);
    constant long *p = primes + i % 9;
    o[i] = *p * deltas[i & 1][i % 3] + (long)(p - primes) + deltas[1][2];
}

kernel void threes(global const float *a, global float *o)
{
    size_t i = get_global_id(0);
    float3 v = vload3(i, a), w = vload3((i + 1) % get_global_size(0), a);
    float3 c = (float3)(v.y * w.z - v.z * w.y, v.z * w.x - v.x * w.z, v.x * w.y - v.y * w.x);
    vstore3(fabs(c) + v.zxy - fabs(w), i, o);
}

kernel void sizes(global ulong *o)
{
    size_t i = get_global_id(0), at = i - get_global_offset(0);
    o[4 * at] = i;
    o[4 * at + 1] = get_global_offset(0) + get_global_size(0) * get_local_size(0);
    o[4 * at + 2] = i * 3 - get_group_id(0);
    o[4 * at + 3] = (uint)i + get_local_id(0) + get_num_groups(0);
}

kernel void sizes_2d(global ulong *o)
{
    size_t x = get_global_id(0) - get_global_offset(0), y = get_global_id(1) - get_global_offset(1);
    global ulong *p = o + (y * get_global_size(0) + x) * 4;
    p[0] = get_global_id(1) * 7 + get_global_id(0);
    p[1] = get_global_linear_id();
    p[2] = get_group_id(1) * 10 + get_group_id(0) + get_local_linear_id() * 100;
    p[3] = get_global_offset(1) - get_global_size(1);
}

kernel void far_and_back(global const int *a, global int *o, long far)
{
    size_t i = get_global_id(0);
    global const int *p = a + far;
    p -= far - (long)i;
    o[i] = *p + p[-(long)i];
}

kernel void bytes(global const ulong *a, global ulong *o)
{
    size_t i = get_global_id(0);
    global const uchar *p = (global const uchar *)(a + i);
    global ushort *q = (global ushort *)(o + i);
    for (int k = 0; k < 4; k++)
        q[k] = (ushort)(p[7 - 2 * k] << 8 | p[6 - 2 * k]);
    o[i] += *(global const uint *)(p + 4);
}

kernel void private_arrays(global const int *a, global int *o)
{
    size_t i = get_global_id(0);
    int stack[16];
    int4 quads[4];
    for (int k = 0; k < 16; k++)
        stack[k] = a[16 * i + k];
    for (int x = 1; x < 16; x++) {
        int v = stack[x], y = x;
        for (; y && stack[y - 1] > v; y--)
            stack[y] = stack[y - 1];
        stack[y] = v;
    }
    for (int k = 0; k < 4; k++)
        quads[k] = vload4(k, stack);
    for (int k = 0; k < 4; k++)
        vstore4(quads[stack[k] & 3] + quads[3 - k], k, o + 16 * i);
}

kernel void chase(global const int *a, global int *o)
{
    size_t i = get_global_id(0);
    size_t at = i;
    for (int k = 0; k < 16; k++) {
        at = (size_t)a[at];
        o[16 * i + k] = (int)at;
    }
}
