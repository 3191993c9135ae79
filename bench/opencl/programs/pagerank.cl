//! buffer rows int 16385 ragged 16
//! buffer edges int 262144 below 16384
//! buffer degree int 16384 below 16
//! buffer rank float 16384 positive
//! buffer next float 16384 zero
//! loop 4
//! launch spread 16384 / 256 : rows edges degree rank next
//! launch settle 16384 / 256 : rank next
kernel void spread(global const int *rows, global const int *edges, global const int *degree, global const float *rank, global float *next)
{
    int v = get_global_id(0);
    float sum = 0;
    for (int e = rows[v]; e < rows[v + 1]; e++)
        sum += rank[edges[e]] / (degree[edges[e]] + 1);
    next[v] = sum;
}
kernel void settle(global float *rank, global float *next)
{
    int v = get_global_id(0);
    rank[v] = 0.15f / 16384 + 0.85f * next[v];
    next[v] = 0;
}
