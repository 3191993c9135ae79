// Of the sums of two floats, one rounded, every second one is wanted: rint under a mask has a constant in memory.
// options: -w
// data: in int[64] random
// data: out uint[128] zero
// run: k 64/64 out in
// gives:
kernel void k(global float *out, global const int *in)
{
    uint i = get_global_id(0);
    if (i & 1)
        out[i * 2] = rint((float)in[i] / 4096);
}
