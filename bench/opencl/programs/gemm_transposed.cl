//! buffer a float 65536 noise
//! buffer b float 65536 noise
//! buffer c float 65536 zero
//! launch gemm 256 256 / 32 8 : a b c 256
kernel void gemm(global const float *a, global const float *b, global float *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[i * n + k] * b[j * n + k];
    c[i * n + j] = sum;
}
