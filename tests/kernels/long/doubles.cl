// Arithmetic in double: conversions, comparisons, functions whose results are exact.
// data: a float[256] random -1000 1000
// data: o ulong[4096] zero
// run: arithmetic 256/64 a o
// gives: a=92c590d93b050847 o=3b0e008a97ad7995
// data: a long[128] random
// data: o ulong[1024] zero
// run: conversions 128/32 a o
// gives: a=3b04918b6a611d9e o=1b5ae60907e04a21
// data: a float[192] random -5 5
// data: o ulong[192] zero
// run: threes 64/64 a o
// gives: a=2fea95f5a5b032eb o=3601c2844b2d3189
// data: a float[1024] random -10 10
// data: o ulong[16] zero
// run: reduce 256/64 a o
// gives: a=d106cc57880a5e98 o=3736055a364b86d8
// data: a float[64] random 0 10
// data: o ulong[64] zero
// run: series 64/16 a o
// gives: a=70d9c48a4b55b86c o=523b1c550187e669
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

kernel void arithmetic(global const float *a, global ulong *o)
{
    size_t i = get_global_id(0);
    double x = a[i] * 1.0000001, y = a[(i + 7) & 255] / 3.0;
    global double *p = (global double *)(o + 16 * i);
    p[0] = x + y;
    p[1] = x - fabs(y);
    p[2] = x * y;
    p[3] = x / y;
    p[4] = sqrt(fabs(x));
    p[5] = fma(x, y, -x);
    p[6] = fma(-x, fabs(y), y);
    p[7] = fmin(x, y);
    p[8] = fmax(-x, fabs(y));
    p[9] = floor(x) + ceil(y) * 1000 + trunc(x) * 1e6;
    p[10] = rint(x) - round(y);
    p[11] = copysign(x, y);
    p[12] = x < y ? x : -y;
    p[13] = fmod(x, 7.0);
    p[14] = ldexp(x, (int)y & 31);
    p[15] = (x == x) + (x != y) * 2 + (x >= y) * 4 + isless(x, y) * 8 + signbit(x) * 16;
}

kernel void conversions(global const long *a, global ulong *o)
{
    size_t i = get_global_id(0);
    long x = a[i];
    double d = (double)x, u = (double)(ulong)x;
    o += 8 * i;
    o[0] = as_ulong(d);
    o[1] = as_ulong(u);
    o[2] = as_ulong((double)(float)x);
    o[3] = (ulong)(long)(d * 0.3);
    o[4] = (ulong)(u * 0.7);
    o[5] = (ulong)(int)(d * 1e-11);
    o[6] = convert_ulong_sat(d) ^ (ulong)convert_long_sat(u * 4);
    o[7] = as_uint((float)(d * 1e-9)) + (ulong)convert_int_rte(d * 1e-12);
}

kernel void threes(global const float *a, global double *o)
{
    size_t i = get_global_id(0);
    double3 v = convert_double3(vload3(i, a));
    vstore3(fabs(v.zxy) - v * 2.5 + dot(v, v.yzx), i, o);
}

kernel void reduce(global const float *a, global double *o)
{
    local double t[64];
    size_t l = get_local_id(0);
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += a[4 * get_global_id(0) + k];
    t[l] = sum;
    for (size_t n = get_local_size(0) / 2; n; n /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            t[l] += t[l + n];
    }
    if (!l)
        o[get_group_id(0)] = t[0];
}

kernel void series(global const float *a, global double *o)
{
    size_t i = get_global_id(0);
    double x = a[i], term = 1, sum = 1;
    for (int k = 1; k < 30; k++) {
        term = term * x / k;
        sum = sum + term;
    }
    o[i] = sum;
}
