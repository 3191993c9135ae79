// Needleman-Wunsch: the 16x16 blocks of one anti-diagonal, each swept by 16 items in local memory.
kernel void nw(global int *score, global const int *reference, int n, int diagonal, int penalty, local int *block)
{
    int x = get_local_id(0), bx = get_group_id(0), by = diagonal - bx;
    int base = by * 16 * n + bx * 16; // of the cell north-west of the block
    if (x == 0)
        block[0] = score[base];
    block[x + 1] = score[base + x + 1];
    block[(x + 1) * 17] = score[base + (x + 1) * n];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 0; step < 31; step++) {
        int y = step - x;
        if (y >= 0 && y < 16) {
            int match = block[y * 17 + x] + reference[base + (y + 1) * n + x + 1];
            int gap = max(block[y * 17 + x + 1], block[(y + 1) * 17 + x]) - penalty;
            block[(y + 1) * 17 + x + 1] = max(match, gap);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 1; y <= 16; y++)
        score[base + y * n + x + 1] = block[y * 17 + x + 1];
}
