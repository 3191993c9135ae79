/* The ELF reader.  Nothing in the file is trusted: sums are computed in 64 bits, every table must be inside the file
 * and disjoint from the others (so all contents together are no larger than the file, whatever the headers say), and
 * names are bounded (so the work is proportional to the file too). */
#include "obj/obj_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_NAME = 8191, /* not counting the ".rela" before the name of a relocated section */
    SHOWN_NAME = 80,     /* characters of a name in a message */
};

struct reader {
    struct cy_object *object;
    const uint8_t *bytes;
    size_t size;
    struct cy_diags *diags;

    uint32_t program_offset, section_offset; /* the two header tables */
    uint32_t program_count, section_count, name_section;
    struct shdr *headers;
    const char **names; /* of the sections; "" while unknown */
    uint32_t *kept;     /* file section -> index into object->sections + 1, 0 = not kept */
    uint32_t symbol_table;
    size_t symbol_count; /* including the null symbol */
};

/* ---- messages ---- */

static bool fail(struct reader *reader, const char *format, ...) CY_PRINTF(2, 3);
static bool fail(struct reader *reader, const char *format, ...)
{
    struct cy_buf text = {0};
    va_list args;
    va_start(args, format);
    cy_buf_vprintf(&text, format, args);
    va_end(args);
    cy_diag_file(reader->diags, CY_ERROR, reader->object->name, "%s", text.data);
    cy_buf_free(&text);
    return false;
}

static bool fail_section(struct reader *reader, uint32_t index, const char *format, ...) CY_PRINTF(3, 4);
static bool fail_section(struct reader *reader, uint32_t index, const char *format, ...)
{
    struct cy_buf text = {0};
    va_list args;
    va_start(args, format);
    cy_buf_vprintf(&text, format, args);
    va_end(args);
    const char *name = reader->names[index];
    cy_diag_file(reader->diags, CY_ERROR, reader->object->name, "section %" PRIu32 "%s%.*s%s: %s", index,
                 *name ? " (" : "", SHOWN_NAME, name, *name ? ")" : "", text.data);
    cy_buf_free(&text);
    return false;
}

/* ---- the ELF header ---- */

bool cy_object_is_elf(const void *bytes, size_t size)
{
    return size >= 4 && memcmp(bytes, "\177ELF", 4) == 0;
}

static bool check_identification(struct reader *reader)
{
    const uint8_t *at = reader->bytes;
    if (reader->size == 0)
        return fail(reader, "the file is empty");
    if (!cy_object_is_elf(at, reader->size))
        return fail(reader, "not an ELF file");
    if (reader->size > 4 && at[4] != ELFCLASS32)
        return at[4] == 2 ? fail(reader, "a 64-bit ELF file; only 32-bit ones are supported")
                          : fail(reader, "the ELF class is %u; only 1 (32 bits) is supported", at[4]);
    if (reader->size > 5 && at[5] != ELFDATA2LSB)
        return at[5] == 2 ? fail(reader, "a big-endian ELF file; only little-endian ones are supported")
                          : fail(reader, "the ELF data encoding is %u; only 1 (little-endian) is supported", at[5]);
    if (reader->size < EHDR_SIZE)
        return fail(reader, "the ELF header is cut off: the file has %zu of its %d bytes", reader->size, EHDR_SIZE);
    if (reader->size > UINT32_MAX)
        return fail(reader, "the file is larger than 4 GiB");
    if (at[6] != EV_CURRENT || load32(at + 20) != EV_CURRENT)
        return fail(reader, "the ELF version is %" PRIu32 "; only 1 is supported",
                    at[6] != EV_CURRENT ? at[6] : load32(at + 20));
    return true;
}

static bool read_header(struct reader *reader)
{
    if (!check_identification(reader))
        return false;
    const uint8_t *at = reader->bytes;
    struct cy_object *object = reader->object;
    object->type = load16(at + 16);
    object->machine = load16(at + 18);
    object->entry = load32(at + 24);
    object->flags = load32(at + 36);
    reader->program_offset = load32(at + 28);
    reader->section_offset = load32(at + 32);
    reader->program_count = load16(at + 44);
    reader->section_count = load16(at + 48);
    reader->name_section = load16(at + 50);

    if (object->machine != CY_EM_RISCV && object->machine != CY_EM_EPIC)
        return fail(reader, "the file is for machine %u; only RISC-V (%d) and EpicGPU (%d) are supported",
                    object->machine, CY_EM_RISCV, CY_EM_EPIC);
    if (object->type != CY_ET_REL && object->type != CY_ET_EXEC)
        return fail(reader, "the ELF type is %u%s; only 1 (relocatable) and 2 (executable) are supported", object->type,
                    object->type == 3 ? " (shared object or position-independent executable)" : "");
    if (load16(at + 40) != EHDR_SIZE)
        return fail(reader, "the ELF header says it has %u bytes instead of %d", load16(at + 40), EHDR_SIZE);
    if (reader->program_count && load16(at + 42) != PHDR_SIZE)
        return fail(reader, "program headers have %u bytes each instead of %d", load16(at + 42), PHDR_SIZE);
    if (reader->section_count && load16(at + 46) != SHDR_SIZE)
        return fail(reader, "section headers have %u bytes each instead of %d", load16(at + 46), SHDR_SIZE);
    if (reader->program_count == PN_XNUM)
        return fail(reader, "more than %d program headers are not supported", PN_XNUM - 1);
    if ((reader->section_count == 0 && reader->section_offset != 0) || reader->section_count >= SHN_LORESERVE ||
        reader->name_section == SHN_XINDEX)
        return fail(reader, "more than %d sections are not supported", SHN_LORESERVE - 1);
    return true;
}

/* ---- section headers ---- */

static bool check_table(struct reader *reader, const char *what, uint32_t offset, uint32_t count, uint32_t entry)
{
    uint64_t end = offset + (uint64_t)count * entry;
    if (end > reader->size)
        return fail(reader,
                    "the table of %s headers (%" PRIu32 " of %" PRIu32 " bytes at 0x%" PRIx32
                    ") is beyond the end of the file (0x%zx bytes)",
                    what, count, entry, offset, reader->size);
    return true;
}

static bool read_section_headers(struct reader *reader)
{
    uint32_t count = reader->section_count;
    if (!check_table(reader, "section", reader->section_offset, count, SHDR_SIZE))
        return false;
    reader->headers = cy_xrealloc(NULL, (count + 1) * sizeof(*reader->headers));
    reader->names = cy_xrealloc(NULL, (count + 1) * sizeof(*reader->names));
    reader->kept = cy_xrealloc(NULL, (count + 1) * sizeof(*reader->kept));
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = reader->bytes + reader->section_offset + (size_t)i * SHDR_SIZE;
        reader->headers[i] = (struct shdr){
            .name = load32(at),
            .type = load32(at + 4),
            .flags = load32(at + 8),
            .address = load32(at + 12),
            .offset = load32(at + 16),
            .size = load32(at + 20),
            .link = load32(at + 24),
            .info = load32(at + 28),
            .align = load32(at + 32),
            .entry_size = load32(at + 36),
        };
        reader->names[i] = "";
        reader->kept[i] = 0;
    }
    if (count && reader->headers[0].type != SHT_NULL)
        return fail(reader, "section 0 is not the null section but of type %" PRIu32, reader->headers[0].type);
    return true;
}

static bool check_contents(struct reader *reader, uint32_t index)
{
    const struct shdr *header = &reader->headers[index];
    if (header->type != CY_SHT_NOBITS && (uint64_t)header->offset + header->size > reader->size)
        return fail_section(reader, index,
                            "offset 0x%" PRIx32 " + size 0x%" PRIx32 " is beyond the end of the file (0x%zx bytes)",
                            header->offset, header->size, reader->size);
    return true;
}

/* A string table as a copy on the arena; names point into it. */
static const char *read_string_table(struct reader *reader, uint32_t index)
{
    const struct shdr *header = &reader->headers[index];
    if (!check_contents(reader, index))
        return NULL;
    if (header->size > 0 && reader->bytes[header->offset + header->size - 1] != 0) {
        fail_section(reader, index, "the string table does not end in a zero byte");
        return NULL;
    }
    return cy_arena_strndup(&reader->object->arena, (const char *)reader->bytes + header->offset, header->size);
}

enum name_fault { NAME_GOOD, NAME_OUTSIDE, NAME_LONG };

static enum name_fault check_name(const char *table, uint32_t table_size, uint32_t offset, uint32_t longest)
{
    if (offset >= table_size)
        return offset == 0 ? NAME_GOOD : NAME_OUTSIDE; /* an empty table still has the empty name */
    uint32_t rest = table_size - offset;
    return memchr(table + offset, 0, rest < longest + 1 ? rest : longest + 1) ? NAME_GOOD : NAME_LONG;
}

static bool read_section_names(struct reader *reader)
{
    uint32_t index = reader->name_section;
    if (index == 0 || reader->section_count == 0)
        return true;
    if (index >= reader->section_count)
        return fail(reader, "the section names are in section %" PRIu32 ", but there are only %" PRIu32 " sections",
                    index, reader->section_count);
    if (reader->headers[index].type != CY_SHT_STRTAB)
        return fail(reader, "the section names are in section %" PRIu32 ", which is not a string table", index);
    const char *table = read_string_table(reader, index);
    if (!table)
        return false;
    for (uint32_t i = 1; i < reader->section_count; i++) {
        const struct shdr *header = &reader->headers[i];
        if (header->type == SHT_NULL)
            continue;
        uint32_t longest = LONGEST_NAME + (header->type == CY_SHT_RELA ? (uint32_t)strlen(".rela") : 0);
        switch (check_name(table, reader->headers[index].size, header->name, longest)) {
        case NAME_OUTSIDE:
            return fail_section(reader, i,
                                "name offset 0x%" PRIx32 " is outside the string table (0x%" PRIx32 " bytes)",
                                header->name, reader->headers[index].size);
        case NAME_LONG: return fail_section(reader, i, "the name is longer than %d bytes", LONGEST_NAME);
        case NAME_GOOD: reader->names[i] = table + header->name;
        }
    }
    return true;
}

static bool check_section(struct reader *reader, uint32_t index)
{
    const struct shdr *header = &reader->headers[index];
    if (!check_contents(reader, index))
        return false;
    if (header->align != 0 && !is_power_of_two(header->align))
        return fail_section(reader, index, "alignment %" PRIu32 " is not a power of two", header->align);
    if ((header->flags & CY_SHF_ALLOC) && (uint64_t)header->address + header->size > (UINT64_C(1) << 32))
        return fail_section(reader, index, "address 0x%" PRIx32 " + size 0x%" PRIx32 " is beyond 4 GiB",
                            header->address, header->size);
    if (header->type == SHT_REL)
        return fail_section(reader, index, "relocations without addends (SHT_REL) are not supported, only SHT_RELA");
    if (header->type == SHT_SYMTAB_SHNDX)
        return fail_section(reader, index, "more than %d sections are not supported", SHN_LORESERVE - 1);
    return true;
}

/* ---- overlaps ---- */

struct extent {
    uint64_t begin, end;
    uint32_t what; /* a section, or one of these */
};
enum { EXTENT_HEADER = UINT16_MAX + 1, EXTENT_PROGRAM, EXTENT_SECTIONS, EXTENT_SEGMENT /* + its number */ };

struct extents { /* a named CY_VEC */
    struct extent *at;
    size_t count, capacity;
};

static void add_extent(struct extents *extents, uint32_t begin, uint64_t size, uint32_t what)
{
    if (size > 0)
        *cy_vec_push(extents) = (struct extent){begin, begin + size, what};
}

static int by_begin(const void *a, const void *b)
{
    const struct extent *left = a, *right = b;
    return left->begin != right->begin ? (left->begin < right->begin ? -1 : 1)
                                       : (left->what > right->what) - (left->what < right->what);
}

static void describe_extent(const struct reader *reader, uint32_t what, struct cy_buf *out)
{
    if (what == EXTENT_HEADER)
        cy_buf_puts(out, "the ELF header");
    else if (what == EXTENT_PROGRAM)
        cy_buf_puts(out, "the table of program headers");
    else if (what == EXTENT_SECTIONS)
        cy_buf_puts(out, "the table of section headers");
    else if (what >= EXTENT_SEGMENT)
        cy_buf_printf(out, "segment %" PRIu32, what - EXTENT_SEGMENT);
    else
        cy_buf_printf(out, "section %" PRIu32 " (%.*s)", what, SHOWN_NAME, reader->names[what]);
}

/* Also empties the list. */
static bool check_disjoint(struct reader *reader, struct extents *extents, const char *where)
{
    if (extents->count)
        qsort(extents->at, extents->count, sizeof(*extents->at), by_begin);
    bool ok = true;
    for (size_t i = 1; ok && i < extents->count; i++) {
        const struct extent *left = &extents->at[i - 1], *right = &extents->at[i];
        if (right->begin >= left->end)
            continue;
        struct cy_buf text = {0};
        describe_extent(reader, left->what, &text);
        cy_buf_puts(&text, " and ");
        describe_extent(reader, right->what, &text);
        ok = fail(reader, "%s overlap in %s at 0x%" PRIx64, text.data, where, right->begin);
        cy_buf_free(&text);
    }
    cy_vec_free(extents);
    return ok;
}

static bool check_file_overlaps(struct reader *reader)
{
    struct extents extents = {0};
    add_extent(&extents, 0, EHDR_SIZE, EXTENT_HEADER);
    add_extent(&extents, reader->program_offset, (uint64_t)reader->program_count * PHDR_SIZE, EXTENT_PROGRAM);
    add_extent(&extents, reader->section_offset, (uint64_t)reader->section_count * SHDR_SIZE, EXTENT_SECTIONS);
    for (uint32_t i = 1; i < reader->section_count; i++) {
        const struct shdr *header = &reader->headers[i];
        if (header->type != SHT_NULL && header->type != CY_SHT_NOBITS)
            add_extent(&extents, header->offset, header->size, i);
    }
    return check_disjoint(reader, &extents, "the file");
}

/* Sections of an executable are at their final addresses; thread-local bss is a template that occupies no memory. */
static bool check_memory_overlaps(struct reader *reader)
{
    struct extents extents = {0};
    for (uint32_t i = 1; reader->object->type == CY_ET_EXEC && i < reader->section_count; i++) {
        const struct shdr *header = &reader->headers[i];
        if (header->type != SHT_NULL && (header->flags & CY_SHF_ALLOC) &&
            !(header->type == CY_SHT_NOBITS && (header->flags & SHF_TLS)))
            add_extent(&extents, header->address, header->size, i);
    }
    return check_disjoint(reader, &extents, "memory");
}

/* ---- sections ---- */

/* Tables of the file format become part of the model (symbols, relocations) or hold section and symbol numbers that are
 * meaningless outside their file.  Loaded ones are still program data. */
static bool is_table(const struct shdr *header)
{
    switch (header->type) {
    case SHT_NULL:
    case CY_SHT_SYMTAB:
    case SHT_GROUP:
    case SHT_LLVM_ADDRSIG:
    case SHT_LLVM_CALL_GRAPH_PROFILE: return true;
    case CY_SHT_STRTAB:
    case CY_SHT_RELA: return !(header->flags & CY_SHF_ALLOC);
    default: return false;
    }
}

static bool read_sections(struct reader *reader)
{
    for (uint32_t i = 1; i < reader->section_count; i++)
        if (reader->headers[i].type != SHT_NULL && !check_section(reader, i))
            return false;
    if (!check_file_overlaps(reader) || !check_memory_overlaps(reader))
        return false;
    for (uint32_t i = 1; i < reader->section_count; i++) {
        const struct shdr *header = &reader->headers[i];
        if (is_table(header))
            continue;
        struct cy_section *section = cy_vec_push(&reader->object->sections);
        *section = (struct cy_section){
            .name = reader->names[i],
            .type = header->type,
            .flags = header->flags & ~(uint32_t)(SHF_INFO_LINK | SHF_LINK_ORDER | SHF_GROUP),
            .address = header->address,
            .align = header->align ? header->align : 1,
            .entry_size = header->entry_size,
            .size = header->size,
        };
        if (header->type != CY_SHT_NOBITS && header->size)
            cy_buf_append(&section->data, reader->bytes + header->offset, header->size);
        reader->kept[i] = (uint32_t)reader->object->sections.count;
    }
    return true;
}

/* ---- symbols ---- */

static bool check_entries(struct reader *reader, uint32_t index, uint32_t entry)
{
    const struct shdr *header = &reader->headers[index];
    if (header->entry_size != entry)
        return fail_section(reader, index, "entries have %" PRIu32 " bytes each instead of %" PRIu32,
                            header->entry_size, entry);
    if (header->size % entry != 0)
        return fail_section(reader, index, "size 0x%" PRIx32 " is not a multiple of the entry size %" PRIu32,
                            header->size, entry);
    return true;
}

/* Translates a symbol's section.  `number` counts the null symbol, as readelf does. */
static bool read_symbol_section(struct reader *reader, size_t number, uint16_t in, struct cy_symbol *symbol)
{
    if (in == CY_SHN_UNDEF || in == CY_SHN_ABS || in == CY_SHN_COMMON) {
        symbol->section = in;
        return true;
    }
    if (in == SHN_XINDEX)
        return fail(reader, "symbol %zu (%.*s): more than %d sections are not supported", number, SHOWN_NAME,
                    symbol->name, SHN_LORESERVE - 1);
    if (in >= reader->section_count)
        return fail(reader, "symbol %zu (%.*s): section %u does not exist, there are only %" PRIu32, number, SHOWN_NAME,
                    symbol->name, in, reader->section_count);
    symbol->section = reader->kept[in];
    if (symbol->section == 0)
        return fail(reader, "symbol %zu (%.*s): section %u (%.*s) is a table of the file format", number, SHOWN_NAME,
                    symbol->name, in, SHOWN_NAME, reader->names[in]);
    if (symbol->type == CY_STT_SECTION && *symbol->name == 0)
        symbol->name = reader->names[in];
    return true;
}

static bool read_symbols(struct reader *reader, uint32_t index)
{
    const struct shdr *header = &reader->headers[index];
    if (!check_entries(reader, index, SYM_SIZE))
        return false;
    if (header->link >= reader->section_count || reader->headers[header->link].type != CY_SHT_STRTAB)
        return fail_section(reader, index, "the names are in section %" PRIu32 ", which is not a string table",
                            header->link);
    uint32_t strings_size = reader->headers[header->link].size;
    const char *strings = read_string_table(reader, header->link);
    if (!strings)
        return false;
    reader->symbol_count = header->size / SYM_SIZE;
    if (reader->symbol_count >= 1u << 24)
        return fail_section(reader, index, "more than %d symbols are not supported", (1 << 24) - 1);
    if (header->info > reader->symbol_count)
        return fail_section(reader, index, "the first global symbol is %" PRIu32 ", but there are only %zu symbols",
                            header->info, reader->symbol_count);
    for (size_t i = 1; i < reader->symbol_count; i++) {
        const uint8_t *at = reader->bytes + header->offset + i * SYM_SIZE;
        uint32_t name = load32(at);
        enum name_fault fault = check_name(strings, strings_size, name, LONGEST_NAME);
        if (fault == NAME_OUTSIDE)
            return fail(reader,
                        "symbol %zu: name offset 0x%" PRIx32 " is outside the string table (0x%" PRIx32 " bytes)", i,
                        name, strings_size);
        if (fault == NAME_LONG)
            return fail(reader, "symbol %zu: the name is longer than %d bytes", i, LONGEST_NAME);
        struct cy_symbol symbol = {
            .name = strings + name,
            .value = load32(at + 4),
            .size = load32(at + 8),
            .binding = at[12] >> 4,
            .type = at[12] & 15,
            .visibility = at[13] & 3,
        };
        if (!read_symbol_section(reader, i, load16(at + 14), &symbol))
            return false;
        *cy_vec_push(&reader->object->symbols) = symbol;
    }
    return true;
}

static bool find_symbols(struct reader *reader)
{
    for (uint32_t i = 1; i < reader->section_count; i++) {
        if (reader->headers[i].type != CY_SHT_SYMTAB)
            continue;
        if (reader->symbol_table)
            return fail_section(reader, i, "a second symbol table; the first is section %" PRIu32,
                                reader->symbol_table);
        reader->symbol_table = i;
        if (!read_symbols(reader, i))
            return false;
    }
    return true;
}

/* ---- relocations ---- */

/* A stable merge sort: relocations at the same offset apply in their original order. */
static void sort_relocs(struct cy_reloc *relocs, struct cy_reloc *spare, size_t count)
{
    if (count < 2)
        return;
    size_t half = count / 2;
    sort_relocs(relocs, spare, half);
    sort_relocs(relocs + half, spare, count - half);
    if (relocs[half - 1].offset <= relocs[half].offset)
        return;
    memcpy(spare, relocs, half * sizeof(*relocs));
    size_t left = 0, right = half, to = 0;
    while (left < half)
        relocs[to++] = right < count && relocs[right].offset < spare[left].offset ? relocs[right++] : spare[left++];
}

static bool read_reloc(struct reader *reader, uint32_t index, size_t number, const struct cy_section *target,
                       struct cy_reloc *reloc)
{
    const uint8_t *at = reader->bytes + reader->headers[index].offset + number * RELA_SIZE;
    uint32_t offset = load32(at), info = load32(at + 4), symbol = info >> 8;
    /* Executables have addresses (ld --emit-relocs); objects have offsets, and their sections have address 0. */
    uint32_t base = reader->object->type == CY_ET_EXEC ? target->address : 0;
    if (offset < base || offset - base > target->size ||
        (offset - base == target->size && (info & 0xff) != CY_R_RISCV_NONE))
        return fail_section(reader, index, "relocation %zu: offset 0x%" PRIx32 " is outside %.*s (0x%" PRIx32 " bytes)",
                            number, offset, SHOWN_NAME, target->name, target->size);
    if (symbol != 0 && symbol >= reader->symbol_count)
        return fail_section(reader, index, "relocation %zu: symbol %" PRIu32 " does not exist, there are only %zu",
                            number, symbol, reader->symbol_count);
    *reloc = (struct cy_reloc){
        .offset = offset - base,
        .type = info & 0xff,
        .symbol = symbol ? symbol - 1 : CY_NO_SYMBOL,
        .addend = (int32_t)load32(at + 8),
    };
    return true;
}

static bool read_reloc_section(struct reader *reader, uint32_t index)
{
    const struct shdr *header = &reader->headers[index];
    if (!check_entries(reader, index, RELA_SIZE))
        return false;
    if (reader->symbol_table == 0 || header->link != reader->symbol_table)
        return fail_section(reader, index, "the symbols are in section %" PRIu32 ", which is not the symbol table",
                            header->link);
    if (header->info == 0 || header->info >= reader->section_count || reader->kept[header->info] == 0)
        return fail_section(reader, index, "the relocations are for section %" PRIu32 ", which has no contents",
                            header->info);
    struct cy_section *target = &reader->object->sections.at[reader->kept[header->info] - 1];
    if (target->type == CY_SHT_NOBITS)
        return fail_section(reader, index, "the relocations are for section %" PRIu32 ", which has no contents",
                            header->info);
    for (size_t i = 0; i < header->size / RELA_SIZE; i++)
        if (!read_reloc(reader, index, i, target, cy_vec_push(&target->relocs)))
            return false;
    return true;
}

static bool read_relocs(struct reader *reader)
{
    for (uint32_t i = 1; i < reader->section_count; i++)
        if (reader->headers[i].type == CY_SHT_RELA && is_table(&reader->headers[i]) && !read_reloc_section(reader, i))
            return false;
    size_t numbers = reader->object->sections.count + 4; /* in a file that we write: null, symbols, two string tables */
    for (size_t i = 0; i < reader->object->sections.count; i++) {
        struct cy_section *section = &reader->object->sections.at[i];
        numbers += section->relocs.count > 0;
        struct cy_reloc *spare = cy_xrealloc(NULL, section->relocs.count * sizeof(*spare));
        sort_relocs(section->relocs.at, spare, section->relocs.count);
        cy_free(spare);
    }
    if (numbers > SHN_LORESERVE)
        return fail(reader, "more than %d sections are not supported", SHN_LORESERVE - 1);
    return true;
}

/* ---- segments ---- */

static bool read_segment(struct reader *reader, uint32_t index, struct cy_segment *segment)
{
    const uint8_t *at = reader->bytes + reader->program_offset + (size_t)index * PHDR_SIZE;
    *segment = (struct cy_segment){
        .type = load32(at),
        .offset = load32(at + 4),
        .address = load32(at + 8),
        .file_size = load32(at + 16),
        .memory_size = load32(at + 20),
        .flags = load32(at + 24),
        .align = load32(at + 28),
    };
    if ((uint64_t)segment->offset + segment->file_size > reader->size)
        return fail(reader,
                    "segment %" PRIu32 ": offset 0x%" PRIx32 " + size 0x%" PRIx32
                    " is beyond the end of the file (0x%zx bytes)",
                    index, segment->offset, segment->file_size, reader->size);
    if (segment->align != 0 && !is_power_of_two(segment->align))
        return fail(reader, "segment %" PRIu32 ": alignment %" PRIu32 " is not a power of two", index, segment->align);
    if (segment->file_size)
        segment->data = reader->bytes + segment->offset;
    if (segment->type != PT_LOAD)
        return true;
    if (segment->file_size > segment->memory_size)
        return fail(reader,
                    "segment %" PRIu32 ": 0x%" PRIx32 " bytes in the file are more than the 0x%" PRIx32
                    " bytes in memory",
                    index, segment->file_size, segment->memory_size);
    if ((uint64_t)segment->address + segment->memory_size > (UINT64_C(1) << 32))
        return fail(reader, "segment %" PRIu32 ": address 0x%" PRIx32 " + size 0x%" PRIx32 " is beyond 4 GiB", index,
                    segment->address, segment->memory_size);
    return true;
}

/* With two segments at one address, the loaded image would depend on their order. */
static bool read_segments(struct reader *reader)
{
    struct extents extents = {0};
    for (uint32_t i = 0; i < reader->program_count; i++) {
        struct cy_segment *segment = cy_vec_push(&reader->object->segments);
        if (!read_segment(reader, i, segment)) {
            cy_vec_free(&extents);
            return false;
        }
        if (segment->type == PT_LOAD)
            add_extent(&extents, segment->address, segment->memory_size, EXTENT_SEGMENT + i);
    }
    return check_disjoint(reader, &extents, "memory");
}

struct job {
    struct reader reader;
    const char *name;
    bool ok;
};

static void read_object(void *argument)
{
    struct job *job = argument;
    struct reader *reader = &job->reader;
    reader->object->name = cy_arena_strndup(&reader->object->arena, job->name, strlen(job->name));
    job->ok = read_header(reader) &&
              check_table(reader, "program", reader->program_offset, reader->program_count, PHDR_SIZE) &&
              read_section_headers(reader) && read_section_names(reader) && read_sections(reader) &&
              find_symbols(reader) && read_relocs(reader) && read_segments(reader);
    cy_free(reader->headers);
    cy_free(reader->names);
    cy_free(reader->kept);
    if (!job->ok)
        cy_object_free(reader->object);
}

bool cy_object_read(struct cy_object *object, const char *name, const void *bytes, size_t size, struct cy_diags *diags)
{
    *object = (struct cy_object){0};
    struct job job = {.reader = {.object = object, .bytes = bytes, .size = size, .diags = diags}, .name = name};
    if (cy_diags_try(diags, read_object, &job))
        return job.ok;
    *object = (struct cy_object){0};
    return false;
}
