//! buffer in uchar 786432 below 256
//! buffer out uchar 786432 zero
//! launch gain 262144 / 128 : in out 181
// samples of 24 bits
kernel void gain(global const uchar *in, global uchar *out, int by)
{
    int i = get_global_id(0);
    int v = in[3 * i] | in[3 * i + 1] << 8 | (int)(char)in[3 * i + 2] << 16;
    v = (v >> 8) * by + ((v & 255) * by >> 8);
    out[3 * i] = (uchar)v;
    out[3 * i + 1] = (uchar)(v >> 8);
    out[3 * i + 2] = (uchar)(v >> 16);
}
