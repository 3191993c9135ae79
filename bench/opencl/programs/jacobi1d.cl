//! buffer a float 16384 noise
//! buffer b float 16384 noise
//! loop 8
//! launch jacobi1 16384 / 256 : a b 16384
//! launch jacobi2 16384 / 256 : a b 16384
kernel void jacobi1(global float *a, global float *b, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i < n - 1)
        b[i] = 0.33333f * (a[i - 1] + a[i] + a[i + 1]);
}
kernel void jacobi2(global float *a, global float *b, int n)
{
    int i = get_global_id(0);
    if (i > 0 && i < n - 1)
        a[i] = b[i];
}
