// Vectors of two to four words moved whole: global, local, private and constant memory, aligned and packed, some lanes only,
// uniform addresses, and words of neighbouring accesses that are not one vector.
//
// data: f float[1024] random
// data: out float[1024] zero
// run: move4 64/32 f out
// run: move3 64/32 f out
// run: packed 64/16 f out
// run: some 64/32 f out
// run: shared 64/32 f out
// run: own 64/32 f out int:5
// run: uniform 64/32 f out int:7
// run: neighbours 64/32 f out
// data: l long[256] random
// data: lout long[256] zero
// run: longs 64/32 l lout
// run: mixed 64/32 l lout
// data: d long[256] zero
// data: dout long[256] zero
// run: to_doubles 64/32 f d
// run: doubles 64/32 d dout
// gives: f=e37d2added91e10e out=e6c3b76d62992179 l=8d30e29d7b2d50f1 lout=da8b11376aa15cd6 d=41e140c95b847621 dout=449c535d3b5847e4
kernel void move4(global const float4 *f, global float4 *out)
{
    size_t i = get_global_id(0);
    out[i] = f[i ^ 5] + f[i + 64].wzyx;
}
kernel void move3(global const float3 *f, global float3 *out)
{
    size_t i = get_global_id(0);
    out[i] += f[63 - i].zxy * 2.0f;
}
kernel void packed(global const float *f, global float *out)
{
    size_t i = get_global_id(0);
    vstore3(vload3(i, f + 1) - vload3(i, out + 2), i, out + 2);
    vstore2(vload2(i, f + 301), i, out + 401);
    vstore4(vload4(i, f + 513), i, out + 601);
}
kernel void some(global const float4 *f, global float4 *out)
{
    size_t i = get_global_id(0);
    if (i % 3)
        out[i] = out[i] + f[(i * 7) & 127];
    else
        out[i].yz = f[i].xy;
}
kernel void shared(global const float4 *f, global float4 *out)
{
    local float4 tile[32];
    local float2 halves[32];
    size_t i = get_global_id(0), l = get_local_id(0);
    tile[l] = f[i];
    halves[31 - l] = f[i + 64].yw;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] += tile[(l * 5) & 31] + (float4)(halves[l], halves[l ^ 1]);
}
kernel void own(global const float4 *f, global float4 *out, int k)
{
    float4 mine[6];
    float2 pairs[4];
    size_t i = get_global_id(0);
    for (int j = 0; j < 6; j++)
        mine[j] = f[i + j] * j;
    for (int j = 0; j < 4; j++)
        pairs[j] = f[i].zy + j;
    out[i] = mine[(i + k) % 6] - (float4)(pairs[i & 3], pairs[k & 3]);
}
kernel void uniform(constant float4 *f, global float4 *out, int n)
{
    float4 sum = 0;
    for (int j = 0; j < n; j++)
        sum = sum * 0.5f + f[j * 3];
    out[get_global_id(0)] += sum;
    if (get_global_id(0) == 3)
        out[64 + n] = sum;
}
kernel void neighbours(global const float *f, global float *out)
{
    size_t i = get_global_id(0);
    float a = f[i], b = f[i + 1], c = f[i + 2];
    out[3 * i] = c;
    out[3 * i + 1] = a * b;
    out[3 * i + 2] = b - c;
}
kernel void longs(global const long *l, global long2 *out)
{
    size_t i = get_global_id(0);
    out[i] = (long2)(l[i] + l[i + 1], l[i] * 3 - l[2 * i]);
}
kernel void to_doubles(global const float4 *f, global double4 *out)
{
    out[get_global_id(0)] = convert_double4(f[get_global_id(0)]);
}
kernel void doubles(global const double2 *d, global double2 *out)
{
    size_t i = get_global_id(0);
    out[i] = d[i] * d[i + 64].yx - d[127 - i];
}
struct mixed {
    char c;
    double d;
    float2 f;
    int i[3];
};
kernel void mixed(global const struct mixed *in, global struct mixed *out)
{
    size_t i = get_global_id(0);
    struct mixed m = in[i & 31];
    m.i[1] ^= m.i[2];
    m.f = m.f.yx;
    if (i < 32)
        out[i] = m;
}
