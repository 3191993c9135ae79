// --global 1024 -l 256 -a buffer:u8:8192=random:1 -a buffer:u32:256 -a 8192  out 1
// Bytes counted in local memory, then added to the global table.
kernel void histogram(global const uchar *data, global uint *bins, uint n)
{
    local uint counts[256];
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
        atomic_add(&bins[i], counts[i]);
}
