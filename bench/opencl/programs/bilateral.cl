//! buffer in uchar 65536 below 256
//! buffer out uchar 65536 zero
//! launch bilateral 254 254 / : in out 256 256
kernel void bilateral(global const uchar *in, global uchar *out, int w, int h)
{
    int x = get_global_id(0), y = get_global_id(1);
    float sum = 0, weight = 0, c = in[y * w + x];
    for (int j = -2; j <= 2; j++)
        for (int i = -2; i <= 2; i++) {
            float v = in[clamp(y + j, 0, h - 1) * w + clamp(x + i, 0, w - 1)], d = v - c;
            float f = exp(-(i * i + j * j) * 0.1f - d * d * 0.001f);
            sum += f * v, weight += f;
        }
    out[y * w + x] = (uchar)(sum / weight);
}
