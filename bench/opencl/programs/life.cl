//! buffer a uchar 65536 below 2
//! buffer b uchar 65536 zero
//! loop 4
//! launch life 256 256 / 16 16 : a b 256 256
//! launch life 256 256 / 16 16 : b a 256 256
kernel void life(global const uchar *in, global uchar *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), n = 0;
    int l = (x + w - 1) % w, r = (x + 1) % w, u = (y + h - 1) % h, d = (y + 1) % h;
    n = in[u * w + l] + in[u * w + x] + in[u * w + r] + in[y * w + l] + in[y * w + r] + in[d * w + l] + in[d * w + x] +
        in[d * w + r];
    out[y * w + x] = n == 3 || (n == 2 && in[y * w + x]);
}
