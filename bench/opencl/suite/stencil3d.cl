// 3-D stencil, seven loads per item; the border is left out.
kernel void stencil3d(global const float *in, global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x == 0 || y == 0 || z == 0 || x >= n - 1 || y >= n - 1 || z >= n - 1)
        return;
    int at = (z * n + y) * n + x;
    float around = in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + in[at - n * n] + in[at + n * n];
    out[at] = 0.5f * in[at] + 0.08f * around;
}
