//! buffer src float 262144 noise
//! buffer mid float 262144 zero
//! buffer dst float 262144 zero
//! buffer k float 17 noise
//! launch rows 64 512 / 16 4 : mid src k 512 512 512
//! launch columns 512 64 / 16 8 : dst mid k 512 512 512
#define R 8
#define STEPS 8
kernel void rows(global float *dst, global const float *src, constant float *k, int w, int h, int pitch)
{
    local float t[4][(STEPS + 2) * 16];
    int lx = get_local_id(0), ly = get_local_id(1), bx = (get_group_id(0) * STEPS - 1) * 16 + lx, by = get_group_id(1) * 4 + ly;
    src += by * pitch + bx, dst += by * pitch + bx;
    for (int i = 1; i < 1 + STEPS; i++)
        t[ly][lx + i * 16] = src[i * 16];
    t[ly][lx] = bx >= 0 ? src[0] : 0;
    t[ly][lx + (STEPS + 1) * 16] = w - bx > (STEPS + 1) * 16 ? src[(STEPS + 1) * 16] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i < 1 + STEPS; i++) {
        float sum = 0;
        for (int j = -R; j <= R; j++)
            sum += k[R - j] * t[ly][lx + i * 16 + j];
        dst[i * 16] = sum;
    }
}
kernel void columns(global float *dst, global const float *src, constant float *k, int w, int h, int pitch)
{
    local float t[16][(STEPS + 2) * 8 + 1];
    int lx = get_local_id(0), ly = get_local_id(1), bx = get_group_id(0) * 16 + lx, by = (get_group_id(1) * STEPS - 1) * 8 + ly;
    src += by * pitch + bx, dst += by * pitch + bx;
    for (int i = 1; i < 1 + STEPS; i++)
        t[lx][ly + i * 8] = src[i * 8 * pitch];
    t[lx][ly] = by >= 0 ? src[0] : 0;
    t[lx][ly + (STEPS + 1) * 8] = h - by > (STEPS + 1) * 8 ? src[(STEPS + 1) * 8 * pitch] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 1; i < 1 + STEPS; i++) {
        float sum = 0;
        for (int j = -R; j <= R; j++)
            sum += k[R - j] * t[lx][ly + i * 8 + j];
        dst[i * 8 * pitch] = sum;
    }
}
