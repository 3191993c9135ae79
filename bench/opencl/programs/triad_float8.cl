//! buffer a float 524288 noise
//! buffer b float 524288 noise
//! buffer c float 524288 zero
//! launch add 65536 / 64 : a b c
kernel void add(global const float8 *a, global const float8 *b, global float8 *c)
{
    int i = get_global_id(0);
    c[i] = a[i] * 2.0f + b[i];
}
