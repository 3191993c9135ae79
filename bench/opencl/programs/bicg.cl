//! buffer a float 262144 noise
//! buffer p float 512 noise
//! buffer q float 512 zero
//! buffer r float 512 noise
//! buffer s float 512 zero
//! launch bicg1 512 / 256 : a p q 512 512
//! launch bicg2 512 / 256 : a r s 512 512
kernel void bicg1(global float *a, global float *p, global float *q, int nx, int ny)
{
    int i = get_global_id(0);
    if (i < nx) {
        q[i] = 0.0f;
        for (int j = 0; j < ny; j++)
            q[i] += a[i * ny + j] * p[j];
    }
}
kernel void bicg2(global float *a, global float *r, global float *s, int nx, int ny)
{
    int j = get_global_id(0);
    if (j < ny) {
        s[j] = 0.0f;
        for (int i = 0; i < nx; i++)
            s[j] += a[i * ny + j] * r[i];
    }
}
