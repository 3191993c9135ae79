#include "run_signature.h"

#include <stdlib.h>
#include <string.h>

/* ---- OpenCL C's types ---- */

/* The number type for the compiler's name of it, "uint" or "float4"; NULL for structures, typedefs and void. */
static const struct cy_value_type *scalar_of(const char *name, unsigned *width)
{
    static const struct {
        const char *name, *type;
    } names[] = {{"char", "i8"},  {"uchar", "u8"},  {"short", "i16"}, {"ushort", "u16"},
                 {"int", "i32"},  {"uint", "u32"},  {"long", "i64"},  {"ulong", "u64"},
                 {"half", "f16"}, {"float", "f32"}, {"double", "f64"}};
    size_t length = strcspn(name, "0123456789*");
    *width = name[length] && name[length] != '*' ? (unsigned)strtoul(name + length, NULL, 10) : 1;
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (strlen(names[i].name) == length && !memcmp(names[i].name, name, length))
            return cy_value_type_find(names[i].type, strlen(names[i].type));
    return NULL;
}

/* Integers of the same size are compatible: i32:-1 for a uint is common usage. */
static bool same_kind(const struct cy_value_type *a, const struct cy_value_type *b)
{
    return a->size == b->size && (a->kind == CY_VALUE_FLOAT) == (b->kind == CY_VALUE_FLOAT);
}

/* ---- printing ---- */

static void put_parameter(const struct cy_kernel_argument *parameter, struct cy_buf *out)
{
    static const char *const spaces[] = {[CY_ADDRESS_PRIVATE] = "",
                                         [CY_ADDRESS_GLOBAL] = "global ",
                                         [CY_ADDRESS_CONSTANT] = "constant ",
                                         [CY_ADDRESS_LOCAL] = "local "};
    size_t stars = strcspn(parameter->type, "*");
    cy_buf_puts(out, parameter->is_pointer ? spaces[parameter->address] : "");
    if (parameter->qualifiers & CY_TYPE_CONST && parameter->address != CY_ADDRESS_CONSTANT)
        cy_buf_puts(out, "const ");
    if (parameter->qualifiers & CY_TYPE_VOLATILE)
        cy_buf_puts(out, "volatile ");
    cy_buf_printf(out, "%.*s %s%s", (int)stars, parameter->type, parameter->type + stars,
                  parameter->qualifiers & CY_TYPE_RESTRICT ? "restrict " : "");
    cy_buf_puts(out, parameter->name);
}

static void put_signature(const struct cy_kernel_info *kernel, struct cy_buf *out)
{
    cy_buf_printf(out, "kernel void %s(", kernel->name);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        cy_buf_puts(out, i ? ", " : "");
        put_parameter(&kernel->arguments[i], out);
    }
    cy_buf_puts(out, kernel->argument_count ? ")" : "void)");
}

/* How an argument for the parameter is written. */
static void put_form(const struct cy_kernel_argument *parameter, struct cy_buf *out)
{
    unsigned width;
    const struct cy_value_type *type = scalar_of(parameter->type, &width);
    if (parameter->is_pointer && parameter->address == CY_ADDRESS_LOCAL)
        cy_buf_puts(out, "local:BYTES");
    else if (parameter->is_pointer)
        cy_buf_printf(out, "buffer:%s:COUNT", type ? type->name : "TYPE");
    else if (!type)
        cy_buf_printf(out, "%u bytes, such as u8:1,2,...", parameter->size);
    else
        cy_buf_printf(out, width > 1 ? "%s:NUMBER,... (%u numbers)" : "%s:NUMBER", type->name, width);
}

/* ---- one argument ---- */

static bool check_buffer(const struct cy_kernel_argument *parameter, const struct cy_run_argument *argument)
{
    unsigned width;
    const struct cy_value_type *element = scalar_of(parameter->type, &width);
    bool direct = !strchr(parameter->type, '*') || !strchr(strchr(parameter->type, '*') + 1, '*');
    return argument->kind == CY_ARG_BUFFER && (!element || !direct || same_kind(element, argument->type));
}

/* A value becomes as large as its parameter: a vector of three is stored as four. */
static bool check_value(const struct cy_kernel_argument *parameter, struct cy_run_argument *argument)
{
    static const char zeros[64];
    unsigned width;
    const struct cy_value_type *type = scalar_of(parameter->type, &width);
    if (argument->kind != CY_ARG_VALUE)
        return false;
    if (type && argument->is_untyped && !cy_run_argument_retype(argument, type))
        return false;
    size_t size = type ? (size_t)width * type->size : parameter->size;
    if ((type && !same_kind(type, argument->type)) || argument->bytes.size != size)
        return false;
    if (parameter->size > size && parameter->size - size <= sizeof(zeros))
        cy_buf_append(&argument->bytes, zeros, parameter->size - size);
    argument->align = parameter->align;
    return true;
}

static bool fits(const struct cy_kernel_argument *parameter, struct cy_run_argument *argument)
{
    if (!parameter->is_pointer)
        return check_value(parameter, argument);
    argument->is_wide = parameter->size == 8;
    return parameter->address == CY_ADDRESS_LOCAL ? argument->kind == CY_ARG_LOCAL : check_buffer(parameter, argument);
}

bool cy_run_check_arguments(const struct cy_kernel_info *kernel, struct cy_run_argument *arguments, size_t count,
                            struct cy_diags *diags)
{
    struct cy_buf signature = {0}, form = {0};
    bool ok = count == kernel->argument_count;
    put_signature(kernel, &signature);
    if (!ok)
        cy_diag_file(diags, CY_ERROR, NULL,
                     "the kernel takes %zu argument%s, but %zu %s given with --arg; the kernel is\n  %s",
                     kernel->argument_count, kernel->argument_count == 1 ? "" : "s", count, count == 1 ? "is" : "are",
                     signature.data);
    for (size_t i = 0; ok && i < count; i++) {
        ok = fits(&kernel->arguments[i], &arguments[i]);
        if (ok)
            continue;
        put_form(&kernel->arguments[i], &form);
        cy_diag_file(diags, CY_ERROR, NULL,
                     "--arg '%s' does not fit parameter %zu, which takes %s; the kernel is\n  %s", arguments[i].text, i,
                     form.data, signature.data);
    }
    cy_buf_free(&signature);
    cy_buf_free(&form);
    return ok;
}
