// LLVM reads the lowest bits of a long4's element as an element of a vector of 2-bit integers, which are packed bit by bit.
//
// data: out uint[64] zero
// data: table long[64] random
// run: lowest_bits 64/64 out table
// gives: out=3aba9e2819530307 table=45a9e18f0d7632a0

kernel void lowest_bits(global uint *out, global const long4 *table)
{
    int i = get_global_id(0);
    uint x = i;
    switch (table[i & 7].s3 & 3) {
    case 0: x += 7; break;
    case 1: x *= 5; break;
    case 3: break;
    default: x ^= 77;
    }
    if (table[i & 7].s2 & 1)
        x += 1000;
    global const long16 *wide = (global const long16 *)table;
    out[i] = x + (wide[i & 1].sd & 1) * 10000 + (wide[i & 1].s7 & 7) * 100000;
}
