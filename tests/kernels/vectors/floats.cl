// Vectors of floats: components, geometry, masks of compares.
//
// data: a float[512] random -8 8
// data: out float[512] zero
// run: arithmetic 128/32 a out
// gives: a=d432ba7ac5a3ab9f out=95a9acde30726f6c
// data: a float[512] random -8 8
// data: out int[512] zero
// run: masks 128/32 a out
// gives: a=d432ba7ac5a3ab9f out=b1cdf22b997e2cae
// data: a float[1024] random -8 8
// data: out float[1024] zero
// run: swizzles 64/32 a out
// gives: a=655d5fc7f03c7ec2 out=bd28664f0f5f0d81
// data: a float[384] random -4 4
// data: b float[384] random -4 4
// data: out float[768] zero
// run: geometry 128/64 a b out
// near: 1e-5
// gives: a=1.95176824,0.532470703,3.15148926,2.84765625,3.25268555,2.96484375,-2.88977051,-2.86474609,2.96520996 b=1.94950104,0.729492188,-2.59802246,0.536987305,1.37109375,-3.49169922,-1.3861084,0.267211914,0.734375 out=6.85762994,-5.11217451,-4.37948513,18.8822517,-10.9209576,3.86462641,-9.06061935,7.44203901,0.937233686
// data: a float[256] random 0 4
// data: out float[256] zero
// run: matrix 16/16 a out
// gives: a=0f15aca1e23f099a out=de2dbb613a64891d

#pragma OPENCL FP_CONTRACT OFF

kernel void arithmetic(global const float4 *a, global float4 *out)
{
    int i = get_global_id(0);
    float4 x = a[i], y = a[127 - i];
    float4 r = x * y - x.yzwx + 2.5f;
    r = fmax(r, -y) + fmin(x, fabs(y)) * (float4)(1, 2, 4, 8);
    r.xz -= floor(y.wy);
    r.w = x.x + x.y * x.z;
    out[i] = i & 3 ? r : -r;
}

kernel void masks(global const float4 *a, global int4 *out)
{
    int i = get_global_id(0);
    float4 x = a[i], y = rint(a[127 - i]);
    int4 m = (x < y) ^ isgreaterequal(x, y.wzyx) ^ (int4)(y == 0);
    float4 picked = m ? x : y;
    picked = select(picked, -picked, m & signbit(x));
    out[i] = convert_int4_sat(picked * 1000) + m * (int4)(1, 3, 5, 7) + isequal(rint(x), y);
}

kernel void swizzles(global const float16 *a, global float16 *out)
{
    int i = get_global_id(0);
    float16 x = a[i], r = x.s0246813579acefbd;
    r.lo += x.hi;
    r.odd = r.even * 2;
    r.s05a = x.s333;
    float8 h = (float8)(x.s01, r.s4567.xz, x.lo.hi);
    r.hi = (float8)(h.even, h.odd.wzyx);
    r.s37.y = x.lo.lo.lo.x;
    out[i] = r;
}

kernel void geometry(global const float *a, global const float *b, global float *out)
{
    int i = get_global_id(0);
    float3 x = vload3(i, a), y = vload3(i, b);
    float3 c = cross(x, y);
    vstore3(c + normalize(x) * dot(x, y), i * 2, out);
    vstore3((float3)(length(y), distance(x, y), fast_length(c)), i * 2 + 1, out);
}

// A 4 x 4 matrix times its transpose, rows in an array of vectors.
kernel void matrix(global const float4 *a, global float4 *out)
{
    int i = get_global_id(0);
    float4 m[4], t[4];
    for (int j = 0; j < 4; j++)
        m[j] = floor(a[i * 4 + j]);
    t[0] = (float4)(m[0].x, m[1].x, m[2].x, m[3].x);
    t[1] = (float4)(m[0].y, m[1].y, m[2].y, m[3].y);
    t[2] = (float4)(m[0].z, m[1].z, m[2].z, m[3].z);
    t[3] = (float4)(m[0].w, m[1].w, m[2].w, m[3].w);
    for (int j = 0; j < 4; j++)
        out[i * 4 + j] = m[j].x * t[0] + m[j].y * t[1] + m[j].z * t[2] + m[j].w * t[3];
}
