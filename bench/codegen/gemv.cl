// --global 256 -l 64 -a buffer:f32:65536=random:1 -a buffer:f32:256=random:2 -a buffer:f32:256 -a 256  out 2
// A dense matrix times a vector: each work-item walks a row.
kernel void gemv(global const float *a, global const float *x, global float *y, int n)
{
    int row = get_global_id(0);
    float sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[row * n + k] * x[k];
    y[row] = sum;
}
