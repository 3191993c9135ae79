//! buffer keys int 258064 sorted
//! buffer wanted int 1024 below 258064
//! buffer out int 1024 zero
//! launch find 520192 / 508 : keys wanted out 258064
// each work-group descends for one key, 508 keys of a node at a time
kernel void find(global const int *keys, global const int *wanted, global int *out, int n)
{
    local int first, width;
    int lid = get_local_id(0), group = get_group_id(0), key = wanted[group];
    if (lid == 0)
        first = 0, width = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (width > 508) {
        int part = width / 508, at = first + lid * part;
        bool mine = keys[at] <= key && (lid == 507 || keys[at + part] > key);
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
