//! buffer in float 262144 noise
//! buffer out float 262144 zero
//! launch softmax 65536 / 256 : in out 1024
// a work-group per row
kernel void softmax(global const float *in, global float *out, int n)
{
    local float part[256];
    int lid = get_local_id(0), row = get_group_id(0);
    float most = -INFINITY, sum = 0;
    for (int i = lid; i < n; i += 256)
        most = fmax(most, in[row * n + i]);
    part[lid] = most;
    for (int s = 128; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s)
            part[lid] = fmax(part[lid], part[lid + s]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    most = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < n; i += 256)
        sum += exp(in[row * n + i] - most);
    part[lid] = sum;
    for (int s = 128; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < s)
            part[lid] += part[lid + s];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < n; i += 256)
        out[row * n + i] = exp(in[row * n + i] - most) / part[0];
}
