#include "run_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "options.h"

#define MAX_BYTES (1ull << 40) /* more than any device has */

static bool complain(struct cy_diags *diags, const char *text, const char *what)
{
    cy_diag_file(diags, CY_ERROR, NULL, "--arg '%s': %s", text, what);
    return false;
}

/* ---- contents of buffers ---- */

/* Our own small generator, so that a seed gives the same numbers everywhere (splitmix64's constants). */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void append_number(const struct cy_value_type *type, double value, struct cy_buf *out)
{
    char bytes[8];
    cy_value_from_double(type, value, bytes);
    cy_buf_append(out, bytes, type->size);
}

static void fill_iota(struct cy_run_argument *argument, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (argument->type->kind == CY_VALUE_FLOAT)
            append_number(argument->type, (double)i, &argument->bytes);
        else
            cy_buf_append(&argument->bytes, &i, argument->type->size); /* wraps around */
    }
}

/* Integers of the whole range, floating point in [0, 1). */
static void fill_random(struct cy_run_argument *argument, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t bits = random_next(&seed);
        if (argument->type->kind == CY_VALUE_FLOAT)
            append_number(argument->type, (double)(bits >> 40) / 16777216.0, &argument->bytes);
        else
            cy_buf_append(&argument->bytes, &bits, argument->type->size);
    }
}

static bool fill_file(struct cy_run_argument *argument, const char *text, const char *path, bool counted,
                      struct cy_diags *diags)
{
    if (!cy_values_read(argument->type, path, &argument->bytes, diags))
        return false;
    if (!counted)
        argument->size = argument->bytes.size;
    if (argument->bytes.size > argument->size) {
        cy_diag_file(diags, CY_ERROR, NULL, "--arg '%s': %s has %zu elements", text, path,
                     argument->bytes.size / argument->type->size);
        return false;
    }
    return argument->size > 0 || complain(diags, text, "the file is empty");
}

static bool fill(struct cy_run_argument *argument, const char *text, const char *how, struct cy_diags *diags)
{
    uint64_t count = argument->size / argument->type->size, seed = 1;
    char bytes[8];
    if (strcmp(how, "zeros") == 0)
        return true;
    if (strcmp(how, "iota") == 0) {
        fill_iota(argument, count);
        return true;
    }
    if (strncmp(how, "random", 6) == 0 && (!how[6] || how[6] == ':')) {
        if (how[6] && !cy_parse_number(how + 7, UINT64_MAX, &seed))
            return complain(diags, text, "the seed after 'random:' is not a number");
        fill_random(argument, count, seed);
        return true;
    }
    if (strcmp(how, "ones") == 0)
        how = "1";
    if (!cy_value_parse(argument->type, how, strlen(how), bytes))
        return complain(diags, text,
                        "expected iota, zeros, ones, random[:SEED], a number of the type or @FILE after '='");
    for (uint64_t i = 0; i < count; i++)
        cy_buf_append(&argument->bytes, bytes, argument->type->size);
    return true;
}

/* ---- forms ---- */

/* TYPE[:COUNT][=HOW] */
static bool parse_buffer(struct cy_run_argument *argument, const char *text, const char *at, struct cy_diags *diags)
{
    const char *equals = strchr(at, '='), *end = equals ? equals : at + strlen(at);
    const char *colon = memchr(at, ':', (size_t)(end - at));
    argument->kind = CY_ARG_BUFFER;
    argument->type = cy_value_type_find(at, (size_t)((colon ? colon : end) - at));
    if (!argument->type)
        return complain(diags, text,
                        "a buffer is buffer:TYPE:COUNT[=HOW], such as buffer:f32:1024=iota; TYPE is one of i8 u8 i16 "
                        "u16 i32 u32 i64 "
                        "u64 f16 f32 f64");
    bool from_file = equals && equals[1] == '@';
    if (!colon && !from_file)
        return complain(diags, text, "a buffer is buffer:TYPE:COUNT, or buffer:TYPE=@FILE");
    if (colon) {
        char digits[32];
        uint64_t count;
        size_t length = (size_t)(end - colon - 1);
        if (length >= sizeof(digits))
            return complain(diags, text, "the number of elements is too large");
        memcpy(digits, colon + 1, length);
        digits[length] = 0;
        if (!cy_parse_number(digits, MAX_BYTES / argument->type->size, &count) || !count)
            return complain(diags, text, "the number of elements must be at least 1 and fit in 1 TiB");
        argument->size = count * argument->type->size;
    }
    argument->file = from_file ? equals + 2 : NULL;
    argument->is_written = equals != NULL;
    if (from_file)
        return fill_file(argument, text, equals + 2, colon != NULL, diags);
    return !equals || fill(argument, text, equals + 1, diags);
}

/* Numbers separated by commas: a scalar, or a vector. */
static bool parse_numbers(struct cy_run_argument *argument, const char *text, const char *at, struct cy_diags *diags)
{
    for (;;) {
        char bytes[8];
        const char *comma = strchr(at, ',');
        size_t length = comma ? (size_t)(comma - at) : strlen(at);
        if (!cy_value_parse(argument->type, at, length, bytes)) {
            cy_diag_file(diags, CY_ERROR, NULL, "--arg '%s': '%.*s' is not a number of type %s", text, (int)length, at,
                         argument->type->name);
            return false;
        }
        cy_buf_append(&argument->bytes, bytes, argument->type->size);
        if (!comma)
            return true;
        at = comma + 1;
    }
}

static bool all_of_type(const struct cy_value_type *type, const char *text)
{
    char bytes[8];
    for (;;) {
        size_t length = strcspn(text, ",");
        if (!cy_value_parse(type, text, length, bytes))
            return false;
        if (!text[length])
            return true;
        text += length + 1;
    }
}

/* 7 is an i32, 0xffffffff a u32, 5000000000 an i64, 3.5 and 1e3 are f32. */
static const struct cy_value_type *guess_type(const char *text)
{
    static const char *const integers[] = {"i32", "u32", "i64", "u64"};
    for (size_t i = 0; i < CY_COUNT(integers); i++) {
        const struct cy_value_type *type = cy_value_type_find(integers[i], 3);
        if (all_of_type(type, text))
            return type;
    }
    return cy_value_type_find("f32", 3);
}

bool cy_run_argument_parse(struct cy_run_argument *argument, const char *text, struct cy_diags *diags)
{
    memset(argument, 0, sizeof(*argument));
    argument->text = text;
    if (strncmp(text, "buffer:", 7) == 0)
        return parse_buffer(argument, text, text + 7, diags);
    argument->no_write = strncmp(text, "readonly:", 9) == 0;
    argument->no_read = strncmp(text, "writeonly:", 10) == 0;
    if (argument->no_read || argument->no_write)
        return parse_buffer(argument, text, strchr(text, ':') + 1, diags);
    if (strncmp(text, "local:", 6) == 0) {
        argument->kind = CY_ARG_LOCAL;
        if (!cy_parse_number(text + 6, UINT32_MAX, &argument->size) || !argument->size)
            return complain(diags, text, "local memory is local:BYTES");
        return true;
    }
    argument->kind = CY_ARG_VALUE;
    const char *colon = strchr(text, ':');
    argument->is_untyped = !colon;
    argument->type = colon ? cy_value_type_find(text, (size_t)(colon - text)) : guess_type(text);
    if (!argument->type)
        return complain(diags, text,
                        "an argument is buffer:TYPE:COUNT[=HOW], local:BYTES, TYPE:NUMBER or NUMBER (cy run --help)");
    return parse_numbers(argument, text, colon ? colon + 1 : text, diags);
}

bool cy_run_argument_retype(struct cy_run_argument *argument, const struct cy_value_type *type)
{
    struct cy_diags quiet = {0};
    argument->type = type;
    argument->bytes.size = 0;
    bool ok = parse_numbers(argument, argument->text, argument->text, &quiet);
    cy_diags_free(&quiet);
    return ok;
}

void cy_run_argument_free(struct cy_run_argument *argument)
{
    cy_buf_free(&argument->bytes);
}

bool cy_run_argument_give(struct cy_run_argument *argument, struct cy_device *device, struct cy_arguments *arguments,
                          struct cy_diags *diags)
{
    const uint32_t pointer = argument->is_wide ? 8 : 4;
    if (argument->kind != CY_ARG_VALUE)
        cy_arguments_set_pointer_bytes(arguments, pointer);
    switch (argument->kind) {
    case CY_ARG_VALUE:
        if (argument->align)
            cy_arguments_aligned(arguments, argument->bytes.data, argument->bytes.size, argument->align);
        else
            cy_arguments_value(arguments, argument->bytes.data, argument->bytes.size);
        argument->offset = (uint32_t)(cy_arguments_size(arguments) - argument->bytes.size);
        return true;
    case CY_ARG_LOCAL:
        cy_arguments_local(arguments, (uint32_t)argument->size);
        argument->offset = (uint32_t)cy_arguments_size(arguments) - pointer;
        return true;
    case CY_ARG_BUFFER: break;
    }
    uint32_t near = 0;
    const enum cy_status status = argument->is_wide ? cy_device_alloc_far(device, argument->size, 0, &argument->address)
                                                    : cy_device_alloc(device, argument->size, 0, &near);
    argument->address |= near;
    if (status != CY_OK) {
        cy_diag_file(diags, CY_ERROR, NULL, "out of device memory: a buffer of %llu bytes does not fit",
                     (unsigned long long)argument->size);
        return false;
    }
    if (argument->bytes.size)
        cy_device_write(device, argument->address, argument->bytes.data, argument->bytes.size);
    if (argument->virtual_address)
        cy_arguments_value(arguments, &argument->virtual_address, argument->is_wide ? 8 : 4);
    else
        cy_arguments_pointer(arguments, argument->address);
    argument->offset = (uint32_t)cy_arguments_size(arguments) - pointer;
    return true;
}
