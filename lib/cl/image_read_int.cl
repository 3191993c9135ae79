/* read_imagei and read_imageui: integers of the nearest element. */
#include "image_texel.h"

INTERNAL uint channel(image m, size_t p)
{
    uint type = of(m, CY_IMG_TYPE);
    if (type == UINT8)
        return *(__global const uchar *)p;
    if (type == UINT16)
        return *(__global const ushort *)p;
    if (type == SINT8)
        return (uint)(int)*(__global const char *)p;
    if (type == SINT16)
        return (uint)(int)*(__global const short *)p;
    return *(__global const uint *)p;
}
PLACES(uint)

INTERNAL uint4 element(image m, size_t address, bool inside)
{
    uint format = of(m, CY_IMG_FORMAT);
    if (format == CY_IMG_RGBA_UINT8) {
        uint word = *(__global const uint *)address;
        return inside ? (uint4)(word & 255, word >> 8 & 255, word >> 16 & 255, word >> 24) : (uint4)0;
    }
    if (format == CY_IMG_RGBA_INT32) {
        uint4 words = *(__global const uint4 *)address;
        return inside ? words : (uint4)0;
    }
    uint4 c = (uint4)(0, 0, 0, of(m, CY_IMG_OPAQUE));
    uint size = of(m, CY_IMG_CHANNEL);
    CHANNELS(m, i) {
        uint x = channel(m, address + i * size);
        c = with_uint(c, places(m, i), inside ? x : 0);
    }
    return c;
}

INTERNAL int single_at(float s, uint count, uint sampler, bool *inside)
{
    return limited(floor_of(scaled(s, count, sampler), count), count, sampler, inside);
}

INTERNAL uint4 sample(image m, uint s, float x, float y, float z, float layer)
{
    bool inside = true;
    int column = single_at(x, of(m, CY_IMG_WIDTH), s, &inside), row = 0, slice = 0;
    if (of(m, CY_IMG_HEIGHT) > 1 || s & TO_BORDER)
        row = single_at(y, of(m, CY_IMG_HEIGHT), s, &inside);
    if (of(m, CY_IMG_DEPTH) > 1 || s & TO_BORDER)
        slice = single_at(z, of(m, CY_IMG_DEPTH), s, &inside);
    return element(m, address_of(m, column, row, slice + layer_of(layer, of(m, CY_IMG_LAYERS))), inside);
}

INTERNAL uint4 fetch(image m, uint s, int x, int y, int z, int layer)
{
    bool inside = true;
    x = limited(x, of(m, CY_IMG_WIDTH), s, &inside);
    y = limited(y, of(m, CY_IMG_HEIGHT), s, &inside);
    z = limited(z, of(m, CY_IMG_DEPTH), s, &inside);
    return element(m, address_of(m, x, y, z + between(layer, of(m, CY_IMG_LAYERS))), inside);
}

/* F: the float coordinates, I: the integer ones. */
#define SAMPLED(T, name, type, P, ...)                                                                                 \
    OVL T##4 name(read_only type##_t i, sampler_t s, P p)                                                              \
    {                                                                                                                  \
        return AS(T##4, sample(__cy_image(i), __cy_sampler(s), __VA_ARGS__));                                          \
    }
#define PLAIN(T, name, type, access, P, ...)                                                                           \
    OVL T##4 name(access type##_t i, P p) { return AS(T##4, fetch(__cy_image(i), 0, __VA_ARGS__)); }
#define FETCHES(T, name, type, P, ...)                                                                                 \
    OVL T##4 name(read_only type##_t i, sampler_t s, P p)                                                              \
    {                                                                                                                  \
        return AS(T##4, fetch(__cy_image(i), __cy_sampler(s), __VA_ARGS__));                                           \
    }                                                                                                                  \
    PLAIN(T, name, type, read_only, P, __VA_ARGS__) PLAIN(T, name, type, read_write, P, __VA_ARGS__)
/* A dimension that the image lacks has size 1: half of it is inside. */
#define READS(T, name)                                                                                                 \
    SAMPLED(T, name, image1d, float, p, 0.5f, 0.5f, 0.0f)                                                              \
    SAMPLED(T, name, image1d_array, float2, p.x, 0.5f, 0.5f, p.y)                                                      \
    SAMPLED(T, name, image2d, float2, p.x, p.y, 0.5f, 0.0f)                                                            \
    SAMPLED(T, name, image2d_array, float4, p.x, p.y, 0.5f, p.z)                                                       \
    SAMPLED(T, name, image3d, float4, p.x, p.y, p.z, 0.0f)                                                             \
    FETCHES(T, name, image1d, int, p, 0, 0, 0)                                                                         \
    FETCHES(T, name, image1d_array, int2, p.x, 0, 0, p.y)                                                              \
    FETCHES(T, name, image2d, int2, p.x, p.y, 0, 0)                                                                    \
    FETCHES(T, name, image2d_array, int4, p.x, p.y, 0, p.z)                                                            \
    FETCHES(T, name, image3d, int4, p.x, p.y, p.z, 0)                                                                  \
    PLAIN(T, name, image1d_buffer, read_only, int, p, 0, 0, 0)                                                         \
    PLAIN(T, name, image1d_buffer, read_write, int, p, 0, 0, 0)
READS(int, read_imagei)
READS(uint, read_imageui)
