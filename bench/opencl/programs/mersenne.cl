//! buffer par uint 16384 below 2000000000
//! buffer out float 131072 zero
//! launch twister 4096 / 128 : out par 32
//! launch boxmuller 4096 / 128 : out 32
typedef struct { uint matrix, mask_b, mask_c, seed; } p;
kernel void twister(global float *out, global const p *par, int n)
{
    int gid = get_global_id(0), many = get_global_size(0), i = 0, j, k;
    uint mt[19];
    p s = par[gid];
    mt[0] = s.seed;
    for (int t = 1; t < 19; t++)
        mt[t] = 1812433253u * (mt[t - 1] ^ (mt[t - 1] >> 30)) + t;
    uint last = mt[0];
    for (int o = 0; o < n; o++) {
        j = i + 1, k = i + 9;
        if (j >= 19)
            j -= 19;
        if (k >= 19)
            k -= 19;
        uint next = mt[j], far = mt[k];
        uint x = (last & 0xffffffeu) | (next & 1);
        x = far ^ (x >> 1) ^ ((x & 1) ? s.matrix : 0);
        last = next;
        mt[i] = x, i = j;
        x ^= x >> 12, x ^= (x << 7) & s.mask_b, x ^= (x << 15) & s.mask_c, x ^= x >> 18;
        out[gid + o * many] = ((float)x + 1.0f) / 4294967296.0f;
    }
}
kernel void boxmuller(global float *out, int n)
{
    int gid = get_global_id(0), many = get_global_size(0);
    for (int o = 0; o < n; o += 2) {
        float u = out[gid + o * many], v = out[gid + (o + 1) * many], r = sqrt(-2.0f * log(u)), phi = 6.2831853f * v;
        out[gid + o * many] = r * cos(phi), out[gid + (o + 1) * many] = r * sin(phi);
    }
}
