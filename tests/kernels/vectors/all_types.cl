// One kernel body for every element type and width: arithmetic, compares, selection, swizzles, loads and stores.
//
// data: a char[256] random
// data: out char[2048] zero
// run: char_2 64/32 a out
// run: char_3 64/32 a out
// run: char_4 64/32 a out
// run: char_8 64/32 a out
// run: char_16 64/32 a out
// gives: a=d9af9aa50a304dfd out=6f95e056bb3ef68c
// data: a uchar[256] random
// data: out uchar[2048] zero
// run: uchar_2 64/32 a out
// run: uchar_3 64/32 a out
// run: uchar_4 64/32 a out
// run: uchar_8 64/32 a out
// run: uchar_16 64/32 a out
// gives: a=d9af9aa50a304dfd out=b6ba7b242d0286f9
// data: a short[256] random
// data: out short[2048] zero
// run: short_2 64/32 a out
// run: short_3 64/32 a out
// run: short_4 64/32 a out
// run: short_8 64/32 a out
// run: short_16 64/32 a out
// gives: a=3acbd4d93feded6d out=dd5cf044244bc5ee
// data: a ushort[256] random
// data: out ushort[2048] zero
// run: ushort_2 64/32 a out
// run: ushort_3 64/32 a out
// run: ushort_4 64/32 a out
// run: ushort_8 64/32 a out
// run: ushort_16 64/32 a out
// gives: a=3acbd4d93feded6d out=a6a69651b3a894e8
// data: a int[256] random
// data: out int[2048] zero
// run: int_2 64/32 a out
// run: int_3 64/32 a out
// run: int_4 64/32 a out
// run: int_8 64/32 a out
// run: int_16 64/32 a out
// gives: a=dccef8978b21416c out=be6879924031f017
// data: a uint[256] random
// data: out uint[2048] zero
// run: uint_2 64/32 a out
// run: uint_3 64/32 a out
// run: uint_4 64/32 a out
// run: uint_8 64/32 a out
// run: uint_16 64/32 a out
// gives: a=dccef8978b21416c out=cdb376d086a5baab
// data: a long[256] random
// data: out long[2048] zero
// run: long_2 64/32 a out
// run: long_3 64/32 a out
// run: long_4 64/32 a out
// run: long_8 64/32 a out
// run: long_16 64/32 a out
// gives: a=00ca058e277c2749 out=bb09ea1a5cb5c364
// data: a ulong[256] random
// data: out ulong[2048] zero
// run: ulong_2 64/32 a out
// run: ulong_3 64/32 a out
// run: ulong_4 64/32 a out
// run: ulong_8 64/32 a out
// run: ulong_16 64/32 a out
// gives: a=00ca058e277c2749 out=77ba7fa11cadbf5b

// Results of the widths go side by side: 2, 3, 4, 8 and 16 elements of each half of the work-items' 64.
#define KERNEL(T, U, N, V, W, S, AT)                                                                                   \
    kernel void T##_##N(global const T *a, global T *out)                                                              \
    {                                                                                                                  \
        int i = get_global_id(0);                                                                                      \
        V x = vload##N((i * 5) % (256 / N - 1), a), y = vload##N((i * 3 + 1) % (256 / N - 1), a);                      \
        W u = as_##W(x), v = as_##W(y);                                                                                \
        V sum = as_##V(u + v * u - (v ^ (T)3));                                                                        \
        S less = x < y;                                                                                                \
        V picked = less ? sum : y >> (V)(3);                                                                           \
        V divided = (x >> (V)1) / (y | (V)1) ^ (x >> (V)1) % (y | (V)1);                                               \
        picked.s0 = divided.s1;                                                                                        \
        picked.s10 = (picked ^ divided).s01;                                                                           \
        picked = any(x == y) || all(x > (V)0) ? ~picked : picked;                                                      \
        picked += convert_##V(as_##V(select(u, v, less)) == x);                                                        \
        vstore##N(picked, i % 16, out + AT + (i / 16) * (N * 16));                                                     \
    }
#define TYPE(T, U, S)                                                                                                  \
    KERNEL(T, U, 2, T##2, U##2, S##2, 0)                                                                               \
    KERNEL(T, U, 3, T##3, U##3, S##3, 128)                                                                             \
    KERNEL(T, U, 4, T##4, U##4, S##4, 320)                                                                             \
    KERNEL(T, U, 8, T##8, U##8, S##8, 576)                                                                             \
    KERNEL(T, U, 16, T##16, U##16, S##16, 1024)

TYPE(char, uchar, char)
TYPE(uchar, uchar, char)
TYPE(short, ushort, short)
TYPE(ushort, ushort, short)
TYPE(int, uint, int)
TYPE(uint, uint, int)
TYPE(long, ulong, long)
TYPE(ulong, ulong, long)
