//! buffer code uchar 65536 below 96
//! buffer out int 65536 zero
//! launch run 65536 / 256 : code out
#define C(n) case n: x = x * (2 * n + 1) + (x >> (n & 15)) - y; y ^= n * 77; break;
#define C8(n) C(n) C(n + 1) C(n + 2) C(n + 3) C(n + 4) C(n + 5) C(n + 6) C(n + 7)
kernel void run(global const uchar *code, global int *out)
{
    int i = get_global_id(0), x = i, y = 1;
    for (int k = 0; k < 4; k++)
        switch (code[(i * 4 + k) & 65535]) {
            C8(0) C8(8) C8(16) C8(24) C8(32) C8(40) C8(48) C8(56) C8(64) C8(72) C8(80)
        default: x ^= 0x5555;
        }
    out[i] = x + y;
}
