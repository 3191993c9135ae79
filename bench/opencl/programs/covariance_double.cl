//! buffer data double 16384 noise
//! buffer mean double 128 zero
//! buffer sym double 16384 zero
//! launch mean_kernel 128 / 128 : mean data 128 128
//! launch reduce_kernel 128 128 / 32 8 : mean data 128 128
//! launch covar_kernel 128 / 64 : sym data 128 128
kernel void mean_kernel(global double *mean, global double *data, int m, int n)
{
    int j = get_global_id(0);
    if (j < m) {
        mean[j] = 0;
        for (int i = 0; i < n; i++)
            mean[j] += data[i * m + j];
        mean[j] /= (double)n;
    }
}
kernel void reduce_kernel(global double *mean, global double *data, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < m)
        data[i * m + j] -= mean[j];
}
kernel void covar_kernel(global double *sym, global double *data, int m, int n)
{
    int j1 = get_global_id(0);
    if (j1 < m)
        for (int j2 = j1; j2 < m; j2++) {
            sym[j1 * m + j2] = 0;
            for (int i = 0; i < n; i++)
                sym[j1 * m + j2] += data[i * m + j1] * data[i * m + j2];
            sym[j2 * m + j1] = sym[j1 * m + j2];
        }
}
