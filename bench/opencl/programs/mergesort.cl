//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! launch sort_four 16432 / 208 : in out 16384
//! launch merge_pass 8320 / 208 : out in 65536 8
kernel void sort_four(global const float4 *in, global float4 *out, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float4 r = in[i], nr;
    nr.x = r.x > r.y ? r.y : r.x;
    nr.y = r.y > r.x ? r.y : r.x;
    nr.z = r.z > r.w ? r.w : r.z;
    nr.w = r.w > r.z ? r.w : r.z;
    r.x = nr.x > nr.z ? nr.z : nr.x;
    r.y = nr.y > nr.w ? nr.w : nr.y;
    r.z = nr.z > nr.x ? nr.z : nr.x;
    r.w = nr.w > nr.y ? nr.w : nr.y;
    nr.x = r.x;
    nr.y = r.y > r.z ? r.z : r.y;
    nr.z = r.z > r.y ? r.z : r.y;
    nr.w = r.w;
    out[i] = nr;
}
kernel void merge_pass(global const float *in, global float *out, int n, int size)
{
    int i = get_global_id(0), start = i * size;
    if (start >= n)
        return;
    int a = start, b = start + size / 2, ea = b, eb = start + size;
    for (int k = start; k < eb; k++)
        out[k] = b >= eb || (a < ea && in[a] <= in[b]) ? in[a++] : in[b++];
}
