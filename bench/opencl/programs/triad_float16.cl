//! buffer a float 524288 noise
//! buffer b float 524288 noise
//! buffer c float 524288 zero
//! launch add 32768 / 64 : a b c
kernel void add(global const float16 *a, global const float16 *b, global float16 *c)
{
    int i = get_global_id(0);
    c[i] = a[i] * 2.0f + b[i];
}
