//! buffer in uchar 1048576 below 256
//! buffer out uchar 1048576 zero
//! buffer mid uchar 1048576 zero
//! launch rows 512 / 64 : in mid 512 512 7 0.066667
//! launch cols 512 / 64 : mid out 512 512 7 0.066667
kernel void rows(global const uchar4 *in, global uchar4 *out, int w, int h, int r, float s)
{
    int y = get_global_id(0);
    if (y >= h)
        return;
    float4 sum = convert_float4(in[y * w]) * (float)r;
    for (int x = 0; x < r + 1; x++)
        sum += convert_float4(in[y * w + x]);
    out[y * w] = convert_uchar4_sat(sum * s);
    for (int x = 1; x < w; x++) {
        int a = min(x + r, w - 1), b = max(x - r - 1, 0);
        sum += convert_float4(in[y * w + a]) - convert_float4(in[y * w + b]);
        out[y * w + x] = convert_uchar4_sat(sum * s);
    }
}
kernel void cols(global const uchar4 *in, global uchar4 *out, int w, int h, int r, float s)
{
    int x = get_global_id(0);
    if (x >= w)
        return;
    float4 sum = convert_float4(in[x]) * (float)r;
    for (int y = 0; y < r + 1; y++)
        sum += convert_float4(in[y * w + x]);
    out[x] = convert_uchar4_sat(sum * s);
    for (int y = 1; y < h; y++) {
        int a = min(y + r, h - 1), b = max(y - r - 1, 0);
        sum += convert_float4(in[a * w + x]) - convert_float4(in[b * w + x]);
        out[y * w + x] = convert_uchar4_sat(sum * s);
    }
}
