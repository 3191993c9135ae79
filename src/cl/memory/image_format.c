/* The formats of images: which there are, and how a colour is stored. */
#include "cl/memory/memory_priv.h"

#include <math.h>

enum { NO_WRITES = 1, IS_DEPTH = 2 };

#define BYTE_TYPES(ROW, order)                                                                                         \
    ROW(order, CL_SNORM_INT8, 0)                                                                                       \
    ROW(order, CL_UNORM_INT8, 0)                                                                                       \
    ROW(order, CL_SIGNED_INT8, 0)                                                                                      \
    ROW(order, CL_UNSIGNED_INT8, 0)
#define REAL_TYPES(ROW, order)                                                                                         \
    ROW(order, CL_SNORM_INT8, 0)                                                                                       \
    ROW(order, CL_SNORM_INT16, 0)                                                                                      \
    ROW(order, CL_UNORM_INT8, 0)                                                                                       \
    ROW(order, CL_UNORM_INT16, 0)                                                                                      \
    ROW(order, CL_HALF_FLOAT, 0)                                                                                       \
    ROW(order, CL_FLOAT, 0)
#define EVERY_TYPE(ROW, order)                                                                                         \
    REAL_TYPES(ROW, order)                                                                                             \
    ROW(order, CL_SIGNED_INT8, 0)                                                                                      \
    ROW(order, CL_SIGNED_INT16, 0)                                                                                     \
    ROW(order, CL_SIGNED_INT32, 0)                                                                                     \
    ROW(order, CL_UNSIGNED_INT8, 0)                                                                                    \
    ROW(order, CL_UNSIGNED_INT16, 0)                                                                                   \
    ROW(order, CL_UNSIGNED_INT32, 0)
#define ROW(order, type, flags) {{order, type}, flags},
static const struct {
    cl_image_format format;
    unsigned flags;
} formats[] = {EVERY_TYPE(ROW, CL_RGBA) EVERY_TYPE(ROW, CL_RG) EVERY_TYPE(ROW, CL_R) REAL_TYPES(ROW, CL_A)
                   REAL_TYPES(ROW, CL_INTENSITY) REAL_TYPES(ROW, CL_LUMINANCE) BYTE_TYPES(ROW, CL_BGRA)
                       BYTE_TYPES(ROW, CL_ARGB) BYTE_TYPES(ROW, CL_ABGR)
               /* one row each */
               ROW(CL_sRGBA, CL_UNORM_INT8, NO_WRITES) ROW(CL_DEPTH, CL_UNORM_INT16, IS_DEPTH)
                   ROW(CL_DEPTH, CL_FLOAT, IS_DEPTH)};
#undef ROW

static bool is_2d(cl_mem_object_type type)
{
    return type == CL_MEM_OBJECT_IMAGE2D || type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
}

static bool supports(size_t row, cl_mem_flags flags, cl_mem_object_type type)
{
    const cl_mem_flags reads = CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS; /* what does not ask for writes */
    bool writes = !(flags & CL_MEM_READ_ONLY) || (flags & ~reads & (CL_MEM_WRITE_ONLY | CL_MEM_KERNEL_READ_AND_WRITE));
    return !(writes && (formats[row].flags & NO_WRITES)) && (is_2d(type) || !(formats[row].flags & IS_DEPTH));
}

static size_t channels_of(cl_channel_order order)
{
    switch (order) {
    case CL_RG: return 2;
    case CL_RGBA:
    case CL_BGRA:
    case CL_ARGB:
    case CL_ABGR:
    case CL_sRGBA: return 4;
    default: return 1;
    }
}

static size_t channel_bytes(cl_channel_type type)
{
    switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8: return 1;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT: return 4;
    default: return 2;
    }
}

bool cy_cl_image_is_format(const cl_image_format *format)
{
    return format && format->image_channel_order >= CL_R && format->image_channel_order <= CL_ABGR &&
           format->image_channel_data_type >= CL_SNORM_INT8 && format->image_channel_data_type <= CL_UNORM_INT_101010_2;
}

bool cy_cl_image_supports(const cl_image_format *format, cl_mem_flags flags, cl_mem_object_type type)
{
    for (size_t i = 0; i < CY_COUNT(formats); i++)
        if (formats[i].format.image_channel_order == format->image_channel_order &&
            formats[i].format.image_channel_data_type == format->image_channel_data_type)
            return supports(i, flags, type);
    return false;
}

size_t cy_cl_image_element(const cl_image_format *format)
{
    return channels_of(format->image_channel_order) * channel_bytes(format->image_channel_data_type);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type type, cl_uint count,
                                                           cl_image_format *list, cl_uint *count_ret)
{
    cl_uint found = 0;
    CHECK(cy_cl_is(context, &cy_cl_context_class), CL_INVALID_CONTEXT);
    CHECK(cy_cl_mem_flags_valid(flags & ~(cl_mem_flags)CL_MEM_KERNEL_READ_AND_WRITE), CL_INVALID_VALUE);
    CHECK(type >= CL_MEM_OBJECT_IMAGE2D && type <= CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_VALUE);
    CHECK(!list || count, CL_INVALID_VALUE);
    for (size_t i = 0; i < CY_COUNT(formats); i++)
        if (supports(i, flags, type)) {
            if (list && found < count)
                list[found] = formats[i].format;
            found++;
        }
    if (count_ret)
        *count_ret = found;
    return CL_SUCCESS;
}

/* ---- colours ---- */

/* Round to nearest even within a range; NaN becomes the lower end.  The host's rounding mode may be another. */
static int32_t nearest(double x, double least, double most)
{
    x = !(x >= least) ? least : x > most ? most : x;
    double down = floor(x), rest = x - down;
    return (int32_t)(rest > 0.5 || (rest == 0.5 && fmod(down, 2.0) != 0.0) ? down + 1 : down);
}

static uint16_t to_half(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof(bits));
    uint32_t sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff;
    if (size > 0x7f800000)
        return (uint16_t)(sign | 0x7e00 | (size >> 13 & 0x1ff));
    if (size >= 0x477ff000) /* rounds to 2^16 or more */
        return (uint16_t)(sign | 0x7c00);
    uint32_t shift = size < 113u << 23 ? 126 - (size >> 23) : 13;
    if (shift > 24)
        return (uint16_t)sign;
    uint32_t mantissa = size < 113u << 23 ? (size & 0x7fffff) | 0x800000 : size - (112u << 23);
    uint32_t kept = mantissa >> shift, rest = mantissa & ((1u << shift) - 1), half = 1u << (shift - 1);
    return (uint16_t)(sign | (kept + (rest > half || (rest == half && (kept & 1)))));
}

static uint32_t encode_channel(cl_channel_type type, uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    int32_t s = (int32_t)bits;
    switch (type) {
    case CL_SNORM_INT8: return (uint32_t)nearest(x * 127.0f, -127, 127);
    case CL_SNORM_INT16: return (uint32_t)nearest(x * 32767.0f, -32767, 32767);
    case CL_UNORM_INT8: return (uint32_t)nearest(x * 255.0f, 0, 255);
    case CL_UNORM_INT16: return (uint32_t)nearest(x * 65535.0f, 0, 65535);
    case CL_SIGNED_INT8: return (uint32_t)(s < -128 ? -128 : s > 127 ? 127 : s);
    case CL_SIGNED_INT16: return (uint32_t)(s < -32768 ? -32768 : s > 32767 ? 32767 : s);
    case CL_UNSIGNED_INT8: return bits > 255 ? 255 : bits;
    case CL_UNSIGNED_INT16: return bits > 65535 ? 65535 : bits;
    case CL_HALF_FLOAT: return to_half(x);
    default: return bits;
    }
}

/* The code of a linear value; the reverse of what kernels read. */
static uint32_t encode_srgb(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof(x));
    double c = x > 0 ? (x < 1 ? x : 1) : 0;
    c = c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1 / 2.4) - 0.055;
    return (uint32_t)nearest(c * 255, 0, 255);
}

/* Which channel of a colour the i-th one of an element is. */
static size_t channel_at(cl_channel_order order, size_t i)
{
    switch (order) {
    case CL_A: return 3;
    case CL_BGRA: return i < 3 ? 2 - i : 3;
    case CL_ARGB: return (i + 3) % 4;
    case CL_ABGR: return 3 - i;
    default: return i;
    }
}

size_t cy_cl_image_encode(const cl_image_format *format, const void *colour, unsigned char element[16])
{
    cl_channel_type type = format->image_channel_data_type;
    cl_channel_order order = format->image_channel_order;
    size_t channels = channels_of(order);
    size_t bytes = channel_bytes(type);
    for (size_t i = 0; i < channels; i++) {
        uint32_t bits;
        memcpy(&bits, (const char *)colour + 4 * channel_at(order, i), sizeof(bits));
        bits = order == CL_sRGBA && i < 3 ? encode_srgb(bits) : encode_channel(type, bits);
        memcpy(element + i * bytes, &bits, bytes); /* little-endian hosts only */
    }
    return channels * bytes;
}
