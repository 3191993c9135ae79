/* read_imagef: floats of images with and without a sampler. */
#include "image_texel.h"

OVL float vload_half(size_t i, const __global half *p);

static __constant const float srgb[256] = {
#include "srgb.h"
};

/* ---- channels ---- */

/* Divided by `most` and correctly rounded: the product's error is known, and corrected. */
INTERNAL float divided(float x, float most)
{
    float q = x * (1.0f / most);
    return __builtin_fmaf(__builtin_fmaf(-most, q, x), 1.0f / most, q);
}

INTERNAL bool is_srgb(image m)
{
    uint order = of(m, CY_IMG_ORDER);
    return order == ORDER_SRGBA || order == ORDER_SBGRA;
}

/* A channel as a float; normalised ones are scaled after filtering. */
INTERNAL float raw_channel(image m, size_t p, uint i)
{
    uint type = of(m, CY_IMG_TYPE);
    if (type == FLOAT)
        return *(__global const float *)p;
    if (type == UNORM8) {
        uchar code = *(__global const uchar *)p;
        if (!is_srgb(m))
            return (float)code;
        return i < 3 ? srgb[code] : divided((float)code, 255.0f);
    }
    if (type == UNORM16)
        return (float)*(__global const ushort *)p;
    if (type == HALF)
        return vload_half(0, (__global const half *)p);
    if (type == SNORM8)
        return __cy_fmax((float)*(__global const char *)p, -127.0f);
    return __cy_fmax((float)*(__global const short *)p, -32767.0f);
}
INTERNAL float scaled_channel(image m, float x)
{
    uint type = of(m, CY_IMG_TYPE);
    return type == UNORM8    ? is_srgb(m) ? x : divided(x, 255.0f)
           : type == UNORM16 ? divided(x, 65535.0f)
           : type == SNORM8  ? divided(x, 127.0f)
           : type == SNORM16 ? divided(x, 32767.0f)
                             : x;
}
PLACES(float)

/* ---- elements ---- */

INTERNAL float4 bytes_of(uint word)
{
    return (float4)((float)(word & 255), (float)(word >> 8 & 255), (float)(word >> 16 & 255), (float)(word >> 24));
}
INTERNAL float4 unorm8(float4 c)
{
    return (float4)(divided(c.s0, 255.0f), divided(c.s1, 255.0f), divided(c.s2, 255.0f), divided(c.s3, 255.0f));
}

/* Red, green and blue without a channel, and the border, are 0; alpha is where all have 1. */
INTERNAL float4 no_colour(image m) { return (float4)(0.0f, 0.0f, 0.0f, (float)of(m, CY_IMG_OPAQUE)); }

INTERNAL float4 any_element(image m, size_t address, bool inside)
{
    float4 c = no_colour(m);
    uint size = of(m, CY_IMG_CHANNEL);
    CHANNELS(m, i) {
        float x = scaled_channel(m, raw_channel(m, address + i * size, i));
        c = with_float(c, places(m, i), inside ? x : 0.0f);
    }
    return c;
}

INTERNAL float4 element(image m, size_t address, bool inside)
{
    uint format = of(m, CY_IMG_FORMAT);
    if (format == CY_IMG_RGBA_UNORM8) {
        float4 c = unorm8(bytes_of(*(__global const uint *)address));
        return inside ? c : (float4)0.0f;
    }
    if (format == CY_IMG_RGBA_FLOAT) {
        float4 c = *(__global const float4 *)address;
        return inside ? c : (float4)0.0f;
    }
    return any_element(m, address, inside);
}

/* ---- filters ---- */

/* The two elements between which a coordinate lies, and how far it is from the first. */
struct pair {
    int first, second;
    float way;
    bool has_first, has_second; /* not the border */
};

INTERNAL struct pair pair_at(float s, uint count, uint sampler)
{
    struct pair p = {.has_first = true, .has_second = true};
    float u = scaled(s, count, sampler) - 0.5f;
    u = __cy_fmin(__cy_fmax(u, -1.0f), (float)count);
    int i = floor_of(u, count);
    p.way = u - (float)i;
    p.first = limited(i, count, sampler, &p.has_first);
    p.second = limited(i + 1, count, sampler, &p.has_second);
    return p;
}

INTERNAL int single_at(float s, uint count, uint sampler, bool *inside)
{
    return limited(floor_of(scaled(s, count, sampler), count), count, sampler, inside);
}

/* The weighted sum of four elements. */
INTERNAL float4 blend(float4 a, float4 b, float4 c, float4 d, float4 w)
{
    float4 r = a * w.s0;
    r = (float4)(__builtin_fmaf(b.s0, w.s1, r.s0), __builtin_fmaf(b.s1, w.s1, r.s1), __builtin_fmaf(b.s2, w.s1, r.s2),
                 __builtin_fmaf(b.s3, w.s1, r.s3));
    r = (float4)(__builtin_fmaf(c.s0, w.s2, r.s0), __builtin_fmaf(c.s1, w.s2, r.s1), __builtin_fmaf(c.s2, w.s2, r.s2),
                 __builtin_fmaf(c.s3, w.s2, r.s3));
    return (float4)(__builtin_fmaf(d.s0, w.s3, r.s0), __builtin_fmaf(d.s1, w.s3, r.s1),
                    __builtin_fmaf(d.s2, w.s3, r.s2), __builtin_fmaf(d.s3, w.s3, r.s3));
}

INTERNAL float4 linear_1d(image m, uint sampler, float x, int layer)
{
    struct pair h = pair_at(x, of(m, CY_IMG_WIDTH), sampler);
    float4 a = any_element(m, address_of(m, h.first, 0, layer), h.has_first);
    float4 b = any_element(m, address_of(m, h.second, 0, layer), h.has_second);
    return a * (1.0f - h.way) + b * h.way;
}

INTERNAL float4 linear_2d(image m, uint sampler, float x, float y, int layer)
{
    struct pair h = pair_at(x, of(m, CY_IMG_WIDTH), sampler), v = pair_at(y, of(m, CY_IMG_HEIGHT), sampler);
    size_t first = address_of(m, 0, v.first, layer), second = address_of(m, 0, v.second, layer);
    uint left = (uint)h.first * of(m, CY_IMG_ELEMENT), right = (uint)h.second * of(m, CY_IMG_ELEMENT);
    float top = 1.0f - v.way, before = 1.0f - h.way;
    float4 w = (float4)(before * top, h.way * top, before * v.way, h.way * v.way);
    bool i0 = h.has_first && v.has_first, i1 = h.has_second && v.has_first;
    bool i2 = h.has_first && v.has_second, i3 = h.has_second && v.has_second;
    uint format = of(m, CY_IMG_FORMAT);
    if (format == CY_IMG_RGBA_UNORM8) {
        uint a = *(__global const uint *)(first + left), b = *(__global const uint *)(first + right);
        uint c = *(__global const uint *)(second + left), d = *(__global const uint *)(second + right);
        a = i0 ? a : 0, b = i1 ? b : 0, c = i2 ? c : 0, d = i3 ? d : 0;
        return unorm8(blend(bytes_of(a), bytes_of(b), bytes_of(c), bytes_of(d), w));
    }
    if (format == CY_IMG_RGBA_FLOAT) {
        float4 a = *(__global const float4 *)(first + left), b = *(__global const float4 *)(first + right);
        float4 c = *(__global const float4 *)(second + left), d = *(__global const float4 *)(second + right);
        return blend(i0 ? a : (float4)0.0f, i1 ? b : (float4)0.0f, i2 ? c : (float4)0.0f, i3 ? d : (float4)0.0f, w);
    }
    float4 r = no_colour(m);
    uint size = of(m, CY_IMG_CHANNEL);
    CHANNELS(m, i) {
        float a = raw_channel(m, first + left + i * size, i), b = raw_channel(m, first + right + i * size, i);
        float c = raw_channel(m, second + left + i * size, i), d = raw_channel(m, second + right + i * size, i);
        a = i0 ? a : 0.0f, b = i1 ? b : 0.0f, c = i2 ? c : 0.0f, d = i3 ? d : 0.0f;
        float x = __builtin_fmaf(d, w.s3, __builtin_fmaf(c, w.s2, __builtin_fmaf(b, w.s1, a * w.s0)));
        r = with_float(r, places(m, i), scaled_channel(m, x));
    }
    return r;
}

INTERNAL float4 linear_3d(image m, uint sampler, float x, float y, float z)
{
    struct pair h = pair_at(x, of(m, CY_IMG_WIDTH), sampler), v = pair_at(y, of(m, CY_IMG_HEIGHT), sampler);
    struct pair d = pair_at(z, of(m, CY_IMG_DEPTH), sampler);
    float4 sum = 0.0f;
    for (uint i = 0; i < 8; i++) {
        bool r = i & 1, b = i & 2, f = i & 4;
        bool inside = (r ? h.has_second : h.has_first) && (b ? v.has_second : v.has_first) &&
                      (f ? d.has_second : d.has_first);
        float w = (r ? h.way : 1.0f - h.way) * (b ? v.way : 1.0f - v.way) * (f ? d.way : 1.0f - d.way);
        size_t at = address_of(m, r ? h.second : h.first, b ? v.second : v.first, f ? d.second : d.first);
        sum += any_element(m, at, inside) * w;
    }
    return sum;
}

INTERNAL float4 sample_1d(image m, uint s, float x, int layer)
{
    bool inside = true;
    if (s & LINEAR)
        return linear_1d(m, s, x, layer);
    int i = single_at(x, of(m, CY_IMG_WIDTH), s, &inside);
    return element(m, address_of(m, i, 0, layer), inside);
}
INTERNAL float4 sample_2d(image m, uint s, float2 p, int layer)
{
    bool inside = true;
    if (s & LINEAR)
        return linear_2d(m, s, p.x, p.y, layer);
    int x = single_at(p.x, of(m, CY_IMG_WIDTH), s, &inside), y = single_at(p.y, of(m, CY_IMG_HEIGHT), s, &inside);
    return element(m, address_of(m, x, y, layer), inside);
}
INTERNAL float4 sample_3d(image m, uint s, float4 p)
{
    bool inside = true;
    if (s & LINEAR)
        return linear_3d(m, s, p.x, p.y, p.z);
    int x = single_at(p.x, of(m, CY_IMG_WIDTH), s, &inside), y = single_at(p.y, of(m, CY_IMG_HEIGHT), s, &inside);
    int z = single_at(p.z, of(m, CY_IMG_DEPTH), s, &inside);
    return element(m, address_of(m, x, y, z), inside);
}

/* Integer coordinates: the nearest element, whatever the filter. */
INTERNAL float4 fetch(image m, uint s, int x, int y, int z, int layer)
{
    bool inside = true;
    x = limited(x, of(m, CY_IMG_WIDTH), s, &inside);
    y = limited(y, of(m, CY_IMG_HEIGHT), s, &inside);
    z = limited(z, of(m, CY_IMG_DEPTH), s, &inside);
    return element(m, address_of(m, x, y, z + between(layer, of(m, CY_IMG_LAYERS))), inside);
}

/* ---- the functions ---- */

#define LAYER(m, f) layer_of(f, of(m, CY_IMG_LAYERS))

OVL float4 read_imagef(read_only image1d_t i, sampler_t s, float p)
{
    return sample_1d(__cy_image(i), __cy_sampler(s), p, 0);
}
OVL float4 read_imagef(read_only image1d_array_t i, sampler_t s, float2 p)
{
    return sample_1d(__cy_image(i), __cy_sampler(s), p.x, LAYER(__cy_image(i), p.y));
}
OVL float4 read_imagef(read_only image2d_t i, sampler_t s, float2 p)
{
    return sample_2d(__cy_image(i), __cy_sampler(s), p, 0);
}
OVL float4 read_imagef(read_only image2d_array_t i, sampler_t s, float4 p)
{
    return sample_2d(__cy_image(i), __cy_sampler(s), p.xy, LAYER(__cy_image(i), p.z));
}
OVL float4 read_imagef(read_only image3d_t i, sampler_t s, float4 p)
{
    return sample_3d(__cy_image(i), __cy_sampler(s), p);
}
OVL float read_imagef(read_only image2d_depth_t i, sampler_t s, float2 p)
{
    return sample_2d(__cy_image(i), __cy_sampler(s), p, 0).x;
}
OVL float read_imagef(read_only image2d_array_depth_t i, sampler_t s, float4 p)
{
    return sample_2d(__cy_image(i), __cy_sampler(s), p.xy, LAYER(__cy_image(i), p.z)).x;
}

#define FETCHES(R, type, P, part, ...)                                                                                 \
    OVL R read_imagef(read_only type##_t i, sampler_t s, P p)                                                          \
    {                                                                                                                  \
        return fetch(__cy_image(i), __cy_sampler(s), __VA_ARGS__) part;                                                \
    }                                                                                                                  \
    PLAIN(R, type, read_only, P, part, __VA_ARGS__) PLAIN(R, type, read_write, P, part, __VA_ARGS__)
#define PLAIN(R, type, access, P, part, ...)                                                                           \
    OVL R read_imagef(access type##_t i, P p) { return fetch(__cy_image(i), 0, __VA_ARGS__) part; }
FETCHES(float4, image1d, int, , p, 0, 0, 0)
FETCHES(float4, image1d_array, int2, , p.x, 0, 0, p.y)
FETCHES(float4, image2d, int2, , p.x, p.y, 0, 0)
FETCHES(float4, image2d_array, int4, , p.x, p.y, 0, p.z)
FETCHES(float4, image3d, int4, , p.x, p.y, p.z, 0)
FETCHES(float, image2d_depth, int2, .x, p.x, p.y, 0, 0)
FETCHES(float, image2d_array_depth, int4, .x, p.x, p.y, 0, p.z)
PLAIN(float4, image1d_buffer, read_only, int, , p, 0, 0, 0)
PLAIN(float4, image1d_buffer, read_write, int, , p, 0, 0, 0)
