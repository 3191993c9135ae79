// --global 512 -l 128 -a buffer:u32:513=iota -a buffer:u32:8192=random:1 -a buffer:f32:8192=random:2 -a buffer:f32:1024=random:3 -a buffer:f32:512 -a 512  out 4
// A sparse matrix (rows of 5 to 12 elements, columns by hash) times a vector: loops of different lengths.
kernel void spmv(global const uint *row, global const uint *column, global const float *value, global const float *x,
                 global float *y, uint rows)
{
    uint i = get_global_id(0);
    if (i >= rows)
        return;
    uint start = row[i] * 8, end = start + 5 + (row[i] * 37 >> 2 & 7);
    float sum = 0;
    for (uint k = start; k < end; k++)
        sum += value[k] * x[column[k] & 1023];
    y[i] = sum;
}
