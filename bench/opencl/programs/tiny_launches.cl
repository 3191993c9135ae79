//! buffer a float 64 noise
//! buffer b float 64 noise
//! loop 1000
//! launch advance 64 / 64 : a b
kernel void advance(global float *a, global const float *b)
{
    int i = get_global_id(0);
    a[i] = a[i] * 0.5f + b[i];
}
