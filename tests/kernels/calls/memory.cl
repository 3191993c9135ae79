// Functions and memory: private arrays handed down, local memory and barriers inside a function, atomics, tables.
//
// data: a int[256] random 0 50
// data: out int[256] zero
// data: sum int[4] zero
// run: arrays 256/64 a out
// run: reduction 256/64 a out
// run: counters 256/64 a out sum
// run: deep 256/64 a out
// run: spills 256/64 a out
// gives: a=4f2daa79adeb9221 out=44b1d066a1e18049 sum=37d821df5f8241a3

#define CALLED __attribute__((noinline))

CALLED void sort(private int *v, int n)
{
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
            int swap = v[k];
            v[k] = v[k - 1];
            v[k - 1] = swap;
        }
}
CALLED int look(const private int *v, int n, int what)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = v[(i * what) & 15];
    sort(own, 8);
    for (int i = 0; i < n; i++)
        if (v[i] >= what)
            return i * 100 + own[i & 7];
    return own[3];
}
kernel void arrays(global const int *a, global int *out)
{
    int i = get_global_id(0), v[16];
    for (int k = 0; k < 16; k++)
        v[k] = a[(i * 5 + k * 3) % 256];
    sort(v, i % 17);
    out[i] += look(v, 16, a[i]) + v[5];
}

CALLED int reduce(local int *t, int n, int l)
{
    for (int s = n / 2; s; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            t[l] += t[l + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int r = t[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return r;
}
kernel void reduction(global const int *a, global int *out)
{
    local int t[64], other[64];
    int i = get_global_id(0), l = get_local_id(0);
    t[l] = a[i];
    other[l] = a[i] * i;
    int x = reduce(t, 64, l), y = reduce(other, get_local_size(0), l);
    out[i] += x + y * 3;
}

constant int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};
CALLED void count(global int *sum, int x)
{
    if (x & 1)
        atomic_add(&sum[x & 3], table[x & 7]);
    else
        atomic_max(&sum[0], x);
}
kernel void counters(global const int *a, global int *out, global int *sum)
{
    int i = get_global_id(0);
    count(sum, a[i]);
    if (i % 5 == 0)
        count(sum, i);
}

CALLED int f1(int x) { int v[3] = {x, x + 1, x + 2}; return v[x & 1] + v[x % 3 & 1]; }
CALLED int f2(int x) { int v[3] = {f1(x), x, f1(x + 1)}; return v[x & 1] * 2 + v[2]; }
CALLED int f3(int x) { int v[3] = {f2(x), f1(x), x}; return v[x & 1] - v[2]; }
CALLED int f4(int x) { int v[3] = {f3(x), f2(x + 3), f1(x)}; return v[x & 1] ^ v[2]; }
CALLED int f5(int x) { return f4(x) + f3(x) * f2(x) - f1(x); }
kernel void deep(global const int *a, global int *out)
{
    int i = get_global_id(0);
    out[i] += f5(a[i]) + f4(i);
}

// More values over a call than a callee has to keep.
CALLED uint16 mix(uint16 a, uint16 b)
{
    uint16 r = a;
    for (int k = 0; k < 3; k++)
        r = r * (b | 1u) + rotate(a, (uint16)(k + 1)) + (r >> (uint16)(3));
    return r;
}
kernel void spills(global const int *a, global int *out)
{
    int i = get_global_id(0);
    uint16 v[14], s = 0;
    for (int k = 0; k < 14; k++)
        v[k] = (uint16)(a[(i + k) % 256]) + (uint16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    uint16 x0 = v[0] * 3, x1 = v[1] * 5, x2 = v[2] * 7, x3 = v[3] * 9, x4 = v[4] ^ 11, x5 = v[5] + 13, x6 = v[6] * 17,
           x7 = v[7] - 19, x8 = v[8] * 23, x9 = v[9] * 29, xa = v[10] * 31, xb = v[11] * 37, xc = v[12] ^ 41, xd = v[13];
    s = mix(x0, x1);
    s += mix(x1, s) ^ x2;
    s += mix(s, x3) + x4 * x5 + x6 * x7 + x8 * x9 + xa * xb + xc * xd + x0 + x1;
    uint8 h = s.lo ^ s.hi;
    uint4 q = h.lo + h.hi * 7;
    out[i] += q.x + q.y * 3 + q.z * 5 + q.w * 7;
}
