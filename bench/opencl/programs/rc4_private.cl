//! buffer keys uchar 16384 below 256
//! buffer out uchar 65536 zero
//! launch rc4 1024 / 64 : keys out
kernel void rc4(global const uchar *keys, global uchar *out)
{
    int id = get_global_id(0);
    uchar s[256], j = 0, i = 0;
    for (int k = 0; k < 256; k++)
        s[k] = k;
    for (int k = 0; k < 256; k++) {
        j += s[k] + keys[id * 16 + (k & 15)];
        uchar t = s[k];
        s[k] = s[j], s[j] = t;
    }
    j = 0;
    for (int k = 0; k < 64; k++) {
        i++, j += s[i];
        uchar t = s[i];
        s[i] = s[j], s[j] = t;
        out[id * 64 + k] = s[(uchar)(s[i] + s[j])];
    }
}
