//! buffer x float 2048 noise
//! buffer y float 2048 noise
//! buffer z float 2048 noise
//! buffer edges float 32 falling
//! buffer out uint 1024 zero
//! launch tpacf 2048 / 128 : x y z edges out 2048
kernel void tpacf(global float *x, global float *y, global float *z, constant float *edges, global uint *out, int n)
{
    local uint counts[32];
    int i = get_global_id(0), lid = get_local_id(0);
    if (lid < 32)
        counts[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    float a = x[i], b = y[i], c = z[i];
    for (int j = 0; j < n / 8; j++) {
        float dot = a * x[j] + b * y[j] + c * z[j];
        int lo = 0, hi = 20;
        while (hi > lo + 1) {
            int k = (lo + hi) / 2;
            if (dot >= edges[k])
                hi = k;
            else
                lo = k;
        }
        atomic_inc(&counts[lo]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid < 32)
        out[get_group_id(0) * 32 + lid] = counts[lid];
}
