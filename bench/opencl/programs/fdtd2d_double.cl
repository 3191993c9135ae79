//! buffer ex double 65536 noise
//! buffer ey double 65536 noise
//! buffer hz double 65536 noise
//! buffer fict double 512 noise
//! loop 8
//! launch step1 256 256 / 32 8 : fict ex ey hz $ 256 256
//! launch step2 256 256 / 32 8 : ex ey hz 256 256
//! launch step3 256 256 / 32 8 : ex ey hz 256 256
kernel void step1(global double *fict, global double *ex, global double *ey, global double *hz, int t, int nx, int ny)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < nx && j < ny) {
        if (i == 0)
            ey[i * ny + j] = fict[t];
        else
            ey[i * ny + j] = ey[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[(i - 1) * ny + j]);
    }
}
kernel void step2(global double *ex, global double *ey, global double *hz, int nx, int ny)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < nx && j < ny && j > 0)
        ex[i * ny + j] = ex[i * ny + j] - 0.5 * (hz[i * ny + j] - hz[i * ny + j - 1]);
}
kernel void step3(global double *ex, global double *ey, global double *hz, int nx, int ny)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < nx - 1 && j < ny - 1)
        hz[i * ny + j] = hz[i * ny + j] - 0.7 * (ex[i * ny + j + 1] - ex[i * ny + j] + ey[(i + 1) * ny + j] - ey[i * ny + j]);
}
