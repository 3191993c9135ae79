//! buffer a double 65536 noise
//! buffer b double 65536 noise
//! buffer c double 65536 zero
//! buffer r double 256 zero
//! launch gemm 256 256 / 16 16 : a b c 256
//! launch stencil 256 256 / 32 4 : c a 256
//! launch norm 256 / 64 : a r 256
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void gemm(global const double *a, global const double *b, global double *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
}
kernel void stencil(global const double *in, global double *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = 0.2 * (in[y * n + x] + in[y * n + x - 1] + in[y * n + x + 1] + in[y * n + x - n] + in[y * n + x + n]);
}
kernel void norm(global const double *in, global double *out, int n)
{
    int i = get_global_id(0);
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += in[i * n + k] * in[i * n + k];
    out[i] = sqrt(sum) / (1 + fabs(in[i]));
}
