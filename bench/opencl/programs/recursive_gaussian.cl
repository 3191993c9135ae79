//! buffer in uchar 1048576 below 256
//! buffer tmp uchar 1048576 zero
//! buffer out uchar 1048576 zero
//! launch gauss 512 / 64 : in tmp 512 512 0.2 0.1 0.05 0.02 -1.1 0.4 0.3 0.2
//! launch transp 512 512 / 16 16 : tmp out 512 512 l1024
kernel void gauss(global const uchar4 *in, global uchar4 *out, int width, int height, float a0, float a1, float a2,
                  float a3, float b1, float b2, float cp, float cn)
{
    int x = get_global_id(0);
    if (x >= width)
        return;
    float4 xp = 0, yp = 0, yb = 0;
    for (int y = 0; y < height; y++) {
        int pos = x + y * width;
        float4 xc = convert_float4(in[pos]);
        float4 yc = a0 * xc + a1 * xp - b1 * yp - b2 * yb;
        out[pos] = convert_uchar4_sat(yc);
        xp = xc;
        yb = yp;
        yp = yc;
    }
    float4 xn = 0, xa = 0, yn = 0, ya = 0;
    for (int y = height - 1; y >= 0; y--) {
        int pos = x + y * width;
        float4 xc = convert_float4(in[pos]);
        float4 yc = a2 * xn + a3 * xa - b1 * yn - b2 * ya;
        xa = xn;
        xn = xc;
        ya = yn;
        yn = yc;
        out[pos] = convert_uchar4_sat(convert_float4(out[pos]) + yc);
    }
}
kernel void transp(global const uchar4 *in, global uchar4 *out, int w, int h, local uchar4 *blk)
{
    uint gx = get_global_id(0), gy = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1),
         bs = get_local_size(0);
    blk[ly * bs + lx] = in[gy * w + gx];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sx = get_group_id(1) * bs + lx, sy = get_group_id(0) * bs + ly;
    out[sy * h + sx] = blk[lx * bs + ly];
}
