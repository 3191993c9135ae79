//! buffer a int 262144 below 2000000000
//! buffer b int 262144 below 1000
//! buffer out int 262144 zero
//! launch divide 262144 / 256 : a b out 37
kernel void divide(global const int *a, global const int *b, global int *out, int m)
{
    int i = get_global_id(0), x = a[i] - 1000000000, y = b[i] + 1;
    out[i] = x / y + x % (y + 3) + (i / m) * (i % m);
}
