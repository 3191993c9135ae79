//! buffer a double 65536 noise
//! buffer b double 65536 noise
//! buffer c double 65536 zero
//! launch mul 32768 / 128 : a b c
kernel void mul(global const double2 *a, global const double2 *b, global double2 *c)
{
    int i = get_global_id(0);
    double2 x = a[i], y = b[i];
    c[i] = (double2)(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}
