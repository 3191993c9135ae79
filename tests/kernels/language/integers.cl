// Integers of all sizes: promotions, shifts by too much, rotations, saturation, products of halves, wide constants.
//
// data: in int[256] random
// data: out int[256] zero
// data: l long[256] random
// data: r long[256] zero
// run: narrow 256/64 in out
// run: shifts 256/64 in out l r
// run: wide 256/64 in l r
// run: bits 256/64 in out l r
// run: halves 256/64 in out l r
// run: saturated 256/64 in out l r
// run: sizes 1/1 out
// gives: in=dccef8978b21416c out=b227905bdb2f0f67 l=8d30e29d7b2d50f1 r=f58d64d3356b2008

kernel void narrow(global const int *in, global int *out)
{
    int i = get_global_id(0);
    char c = (char)in[i];
    uchar u = (uchar)(in[i] >> 8);
    short s = (short)(in[i] >> 3);
    ushort w = (ushort)in[i];
    bool b = in[i] & 64;
    c += u;
    u <<= 3;
    s = (short)(s * w);
    w = (ushort)(-w >> 2);
    c = c / 3 - c % 5;
    u = (uchar)(u / 7 + (u >> 4)), s >>= 2, b = b ^ (c > u);
    out[i] += c + u * 3 + s * 5 + w * 7 + b + (c < s) + ((uint)c > w) + (char)(c << 4) + (uchar)-u + -s + ~w + !c;
}

kernel void shifts(global const int *in, global int *out, global const long *l, global long *r)
{
    int i = get_global_id(0), n = in[i] & 127;
    uint u = (uint)in[i];
    char c = (char)in[i];
    int a = in[i] << n, b = in[i] >> n, d = (int)(u >> n), e = c << (n & 31);
    long x = l[i] << n, y = l[i] >> n;
    ulong z = (ulong)l[i] >> n;
    uint4 v = (uint4)(u) >> (uint4)(n, 33, 40, 65);
    r[i] += x ^ y ^ (long)z;
    out[i] += a ^ b ^ d ^ e ^ (int)(v.x + v.y * 3 + v.z * 5 + v.w * 7);
}

kernel void wide(global const int *in, global const long *l, global long *r)
{
    int i = get_global_id(0);
    long a = l[i], b = l[(i + 1) & 255], d = in[i] | 1;
    ulong u = (ulong)a, v = (ulong)b | 1;
    long sum = a + b - (a ^ ~b) + a * b;
    sum += a / d + a % d + (long)(u / v) + (long)(u % v) + (long)(u / 10) + a / -7 + (long)(u % 1000000007);
    sum += (a < b) + (u > v) * 2 + (a == b) * 4 + (a >= d) * 8 + (u <= 5) * 16;
    sum += in[i] * (long)in[(i + 3) & 255] + (long)((uint)in[i] * (ulong)(uint)in[(i + 5) & 255]);
    sum ^= a > 0 ? -a : a & 0x7fffffffffffl;
    float f = (float)a, g = (float)u;
    sum += (long)(f * 0.25f) + (long)(ulong)(g * 0.125f) + (int)(a >> 40) + (char)a + (ushort)b;
    r[i] += sum;
}

kernel void bits(global const int *in, global int *out, global const long *l, global long *r)
{
    int i = get_global_id(0);
    char c = (char)in[i];
    ushort s = (ushort)in[i];
    uint u = (uint)in[i] >> (i & 31);
    ulong w = (ulong)l[i] >> (i & 63);
    out[i] += popcount(c) + popcount(s) * 3 + popcount(u) * 5 + clz(c) * 7 + clz(s) * 11 + clz(u) * 13 + (int)clz(w) * 17 +
              (int)popcount(w) * 19 + rotate(c, (char)(i & 7)) + rotate(s, (ushort)i) + (int)rotate(u, (uint)i);
    r[i] += (long)rotate(w, (ulong)i) + (u & -u) + (long)(w & (w - 1));
}

kernel void halves(global const int *in, global int *out, global const long *l, global long *r)
{
    int i = get_global_id(0), a = in[i], b = in[(i + 1) & 255], c = in[(i + 2) & 255];
    out[i] += mul_hi(a, b) + (int)mul_hi((uint)a, (uint)b) + mad_hi(a, b, c) + mul24(a >> 9, b >> 9) + mad24(a >> 10, b >> 10, c) +
              hadd(a, b) + rhadd(a, b) + (int)hadd((uint)a, (uint)b) + mul_hi((short)a, (short)b) + mul_hi((uchar)a, (uchar)b) +
              (int)upsample((short)a, (ushort)b) + (int)abs_diff(a, b) + (int)abs(c) + abs((char)a) + abs_diff((char)a, (char)b);
    long x = l[i], y = l[(i + 1) & 255];
    r[i] += mul_hi(x, y) + (long)mul_hi((ulong)x, (ulong)y) + hadd(x, y) + rhadd(x, y) + (long)upsample(a, (uint)b) +
            (long)abs_diff(x, y) + (long)abs(x);
}

kernel void saturated(global const int *in, global int *out, global const long *l, global long *r)
{
    int i = get_global_id(0), a = in[i], b = in[(i + 1) & 255];
    char c = (char)a, d = (char)b;
    ushort s = (ushort)a, t = (ushort)b;
    out[i] += add_sat(a, b) ^ sub_sat(a, b) ^ (int)add_sat((uint)a, (uint)b) ^ (int)sub_sat((uint)a, (uint)b);
    out[i] += add_sat(c, d) + sub_sat(c, d) * 3 + add_sat(s, t) + sub_sat(s, t) + add_sat((uchar)c, (uchar)d) * 5 +
              sub_sat((short)s, (short)t) + mad_sat(a, b, 7) + mad_sat(c, d, (char)1) + convert_char_sat(a >> 20) +
              convert_ushort_sat(a >> 12) + convert_uint_sat(l[i] >> 30) + convert_int_sat(l[i] >> 31);
    long x = l[i], y = l[(i + 1) & 255];
    r[i] += add_sat(x, y) ^ sub_sat(x, y) ^ (long)add_sat((ulong)x, (ulong)y) ^ (long)sub_sat((ulong)x, (ulong)y);
    r[i] += mad_sat(x, y, 5l) + clamp(x, -1000l, 1000l) + max(x, y) - min((ulong)x, (ulong)y);
}

enum { RED = 5, GREEN, BLUE = -3, LARGE = 0x7fffffff };
kernel void sizes(global int *out)
{
    out[0] += sizeof(char) + sizeof(short3) * 2 + sizeof(int) * 3 + sizeof(long) * 5 + sizeof(float16) * 7 + sizeof(bool) * 11 +
              sizeof(half) * 13 + sizeof(int[7]) + vec_step(int3) + vec_step(float8);
    out[1] += RED + GREEN * 10 + BLUE * 100 + (LARGE >> 20) + (int)'a' + (int)0x80000000u + 077 + INT_MIN + CHAR_BIT + (int)(LONG_MAX >> 40);
    out[2] += (int)(1.5f + 2.25) + as_int(0.1f) + as_int((float)(1.0 / 3.0)) + as_int(M_PI_F) + as_int(FLT_EPSILON) + as_int(MAXFLOAT);
}
