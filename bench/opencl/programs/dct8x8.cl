//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! launch dct 256 32 / 32 4 : out in 256
// one row, then one column of a block per item
#define A 1.387039845f
#define B 1.306562965f
#define C 1.175875602f
#define D 0.785694958f
#define E 0.541196100f
#define F 0.275899379f
#define N 0.353553391f
void dct1(local float *x, int s)
{
    float x0 = x[0] + x[7 * s], x1 = x[s] + x[6 * s], x2 = x[2 * s] + x[5 * s], x3 = x[3 * s] + x[4 * s];
    float y0 = x[0] - x[7 * s], y1 = x[s] - x[6 * s], y2 = x[2 * s] - x[5 * s], y3 = x[3 * s] - x[4 * s];
    float p = x0 + x3, q = x1 + x2, m = x0 - x3, o = x1 - x2;
    x[0] = N * (p + q), x[2 * s] = N * (B * m + E * o), x[4 * s] = N * (p - q), x[6 * s] = N * (E * m - B * o);
    x[s] = N * (A * y0 + C * y1 + D * y2 + F * y3), x[3 * s] = N * (C * y0 - F * y1 - A * y2 - D * y3);
    x[5 * s] = N * (D * y0 - A * y1 + F * y2 + C * y3), x[7 * s] = N * (F * y0 - D * y1 + C * y2 - A * y3);
}
kernel __attribute__((reqd_work_group_size(32, 4, 1))) void dct(global float *out, global const float *in, int stride)
{
    local float t[32 * 33];
    int lx = get_local_id(0), ly = 8 * get_local_id(1), x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
    for (int i = 0; i < 8; i++)
        t[(ly + i) * 33 + lx] = in[(y + i) * stride + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    dct1(t + (ly + (lx & 7)) * 33 + lx - (lx & 7), 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    dct1(t + ly * 33 + lx, 33);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        out[(y + i) * stride + x] = t[(ly + i) * 33 + lx];
}
