//! buffer nodes float 32768 noise
//! buffer bodies float 16384 noise
//! buffer out float 16384 zero
//! launch forces 4096 / 64 : nodes bodies out
// a tree of four children, a stack in private memory
kernel void forces(global const float4 *nodes, global const float4 *bodies, global float4 *out)
{
    int id = get_global_id(0), stack[48], top = 0;
    float4 b = bodies[id];
    float3 a = 0;
    float size = 2;
    stack[top++] = 0;
    while (top) {
        int n = stack[--top], level = (31 - clz(3 * n + 1)) / 2;
        float4 m = nodes[n];
        float3 d = m.xyz - b.xyz;
        float r2 = dot(d, d) + 0.01f, s = size / (1 << level);
        if (s * s < r2 * 0.5f || n * 4 + 4 >= 8192)
            a += d * (m.w / (r2 * sqrt(r2)));
        else
            for (int k = 1; k <= 4 && top < 48; k++)
                stack[top++] = n * 4 + k;
    }
    out[id] = (float4)(a, 0);
}
