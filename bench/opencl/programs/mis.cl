//! buffer rows int 8193 ragged 12
//! buffer edges int 98304 below 8192
//! buffer weight float 8192 positive
//! buffer state int 8192 zero
//! buffer change int 16 zero
//! loop 3
//! launch choose 8192 / 128 : rows edges weight state change
//! launch remove 8192 / 128 : rows edges state
kernel void choose(global const int *rows, global const int *edges, global const float *weight, global int *state, global int *change)
{
    int v = get_global_id(0);
    if (state[v] != 0)
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int w = edges[e];
        if (w != v && state[w] != 2 && weight[w] > weight[v])
            return;
    }
    state[v] = 1;
    *change = 1;
}
kernel void remove(global const int *rows, global const int *edges, global int *state)
{
    int v = get_global_id(0);
    if (state[v] == 1)
        for (int e = rows[v]; e < rows[v + 1]; e++)
            if (edges[e] != v)
                state[edges[e]] = 2;
}
