//! buffer a double 262144 noise
//! buffer p double 512 noise
//! buffer r double 512 noise
//! buffer q double 512 zero
//! buffer s double 512 zero
//! buffer x double 512 zero
//! launch bicg1 512 / 256 : a p q 512 512
//! launch bicg2 512 / 256 : a r s 512 512
//! launch gesummv 512 / 256 : a a p x 512
kernel void bicg1(global double *a, global double *p, global double *q, int nx, int ny)
{
    int i = get_global_id(0);
    if (i < nx) {
        q[i] = 0;
        for (int j = 0; j < ny; j++)
            q[i] += a[i * ny + j] * p[j];
    }
}
kernel void bicg2(global double *a, global double *r, global double *s, int nx, int ny)
{
    int j = get_global_id(0);
    if (j < ny) {
        s[j] = 0;
        for (int i = 0; i < nx; i++)
            s[j] += a[i * ny + j] * r[i];
    }
}
kernel void gesummv(global double *a, global double *b, global double *x, global double *y, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        double t = 0, u = 0;
        for (int j = 0; j < n; j++) {
            t += a[i * n + j] * x[j];
            u += b[i * n + j] * x[j];
        }
        y[i] = 1.5 * t + 1.2 * u;
    }
}
