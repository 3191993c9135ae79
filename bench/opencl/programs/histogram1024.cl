//! buffer in float 262144 rising
//! buffer out uint 24576 zero
//! launch histogram 6144 / 96 : in out 262144 1.0
kernel void histogram(global const float *in, global uint *out, int n, float scale)
{
    local uint counts[1024];
    for (int i = get_local_id(0); i < 1024; i += get_local_size(0))
        counts[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_add(&counts[convert_uint(in[i] * scale * 1023.0f) & 1023], 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_local_id(0); i < 1024; i += get_local_size(0))
        atomic_add(&out[i], counts[i]);
}
