//! buffer data uint 65536 below 2000000000
//! buffer out uint 4096 zero
//! launch histogram 4096 / 64 : out data 16
// byte counters of each item, in local memory
kernel void histogram(global uint *out, global const uint *data, uint n)
{
    local uchar h[64 * 64];
    uint lid = get_local_id(0);
    for (int i = 0; i < 16; i++)
        ((local uint *)h)[lid + i * 64] = 0;
    uint pos = (lid & ~63u) | ((lid & 15) << 2) | ((lid >> 4) & 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < n; i++) {
        uint d = data[(get_group_id(0) * n + i) * 64 + lid];
        h[pos + ((d >> 2) & 63) * 64]++;
        h[pos + ((d >> 10) & 63) * 64]++;
        h[pos + ((d >> 18) & 63) * 64]++;
        h[pos + ((d >> 26) & 63) * 64]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint i = 0, at = 4 * (lid & 15); i < 64; i++, at = (at + 1) & 63)
        sum += h[lid * 64 + at];
    out[get_group_id(0) * 64 + lid] = sum;
}
