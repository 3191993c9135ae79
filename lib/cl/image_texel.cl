/* One element of an image of any format: its channels as floats or integers, and back. */
#include "image.h"

OVL float vload_half(size_t i, const __global half *p);
OVL void vstore_half_rte(float x, size_t i, __global half *p);

static __constant const float srgb[256] = {
#include "srgb.h"
};

INTERNAL uint channels_of(uint order)
{
    switch (order) {
    case ORDER_RG:
    case ORDER_RA: return 2;
    case ORDER_RGBA:
    case ORDER_BGRA:
    case ORDER_ARGB:
    case ORDER_ABGR:
    case ORDER_SRGBA:
    case ORDER_SBGRA: return 4;
    default: return 1;
    }
}

/* The channels of an element as they are in memory, and what they are called. */
#define NAMED(T)                                                                                                       \
    INTERNAL T##4 named_##T(uint order, T##4 c)                                                                        \
    {                                                                                                                  \
        switch (order) {                                                                                               \
        case ORDER_A: return (T##4)(0, 0, 0, c.s0);                                                                    \
        case ORDER_RG: return (T##4)(c.s0, c.s1, 0, 1);                                                                \
        case ORDER_RA: return (T##4)(c.s0, 0, 0, c.s1);                                                                \
        case ORDER_RGBA:                                                                                               \
        case ORDER_SRGBA: return c;                                                                                    \
        case ORDER_BGRA:                                                                                               \
        case ORDER_SBGRA: return c.s2103;                                                                              \
        case ORDER_ARGB: return c.s1230;                                                                               \
        case ORDER_ABGR: return c.s3210;                                                                               \
        case ORDER_INTENSITY: return c.s0000;                                                                          \
        case ORDER_LUMINANCE: return (T##4)(c.s0, c.s0, c.s0, 1);                                                      \
        default: return (T##4)(c.s0, 0, 0, 1);                                                                         \
        }                                                                                                              \
    }                                                                                                                  \
    INTERNAL T##4 stored_##T(uint order, T##4 c)                                                                       \
    {                                                                                                                  \
        switch (order) {                                                                                               \
        case ORDER_A: return c.s3333;                                                                                  \
        case ORDER_RA: return c.s0333;                                                                                 \
        case ORDER_BGRA:                                                                                               \
        case ORDER_SBGRA: return c.s2103;                                                                              \
        case ORDER_ARGB: return c.s3012;                                                                               \
        case ORDER_ABGR: return c.s3210;                                                                               \
        default: return c;                                                                                             \
        }                                                                                                              \
    }
NAMED(float)
NAMED(uint)

/* ---- reading ---- */

INTERNAL float float_channel(uint type, bool is_srgb, __global const uchar *p, uint i)
{
    __global const ushort *h = (__global const ushort *)p;
    switch (type) {
    case SNORM8: return __cy_fmax((float)((__global const char *)p)[i] / 127.0f, -1.0f);
    case SNORM16: return __cy_fmax((float)((__global const short *)p)[i] / 32767.0f, -1.0f);
    case UNORM8: return is_srgb && i < 3 ? srgb[p[i]] : (float)p[i] / 255.0f;
    case UNORM16: return (float)h[i] / 65535.0f;
    case HALF: return vload_half(i, (__global const half *)p);
    default: return ((__global const float *)p)[i];
    }
}

float4 __cy_call_texel(image m, size_t address)
{
    __global const uchar *p = (__global const uchar *)address;
    uint type = of(m, CY_IMG_TYPE), order = of(m, CY_IMG_ORDER), count = channels_of(order);
    bool is_srgb = order == ORDER_SRGBA || order == ORDER_SBGRA;
    float4 c = 0.0f;
    c.s0 = float_channel(type, is_srgb, p, 0);
    if (count > 1)
        c.s1 = float_channel(type, is_srgb, p, 1);
    if (count > 2) {
        c.s2 = float_channel(type, is_srgb, p, 2);
        c.s3 = float_channel(type, is_srgb, p, 3);
    }
    return named_float(order, c);
}

INTERNAL uint int_channel(uint type, __global const uchar *p, uint i)
{
    switch (type) {
    case SINT8: return (uint)(int)((__global const char *)p)[i];
    case SINT16: return (uint)(int)((__global const short *)p)[i];
    case UINT8: return p[i];
    case UINT16: return ((__global const ushort *)p)[i];
    default: return ((__global const uint *)p)[i];
    }
}

uint4 __cy_call_texel_int(image m, size_t address)
{
    __global const uchar *p = (__global const uchar *)address;
    uint type = of(m, CY_IMG_TYPE), order = of(m, CY_IMG_ORDER), count = channels_of(order);
    uint4 c = 0;
    c.s0 = int_channel(type, p, 0);
    if (count > 1)
        c.s1 = int_channel(type, p, 1);
    if (count > 2) {
        c.s2 = int_channel(type, p, 2);
        c.s3 = int_channel(type, p, 3);
    }
    return named_uint(order, c);
}

/* ---- writing: rounded to nearest even, limited to the type's range ---- */

INTERNAL int nearest(float x, float least, float most)
{
    return (int)(__cy_fmin(__cy_fmax(x, least), most) + 0x1.8p23f - 0x1.8p23f);
}

INTERNAL void put_float_channel(uint type, __global uchar *p, uint i, float x)
{
    switch (type) {
    case SNORM8: ((__global char *)p)[i] = (char)nearest(x * 127.0f, -127.0f, 127.0f); break;
    case SNORM16: ((__global short *)p)[i] = (short)nearest(x * 32767.0f, -32767.0f, 32767.0f); break;
    case UNORM8: p[i] = (uchar)nearest(x * 255.0f, 0.0f, 255.0f); break;
    case UNORM16: ((__global ushort *)p)[i] = (ushort)nearest(x * 65535.0f, 0.0f, 65535.0f); break;
    case HALF: vstore_half_rte(x, i, (__global half *)p); break;
    default: ((__global float *)p)[i] = x; break;
    }
}

void __cy_call_put(image m, size_t address, float4 colour)
{
    __global uchar *p = (__global uchar *)address;
    uint type = of(m, CY_IMG_TYPE), order = of(m, CY_IMG_ORDER), count = channels_of(order);
    float4 c = stored_float(order, colour);
    put_float_channel(type, p, 0, c.s0);
    if (count > 1)
        put_float_channel(type, p, 1, c.s1);
    if (count > 2) {
        put_float_channel(type, p, 2, c.s2);
        put_float_channel(type, p, 3, c.s3);
    }
}

INTERNAL void put_int_channel(uint type, __global uchar *p, uint i, uint x)
{
    int s = (int)x;
    switch (type) {
    case SINT8: ((__global char *)p)[i] = (char)(s < -128 ? -128 : s > 127 ? 127 : s); break;
    case SINT16: ((__global short *)p)[i] = (short)(s < -32768 ? -32768 : s > 32767 ? 32767 : s); break;
    case UINT8: p[i] = (uchar)(x > 255 ? 255 : x); break;
    case UINT16: ((__global ushort *)p)[i] = (ushort)(x > 65535 ? 65535 : x); break;
    default: ((__global uint *)p)[i] = x; break;
    }
}

void __cy_call_put_int(image m, size_t address, uint4 colour)
{
    __global uchar *p = (__global uchar *)address;
    uint type = of(m, CY_IMG_TYPE), order = of(m, CY_IMG_ORDER), count = channels_of(order);
    uint4 c = stored_uint(order, colour);
    put_int_channel(type, p, 0, c.s0);
    if (count > 1)
        put_int_channel(type, p, 1, c.s1);
    if (count > 2) {
        put_int_channel(type, p, 2, c.s2);
        put_int_channel(type, p, 3, c.s3);
    }
}
