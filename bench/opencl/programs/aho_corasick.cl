//! buffer text uchar 524288 below 26
//! buffer delta ushort 8192 below 256
//! buffer outputs uchar 256 some 7
//! buffer out int 4096 zero
//! launch match 4096 / 128 : text delta outputs out 128
kernel void match(global const uchar *text, global const ushort *delta, constant uchar *outputs, global int *out, int n)
{
    int id = get_global_id(0), state = 0, found = 0;
    for (int i = 0; i < n; i++) {
        state = delta[state * 32 + text[id * n + i]];
        if (outputs[state])
            found++;
    }
    out[id] = found;
}
