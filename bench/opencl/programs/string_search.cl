//! buffer text uchar 262144 below 4
//! buffer pattern uchar 8 below 4
//! buffer out int 262144 zero
//! buffer counts int 128 zero
//! launch search 32768 / 256 : text 262144 pattern 8 out counts 2048 l8
int compare(global const uchar *text, local const uchar *pattern, uint n)
{
    for (uint l = 0; l < n; l++)
        if (text[l] != pattern[l])
            return 0;
    return 1;
}
kernel void search(global const uchar *text, uint length, global const uchar *pattern, uint n, global int *out,
                   global int *counts, uint most, local uchar *p)
{
    local volatile uint found;
    int lid = get_local_id(0), size = get_local_size(0), group = get_group_id(0);
    uint last = length - n + 1, begin = group * most, end = min(begin + most, last);
    for (uint i = lid; i < n; i += size)
        p[i] = pattern[i];
    if (lid == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = begin + lid; at < end; at += size)
        if (compare(text + at, p, n))
            out[begin + atomic_inc(&found)] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        counts[group] = found;
}
