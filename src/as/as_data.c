#include "as/as_priv.h"

#include <string.h>

static void store(uint8_t *place, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        place[i] = (uint8_t)(value >> (8 * i));
}

static bool fits(int64_t value, unsigned bytes)
{
    if (bytes == 8)
        return true;
    int64_t unit = (int64_t)1 << (8 * bytes);
    return value >= -(unit / 2) && value < unit;
}

/* .byte .half .word .dword: expressions */
bool as_dir_data(struct as *as, int size)
{
    unsigned bytes = (unsigned)size;
    if (as_at_end(as))
        return true;
    do {
        struct as_value value;
        as_skip_blank(as);
        const char *at = as->p;
        if (!as_expression(as, &value))
            return false;
        size_t length = (size_t)(as->p - at);
        bool is_constant = as_is_constant(&value);
        if (is_constant && !fits(value.addend, bytes))
            return as_fail(as, at, length, "the value does not fit in %u byte%s", bytes, bytes > 1 ? "s" : "");
        if (as->section->type == CY_SHT_NOBITS && is_constant && value.addend == 0) {
            if (!as_emit_fill(as, 1, bytes, 0, at, length))
                return false;
            continue;
        }
        uint8_t *place = as_emit(as, bytes, true);
        if (!place)
            return false;
        store(place, is_constant ? (uint64_t)value.addend : 0, bytes);
        if (!is_constant) {
            struct as_fixup fixup = {
                .offset = as_here(as->section) - bytes,
                .kind = AS_FIX_DATA,
                .detail = (uint8_t)bytes,
                .hint = AS_NO_HINT,
                .value = value,
                .loc = as_loc(as, at, length),
            };
            as_add_fixup(as, &fixup);
        }
    } while (as_accept(as, ','));
    return as_expect_end(as);
}

/* .float .double */
bool as_dir_float(struct as *as, int bytes)
{
    do {
        uint64_t bits;
        if (!as_float(as, (unsigned)bytes, &bits))
            return false;
        uint8_t *place = as_emit(as, (uint32_t)bytes, true);
        if (!place)
            return false;
        store(place, bits, (unsigned)bytes);
    } while (as_accept(as, ','));
    return as_expect_end(as);
}

/* .ascii .asciz .string: adjacent strings are joined */
bool as_dir_string(struct as *as, int terminated)
{
    if (as_at_end(as))
        return true;
    struct cy_buf *text = &as->scratch;
    do {
        text->size = 0;
        do {
            if (!as_string(as, text))
                return false;
            as_skip_blank(as);
        } while (*as->p == '"');
        if (terminated)
            cy_buf_putc(text, 0);
        if (text->size > UINT32_MAX / 2)
            return as_fail(as, as->start, 1, "the string is too long");
        uint8_t *place = as_emit(as, (uint32_t)text->size, true);
        if (!place)
            return false;
        memcpy(place, text->data, text->size);
    } while (as_accept(as, ','));
    return as_expect_end(as);
}

/* .space .skip .zero  bytes [, fill] */
bool as_dir_space(struct as *as, int unused)
{
    (void)unused;
    int64_t count, fill = 0;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_absolute_soon(as, &count))
        return false;
    size_t length = (size_t)(as->p - at);
    if (as_accept(as, ',') && !as_absolute(as, &fill))
        return false;
    if (count < 0)
        return as_fail(as, at, length, "the size is negative: %lld", (long long)count);
    return as_expect_end(as) && as_emit_fill(as, (uint64_t)count, 1, (uint8_t)fill, at, length);
}

/* .fill count [, size [, value]]: size at most 8, only 32 bits of the value are used */
bool as_dir_fill(struct as *as, int unused)
{
    (void)unused;
    int64_t count, size = 1, value = 0;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_absolute_soon(as, &count))
        return false;
    size_t length = (size_t)(as->p - at);
    if (as_accept(as, ',') && !as_absolute_in(as, 0, 8, "the size of an element", &size))
        return false;
    if (as_accept(as, ',') && !as_absolute(as, &value))
        return false;
    if (count < 0)
        return as_fail(as, at, length, "the count is negative: %lld", (long long)count);
    return as_expect_end(as) &&
           as_emit_fill(as, (uint64_t)count, (uint64_t)size, (uint32_t)(uint64_t)value, at, length);
}

/* .uleb128 .sleb128 */
bool as_dir_leb128(struct as *as, int is_signed)
{
    do {
        int64_t value;
        if (!as_absolute_soon(as, &value))
            return false;
        bool more = true;
        while (more) {
            uint8_t byte = (uint8_t)(value & 0x7f);
            if (is_signed) {
                value = value < 0 ? (int64_t) ~(~(uint64_t)value >> 7) : value >> 7;
                more = !((value == 0 && !(byte & 0x40)) || (value == -1 && (byte & 0x40)));
            } else {
                value = (int64_t)((uint64_t)value >> 7);
                more = value != 0;
            }
            uint8_t *place = as_emit(as, 1, true);
            if (!place)
                return false;
            *place = more ? byte | 0x80 : byte;
        }
    } while (as_accept(as, ','));
    return as_expect_end(as);
}

/* .incbin "file" [, skip [, count]] */
bool as_dir_incbin(struct as *as, int unused)
{
    (void)unused;
    struct as_text name;
    int64_t skip = 0, count = -1;
    as_skip_blank(as);
    const char *at = as->p;
    if (*at != '"')
        return as_expected(as, "a file name in double quotes");
    if (!as_name_text(as, "a file name", &name))
        return false;
    size_t length = (size_t)(as->p - at);
    if (as_accept(as, ',')) {
        as_skip_blank(as);
        if (*as->p != ',' && !as_absolute_in(as, 0, UINT32_MAX, "the number of bytes to skip", &skip))
            return false;
        if (as_accept(as, ',') && !as_absolute_in(as, 0, UINT32_MAX, "the number of bytes", &count))
            return false;
    }
    if (!as_expect_end(as))
        return false;
    uint32_t errors = as->diags->errors;
    const struct as_file *file = as_read_file(as, name);
    if (!file)
        return errors != as->diags->errors || as_fail(as, at, length, "cannot read '%s'", name.text);
    size_t size = file->text.size;
    size_t from = (uint64_t)skip < size ? (size_t)skip : size;
    size = size - from;
    if (count >= 0 && (uint64_t)count < size)
        size = (size_t)count;
    if (size > as->max_output)
        size = (size_t)as->max_output; /* too much; as_emit reports it */
    if (size == 0)
        return true;
    uint8_t *place = as_emit(as, (uint32_t)size, true);
    if (!place)
        return false;
    memcpy(place, file->text.data + from, size);
    return true;
}
