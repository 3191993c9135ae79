// Minima and maxima of minima and maxima of integers, and of another function of the same numbers.
//
// options: -w
// data: out int[544] zero
// data: in int[48] random
// run: of_int 32/32 out in
// gives: out=1ec1c4df8c26c9a4 in=a812a8cd4ff4d843

// data: out uint[544] zero
// data: in uint[48] random
// run: of_uint 32/32 out in
// gives: out=6eddb14715c46882 in=a812a8cd4ff4d843

// data: out long[544] zero
// data: in long[48] random
// run: of_long 32/32 out in
// gives: out=c47f69384e8e8ff0 in=fddfae93fa4695ce

// data: out ulong[544] zero
// data: in ulong[48] random
// run: of_ulong 32/32 out in
// gives: out=cc285675ce0d68ec in=fddfae93fa4695ce

// data: out char[544] zero
// data: in char[48] random
// run: of_char 32/32 out in
// gives: out=cefd8576466f9e82 in=f84a5d7834cdf9a7

// data: out uchar[544] zero
// data: in uchar[48] random
// run: of_uchar 32/32 out in
// gives: out=8e3f899012a69ed4 in=f84a5d7834cdf9a7

// data: out short[544] zero
// data: in short[48] random
// run: of_short 32/32 out in
// gives: out=a8b3d7348b82c074 in=f51661c3b4d5b719

// data: out ushort[544] zero
// data: in ushort[48] random
// run: of_ushort 32/32 out in
// gives: out=bb680e2033735033 in=f51661c3b4d5b719


/* Two and three in one another, with the other function in each place. */
#define NEST(F, H)                                                                                                     \
    sum = sum * 31 + F(H(a, b), g);                                                                                    \
    sum = sum * 31 + F(g, H(b, a));                                                                                    \
    sum = sum * 31 + H(F(H(a, b), c), g);                                                                              \
    sum = sum * 31 + F(H(b, a), H(g, c));
#define OTHER(n, other)                                                                                                \
    {                                                                                                                  \
        __typeof__(a) g = other;                                                                                       \
        ulong sum = 0;                                                                                                 \
        NEST(min, min) NEST(min, max) NEST(max, min) NEST(max, max)                                                    \
        out[32 * n + i] = sum;                                                                                         \
    }
#define KERNEL(T)                                                                                                      \
    kernel void of_##T(global T *out, global const T *in)                                                              \
    {                                                                                                                  \
        size_t i = get_global_id(0);                                                                                   \
        T a = in[i], b = in[i + 5], c = in[i + 11];                                                                    \
        OTHER(0, add_sat(a, b))                                                                                        \
        OTHER(1, sub_sat(a, b))                                                                                        \
        OTHER(2, hadd(a, b))                                                                                           \
        OTHER(3, rhadd(a, b))                                                                                          \
        OTHER(4, mul_hi(a, b))                                                                                         \
        OTHER(5, rotate(a, b))                                                                                         \
        OTHER(6, min(a, b))                                                                                            \
        OTHER(7, max(b, a))                                                                                            \
        OTHER(8, clz(a))                                                                                               \
        OTHER(9, popcount(b))                                                                                          \
        OTHER(10, mad_hi(a, b, c))                                                                                     \
        OTHER(11, mad_sat(a, b, c))                                                                                    \
        OTHER(12, bitselect(a, b, c))                                                                                  \
        OTHER(13, clamp(c, min(a, b), max(a, b)))                                                                      \
        OTHER(14, a >> (b & 7))                                                                                        \
        OTHER(15, (a ^ b) + (a & b))                                                                                   \
        OTHER(16, a < b ? a : b)                                                                                       \
    }
KERNEL(int)
KERNEL(uint)
KERNEL(long)
KERNEL(ulong)
KERNEL(char)
KERNEL(uchar)
KERNEL(short)
KERNEL(ushort)
