// Graph traversal: every vertex of the frontier (distance `level`) gives its unvisited neighbours the next distance.
kernel void bfs(global const int *first, global const int *edges, global const int *before, global int *after, int level, int n)
{
    int v = get_global_id(0);
    if (v < n && before[v] == level)
        for (int e = first[v]; e < first[v + 1]; e++)
            if (before[edges[e]] < 0)
                after[edges[e]] = level + 1;
}
