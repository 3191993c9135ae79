/* Images in kernels: every type and format is read and written, with and without samplers, and compared with what the
 * specification's formulas give in double precision. */
#include "cl_test.h"

#include <math.h>

enum { MOST = 4096 };

static const struct shape {
    const char *name, *coord, *icoord, *vector; /* the image type; float and integer coordinates from p */
    cl_mem_object_type type;
    size_t size[3], layers;
} shapes[] = {
    {"image1d_t", "p.x", "p.x", "1", CL_MEM_OBJECT_IMAGE1D, {13, 1, 1}, 0},
    {"image1d_array_t", "p.xy", "p.xy", "2", CL_MEM_OBJECT_IMAGE1D_ARRAY, {13, 1, 1}, 5},
    {"image2d_t", "p.xy", "p.xy", "2", CL_MEM_OBJECT_IMAGE2D, {13, 7, 1}, 0},
    {"image2d_array_t", "p", "p", "4", CL_MEM_OBJECT_IMAGE2D_ARRAY, {9, 5, 1}, 3},
    {"image3d_t", "p", "p", "4", CL_MEM_OBJECT_IMAGE3D, {7, 5, 4}, 0},
    {"image1d_buffer_t", "p.x", "p.x", "1", CL_MEM_OBJECT_IMAGE1D_BUFFER, {29, 1, 1}, 0},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]), SAMPLED = SHAPES - 1 };

/* ---- formats on the host ---- */

static unsigned channels(cl_channel_order order)
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

static unsigned bytes_of(cl_channel_type type)
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

/* 'f', 'i' or 'u': what reads it. */
static char kind_of(cl_channel_type type)
{
    return type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32       ? 'i'
           : type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32 ? 'u'
                                                                   : 'f';
}

static double from_half(unsigned h)
{
    int exponent = (int)(h >> 10 & 31);
    double mantissa = h & 1023;
    double x = exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
               : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                              : ldexp(mantissa, -24);
    return h & 0x8000 ? -x : x;
}

static double channel(cl_channel_type type, const void *from)
{
    int8_t s8 = 0;
    int16_t s16 = 0;
    int32_t s32 = 0;
    uint8_t u8 = 0;
    uint16_t u16 = 0;
    uint32_t u32 = 0;
    float f = 0;
    memcpy(&s8, from, 1), memcpy(&u8, from, 1);
    if (bytes_of(type) > 1)
        memcpy(&s16, from, 2), memcpy(&u16, from, 2);
    if (bytes_of(type) > 2)
        memcpy(&s32, from, 4), memcpy(&u32, from, 4), memcpy(&f, from, 4);
    switch (type) {
    case CL_SNORM_INT8: return fmax(s8 / 127.0, -1.0);
    case CL_SNORM_INT16: return fmax(s16 / 32767.0, -1.0);
    case CL_UNORM_INT8: return u8 / 255.0;
    case CL_UNORM_INT16: return u16 / 65535.0;
    case CL_SIGNED_INT8: return s8;
    case CL_SIGNED_INT16: return s16;
    case CL_SIGNED_INT32: return s32;
    case CL_UNSIGNED_INT8: return u8;
    case CL_UNSIGNED_INT16: return u16;
    case CL_UNSIGNED_INT32: return u32;
    case CL_HALF_FLOAT: return from_half(u16);
    default: return f;
    }
}

static double linear_of(double c)
{
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void decode(const cl_image_format *format, const char *element, double out[4])
{
    cl_channel_type type = format->image_channel_data_type;
    unsigned count = channels(format->image_channel_order);
    double c[4] = {0, 0, 0, 1};
    for (unsigned i = 0; i < count; i++)
        c[i] = channel(type, element + i * bytes_of(type));
    if (format->image_channel_order == CL_sRGBA)
        for (int i = 0; i < 3; i++)
            c[i] = linear_of(c[i]);
    /* where in memory red, green, blue and alpha are; 3 is 1 and 1 is 0 in an element of one channel */
    const char *from = format->image_channel_order == CL_BGRA        ? "2103"
                       : format->image_channel_order == CL_ARGB      ? "1230"
                       : format->image_channel_order == CL_ABGR      ? "3210"
                       : format->image_channel_order == CL_A         ? "1110"
                       : format->image_channel_order == CL_INTENSITY ? "0000"
                       : format->image_channel_order == CL_LUMINANCE ? "0003"
                                                                     : "0123";
    for (int i = 0; i < 4; i++)
        out[i] = c[from[i] - '0'];
}

/* ---- images ---- */

static size_t element_of(const cl_image_format *format)
{
    return channels(format->image_channel_order) * bytes_of(format->image_channel_data_type);
}

static size_t items_of(const struct shape *shape)
{
    return shape->size[0] * shape->size[1] * shape->size[2] * (shape->layers ? shape->layers : 1);
}

static void region_of(const struct shape *shape, size_t region[3])
{
    memcpy(region, shape->size, sizeof(shape->size));
    if (shape->layers)
        region[shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : 2] = shape->layers;
}

static cl_mem create(const struct shape *shape, const cl_image_format *format, cl_mem_flags flags, cl_mem *buffer)
{
    cl_int error;
    cl_image_desc desc = {.image_type = shape->type,
                          .image_width = shape->size[0],
                          .image_height = shape->size[1],
                          .image_depth = shape->size[2],
                          .image_array_size = shape->layers};
    *buffer = NULL;
    if (shape->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        desc.buffer = *buffer = buffer_of(0, items_of(shape) * element_of(format), NULL);
    cl_mem image = clCreateImage(context, flags, format, &desc, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return image;
}

/* Any bits, except that floats are ordinary numbers. */
static void fill(const cl_image_format *format, char *data, size_t elements)
{
    static uint32_t seed = 1;
    unsigned bytes = bytes_of(format->image_channel_data_type);
    for (size_t i = 0; i < elements * channels(format->image_channel_order); i++) {
        seed = seed * 1664525 + 1013904223;
        uint32_t bits = seed >> 8 ^ seed << 11;
        float x = (float)(int)(bits % 2001 - 1000) / 64;
        if (format->image_channel_data_type == CL_FLOAT)
            memcpy(&bits, &x, 4);
        else if (format->image_channel_data_type == CL_HALF_FLOAT && (bits >> 10 & 31) == 31)
            bits &= ~0x4000u;
        memcpy(data + i * bytes, &bits, bytes);
    }
}

static cl_program program_of(const struct shape *shape, bool is_depth)
{
    char source[4096], type[32];
    snprintf(type, sizeof(type), is_depth ? "image2d_%sdepth_t" : "%s",
             is_depth ? (shape->layers ? "array_" : "") : shape->name);
    const char *wrap = is_depth ? "(float4)(" : "(", *end = is_depth ? ", 0, 0, 1)" : ")", *part = is_depth ? ".x" : "";
    int length = snprintf(
        source, sizeof(source),
        "int4 place(int i, int4 size) { return (int4)(i %% size.x, i / size.x %% size.y, i / size.x / size.y, 0); }\n"
        "kernel void readf(read_only %s in, int4 size, global float4 *out)\n"
        "{ int4 p = place(get_global_id(0), size); out[get_global_id(0)] = %sread_imagef(in, %s)%s; }\n"
        "kernel void writef(write_only %s to, int4 size, global const float4 *from)\n"
        "{ int4 p = place(get_global_id(0), size); write_imagef(to, %s, from[get_global_id(0)]%s); }\n"
        "kernel void bothf(read_write %s to, int4 size)\n"
        "{ int4 p = place(get_global_id(0), size); float4 c = %sread_imagef(to, %s)%s; write_imagef(to, %s, c%s); }\n"
        "kernel void infos(read_only %s in, global int *out)\n"
        "{ out[0] = get_image_width(in), out[1] = get_image_channel_data_type(in), out[2] = "
        "get_image_channel_order(in); }\n",
        type, wrap, shape->icoord, end, type, shape->icoord, part, type, wrap, shape->icoord, end, shape->icoord, part,
        type);
    if (!is_depth)
        length +=
            snprintf(source + length, sizeof(source) - (size_t)length,
                     "kernel void readi(read_only %s in, int4 size, global int4 *out)\n"
                     "{ int4 p = place(get_global_id(0), size); out[get_global_id(0)] = read_imagei(in, %s); }\n"
                     "kernel void readu(read_only %s in, int4 size, global uint4 *out)\n"
                     "{ int4 p = place(get_global_id(0), size); out[get_global_id(0)] = read_imageui(in, %s); }\n"
                     "kernel void writei(write_only %s to, int4 size, global const int4 *from)\n"
                     "{ int4 p = place(get_global_id(0), size); write_imagei(to, %s, from[get_global_id(0)]); }\n"
                     "kernel void writeu(write_only %s to, int4 size, global const uint4 *from)\n"
                     "{ int4 p = place(get_global_id(0), size); write_imageui(to, %s, from[get_global_id(0)]); }\n",
                     shape->name, shape->icoord, shape->name, shape->icoord, shape->name, shape->icoord, shape->name,
                     shape->icoord);
    if (shape->type != CL_MEM_OBJECT_IMAGE1D_BUFFER)
        snprintf(source + length, sizeof(source) - (size_t)length,
                 "kernel void samplef(read_only %s in, sampler_t s, global const float4 *at, global float4 *out)\n"
                 "{ float4 p = at[get_global_id(0)]; out[get_global_id(0)] = %sread_imagef(in, s, %s)%s; }\n"
                 "#ifdef S\n"
                 "constant sampler_t fixed = S;\n"
                 "kernel void fixedf(read_only %s in, global const float4 *at, global float4 *out)\n"
                 "{ float4 p = at[get_global_id(0)]; out[get_global_id(0)] = %sread_imagef(in, fixed, %s)%s; }\n"
                 "#endif\n",
                 type, wrap, shape->coord, end, type, wrap, shape->coord, end);
    return build(source, "-cl-std=CL3.0 -DS=CLK_NORMALIZED_COORDS_TRUE|CLK_ADDRESS_REPEAT|CLK_FILTER_LINEAR");
}

static void launch(cl_program program, const char *name, size_t items, cl_uint count, const size_t *sizes,
                   const void *const *values)
{
    cl_kernel kernel = kernel_of(program, name);
    for (cl_uint i = 0; i < count; i++)
        CHECK_EQ(clSetKernelArg(kernel, i, sizes[i], values[i]), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clFinish(queue), CL_SUCCESS);
    clReleaseKernel(kernel);
}

/* ---- every element, and back ---- */

static double number(char kind, const void *values, size_t i)
{
    float f;
    int32_t s;
    uint32_t u;
    memcpy(&f, (const char *)values + 4 * i, 4), memcpy(&s, (const char *)values + 4 * i, 4);
    memcpy(&u, (const char *)values + 4 * i, 4);
    return kind == 'f' ? (double)f : kind == 'i' ? (double)s : (double)u;
}

static void test_format(cl_program program, const struct shape *shape, const cl_image_format *format)
{
    static char data[16 * MOST], back[16 * MOST], zero[16 * MOST];
    static float values[4 * MOST];
    const size_t origin[3] = {0}, items = items_of(shape), bytes = items * element_of(format);
    size_t region[3], wrong = 0;
    char kind = kind_of(format->image_channel_data_type), name[16];
    cl_int4 size = {{(int)shape->size[0],
                     (int)(shape->size[1] > 1 ? shape->size[1]
                           : shape->layers    ? shape->layers
                                              : 1),
                     1, 0}};
    if (shape->type == CL_MEM_OBJECT_IMAGE2D_ARRAY || shape->type == CL_MEM_OBJECT_IMAGE3D)
        size.s[1] = (int)shape->size[1];
    bool can_write = format->image_channel_order != CL_sRGBA;
    cl_mem buffer, other, image = create(shape, format, can_write ? 0 : CL_MEM_READ_ONLY, &buffer);
    cl_mem out = buffer_of(0, 16 * items, NULL);
    region_of(shape, region);
    fill(format, data, items);
    CHECK_EQ(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL), CL_SUCCESS);
    snprintf(name, sizeof(name), "read%c", kind);
    launch(program, name, items, 3, (size_t[]){sizeof(image), sizeof(size), sizeof(out)},
           (const void *[]){&image, &size, &out});
    CHECK_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 16 * items, values, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < items; i++) {
        double expected[4];
        decode(format, data + i * element_of(format), expected);
        for (size_t c = 0; c < 4; c++)
            wrong += number(kind, values, 4 * i + c) != (kind == 'f' ? (float)expected[c] : expected[c]);
    }
    if (!CHECK_EQ(wrong, 0))
        fprintf(stderr, "%s, order %x, type %x\n", shape->name, format->image_channel_order,
                format->image_channel_data_type);
    if (can_write) { /* what was read is written to another image, which is then equal; -128 becomes -127 */
        cl_mem second = create(shape, format, 0, &other);
        CHECK_EQ(clEnqueueWriteImage(queue, second, CL_TRUE, origin, region, 0, 0, zero, 0, NULL, NULL), CL_SUCCESS);
        snprintf(name, sizeof(name), "write%c", kind);
        launch(program, name, items, 3, (size_t[]){sizeof(image), sizeof(size), sizeof(out)},
               (const void *[]){&second, &size, &out});
        if (kind == 'f')
            launch(program, "bothf", items, 2, (size_t[]){sizeof(image), sizeof(size)},
                   (const void *[]){&second, &size});
        CHECK_EQ(clEnqueueReadImage(queue, second, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL), CL_SUCCESS);
        for (size_t i = 0; i < bytes; i += bytes_of(format->image_channel_data_type))
            wrong += channel(format->image_channel_data_type, data + i) !=
                     channel(format->image_channel_data_type, back + i);
        if (!CHECK_EQ(wrong, 0))
            fprintf(stderr, "written: %s, order %x, type %x\n", shape->name, format->image_channel_order,
                    format->image_channel_data_type);
        /* a fill with the colour that was read makes the same element */
        CHECK_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 16, values, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueFillImage(queue, second, values, origin, region, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadImage(queue, second, CL_TRUE, origin, region, 0, 0, back, 0, NULL, NULL), CL_SUCCESS);
        for (size_t i = 0; i < bytes; i += bytes_of(format->image_channel_data_type))
            wrong += channel(format->image_channel_data_type, data + i % element_of(format)) !=
                     channel(format->image_channel_data_type, back + i);
        if (!CHECK_EQ(wrong, 0))
            fprintf(stderr, "filled: %s, order %x, type %x\n", shape->name, format->image_channel_order,
                    format->image_channel_data_type);
        clReleaseMemObject(second);
        if (other)
            clReleaseMemObject(other);
    }
    launch(program, "infos", 1, 2, (size_t[]){sizeof(image), sizeof(out)}, (const void *[]){&image, &out});
    CHECK_EQ(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 12, values, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(number('i', values, 0), shape->size[0]);
    CHECK_EQ(number('u', values, 1), format->image_channel_data_type);
    CHECK_EQ(number('u', values, 2), format->image_channel_order);
    clReleaseMemObject(image);
    clReleaseMemObject(out);
    if (buffer)
        clReleaseMemObject(buffer);
}

/* ---- values out of range are limited ---- */

static void test_limits(cl_program program)
{
    static const struct {
        cl_channel_type type;
        float in[4];
        int out[4];
    } rows[] = {
        {CL_UNORM_INT8, {-1, 2, 0.5f, 0.25f}, {0, 255, 128, 64}}, /* 127.5 and 63.75 */
        {CL_SNORM_INT8, {-2, 2, 0.5f, -0.5f}, {-127, 127, 64, -64}},
        {CL_UNORM_INT16, {NAN, INFINITY, 0.5f, 0.25f}, {0, 65535, 32768, 16384}},
        {CL_SNORM_INT16, {-2, 2, 0.5f, -0.5f}, {-32767, 32767, 16384, -16384}},
    };
    const struct shape *shape = &shapes[2];
    const size_t origin[3] = {0}, region[3] = {1, 1, 1};
    cl_int4 size = {{13, 7, 1, 0}};
    for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
        cl_image_format format = {CL_RGBA, rows[r].type};
        cl_mem unused, image = create(shape, &format, 0, &unused);
        cl_mem from = buffer_of(CL_MEM_COPY_HOST_PTR, 16, (void *)(uintptr_t)rows[r].in);
        char element[8];
        launch(program, "writef", 1, 3, (size_t[]){sizeof(image), sizeof(size), sizeof(from)},
               (const void *[]){&image, &size, &from});
        CHECK_EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, element, 0, NULL, NULL), CL_SUCCESS);
        for (size_t c = 0; c < 4; c++) {
            int8_t s8 = (int8_t)element[c];
            int16_t s16;
            memcpy(&s16, element + 2 * c, 2);
            int got = rows[r].type == CL_UNORM_INT8    ? (uint8_t)s8
                      : rows[r].type == CL_SNORM_INT8  ? s8
                      : rows[r].type == CL_UNORM_INT16 ? (uint16_t)s16
                                                       : s16;
            CHECK_EQ(got, rows[r].out[c]);
        }
        memset(element, 0, sizeof(element)); /* fills on the host round alike */
        CHECK_EQ(clEnqueueFillImage(queue, image, rows[r].in, origin, region, 0, NULL, NULL), CL_SUCCESS);
        CHECK_EQ(clEnqueueReadImage(queue, image, CL_TRUE, origin, region, 0, 0, element, 0, NULL, NULL), CL_SUCCESS);
        for (size_t c = 0; c < 4; c++) {
            int16_t s16;
            memcpy(&s16, element + 2 * c, 2);
            int got = rows[r].type == CL_UNORM_INT8    ? (uint8_t)element[c]
                      : rows[r].type == CL_SNORM_INT8  ? (int8_t)element[c]
                      : rows[r].type == CL_UNORM_INT16 ? (uint16_t)s16
                                                       : s16;
            CHECK_EQ(got, rows[r].out[c]);
        }
        clReleaseMemObject(image);
        clReleaseMemObject(from);
    }
}

/* ---- samplers ---- */

/* The element of an index by the addressing mode; -1: the border. */
static int wrapped(int i, int n, cl_addressing_mode mode)
{
    if (mode == CL_ADDRESS_CLAMP)
        return i < 0 || i >= n ? -1 : i;
    if (mode == CL_ADDRESS_REPEAT)
        return (i % n + n) % n;
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* In elements; exact for the coordinates of this test, which have few bits. */
static double unwrapped(double s, int n, bool normalized, cl_addressing_mode mode)
{
    if (mode == CL_ADDRESS_REPEAT)
        return (s - floor(s)) * n;
    if (mode == CL_ADDRESS_MIRRORED_REPEAT)
        return fabs(s - 2 * rint(0.5 * s)) * n;
    return normalized ? s * n : s;
}

static void texel(const struct shape *shape, const cl_image_format *format, const char *data, const int at[3],
                  int layer, double out[4])
{
    bool opaque = format->image_channel_order == CL_R || format->image_channel_order == CL_RG ||
                  format->image_channel_order == CL_LUMINANCE ||
                  format->image_channel_order == CL_DEPTH; /* of which only the first is read */
    if (at[0] < 0 || at[1] < 0 || at[2] < 0) {
        out[0] = out[1] = out[2] = 0;
        out[3] = opaque;
        return;
    }
    size_t index = (((size_t)layer * shape->size[2] + (size_t)at[2]) * shape->size[1] + (size_t)at[1]) * shape->size[0];
    decode(format, data + (index + (size_t)at[0]) * element_of(format), out);
}

static void sample(const struct shape *shape, const cl_image_format *format, const char *data, const float *p,
                   bool normalized, cl_addressing_mode mode, bool is_linear, double out[4])
{
    static const int dims_of[] = {1, 1, 2, 2, 3};
    int dims = dims_of[shape - shapes], first[3] = {0}, second[3] = {0}, layer = 0;
    double way[3] = {0};
    if (shape->layers) {
        layer = (int)rint(p[dims]);
        layer = layer < 0 ? 0 : layer >= (int)shape->layers ? (int)shape->layers - 1 : layer;
    }
    for (int d = 0; d < dims; d++) {
        int n = (int)shape->size[d];
        double u = unwrapped(p[d], n, normalized, mode) - (is_linear ? 0.5 : 0.0);
        way[d] = is_linear ? u - floor(u) : 0;
        first[d] = wrapped((int)floor(u), n, mode);
        second[d] = wrapped((int)floor(u) + 1, n, mode);
    }
    memset(out, 0, 4 * sizeof(*out));
    for (int corner = 0; corner < (is_linear ? 1 << dims : 1); corner++) {
        int at[3];
        double weight = 1, value[4];
        for (int d = 0; d < 3; d++) {
            at[d] = corner >> d & 1 ? second[d] : first[d];
            weight *= d >= dims ? 1 : corner >> d & 1 ? way[d] : 1 - way[d];
        }
        texel(shape, format, data, at, layer, value);
        for (int c = 0; c < 4; c++)
            out[c] += weight * value[c];
    }
}

static void test_samplers(cl_program program, const struct shape *shape, const cl_image_format *format)
{
    static char data[16 * MOST];
    static cl_float4 points[MOST], values[MOST];
    const size_t origin[3] = {0}, count = 600;
    size_t region[3];
    cl_int error;
    cl_mem unused, image = create(shape, format, CL_MEM_READ_ONLY, &unused);
    region_of(shape, region);
    fill(format, data, items_of(shape));
    CHECK_EQ(clEnqueueWriteImage(queue, image, CL_TRUE, origin, region, 0, 0, data, 0, NULL, NULL), CL_SUCCESS);
    for (int normalized = 0; normalized < 2; normalized++)
        for (cl_addressing_mode mode = CL_ADDRESS_NONE; mode <= CL_ADDRESS_MIRRORED_REPEAT; mode++)
            for (int is_linear = 0; is_linear < 2; is_linear++) {
                if (!normalized && mode >= CL_ADDRESS_REPEAT)
                    continue;
                for (size_t i = 0; i < count; i++)
                    for (size_t c = 0; c < 4; c++) { /* multiples of 1/64, from below to above the image */
                        float unit = (float)((int)((i * 2654435761u >> (c * 7)) % 257) - 64) / 64.0f;
                        points[i].s[c] = normalized ? unit : unit * 8;
                    }
                if (mode == CL_ADDRESS_NONE) /* outside is undefined */
                    for (size_t i = 0; i < count; i++)
                        for (size_t c = 0; c < 4; c++)
                            points[i].s[c] = normalized ? 0.25f + (float)(i % 33) / 64 : 0.5f + (float)(i % 13) / 4;
                cl_sampler sampler = clCreateSampler(context, (cl_bool)normalized, mode,
                                                     is_linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
                CHECK_EQ(error, CL_SUCCESS);
                cl_mem at = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof(points[0]) * count, points);
                cl_mem out = buffer_of(0, sizeof(values[0]) * count, NULL);
                bool is_fixed = normalized && mode == CL_ADDRESS_REPEAT && is_linear;
                for (int fixed = 0; fixed <= is_fixed; fixed++) {
                    double worst = 0;
                    if (fixed)
                        launch(program, "fixedf", count, 3, (size_t[]){sizeof(image), sizeof(at), sizeof(out)},
                               (const void *[]){&image, &at, &out});
                    else
                        launch(program, "samplef", count, 4,
                               (size_t[]){sizeof(image), sizeof(sampler), sizeof(at), sizeof(out)},
                               (const void *[]){&image, &sampler, &at, &out});
                    CHECK_EQ(
                        clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof(values[0]) * count, values, 0, NULL, NULL),
                        CL_SUCCESS);
                    for (size_t i = 0; i < count; i++) {
                        double expected[4];
                        sample(shape, format, data, points[i].s, normalized, mode, is_linear, expected);
                        for (int c = 0; c < 4; c++)
                            if (!(fabs(values[i].s[c] - expected[c]) <= worst)) /* NaN too */
                                worst = fabs(values[i].s[c] - expected[c]);
                    }
                    /* the elements are below 16 in size; nearest ones are exact up to the conversion */
                    if (!CHECK(worst <= (is_linear ? 0x1p-18 : 0x1p-24)))
                        fprintf(stderr, "%s, order %x type %x, normalized %d, mode %x, linear %d: %g\n", shape->name,
                                format->image_channel_order, format->image_channel_data_type, normalized, mode,
                                is_linear, worst);
                }
                clReleaseSampler(sampler);
                clReleaseMemObject(at);
                clReleaseMemObject(out);
            }
    clReleaseMemObject(image);
}

/* read_imageh and write_imageh of every overload, on the numbers 0 to 2047, which halves hold. */
static void test_halves(const struct shape *shape)
{
    const bool sampled = shape->type != CL_MEM_OBJECT_IMAGE1D_BUFFER;
    const size_t items = shape->size[0] * shape->size[1] * shape->size[2] * (shape->layers ? shape->layers : 1);
    char source[2048];
    snprintf(source, sizeof(source),
             "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
             "kernel void k(read_only %s a, write_only %s b, read_write %s c, global const float *x, global float *y)\n"
             "{\n"
             "    const sampler_t s = CLK_FILTER_NEAREST | CLK_ADDRESS_CLAMP_TO_EDGE;\n"
             "    int g = get_global_id(0), w = %zu, h = %zu;\n"
             "    int4 p = (int4)(g %% w, g / w %% h, g / (w * h), 0);\n"
             "    write_imageh(b, %s, (half4)((half)x[g]));\n"
             "    write_imageh(c, %s, (half4)((half)x[g]));\n"
             "    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
             "    float r = read_imageh(c, %s).x + read_imageh(a, %s).y;\n"
             "%s%s%s%s%s"
             "    y[g] = r;\n"
             "}\n",
             shape->name, shape->name, shape->name, shape->size[0],
             shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? shape->layers : shape->size[1], shape->icoord, shape->icoord,
             shape->icoord, shape->icoord, sampled ? "    r += read_imageh(a, s, " : "", sampled ? shape->icoord : "",
             sampled ? ").z + read_imageh(a, s, convert_float4(p)." : "",
             sampled ? (*shape->vector == '1'   ? "x"
                        : *shape->vector == '2' ? "xy"
                                                : "xyzw")
                     : "",
             sampled ? ").w;\n" : "");
    static float x[MOST], y[MOST], texels[MOST * 4];
    const cl_image_format format = {CL_RGBA, CL_FLOAT};
    for (size_t i = 0; i < items; i++)
        x[i] = texels[i * 4] = texels[i * 4 + 1] = texels[i * 4 + 2] = texels[i * 4 + 3] = (float)i;
    cl_program program = build(source, "-cl-std=CL3.0");
    cl_kernel kernel = kernel_of(program, "k");
    cl_mem images[3], bytes[3], from = buffer_of(CL_MEM_COPY_HOST_PTR, items * 4, x),
                                to = buffer_of(0, items * 4, NULL);
    for (cl_uint i = 0; i < 3; i++) {
        cl_int error;
        cl_image_desc desc = {.image_type = shape->type,
                              .image_width = shape->size[0],
                              .image_height = shape->size[1],
                              .image_depth = shape->size[2],
                              .image_array_size = shape->layers};
        bytes[i] = sampled ? NULL : buffer_of(CL_MEM_COPY_HOST_PTR, items * 16, texels);
        desc.mem_object = bytes[i];
        images[i] =
            clCreateImage(context, sampled ? CL_MEM_COPY_HOST_PTR : 0, &format, &desc, sampled ? texels : NULL, &error);
        CHECK_EQ(error, CL_SUCCESS);
        CHECK_EQ(clSetKernelArg(kernel, i, sizeof(images[i]), &images[i]), CL_SUCCESS);
    }
    CHECK_EQ(clSetKernelArg(kernel, 3, sizeof(from), &from), CL_SUCCESS);
    CHECK_EQ(clSetKernelArg(kernel, 4, sizeof(to), &to), CL_SUCCESS);
    CHECK_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, items * 4, y, 0, NULL, NULL), CL_SUCCESS);
    for (size_t i = 0; i < items; i++)
        CHECK(y[i] == (float)i * (sampled ? 4 : 2));
    for (cl_uint i = 0; i < 3; i++) {
        clReleaseMemObject(images[i]);
        if (bytes[i])
            clReleaseMemObject(bytes[i]);
    }
    clReleaseMemObject(from), clReleaseMemObject(to);
    clReleaseKernel(kernel), clReleaseProgram(program);
}

int main(void)
{
    set_up(0);
    for (size_t s = 0; s < SHAPES; s++) {
        cl_image_format formats[128];
        cl_uint count = 0;
        cl_program program = program_of(&shapes[s], false);
        bool has_depth = shapes[s].type == CL_MEM_OBJECT_IMAGE2D || shapes[s].type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        cl_program depth = has_depth ? program_of(&shapes[s], true) : NULL;
        CHECK_EQ(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, shapes[s].type, 128, formats, &count),
                 CL_SUCCESS);
        CHECK(count >= 67 && count <= 128);
        for (cl_uint f = 0; f < count; f++) {
            bool is_depth = formats[f].image_channel_order == CL_DEPTH;
            test_format(is_depth ? depth : program, &shapes[s], &formats[f]);
            cl_channel_type type = formats[f].image_channel_data_type;
            bool is_float = kind_of(type) == 'f' && type != CL_HALF_FLOAT;
            if (s < SAMPLED && is_float && (channels(formats[f].image_channel_order) != 2))
                test_samplers(is_depth ? depth : program, &shapes[s], &formats[f]);
        }
        test_halves(&shapes[s]);
        if (s == 2)
            test_limits(program);
        clReleaseProgram(program);
        if (depth)
            clReleaseProgram(depth);
    }
    tear_down();
    return test_finish();
}
