//! buffer a uint 131072 below 2000000000
//! buffer b uint 131072 below 2000000000
//! buffer out uint 131072 zero
//! launch divide 65536 / 128 : a b out
kernel void divide(global const ulong *a, global const ulong *b, global ulong *out)
{
    int i = get_global_id(0);
    ulong x = a[i] * 0x9e3779b97f4a7c15UL, y = (b[i] >> 20) + 3;
    out[i] = x / y + x % (y + 5) + mul_hi(x, y) + rotate(x, (ulong)(i & 63)) + clz(x) + popcount(y);
}
