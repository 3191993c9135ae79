//! buffer power float 65536 noise
//! buffer from float 65536 noise
//! buffer to float 65536 zero
//! launch hotspot 304 304 / 16 16 : 2 power from to 256 256 2 2 0.5 10.0 10.0 0.1 0.001
#define B 16
#define IN(x, lo, hi) ((x) >= (lo) && (x) <= (hi))
kernel void hotspot(int iteration, global float *power, global float *src, global float *dst, int cols, int rows,
                    int bc, int br, float cap, float rx, float ry, float rz, float step)
{
    local float t[B][B], p[B][B], u[B][B];
    float amb = 80.0f;
    int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    float sdc = step / cap, rx1 = 1 / rx, ry1 = 1 / ry, rz1 = 1 / rz;
    int smallr = B - iteration * 2, smallc = B - iteration * 2;
    int y0 = smallr * by - br, x0 = smallc * bx - bc, y1 = y0 + B - 1, x1 = x0 + B - 1;
    int yi = y0 + ty, xi = x0 + tx, index = cols * yi + xi;
    if (IN(yi, 0, rows - 1) && IN(xi, 0, cols - 1)) {
        t[ty][tx] = src[index];
        p[ty][tx] = power[index];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int vy0 = y0 < 0 ? -y0 : 0, vy1 = y1 > rows - 1 ? B - 1 - (y1 - rows + 1) : B - 1;
    int vx0 = x0 < 0 ? -x0 : 0, vx1 = x1 > cols - 1 ? B - 1 - (x1 - cols + 1) : B - 1;
    int n = ty - 1, s = ty + 1, w = tx - 1, e = tx + 1;
    n = n < vy0 ? vy0 : n;
    s = s > vy1 ? vy1 : s;
    w = w < vx0 ? vx0 : w;
    e = e > vx1 ? vx1 : e;
    bool computed;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (IN(tx, i + 1, B - i - 2) && IN(ty, i + 1, B - i - 2) && IN(tx, vx0, vx1) && IN(ty, vy0, vy1)) {
            computed = true;
            u[ty][tx] = t[ty][tx] + sdc * (p[ty][tx] + (t[s][tx] + t[n][tx] - 2.0f * t[ty][tx]) * ry1 +
                                           (t[ty][e] + t[ty][w] - 2.0f * t[ty][tx]) * rx1 + (amb - t[ty][tx]) * rz1);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == iteration - 1)
            break;
        if (computed)
            t[ty][tx] = u[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed)
        dst[index] = u[ty][tx];
}
