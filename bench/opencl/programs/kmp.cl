//! buffer text uchar 524288 below 4
//! buffer pattern uchar 64 below 4
//! buffer next int 64 zero
//! buffer out int 2048 zero
//! launch prefix 1 / 1 : pattern next 8
//! launch kmp 2048 / 64 : text pattern next out 256 8
kernel void prefix(global const uchar *p, global int *next, int m)
{
    int k = 0;
    next[0] = 0;
    for (int i = 1; i < m; i++) {
        while (k && p[k] != p[i])
            k = next[k - 1];
        if (p[k] == p[i])
            k++;
        next[i] = k;
    }
}
kernel void kmp(global const uchar *text, global const uchar *pattern, global const int *next, global int *out, int n, int m)
{
    int id = get_global_id(0), k = 0, found = 0;
    for (int i = id * n; i < (id + 1) * n; i++) {
        while (k && pattern[k] != text[i])
            k = next[k - 1];
        if (pattern[k] == text[i])
            k++;
        if (k == m) {
            found++;
            k = next[k - 1];
        }
    }
    out[id] = found;
}
