//! buffer a float 65536 noise
//! buffer c4 float 1024 noise
//! buffer sum float 65536 zero
//! loop 64
//! launch doitgen1 32 32 / 32 8 : 64 32 32 a c4 sum $
//! launch doitgen2 32 32 / 32 8 : 64 32 32 a c4 sum $
kernel void doitgen1(int nr, int nq, int np, global float *a, global float *c4, global float *sum, int r)
{
    int p = get_global_id(0), q = get_global_id(1);
    if (p < np && q < nq) {
        sum[r * (nq * np) + q * np + p] = 0;
        for (int s = 0; s < np; s++)
            sum[r * (nq * np) + q * np + p] += a[r * (nq * np) + q * np + s] * c4[s * np + p];
    }
}
kernel void doitgen2(int nr, int nq, int np, global float *a, global float *c4, global float *sum, int r)
{
    int p = get_global_id(0), q = get_global_id(1);
    if (p < np && q < nq)
        a[r * (nq * np) + q * np + p] = sum[r * (nq * np) + q * np + p];
}
