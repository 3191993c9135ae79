//! buffer keys uint 65536 below 1000000
//! buffer out uint 65536 zero
//! launch group_by 65536 / 256 : keys out
// open addressing in local memory by compare-and-swap
kernel void group_by(global const uint *keys, global uint *out)
{
    local uint table[512], counts[512];
    int lid = get_local_id(0);
    for (int i = lid; i < 512; i += 256)
        table[i] = 0xffffffff, counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint k = keys[get_global_id(0)] % 300, h = k * 2654435761u >> 23;
    for (;;) {
        uint old = atomic_cmpxchg(&table[h], 0xffffffff, k);
        if (old == 0xffffffff || old == k)
            break;
        h = (h + 1) & 511;
    }
    atomic_inc(&counts[h]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = counts[h];
}
