/* The same; the rows of the tile are one word longer, so that a column of it lies in 32 different banks. */
__kernel void sums(__global const float *matrix, __global float *sums, int columns)
{
    __local float tile[32][33];
    int me = get_local_id(0), first = get_group_id(0) * 32;
    float sum = 0.0f;
    for (int i = 0; i < columns; i += 32) {
        for (int row = 0; row < 32; row++)
            tile[row][me] = matrix[(first + row) * columns + i + me];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 32; k++)
            sum += tile[me][k] * tile[me][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[first + me] = sum;
}
