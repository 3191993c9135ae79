//! buffer a float 262144 noise
//! loop 18
//! launch k 131072 / 256 : a $
kernel void k(global float *a, int log)
{
    uint t = get_global_id(0), step = 1 << log, g = t % step, p = 2 * step * (t / step) + g, m = p + step;
    float x = a[p], y = a[m];
    a[p] = x + y;
    a[m] = x - y;
}
