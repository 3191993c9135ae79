//! buffer a float 262144 noise
//! buffer x float 512 noise
//! buffer y float 512 zero
//! buffer tmp float 512 zero
//! launch atax1 512 / 256 : a x tmp 512 512
//! launch atax2 512 / 256 : a y tmp 512 512
kernel void atax1(global float *a, global float *x, global float *tmp, int nx, int ny)
{
    int i = get_global_id(0);
    if (i < nx)
        for (int j = 0; j < ny; j++)
            tmp[i] += a[i * ny + j] * x[j];
}
kernel void atax2(global float *a, global float *y, global float *tmp, int nx, int ny)
{
    int j = get_global_id(0);
    if (j < ny)
        for (int i = 0; i < nx; i++)
            y[j] += a[i * ny + j] * tmp[i];
}
