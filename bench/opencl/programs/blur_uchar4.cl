//! buffer in uchar 262144 below 256
//! buffer out uchar 262144 zero
//! launch blur 256 256 / 16 16 : in out 256
kernel void blur(global const uchar4 *in, global uchar4 *out, int n)
{
    local uchar4 tile[18][18];
    int x = get_local_id(0), y = get_local_id(1), bx = get_group_id(0) * 16 - 1, by = get_group_id(1) * 16 - 1;
    for (int j = y; j < 18; j += 16)
        for (int i = x; i < 18; i += 16)
            tile[j][i] = in[clamp(by + j, 0, n - 1) * n + clamp(bx + i, 0, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 sum = (int4)(4);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            sum += convert_int4(tile[y + j][x + i]);
    out[get_global_id(1) * n + get_global_id(0)] = convert_uchar4(sum / 9);
}
