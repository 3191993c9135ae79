// Wavelet: one level of the reversible 5/3 transform over the rows of a picture, in local memory.
kernel void dwt(global const int *in, global int *out, int width, local int *row)
{
    int x = get_local_id(0), y = get_group_id(1), base = get_group_id(0) * 256 - 2;
    for (int i = x; i < 260; i += 128) {
        int at = base + i;
        at = at < 0 ? -at : at >= width ? 2 * width - 2 - at : at;
        row[i] = in[y * width + at];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int i = 2 * x + 2;
    int before = row[i - 1] - ((row[i - 2] + row[i]) >> 1);
    int high = row[i + 1] - ((row[i] + row[i + 2]) >> 1);
    int at = get_group_id(0) * 128 + x;
    out[y * width + at] = row[i] + ((before + high + 2) >> 2);
    out[y * width + width / 2 + at] = high;
}
