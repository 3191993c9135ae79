/* Math functions next to the native ones, for relaxed.py: on a float, the others on a vector of three. */
#define F1(M) M(sin) M(cos) M(tan) M(exp) M(exp2) M(exp10) M(log) M(log2) M(log10) M(sqrt) M(rsqrt)
#define ROW1(f)                                                                                                            \
    out[n++] = f(x);                                                                                                       \
    out[n++] = native_##f(x);                                                                                              \
    out[n++] = f((float3)(1.0f, x, 2.0f)).y;                                                                               \
    out[n++] = native_##f((float3)(x)).z;
#define COUNT (4 * 12)

kernel void math(global const float *in, global float *out)
{
    int i = get_global_id(0), n = COUNT * i;
    float x = in[2 * i], y = in[2 * i + 1];
    F1(ROW1)
    out[n++] = powr(x, y);
    out[n++] = native_powr(x, y);
    out[n++] = powr((float2)(x), (float2)(y)).y;
    out[n++] = native_powr((float2)(x), (float2)(y)).x;
}

kernel void power(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float x = in[2 * i] * (i & 1 ? -1.0f : 1.0f), y = in[2 * i + 1];
    out[i] = pow(x, i & 1 ? (float)(int)y : y);
}
