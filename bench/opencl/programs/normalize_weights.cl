//! buffer weights double 16384 positive
//! buffer partial double 64 positive
//! buffer cdf double 16384 zero
//! buffer u double 16384 zero
//! buffer seed int 16384 below 1000000
//! launch sum 16384 / 256 : weights partial
//! launch normalise 16384 / 256 : weights partial cdf u seed
// the first item of all adds up the parts and makes the running sum of a block
kernel void sum(global const double *weights, global double *partial)
{
    local double part[256];
    int lid = get_local_id(0);
    part[lid] = weights[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 128; s > 0; s /= 2) {
        if (lid < s)
            part[lid] += part[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0)
        partial[get_group_id(0)] = part[0];
}
kernel void normalise(global double *weights, global const double *partial, global double *cdf, global double *u, global int *seed)
{
    local double total, first;
    int i = get_global_id(0), lid = get_local_id(0);
    if (lid == 0) {
        double s = 0;
        for (int k = 0; k < 64; k++)
            s += partial[k];
        total = s;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    weights[i] = weights[i] / total;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (lid == 0) {
        cdf[i] = weights[i];
        for (int k = 1; k < 256; k++)
            cdf[i + k] = weights[i + k] + cdf[i + k - 1];
        int n = 1103515245 * seed[i] + 12345;
        seed[i] = n;
        first = fabs((double)n / 2147483647.0) / 16384;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    u[i] = first + i / 16384.0;
}
