/* Lists of types for the test kernels, and comparing a vector's components with scalars. */
#define TYPES(M) INTEGERS(M) M(float)
#define INTEGERS(M) M(char) M(uchar) M(short) M(ushort) M(int) M(uint) M(long) M(ulong)

/* Runs `call` for vectors of n from position i on, compares with expected[i ...]. */
#define COMPARE(n, R, call)                                                                                            \
    for (uint i = 0; i + n <= count; i += n) {                                                                         \
        R##n result = call;                                                                                            \
        wrong += values_differ(n, (const R *)&result, expected + i);                                                   \
    }
#define COMPARE_ALL(R, CALL)                                                                                           \
    COMPARE(2, R, CALL(2)) COMPARE(3, R, CALL(3)) COMPARE(4, R, CALL(4)) COMPARE(8, R, CALL(8)) COMPARE(16, R, CALL(16))

static uint __attribute__((unused)) differ(uint bytes, const void *a, const void *b)
{
    uint wrong = 0;
    for (uint i = 0; i < bytes; i++)
        wrong += ((const uchar *)a)[i] != ((const uchar *)b)[i];
    return wrong != 0;
}

#define VALUES_DIFFER(T, differs)                                                                                      \
    static uint __attribute__((overloadable, unused)) values_differ(uint count, const T *a, const T *b)                \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        for (uint i = 0; i < count; i++)                                                                               \
            wrong += differs;                                                                                          \
        return wrong != 0;                                                                                             \
    }
#define INTEGERS_DIFFER(T) VALUES_DIFFER(T, a[i] != b[i])
INTEGERS(INTEGERS_DIFFER)
/* Any NaN equals any other: x + y of two NaNs gives the first on most hosts, and a compiler is free to add y + x. */
VALUES_DIFFER(float, as_uint(a[i]) != as_uint(b[i]) && !(isnan(a[i]) && isnan(b[i])))
