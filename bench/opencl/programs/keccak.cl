//! buffer state uint 204800 below 2000000000
//! launch permute 4096 / 64 : state 4096
// 24 rounds on 25 64-bit words per item
constant ulong rounds[24] = {
    1, 0x8082, 0x800000000000808aUL, 0x8000000080008000UL, 0x808b, 0x80000001,
    0x8000000080008081UL, 0x8000000000008009UL, 0x8a, 0x88, 0x80008009, 0x8000000a,
    0x8000808b, 0x800000000000008bUL, 0x8000000000008089UL, 0x8000000000008003UL, 0x8000000000008002UL, 0x8000000000000080UL,
    0x800a, 0x800000008000000aUL, 0x8000000080008081UL, 0x8000000000008080UL, 0x80000001, 0x8000000080008008UL};
constant int turns[24] = {1, 3, 6, 10, 15, 21, 28, 36, 45, 55, 2, 14, 27, 41, 56, 8, 25, 43, 62, 18, 39, 61, 20, 44};
constant int lanes[24] = {10, 7, 11, 17, 18, 3, 5, 16, 8, 21, 24, 4, 15, 23, 19, 13, 12, 2, 20, 14, 22, 9, 6, 1};
kernel void permute(global ulong *state, int n)
{
    int i = get_global_id(0);
    ulong s[25], c[5];
    for (int k = 0; k < 25; k++)
        s[k] = state[k * n + i];
    for (int r = 0; r < 24; r++) {
        for (int x = 0; x < 5; x++)
            c[x] = s[x] ^ s[x + 5] ^ s[x + 10] ^ s[x + 15] ^ s[x + 20];
        for (int x = 0; x < 5; x++) {
            ulong t = c[(x + 4) % 5] ^ rotate(c[(x + 1) % 5], 1UL);
            for (int y = 0; y < 25; y += 5)
                s[y + x] ^= t;
        }
        ulong t = s[1];
        for (int k = 0; k < 24; k++) {
            ulong u = s[lanes[k]];
            s[lanes[k]] = rotate(t, (ulong)turns[k]);
            t = u;
        }
        for (int y = 0; y < 25; y += 5) {
            for (int x = 0; x < 5; x++)
                c[x] = s[y + x];
            for (int x = 0; x < 5; x++)
                s[y + x] = c[x] ^ (~c[(x + 1) % 5] & c[(x + 2) % 5]);
        }
        s[0] ^= rounds[r];
    }
    for (int k = 0; k < 25; k++)
        state[k * n + i] = s[k];
}
