/* Memory blocks of any size: memcpy, memmove and memset calls that the compiler does not expand inline.  The numbers
 * are address spaces: 0 private, 1 global, 2 constant, 3 local, 4 generic.  `align` is the known alignment of both
 * addresses. */
#include "builtins.h"

#define WORDS(space, p) ((space uint *)(p))

#define COPY(t, to_space, f, from_space)                                                                               \
    void __cy_copy_##t##f(to_space uchar *to, const from_space uchar *from, uint bytes, uint align)                    \
    {                                                                                                                  \
        uint i = 0;                                                                                                    \
        if (align >= 4)                                                                                                \
            for (; i + 4 <= bytes; i += 4)                                                                             \
                *WORDS(to_space, to + i) = *WORDS(const from_space, from + i);                                         \
        for (; i < bytes; i++)                                                                                         \
            to[i] = from[i];                                                                                           \
    }
#define COPIES(t, to_space)                                                                                            \
    COPY(t, to_space, 0, __private)                                                                                    \
    COPY(t, to_space, 1, __global)                                                                                     \
    COPY(t, to_space, 2, __constant)                                                                                   \
    COPY(t, to_space, 3, __local)
COPIES(0, __private)
COPIES(1, __global)
COPIES(3, __local)
COPY(4, __generic, 4, __generic)

/* Overlapping blocks: downwards if the destination is above the source. */
#define MOVE(s, space)                                                                                                 \
    void __cy_move_##s##s(space uchar *to, const space uchar *from, uint bytes, uint align)                            \
    {                                                                                                                  \
        if (to <= from) {                                                                                              \
            __cy_copy_##s##s(to, from, bytes, align);                                                                  \
            return;                                                                                                    \
        }                                                                                                              \
        uint i = bytes;                                                                                                \
        if (align >= 4) {                                                                                              \
            for (; i % 4; i--)                                                                                         \
                to[i - 1] = from[i - 1];                                                                               \
            for (; i; i -= 4)                                                                                          \
                *WORDS(space, to + i - 4) = *WORDS(const space, from + i - 4);                                         \
        }                                                                                                              \
        for (; i; i--)                                                                                                 \
            to[i - 1] = from[i - 1];                                                                                   \
    }
MOVE(0, __private)
MOVE(1, __global)
MOVE(3, __local)
MOVE(4, __generic)

#define FILL(s, space)                                                                                                 \
    void __cy_fill_##s(space uchar *to, uint value, uint bytes, uint align)                                            \
    {                                                                                                                  \
        uint i = 0, word = (value & 0xff) * 0x01010101u;                                                               \
        if (align >= 4)                                                                                                \
            for (; i + 4 <= bytes; i += 4)                                                                             \
                *WORDS(space, to + i) = word;                                                                          \
        for (; i < bytes; i++)                                                                                         \
            to[i] = (uchar)value;                                                                                      \
    }
FILL(0, __private)
FILL(1, __global)
FILL(3, __local)
FILL(4, __generic)
