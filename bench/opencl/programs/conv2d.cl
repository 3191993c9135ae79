//! buffer a float 262144 noise
//! buffer b float 262144 zero
//! launch conv 512 512 / 32 8 : a b 512 512
kernel void conv(global float *a, global float *b, int ni, int nj)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < ni - 1 && j < nj - 1 && i > 0 && j > 0)
        b[i * nj + j] = 0.2f * a[(i - 1) * nj + j - 1] + 0.5f * a[(i - 1) * nj + j] - 0.8f * a[(i - 1) * nj + j + 1] -
                        0.3f * a[i * nj + j - 1] + 0.6f * a[i * nj + j] - 0.9f * a[i * nj + j + 1] +
                        0.4f * a[(i + 1) * nj + j - 1] + 0.7f * a[(i + 1) * nj + j] + 0.1f * a[(i + 1) * nj + j + 1];
}
