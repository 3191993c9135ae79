//! buffer a uint 32768 below 1000000000
//! buffer b uint 32768 below 1000000
//! buffer out uint 32768 zero
//! launch gcd 32768 / 128 : a b out
kernel void gcd(global const uint *a, global const uint *b, global uint *out)
{
    int i = get_global_id(0);
    uint x = a[i] + 1, y = b[i] + 1;
    while (y) {
        uint t = x % y;
        x = y;
        y = t;
    }
    out[i] = x;
}
