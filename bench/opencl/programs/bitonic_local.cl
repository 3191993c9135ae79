//! buffer in uint 131072 below 1000000
//! buffer out uint 131072 zero
//! launch sort 65536 / 256 : in out
kernel void sort(global const uint *in, global uint *out)
{
    local uint key[512];
    int lid = get_local_id(0), base = get_group_id(0) * 512 + lid;
    key[lid] = in[base];
    key[lid + 256] = in[base + 256];
    for (uint size = 2; size < 512; size <<= 1) {
        uint dir = (lid & (size / 2)) != 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint pos = 2 * lid - (lid & (stride - 1));
            uint a = key[pos], b = key[pos + stride];
            if ((a > b) == dir)
                key[pos] = b, key[pos + stride] = a;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base] = key[lid];
    out[base + 256] = key[lid + 256];
}
