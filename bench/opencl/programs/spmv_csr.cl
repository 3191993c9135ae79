//! buffer val float 131072 noise
//! buffer cols int 131072 below 4096
//! buffer rows int 4097 ragged 32
//! buffer vec float 4096 noise
//! buffer out float 4096 zero
//! launch spmv 4096 / 128 : val vec cols rows 4096 out
kernel void spmv(global const float *val, global const float *vec, global const int *cols, global const int *rows, int dim,
                 global float *out)
{
    int row = get_global_id(0);
    if (row < dim) {
        float t = 0;
        for (int j = rows[row]; j < rows[row + 1]; j++)
            t += val[j] * vec[cols[j]];
        out[row] = t;
    }
}
