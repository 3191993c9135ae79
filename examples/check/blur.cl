/* The mean of three neighbours, through local memory.  Two mistakes: docs/check.md finds them. */
kernel void blur(global const float *in, global float *out, local float *tile)
{
    int i = get_global_id(0), k = get_local_id(0);
    tile[k + 1] = in[i];
    if (k == 0)
        tile[0] = in[i - 1];
    if (k == get_local_size(0) - 1)
        tile[k + 2] = in[i + 1];
    out[i] = (tile[k] + tile[k + 1] + tile[k + 2]) / 3;
}

kernel void mended(global const float *in, global float *out, local float *tile)
{
    int i = get_global_id(0), k = get_local_id(0), last = get_global_size(0) - 1;
    tile[k + 1] = in[i];
    if (k == 0)
        tile[0] = in[max(i - 1, 0)];
    if (k == get_local_size(0) - 1)
        tile[k + 2] = in[min(i + 1, last)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = (tile[k] + tile[k + 1] + tile[k + 2]) / 3;
}
