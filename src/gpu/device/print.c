/* printf: draining a warp's print buffer and formatting its records (docs/machine.md, "printf").
 *
 * Every warp slot has its own print buffer, named in its own metadata: a warp that sets CSR_PRINT has finished its
 * records, so none is ever torn, and no warp waits for another.  The buffer is {u32 cursor, u32 dropped}, then records
 * {u32 bytes, u32 format, arguments}; the cursor counts bytes after the header and starts at 0; `bytes` is the size of
 * the whole record, a multiple of 4; `format` is the offset of a NUL-terminated string in section .cy.printf.
 *
 * Arguments, each on the next 4-byte boundary: integers up to 32 bits and characters 4 bytes, with l 8 bytes; floating
 * point 8 bytes (C's promotion to double); %s and %p 4 bytes (generation 2: 8), %s being the address of a NUL-terminated
 * string in device memory; vectors (%v4hlf) their elements in sequence, hh 1, h 2, hl 4, l 8 bytes each. */
#define _XOPEN_SOURCE 700 /* uselocale */
#include "gpu/device/machine.h"

#include <inttypes.h>

#include "base/fenv_guard.h"

#include <ctype.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STRING 65536

uint32_t cy_print_buffer(const struct cy_launch *launch, const struct cy_warp_slot *slot)
{
    return launch->prints + (slot->sm->index * slot->sm->device->config.warps + slot->index) * launch->print_bytes;
}

/* ---- one record ---- */

struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    unsigned vector;      /* elements; 0: a scalar */
    unsigned size;        /* bytes per element; 0: not given */
    char letter;
};

static const char *parse_number(const char *at, const char *end, int *value)
{
    *value = 0;
    for (; at < end && isdigit((unsigned char)*at); at++)
        *value = *value > 9999 ? *value : *value * 10 + (*at - '0');
    return at;
}

/* Starts after the '%'; NULL: not a conversion. */
static const char *parse_conversion(const char *at, const char *end, struct conversion *c)
{
    *c = (struct conversion){.width = -1, .precision = -1};
    for (size_t n = 0; at < end && memchr("-+ #0", *at, 5); at++)
        if (n + 1 < sizeof(c->flags))
            c->flags[n++] = *at;
    if (at < end && isdigit((unsigned char)*at))
        at = parse_number(at, end, &c->width);
    if (at < end && *at == '.')
        at = parse_number(at + 1, end, &c->precision);
    if (at < end && *at == 'v') {
        int count;
        at = parse_number(at + 1, end, &count);
        if (count != 2 && count != 3 && count != 4 && count != 8 && count != 16)
            return NULL;
        c->vector = (unsigned)count;
    }
    static const struct {
        const char *text;
        unsigned size;
    } lengths[] = {{"hh", 1}, {"hl", 4}, {"h", 2}, {"ll", 8}, {"l", 8}};
    for (size_t i = 0; i < CY_COUNT(lengths); i++) {
        size_t length = strlen(lengths[i].text);
        if ((size_t)(end - at) >= length && memcmp(at, lengths[i].text, length) == 0) {
            c->size = lengths[i].size;
            at += length;
            break;
        }
    }
    if (at >= end || !memchr("diouxXcsfFeEgGaAp", *at, 17))
        return NULL;
    c->letter = *at;
    return at + 1;
}

static double half_value(uint16_t bits)
{
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double scale = 1.0 / 1024 / 16384, value; /* 2^-24 */
    if (exponent == 31)
        value = mantissa ? strtod("nan", NULL) : strtod("inf", NULL);
    else if (exponent == 0)
        value = mantissa * scale;
    else
        value = (mantissa + 1024) * scale * (double)(1ull << (exponent - 1));
    return bits >> 15 ? -value : value;
}

static void put_spec(const struct conversion *c, const char *length, char *spec, size_t size)
{
    int at = snprintf(spec, size, "%%%s", c->flags);
    if (c->width >= 0)
        at += snprintf(spec + at, size - (size_t)at, "%d", c->width);
    if (c->precision >= 0)
        at += snprintf(spec + at, size - (size_t)at, ".%d", c->precision);
    snprintf(spec + at, size - (size_t)at, "%s%c", length, c->letter);
}

/* put_spec builds the format from checked parts. */
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#endif
static void put_integer(struct cy_buf *out, const struct conversion *c, const uint8_t *bytes, unsigned size)
{
    char spec[48], text[20100];
    uint64_t value = 0;
    memcpy(&value, bytes, size);
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    /* hh and h of a scalar give how much of the 4 bytes counts */
    unsigned bits = 8 * (c->size && c->size < size ? c->size : size);
    if (bits < 64)
        value &= (1ull << bits) - 1;
    if (is_signed && bits < 64 && value >> (bits - 1))
        value |= ~0ull << bits;
    put_spec(c, "ll", spec, sizeof(spec));
    snprintf(text, sizeof(text), spec, (unsigned long long)value);
    cy_buf_puts(out, text);
}

static void put_float(struct cy_buf *out, const struct conversion *c, const uint8_t *bytes, unsigned size)
{
    char spec[48], text[20500];
    double value;
    if (size == 8) {
        memcpy(&value, bytes, 8);
    } else if (size == 4) {
        float single;
        memcpy(&single, bytes, 4);
        value = (double)single;
    } else {
        uint16_t half;
        memcpy(&half, bytes, 2);
        value = half_value(half);
    }
    put_spec(c, "", spec, sizeof(spec));
    snprintf(text, sizeof(text), spec, value);
    cy_buf_puts(out, text);
}

static void put_padded(struct cy_buf *out, const struct conversion *c, const char *text, size_t size)
{
    int pad = c->width > (int)size ? c->width - (int)size : 0;
    bool left = strchr(c->flags, '-') != NULL;
    cy_buf_printf(out, "%*s", left ? 0 : pad, "");
    cy_buf_append(out, text, size);
    cy_buf_printf(out, "%*s", left ? pad : 0, "");
}

static void put_string(struct cy_buf *out, const struct conversion *c, const struct cy_memory *memory, uint64_t address)
{
    struct cy_buf text = {0};
    size_t limit = c->precision >= 0 ? (size_t)c->precision : MAX_STRING;
    for (uint64_t at = address; text.size < limit && cy_memory_allows(memory, at, 1, CY_READ); at++) {
        const uint8_t *byte = cy_memory_host(memory, at);
        if (!byte || !*byte)
            break;
        cy_buf_putc(&text, (char)*byte);
    }
    if (!address) /* unspecified by OpenCL; follows the host's C library */
        cy_buf_puts(&text, limit < 6 ? "" : "(null)");
    put_padded(out, c, text.size ? text.data : "", text.size);
    cy_buf_free(&text);
}

static bool is_float(char letter)
{
    return memchr("fFeEgGaA", letter, 8) != NULL;
}

static void put_element(struct cy_buf *out, const struct conversion *c, const struct cy_memory *memory,
                        const uint8_t *bytes, unsigned size)
{
    uint64_t word = 0;
    char pointer[24];
    memcpy(&word, bytes, size < 8 ? size : 8);
    if (c->letter == 's')
        put_string(out, c, memory, word);
    else if (c->letter == 'c')
        put_padded(out, c, &(char){(char)word}, 1);
    else if (c->letter == 'p')
        put_padded(out, c, pointer, (size_t)snprintf(pointer, sizeof(pointer), "0x%" PRIx64, word));
    else if (is_float(c->letter))
        put_float(out, c, bytes, size);
    else
        put_integer(out, c, bytes, size);
}

/* Size of one element in the record. */
static unsigned element_size(const struct conversion *c, unsigned pointer_bytes)
{
    if (c->vector)
        return c->size ? c->size : 4;
    if (c->letter == 's' || c->letter == 'p')
        return pointer_bytes;
    if (c->letter == 'c')
        return 4;
    return is_float(c->letter) || c->size == 8 ? 8 : 4;
}

void cy_print_format(struct cy_buf *out, const struct cy_memory *memory, const char *format, size_t format_size,
                     const uint8_t *arguments, size_t size, unsigned pointer_bytes)
{
    const char *end = format + format_size;
    size_t used = 0;
    while (format < end && *format) {
        struct conversion c;
        if (*format != '%') {
            cy_buf_putc(out, *format++);
            continue;
        }
        if (format + 1 < end && format[1] == '%') {
            cy_buf_putc(out, '%');
            format += 2;
            continue;
        }
        const char *next = parse_conversion(format + 1, end, &c);
        if (!next) { /* not a conversion: print it literally */
            cy_buf_putc(out, *format++);
            continue;
        }
        unsigned each = element_size(&c, pointer_bytes), count = c.vector ? c.vector : 1;
        size_t total = (each * count + 3) & ~3u;
        if (total > size - used) {
            cy_buf_puts(out, "(missing)"); /* the record is shorter than its format */
        } else {
            for (unsigned i = 0; i < count; i++) {
                if (i)
                    cy_buf_putc(out, ',');
                put_element(out, &c, memory, arguments + used + each * i, each);
            }
            used += total;
        }
        format = next;
    }
}

/* ---- draining ---- */

static uint32_t word_at(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
}

/* The C locale: a decimal point, whatever the user's locale. */
static locale_t plain;
static void make_plain(void)
{
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}
static locale_t plain_locale(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_plain);
    return plain;
}

struct draining {
    const struct cy_memory *memory;
    const struct cy_program *program;
    const uint8_t *records;
    uint32_t size;
    struct cy_buf text;
    uint64_t count;
};

static void format_records(void *argument)
{
    struct draining *draining = argument;
    const struct cy_program *program = draining->program;
    for (uint32_t at = 0; at + CY_RECORD_ARGUMENTS <= draining->size;) {
        const uint8_t *record = draining->records + at;
        uint32_t bytes = word_at(record + CY_RECORD_BYTES), format = word_at(record + CY_RECORD_FORMAT);
        if (bytes < CY_RECORD_ARGUMENTS || bytes % 4 || bytes > draining->size - at)
            break; /* reserved by a record that did not fit */
        if (format < program->formats_size)
            cy_print_format(&draining->text, draining->memory, program->formats + format,
                            program->formats_size - format, record + CY_RECORD_ARGUMENTS, bytes - CY_RECORD_ARGUMENTS,
                            program->target == CY_GEN1 ? 4 : 8);
        else
            cy_buf_printf(&draining->text, "(printf: no format %u)\n", format);
        draining->count++;
        at += bytes;
    }
}

void cy_print_drain(struct cy_launch *launch, struct cy_warp_slot *slot)
{
    cy_print_drain_at(launch, launch->memory, cy_print_buffer(launch, slot));
}

void cy_print_drain_at(struct cy_launch *launch, const struct cy_memory *memory, uint32_t address)
{
    uint8_t *buffer = memory->base + address;
    uint32_t cursor = word_at(buffer + CY_PRINT_CURSOR), dropped = word_at(buffer + CY_PRINT_DROPPED);
    if (!cursor && !dropped)
        return;
    uint32_t room = launch->print_bytes - CY_PRINT_RECORDS, end = cursor < room ? cursor : room;
    struct draining draining = {
        .memory = memory, .program = launch->program, .records = buffer + CY_PRINT_RECORDS, .size = end};
    fenv_t callers;
    cy_fenv_enter(&callers);
    locale_t callers_locale = uselocale(plain_locale());
    bool ok = cy_mem_try(format_records, &draining);
    uselocale(callers_locale);
    cy_fenv_leave(&callers);
    memset(buffer, 0, CY_PRINT_RECORDS + end);
    pthread_mutex_lock(&launch->lock);
    if (ok) {
        launch->prints_done += draining.count;
        launch->prints_dropped += dropped;
        if (launch->print && draining.text.size)
            launch->print(launch->print_context, draining.text.data, draining.text.size);
    } else {
        launch->no_memory = true;
    }
    pthread_mutex_unlock(&launch->lock);
    if (ok)
        cy_buf_free(&draining.text);
    else
        atomic_store(&launch->stop, true);
}
