//! buffer a float 250000 noise
//! buffer out float 250000 zero
//! launch tile 500 500 / 5 5 : a out 500
kernel void tile(global const float *a, global float *out, int n)
{
    local float t[5][5];
    int x = get_local_id(0), y = get_local_id(1), at = get_global_id(1) * n + get_global_id(0);
    t[y][x] = a[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[at] = t[4 - y][4 - x] + t[x][y];
}
