// --global 4096 -l 256 -a buffer:f32:4096=random:1 -a buffer:f32:4096=random:2 -a buffer:f32:4096 -a 4000  out 2
// The sum of two vectors, with the usual guard.
kernel void vecadd(global const float *a, global const float *b, global float *c, int n)
{
    int i = get_global_id(0);
    if (i < n)
        c[i] = a[i] + b[i];
}
