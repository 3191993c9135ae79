//! buffer in uint 65536 below 2000000000
//! buffer out uint 65536 zero
//! launch median 256 256 / 16 4 : in out l7344 256 256
// bisection per channel, tile in local memory
kernel void median(global const uchar4 *in, global uint *out, local uchar4 *t, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1), pitch = 18;
    for (int j = ly; j < 6; j += 4)
        for (int i = lx; i < 18; i += 16) {
            int sx = (int)get_group_id(0) * 16 + i - 1, sy = (int)get_group_id(1) * 4 + j - 1;
            t[j * pitch + i] = sx >= 0 && sx < w && sy >= 0 && sy < h ? in[sy * w + sx] : (uchar4)0;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    float med[3] = {128, 128, 128}, lo[3] = {0, 0, 0}, hi[3] = {255, 255, 255};
    for (int s = 0; s < 8; s++) {
        uint count[3] = {0, 0, 0};
        for (int j = 0; j < 3; j++)
            for (int i = 0; i < 3; i++) {
                uchar4 c = t[(ly + j) * pitch + lx + i];
                count[0] += med[0] < c.x, count[1] += med[1] < c.y, count[2] += med[2] < c.z;
            }
        for (int k = 0; k < 3; k++) {
            if (count[k] > 4)
                lo[k] = med[k];
            else
                hi[k] = med[k];
            med[k] = 0.5f * (hi[k] + lo[k]);
        }
    }
    out[y * w + x] = (uint)(med[0] + 0.5f) | ((uint)(med[1] + 0.5f) << 8) | ((uint)(med[2] + 0.5f) << 16);
}
