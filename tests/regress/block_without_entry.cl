// The selector is 0 or 3, which LLVM finds out when the switch is branches already: the default block stays, but is
// unreachable, and a phi still has an argument from it.
//
// data: out uint[64] zero
// data: in int[64] random
// data: acc uint[8] zero
// run: no_default 64/64 out in acc int:3
// gives: out=9cd6a7132d8e0865 in=022274ad10d47c67 acc=0c8210784d8af5a5

kernel void no_default(global uint *out, global const int *in, global uint *acc, int n)
{
    int i = get_global_id(0);
    uint x = in[i & 63];
    long y = (long)(i >> 1) % ((long)in[0] | 1);
    int z = 0;
    long3 v = (ulong3)(ulong)y <= (ulong3)0;
    uint4 w = select((uint4)0, (uint4)(x, x, x, 0), (int4)n);
    switch (y & 7) {
    case 2:
        for (uint j = x & 7; j > 0; j--)
            if (0 >= 0 - (ulong)v.s0)
                y = 0;
    case 7:
        switch ((ulong)v.s0 & 3) {
        case 0: z = 0;
        case 3: y = 0; break;
        default:
            v = 0;
            w = as_int4(as_uint4(convert_int4_sat(w)) - (uint4)(uint)y) >
                        shuffle((int8)(in[i & 63], in[(int)y & 63], z, z, (int)y, 0, i, z), w.s2022)
                    ? w >> (uint4)(in[(uint)in[(uint)y & 63] & 63], n, x, x)
                    : w - w.s3013;
        }
        atomic_min(&acc[1], convert_uint_sat_rte(convert_float((ushort)w.s1)));
    }
    out[i] = w.s0 + (uint)y;
}
