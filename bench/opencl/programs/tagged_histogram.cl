//! buffer data uint 65536 below 2000000000
//! buffer out uint 8192 zero
//! launch count 4096 / 128 : data out 65536
// counters of 256 values, one table for each 32 work-items, which are told apart by a tag in the counter
kernel void count(global const uint *data, global uint *out, uint n)
{
    local uint table[4 * 256];
    uint l = get_local_id(0), tag = l << 27;
    volatile local uint *own = table + (l >> 5) * 256;
    for (uint i = l; i < 1024; i += 128)
        table[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0)) {
        uint word = data[i];
        for (uint k = 0; k < 32; k += 8) {
            uint at = word >> k & 255, count;
            do {
                count = tag | ((own[at] & 0x7ffffff) + 1);
                own[at] = count;
            } while (own[at] != count);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = l; i < 256; i += 128) {
        uint sum = 0;
        for (uint k = 0; k < 4; k++)
            sum += table[k * 256 + i] & 0x7ffffff;
        out[get_group_id(0) * 256 + i] = sum;
    }
}
