//! buffer a uchar 1048576 below 256
//! buffer b uchar 1048576 below 256
//! buffer out uchar 1048576 zero
//! launch blend 262144 / 128 : a b out
// the pixels of one picture over those of another, by its alpha
kernel void blend(global const uchar *a, global const uchar *b, global uchar *out)
{
    int i = get_global_id(0);
    int4 over = convert_int4(vload4(i, a)), under = convert_int4(vload4(i, b));
    int alpha = over.w;
    vstore4(convert_uchar4((over * alpha + under * (255 - alpha) + 127) / 255), i, out);
}
