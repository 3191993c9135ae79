//! buffer position float 16384 noise
//! buffer cells int 4097 ragged 2
//! buffer density float 4096 zero
//! launch density 4096 / 64 : position cells density
kernel void density(global const float4 *position, global const int *cells, global float *density)
{
    int id = get_global_id(0);
    float4 p = position[id];
    int3 c = convert_int3((p.xyz + 1) * 7.9f);
    float sum = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++) {
                int3 n = c + (int3)(x, y, z);
                if (any(n < 0) || any(n > 15))
                    continue;
                int h = (n.z * 16 + n.y) * 16 + n.x;
                for (int k = cells[h]; k < cells[h + 1]; k++) {
                    float4 d = position[k & 4095] - p;
                    float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
                    if (r2 < 0.5f)
                        sum += (0.5f - r2) * (0.5f - r2) * (0.5f - r2);
                }
            }
    density[id] = sum;
}
