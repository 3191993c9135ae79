// Integers of 64 bits: every operation, mixed widths, indices and sizes.
// data: a long[256] random
// data: b long[256] random
// data: o long[4096] zero
// run: operations 256/64 a b o
// gives: a=00ca058e277c2749 b=6150fb29c2a13f25 o=451dc1fe7e04c903
// data: a ulong[256] random
// data: b ulong[256] random 1 1000000
// data: o ulong[2048] zero
// run: unsigned_operations 256/32 a b o
// gives: a=00ca058e277c2749 b=bed155a31ac70673 o=43db4932d7e14f4d
// data: a long[128] random
// data: o long[1024] zero
// run: shifts 128/32 a o
// gives: a=3b04918b6a611d9e o=e7ae8af5c2815f82
// data: a ulong[64] random
// data: o ulong[256] zero
// run: hashes 64/16 a o
// gives: a=ab2870c14a697fda o=baff3c13efca7281
// data: a long[64] random -1000000000000 1000000000000
// data: o int[512] zero
// run: compares 64/64 a o
// gives: a=a996df57a06431af o=450963511be820de
// data: n ulong[64] random 1 1000000
// data: o ulong[64] zero
// run: collatz 64/16 n o
// run: primes 64/16 n o
// gives: n=1f539b9c414a5979 o=72f103b7d0f087cf
// data: a ulong[32] random
// data: o ulong[128] zero
// run: wide_product 32/32 a o
// gives: a=1facc0f462c6232e o=ff6a9e140abdb5f5
// data: o ulong[64] zero
// run: fibonacci 64/64 o
// gives: o=ce3a132923703637
// data: a long[256] random -100000 100000
// data: o long[64] zero
// run: sums 4/4 a o int:64
// gives: a=011d387359a24931 o=4dfc92646f2a1ca0
// data: a long[66] random
// data: o long[198] zero
// run: vectors 66/33 a o
// gives: a=0247b729d10da05d o=e9b350e005dc1705
// data: a long[64] random
// run: rotations 64/64 a
// gives: a=1e8b485f0a9a7fe4
kernel void operations(global const long *a, global const long *b, global long *o)
{
    size_t i = get_global_id(0);
    long x = a[i], y = b[i];
    o += i * 16;
    o[0] = x + y;
    o[1] = x - y;
    o[2] = x * y;
    o[3] = x / (y | 1);
    o[4] = x % (y | 1);
    o[5] = x & ~y;
    o[6] = x ^ (y << 3);
    o[7] = -x;
    o[8] = x > y ? x : y;
    o[9] = abs(x) >> 1;
    o[10] = mul_hi(x, y);
    o[11] = mad_hi(x, y, x);
    o[12] = add_sat(x, y);
    o[13] = sub_sat(x, y);
    o[14] = hadd(x, y) ^ rhadd(x, y);
    o[15] = (int)x * (long)(int)y + (short)x;
}

kernel void unsigned_operations(global const ulong *a, global const ulong *b, global ulong *o)
{
    size_t i = get_global_id(0);
    ulong x = a[i], y = b[i];
    o += i * 8;
    o[0] = x / y;
    o[1] = x % y;
    o[2] = (uint)x * (ulong)(uint)y;
    o[3] = mul_hi(x, y << 20);
    o[4] = add_sat(x, y << 40) - sub_sat(y, x);
    o[5] = clz(x) * 100 + popcount(x);
    o[6] = abs_diff(x, y << 30);
    o[7] = upsample((uint)(x >> 32), (uint)y) + max(x, y) - min(x, y);
}

kernel void shifts(global const long *a, global long *o)
{
    size_t i = get_global_id(0);
    long x = a[i];
    uint n = (uint)(i & 63);
    o += i * 8;
    o[0] = x << n;
    o[1] = x >> n;
    o[2] = (long)((ulong)x >> n);
    o[3] = x << (n & 31) >> (n & 15);
    o[4] = 1l << n;
    o[5] = (x >> 33) + ((ulong)x >> 33);
    o[6] = (x << 5) - x;
    o[7] = rotate(x, (long)n);
}

ulong mix(ulong h)
{
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdul;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53ul;
    return h ^ h >> 33;
}

kernel void hashes(global const ulong *a, global ulong *o)
{
    size_t i = get_global_id(0);
    ulong h = 14695981039346656037ul, s0 = a[i], s1 = ~a[i] | 1;
    for (int k = 0; k < 8; k++)
        h = (h ^ (a[i] >> 8 * k & 255)) * 1099511628211ul;
    o[4 * i] = h;
    o[4 * i + 1] = mix(a[i]);
    for (int k = 0; k < 10; k++) {
        ulong t = s0;
        s0 = s1;
        t ^= t << 23;
        s1 = t ^ s0 ^ t >> 17 ^ s0 >> 26;
    }
    o[4 * i + 2] = s0 + s1;
    ulong z = a[i] + 0x9e3779b97f4a7c15ul;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ul;
    o[4 * i + 3] = z ^ z >> 31;
}

kernel void compares(global const long *a, global int *o)
{
    size_t i = get_global_id(0);
    long x = a[i], y = a[(i + 1) % get_global_size(0)];
    o += 8 * i;
    o[0] = x < y;
    o[1] = (ulong)x < (ulong)y;
    o[2] = x == y || x >= 0;
    o[3] = x != (int)x;
    o[4] = x > 0xffffffffl;
    o[5] = (x < y) + (x <= y) * 2 + (x > y) * 4;
    o[6] = (int)(x >> 32) < (int)y;
    o[7] = x < y ? (int)x : (int)(y >> 8);
}

kernel void collatz(global const ulong *n, global ulong *o)
{
    size_t i = get_global_id(0);
    ulong x = n[i], steps = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        steps++;
    }
    o[i] = steps;
}

kernel void primes(global const ulong *n, global ulong *o)
{
    size_t i = get_global_id(0);
    ulong x = n[i] + 4294967296ul, d = 2;
    for (; d < 1000 && x % d; d++)
        ;
    o[i] = o[i] * 100000 + d;
}

kernel void wide_product(global const ulong *a, global ulong *o)
{
    size_t i = get_global_id(0), n = get_global_size(0);
    ulong x = a[i], y = a[n - 1 - i], low = 0, high = 0;
    for (int k = 0; k < 4; k++) {
        ulong p = x * (y >> 16 * k & 0xffff), q = mul_hi(x, y >> 16 * k & 0xffff);
        ulong s = k ? p << 16 * k : p, t = k ? (q << 16 * k | p >> (64 - 16 * k)) : q;
        high += t + (low + s < low);
        low += s;
    }
    o[4 * i] = low;
    o[4 * i + 1] = high;
    o[4 * i + 2] = x * y;
    o[4 * i + 3] = mul_hi(x, y);
}

kernel void fibonacci(global ulong *o)
{
    ulong a = 0, b = 1;
    for (size_t k = 0; k < get_global_id(0); k++) {
        ulong c = a + b;
        a = b;
        b = c;
    }
    o[get_global_id(0)] = a;
}

kernel void sums(global const long *a, global long *o, int n)
{
    size_t i = get_global_id(0);
    long sum = 0, product = 1, lowest = LONG_MAX, highest = LONG_MIN;
    for (int k = 0; k < n; k++) {
        long x = a[i * n + k];
        sum += x * x;
        product = product * (x | 1) + k;
        lowest = min(lowest, x);
        highest = max(highest, x);
    }
    o[16 * i] = sum;
    o[16 * i + 1] = product;
    o[16 * i + 2] = lowest;
    o[16 * i + 3] = highest;
}

kernel void vectors(global const long *a, global long *o)
{
    size_t i = get_global_id(0);
    long3 v = (long3)(a[i], i, -a[i]);
    v = v * 3l + (v >> 2) - (v.zyx & 0xffl);
    v = select(v, v.yzx, v > v.zxy);
    vstore3(v, i, o);
}

kernel void rotations(global long *a)
{
    size_t i = get_global_id(0);
    a[i] = rotate(a[i], 40l) ^ as_long(as_int2(a[i]).yx) ^ (long)as_char8(a[i]).s7;
}
