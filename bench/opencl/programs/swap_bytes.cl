//! buffer in uchar 1048576 below 256
//! buffer out uchar 1048576 zero
//! launch swap 131072 / 128 : in out
// numbers of eight bytes, from one byte order to the other
kernel void swap(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    for (int k = 0; k < 8; k++)
        out[8 * i + k] = in[8 * i + 7 - k];
}
