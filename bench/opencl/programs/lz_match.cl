//! buffer text uchar 66048 below 6
//! buffer out uint 65536 zero
//! launch longest 65536 / 256 : text out
// the longest earlier match in a window of 32
kernel void longest(global const uchar *text, global uint *out)
{
    int i = get_global_id(0) + 64;
    uint best = 0, where = 0;
    for (int d = 1; d <= 32; d++) {
        uint n = 0;
        while (n < 18 && text[i + n] == text[i - d + n])
            n++;
        if (n > best)
            best = n, where = d;
    }
    out[get_global_id(0)] = best << 16 | where;
}
