//! buffer in float 65536 positive
//! buffer out float 65536 zero
//! launch integrate 65536 / 128 : in out
float __attribute__((noinline)) f(float x, int k) { return k & 1 ? exp(-x) * (1 + x * k) : sqrt(x + k) - x; }
float __attribute__((noinline)) simpson(float a, float b, int k) { return (b - a) / 6 * (f(a, k) + 4 * f((a + b) / 2, k) + f(b, k)); }
kernel void integrate(global const float *in, global float *out)
{
    int i = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < 4; k++)
        sum += simpson(0, in[i], k) + simpson(in[i], 2, i & 3);
    out[i] = sum;
}
