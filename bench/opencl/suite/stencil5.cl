// 2-D stencil, five loads per item, clamped at the border.
kernel void stencil5(global const float *in, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= w || y >= h)
        return;
    float centre = in[y * w + x];
    float north = in[max(y - 1, 0) * w + x], south = in[min(y + 1, h - 1) * w + x];
    float west = in[y * w + max(x - 1, 0)], east = in[y * w + min(x + 1, w - 1)];
    out[y * w + x] = centre + 0.2f * (north + south + west + east - 4.0f * centre);
}
