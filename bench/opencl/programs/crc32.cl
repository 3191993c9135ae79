//! buffer data uchar 262144 below 256
//! buffer table uint 256 below 2000000000
//! buffer out uint 1024 zero
//! launch crc 1024 / 64 : data table out 256
kernel void crc(global const uchar *data, constant uint *table, global uint *out, int n)
{
    int g = get_global_id(0);
    uint c = 0xffffffff;
    for (int i = 0; i < n; i++)
        c = table[(c ^ data[g * n + i]) & 255] ^ (c >> 8);
    out[g] = ~c;
}
