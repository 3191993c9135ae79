//! buffer a float 65536 noise
//! buffer b float 65536 zero
//! launch columns 256 256 / 8 8 : a b 256
kernel void columns(global const float *a, global float *b, int n)
{
    int i = get_global_id(0), j = get_global_id(1);
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
        b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] +
                               a[(i + 1) * n + j]);
}
