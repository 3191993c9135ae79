//! buffer in uchar 786432 below 256
//! buffer out uchar 786432 zero
//! launch flip 512 512 / 16 16 : in out 512
kernel void flip(global const uchar *in, global uchar *out, int w)
{
    int x = get_global_id(0), y = get_global_id(1);
    vstore3(vload3(y * w + x, in), y * w + (w - 1 - x), out);
}
