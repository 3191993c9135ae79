//! buffer a ushort 1048576 below 15360
//! buffer b ushort 1048576 below 15360
//! buffer out float 131072 zero
//! launch products 131072 / 128 : a b out
kernel void products(global const half *a, global const half *b, global float *out)
{
    int i = get_global_id(0);
    float8 p = vload_half8(i, a) * vload_half8(i, b);
    float4 q = p.lo + p.hi;
    out[i] = q.x + q.y + q.z + q.w;
}
