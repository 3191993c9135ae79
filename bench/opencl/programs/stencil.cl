//! buffer a float 524288 noise
//! buffer b float 524288 zero
//! launch stencil 126 62 62 / 126 1 1 : 0.1 0.2 a b 128 64 64
kernel void stencil(float c0, float c1, global float *a, global float *b, int nx, int ny, int nz)
{
    int i = get_global_id(0) + 1, j = get_global_id(1) + 1, k = get_global_id(2) + 1;
#define AT(i, j, k) ((i) + nx * ((j) + ny * (k)))
    b[AT(i, j, k)] = c1 * (a[AT(i, j, k + 1)] + a[AT(i, j, k - 1)] + a[AT(i, j + 1, k)] + a[AT(i, j - 1, k)] +
                           a[AT(i + 1, j, k)] + a[AT(i - 1, j, k)]) - a[AT(i, j, k)] * c0;
}
