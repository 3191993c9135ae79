//! buffer in uint 262144 below 255
//! buffer out uint 262144 zero
//! buffer mask float 9 noise
//! launch conv 262144 / 256 : out in mask 512 512 3 3
kernel void conv(global uint *out, global const uint *in, global const float *mask, uint width, uint height, uint mw,
                 uint mh)
{
    uint tid = get_global_id(0);
    uint x = tid % width, y = tid / width;
    uint vs = (mw - 1) / 2, hs = (mh - 1) / 2;
    uint left = x < vs ? 0 : x - vs, right = x + vs >= width ? width - 1 : x + vs;
    uint top = y < hs ? 0 : y - hs, bottom = y + hs >= height ? height - 1 : y + hs;
    float sum = 0;
    for (uint i = left; i <= right; ++i)
        for (uint j = top; j <= bottom; ++j) {
            uint mi = (j - (y - hs)) * mw + (i - (x - vs));
            sum += (float)in[j * width + i] * mask[mi];
        }
    out[tid] = (uint)(fabs(sum) + 0.5f); /* of a negative number the conversion is undefined */
}
