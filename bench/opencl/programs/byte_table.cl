//! buffer in uchar 1048576 below 256
//! buffer table uchar 256 below 256
//! buffer out uchar 1048576 zero
//! launch look_up 262144 / 128 : in table out
kernel void look_up(global const uchar *in, constant uchar *table, global uchar *out)
{
    int i = get_global_id(0);
    uchar4 at = vload4(i, in);
    vstore4((uchar4)(table[at.x], table[at.y], table[at.z], table[at.w]), i, out);
}
