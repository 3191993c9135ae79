//! buffer a float 65536 noise
//! buffer b float 65536 noise
//! loop 4
//! launch jacobi1 256 256 / 32 8 : a b 256
//! launch jacobi2 256 256 / 32 8 : a b 256
kernel void jacobi1(global float *a, global float *b, int n)
{
    int i = get_global_id(1), j = get_global_id(0);
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        b[i * n + j] = 0.2f * (a[i * n + j] + a[i * n + j - 1] + a[i * n + 1 + j] + a[(1 + i) * n + j] + a[(i - 1) * n + j]);
}
kernel void jacobi2(global float *a, global float *b, int n)
{
    int i = get_global_id(1), j = get_global_id(0);
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        a[i * n + j] = b[i * n + j];
}
