//! buffer in uint 65536 below 1000000000
//! buffer out uint 32768 zero
//! launch sha512 2048 / 64 : in out
constant ulong K[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc, 0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2, 0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65, 0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4, 0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df, 0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b};
#define ROR(x, n) rotate(x, (ulong)(64 - n))
kernel void sha512(global const ulong *in, global ulong *out)
{
    int i = get_global_id(0);
    ulong w[16], a = 0x6a09e667f3bcc908, b = 0xbb67ae8584caa73b, c = 0x3c6ef372fe94f82b, d = 0xa54ff53a5f1d36f1, e = 0x510e527fade682d1,
                 f = 0x9b05688c2b3e6c1f, g = 0x1f83d9abfb41bd6b, h = 0x5be0cd19137e2179;
    for (int k = 0; k < 16; k++)
        w[k] = in[i * 16 + k];
    for (int r = 0; r < 80; r++) {
        if (r >= 16) {
            ulong x = w[(r - 15) & 15], y = w[(r - 2) & 15];
            w[r & 15] += (ROR(x, 1) ^ ROR(x, 8) ^ x >> 7) + w[(r - 7) & 15] + (ROR(y, 19) ^ ROR(y, 61) ^ y >> 6);
        }
        ulong t = h + (ROR(e, 14) ^ ROR(e, 18) ^ ROR(e, 41)) + bitselect(g, f, e) + K[r % 40] + w[r & 15];
        ulong u = (ROR(a, 28) ^ ROR(a, 34) ^ ROR(a, 39)) + bitselect(c, b, a ^ c);
        h = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
    }
    out[i * 8] = a, out[i * 8 + 1] = b, out[i * 8 + 2] = c, out[i * 8 + 3] = d;
    out[i * 8 + 4] = e, out[i * 8 + 5] = f, out[i * 8 + 6] = g, out[i * 8 + 7] = h;
}
