//! buffer val float 131072 noise
//! buffer cols int 131072 below 4096
//! buffer length int 4096 below 32
//! buffer vec float 4096 noise
//! buffer out float 4096 zero
//! launch spmv 4096 / 128 : val vec cols length 4096 out
kernel void spmv(global const float *val, global const float *vec, global const int *cols, global const int *length,
                 int dim, global float *out)
{
    int row = get_global_id(0);
    if (row >= dim)
        return;
    float sum = 0;
    for (int k = 0; k < length[row]; k++)
        sum += val[k * dim + row] * vec[cols[k * dim + row]];
    out[row] = sum;
}
