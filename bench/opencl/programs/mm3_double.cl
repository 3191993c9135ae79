//! buffer a double 16384 noise
//! buffer b double 16384 noise
//! buffer c double 16384 noise
//! buffer d double 16384 noise
//! buffer e double 16384 zero
//! buffer f double 16384 zero
//! buffer g double 16384 zero
//! launch mm 128 128 / 32 8 : a b e 128 128 128
//! launch mm 128 128 / 32 8 : c d f 128 128 128
//! launch mm 128 128 / 32 8 : e f g 128 128 128
kernel void mm(global double *a, global double *b, global double *e, int ni, int nj, int nk)
{
    int j = get_global_id(0), i = get_global_id(1);
    if (i < ni && j < nj) {
        e[i * nj + j] = 0;
        for (int k = 0; k < nk; k++)
            e[i * nj + j] += a[i * nk + k] * b[k * nj + j];
    }
}
