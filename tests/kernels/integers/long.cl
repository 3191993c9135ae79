// 64-bit integers: every operator on values that carry, borrow and overflow the halves.
//
// data: a long[256] random
// data: b long[256] random
// data: out long[2048] zero
// run: arithmetic 256/64 a b out
// gives: a=00ca058e277c2749 b=6150fb29c2a13f25 out=9d9407fa95b02719
// data: a ulong[256] random
// data: b ulong[256] random
// data: out ulong[2048] zero
// run: unsigned_arithmetic 256/64 a b out
// gives: a=00ca058e277c2749 b=6150fb29c2a13f25 out=318ee37266abb18c
// data: a long[128] random -5 5
// data: b long[128] random -5 5
// data: out int[1280] zero
// run: compares 128/32 a b out
// gives: a=cc4965ac29021b69 b=13aab043fb5c7aca out=047da1837b491540
// data: a long[192] random
// data: out long[1344] zero
// run: shifts 192/64 a out
// gives: a=5fdbba38b99137a3 out=2fb44a51bff6dde1
// data: a long[64] list 0,1,-1,0x7fffffff,0x80000000,0xffffffff,0x100000000,0x7fffffffffffffff,0x8000000000000000,-2,3,10,100,1000,0xffffffff00000000,0xffffffff00000001,2,5,7,9,11,13,15,17,19,21,23,25,27,29,31,33,-3,-5,-7,-9,-10,-100,-1000,-10000,0x8000000000000001,0x4000000000000000,0xc000000000000000,0x123456789abcdef,0xfedcba9876543210,0x5555555555555555,0xaaaaaaaaaaaaaaaa,0xff,0xffff,0x10000,0xffffff,0x1000000,0x10000000000,0x1000000000000,0xff00ff00ff00ff00,0x00ff00ff00ff00ff,6,12,24,48,96,192,384,768
// data: out long[16384] zero
// run: divide_edges 64x64/64x1 a out
// gives: a=0f6712b62ee6ea3f out=83b28955b9f8ad88
// data: a long[128] random
// data: out long[128] zero
// run: power 128/64 a out
// gives: a=3b04918b6a611d9e out=b526a855da319b1a
// data: a ulong[128] random
// data: out ulong[512] zero
// run: built_ins 128/64 a out
// gives: a=3b04918b6a611d9e out=eb4e3047c676d12b
// data: a ulong[128] random 1 100000
// data: b ulong[128] random 1 100000
// data: out ulong[128] zero
// run: gcd 128/32 a b out
// gives: a=6f1aa370b05b8937 b=e4df634f29d2d8b8 out=cfcd76ecef961084
// data: out ulong[64] zero
// run: uniform 64/32 out ulong:0x123456789abcdef0 long:-987654321987
// gives: out=c28d15d762fdaba5

kernel void arithmetic(global const long *a, global const long *b, global long *out)
{
    int i = get_global_id(0);
    long x = a[i], y = b[i];
    global long *o = out + i * 8;
    o[0] = (long)((ulong)x + (ulong)y);
    o[1] = (long)((ulong)x - (ulong)y);
    o[2] = (long)((ulong)x * (ulong)y);
    o[3] = x / (y | 1);
    o[4] = x % (y | 1);
    o[5] = x / ((y >> 40) | 1);
    o[6] = (x >> 33) / ((y >> 50) | 1);
    o[7] = -(x >> 1) ^ ~y;
}

kernel void unsigned_arithmetic(global const ulong *a, global const ulong *b, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = a[i], y = b[i];
    global ulong *o = out + i * 8;
    o[0] = x / (y | 1);
    o[1] = x % (y | 1);
    o[2] = x / ((y >> 33) | 1);
    o[3] = x % ((y >> 45) | 1);
    o[4] = x / 10;
    o[5] = x % 1000000007;
    o[6] = x / 0x123456789ul;
    o[7] = (x & 0xffffffff) * (y & 0xffffffff);
}

kernel void compares(global const long *a, global const long *b, global int *out)
{
    int i = get_global_id(0);
    long x = a[i] << 31, y = b[i] << 31;
    ulong u = (ulong)x, v = (ulong)y;
    global int *o = out + i * 10;
    o[0] = x < y;
    o[1] = x <= y;
    o[2] = x > y;
    o[3] = x >= y;
    o[4] = x == y;
    o[5] = u < v;
    o[6] = u >= v;
    o[7] = x ? (x < 0 ? -1 : 1) : 0;
    o[8] = u > 0x7fffffff ? u > 0xffffffff ? 2 : 1 : 0;
    o[9] = (x && y) + 2 * (x || y) + 4 * !x;
}

kernel void shifts(global const long *a, global long *out)
{
    int i = get_global_id(0), n = i & 63;
    long x = a[i];
    global long *o = out + i * 7;
    o[0] = (long)((ulong)x << n);
    o[1] = x >> n;
    o[2] = (long)((ulong)x >> n);
    o[3] = (long)((ulong)x << 32) ^ x >> 32;
    o[4] = (long)((ulong)x << 7 | (ulong)x >> 57);
    o[5] = x >> 63;
    o[6] = (long)((ulong)x << n | (ulong)x >> (64 - n & 63));
}

kernel void divide_edges(global const long *a, global long *out)
{
    int i = get_global_id(0), j = get_global_id(1);
    long x = a[i], y = a[j];
    bool safe = y != 0 && !(y == -1 && x == LONG_MIN);
    global long *o = out + (j * 64 + i) * 4;
    o[0] = safe ? x / y : 0;
    o[1] = safe ? x % y : 0;
    o[2] = y ? (long)((ulong)x / (ulong)y) : 0;
    o[3] = y ? (long)((ulong)x % (ulong)y) : 0;
}

kernel void power(global const long *a, global long *out)
{
    int i = get_global_id(0);
    ulong base = (ulong)a[i], result = 1;
    for (uint e = i; e; e >>= 1) {
        if (e & 1)
            result *= base;
        base *= base;
    }
    out[i] = (long)result;
}

kernel void built_ins(global const ulong *a, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = a[i], y = a[127 - i];
    out[i * 4] = mul_hi(x, y) ^ (ulong)mul_hi((long)x, (long)y);
    out[i * 4 + 1] = rotate(x, y) + popcount(x) + clz(y >> (x & 63));
    out[i * 4 + 2] = add_sat(x, y) ^ (ulong)sub_sat((long)x, (long)y) ^ abs_diff((long)x, (long)y);
    out[i * 4 + 3] = hadd(x, y) + mad_hi(x, y, x) + max(x, y) - min((long)x, (long)y);
}

kernel void gcd(global const ulong *a, global const ulong *b, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = a[i] * a[(i + 1) & 127], y = b[i] * a[(i + 1) & 127];
    while (y) {
        ulong t = x % y;
        x = y;
        y = t;
    }
    out[i] = x;
}

// The same for all lanes until the id comes in.
kernel void uniform(global ulong *out, ulong x, long y)
{
    ulong r = x;
    for (int j = 0; j < 5; j++)
        r = (r ^ r >> 29) * 0xbf58476d1ce4e5b9ul + (ulong)(y >> j) / 3 - x % (r | 1);
    out[get_global_id(0)] = y < 0 ? r + get_global_id(0) : r;
}
