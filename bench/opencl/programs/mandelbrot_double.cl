//! buffer out uint 16384 zero
//! launch mandel 16384 / : out 128 200
kernel void mandel(global uint *out, int n, uint most)
{
    int i = get_global_id(0);
    double cx = (i % n) * 3.0 / n - 2.0, cy = (i / n) * 2.4 / n - 1.2, x = 0, y = 0;
    uint k = 0;
    while (x * x + y * y <= 4.0 && k < most) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy, x = t, k++;
    }
    out[i] = k;
}
