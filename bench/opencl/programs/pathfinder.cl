//! buffer wall int 1000000 below 10
//! buffer src int 10000 below 10
//! buffer dst int 10000 zero
//! launch pathfinder 11264 / 256 : 20 wall src dst 10000 100 0 20 l1024 l1024
kernel void pathfinder(int iteration, global int *wall, global int *src, global int *dst, int cols, int rows, int start,
                       int border, local int *prev, local int *result)
{
    int size = get_local_size(0), bx = get_group_id(0), tx = get_local_id(0);
    int small = size - iteration * 2, x0 = small * bx - border, x1 = x0 + size - 1, xi = x0 + tx;
    int v0 = x0 < 0 ? -x0 : 0, v1 = x1 > cols - 1 ? size - 1 - (x1 - cols + 1) : size - 1;
    int w = tx - 1, e = tx + 1;
    w = w < v0 ? v0 : w;
    e = e > v1 ? v1 : e;
    bool valid = tx >= v0 && tx <= v1;
    if (xi >= 0 && xi <= cols - 1)
        prev[tx] = src[xi];
    barrier(CLK_LOCAL_MEM_FENCE);
    bool computed;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= size - i - 2 && valid) {
            computed = true;
            int left = prev[w], up = prev[tx], right = prev[e];
            int shortest = min(min(left, up), right);
            result[tx] = shortest + wall[cols * (start + i) + xi];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == iteration - 1)
            break;
        if (computed)
            prev[tx] = result[tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        dst[xi] = result[tx];
}
