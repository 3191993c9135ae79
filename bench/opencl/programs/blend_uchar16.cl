//! buffer a uchar 262144 below 256
//! buffer b uchar 262144 below 256
//! buffer out uchar 262144 zero
//! launch blend 16384 / 128 : a b out 77
kernel void blend(global const uchar16 *a, global const uchar16 *b, global uchar16 *out, int alpha)
{
    int i = get_global_id(0);
    ushort16 x = convert_ushort16(a[i]), y = convert_ushort16(b[i]);
    out[i] = convert_uchar16((x * (ushort)alpha + y * (ushort)(255 - alpha) + (ushort)128) >> (ushort)8);
}
