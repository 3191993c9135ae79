//! buffer in uchar 393216 below 256
//! buffer out uchar 524288 zero
//! launch encode 131072 / 128 : in out
// three bytes become four letters
uchar letter(uint v)
{
    return (uchar)(v < 26 ? v + 'A' : v < 52 ? v - 26 + 'a' : v < 62 ? v - 52 + '0' : v == 62 ? '+' : '/');
}
kernel void encode(global const uchar *in, global uchar *out)
{
    int i = get_global_id(0);
    uint v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[4 * i] = letter(v >> 18);
    out[4 * i + 1] = letter(v >> 12 & 63);
    out[4 * i + 2] = letter(v >> 6 & 63);
    out[4 * i + 3] = letter(v & 63);
}
