/* Sums of squares of the rows of a matrix: a work-item per row, as one would write it first. */
__kernel void sums(__global const float *matrix, __global float *sums, int columns)
{
    int row = get_global_id(0);
    float sum = 0.0f;
    for (int i = 0; i < columns; i++) {
        float x = matrix[row * columns + i];
        sum += x * x;
    }
    sums[row] = sum;
}
