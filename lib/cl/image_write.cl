/* write_imagef, write_imagei, write_imageui.  A place outside the image is not written. */
#include "image_texel.h"

OVL void vstore_half_rte(float x, size_t i, __global half *p);

/* The element's address; 0: outside. */
INTERNAL size_t place(image m, int x, int y, int z, int layer)
{
    bool inside = (uint)x < of(m, CY_IMG_WIDTH) && (uint)y < of(m, CY_IMG_HEIGHT) && (uint)z < of(m, CY_IMG_DEPTH) &&
                  (uint)layer < of(m, CY_IMG_LAYERS);
    return inside ? address_of(m, x, y, z + layer) : 0;
}

/* ---- rounded to nearest even, limited to the type's range ---- */

INTERNAL int nearest(float x, float least, float most)
{
    return (int)(__cy_fmin(__cy_fmax(x, least), most) + 0x1.8p23f - 0x1.8p23f);
}
PLACES(float)
PLACES(uint)

INTERNAL void put_channel(image m, size_t p, float x)
{
    uint type = of(m, CY_IMG_TYPE);
    if (type == FLOAT)
        *(__global float *)p = x;
    else if (type == UNORM8)
        *(__global uchar *)p = (uchar)nearest(x * 255.0f, 0.0f, 255.0f);
    else if (type == UNORM16)
        *(__global ushort *)p = (ushort)nearest(x * 65535.0f, 0.0f, 65535.0f);
    else if (type == HALF)
        vstore_half_rte(x, 0, (__global half *)p);
    else if (type == SNORM8)
        *(__global char *)p = (char)nearest(x * 127.0f, -127.0f, 127.0f);
    else
        *(__global short *)p = (short)nearest(x * 32767.0f, -32767.0f, 32767.0f);
}

INTERNAL uint to_unorm8(float x)
{
    return AS(uint, __cy_fmin(__cy_fmax(x * 255.0f, 0.0f), 255.0f) + 0x1p23f) & 255; /* rounds to the last bit */
}

INTERNAL void put(image m, size_t address, float4 c)
{
    uint format = of(m, CY_IMG_FORMAT), size = of(m, CY_IMG_CHANNEL);
    if (!address)
        return;
    if (format == CY_IMG_RGBA_UNORM8)
        *(__global uint *)address =
            to_unorm8(c.s0) | to_unorm8(c.s1) << 8 | to_unorm8(c.s2) << 16 | to_unorm8(c.s3) << 24;
    else if (format == CY_IMG_RGBA_FLOAT)
        *(__global float4 *)address = c;
    else
        CHANNELS(m, i) put_channel(m, address + i * size, component_float(c, places(m, i)));
}

INTERNAL void put_int_channel(image m, size_t p, uint x)
{
    uint type = of(m, CY_IMG_TYPE);
    int s = (int)x;
    if (type == UINT8)
        *(__global uchar *)p = (uchar)(x > 255 ? 255 : x);
    else if (type == UINT16)
        *(__global ushort *)p = (ushort)(x > 65535 ? 65535 : x);
    else if (type == SINT8)
        *(__global char *)p = (char)(s < -128 ? -128 : s > 127 ? 127 : s);
    else if (type == SINT16)
        *(__global short *)p = (short)(s < -32768 ? -32768 : s > 32767 ? 32767 : s);
    else
        *(__global uint *)p = x;
}

INTERNAL uint to_uint8(uint x) { return x > 255 ? 255 : x; }

INTERNAL void put_int(image m, size_t address, uint4 c)
{
    uint format = of(m, CY_IMG_FORMAT), size = of(m, CY_IMG_CHANNEL);
    if (!address)
        return;
    if (format == CY_IMG_RGBA_UINT8)
        *(__global uint *)address = to_uint8(c.s0) | to_uint8(c.s1) << 8 | to_uint8(c.s2) << 16 | to_uint8(c.s3) << 24;
    else if (format == CY_IMG_RGBA_INT32)
        *(__global uint4 *)address = c;
    else
        CHANNELS(m, i) put_int_channel(m, address + i * size, component_uint(c, places(m, i)));
}

#define WRITE(type, access, P, ...)                                                                                    \
    OVL void write_imagef(access type##_t i, P p, float4 c) { put(__cy_image(i), place(__cy_image(i), __VA_ARGS__), c); } \
    OVL void write_imagei(access type##_t i, P p, int4 c)                                                              \
    {                                                                                                                  \
        put_int(__cy_image(i), place(__cy_image(i), __VA_ARGS__), AS(uint4, c));                                       \
    }                                                                                                                  \
    OVL void write_imageui(access type##_t i, P p, uint4 c)                                                            \
    {                                                                                                                  \
        put_int(__cy_image(i), place(__cy_image(i), __VA_ARGS__), c);                                                  \
    }
#define WRITES(type, P, ...) WRITE(type, write_only, P, __VA_ARGS__) WRITE(type, read_write, P, __VA_ARGS__)
WRITES(image1d, int, p, 0, 0, 0)
WRITES(image1d_buffer, int, p, 0, 0, 0)
WRITES(image1d_array, int2, p.x, 0, 0, p.y)
WRITES(image2d, int2, p.x, p.y, 0, 0)
WRITES(image2d_array, int4, p.x, p.y, 0, p.z)
WRITES(image3d, int4, p.x, p.y, p.z, 0)

#define WRITE_DEPTH(type, access, P, ...)                                                                              \
    OVL void write_imagef(access type##_t i, P p, float depth)                                                         \
    {                                                                                                                  \
        put(__cy_image(i), place(__cy_image(i), __VA_ARGS__), (float4)(depth, 0.0f, 0.0f, 1.0f));                      \
    }
WRITE_DEPTH(image2d_depth, write_only, int2, p.x, p.y, 0, 0)
WRITE_DEPTH(image2d_depth, read_write, int2, p.x, p.y, 0, 0)
WRITE_DEPTH(image2d_array_depth, write_only, int4, p.x, p.y, 0, p.z)
WRITE_DEPTH(image2d_array_depth, read_write, int4, p.x, p.y, 0, p.z)
