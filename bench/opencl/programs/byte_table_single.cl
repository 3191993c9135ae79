//! buffer in uchar 262144 below 256
//! buffer table uchar 256 below 256
//! buffer out uchar 262144 zero
//! launch look_up 262144 / 128 : in table out
kernel void look_up(global const uchar *in, constant uchar *table, global uchar *out)
{
    int i = get_global_id(0);
    out[i] = table[in[i]];
}
