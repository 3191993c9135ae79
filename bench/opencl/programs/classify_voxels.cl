//! buffer volume uchar 262144 below 256
//! buffer counts uint 256 below 16
//! buffer verts uint 262144 zero
//! buffer used uint 262144 zero
//! launch classify 250047 / : volume counts verts used
kernel void classify(global const uchar *volume, global const uint *counts, global uint *verts, global uint *used)
{
    uint i = get_global_id(0), x = i % 63, y = i / 63 % 63, z = i / 3969, at = (z * 64 + y) * 64 + x;
    uint cube = (volume[at] < 128) | (volume[at + 1] < 128) << 1 | (volume[at + 65] < 128) << 2 | (volume[at + 64] < 128) << 3 |
        (volume[at + 4096] < 128) << 4 | (volume[at + 4097] < 128) << 5 | (volume[at + 4161] < 128) << 6 | (volume[at + 4160] < 128) << 7;
    uint n = counts[cube];
    verts[i] = n;
    used[i] = n > 0;
}
