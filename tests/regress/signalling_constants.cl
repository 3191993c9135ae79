// Signalling NaNs among the constants became quiet ones when the compiler stored them in a host float.
//
// data: out uint[1024] zero
// run: constants 256/64 out
// gives: out=c95dea8fbd1625a5

constant float table[4] = {1.0f, 0x1p-140f, __builtin_nanf("0x1234"), __builtin_nansf("0x77")};

kernel void constants(global uint *out)
{
    uint i = get_global_id(0);
    global float *floats = (global float *)out;
    floats[4 * i] = table[i & 3];
    floats[4 * i + 1] = as_float(i & 1 ? 0x7f800001u : 0xff955555u);
    floats[4 * i + 2] = as_float(0x7fa00000u);
    floats[4 * i + 3] = as_float(0x80000001u);
}
