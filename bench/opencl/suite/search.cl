// String search: every item tries one position; most fail at the first byte.
kernel void search(global const uchar *text, global const uchar *pattern, global int *found, int n, int length)
{
    int i = get_global_id(0), k = 0;
    if (i > n - length)
        return;
    while (k < length && text[i + k] == pattern[k])
        k++;
    if (k == length)
        atomic_inc(found);
}
