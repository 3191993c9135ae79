//! buffer a uchar 262144 below 256
//! buffer b uchar 262144 below 256
//! buffer out uchar 262144 zero
//! launch saturate 16384 / 128 : a b out
kernel void saturate(global const char16 *a, global const char16 *b, global char16 *out)
{
    int i = get_global_id(0);
    char16 x = a[i], y = b[i];
    out[i] = select(add_sat(x, y), sub_sat(x, y), x > y) ^ max(hadd(x, y), min(x, y)) + convert_char16_sat(convert_short16(x) * convert_short16(y) >> (short16)4);
}
