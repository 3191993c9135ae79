//! buffer x float 4096 noise
//! buffer h float 8192 noise
//! buffer c float 8192 noise
//! buffer w float 98304 noise
//! buffer out float 8192 zero
//! launch cell 128 64 / 16 16 : x h c w out
// four gates of 128 units for 64 samples
kernel void cell(global const float *x, global const float *h, global float *c, global const float *w, global float *out)
{
    int u = get_global_id(0), s = get_global_id(1);
    float g[4] = {0, 0, 0, 0};
    for (int k = 0; k < 64; k++)
        for (int q = 0; q < 4; q++)
            g[q] += w[(q * 192 + k) * 128 + u] * x[s * 64 + k];
    for (int k = 0; k < 128; k++)
        for (int q = 0; q < 4; q++)
            g[q] += w[(q * 192 + 64 + k) * 128 + u] * h[s * 128 + k];
    float i = 1 / (1 + exp(-g[0])), f = 1 / (1 + exp(-g[1])), o = 1 / (1 + exp(-g[2])), n = c[s * 128 + u] * f + i * tanh(g[3]);
    c[s * 128 + u] = n;
    out[s * 128 + u] = o * tanh(n);
}
