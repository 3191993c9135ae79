#include "as/as_priv.h"

#include <string.h>

enum {
    SHT_INIT_ARRAY = 14,
    SHT_FINI_ARRAY = 15,
    SHT_PREINIT_ARRAY = 16,
    SHF_LINK_ORDER = 0x80,
    SHF_TLS = 0x400,
    SHF_GNU_RETAIN = 0x200000,
};
#define SHF_EXCLUDE 0x80000000u

/* ---- sections ---- */

/* The defaults of a name without flags: the first row whose name it is, or with which it starts before a '.'. */
static const struct usual {
    const char *name;
    uint32_t type, flags;
} usual_sections[] = {
    {".text", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR},
    {".init", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR},
    {".fini", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR},
    {".data", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_WRITE},
    {".sdata", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_WRITE},
    {".rodata", CY_SHT_PROGBITS, CY_SHF_ALLOC},
    {".srodata", CY_SHT_PROGBITS, CY_SHF_ALLOC},
    {".bss", CY_SHT_NOBITS, CY_SHF_ALLOC | CY_SHF_WRITE},
    {".sbss", CY_SHT_NOBITS, CY_SHF_ALLOC | CY_SHF_WRITE},
    {".init_array", SHT_INIT_ARRAY, CY_SHF_ALLOC | CY_SHF_WRITE},
    {".fini_array", SHT_FINI_ARRAY, CY_SHF_ALLOC | CY_SHF_WRITE},
    {".preinit_array", SHT_PREINIT_ARRAY, CY_SHF_ALLOC | CY_SHF_WRITE},
    {".note", CY_SHT_NOTE, 0},
    {".ventus.resource", CY_SHT_PROGBITS, CY_SHF_WRITE},
};

static void usual_properties(const char *name, size_t length, uint32_t *type, uint32_t *flags)
{
    *type = CY_SHT_PROGBITS;
    *flags = 0;
    if (length == 15 && memcmp(name, ".note.GNU-stack", 15) == 0)
        return;
    for (size_t i = 0; i < CY_COUNT(usual_sections); i++) {
        size_t known = strlen(usual_sections[i].name);
        if (length >= known && memcmp(name, usual_sections[i].name, known) == 0 &&
            (length == known || name[known] == '.')) {
            *type = usual_sections[i].type;
            *flags = usual_sections[i].flags;
            return;
        }
    }
}

static struct as_section *new_section(struct as *as, const char *name, uint32_t type, uint32_t flags)
{
    struct as_section *section = CY_NEW(&as->arena, struct as_section);
    section->name = name;
    section->type = type;
    section->flags = flags;
    section->align = 1;
    section->index = (uint32_t)as->sections.count;
    section->symbol = as_new_symbol(as, NULL);
    section->symbol->kind = AS_LABEL;
    section->symbol->section = section;
    section->symbol->is_section = true;
    section->symbol->type = CY_STT_SECTION;
    *cy_vec_push(&as->sections) = section;
    return section;
}

static struct as_section *find_section(struct as *as, const char *name, size_t length, uint32_t unique, uint32_t type,
                                       uint32_t flags)
{
    struct as_name *entry = as_find_name(as, name, length);
    struct as_section **link = &entry->section;
    for (struct as_section *section = entry->section; section; section = section->next) {
        if (section->unique == unique)
            return section;
        link = &section->next;
    }
    if (as->sections.count >= AS_MAX_SECTIONS)
        return NULL;
    struct as_section *section = new_section(as, as->strings.strings.at[entry - as->names.at].text, type, flags);
    section->unique = unique;
    *link = section;
    return section;
}

struct as_section *as_get_section(struct as *as, const char *name, size_t length, uint32_t type, uint32_t flags)
{
    if (!type)
        usual_properties(name, length, &type, &flags);
    return find_section(as, name, length, 0, type, flags);
}

void as_switch_section(struct as *as, struct as_section *section)
{
    as->previous = as->section;
    as->section = section;
}

/* ---- contents ---- */

static void too_large(struct as *as)
{
    if (!as->ended)
        as_fail(as, as->start, 1, "the sections are larger than %llu bytes in total",
                (unsigned long long)as->max_output);
    as->ended = true; /* whatever follows only makes it larger */
}

static void note_mapping(struct as_section *section, bool is_data)
{
    if (section->mappings.count && section->mappings.at[section->mappings.count - 1].is_data == is_data)
        return;
    *cy_vec_push(&section->mappings) = (struct as_mapping){.offset = as_here(section), .is_data = is_data};
}

uint8_t *as_emit(struct as *as, uint32_t size, bool is_data)
{
    struct as_section *section = as->section;
    if (is_data && section->prefix.active) {
        as_no_prefix_pending(as);
        return NULL;
    }
    if (section->type == CY_SHT_NOBITS) {
        as_fail(as, as->start, 1, "section %s cannot hold anything but zeros", section->name);
        return NULL;
    }
    as->output += size;
    if (as->output > as->max_output) {
        too_large(as);
        return NULL;
    }
    if (section->flags & CY_SHF_EXECINSTR)
        note_mapping(section, is_data);
    struct cy_buf *data = &section->data;
    if (data->capacity - data->size <= size)
        cy_buf_reserve(data, size);
    uint8_t *place = (uint8_t *)data->data + data->size;
    data->size += size;
    return place;
}

bool as_emit_fill(struct as *as, uint64_t count, uint64_t size, uint64_t pattern, const char *at, size_t length)
{
    struct as_section *section = as->section;
    if (count == 0 || size == 0)
        return true;
    if (section->type == CY_SHT_NOBITS) {
        if (pattern)
            return as_fail(as, at, length, "section %s cannot hold anything but zeros", section->name);
        if (count > UINT32_MAX / size || section->size + count * size > INT32_MAX)
            return as_fail(as, at, length, "section %s is larger than 2 GiB", section->name);
        section->size += (uint32_t)(count * size);
        return true;
    }
    if (count > as->max_output || count * size > as->max_output - as->output)
        return as_fail(as, at, length, "the sections would be larger than %llu bytes in total",
                       (unsigned long long)as->max_output);
    uint8_t *place = as_emit(as, (uint32_t)(count * size), true);
    if (!place)
        return false;
    if (!pattern) {
        memset(place, 0, count * size);
        return true;
    }
    for (uint64_t i = 0; i < count; i++)
        for (uint64_t j = 0; j < size; j++)
            *place++ = (uint8_t)(pattern >> (8 * j));
    return true;
}

/* Fixups arrive in ascending order of offset, except for a .reloc to an earlier or later place. */
void as_add_fixup(struct as *as, const struct as_fixup *fixup)
{
    struct as_section *section = as->section;
    size_t count = section->fixups.count;
    section->unsorted |= count > 0 && section->fixups.at[count - 1].offset > fixup->offset;
    struct as_fixup *added = cy_vec_push(&section->fixups);
    *added = *fixup;
    added->ordinal = (uint32_t)count;
}

/* ---- alignment, .org ---- */

/* Executable padding: no-operations (0 is one of EpicGPU's). */
static void fill_with_code(struct as *as, uint8_t *place, uint32_t size)
{
    uint32_t nop = as->is_epic ? 0 : 0x00000013;
    memset(place, 0, size % 4);
    for (place += size % 4, size -= size % 4; size; place += 4, size -= 4)
        memcpy(place, &nop, 4);
}

bool as_align(struct as *as, uint32_t align, const int64_t *fill, uint32_t fill_size, uint64_t max_skip)
{
    struct as_section *section = as->section;
    if (!as_no_prefix_pending(as))
        return false;
    uint32_t padding = (0u - as_here(section)) & (align - 1);
    if (padding > max_skip)
        return true;
    if (section->align < align)
        section->align = align;
    if (padding == 0)
        return true;
    if (fill && *fill)
        return as_emit_fill(as, padding % fill_size, 1, 0, as->start, 1) &&
               as_emit_fill(as, padding / fill_size, fill_size, (uint64_t)*fill, as->start, 1);
    if (section->type == CY_SHT_NOBITS || fill || !(section->flags & CY_SHF_EXECINSTR))
        return as_emit_fill(as, padding, 1, 0, as->start, 1);
    uint8_t *place = as_emit(as, padding, padding % 4 != 0);
    if (place)
        fill_with_code(as, place, padding);
    return place != NULL;
}

/* .align, .p2align LOG2 [, fill [, max]]; .balign BYTES ...   `how`: 0x10 for bytes, + size of the fill value */
bool as_dir_align(struct as *as, int how)
{
    bool in_bytes = (how & 0x10) != 0;
    int64_t align = 2, fill = 0, max_skip = INT64_MAX;
    bool has_fill = false;
    as_skip_blank(as);
    const char *at = as->p;
    if (as_at_end(as)) {
        if (in_bytes)
            return as_expected(as, "an alignment in bytes");
    } else if (!as_absolute_in(as, 0, in_bytes ? 1 << AS_MAX_ALIGN_LOG2 : AS_MAX_ALIGN_LOG2,
                               in_bytes ? "the alignment" : "the power of two to align to", &align)) {
        return false;
    }
    if (in_bytes && align == 0)
        align = 1;
    if (in_bytes && (align & (align - 1)))
        return as_fail(as, at, (size_t)(as->p - at), "the alignment must be a power of two");
    if (as_accept(as, ',')) {
        as_skip_blank(as);
        if (*as->p != ',' && !as_at_end(as)) {
            has_fill = true;
            if (!as_absolute(as, &fill))
                return false;
        }
        if (as_accept(as, ',') && !as_absolute_in(as, 0, INT32_MAX, "the largest padding", &max_skip))
            return false;
    }
    return as_expect_end(as) && as_align(as, in_bytes ? (uint32_t)align : 1u << align, has_fill ? &fill : NULL,
                                         (uint32_t)(how & 0xf), (uint64_t)max_skip);
}

/* .org position [, fill]: an offset in this section, or an expression of its labels */
bool as_dir_org(struct as *as, int unused)
{
    (void)unused;
    struct as_value value;
    int64_t target, fill = 0;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_expression(as, &value))
        return false;
    size_t length = (size_t)(as->p - at);
    if (value.plus && !value.minus)
        value.minus = as->section->symbol;
    if (!as_simplify(as, &value) || !as_soon(as, &value, at, length, &target))
        return false;
    if (as_accept(as, ',') && !as_absolute(as, &fill))
        return false;
    int64_t here = as_here(as->section);
    if (target < here && !as_is_constant(&value))
        target = here; /* not known yet in this pass */
    if (target < here)
        return as_fail(as, at, length, ".org would move backwards from %lld to %lld", (long long)here,
                       (long long)target);
    return as_expect_end(as) && as_emit_fill(as, (uint64_t)(target - here), 1, (uint8_t)fill, at, length);
}

/* ---- directives ---- */

struct section_request {
    struct as_text name;
    uint32_t type, flags, entry_size, unique;
    bool has_flags, has_type;
};

static bool section_name(struct as *as, struct as_text *name)
{
    as_skip_blank(as);
    if (*as->p == '"')
        return as_name_text(as, "the name of a section", name);
    const char *start = as->p;
    while (!as_is(*as->p, AS_C_BLANK | AS_C_END) && *as->p != ',' && *as->p != '"')
        as->p++;
    *name = (struct as_text){start, (uint32_t)(as->p - start)};
    return name->length > 0 || as_expected(as, "the name of a section");
}

static bool section_flags(struct as *as, struct section_request *request, bool *has_group, bool *has_link)
{
    const char *at = as->p + 1;
    struct cy_buf letters = {0};
    bool ok = as_string(as, &letters);
    request->has_flags = true;
    for (size_t i = 0; ok && i < letters.size; i++) {
        switch (letters.data[i]) {
        case 'a': request->flags |= CY_SHF_ALLOC; break;
        case 'w': request->flags |= CY_SHF_WRITE; break;
        case 'x': request->flags |= CY_SHF_EXECINSTR; break;
        case 'M': request->flags |= CY_SHF_MERGE; break;
        case 'S': request->flags |= CY_SHF_STRINGS; break;
        case 'T': request->flags |= SHF_TLS; break;
        case 'e': request->flags |= SHF_EXCLUDE; break;
        case 'R': request->flags |= SHF_GNU_RETAIN; break;
        case 'G': *has_group = true; break;
        case 'o': *has_link = true; break;
        case '?': break;
        default:
            ok = as_fail(as, at + i, 1, "unknown section flag '%c'; expected a, w, x, M, S, G, T, o, R or e",
                         letters.data[i]);
        }
    }
    cy_buf_free(&letters);
    return ok;
}

static bool section_type(struct as *as, struct section_request *request)
{
    static const struct {
        const char *name;
        uint32_t type;
    } types[] = {
        {"progbits", CY_SHT_PROGBITS},  {"nobits", CY_SHT_NOBITS},        {"note", CY_SHT_NOTE},
        {"init_array", SHT_INIT_ARRAY}, {"fini_array", SHT_FINI_ARRAY},   {"preinit_array", SHT_PREINIT_ARRAY},
        {"unwind", CY_SHT_PROGBITS},    {"llvm_odrtab", CY_SHT_PROGBITS},
    };
    as_skip_blank(as);
    const char *at = as->p;
    if (*at == '@' || *at == '%')
        as->p++;
    int64_t number;
    if (as_is(*as->p, AS_C_DIGIT)) {
        if (!as_integer(as, &number) || number < 1 || number > UINT32_MAX)
            return as_fail(as, at, (size_t)(as->p - at), "this is not a section type");
        request->type = (uint32_t)number;
        request->has_type = true;
        return true;
    }
    struct as_text name;
    if (!as_name_text(as, "a section type such as @progbits", &name))
        return false;
    for (size_t i = 0; i < CY_COUNT(types); i++)
        if (as_text_is(name, types[i].name)) {
            request->type = types[i].type;
            request->has_type = true;
            return true;
        }
    return as_fail(as, at, (size_t)(as->p - at), "unknown section type '%.*s'; expected @progbits, @nobits or @note",
                   (int)name.length, name.text);
}

/* The optional parts after the type: entry size, group, linked section, "unique, N". */
static bool section_rest(struct as *as, struct section_request *request, bool has_group, bool has_link)
{
    int64_t number;
    struct as_text word;
    if (request->flags & CY_SHF_MERGE) {
        if (!as_comma(as) || !as_absolute_in(as, 1, 1 << 20, "the entry size", &number))
            return false;
        request->entry_size = (uint32_t)number;
    }
    if (has_group && (!as_comma(as) || !as_name_text(as, "the name of a group", &word)))
        return false;
    if (has_link && (!as_comma(as) || !as_name_text(as, "the section it belongs to", &word)))
        return false;
    while (as_accept(as, ',')) {
        as_skip_blank(as);
        const char *at = as->p;
        word = as_word(as);
        if (as_text_is(word, "comdat"))
            continue;
        if (!as_text_is(word, "unique"))
            return as_fail(as, at, word.length ? word.length : 1, "expected 'comdat' or 'unique'");
        if (!as_comma(as) || !as_absolute_in(as, 0, UINT32_MAX - 1, "the number of the section", &number))
            return false;
        request->unique = (uint32_t)number + 1;
    }
    return true;
}

static bool section_arguments(struct as *as, struct section_request *request)
{
    bool has_group = false, has_link = false;
    if (!section_name(as, &request->name))
        return false;
    if (as_accept(as, ',')) {
        as_skip_blank(as);
        if (*as->p == '"') {
            if (!section_flags(as, request, &has_group, &has_link))
                return false;
            if (as_accept(as, ',') && (!section_type(as, request) || !section_rest(as, request, has_group, has_link)))
                return false;
        } else if (!section_type(as, request)) {
            return false;
        }
    }
    return as_expect_end(as);
}

/* .section name [, "flags" [, @type [, entry size] [, group] [, comdat] [, unique, N]]]   .pushsection */
bool as_dir_section(struct as *as, int push)
{
    struct section_request request = {0};
    as_skip_blank(as);
    const char *at = as->p;
    if (!section_arguments(as, &request))
        return false;
    uint32_t type, flags;
    usual_properties(request.name.text, request.name.length, &type, &flags);
    if (request.has_flags)
        flags = request.flags;
    if (request.has_type)
        type = request.type;
    struct as_section *section = find_section(as, request.name.text, request.name.length, request.unique, type, flags);
    if (!section)
        return as_fail(as, at, request.name.length, "there are more than %d sections", AS_MAX_SECTIONS);
    if (section->declared &&
        ((request.has_flags && section->flags != flags) || (request.has_type && section->type != type)))
        return as_fail(as, at, request.name.length, "section %s was declared with other flags or another type",
                       section->name);
    if (!section->declared && as_here(section) == 0) {
        section->flags = flags;
        section->type = type;
    }
    section->declared = true;
    if (request.entry_size)
        section->entry_size = request.entry_size;
    if (push) {
        if (as->section_stack.count >= 2 * AS_MAX_NESTING)
            return as_fail(as, at, request.name.length, "more than %d sections are pushed", AS_MAX_NESTING);
        *cy_vec_push(&as->section_stack) = as->section;
        *cy_vec_push(&as->section_stack) = as->previous;
    }
    as_switch_section(as, section);
    return true;
}

/* .text .data .rodata .bss, each with an optional subsection number */
bool as_dir_usual_section(struct as *as, int which)
{
    static const char *const names[] = {".text", ".data", ".rodata", ".bss"};
    if (!as_at_end(as) && !as_dir_subsection(as, 0))
        return false;
    struct as_section *section = as_get_section(as, names[which], strlen(names[which]), 0, 0);
    section->declared = true;
    as_switch_section(as, section);
    return as_expect_end(as);
}

bool as_dir_popsection(struct as *as, int unused)
{
    (void)unused;
    if (as->section_stack.count == 0)
        return as_fail(as, as->start, (size_t)(as->p - as->start), ".popsection without .pushsection");
    as->section_stack.count -= 2;
    as->section = as->section_stack.at[as->section_stack.count];
    as->previous = as->section_stack.at[as->section_stack.count + 1];
    return as_expect_end(as);
}

bool as_dir_previous(struct as *as, int unused)
{
    (void)unused;
    if (!as->previous)
        return as_fail(as, as->start, (size_t)(as->p - as->start), ".previous, but there was no other section");
    as_switch_section(as, as->previous);
    return as_expect_end(as);
}

bool as_dir_subsection(struct as *as, int unused)
{
    (void)unused;
    int64_t number;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_absolute(as, &number))
        return false;
    if (number != 0)
        return as_fail(as, at, (size_t)(as->p - at), "only subsection 0 is supported");
    return as_expect_end(as);
}
