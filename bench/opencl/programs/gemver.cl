//! buffer a double 262144 noise
//! buffer u1 double 512 noise
//! buffer v1 double 512 noise
//! buffer u2 double 512 noise
//! buffer v2 double 512 noise
//! buffer x double 512 zero
//! buffer y double 512 noise
//! buffer z double 512 noise
//! buffer w double 512 zero
//! launch gemver1 512 512 / 32 8 : a v1 v2 u1 u2 512
//! launch gemver2 512 / 256 : a x y z 1.2 512
//! launch gemver3 512 / 256 : a x w 1.5 512
kernel void gemver1(global double *a, global double *v1, global double *v2, global double *u1, global double *u2, int n)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < n && j < n)
        a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}
kernel void gemver2(global double *a, global double *x, global double *y, global double *z, double beta, int n)
{
    int i = get_global_id(0);
    if (i < n) {
        for (int j = 0; j < n; j++)
            x[i] += beta * a[j * n + i] * y[j];
        x[i] += z[i];
    }
}
kernel void gemver3(global double *a, global double *x, global double *w, double alpha, int n)
{
    int i = get_global_id(0);
    if (i < n)
        for (int j = 0; j < n; j++)
            w[i] += alpha * a[i * n + j] * x[j];
}
