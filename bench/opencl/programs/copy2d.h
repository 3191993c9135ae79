kernel void copy2d(global const float *in, global float *out, int width)
{
    int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = in[y * width + x];
}
