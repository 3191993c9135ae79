// Transpose through a padded tile of local memory.
kernel void transpose(global const float *in, global float *out, int n, local float *tile)
{
    int lx = get_local_id(0), ly = get_local_id(1);
    tile[ly * 17 + lx] = in[get_global_id(1) * n + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int x = get_group_id(1) * 16 + lx, y = get_group_id(0) * 16 + ly;
    out[y * n + x] = tile[lx * 17 + ly];
}
