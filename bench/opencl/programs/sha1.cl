//! buffer in uint 65536 below 2000000000
//! buffer out uint 20480 zero
//! launch sha1 4096 / 64 : in out
kernel void sha1(global const uint *in, global uint *out)
{
    int g = get_global_id(0);
    uint w[16];
    for (int i = 0; i < 16; i++)
        w[i] = in[g * 16 + i];
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476, e = 0xc3d2e1f0;
    for (int t = 0; t < 80; t++) {
        uint f, k, x;
        if (t < 16)
            x = w[t];
        else
            x = w[t & 15] = rotate(w[(t - 3) & 15] ^ w[(t - 8) & 15] ^ w[(t - 14) & 15] ^ w[t & 15], 1u);
        if (t < 20)
            f = (b & c) | (~b & d), k = 0x5a827999;
        else if (t < 40)
            f = b ^ c ^ d, k = 0x6ed9eba1;
        else if (t < 60)
            f = (b & c) | (b & d) | (c & d), k = 0x8f1bbcdc;
        else
            f = b ^ c ^ d, k = 0xca62c1d6;
        x += rotate(a, 5u) + f + e + k;
        e = d, d = c, c = rotate(b, 30u), b = a, a = x;
    }
    out[g * 5] = a, out[g * 5 + 1] = b, out[g * 5 + 2] = c, out[g * 5 + 3] = d, out[g * 5 + 4] = e;
}
