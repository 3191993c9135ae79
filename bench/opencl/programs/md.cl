//! buffer pos float 16384 noise
//! buffer force float 16384 zero
//! buffer near int 131072 below 4096
//! launch md 4096 / 128 : force pos 32 near 0.3 1.5 2.0 4096
kernel void md(global float4 *force, global const float4 *pos, int n, global const int *near, float cut, float lj1, float lj2,
               int count)
{
    int i = get_global_id(0);
    float4 p = pos[i], f = 0;
    for (int j = 0; j < n; j++) {
        float4 q = pos[near[j * count + i]];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut) {
            r2 = 1.0f / (r2 + 0.1f);
            float r6 = r2 * r2 * r2, k = r2 * r6 * (lj1 * r6 - lj2);
            f.x += dx * k, f.y += dy * k, f.z += dz * k;
        }
    }
    force[i] = f;
}
