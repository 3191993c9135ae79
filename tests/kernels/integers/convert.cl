// Conversions between all integer types and float, and the reinterpretations.
//
// data: a long[128] random
// data: out long[1024] zero
// run: through 128/64 a out
// gives: a=3b04918b6a611d9e out=d298ee993d226524
// data: a float[128] random -70000 70000
// data: out int[768] zero
// run: from_float 128/64 a out
// gives: a=7416dce5cfaed3de out=5237daaa7d54d62b
// data: a int[128] random
// data: b long[128] random
// data: out float[768] zero
// run: to_float 128/64 a b out
// gives: a=c834b9b799da80aa b=a3861277fbb4748d out=31a2fb588b5f1a4f
// data: a float[128] random -300 300
// data: out int[640] zero
// run: rounded 128/64 a out
// gives: a=05802f1a6122ee30 out=f6eb26b4c7d7eaba
// data: a uint[256] random
// data: out uint[256] zero
// run: reinterpreted 256/64 a out
// gives: a=dccef8978b21416c out=5b73c62aadc45f96

kernel void through(global const long *a, global long *out)
{
    int i = get_global_id(0);
    long x = a[i];
    global long *o = out + i * 8;
    o[0] = (char)x;
    o[1] = (uchar)x;
    o[2] = (short)x;
    o[3] = (ushort)x;
    o[4] = (int)x;
    o[5] = (uint)x;
    o[6] = convert_char_sat(x >> (i & 63)) + 256 * convert_ushort_sat(x >> (i & 63));
    o[7] = (long)convert_uint_sat(x) + convert_int_sat((ulong)x);
}

kernel void from_float(global const float *a, global int *out)
{
    int i = get_global_id(0);
    float x = a[i];
    global int *o = out + i * 6;
    o[0] = (int)x;
    o[1] = convert_char_sat(x);
    o[2] = convert_ushort_sat(x);
    o[3] = (int)((long)(x * 100000) >> 5);
    o[4] = (int)(uint)fabs(x);
    o[5] = convert_short_sat_rte(x) ^ convert_uchar_sat_rtp(x / 256);
}

kernel void to_float(global const int *a, global const long *b, global float *out)
{
    int i = get_global_id(0);
    global float *o = out + i * 6;
    o[0] = (float)a[i];
    o[1] = (float)(uint)a[i];
    o[2] = (float)b[i];
    o[3] = (float)(ulong)b[i];
    o[4] = convert_float_rtz(b[i]) + convert_float_rtp(a[i]);
    o[5] = (float)(char)a[i] + (float)(ushort)a[i];
}

kernel void rounded(global const float *a, global int *out)
{
    int i = get_global_id(0);
    float x = floor(a[i]) / 2;
    global int *o = out + i * 5;
    o[0] = convert_int_rte(x);
    o[1] = convert_int_rtz(x);
    o[2] = convert_int_rtp(x);
    o[3] = convert_int_rtn(x);
    o[4] = (int)(rint(x) + floor(x) + ceil(x) + trunc(x) + round(x));
}

kernel void reinterpreted(global const uint *a, global uint *out)
{
    int i = get_global_id(0);
    uint x = a[i] & 0x7f7fffff;
    float f = as_float(x);
    uchar4 c = as_uchar4(x);
    short2 s = as_short2(x);
    out[i] = as_uint(c.wzyx) ^ as_uint(s.yx) ^ as_uint(-f) ^ (uint)(f > 1);
}
