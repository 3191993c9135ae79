//! buffer a float 262144 noise
//! buffer b float 262144 noise
//! buffer c float 262144 zero
//! launch triad 262144 / 128 : a b c 1.75
kernel void triad(global const float *a, global const float *b, global float *c, float s)
{
    int i = get_global_id(0);
    c[i] = a[i] + s * b[i];
}
