//! buffer in int 262144 below 256
//! buffer out int 262144 zero
//! launch columns 512 8 / 128 1 : in out 512 512
kernel void columns(global const int *in, global int *out, int width, int height)
{
    int x = get_global_id(0), y0 = get_group_id(1) * 64;
    int before = in[(y0 ? y0 - 1 : 1) * width + x];
    int a = in[y0 * width + x], high0 = before;
    for (int y = y0; y < y0 + 64; y += 2) {
        int b = in[(y + 1) * width + x], c = y + 2 < height ? in[(y + 2) * width + x] : a;
        int high = b - ((a + c) >> 1);
        int low = a + ((high0 + high + 2) >> 2);
        out[(y / 2) * width + x] = low;
        out[(height / 2 + y / 2) * width + x] = high;
        high0 = high, a = c;
    }
}
