//! buffer keys int 65536 sorted
//! buffer wanted int 8192 below 60000
//! buffer out int 8192 zero
//! launch find 262144 / 32 : keys wanted out 65536
// each work-group descends for one key, 32 keys of a node at a time
kernel void find(global const int *keys, global const int *wanted, global int *out, int n)
{
    local int first, width;
    int lid = get_local_id(0), group = get_group_id(0), key = wanted[group];
    if (lid == 0)
        first = 0, width = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    while (width > 32) {
        int part = width / 32, at = first + lid * part;
        bool mine = keys[at] <= key && (lid == 31 || keys[at + part] > key);
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
