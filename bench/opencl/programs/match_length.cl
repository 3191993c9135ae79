//! buffer text uchar 65536 below 4
//! buffer index int 65536 below 65000
//! buffer out int 65536 zero
//! launch match 65000 / : text index out 64
// how far two places of a text agree
kernel void match(global const uchar *text, global const int *index, global int *out, int most)
{
    int i = get_global_id(0), j = index[i], n = 0;
    while (n < most && j + n < 65536 && i + n < 65536 && text[i + n] == text[j + n])
        n++;
    out[i] = n;
}
