//! buffer a float 65536 noise
//! buffer b float 65536 zero
//! launch stencil 1 / 1 : a b 256
kernel void stencil(global const float *restrict a, global float *restrict b, int n)
{
    for (int i = 1; i < n - 1; i++)
        for (int j = 1; j < n - 1; j++)
            b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j]);
}
