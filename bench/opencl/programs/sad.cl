//! buffer cur ushort 16384 below 256
//! buffer ref ushort 40000 below 256
//! buffer out ushort 262144 zero
//! launch sad 1024 64 / 64 1 : cur ref out 128 200
// 4x4 blocks against 64 displacements
kernel void sad(global const ushort *cur, global const ushort *ref, global ushort *out, int width, int rwidth)
{
    int block = get_global_id(0), d = get_global_id(1), bx = block % 32 * 4, by = block / 32 * 4;
    int rx = bx + d % 8 * 4, ry = by + d / 8 * 4, sum = 0;
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            sum += abs((int)cur[(by + y) * width + bx + x] - (int)ref[(ry + y) * rwidth + rx + x]);
    out[d * 1024 + block] = sum;
}
