/* Images: what the parts of their implementation share.  An image argument is the address of its description (IMG_... in
 * abi.def), a sampler the number that OpenCL C's constants make.  Every lane of a warp sees the same image, so branches
 * on its format are uniform.  RGBA of some types is read and written as a whole, other formats by a loop over their channels
 * (image_texel.h). */
#ifndef CY_IMAGE_H
#define CY_IMAGE_H

#include "abi/abi.h"
#include "builtins.h"

typedef __constant const uint *image;

/* M(type without _t, access, name) */
#define READABLE(M, type)  M(type, read_only) M(type, read_write)
#define WRITABLE(M, type)  M(type, write_only) M(type, read_write)
#define ANY_ACCESS(M, type) M(type, read_only) M(type, write_only) M(type, read_write)
#define COLOUR_IMAGES(A, M)                                                                                            \
    A(M, image1d) A(M, image1d_buffer) A(M, image1d_array) A(M, image2d) A(M, image2d_array) A(M, image3d)
#define DEPTH_IMAGES(A, M) A(M, image2d_depth) A(M, image2d_array_depth)

/* The compiler knows these by name: an image is the address of its description, a sampler a number. */
#define DESCRIPTION(type, access) OVL image __cy_image(access type##_t i) __attribute__((const));
COLOUR_IMAGES(ANY_ACCESS, DESCRIPTION)
DEPTH_IMAGES(ANY_ACCESS, DESCRIPTION)
uint __cy_sampler(sampler_t sampler) __attribute__((const));

INTERNAL uint of(image m, uint offset) { return m[offset / 4]; }

/* ---- coordinates ---- */

enum sampler_bits {
    NORMALIZED = 1,
    ADDRESSING = 0xe,
    TO_EDGE = 2,
    TO_BORDER = 4,
    REPEAT = 6,
    MIRRORED = 8,
    LINEAR = 0x20,
};

INTERNAL int between(int i, uint count) { return i < 0 ? 0 : (uint)i < count ? i : (int)count - 1; }

/* The largest integer not above x, for x from -1 to count; x outside counts as the nearer of them, and NaN as -1. */
INTERNAL int floor_of(float x, uint count)
{
    x = __cy_fmin(__cy_fmax(x, -1.0f), (float)count);
    int i = (int)x;
    return i - (x < (float)i);
}

/* s in elements, before it is limited to the image; the modes that repeat have normalised coordinates. */
INTERNAL float scaled(float s, uint count, uint sampler)
{
    uint mode = sampler & ADDRESSING;
    if (mode == REPEAT)
        s -= (float)(int)s - (s < (float)(int)s ? 1.0f : 0.0f);
    if (mode == MIRRORED) {
        float even = 0.5f * s + 0x1.8p23f - 0x1.8p23f; /* rounded to an integer */
        s = AS(float, AS(uint, s - 2.0f * even) & 0x7fffffff);
    }
    return sampler & NORMALIZED ? s * (float)count : s;
}

/* The element of an index; `inside` becomes false where it is the border's colour. */
INTERNAL int limited(int i, uint count, uint sampler, bool *inside)
{
    if ((sampler & ADDRESSING) == REPEAT)
        i = i < 0 ? i + (int)count : (uint)i >= count ? i - (int)count : i;
    if ((sampler & ADDRESSING) == TO_BORDER)
        *inside = *inside && (uint)i < count;
    return between(i, count);
}

/* The layer of an array: rounded to nearest even, to the first or last one outside. */
INTERNAL int layer_of(float layer, uint count)
{
    layer = __cy_fmin(__cy_fmax(layer, 0.0f), (float)(count - 1));
    return (int)(layer + 0x1.8p23f - 0x1.8p23f);
}

/* An image has less than 4 GiB, wherever it is. */
INTERNAL size_t address_of(image m, int x, int y, int z)
{
#ifdef __SPIR64__
    size_t pixels = (size_t)of(m, CY_IMG_PIXELS_HIGH) << 32 | of(m, CY_IMG_PIXELS);
    return pixels + (uint)((uint)z * of(m, CY_IMG_SLICE) + (uint)y * of(m, CY_IMG_ROW) + (uint)x * of(m, CY_IMG_ELEMENT));
#else
    return of(m, CY_IMG_PIXELS) + (uint)z * of(m, CY_IMG_SLICE) + (uint)y * of(m, CY_IMG_ROW) +
           (uint)x * of(m, CY_IMG_ELEMENT);
#endif
}

#endif
