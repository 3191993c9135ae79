// Histogram of bytes: counts of a work-group in local memory by atomics, one row of counts per group.
kernel void histogram(global const uchar4 *in, global uint *counts, int per_item, local uint *bins)
{
    int i = get_local_id(0), size = get_local_size(0);
    bins[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < per_item; k++) {
        uchar4 v = in[(get_group_id(0) * per_item + k) * size + i];
        atomic_inc(&bins[v.x]);
        atomic_inc(&bins[v.y]);
        atomic_inc(&bins[v.z]);
        atomic_inc(&bins[v.w]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    counts[get_group_id(0) * 256 + i] = bins[i];
}
