//! buffer pos float 32768 noise
//! buffer vel float 32768 zero
//! buffer hash uint 8192 zero
//! buffer index uint 8192 zero
//! buffer start uint 4096 steps 2
//! launch hashes 8192 / 256 : hash index pos 8192
//! launch integrate 8192 / 256 : pos vel 0.01 8192
//! launch collide 8192 / 64 : vel pos start 8192
uint cell(float4 p)
{
    int x = (int)floor((p.x + 1.0f) * 8.0f), y = (int)floor((p.y + 1.0f) * 8.0f), z = (int)floor((p.z + 1.0f) * 8.0f);
    return (uint)((z & 15) * 256 + (y & 15) * 16 + (x & 15));
}
kernel void hashes(global uint *hash, global uint *index, global const float4 *pos, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    hash[i] = cell(pos[i]), index[i] = i;
}
kernel void integrate(global float4 *pos, global float4 *vel, float dt, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float4 p = pos[i], v = vel[i];
    p.w = 1, v.w = 0;
    v += (float4)(0, -0.0003f, 0, 0) * dt;
    v *= 0.99f;
    p += v * dt;
    if (p.x < -0.95f)
        p.x = -0.95f, v.x *= -0.5f;
    if (p.x > 0.95f)
        p.x = 0.95f, v.x *= -0.5f;
    if (p.y < -0.95f)
        p.y = -0.95f, v.y *= -0.5f;
    if (p.y > 0.95f)
        p.y = 0.95f, v.y *= -0.5f;
    if (p.z < -0.95f)
        p.z = -0.95f, v.z *= -0.5f;
    if (p.z > 0.95f)
        p.z = 0.95f, v.z *= -0.5f;
    pos[i] = p, vel[i] = v;
}
kernel void collide(global float4 *vel, global const float4 *pos, global const uint *start, uint n)
{
    uint index = get_global_id(0);
    if (index >= n)
        return;
    float4 p = pos[index], force = 0;
    int cx = (int)floor((p.x + 1.0f) * 8.0f), cy = (int)floor((p.y + 1.0f) * 8.0f), cz = (int)floor((p.z + 1.0f) * 8.0f);
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                uint c = (uint)(((cz + z) & 15) * 256 + ((cy + y) & 15) * 16 + ((cx + x) & 15)), s = start[c];
                if (s == 0xffffffffu)
                    continue;
                for (uint j = s; j < s + 2; j++) {
                    if (j == index)
                        continue;
                    float4 q = pos[j], rel = (float4)(q.x - p.x, q.y - p.y, q.z - p.z, 0);
                    float dist = sqrt(rel.x * rel.x + rel.y * rel.y + rel.z * rel.z);
                    if (dist < 0.3f) {
                        float4 norm = rel / (dist + 0.001f);
                        force -= 0.5f * (0.3f - dist) * norm;
                    }
                }
            }
    vel[index] = vel[index] + force;
}
