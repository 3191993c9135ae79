// Molecular dynamics: forces of 32 neighbours from a list, positions gathered.
kernel void gather(global const float4 *position, global const int *neighbours, global float4 *force, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    float4 here = position[i], sum = 0;
    for (int k = 0; k < 32; k++) {
        float4 d = here - position[neighbours[k * n + i]];
        float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.5f;
        float r6 = 1.0f / (r2 * r2 * r2);
        sum += d * (r6 * (r6 - 0.5f) / r2);
    }
    force[i] = sum;
}
