//! buffer in ushort 1048576 below 1000
//! buffer out uchar 1048576 zero
//! launch pack 262144 / 128 : in out
kernel void pack(global const ushort *in, global uchar *out)
{
    int i = get_global_id(0);
    vstore4(convert_uchar4_sat((vload4(i, in) + (ushort)2) >> (ushort)2), i, out);
}
