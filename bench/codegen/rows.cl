// --global 256 -l 64 -a buffer:f32:65536=random:1 -a buffer:f32:256=random:2 -a buffer:f32:256 -a 256  out 2
// The same with indices of type size_t, which have 64 bits on generation 2.
kernel void rows(global const float *a, global const float *x, global float *y, uint n)
{
    size_t row = get_global_id(0);
    float sum = 0;
    for (size_t k = 0; k < n; k++)
        sum += a[row * n + k] * x[k];
    y[row] = sum;
}
