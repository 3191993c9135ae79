//! buffer pos float 32768 positive
//! buffer first int 1025 steps 8
//! buffer force float 32768 zero
//! launch forces 8192 / 64 : pos first force 32 8192
// particles in cells of a 32 x 32 grid, eight in each: every item visits nine cells
kernel void forces(global const float4 *pos, global const int *first, global float4 *force, int cells, int n)
{
    int i = get_global_id(0);
    if (i >= n)
        return;
    int cell = i / 8, cx = cell % cells, cy = cell / cells;
    float4 me = pos[i], sum = (float4)(0);
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int x = cx + dx, y = cy + dy;
            if (x < 0 || y < 0 || x >= cells || y >= cells)
                continue;
            int c = y * cells + x;
            for (int j = first[c]; j < first[c + 1]; j++) {
                float4 d = me - pos[j];
                float r2 = d.x * d.x + d.y * d.y + d.z * d.z + 0.01f;
                if (j != i && r2 < 1.5f) {
                    float s = 1 / (r2 * r2 * r2);
                    sum += d * (s * (s - 0.5f));
                }
            }
        }
    force[i] = sum;
}
