//! buffer starts int 32769 ragged 6
//! buffer edges int 196608 below 32768
//! buffer mask uchar 32768 some 4
//! buffer updating uchar 32768 zero
//! buffer visited uchar 32768 some 3
//! buffer cost int 32768 below 5
//! buffer over uchar 4 zero
//! launch bfs1 32768 / 256 : starts edges mask updating visited cost 32768
//! launch bfs2 32768 / 256 : mask updating visited over 32768
kernel void bfs1(global const int *starts, global const int *edges, global char *mask, global char *updating,
                 global char *visited, global int *cost, int n)
{
    int t = get_global_id(0);
    if (t < n && mask[t]) {
        mask[t] = 0;
        for (int i = starts[t]; i < starts[t + 1]; i++) {
            int id = edges[i];
            if (!visited[id])
                updating[id] = 1;
        }
        cost[t] += 1;
    }
}
kernel void bfs2(global char *mask, global char *updating, global char *visited, global char *over, int n)
{
    int t = get_global_id(0);
    if (t < n && updating[t]) {
        mask[t] = 1;
        visited[t] = 1;
        *over = 1;
        updating[t] = 0;
    }
}
