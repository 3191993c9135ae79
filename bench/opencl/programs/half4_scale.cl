//! buffer in ushort 1048576 below 31744
//! buffer out ushort 1048576 zero
//! launch scale 262144 / 128 : in out 0.37
kernel void scale(global const half *in, global half *out, float by)
{
    int i = get_global_id(0);
    vstore_half4(vload_half4(i, in) * by + 0.125f, i, out);
}
