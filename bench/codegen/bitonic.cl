// --global 512 -l 128 -a buffer:u32:1024=random:1 -a local:1024  out 0
// Blocks of 256 numbers sorted by a bitonic network in local memory.
kernel void bitonic(global uint *data, local uint *s)
{
    uint lane = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * size * 2;
    s[lane] = data[base + lane];
    s[lane + size] = data[base + lane + size];
    for (uint k = 2; k <= 2 * size; k *= 2)
        for (uint j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint a = 2 * lane - (lane & (j - 1)), b = a + j, x = s[a], y = s[b];
            if ((x > y) == ((a & k) == 0)) {
                s[a] = y;
                s[b] = x;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + lane] = s[lane];
    data[base + lane + size] = s[lane + size];
}
