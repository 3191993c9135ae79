//! buffer data float 131072 noise
//! launch fft 8192 / 64 : data
// 512 points per work-group of 64, three passes of radix 8, real and imaginary parts in turn through local memory
#define TWO(a, b) { float2 t = a; a = t + b; b = t - b; }
#define MUL(a, c, s) (float2)((a).x * (c) - (a).y * (s), (a).x * (s) + (a).y * (c))
void fft8(float2 *a)
{
    TWO(a[0], a[4]) TWO(a[1], a[5]) TWO(a[2], a[6]) TWO(a[3], a[7])
    a[5] = MUL(a[5], M_SQRT1_2_F, -M_SQRT1_2_F), a[6] = (float2)(a[6].y, -a[6].x), a[7] = MUL(a[7], -M_SQRT1_2_F, -M_SQRT1_2_F);
    TWO(a[0], a[2]) TWO(a[1], a[3]) TWO(a[4], a[6]) TWO(a[5], a[7])
    a[3] = (float2)(a[3].y, -a[3].x), a[7] = (float2)(a[7].y, -a[7].x);
    TWO(a[0], a[1]) TWO(a[2], a[3]) TWO(a[4], a[5]) TWO(a[6], a[7])
}
constant int order[8] = {0, 4, 2, 6, 1, 5, 3, 7};
void twiddle(float2 *a, int i, int n)
{
    for (int j = 1; j < 8; j++) {
        float s, c;
        s = sincos(-2 * M_PI_F * order[j] / n * i, &c);
        a[j] = MUL(a[j], c, s);
    }
}
void exchange(float2 *a, local float *s, int put, int step, int get, int stride)
{
    for (int i = 0; i < 8; i++)
        s[put + i * step] = a[order[i]].x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        a[i].x = s[get + i * stride];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        s[put + i * step] = a[order[i]].y;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 8; i++)
        a[i].y = s[get + i * stride];
    barrier(CLK_LOCAL_MEM_FENCE);
}
kernel void fft(global float2 *data)
{
    local float s[8 * 8 * 9];
    int lid = get_local_id(0), base = get_group_id(0) * 512 + lid, high = lid >> 3, low = lid & 7;
    float2 a[8];
    for (int i = 0; i < 8; i++)
        a[i] = data[base + i * 64];
    fft8(a);
    twiddle(a, lid, 512);
    exchange(a, s, high * 8 + low, 66, low * 66 + high, 8);
    fft8(a);
    twiddle(a, high, 64);
    exchange(a, s, high * 8 + low, 72, high * 72 + low, 8);
    fft8(a);
    for (int i = 0; i < 8; i++)
        data[base + i * 64] = a[order[i]];
}
