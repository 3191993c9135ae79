//! buffer in uchar 262144 below 256
//! buffer out uchar 262144 zero
//! launch sobel 512 512 / 16 16 : in out 512
kernel void sobel(global const uchar *in, global uchar *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1)
        return;
    global const uchar *p = in + y * n + x;
    int gx = p[1 - n] + 2 * p[1] + p[1 + n] - p[-1 - n] - 2 * p[-1] - p[n - 1];
    int gy = p[n - 1] + 2 * p[n] + p[n + 1] - p[-n - 1] - 2 * p[-n] - p[1 - n];
    out[y * n + x] = (uchar)min(255u, abs(gx) + abs(gy));
}
