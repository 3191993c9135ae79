// LU decomposition: the update of the trailing matrix by one 16-wide step, tiles of the step in local memory.
kernel void lud(global const float *a, global float *out, int n, local float *column, local float *row)
{
    int x = get_local_id(0), y = get_local_id(1);
    int gx = get_global_id(0) + 16, gy = get_global_id(1) + 16;
    column[y * 16 + x] = a[gy * n + x];
    row[y * 16 + x] = a[y * n + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int k = 0; k < 16; k++)
        sum += column[y * 16 + k] * row[k * 16 + x];
    out[gy * n + gx] = a[gy * n + gx] - sum;
}
