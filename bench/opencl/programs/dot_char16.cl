//! buffer a uchar 1048576 below 256
//! buffer b uchar 1048576 below 256
//! buffer out int 65536 zero
//! launch products 65536 / 128 : a b out
kernel void products(global const char *a, global const char *b, global int *out)
{
    int i = get_global_id(0);
    int16 p = convert_int16(vload16(i, a)) * convert_int16(vload16(i, b));
    int8 q = p.lo + p.hi;
    int4 r = q.lo + q.hi;
    out[i] = r.x + r.y + r.z + r.w;
}
