//! buffer base uint 16384 below 65536
//! buffer exponent uint 16384 below 65536
//! buffer out uint 16384 zero
//! launch power 16384 / 64 : base exponent out 1000003
// 64-bit products, reduced by a modulus that is an argument
kernel void power(global const uint *base, global const uint *exponent, global uint *out, int modulus)
{
    int i = get_global_id(0);
    ulong b = base[i] % modulus, r = 1;
    for (uint e = exponent[i]; e; e >>= 1) {
        if (e & 1)
            r = r * b % (uint)modulus;
        b = b * b % (uint)modulus;
    }
    out[i] = (uint)r;
}
