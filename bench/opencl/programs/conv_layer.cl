//! buffer in float 65536 noise
//! buffer w float 36864 noise
//! buffer bias float 64 noise
//! buffer out float 131072 zero
//! buffer pooled float 32768 zero
//! buffer soft float 32768 zero
//! launch conv 32 32 32 / 16 4 1 : in w bias out 16 32 32
//! launch pool 16 16 32 / 16 16 1 : out pooled 32
//! launch softmax 512 / 64 : pooled soft 16
kernel void conv(global const float *in, global const float *w, global const float *bias, global float *out,
                 int channels, int W, int H)
{
    int x = get_global_id(0), y = get_global_id(1), o = get_global_id(2);
    float s = bias[o];
    for (int c = 0; c < channels; c++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++) {
                int xx = x + i, yy = y + j;
                if (xx >= 0 && xx < W && yy >= 0 && yy < H)
                    s += in[(c * H + yy) * W + xx] * w[((o * channels + c) * 3 + j + 1) * 3 + i + 1];
            }
    out[(o * H + y) * W + x] = s > 0 ? s : 0.1f * s;
}
kernel void pool(global const float *in, global float *out, int n)
{
    int x = get_global_id(0), y = get_global_id(1), c = get_global_id(2);
    float m = -FLT_MAX;
    for (int j = 0; j < 2; j++)
        for (int i = 0; i < 2; i++)
            m = fmax(m, in[(c * n + y * 2 + j) * n + x * 2 + i]);
    out[(c * (n / 2) + y) * (n / 2) + x] = m;
}
kernel void softmax(global const float *in, global float *out, int n)
{
    int i = get_global_id(0);
    float m = -FLT_MAX, s = 0;
    for (int k = 0; k < n; k++)
        m = max(m, in[i * n + k]);
    for (int k = 0; k < n; k++) {
        float e = exp(in[i * n + k] - m);
        s += e;
        out[i * n + k] = e;
    }
    for (int k = 0; k < n; k++)
        out[i * n + k] /= s;
}
