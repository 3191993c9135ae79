// Sparse matrix times vector, compressed rows, one row per item.
kernel void spmv(global const int *first, global const int *columns, global const float *values, global const float *x,
                 global float *y, int n)
{
    int row = get_global_id(0);
    if (row >= n)
        return;
    float sum = 0;
    for (int k = first[row]; k < first[row + 1]; k++)
        sum += values[k] * x[columns[k]];
    y[row] = sum;
}
