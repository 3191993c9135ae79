//! buffer a double 65536 positive
//! buffer b double 65536 diagonal 256
//! buffer x double 65536 noise
//! loop 2
//! launch adi1 256 / 256 : a b x 256
//! launch adi2 256 / 256 : a b x 256
//! launch adi3 256 / 256 : a b x 256
kernel void adi1(global double *a, global double *b, global double *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int j = 1; j < n; j++) {
            x[i * n + j] = x[i * n + j] - x[i * n + j - 1] * a[i * n + j] / (b[i * n + j - 1] + 3.0);
            b[i * n + j] = b[i * n + j] - a[i * n + j] * a[i * n + j] / (b[i * n + j - 1] + 3.0);
        }
}
kernel void adi2(global double *a, global double *b, global double *x, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int j = 0; j < n - 2; j++)
            x[i * n + n - j - 2] =
                (x[i * n + n - 2 - j] - x[i * n + n - 2 - j - 1] * a[i * n + n - j - 3]) / (b[i * n + n - 3 - j] + 3.0);
}
kernel void adi3(global double *a, global double *b, global double *x, int n)
{
    int j = get_global_id(0);
    if (j < n)
        for (int i = 1; i < n; i++)
            x[i * n + j] = x[i * n + j] - x[(i - 1) * n + j] * a[i * n + j] / (b[(i - 1) * n + j] + 3.0);
}
