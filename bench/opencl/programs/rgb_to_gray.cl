//! buffer in uchar 786432 below 256
//! buffer out uchar 262144 zero
//! launch gray 512 512 / 16 16 : in out 512
kernel void gray(global const uchar *in, global uchar *out, int w)
{
    int x = get_global_id(0), y = get_global_id(1), i = y * w + x;
    uchar3 c = vload3(i, in);
    out[i] = (uchar)((c.x * 77 + c.y * 151 + c.z * 28) >> 8);
}
