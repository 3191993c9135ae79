//! buffer rows int 8193 ragged 12
//! buffer edges int 98304 below 8192
//! buffer weight int 98304 below 100
//! buffer dist int 8192 below 100000
//! buffer mask int 8192 some 8
//! buffer update int 8192 steps 1000
//! loop 3
//! launch relax 8192 / 64 : rows edges weight dist mask update
//! launch settle 8192 / 64 : dist mask update
kernel void relax(global const int *rows, global const int *edges, global const int *weight, global const int *dist,
    global int *mask, global int *update)
{
    int v = get_global_id(0);
    if (mask[v]) {
        mask[v] = 0;
        for (int e = rows[v]; e < rows[v + 1]; e++)
            atomic_min(&update[edges[e]], dist[v] + weight[e]);
    }
}
kernel void settle(global int *dist, global int *mask, global int *update)
{
    int v = get_global_id(0);
    if (dist[v] > update[v])
        dist[v] = update[v], mask[v] = 1;
    update[v] = dist[v];
}
