//! buffer in uchar 1048576 below 256
//! buffer out uchar 1048576 zero
//! launch sobel 512 512 / 16 16 : in out
kernel void sobel(global const uchar4 *in, global uchar4 *out)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint width = get_global_size(0), height = get_global_size(1);
    uint c = x + y * width;
    if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
        int4 i00 = convert_int4(in[c - 1 - width]), i10 = convert_int4(in[c - width]), i20 = convert_int4(in[c + 1 - width]);
        int4 i01 = convert_int4(in[c - 1]), i21 = convert_int4(in[c + 1]);
        int4 i02 = convert_int4(in[c - 1 + width]), i12 = convert_int4(in[c + width]), i22 = convert_int4(in[c + 1 + width]);
        int4 gx = i00 + 2 * i10 + i20 - i02 - 2 * i12 - i22;
        int4 gy = i00 - i20 + 2 * i01 - 2 * i21 + i02 - i22;
        out[c] = convert_uchar4_sat((convert_int4(abs(gx)) + convert_int4(abs(gy))) >> 1);
    }
}
