/* Lists of types for the test kernels, and comparing a vector's components with scalars, bit by bit. */
#define TYPES(M) INTEGERS(M) M(float)
#define INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)

/* Runs `call` for vectors of n from position i on, compares with expected[i ...]. */
#define COMPARE(n, R, call)                                                                                            \
    for (uint i = 0; i + n <= count; i += n) {                                                                         \
        R##n result = call;                                                                                            \
        wrong += differ(n * sizeof(R), &result, expected + i);                                                         \
    }
#define COMPARE_ALL(R, CALL)                                                                                           \
    COMPARE(2, R, CALL(2)) COMPARE(3, R, CALL(3)) COMPARE(4, R, CALL(4)) COMPARE(8, R, CALL(8)) COMPARE(16, R, CALL(16))

static uint differ(uint bytes, const void *a, const void *b)
{
    uint wrong = 0;
    for (uint i = 0; i < bytes; i++)
        wrong += ((const uchar *)a)[i] != ((const uchar *)b)[i];
    return wrong != 0;
}
