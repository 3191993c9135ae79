//! buffer a float 36864 noise
//! buffer b float 36864 noise
//! buffer c float 36864 noise
//! launch syr2k 192 192 / 32 8 : a b c 1.5 0.5 192 192
kernel void syr2k(global float *a, global float *b, global float *c, float alpha, float beta, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++) {
            c[i * n + j] += alpha * a[i * m + k] * b[j * m + k];
            c[i * n + j] += alpha * b[i * m + k] * a[j * m + k];
        }
    }
}
