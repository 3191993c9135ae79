//! buffer rows int 4097 ragged 8
//! buffer edges int 32768 below 4096
//! buffer label int 4096 sorted
//! launch spread 64 / 64 : rows edges label 4096
// until nothing changes, in one work-group
kernel void spread(global const int *rows, global const int *edges, global int *label, int n)
{
    local int changed;
    int lid = get_local_id(0);
    do {
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (lid == 0)
            changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int v = lid; v < n; v += 64) {
            int least = label[v];
            for (int e = rows[v]; e < rows[v + 1]; e++)
                least = min(least, label[edges[e]]);
            if (least < label[v]) {
                atomic_min(&label[v], least);
                changed = 1;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    } while (changed);
}
