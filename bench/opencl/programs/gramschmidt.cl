//! buffer a float 16384 noise
//! buffer r float 16384 zero
//! buffer q float 16384 zero
//! loop 128
//! launch norm 256 / 256 : a r q $ 128 128
//! launch column 256 / 256 : a r q $ 128 128
//! launch update 256 / 256 : a r q $ 128 128
kernel void norm(global float *a, global float *r, global float *q, int k, int m, int n)
{
    if (get_global_id(0) == 0) {
        float nrm = 0.0f;
        for (int i = 0; i < m; i++)
            nrm += a[i * n + k] * a[i * n + k];
        r[k * n + k] = sqrt(nrm);
    }
}
kernel void column(global float *a, global float *r, global float *q, int k, int m, int n)
{
    int i = get_global_id(0);
    if (i < m)
        q[i * n + k] = a[i * n + k] / r[k * n + k];
}
kernel void update(global float *a, global float *r, global float *q, int k, int m, int n)
{
    int j = get_global_id(0);
    if (j > k && j < n) {
        r[k * n + j] = 0.0f;
        for (int i = 0; i < m; i++)
            r[k * n + j] += q[i * n + k] * a[i * n + j];
        for (int i = 0; i < m; i++)
            a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
}
