//! buffer a uint 65536 below 2000000000
//! buffer b uint 65536 below 2000000000
//! buffer out uint 131072 zero
//! launch multiply 4096 / 64 : a b out
// 512 by 512 bits, with carries
kernel void multiply(global const uint *a, global const uint *b, global uint *out)
{
    int i = get_global_id(0);
    uint x[16], r[32];
    for (int k = 0; k < 16; k++)
        x[k] = a[k * 4096 + i];
    for (int k = 0; k < 32; k++)
        r[k] = 0;
    for (int j = 0; j < 16; j++) {
        uint y = b[j * 4096 + i], carry = 0;
        for (int k = 0; k < 16; k++) {
            ulong t = (ulong)x[k] * y + r[j + k] + carry;
            r[j + k] = (uint)t;
            carry = t >> 32;
        }
        r[j + 16] = carry;
    }
    for (int k = 0; k < 32; k++)
        out[k * 4096 + i] = r[k];
}
