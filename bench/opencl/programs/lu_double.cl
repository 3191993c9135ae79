//! buffer a double 65536 diagonal 256
//! loop 255
//! launch lu1 256 / 256 : a $ 256
//! launch lu2 256 256 / 32 8 : a $ 256
kernel void lu1(global double *a, int k, int n)
{
    int j = get_global_id(0);
    if (j > k && j < n)
        a[k * n + j] = a[k * n + j] / a[k * n + k];
}
kernel void lu2(global double *a, int k, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i > k && j > k && i < n && j < n)
        a[i * n + j] = a[i * n + j] - a[i * n + k] * a[k * n + j];
}
