//! buffer next int 16 zero
//! buffer rows int 4097 ragged 32
//! buffer in float 131072 noise
//! buffer out float 4096 zero
//! launch rows_from_list 1024 / 64 : next rows in out 4096
kernel void rows_from_list(global int *next, global const int *rows, global const float *in, global float *out, int n)
{
    for (int row = atomic_inc(next); row < n; row = atomic_inc(next)) {
        float most = 0;
        for (int k = rows[row]; k < rows[row + 1]; k++)
            most = fmax(most, in[k]);
        out[row] = most;
    }
}
