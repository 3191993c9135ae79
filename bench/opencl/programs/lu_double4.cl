//! buffer a double 65536 diagonal 256
//! buffer l double 65536 zero
//! loop 64
//! launch lu 64 256 / 64 4 : l a $ 256
kernel void lu(global double *l, global double4 *a, int d, int n)
{
    size_t x = get_global_id(0), y = get_global_id(1);
    if (y > d) {
        global double *s = (global double *)a;
        double r = s[y * n] / (s[d * n] + 300.0);
        if (x == 0)
            l[y * n + d] = r;
        double4 top = a[d * (n / 4) + x], me = a[y * (n / 4) + x];
        if (x > 0)
            a[y * (n / 4) + x] = me - top * r;
    }
}
