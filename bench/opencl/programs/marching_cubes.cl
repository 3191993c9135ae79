//! buffer field float 35937 noise
//! buffer table uchar 4096 below 13
//! buffer counts uchar 256 below 6
//! buffer first int 32768 steps 15
//! buffer out float 1474560 zero
//! launch generate 32 32 32 / 8 8 4 : field table counts first out
constant uchar corner[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
kernel void generate(global const float *field, global const uchar *table, global const uchar *counts, global const int *first, global float *out)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), id = (z * 32 + y) * 32 + x, code = 0;
    float v[8];
    for (int i = 0; i < 8; i++) {
        v[i] = field[((z + (i >> 2)) * 33 + y + ((i >> 1) & 1)) * 33 + x + ((i ^ i >> 1) & 1)];
        code |= (v[i] > 0.3f) << i;
    }
    int n = counts[code] * 3, to = first[id];
    for (int i = 0; i < n; i++) {
        int e = min((int)table[code * 16 + i], 11), a = corner[e][0], b = corner[e][1];
        float t = (0.3f - v[a]) / (v[b] - v[a] + 1.5f);
        out[(to + i) * 3] = x + t, out[(to + i) * 3 + 1] = y + t * 0.5f, out[(to + i) * 3 + 2] = z - t;
    }
}
