//! buffer first int 1025 ragged 8
//! buffer edges int 5000 below 1024
//! buffer levels int 1024 zero
//! launch search 256 / 256 : first edges levels
// breadth-first search in one group, queues in local memory
kernel void search(global const int *first, global const int *edges, global int *levels)
{
    local int queue[2][1024], count[2];
    int l = get_local_id(0), now = 0;
    if (l == 0)
        queue[0][0] = 0, count[0] = 1, count[1] = 0, levels[0] = 1;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    for (int level = 2; count[now]; level++) {
        for (int i = l; i < count[now]; i += 256) {
            int v = queue[now][i];
            for (int e = first[v]; e < first[v + 1]; e++)
                if (atomic_cmpxchg(&levels[edges[e]], 0, level) == 0)
                    queue[now ^ 1][atomic_inc(&count[now ^ 1])] = edges[e];
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        if (l == 0)
            count[now] = 0;
        now ^= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
