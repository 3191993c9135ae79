//! buffer volume float 32768 positive
//! buffer out float 65536 zero
//! launch march 128 128 / 8 8 : volume out
// trilinear samples along a ray, left when opaque
float sample(global const float *v, float4 p)
{
    float4 q = clamp(p * 31.0f, 0.0f, 30.999f);
    int x = (int)q.x, y = (int)q.y, z = (int)q.z, at = (z * 32 + y) * 32 + x;
    float fx = q.x - x, fy = q.y - y, fz = q.z - z;
    return mix(mix(mix(v[at], v[at + 1], fx), mix(v[at + 32], v[at + 33], fx), fy),
               mix(mix(v[at + 1024], v[at + 1025], fx), mix(v[at + 1056], v[at + 1057], fx), fy), fz);
}
kernel void march(global const float *volume, global float4 *out)
{
    int x = get_global_id(0), y = get_global_id(1);
    float4 o = (float4)(x / 128.0f, y / 128.0f, -0.2f, 0), d = normalize((float4)(0.1f, 0.05f, 1, 0)), sum = 0;
    for (int i = 0; i < 100; i++) {
        float4 p = o + d * (i * 0.015f);
        if (p.z < 0 || p.x > 1 || p.y > 1)
            continue;
        if (p.z > 1)
            break;
        float s = sample(volume, p), a = s * 0.08f * (1 - sum.w);
        sum += (float4)(s * a, s * s * a, (1 - s) * a, a);
        if (sum.w > 0.95f)
            break;
    }
    out[y * 128 + x] = sum;
}
