// 3x3 convolution, nine loads per item; the border is left out.
kernel void stencil9(global const float *in, global const float *weights, global float *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy) * w + x + dx] * weights[(dy + 1) * 3 + dx + 1];
    out[y * w + x] = sum;
}
