//! buffer a float 36864 noise
//! buffer b float 36864 noise
//! buffer c float 36864 zero
//! buffer d float 36864 noise
//! buffer e float 36864 zero
//! launch mm 192 192 / 32 8 : a b c 192
//! launch mm 192 192 / 32 8 : c d e 192
kernel void mm(global float *a, global float *b, global float *c, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n) {
        c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}
