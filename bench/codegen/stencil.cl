// --global 64,64 -l 16,16 -a buffer:f32:4096=random:1 -a buffer:f32:4096 -a 64 -a 64  out 1
// Nine points around each inner point of a grid.
kernel void stencil(global const float *in, global float *out, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    float sum = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            sum += in[(y + dy) * width + x + dx];
    out[y * width + x] = sum * (1.0f / 9.0f);
}
