//! buffer in ushort 393216 below 15360
//! buffer out ushort 393216 zero
//! launch unit 131072 / 128 : in out
// three halves per item, in and out
kernel void unit(global const half *in, global half *out)
{
    int i = get_global_id(0);
    float3 v = vload_half3(i, in);
    vstore_half3(v / (v.x + v.y + v.z + 1.0f), i, out);
}
