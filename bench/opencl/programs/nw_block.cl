//! buffer ref int 1050625 below 20
//! buffer matrix int 1050625 below 20
//! loop 8
//! launch nw 1024 / 16 : ref matrix 1025 10 63 l1156 l1024
// one anti-diagonal of 64 blocks
#define B 16
kernel void nw(global int *ref, global int *matrix, int cols, int penalty, int last, local int *t, local int *r)
{
    int bx = get_group_id(0), tx = get_local_id(0), by = last - bx;
    int base = cols * B * by + B * bx;
    int index = base + tx + cols + 1, n = base + tx + 1, w = base + cols, nw = base;
    if (tx == 0)
        t[0] = matrix[nw];
    for (int ty = 0; ty < B; ty++)
        r[ty * B + tx] = ref[index + cols * ty];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[(tx + 1) * (B + 1)] = matrix[w + cols * tx];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[tx + 1] = matrix[n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int m = 0; m < B; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            t[y * (B + 1) + x] = max(max(t[(y - 1) * (B + 1) + x - 1] + r[(y - 1) * B + x - 1], t[y * (B + 1) + x - 1] - penalty),
                                     t[(y - 1) * (B + 1) + x] - penalty);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int m = B - 2; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + B - m, y = B - tx;
            t[y * (B + 1) + x] = max(max(t[(y - 1) * (B + 1) + x - 1] + r[(y - 1) * B + x - 1], t[y * (B + 1) + x - 1] - penalty),
                                     t[(y - 1) * (B + 1) + x] - penalty);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int ty = 0; ty < B; ty++)
        matrix[index + ty * cols] = t[(ty + 1) * (B + 1) + tx + 1];
}
