// --global 64,32 -l 16,8 -a buffer:u8:9216=random:1 -a buffer:u8:8192 -a 64 -a 40  out 1
// A filter over an image of four bytes per pixel: conversions, saturation, byte vectors.
kernel void pixels(global const uchar4 *in, global uchar4 *out, int pitch, int gain)
{
    int x = get_global_id(0), y = get_global_id(1);
    int4 here = convert_int4(in[y * pitch + x]), right = convert_int4(in[y * pitch + x + 1]),
         below = convert_int4(in[(y + 1) * pitch + x]);
    int4 edge = abs_diff(here, right) + abs_diff(here, below) > 0 ? here * 2 - (right + below) / 2 : here;
    uchar4 result = convert_uchar4_sat(edge + gain);
    result.w = max(in[y * pitch + x].w, (uchar)1);
    out[y * get_global_size(0) + x] = result;
}
