// Vectors: of three, with indices that are not known, parts as places, pointers into them.
//
// data: in int[512] random -1000 1000
// data: f float[512] random -100 100
// data: out int[256] zero
// data: g float[512] zero
// run: threes 128/32 in out f g
// run: indexed 256/64 in out
// run: parts 256/64 in out f g
// run: pointers 128/32 in out
// run: wide 32/32 in out
// run: bytes 256/64 in out
// run: longs 128/32 in out
// gives: in=9d75af020c0ca86f f=cbaa3ae8e0d4e223 out=4248d04fd0741230 g=17a3e25d0d64cd25

kernel void threes(global const int *in, global int *out, global const float *f, global float *g)
{
    int i = get_global_id(0);
    int3 a = vload3(i, in), b = (int3)(i, 2, 3);
    float3 x = vload3(i, f), y[2];
    y[i & 1] = x * 2.0f;
    y[1 - (i & 1)] = x.zxy;
    short3 s = convert_short3(a);
    uchar3 c = convert_uchar3_sat(a);
    a = a > b ? a : b;
    vstore3(y[0] - y[1], i, g);
    out[i] += a.x + a.y * 3 + a.z * 5 + s.z + c.x + (int)sizeof(int3) + (int)sizeof(char3);
}

kernel void indexed(global const int *in, global int *out)
{
    int i = get_global_id(0), n = in[i] & 3, m = in[i + 1] & 7;
    int4 v = vload4(i & 63, in);
    long8 w = convert_long8(vload8(i & 31, in));
    char16 c = convert_char16(vload16(i & 15, in));
    int *p = (int *)&v;
    p[n] = p[(n + 1) & 3] * 2;
    ((long *)&w)[m] <<= 33;
    ((char *)&c)[in[i + 2] & 15] = 'x';
    union { float4 v; float e[4]; } u = {.v = convert_float4(v)};
    u.e[n] += 0.5f;
    out[i] += v.s0 + v.s1 + ((int *)&v)[m & 3] + (int)(w[m] >> 31) + c[m] + (int)(u.e[n] * 2 + u.v.w);
}

kernel void parts(global const int *in, global int *out, global const float *f, global float *g)
{
    int i = get_global_id(0);
    float8 v = vload8(i & 63, f);
    v.s07 = v.s70;
    v.lo.odd += 1.0f;
    v.hi.even *= v.s3;
    v.s1 = -v.s1;
    int4 a = vload4(i & 127, in);
    a.xw = a.yz + (int2)(1, i);
    a.z++;
    a.even = a.odd;
    a ^= (a << 3) + 5;
    float2 lo = v.lo.lo;
    v.s45 = lo.yx;
    vstore2(v.lo.hi + v.hi.lo - v.hi.hi, i, g);
    out[i] += any(a > 5) + all(a != 0) * 2 + a.x + a.y + a.z + a.w + dot(convert_float2(a.xy), (float2)(1, 2)) > 0;
}

kernel void pointers(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int4 v[3];
    for (int k = 0; k < 3; k++)
        v[k] = vload4((i + k) & 127, in);
    int *p = (int *)v, *end = p + 12, sum = 0;
    *(p + (in[i] & 7)) = 77;
    global const int4 *q = (global const int4 *)in + (i & 31);
    for (; p < end; p += 2)
        sum = sum * 5 + *p;
    int2 *h = (int2 *)&v[1];
    h[1] += (int2)(1, 2);
    out[i] += sum + v[1].z + v[1].w + q->y + (*q).w;
}

kernel void wide(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int16 a = vload16(i, in), b = a.sfedcba9876543210;
    a = select(a, b, (a & 1) != 0);
    a = (a.s0123456789abcdef / (b | 1)) + (b % 7) - (a >> 2);
    uint16 u = as_uint16(a) >> 3;
    ulong16 l = convert_ulong16(u) * 0x100000001ul;
    float16 f = convert_float16(a) * 0.25f;
    a += convert_int16_rte(f) + convert_int16_sat(l >> 33);
    int8 h = a.lo + a.hi;
    int4 q = h.lo ^ h.hi;
    out[i] += q.x + q.y * 3 + q.z * 5 + q.w * 7 + (isless(f, (float16)(1.0f)).s7 ? 100 : 0);
}

kernel void bytes(global const int *in, global int *out)
{
    int i = get_global_id(0);
    char4 a = convert_char4(vload4(i & 127, in)), b = a.wzyx;
    uchar4 u = as_uchar4(in[i]);
    short4 s = convert_short4(a) * convert_short4(b);
    a = a * b + (char)3;
    a /= (char4)(3, 5, 7, 11);
    u = u >> (uchar4)(1, 2, 3, 4) | u << (uchar4)(7);
    b = a < b ? (char4)(1) : (char4)(-1);
    out[i] += as_int(a) ^ as_int(u) + as_int(b) + s.x + s.w + as_int2(s).y + as_short2(in[i]).y;
}

kernel void longs(global const int *in, global int *out)
{
    int i = get_global_id(0);
    long4 a = convert_long4(vload4(i, in)) * 0x123456789l, b = a.yxwz;
    ulong2 u = as_ulong2(a.lo) / 1000003ul;
    a = (a / (b | 1l)) + (a % 1000l) - (b >> 7) * (a ^ b);
    a = max(a, b) - min(a, -b);
    a += rotate(b, (long4)(i));
    int4 x = as_int8(a).even ^ as_int8(a).odd;
    out[i] += x.x + x.y + x.z + x.w + (int)u.x + (int)(u.y >> 20) + (int)popcount(a.x) + (int)clz(b.y);
}
