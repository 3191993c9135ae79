//! buffer rows int 4097 ragged 16
//! buffer edges int 65536 below 4096
//! buffer level int 4096 below 6
//! buffer paths float 4096 positive
//! buffer delta float 4096 zero
//! loop 5
//! launch back 4096 / 128 : rows edges level paths delta $
kernel void back(global const int *rows, global const int *edges, global const int *level, global const float *paths,
    global float *delta, int turn)
{
    int v = get_global_id(0), now = 4 - turn;
    if (level[v] == now) {
        float sum = 0;
        for (int e = rows[v]; e < rows[v + 1]; e++) {
            int w = edges[e];
            if (level[w] == now + 1)
                sum += paths[v] / paths[w] * (1 + delta[w]);
        }
        delta[v] = sum;
    }
}
