//! buffer in uint 262144 below 1000
//! buffer out uint 1024 zero
//! launch reduce 32768 / 256 : in out l4096
kernel void reduce(global const uint4 *in, global uint4 *out, local uint4 *s)
{
    unsigned tid = get_local_id(0), bid = get_group_id(0), n = get_local_size(0), stride = get_global_id(0) * 2;
    s[tid] = in[stride] + in[stride + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (unsigned k = n >> 1; k > 0; k >>= 1) {
        if (tid < k)
            s[tid] += s[tid + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        out[bid] = s[0];
}
