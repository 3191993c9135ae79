//! buffer in uchar 1048576 below 256
//! buffer out uchar 1048576 zero
//! launch gauss 64 1022 / 64 1 : in out 64
kernel void gauss(global const uchar16 *in, global uchar16 *out, int pitch)
{
    int i = (get_global_id(1) + 1) * pitch + get_global_id(0);
    ushort16 s = convert_ushort16(in[i - pitch]) + convert_ushort16(in[i + pitch]) + (convert_ushort16(in[i]) << (ushort)1);
    out[i] = convert_uchar16((s + (ushort)2) >> (ushort)2);
}
