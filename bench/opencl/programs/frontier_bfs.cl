//! buffer rows int 16385 ragged 8
//! buffer edges int 131072 below 16384
//! buffer level int 16384 some 400
//! buffer queue int 32768 below 16384
//! buffer next int 65536 zero
//! buffer tail int 16 zero
//! launch expand 8192 / 256 : rows edges level queue next tail 2
// a queue in local memory, emptied into the global one
kernel void expand(global const int *rows, global const int *edges, global int *level, global const int *queue,
    global int *next, global int *tail, int now)
{
    local int count, base, found[2048];
    int lid = get_local_id(0);
    if (lid == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = queue[get_global_id(0)];
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int w = edges[e];
        if (atomic_cmpxchg(&level[w], 0, now) == 0) {
            int at = atomic_inc(&count);
            if (at < 2048)
                found[at] = now;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid == 0)
        base = atomic_add(tail, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lid; i < min(count, 2048); i += 256)
        next[base + i] = found[i];
}
