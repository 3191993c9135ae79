//! buffer a double 65536 noise
//! loop 4
//! launch fft 4096 / 64 : a
// radix 8, one pass of 512-point transforms in local memory
#define R 0.70710678118654752440
kernel void fft(global double2 *a)
{
    local double t[512];
    int tid = get_local_id(0), base = get_group_id(0) * 512 + tid;
    double2 d[8];
    for (int i = 0; i < 8; i++)
        d[i] = a[base + i * 64];
    for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 4; i++) {
            double2 x = d[i], y = d[i + 4];
            d[i] = x + y, d[i + 4] = x - y;
        }
        d[5] = (double2)(d[5].x + d[5].y, d[5].y - d[5].x) * R;
        d[6] = (double2)(d[6].y, -d[6].x);
        d[7] = (double2)(d[7].y - d[7].x, -d[7].x - d[7].y) * R;
        for (int h = 0; h < 8; h += 4) {
            for (int i = 0; i < 2; i++) {
                double2 x = d[h + i], y = d[h + i + 2];
                d[h + i] = x + y, d[h + i + 2] = x - y;
            }
            d[h + 3] = (double2)(d[h + 3].y, -d[h + 3].x);
            for (int i = 0; i < 4; i += 2) {
                double2 x = d[h + i], y = d[h + i + 1];
                d[h + i] = x + y, d[h + i + 1] = x - y;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            t[tid * 8 + i] = d[i].x;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            d[i].x = t[tid + i * 64];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            t[tid * 8 + i] = d[i].y;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            d[i].y = t[tid + i * 64];
    }
    for (int i = 0; i < 8; i++)
        a[base + i * 64] = d[i] * 0.1;
}
