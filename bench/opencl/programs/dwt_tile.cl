//! buffer in int 262144 below 256
//! buffer out int 262144 zero
//! launch fdwt 512 64 / 64 1 : in out 512 512
#define W 64
#define H 8
kernel void fdwt(global const int *in, global int *out, int sx, int sy)
{
    local int t[(H + 4) * (W + 4)];
    int tx = get_local_id(0), x0 = get_group_id(0) * W, y0 = get_group_id(1) * H;
    for (int y = 0; y < H + 4; y++)
        for (int x = tx; x < W + 4; x += W) {
            int gx = x0 + x - 2, gy = y0 + y - 2;
            gx = gx < 0 ? -gx : gx >= sx ? 2 * sx - 2 - gx : gx;
            gy = gy < 0 ? -gy : gy >= sy ? 2 * sy - 2 - gy : gy;
            t[y * (W + 4) + x] = in[gy * sx + gx];
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int y = tx; y < H + 4; y += W) {
        local int *r = t + y * (W + 4);
        for (int x = 1; x < W + 3; x += 2)
            r[x] -= (r[x - 1] + r[x + 1]) / 2;
        for (int x = 2; x < W + 2; x += 2)
            r[x] += (r[x - 1] + r[x + 1] + 2) / 4;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int x = tx; x < W + 4; x += W) {
        for (int y = 1; y < H + 3; y += 2)
            t[y * (W + 4) + x] -= (t[(y - 1) * (W + 4) + x] + t[(y + 1) * (W + 4) + x]) / 2;
        for (int y = 2; y < H + 2; y += 2)
            t[y * (W + 4) + x] += (t[(y - 1) * (W + 4) + x] + t[(y + 1) * (W + 4) + x] + 2) / 4;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) < 8)
        for (int y = 0; y < H; y++) {
            int gx = x0 + tx, gy = y0 + y;
            out[(gy / 2 + gy % 2 * sy / 2) * sx + gx / 2 + gx % 2 * sx / 2] = t[(y + 2) * (W + 4) + tx + 2];
        }
}
