//! buffer out uint 65536 zero
//! buffer in uint 2048 below 2147483647
//! launch hash 32768 / 64 : out in
// eighty rounds in a row: 11,500 instructions
#define R(x, n) rotate(x, (ulong)(64 - n))
#define ROUND(r)                                                                                                       \
    if ((r) >= 16)                                                                                                     \
        w[(r) & 15] += (R(w[((r) + 1) & 15], 1) ^ R(w[((r) + 1) & 15], 8) ^ (w[((r) + 1) & 15] >> 7)) + w[((r) + 9) & 15] +\
                     (R(w[((r) + 14) & 15], 19) ^ R(w[((r) + 14) & 15], 61) ^ (w[((r) + 14) & 15] >> 6));              \
    t = h + (R(e, 14) ^ R(e, 18) ^ R(e, 41)) + ((e & f) ^ (~e & g)) + 0x9e3779b97f4a7c15ul * ((r) + 1) + w[(r) & 15];  \
    u = (R(a, 28) ^ R(a, 34) ^ R(a, 39)) + ((a & b) ^ (a & c) ^ (b & c));                                              \
    h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
#define ROUNDS(r) ROUND(r) ROUND(r + 1) ROUND(r + 2) ROUND(r + 3) ROUND(r + 4)
#define MANY_ROUNDS(r) ROUNDS(r) ROUNDS(r + 5) ROUNDS(r + 10) ROUNDS(r + 15)
kernel void hash(global ulong *out, global const ulong *in)
{
    int i = get_global_id(0);
    ulong w[16], a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, t, u;
    for (int k = 0; k < 16; k++)
        w[k] = in[(i * 16 + k) & 1023] * 0x9e3779b97f4a7c15ul;
    MANY_ROUNDS(0) MANY_ROUNDS(20) MANY_ROUNDS(40) MANY_ROUNDS(60)
    out[i] = a + b + c + d + e + f + g + h;
}
