// --global 1024 -l 128 -a buffer:f32:8192=random:1 -a buffer:f32:8192 -a 64  out 1
// One radix-4 step of a Fourier transform: vectors of two, twiddle factors by native functions.
float2 times(float2 a, float2 b)
{
    return (float2)(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
kernel void fft(global const float2 *in, global float2 *out, uint p)
{
    uint i = get_global_id(0), step = get_global_size(0), k = i & (p - 1), j = ((i - k) << 2) + k;
    float angle = -1.5707963f * (float)k / (float)p;
    float2 w = (float2)(native_cos(angle), native_sin(angle)), w2 = times(w, w), w3 = times(w2, w);
    float2 a = in[i], b = times(w, in[i + step]), c = times(w2, in[i + 2 * step]), d = times(w3, in[i + 3 * step]);
    float2 s = a + c, t = a - c, u = b + d, v = (float2)(b.y - d.y, d.x - b.x);
    out[j] = s + u;
    out[j + p] = t + v;
    out[j + 2 * p] = s - u;
    out[j + 3 * p] = t - v;
}
