// Bytes, one per item.
kernel void copy(global const uchar *in, global uchar *out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}
