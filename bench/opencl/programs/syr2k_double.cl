//! buffer a double 16384 noise
//! buffer b double 16384 noise
//! buffer c double 16384 noise
//! launch syr2k 128 128 / 32 8 : a b c 1.5 1.2 128 128
//! launch syrk 128 128 / 32 8 : a c 1.5 1.2 128 128
kernel void syr2k(global double *a, global double *b, global double *c, double alpha, double beta, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++)
            c[i * n + j] += alpha * a[i * m + k] * b[j * m + k] + alpha * b[i * m + k] * a[j * m + k];
    }
}
kernel void syrk(global double *a, global double *c, double alpha, double beta, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++)
            c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
    }
}
