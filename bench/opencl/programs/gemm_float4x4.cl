//! buffer a float 65536 noise
//! buffer b float 65536 noise
//! buffer c float 65536 zero
//! launch mm 64 64 / 8 8 : a b c 64
kernel void mm(global const float4 *a, global const float4 *b, global float4 *c, int n4)
{
    int2 pos = (int2)(get_global_id(0), get_global_id(1));
    float4 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (int i = 0; i < n4; i++) {
        float4 a0 = a[i + (pos.y * 4 + 0) * n4], a1 = a[i + (pos.y * 4 + 1) * n4];
        float4 a2 = a[i + (pos.y * 4 + 2) * n4], a3 = a[i + (pos.y * 4 + 3) * n4];
        float4 b0 = b[pos.x + (i * 4 + 0) * n4], b1 = b[pos.x + (i * 4 + 1) * n4];
        float4 b2 = b[pos.x + (i * 4 + 2) * n4], b3 = b[pos.x + (i * 4 + 3) * n4];
        s0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        s1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        s2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        s3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
    }
    c[pos.x + (pos.y * 4 + 0) * n4] = s0;
    c[pos.x + (pos.y * 4 + 1) * n4] = s1;
    c[pos.x + (pos.y * 4 + 2) * n4] = s2;
    c[pos.x + (pos.y * 4 + 3) * n4] = s3;
}
