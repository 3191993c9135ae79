// --global 64,64 -l 16,16 -a buffer:f32:4096=random:1 -a buffer:f32:4096=random:2 -a buffer:f32:4096 -a 64  out 2
// Square matrices, tiles of 16 x 16 in local memory.
#define T 16
kernel __attribute__((reqd_work_group_size(T, T, 1))) void matmul(global const float *a, global const float *b,
                                                                 global float *c, int n)
{
    local float ta[T][T], tb[T][T];
    int col = get_global_id(0), row = get_global_id(1), x = get_local_id(0), y = get_local_id(1);
    float sum = 0;
    for (int tile = 0; tile < n; tile += T) {
        ta[y][x] = a[row * n + tile + x];
        tb[y][x] = b[(tile + y) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < T; k++)
            sum += ta[y][k] * tb[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + col] = sum;
}
