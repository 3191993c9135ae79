//! buffer a float 36864 noise
//! buffer b float 36864 noise
//! buffer c float 36864 noise
//! launch gemm 192 192 / 32 8 : a b c 1.5 0.5 192 192 192
kernel void gemm(global float *a, global float *b, global float *c, float alpha, float beta, int ni, int nj, int nk)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < ni && j < nj) {
        c[i * nj + j] *= beta;
        for (int k = 0; k < nk; k++)
            c[i * nj + j] += alpha * a[i * nk + k] * b[k * nj + j];
    }
}
