/* The conversions for convert.c. */
#include "calls.h"

#define WIDTH(n, D, S, suffix) COMPARE(n, D, convert_##D##n##suffix(vload##n(0, x + i)))
#define CONVERSION(D, S, suffix, saturates, rounding)                                                                  \
    void call_##D##_##S##suffix(uint count, const S *x, D *r)                                                          \
    {                                                                                                                  \
        for (uint i = 0; i < count; i++)                                                                               \
            r[i] = convert_##D##suffix(x[i]);                                                                          \
    }                                                                                                                  \
    uint widths_##D##_##S##suffix(uint count, const S *x, const D *expected)                                           \
    {                                                                                                                  \
        uint wrong = 0;                                                                                                \
        WIDTH(2, D, S, suffix) WIDTH(3, D, S, suffix) WIDTH(4, D, S, suffix) WIDTH(8, D, S, suffix)                    \
        WIDTH(16, D, S, suffix)                                                                                        \
        return wrong;                                                                                                  \
    }
#include "convert.def"
