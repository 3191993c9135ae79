//! buffer in uint 65536 below 65536
//! buffer table uint 256 below 65536
//! buffer key uint 44 below 65536
//! buffer out uint 65536 zero
//! launch encrypt 16384 / 64 : in table key out
// ten rounds of table look-ups
kernel void encrypt(global const uint4 *in, global const uint *table, constant uint *key, global uint4 *out)
{
    local uint t[256];
    for (int i = get_local_id(0); i < 256; i += 64)
        t[i] = table[i] * 65537;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 s = in[get_global_id(0)];
    for (int r = 0; r < 11; r++) {
        uint4 n;
        n.x = t[s.x & 255] ^ rotate(t[s.y >> 8 & 255], 8u) ^ rotate(t[s.z >> 16 & 255], 16u) ^ rotate(t[s.w >> 24], 24u) ^ key[4 * r];
        n.y = t[s.y & 255] ^ rotate(t[s.z >> 8 & 255], 8u) ^ rotate(t[s.w >> 16 & 255], 16u) ^ rotate(t[s.x >> 24], 24u) ^ key[4 * r + 1];
        n.z = t[s.z & 255] ^ rotate(t[s.w >> 8 & 255], 8u) ^ rotate(t[s.x >> 16 & 255], 16u) ^ rotate(t[s.y >> 24], 24u) ^ key[4 * r + 2];
        n.w = t[s.w & 255] ^ rotate(t[s.x >> 8 & 255], 8u) ^ rotate(t[s.y >> 16 & 255], 16u) ^ rotate(t[s.z >> 24], 24u) ^ key[4 * r + 3];
        s = n;
    }
    out[get_global_id(0)] = s;
}
