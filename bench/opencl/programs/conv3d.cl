//! buffer a float 262144 noise
//! buffer b float 262144 zero
//! loop 62
//! launch conv 64 64 / 32 8 : a b 64 64 64 $
kernel void conv(global float *a, global float *b, int ni, int nj, int nk, int t)
{
    int k = get_global_id(0), j = get_global_id(1), i = t + 1;
    if (i < ni - 1 && j < nj - 1 && k < nk - 1 && i > 0 && j > 0 && k > 0)
#define A(x, y, z) a[(i + x) * (nk * nj) + (j + y) * nk + k + z]
        b[i * (nk * nj) + j * nk + k] = 2.0f * A(-1, -1, -1) + 4.0f * A(1, -1, -1) + 5.0f * A(-1, -1, -1) +
                                        7.0f * A(1, -1, -1) + -8.0f * A(-1, -1, -1) + 10.0f * A(1, -1, -1) +
                                        -3.0f * A(0, -1, 0) + 6.0f * A(0, 0, 0) + -9.0f * A(0, 1, 0) +
                                        2.0f * A(-1, -1, 1) + 4.0f * A(1, -1, 1) + 5.0f * A(-1, 0, 1) +
                                        7.0f * A(1, 0, 1) + -8.0f * A(-1, 1, 1) + 10.0f * A(1, 1, 1);
}
