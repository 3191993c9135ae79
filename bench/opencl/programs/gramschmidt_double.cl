//! buffer a double 16384 positive
//! buffer r double 16384 zero
//! buffer q double 16384 zero
//! loop 128
//! launch g1 256 / 256 : a r q $ 128 128
//! launch g2 256 / 256 : a r q $ 128 128
//! launch g3 256 / 256 : a r q $ 128 128
kernel void g1(global double *a, global double *r, global double *q, int k, int m, int n)
{
    if (get_global_id(0) == 0) {
        double nrm = 0;
        for (int i = 0; i < m; i++)
            nrm += a[i * n + k] * a[i * n + k];
        r[k * n + k] = sqrt(nrm);
    }
}
kernel void g2(global double *a, global double *r, global double *q, int k, int m, int n)
{
    int i = get_global_id(0);
    if (i < m)
        q[i * n + k] = a[i * n + k] / r[k * n + k];
}
kernel void g3(global double *a, global double *r, global double *q, int k, int m, int n)
{
    int j = get_global_id(0);
    if (j > k && j < n) {
        r[k * n + j] = 0;
        for (int i = 0; i < m; i++)
            r[k * n + j] += q[i * n + k] * a[i * n + j];
        for (int i = 0; i < m; i++)
            a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
}
