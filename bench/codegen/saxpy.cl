// --global 4096 -l 256 -a 2.5 -a buffer:f32:4096=random:1 -a buffer:f32:4096=random:2  out 2
// y = a * x + y, no guard.
kernel void saxpy(float a, global const float *x, global float *y)
{
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}
