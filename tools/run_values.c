#define _POSIX_C_SOURCE 200809L
#include "run_values.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static const struct cy_value_type types[] = {
    {"i8", "|i1", CY_VALUE_SIGNED, 1},    {"u8", "|u1", CY_VALUE_UNSIGNED, 1},  {"i16", "<i2", CY_VALUE_SIGNED, 2},
    {"u16", "<u2", CY_VALUE_UNSIGNED, 2}, {"i32", "<i4", CY_VALUE_SIGNED, 4},   {"u32", "<u4", CY_VALUE_UNSIGNED, 4},
    {"i64", "<i8", CY_VALUE_SIGNED, 8},   {"u64", "<u8", CY_VALUE_UNSIGNED, 8}, {"f16", "<f2", CY_VALUE_FLOAT, 2},
    {"f32", "<f4", CY_VALUE_FLOAT, 4},    {"f64", "<f8", CY_VALUE_FLOAT, 8},
};

const struct cy_value_type *cy_value_type_find(const char *name, size_t length)
{
    for (size_t i = 0; i < CY_COUNT(types); i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, name, length) == 0)
            return &types[i];
    return NULL;
}

/* ---- half precision ---- */

static double half_to_double(uint16_t bits)
{
    int exponent = bits >> 10 & 31;
    double mantissa = bits & 1023, value;
    if (exponent == 31)
        value = mantissa != 0 ? (double)NAN : (double)INFINITY;
    else
        value = exponent ? ldexp(mantissa + 1024, exponent - 25) : ldexp(mantissa, -24);
    return bits >> 15 ? -value : value;
}

/* To nearest, ties to even. */
static uint16_t double_to_half(double value)
{
    unsigned sign = signbit(value) ? 0x8000u : 0;
    value = fabs(value);
    if (isnan(value))
        return (uint16_t)(sign | 0x7e00);
    if (value >= 65520)
        return (uint16_t)(sign | 0x7c00);
    int exponent;
    frexp(value, &exponent); /* value = m * 2^exponent, 0.5 <= m < 1 */
    if (value == 0 || exponent < -13)
        return (uint16_t)(sign | (unsigned)nearbyint(ldexp(value, 24))); /* subnormal; 1024 is the smallest normal */
    double scaled = nearbyint(ldexp(value, 11 - exponent));              /* 1024 .. 2048 */
    return (uint16_t)(sign | (unsigned)(((exponent + 13) << 10) + (int)scaled));
}

/* ---- one number ---- */

static bool parse_integer(const struct cy_value_type *type, const char *digits, void *bytes)
{
    char *end;
    errno = 0;
    bool negative = digits[0] == '-';
    uint64_t magnitude = strtoull(digits + (negative || digits[0] == '+'), &end, 0);
    if (errno || *end || !isdigit((unsigned char)digits[negative || digits[0] == '+']))
        return false;
    unsigned bits = 8 * type->size;
    uint64_t most = bits == 64 ? UINT64_MAX : (1ull << bits) - 1, most_negative = 1ull << (bits - 1);
    /* bit patterns are allowed: i32:0xffffffff is -1 */
    if (negative ? type->kind == CY_VALUE_UNSIGNED || magnitude > most_negative : magnitude > most)
        return false;
    uint64_t value = negative ? 0 - magnitude : magnitude;
    memcpy(bytes, &value, type->size);
    return true;
}

void cy_value_from_double(const struct cy_value_type *type, double value, void *bytes)
{
    float single = (float)value;
    uint16_t half = double_to_half(value);
    int64_t integer = type->kind == CY_VALUE_FLOAT ? 0 : (int64_t)value;
    const void *from = type->kind != CY_VALUE_FLOAT ? (const void *)&integer
                       : type->size == 8            ? (const void *)&value
                       : type->size == 4            ? (const void *)&single
                                                    : &half;
    memcpy(bytes, from, type->size);
}

static bool parse_float(const struct cy_value_type *type, const char *digits, void *bytes)
{
    char *end;
    double value = strtod(digits, &end);
    if (end == digits || *end)
        return false;
    float single = strtof(digits, &end); /* rounded once, not through double */
    if (type->size == 4)
        memcpy(bytes, &single, 4);
    else
        cy_value_from_double(type, value, bytes);
    return true;
}

bool cy_value_parse(const struct cy_value_type *type, const char *text, size_t length, void *bytes)
{
    char digits[128];
    if (length == 0 || length >= sizeof(digits) || isspace((unsigned char)text[0]))
        return false;
    memcpy(digits, text, length);
    digits[length] = 0;
    return type->kind == CY_VALUE_FLOAT ? parse_float(type, digits, bytes) : parse_integer(type, digits, bytes);
}

void cy_value_print(const struct cy_value_type *type, const void *bytes, struct cy_buf *out)
{
    uint64_t value = 0;
    memcpy(&value, bytes, type->size);
    unsigned unused = 64 - 8 * type->size;
    if (type->kind == CY_VALUE_UNSIGNED) {
        cy_buf_printf(out, "%" PRIu64, value);
    } else if (type->kind == CY_VALUE_SIGNED) {
        cy_buf_printf(out, "%" PRId64, (int64_t)(value << unused) >> unused);
    } else if (type->size == 8) {
        double number;
        memcpy(&number, bytes, 8);
        cy_buf_printf(out, "%.17g", number);
    } else if (type->size == 4) {
        float number;
        memcpy(&number, bytes, 4);
        cy_buf_printf(out, "%.9g", (double)number);
    } else {
        cy_buf_printf(out, "%.5g", half_to_double((uint16_t)value));
    }
}

/* ---- files ---- */

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static bool read_text(const struct cy_value_type *type, const char *path, const struct cy_buf *file,
                      struct cy_buf *bytes, struct cy_diags *diags)
{
    struct cy_source source = {.name = path, .text = file->data, .size = file->size};
    uint32_t line = 1;
    for (size_t at = 0; at < file->size;) {
        if (isspace((unsigned char)file->data[at]) || file->data[at] == ',') {
            line += file->data[at++] == '\n';
            continue;
        }
        size_t start = at;
        while (at < file->size && !isspace((unsigned char)file->data[at]) && file->data[at] != ',')
            at++;
        char value[8];
        if (!cy_value_parse(type, file->data + start, at - start, value)) {
            struct cy_loc loc = {&source, line, (uint32_t)start, (uint32_t)(at - start)};
            cy_diag(diags, CY_ERROR, &loc, "not a number of type %s", type->name);
            return false;
        }
        cy_buf_append(bytes, value, type->size);
    }
    return true;
}

#define NPY_MAGIC "\x93NUMPY"

/* The value of a key in the header's dictionary, or NULL. */
static const char *npy_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);
    at = at ? strchr(at, ':') : NULL;
    if (!at)
        return NULL;
    for (at++; *at == ' '; at++)
        ;
    return at;
}

static bool read_npy(const struct cy_value_type *type, const char *path, const struct cy_buf *file,
                     struct cy_buf *bytes, struct cy_diags *diags)
{
    const unsigned char *data = (const unsigned char *)file->data;
    size_t prefix = file->size > 8 && data[6] >= 2 ? 12 : 10, length = 0;
    if (file->size < prefix || memcmp(data, NPY_MAGIC, 6) != 0) {
        cy_diag_file(diags, CY_ERROR, path, "not an .npy file");
        return false;
    }
    for (size_t i = prefix; i-- > 8;)
        length = length << 8 | data[i];
    if (length > file->size - prefix) {
        cy_diag_file(diags, CY_ERROR, path, "the .npy header is longer than the file");
        return false;
    }
    struct cy_buf header = {0};
    cy_buf_append(&header, data + prefix, length);
    cy_buf_putc(&header, 0);
    const char *descr = npy_key(header.data, "'descr'"), *order = npy_key(header.data, "'fortran_order'");
    bool ok = false;
    if (!descr || !order || *descr != '\'')
        cy_diag_file(diags, CY_ERROR, path, "the .npy header has no 'descr' or 'fortran_order'");
    else if (strncmp(descr + 2, type->npy + 1, 2) != 0 || (type->size > 1 && descr[1] != '<'))
        cy_diag_file(diags, CY_ERROR, path, "the array is of type %.5s, not of %s ('%s')", descr, type->name,
                     type->npy);
    else if (strncmp(order, "True", 4) == 0)
        cy_diag_file(diags, CY_ERROR, path, "the array is in Fortran order; save it in C order");
    else
        ok = true;
    if (ok)
        cy_buf_append(bytes, data + prefix + length, file->size - prefix - length);
    cy_buf_free(&header);
    return ok;
}

bool cy_values_read(const struct cy_value_type *type, const char *path, struct cy_buf *bytes, struct cy_diags *diags)
{
    struct cy_buf file = {0};
    bool ok = cy_file_read(path, &file, diags);
    if (ok && has_suffix(path, ".npy")) {
        ok = read_npy(type, path, &file, bytes, diags);
    } else if (ok && has_suffix(path, ".txt")) {
        ok = read_text(type, path, &file, bytes, diags);
    } else if (ok) {
        cy_buf_append(bytes, file.data, file.size);
    }
    if (ok && bytes->size % type->size) {
        cy_diag_file(diags, CY_ERROR, path, "%zu bytes are not a whole number of %s", bytes->size, type->name);
        ok = false;
    }
    cy_buf_free(&file);
    return ok;
}

static void write_npy(const struct cy_value_type *type, const void *bytes, size_t size, struct cy_buf *file)
{
    struct cy_buf header = {0};
    cy_buf_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (%zu,), }", type->npy, size / type->size);
    while ((10 + header.size + 1) % 64)
        cy_buf_putc(&header, ' ');
    cy_buf_putc(&header, '\n');
    cy_buf_append(file, NPY_MAGIC "\x01\x00", 8);
    cy_buf_putc(file, (char)(header.size & 255));
    cy_buf_putc(file, (char)(header.size >> 8));
    cy_buf_append(file, header.data, header.size);
    cy_buf_append(file, bytes, size);
    cy_buf_free(&header);
}

bool cy_values_write(const struct cy_value_type *type, const char *path, const void *bytes, size_t size,
                     struct cy_diags *diags)
{
    struct cy_buf file = {0};
    bool ok;
    if (has_suffix(path, ".npy")) {
        write_npy(type, bytes, size, &file);
        ok = cy_file_write(path, file.data, file.size, false, diags);
    } else if (has_suffix(path, ".txt")) {
        for (size_t i = 0; i + type->size <= size; i += type->size) {
            cy_value_print(type, (const char *)bytes + i, &file);
            cy_buf_putc(&file, '\n');
        }
        ok = cy_file_write(path, file.size ? file.data : "", file.size, false, diags);
    } else {
        ok = cy_file_write(path, bytes, size, false, diags);
    }
    cy_buf_free(&file);
    return ok;
}
