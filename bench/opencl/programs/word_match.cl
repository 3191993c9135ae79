//! buffer text uchar 262144 below 8
//! buffer words uchar 512 below 8
//! buffer found uint 262144 zero
//! launch match 262000 / : text words found 32
kernel void match(global const uchar *text, constant uchar *words, global uint *found, int count)
{
    int i = get_global_id(0);
    uint bits = 0;
    for (int w = 0; w < count; w++) {
        int k = 0;
        while (k < 4 && text[i + k] == words[w * 16 + k])
            k++;
        bits |= (k == 4) << w;
    }
    found[i] = bits;
}
