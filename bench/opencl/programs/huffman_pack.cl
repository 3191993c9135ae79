//! buffer in uchar 262144 below 64
//! buffer codes uint 64 below 4096
//! buffer lengths uint 64 below 11
//! buffer out uint 262144 zero
//! buffer bits uint 1024 zero
//! launch encode 1024 / 256 : in codes lengths out bits
// each item packs 256 symbols into words of its own
kernel void encode(global const uchar *in, constant uint *codes, constant uint *lengths, global uint *out, global uint *bits)
{
    int i = get_global_id(0), at = i * 256;
    uint word = 0, fill = 0, total = 0;
    for (int k = 0; k < 256; k++) {
        uint s = in[i * 256 + k], n = lengths[s] + 2, c = codes[s] & ((1u << n) - 1);
        total += n;
        if (fill + n <= 32) {
            word |= c << (32 - fill - n) ;
            fill += n;
        } else {
            uint over = fill + n - 32;
            out[at++] = word | c >> over;
            word = c << (32 - over);
            fill = over;
        }
    }
    out[at] = word;
    bits[i] = total;
}
