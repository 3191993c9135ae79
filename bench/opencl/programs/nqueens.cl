//! buffer masks uint 3072 below 400
//! buffer out uint 1024 zero
//! launch queens 1024 / 64 : masks out 9
kernel void queens(global const uint *masks, global uint *out, int n)
{
    local uint stack[64][10][4];
    int gid = get_global_id(0), lid = get_local_id(0), i = 0;
    uint board = (1u << n) - 1, total = 0;
    stack[lid][0][0] = masks[gid * 3] & board;
    stack[lid][0][1] = masks[gid * 3 + 1] & board;
    stack[lid][0][2] = masks[gid * 3 + 2] & board;
    stack[lid][0][3] = ~(stack[lid][0][0] | stack[lid][0][1] | stack[lid][0][2]) & board;
    while (i >= 0) {
        uint m = stack[lid][i][3];
        if (m == 0)
            i--;
        else {
            uint bit = m & -m;
            stack[lid][i][3] = m & ~bit;
            uint a = stack[lid][i][0] | bit, b = (stack[lid][i][1] | bit) << 1, c = (stack[lid][i][2] | bit) >> 1;
            if (a == board || i == 8)
                total++;
            else {
                i++;
                stack[lid][i][0] = a, stack[lid][i][1] = b, stack[lid][i][2] = c, stack[lid][i][3] = ~(a | b | c) & board;
            }
        }
    }
    out[gid] = total;
}
