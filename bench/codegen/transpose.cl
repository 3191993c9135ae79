// --global 64,64 -l 16,16 -a buffer:f32:4096=random:1 -a buffer:f32:4096 -a 64 -a 64  out 1
// A matrix transposed through a padded tile of local memory.
kernel __attribute__((reqd_work_group_size(16, 16, 1))) void transpose(global const float *in, global float *out,
                                                                       int width, int height)
{
    local float tile[16][17];
    int x = get_group_id(0) * 16, y = get_group_id(1) * 16, lx = get_local_id(0), ly = get_local_id(1);
    tile[ly][lx] = in[(y + ly) * width + x + lx];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[(x + ly) * height + y + lx] = tile[lx][ly];
}
