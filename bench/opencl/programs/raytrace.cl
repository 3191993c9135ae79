//! buffer spheres float 128 noise
//! buffer out uchar 65536 zero
//! launch trace 128 128 / : spheres out 128 16
typedef struct { float4 centre; float4 colour; } sphere;
kernel void trace(global const sphere *s, global uchar4 *out, int w, int n)
{
    int x = get_global_id(0), y = get_global_id(1), hit = -1;
    float3 o = (float3)(0, 0, -3), d = normalize((float3)((x - w / 2) * 2.0f / w, (y - w / 2) * 2.0f / w, 2.0f));
    float near = 1e9f, fade = 1;
    float3 c = 0;
    for (int bounce = 0; bounce < 3; bounce++) {
        near = 1e9f, hit = -1;
        for (int i = 0; i < n; i++) {
            float3 oc = o - s[i].centre.xyz;
            float b = dot(oc, d), q = dot(oc, oc) - 0.09f, det = b * b - q;
            if (det > 0) {
                float t = -b - sqrt(det);
                if (t > 0.001f && t < near)
                    near = t, hit = i;
            }
        }
        if (hit < 0)
            break;
        float3 p = o + d * near, m = normalize(p - s[hit].centre.xyz);
        float light = fmax(0.0f, dot(m, (float3)(0.577f, 0.577f, -0.577f)));
        c += fade * light * fabs(s[hit].colour.xyz);
        fade *= 0.5f;
        d = d - 2.0f * dot(d, m) * m, o = p;
    }
    out[y * w + x] = convert_uchar4_sat((float4)(c, 1) * 255.0f);
}
