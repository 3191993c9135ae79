// Sines of large numbers: no longer accurate, but what a sine can be; no sine of infinity.
//
// data: x float[16] list 65536,65537,-70000,1e6,-1e6,1.5e7,4194304,-8388609,1e9,-1e10,1e15,3e20,-1e30,2.5e38,3.4e38,-3.4e38
// data: out int[64] zero
// run: bounded 16/16 x out
// gives: x=29c4b45b33c346b5 out=44e7f498a6932525

kernel void bounded(global const float *x, global int *out)
{
    int i = get_global_id(0);
    float a = x[i];
    out[4 * i] = fabs(half_sin(a)) <= 1.001f && fabs(half_cos(a)) <= 1.001f;
    out[4 * i + 1] = !isnan(half_tan(a));
    out[4 * i + 2] = all(fabs(half_sin((float4)(a, -a, a / 1.5f, a / 3))) <= 1.001f);
    out[4 * i + 3] = isnan(half_sin(a * INFINITY)) && isnan(half_cos(NAN));
}
