//! buffer rows int 8193 ragged 12
//! buffer edges int 98304 below 8192
//! buffer weight int 8192 below 1000000
//! buffer colour int 8192 zero
//! loop 4
//! launch colour_max 8192 / 256 : rows edges weight colour $
kernel void colour_max(global const int *rows, global const int *edges, global const int *weight, global int *colour, int turn)
{
    int v = get_global_id(0), most = 1, least = 1;
    if (colour[v])
        return;
    for (int e = rows[v]; e < rows[v + 1]; e++) {
        int w = edges[e];
        if (w == v || (colour[w] != 0 && colour[w] <= 2 * turn))
            continue;
        if (weight[w] >= weight[v])
            most = 0;
        if (weight[w] <= weight[v])
            least = 0;
    }
    if (most)
        colour[v] = 2 * turn + 1;
    else if (least)
        colour[v] = 2 * turn + 2;
}
