//! buffer in uint 65536 below 2000000000
//! buffer out uint 65536 zero
//! launch block_sort 16384 / 256 : in out
// four elements per item, counters of sixteen digits per item in local memory
kernel void block_sort(global const uint4 *in, global uint *out)
{
    local ushort count[16 * 256];
    local uint total[16], keys[1024];
    int lid = get_local_id(0), base = get_group_id(0) * 256;
    uint4 k = in[base + lid];
    uint key[4] = {k.x, k.y, k.z, k.w};
    for (int shift = 0; shift < 8; shift += 4) {
        for (int d = 0; d < 16; d++)
            count[d * 256 + lid] = 0;
        for (int j = 0; j < 4; j++)
            count[(key[j] >> shift & 15) * 256 + lid]++;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < 16) {
            uint sum = 0;
            for (int i = 0; i < 256; i++) {
                uint c = count[lid * 256 + i];
                count[lid * 256 + i] = sum;
                sum += c;
            }
            total[lid] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid == 0) {
            uint sum = 0;
            for (int d = 0; d < 16; d++) {
                uint c = total[d];
                total[d] = sum;
                sum += c;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 4; j++) {
            int d = key[j] >> shift & 15;
            keys[total[d] + count[d * 256 + lid]++] = key[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 4; j++)
            key[j] = keys[4 * lid + j];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = 0; j < 4; j++)
        out[4 * (base + lid) + j] = key[j];
}
