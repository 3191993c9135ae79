/* One element of an image of any format, channel by channel.  The number of channels, their type and their places come from
 * the image's description, so loop and branches are uniform. */
#ifndef CY_IMAGE_TEXEL_H
#define CY_IMAGE_TEXEL_H

#include "image.h"

enum channel_type {
    SNORM8 = 0x10d0,
    SNORM16,
    UNORM8,
    UNORM16,
    UNORM565,
    UNORM555,
    UNORM101010,
    SINT8,
    SINT16,
    SINT32,
    UINT8,
    UINT16,
    UINT32,
    HALF,
    FLOAT
};

#define ORDER_SRGBA 0x10c1
#define ORDER_SBGRA 0x10c2

/* For each channel in memory; without the pragma four copies would be inlined at each access. */
#define CHANNELS(m, i) _Pragma("clang loop unroll(disable)") for (uint i = 0; i < of(m, CY_IMG_CHANNELS); i++)

/* The components that channel i is: a bit each. */
INTERNAL uint places(image m, uint i) { return of(m, CY_IMG_PLACES) >> 4 * i; }

/* `c` with `x` at these places; the component at the first of them. */
#define PLACES(T)                                                                                                      \
    INTERNAL T##4 with_##T(T##4 c, uint at, T x)                                                                       \
    {                                                                                                                  \
        return (T##4)(at & 1 ? x : c.s0, at & 2 ? x : c.s1, at & 4 ? x : c.s2, at & 8 ? x : c.s3);                     \
    }                                                                                                                  \
    INTERNAL T component_##T(T##4 c, uint at) { return at & 1 ? c.s0 : at & 2 ? c.s1 : at & 4 ? c.s2 : c.s3; }

#endif
