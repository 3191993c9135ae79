// each work-group descends for one key, KEYS keys of a node at a time
kernel void find(global const int *keys, global const int *wanted, global int *out, int n)
{
    local int first, width;
    int lid = get_local_id(0), group = get_group_id(0), key = wanted[group];
    if (lid == 0)
        first = 0, width = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (width > KEYS) {
        int part = width / KEYS, at = first + lid * part;
        bool mine = keys[at] <= key && (lid == KEYS - 1 || keys[at + part] > key);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (mine)
            first = at;
        if (lid == 0)
            width = part;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid < width && keys[first + lid] == key)
        out[group] = first + lid;
}
