/* An executable of generation 2 as GDB must see it.
 *
 * Our files are ELF32, because code and variables are below 4 GiB.  GDB takes the width of pointers from the class of the
 * file, and refuses one that differs from the width of the registers.  So it gets the same contents in an ELF64 file: the
 * old file as a whole, moved up by a page, then symbols and headers in their wide form. */
#include "debug/debug_priv.h"

#include <string.h>

enum {
    MOVED = 4096,
    EHDR32 = 52,
    EHDR64 = 64,
    PHDR32 = 32,
    PHDR64 = 56,
    SHDR32 = 40,
    SHDR64 = 64,
    SYM32 = 16,
    SYM64 = 24,
    SHT_SYMTAB = 2,
    SHT_RELA = 4,
    SHT_REL = 9,
};

static uint64_t get(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void put(struct cy_buf *out, unsigned bytes, uint64_t value)
{
    for (; bytes; bytes--, value >>= 8)
        cy_buf_putc(out, (char)value);
}

static void pad(struct cy_buf *out)
{
    while (out->size % 8)
        cy_buf_putc(out, 0);
}

static void put_symbols(struct cy_buf *out, const uint8_t *at, size_t count)
{
    for (; count; count--, at += SYM32) {
        put(out, 4, get(at, 4));
        cy_buf_append(out, at + 12, 4); /* binding and type, visibility, section */
        put(out, 8, get(at + 4, 4));
        put(out, 8, get(at + 8, 4));
    }
}

static void put_segment(struct cy_buf *out, const uint8_t *at)
{
    put(out, 4, get(at, 4));
    put(out, 4, get(at + 24, 4));
    put(out, 8, get(at + 4, 4) + MOVED);
    for (unsigned field = 8; field < 24; field += 4)
        put(out, 8, get(at + field, 4));
    put(out, 8, get(at + 28, 4));
}

static void put_section(struct cy_buf *out, const uint8_t *at, uint64_t symbols)
{
    const uint64_t type = get(at + 4, 4);
    const bool is_dropped = type == SHT_RELA || type == SHT_REL; /* of no use in an executable */
    uint64_t offset = get(at + 16, 4) + MOVED, size = is_dropped ? 0 : get(at + 20, 4), entry = get(at + 36, 4);
    if (type == SHT_SYMTAB) {
        offset = symbols;
        size = size / SYM32 * SYM64;
        entry = SYM64;
    }
    put(out, 4, get(at, 4));
    put(out, 4, is_dropped ? 0 : type);
    put(out, 8, get(at + 8, 4));
    put(out, 8, get(at + 12, 4));
    put(out, 8, type ? offset : 0);
    put(out, 8, size);
    put(out, 4, get(at + 24, 4));
    put(out, 4, get(at + 28, 4));
    put(out, 8, get(at + 32, 4));
    put(out, 8, entry);
}

static bool has_table(size_t size, uint64_t offset, uint64_t count, uint64_t entry)
{
    return offset <= size && count * entry <= size - offset;
}

bool debug_widen(const void *file, size_t size, struct cy_buf *out)
{
    const uint8_t *elf = file;
    out->size = 0;
    if (size < EHDR32)
        return false;
    const uint64_t segments = get(elf + 28, 4), sections = get(elf + 32, 4), segment_count = get(elf + 44, 2),
                   section_count = get(elf + 48, 2);
    if (!has_table(size, segments, segment_count, PHDR32) || !has_table(size, sections, section_count, SHDR32))
        return false;
    cy_buf_append(out, elf, 4);
    cy_buf_putc(out, 2); /* ELFCLASS64 */
    cy_buf_append(out, elf + 5, 19);
    put(out, 8, get(elf + 24, 4));
    const size_t links = out->size;
    put(out, 16, 0);
    put(out, 4, get(elf + 36, 4));
    put(out, 2, EHDR64);
    put(out, 2, segment_count ? PHDR64 : 0);
    put(out, 2, segment_count);
    put(out, 2, section_count ? SHDR64 : 0);
    put(out, 2, section_count);
    put(out, 2, get(elf + 50, 2));
    while (out->size < MOVED)
        cy_buf_putc(out, 0);
    cy_buf_append(out, elf, size);
    pad(out);
    uint64_t symbols = out->size;
    for (uint64_t i = 0; i < section_count; i++) {
        const uint8_t *section = elf + sections + i * SHDR32;
        const uint64_t offset = get(section + 16, 4), count = get(section + 20, 4) / SYM32;
        if (get(section + 4, 4) != SHT_SYMTAB)
            continue;
        if (!has_table(size, offset, count, SYM32))
            return false;
        symbols = out->size;
        put_symbols(out, elf + offset, count);
    }
    pad(out);
    const uint64_t wide_segments = out->size, wide_sections = wide_segments + segment_count * PHDR64;
    for (uint64_t i = 0; i < segment_count; i++)
        put_segment(out, elf + segments + i * PHDR32);
    for (uint64_t i = 0; i < section_count; i++)
        put_section(out, elf + sections + i * SHDR32, symbols);
    for (unsigned i = 0; i < 8; i++) {
        out->data[links + i] = (char)((segment_count ? wide_segments : 0) >> 8 * i);
        out->data[links + 8 + i] = (char)((section_count ? wide_sections : 0) >> 8 * i);
    }
    return true;
}
