//! buffer fict float 500 noise
//! buffer ex float 65536 noise
//! buffer ey float 65536 noise
//! buffer hz float 65536 noise
//! loop 4
//! launch fdtd1 256 256 / 32 8 : fict ex ey hz $ 256 256
//! launch fdtd2 256 256 / 32 8 : ex ey hz 256 256
//! launch fdtd3 256 256 / 32 8 : ex ey hz 256 256
kernel void fdtd1(global float *fict, global float *ex, global float *ey, global float *hz, int t, int nx, int ny)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < nx && j < ny) {
        int at = i * ny + j;
        if (i == 0)
            ey[at] = fict[t];
        else
            ey[at] = ey[at] - 0.5f * (hz[at] - hz[(i - 1) * ny + j]);
    }
}
kernel void fdtd2(global float *ex, global float *ey, global float *hz, int nx, int ny)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < nx && j < ny && j > 0)
        ex[i * ny + j] = ex[i * ny + j] - 0.5f * (hz[i * ny + j] - hz[i * ny + j - 1]);
}
kernel void fdtd3(global float *ex, global float *ey, global float *hz, int nx, int ny)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < nx - 1 && j < ny - 1)
        hz[i * ny + j] = hz[i * ny + j] -
                         0.7f * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}
