//! buffer tokens uint 65536 below 1000000000
//! buffer out uchar 1048576 zero
//! launch decode 1024 / 32 : tokens out
kernel void decode(global const uint *tokens, global uchar *out)
{
    int id = get_global_id(0), n = 0;
    global uchar *to = out + id * 1024;
    for (int t = 0; t < 64; t++) {
        uint k = tokens[id * 64 + t], literals = k & 7, length = k >> 3 & 15, distance = (k >> 7 & 63) + 1;
        for (uint i = 0; i < literals && n < 1024; i++)
            to[n++] = k >> (i + 5);
        if (distance <= n)
            for (uint i = 0; i < length && n < 1024; i++, n++)
                to[n] = to[n - distance];
    }
}
