//! buffer a float 36864 noise
//! buffer c float 36864 noise
//! launch syrk 192 192 / 32 8 : a c 1.5 0.5 192 192
kernel void syrk(global float *a, global float *c, float alpha, float beta, int m, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n) {
        c[i * n + j] *= beta;
        for (int k = 0; k < m; k++)
            c[i * n + j] += alpha * a[i * m + k] * a[j * m + k];
    }
}
