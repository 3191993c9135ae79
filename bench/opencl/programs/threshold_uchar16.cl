//! buffer in uchar 1048576 below 256
//! buffer out uchar 1048576 zero
//! launch threshold 65536 / 256 : in out 100
kernel void threshold(global const uchar16 *in, global uchar16 *out, int level)
{
    int i = get_global_id(0);
    uchar16 x = in[i];
    out[i] = select((uchar16)0, (uchar16)255, x > (uchar16)(uchar)level);
}
