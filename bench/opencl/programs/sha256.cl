//! buffer in uint 65536 below 2000000000
//! buffer k uint 64 below 2000000000
//! buffer out uint 32768 zero
//! launch digest 4096 / 128 : in k out
// a schedule of sixteen words, indexed modulo sixteen
kernel void digest(global const uint *in, constant uint *k, global uint *out)
{
    int i = get_global_id(0);
    uint w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int j = 0; j < 16; j++)
        w[j] = in[i * 16 + j];
    for (int r = 0; r < 64; r++) {
        if (r >= 16) {
            uint a = w[(r - 15) & 15], b = w[(r - 2) & 15];
            w[r & 15] += (rotate(a, 25u) ^ rotate(a, 14u) ^ (a >> 3)) + w[(r - 7) & 15] + (rotate(b, 15u) ^ rotate(b, 13u) ^ (b >> 10));
        }
        uint e = s[4], a = s[0];
        uint t = s[7] + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + bitselect(s[6], s[5], e) + k[r] + w[r & 15];
        uint u = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + bitselect(s[1], a, s[1] ^ s[2] ^ ~0u);
        s[7] = s[6], s[6] = s[5], s[5] = e, s[4] = s[3] + t, s[3] = s[2], s[2] = s[1], s[1] = a, s[0] = t + u;
    }
    for (int j = 0; j < 8; j++)
        out[i * 8 + j] = s[j];
}
