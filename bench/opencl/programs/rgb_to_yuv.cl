//! buffer in uchar 786432 below 256
//! buffer y uchar 262144 zero
//! buffer u uchar 262144 zero
//! buffer v uchar 262144 zero
//! launch planes 262144 / 256 : in y u v
kernel void planes(global const uchar *in, global uchar *y, global uchar *u, global uchar *v)
{
    int i = get_global_id(0), r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2];
    y[i] = (uchar)(((66 * r + 129 * g + 25 * b + 128) >> 8) + 16);
    u[i] = (uchar)(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
    v[i] = (uchar)(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
}
