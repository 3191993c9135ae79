// --global 2048 -l 256 -a buffer:u32:4096=random:1 -a buffer:u32:4096 -a local:2048  out 1
// Exclusive prefix sums of blocks of 512 elements, up and down a tree.
kernel void scan(global const uint *in, global uint *out, local uint *s)
{
    uint lane = get_local_id(0), size = 2 * get_local_size(0), base = get_group_id(0) * size, offset = 1;
    s[2 * lane] = in[base + 2 * lane];
    s[2 * lane + 1] = in[base + 2 * lane + 1];
    for (uint d = size >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < d)
            s[offset * (2 * lane + 2) - 1] += s[offset * (2 * lane + 1) - 1];
        offset *= 2;
    }
    if (lane == 0)
        s[size - 1] = 0;
    for (uint d = 1; d < size; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lane < d) {
            uint a = offset * (2 * lane + 1) - 1, b = offset * (2 * lane + 2) - 1, t = s[a];
            s[a] = s[b];
            s[b] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * lane] = s[2 * lane];
    out[base + 2 * lane + 1] = s[2 * lane + 1];
}
