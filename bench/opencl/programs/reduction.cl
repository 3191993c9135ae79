//! buffer in float 262144 noise
//! buffer out float 64 zero
//! launch reduce 16384 / 256 : in out l1024 262144
kernel void reduce(global const float *in, global float *out, local float *s, uint n)
{
    uint tid = get_local_id(0), i = get_group_id(0) * get_local_size(0) * 2 + tid, size = get_num_groups(0) * get_local_size(0) * 2;
    s[tid] = 0;
    while (i < n) {
        s[tid] += in[i] + in[i + get_local_size(0)];
        i += size;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_size(0) / 2; k > 0; k >>= 1) {
        if (tid < k)
            s[tid] += s[tid + k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (tid == 0)
        out[get_group_id(0)] = s[0];
}
