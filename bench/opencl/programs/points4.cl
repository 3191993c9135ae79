//! buffer out uchar 65536 zero
//! launch points 4096 / 256 : out 32 -1.0 0.01 100
kernel void points(global uchar4 *out, int columns, float left, float step, int most)
{
    int i = get_global_id(0);
    float4 cx = left + step * (4.0f * (i % columns) + (float4)(0, 1, 2, 3)), cy = (float4)(step * (i / columns) - 0.6f);
    float4 x = cx, y = cy;
    int4 turns = 0;
    for (int k = 0; k < most; k++) {
        float4 next = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = next;
        int4 near = x * x + y * y <= 4.0f;
        if (!any(near))
            break;
        turns -= near;
    }
    out[i] = convert_uchar4(turns);
}
