// --global 256 -l 128 -a buffer:f32:1024=random:1 -a buffer:f32:1024 -a 256 -a 0.01 -a local:2048  out 1
// Accelerations of bodies (x, y, z, mass) on each other, positions by tiles in local memory.
kernel void nbody(global const float4 *body, global float4 *force, int n, float softening, local float4 *tile)
{
    int me = get_global_id(0), lane = get_local_id(0), size = get_local_size(0);
    float4 p = body[me];
    float fx = 0, fy = 0, fz = 0;
    for (int start = 0; start < n; start += size) {
        tile[lane] = body[start + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < size; k++) {
            float4 q = tile[k];
            float dx = q.x - p.x, dy = q.y - p.y, dz = q.z - p.z;
            float inverse = 1.0f / sqrt(dx * dx + dy * dy + dz * dz + softening);
            float pull = q.w * inverse * inverse * inverse;
            fx += dx * pull;
            fy += dy * pull;
            fz += dz * pull;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[me] = (float4)(fx, fy, fz, 0.0f);
}
