//! buffer a float 65536 noise
//! buffer b float 65536 positive
//! buffer x float 65536 noise
//! launch adi1 256 / 256 : a b x 256
//! launch adi2 256 / 256 : a b x 256
//! launch adi4 256 / 256 : a b x 256
//! launch adi6 256 / 256 : a b x 256
kernel void adi1(global float *a, global float *b, global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int k = 1; k < n; k++) {
            x[i * n + k] = x[i * n + k] - x[i * n + k - 1] * a[i * n + k] / b[i * n + k - 1];
            b[i * n + k] = b[i * n + k] - a[i * n + k] * a[i * n + k] / b[i * n + k - 1];
        }
}
kernel void adi2(global float *a, global float *b, global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        x[i * n + n - 1] = x[i * n + n - 1] / b[i * n + n - 1];
}
kernel void adi4(global float *a, global float *b, global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int k = 0; k < n - 2; k++)
            x[i * n + n - k - 2] = (x[i * n + n - 2 - k] - x[i * n + n - 2 - k - 1] * a[i * n + n - k - 3]) / b[i * n + n - 3 - k];
}
kernel void adi6(global float *a, global float *b, global float *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int k = 1; k < n; k++) {
            x[k * n + i] = x[k * n + i] - x[(k - 1) * n + i] * a[k * n + i] / b[(k - 1) * n + i];
            b[k * n + i] = b[k * n + i] - a[k * n + i] * a[k * n + i] / b[(k - 1) * n + i];
        }
}
