//! buffer sx float 8192 below 32
//! buffer sy float 8192 below 32
//! buffer re float 8192 noise
//! buffer im float 8192 noise
//! buffer start int 1025 steps 8
//! buffer gre float 1024 zero
//! buffer gim float 1024 zero
//! launch gridding 32 32 / 16 4 : sx sy re im start gre gim 32
typedef struct { float re, im; } c;
kernel void gridding(global const float *sx, global const float *sy, global const float *re, global const float *im,
                     global const int *start, global float *gre, global float *gim, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    c sum = {0, 0};
    for (int by = max(y - 2, 0); by <= min(y + 2, n - 1); by++)
        for (int bx = max(x - 2, 0); bx <= min(x + 2, n - 1); bx++)
            for (int k = start[by * n + bx]; k < start[by * n + bx + 1]; k++) {
                float dx = sx[k] * 0.1f - 0.1f * x, dy = sy[k] * 0.1f - 0.1f * y, d = dx * dx + dy * dy;
                if (d < 4.0f) {
                    float w = 1.0f - 0.25f * d, b = 1 + w * (0.25f + w * (0.0156f + w * 0.0004f));
                    sum.re += b * re[k], sum.im += b * im[k];
                }
            }
    gre[y * n + x] = sum.re, gim[y * n + x] = sum.im;
}
