//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! launch sort4 16384 / 64 : in out 16384
//! launch pass 8192 / 64 : out in 16384 1
// hybrid sort: four sorted per item, then merged lists
float4 sorted(float4 r)
{
    float4 q = (float4)(r.x > r.y ? r.yx : r.xy, r.z > r.w ? r.wz : r.zw);
    float2 t = q.x > q.z ? q.zx : q.xz, u = q.y > q.w ? q.wy : q.yw;
    return (float4)(t.x, t.y < u.x ? t.y : u.x, t.y < u.x ? u.x : t.y, u.y);
}
kernel void sort4(global const float4 *in, global float4 *out, int n)
{
    int g = get_global_id(0);
    if (g < n)
        out[g] = sorted(in[g]);
}
kernel void pass(global const float4 *in, global float4 *out, int n, int length)
{
    int g = get_global_id(0), a = g * 2 * length, b = a + length, ai = 0, bi = 0, o = a;
    if (a >= n)
        return;
    float4 x = in[a], y = in[b];
    while (1) {
        float4 lo = fmin(x, y.wzyx), hi = fmax(x, y.wzyx);
        lo = sorted(lo), hi = sorted(hi);
        out[o++] = lo;
        ai++;
        if (ai >= length && bi >= length) {
            out[o] = hi;
            break;
        }
        bi++;
        if (ai >= length || bi >= length) {
            out[o] = hi;
            break;
        }
        x = hi, y = in[b + bi];
    }
}
