//! buffer a float 131072 noise
//! buffer b float 131072 zero
//! loop 8
//! launch fft 32768 / 64 : a b 1
//! launch fft 32768 / 64 : b a 256
// Stockham, one step per launch
kernel void fft(global const float2 *in, global float2 *out, uint p)
{
    uint i = get_global_id(0), t = get_global_size(0), k = i & (p - 1);
    float2 u0 = in[i], u1 = in[i + t];
    float a = -3.14159265f * k / p, s = native_sin(a), c = native_cos(a);
    float2 v = (float2)(c * u1.x - s * u1.y, c * u1.y + s * u1.x);
    uint j = ((i - k) << 1) + k;
    out[j] = (u0 + v) * 0.7f;
    out[j + p] = (u0 - v) * 0.7f;
}
