/* The ELF writer.  The file is: header, program headers, section contents, relocations, symbols, names, section
 * headers.
 *
 * Sections of the model keep their order and come first, so section i of an object has number i + 1; in an executable
 * the loaded ones are sorted by address.  Errors of the caller are our own bugs, hence asserts. */
#include "base/strmap.h"
#include "obj/obj_priv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 0x1000 };

struct segment {
    uint32_t first, last; /* positions in `order` */
    uint32_t flags, address, file_size, memory_size, offset;
};

struct writer {
    const struct cy_object *object;
    struct cy_buf file;       /* from the ELF header on; appended to the caller's buffer at the end */
    CY_VEC(uint32_t) order;   /* output position -> section of the model */
    uint32_t *numbers;        /* section of the model -> section number in the file */
    uint32_t *symbol_numbers; /* symbol of the model -> symbol number in the file */
    CY_VEC(struct segment) segments;
    CY_VEC(struct shdr) headers;
    struct cy_buf section_names;
};

/* ---- bytes ---- */

static void put16(struct cy_buf *out, uint32_t value)
{
    cy_buf_putc(out, (char)(value & 0xff));
    cy_buf_putc(out, (char)(value >> 8 & 0xff));
}

static void put32(struct cy_buf *out, uint32_t value)
{
    put16(out, value & 0xffff);
    put16(out, value >> 16);
}

static void pad_to(struct cy_buf *out, uint32_t align)
{
    cy_buf_zeros(out, (align - out->size % align) % align);
}

static uint32_t here(const struct writer *writer)
{
    assert(writer->file.size <= UINT32_MAX && "an ELF32 file is smaller than 4 GiB");
    return (uint32_t)writer->file.size;
}

/* A string table with every name once. */
struct strings {
    struct cy_strmap map;
    CY_VEC(uint32_t) offsets; /* by id */
    struct cy_buf bytes;
};

static uint32_t add_string(struct strings *strings, const char *text)
{
    size_t length = strlen(text);
    if (strings->bytes.size == 0)
        cy_buf_putc(&strings->bytes, 0);
    if (length == 0)
        return 0;
    uint32_t id = cy_strmap_add(&strings->map, text, length);
    if (id == strings->offsets.count) {
        *cy_vec_push(&strings->offsets) = (uint32_t)strings->bytes.size;
        cy_buf_append(&strings->bytes, text, length + 1);
    }
    return strings->offsets.at[id];
}

static void free_strings(struct strings *strings)
{
    cy_strmap_free(&strings->map);
    cy_vec_free(&strings->offsets);
    cy_buf_free(&strings->bytes);
}

/* ---- order and segments ---- */

static bool is_loaded(const struct cy_object *object, const struct cy_section *section)
{
    return object->type == CY_ET_EXEC && (section->flags & CY_SHF_ALLOC);
}

/* Is it part of a segment?  Thread-local bss is a template that occupies no memory at its address. */
static bool takes_room(const struct cy_object *object, const struct cy_section *section)
{
    return is_loaded(object, section) && section->size > 0 &&
           !(section->type == CY_SHT_NOBITS && (section->flags & SHF_TLS));
}

struct address_key {
    uint32_t address, size, section;
};

/* Empty sections come before the one that starts at their address. */
static int by_address(const void *a, const void *b)
{
    const struct address_key *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    if ((left->size == 0) != (right->size == 0))
        return left->size == 0 ? -1 : 1;
    return (left->section > right->section) - (left->section < right->section);
}

static void order_sections(struct writer *writer)
{
    const struct cy_object *object = writer->object;
    size_t count = object->sections.count;
    CY_VEC(struct address_key) loaded = {0};
    for (uint32_t i = 0; i < count; i++) {
        const struct cy_section *section = &object->sections.at[i];
        assert((section->type == CY_SHT_NOBITS ? section->data.size == 0 : section->data.size == section->size) &&
               "a section's size is that of its contents");
        assert(is_power_of_two(section->align) && "alignments are powers of two");
        if (is_loaded(object, section))
            *cy_vec_push(&loaded) = (struct address_key){section->address, section->size, i};
    }
    if (loaded.count)
        qsort(loaded.at, loaded.count, sizeof(*loaded.at), by_address);
    for (size_t i = 0; i < loaded.count; i++)
        *cy_vec_push(&writer->order) = loaded.at[i].section;
    for (uint32_t i = 0; i < count; i++)
        if (!is_loaded(object, &object->sections.at[i]))
            *cy_vec_push(&writer->order) = i;
    writer->numbers = cy_xrealloc(NULL, (count + 1) * sizeof(*writer->numbers));
    for (uint32_t i = 0; i < count; i++)
        writer->numbers[writer->order.at[i]] = i + 1;
    cy_vec_free(&loaded);
}

static uint32_t segment_flags(const struct cy_section *section)
{
    return PF_R | (section->flags & CY_SHF_WRITE ? PF_W : 0u) | (section->flags & CY_SHF_EXECINSTR ? PF_X : 0u);
}

/* Can the section extend the segment?  A gap of less than a page costs less than a new segment, and keeps offset and
 * address in step, because contents are placed at the next offset congruent to their address. */
static bool continues(const struct segment *segment, const struct cy_section *section)
{
    uint64_t end = (uint64_t)segment->address + segment->memory_size;
    return segment->flags == segment_flags(section) && section->address >= end && section->address - end < PAGE &&
           (section->type == CY_SHT_NOBITS || segment->file_size == segment->memory_size);
}

static void plan_segments(struct writer *writer)
{
    for (uint32_t i = 0; i < writer->order.count; i++) {
        const struct cy_section *section = &writer->object->sections.at[writer->order.at[i]];
        bool is_nobits = section->type == CY_SHT_NOBITS;
        if (!takes_room(writer->object, section))
            continue;
        assert((uint64_t)section->address + section->size <= UINT64_C(1) << 32 && "sections end below 4 GiB");
        struct segment *last = writer->segments.count ? &writer->segments.at[writer->segments.count - 1] : NULL;
        if (!last || !continues(last, section)) {
            last = cy_vec_push(&writer->segments);
            *last = (struct segment){.first = i, .flags = segment_flags(section), .address = section->address};
        }
        last->last = i;
        last->memory_size = section->address - last->address + section->size;
        if (!is_nobits)
            last->file_size = last->memory_size;
    }
}

/* ---- contents ---- */

static struct shdr *add_header(struct writer *writer, const char *name, uint32_t type, uint32_t flags)
{
    struct shdr *header = cy_vec_push(&writer->headers);
    *header = (struct shdr){.name = (uint32_t)writer->section_names.size, .type = type, .flags = flags, .align = 1};
    cy_buf_append(&writer->section_names, name, strlen(name) + 1);
    return header;
}

static void write_contents(struct writer *writer)
{
    for (uint32_t i = 0; i < writer->order.count; i++) {
        const struct cy_section *section = &writer->object->sections.at[writer->order.at[i]];
        if (takes_room(writer->object, section))
            cy_buf_zeros(&writer->file, (section->address - writer->file.size) % PAGE);
        else if (section->type != CY_SHT_NOBITS)
            pad_to(&writer->file, section->align < PAGE ? section->align : PAGE);
        struct shdr *header = add_header(writer, section->name, section->type, section->flags);
        header->address = section->address;
        header->offset = here(writer);
        header->size = section->size;
        header->align = section->align;
        header->entry_size = section->entry_size;
        cy_buf_append(&writer->file, section->data.data, section->data.size);
    }
    for (size_t i = 0; i < writer->segments.count; i++) {
        struct segment *segment = &writer->segments.at[i];
        const struct shdr *headers = &writer->headers.at[1]; /* the first one is empty */
        segment->offset = headers[segment->first].offset;
        assert((segment->file_size == 0 || headers[segment->last].type == CY_SHT_NOBITS ||
                headers[segment->last].offset - segment->offset == headers[segment->last].address - segment->address) &&
               "offsets and addresses go in step inside a segment");
    }
}

static uint32_t reloc_symbol(const struct writer *writer, const struct cy_reloc *reloc)
{
    if (reloc->symbol == CY_NO_SYMBOL)
        return 0;
    assert(reloc->symbol < writer->object->symbols.count && "a relocation's symbol exists");
    return writer->symbol_numbers[reloc->symbol];
}

static void write_relocs(struct writer *writer, uint32_t symbol_table)
{
    for (uint32_t i = 0; i < writer->order.count; i++) {
        const struct cy_section *section = &writer->object->sections.at[writer->order.at[i]];
        if (section->relocs.count == 0)
            continue;
        struct cy_buf name = {0};
        cy_buf_printf(&name, ".rela%s", section->name);
        pad_to(&writer->file, 4);
        struct shdr *header = add_header(writer, name.data, CY_SHT_RELA, SHF_INFO_LINK);
        cy_buf_free(&name);
        header->offset = here(writer);
        header->link = symbol_table;
        header->info = i + 1;
        header->align = 4;
        header->entry_size = RELA_SIZE;
        uint32_t base = writer->object->type == CY_ET_EXEC ? section->address : 0;
        for (size_t j = 0; j < section->relocs.count; j++) {
            const struct cy_reloc *reloc = &section->relocs.at[j];
            assert(reloc->type <= 0xff && "ELF32 relocation types have 8 bits");
            put32(&writer->file, reloc->offset + base);
            put32(&writer->file, reloc_symbol(writer, reloc) << 8 | reloc->type);
            put32(&writer->file, (uint32_t)reloc->addend);
        }
        header->size = here(writer) - header->offset;
    }
}

/* ---- symbols ---- */

/* Numbers the symbols, locals first; returns the number of the first global one. */
static uint32_t number_symbols(struct writer *writer)
{
    size_t count = writer->object->symbols.count;
    assert(count < (1u << 24) && "ELF32 relocations name symbols with 24 bits");
    writer->symbol_numbers = cy_xrealloc(NULL, (count + 1) * sizeof(*writer->symbol_numbers));
    uint32_t next = 1, first_global = 1;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < count; i++)
            if ((writer->object->symbols.at[i].binding != CY_STB_LOCAL) == pass)
                writer->symbol_numbers[i] = next++;
        if (pass == 0)
            first_global = next;
    }
    return first_global;
}

static void put_symbol(struct writer *writer, const struct cy_symbol *symbol, struct strings *strings)
{
    uint32_t section = symbol->section;
    if (section != CY_SHN_UNDEF && section != CY_SHN_ABS && section != CY_SHN_COMMON) {
        assert(section <= writer->object->sections.count && "a symbol's section exists");
        section = writer->numbers[section - 1];
    }
    bool has_name = symbol->name && symbol->type != CY_STT_SECTION;
    put32(&writer->file, has_name ? add_string(strings, symbol->name) : add_string(strings, ""));
    put32(&writer->file, symbol->value);
    put32(&writer->file, symbol->size);
    cy_buf_putc(&writer->file, (char)(symbol->binding << 4 | (symbol->type & 15)));
    cy_buf_putc(&writer->file, (char)(symbol->visibility & 3));
    put16(&writer->file, section);
}

static void write_symbols(struct writer *writer, uint32_t first_global)
{
    pad_to(&writer->file, 4);
    struct shdr *header = add_header(writer, ".symtab", CY_SHT_SYMTAB, 0);
    header->offset = here(writer);
    header->link = (uint32_t)writer->headers.count; /* .strtab comes next */
    header->info = first_global;
    header->align = 4;
    header->entry_size = SYM_SIZE;

    struct strings strings = {0};
    add_string(&strings, "");
    cy_buf_zeros(&writer->file, SYM_SIZE);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < writer->object->symbols.count; i++)
            if ((writer->object->symbols.at[i].binding != CY_STB_LOCAL) == pass)
                put_symbol(writer, &writer->object->symbols.at[i], &strings);
    header->size = here(writer) - header->offset;

    header = add_header(writer, ".strtab", CY_SHT_STRTAB, 0);
    header->offset = here(writer);
    header->size = (uint32_t)strings.bytes.size;
    cy_buf_append(&writer->file, strings.bytes.data, strings.bytes.size);
    free_strings(&strings);
}

/* ---- headers ---- */

static void write_section_headers(struct writer *writer)
{
    struct shdr *names = add_header(writer, ".shstrtab", CY_SHT_STRTAB, 0);
    names->offset = here(writer);
    names->size = (uint32_t)writer->section_names.size;
    cy_buf_append(&writer->file, writer->section_names.data, writer->section_names.size);
    pad_to(&writer->file, 4);
    for (size_t i = 0; i < writer->headers.count; i++) {
        const struct shdr *header = &writer->headers.at[i];
        put32(&writer->file, header->name);
        put32(&writer->file, header->type);
        put32(&writer->file, header->flags);
        put32(&writer->file, header->address);
        put32(&writer->file, header->offset);
        put32(&writer->file, header->size);
        put32(&writer->file, header->link);
        put32(&writer->file, header->info);
        put32(&writer->file, header->align);
        put32(&writer->file, header->entry_size);
    }
}

/* The ELF header and the program headers, into the space reserved at the start. */
static void write_file_headers(struct writer *writer, uint32_t section_offset)
{
    const struct cy_object *object = writer->object;
    static const char identification[16] = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB, EV_CURRENT};
    uint32_t segments = (uint32_t)writer->segments.count;
    struct cy_buf out = {0};
    cy_buf_append(&out, identification, sizeof(identification));
    put16(&out, object->type);
    put16(&out, object->machine);
    put32(&out, EV_CURRENT);
    put32(&out, object->entry);
    put32(&out, segments ? EHDR_SIZE : 0);
    put32(&out, section_offset);
    put32(&out, object->flags);
    put16(&out, EHDR_SIZE);
    put16(&out, segments ? PHDR_SIZE : 0);
    put16(&out, segments);
    put16(&out, SHDR_SIZE);
    assert(writer->headers.count < SHN_LORESERVE && "section numbers are below SHN_LORESERVE");
    put16(&out, (uint32_t)writer->headers.count);
    put16(&out, (uint32_t)writer->headers.count - 1);
    for (uint32_t i = 0; i < segments; i++) {
        const struct segment *segment = &writer->segments.at[i];
        put32(&out, PT_LOAD);
        put32(&out, segment->offset);
        put32(&out, segment->address);
        put32(&out, segment->address);
        put32(&out, segment->file_size);
        put32(&out, segment->memory_size);
        put32(&out, segment->flags);
        put32(&out, PAGE);
    }
    memcpy(writer->file.data, out.data, out.size);
    cy_buf_free(&out);
}

void cy_object_write(const struct cy_object *object, struct cy_buf *out)
{
    assert((object->type == CY_ET_REL || object->type == CY_ET_EXEC) && "the object says what it is");
    struct writer writer = {.object = object};
    order_sections(&writer);
    plan_segments(&writer);
    uint32_t first_global = number_symbols(&writer);
    size_t reloc_sections = 0, relocs = 0;
    for (size_t i = 0; i < object->sections.count; i++) {
        relocs += object->sections.at[i].relocs.count;
        reloc_sections += object->sections.at[i].relocs.count > 0;
    }

    cy_buf_zeros(&writer.file, EHDR_SIZE + writer.segments.count * PHDR_SIZE);
    add_header(&writer, "", SHT_NULL, 0)->align = 0;
    write_contents(&writer);
    write_relocs(&writer, (uint32_t)(object->sections.count + reloc_sections + 1));
    if (object->symbols.count || relocs)
        write_symbols(&writer, first_global);
    write_section_headers(&writer);
    write_file_headers(&writer, (uint32_t)(writer.file.size - writer.headers.count * SHDR_SIZE));

    cy_buf_append(out, writer.file.data, writer.file.size);
    cy_buf_free(&writer.file);
    cy_buf_free(&writer.section_names);
    cy_vec_free(&writer.order);
    cy_vec_free(&writer.segments);
    cy_vec_free(&writer.headers);
    cy_free(writer.numbers);
    cy_free(writer.symbol_numbers);
}
