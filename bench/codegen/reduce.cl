// --global 4096 -l 256 -a buffer:f32:4096=random:1 -a buffer:f32:16 -a 4000 -a local:1024  out 1
// A tree sum in local memory, one partial sum per workgroup.
kernel void reduce(global const float *in, global float *sums, int n, local float *s)
{
    int i = get_global_id(0), lane = get_local_id(0), size = get_local_size(0);
    s[lane] = i < n ? in[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_size = size >> 1; half_size > 0; half_size >>= 1) {
        if (lane < half_size)
            s[lane] += s[lane + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0)
        sums[get_group_id(0)] = s[0];
}
