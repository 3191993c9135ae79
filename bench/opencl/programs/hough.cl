//! buffer edges uchar 65536 some 20
//! buffer table float 256 rising
//! buffer acc int 65536 zero
//! launch hough 256 256 / 16 16 : edges table acc
kernel void hough(global const uchar *edges, global const float *table, global int *acc)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (!edges[y * 256 + x])
        return;
    for (int t = 0; t < 64; t++) {
        int r = (int)(x * table[t] + y * table[t + 64]) & 1023;
        atomic_inc(&acc[t * 1024 + r]);
    }
}
