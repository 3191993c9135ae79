//! buffer a float 256 noise
//! buffer b float 256 noise
//! loop 1000
//! launch turn 256 / 64 : a b
//! launch turn 256 / 64 : b a
kernel void turn(global const float *a, global float *b)
{
    int i = get_global_id(0);
    b[i] = 0.5f * a[i] + 0.25f * a[(i + 1) & 255];
}
