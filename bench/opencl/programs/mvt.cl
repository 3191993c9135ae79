//! buffer a float 262144 noise
//! buffer x1 float 512 noise
//! buffer x2 float 512 noise
//! buffer y1 float 512 noise
//! buffer y2 float 512 noise
//! launch mvt1 512 / 256 : a x1 y1 512
//! launch mvt2 512 / 256 : a x2 y2 512
kernel void mvt1(global float *a, global float *x1, global float *y1, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int j = 0; j < n; j++)
            x1[i] += a[i * n + j] * y1[j];
}
kernel void mvt2(global float *a, global float *x2, global float *y2, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int j = 0; j < n; j++)
            x2[i] += a[j * n + i] * y2[j];
}
