// 5 x 5 with clamped borders
kernel void conv(global const float *in, constant float *mask, global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++)
            sum += mask[(j + 2) * 5 + i + 2] * in[clamp(y + j, 0, n - 1) * n + clamp(x + i, 0, n - 1)];
    out[y * n + x] = sum;
}
