//! buffer bins float 65536 noise
//! buffer near int 27 below 64
//! buffer out float 32768 zero
//! launch cutcp 512 64 / 128 1 : out bins near 4.0 0.0625 27
// potentials of a lattice, by bins of eight atoms
kernel void cutcp(global float *out, global const float4 *bins, constant int *near, float cutoff2, float inverse, int count)
{
    local float4 atoms[64];
    int lid = get_local_id(0), x = lid & 7, y = (lid >> 3) & 7, z = lid >> 6, g = get_group_id(0) + 4 * get_group_id(1);
    float e0 = 0, e1 = 0, e2 = 0, fx = 0.3f * x, fy = 0.3f * y, fz = 0.3f * z;
    for (int n = 0; n < count; n += 8) {
        int many = min(8, count - n);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < 64)
            atoms[lid] = (lid >> 3) < many ? bins[(near[n + min(lid >> 3, many - 1)] * 256 + g * 8 + (lid & 7)) & 16383]
                                           : (float4)(0, 0, 0, -1);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < many * 8; i++) {
            float4 a = atoms[i];
            if (a.w < 0.1f)
                break;
            float dx = a.x - fx, dz = a.z - fz, dxz = dx * dx + dz * dz, dy = a.y - fy, r2;
            r2 = dy * dy + dxz;
            if (r2 < cutoff2) {
                float s = 1.0f - r2 * inverse;
                e0 += a.w * rsqrt(r2 + 0.01f) * s * s;
            }
            dy -= 0.3f, r2 = dy * dy + dxz;
            if (r2 < cutoff2) {
                float s = 1.0f - r2 * inverse;
                e1 += a.w * rsqrt(r2 + 0.01f) * s * s;
            }
            dy -= 0.3f, r2 = dy * dy + dxz;
            if (r2 < cutoff2) {
                float s = 1.0f - r2 * inverse;
                e2 += a.w * rsqrt(r2 + 0.01f) * s * s;
            }
        }
    }
    int at = (get_global_id(1) * 512 + get_global_id(0));
    out[at] = e0 + e1 + e2;
}
