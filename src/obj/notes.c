#include "obj/notes.h"

#include "base/sha256.h"
#include "obj/obj_priv.h"

#include <string.h>

enum { HEADER_SIZE = 12, OWNER_SIZE = sizeof(CY_NOTE_OWNER), OWNER_ROOM = (OWNER_SIZE + 3) & ~3 };

/* ---- writing ---- */

void cy_note_add(struct cy_object *object, enum cy_note_type type, const void *bytes, size_t size)
{
    struct cy_section *section = cy_object_find_section(object, CY_NOTE_SECTION);
    if (!section) {
        section = cy_object_add_section(object, CY_NOTE_SECTION, CY_SHT_NOTE, 0);
        section->align = 4;
    }
    struct cy_buf *out = &section->data;
    cy_pack(out, OWNER_SIZE);
    cy_pack(out, size);
    cy_pack(out, type);
    cy_buf_append(out, CY_NOTE_OWNER, OWNER_SIZE);
    cy_buf_zeros(out, OWNER_ROOM - OWNER_SIZE);
    if (size)
        cy_buf_append(out, bytes, size);
    cy_buf_zeros(out, (4 - size % 4) % 4);
    section->size = (uint32_t)out->size;
}

void cy_note_add_text(struct cy_object *object, enum cy_note_type type, const char *text)
{
    cy_note_add(object, type, text, strlen(text) + 1);
}

static void add_packed(struct cy_object *object, enum cy_note_type type, struct cy_buf *bytes)
{
    cy_note_add(object, type, bytes->data, bytes->size);
    cy_buf_free(bytes);
}

void cy_note_add_program(struct cy_object *object, enum cy_program_kind kind, bool uniform_groups)
{
    struct cy_buf bytes = {0};
    cy_pack(&bytes, CY_NOTE_VERSION);
    cy_pack(&bytes, kind);
    cy_pack(&bytes, uniform_groups);
    add_packed(object, CY_NOTE_PROGRAM, &bytes);
}

void cy_note_add_kernel(struct cy_object *object, const struct cy_kernel_info *kernel)
{
    struct cy_buf bytes = {0};
    cy_pack(&bytes, CY_NOTE_VERSION);
    cy_facts_pack(kernel, &bytes);
    add_packed(object, CY_NOTE_KERNEL, &bytes);
}

void cy_note_add_checksum(struct cy_object *object)
{
    cy_note_add(object, CY_NOTE_CHECKSUM, &(struct cy_digest){0}, sizeof(struct cy_digest));
}

/* ---- reading ---- */

/* Parses the note at `*at` of a section's bytes and advances `*at`; false: no more.  `*bytes` is NULL if it has another
 * owner. */
static bool parse_note(const uint8_t *data, size_t size, size_t *at, uint32_t *type, const uint8_t **bytes,
                       uint32_t *count)
{
    if (size - *at < HEADER_SIZE)
        return false;
    const uint8_t *header = data + *at;
    uint64_t owner = load32(header), room = (owner + 3) & ~3ull;
    *count = load32(header + 4);
    *type = load32(header + 8);
    if (HEADER_SIZE + room + *count > size - *at)
        return false;
    bool is_ours = owner == OWNER_SIZE && !memcmp(header + HEADER_SIZE, CY_NOTE_OWNER, OWNER_SIZE);
    *bytes = is_ours ? header + HEADER_SIZE + room : NULL;
    uint64_t next = *at + HEADER_SIZE + room + (((uint64_t)*count + 3) & ~3ull);
    *at = next < size ? (size_t)next : size;
    return true;
}

bool cy_note_next(const struct cy_object *object, struct cy_note *note)
{
    for (; note->section < object->sections.count; note->section++, note->at = 0) {
        const struct cy_section *section = &object->sections.at[note->section];
        const uint8_t *bytes;
        uint32_t count;
        if (section->type != CY_SHT_NOTE)
            continue;
        while (
            parse_note((const uint8_t *)section->data.data, section->data.size, &note->at, &note->type, &bytes, &count))
            if (bytes) {
                note->bytes = (struct cy_unpack){bytes, bytes + count, false};
                return true;
            }
    }
    return false;
}

bool cy_note_find(const struct cy_object *object, enum cy_note_type type, struct cy_note *note)
{
    *note = (struct cy_note){0};
    while (cy_note_next(object, note))
        if (note->type == type)
            return true;
    return false;
}

bool cy_note_read_program(const struct cy_object *object, struct cy_program_note *program)
{
    struct cy_note note;
    *program = (struct cy_program_note){0};
    if (!cy_note_find(object, CY_NOTE_PROGRAM, &note))
        return false;
    program->version = cy_unpack(&note.bytes);
    if (note.bytes.failed || program->version != CY_NOTE_VERSION)
        return !note.bytes.failed;
    program->kind = (enum cy_program_kind)cy_unpack_at_most(&note.bytes, CY_PROGRAM_LIBRARY);
    program->uniform_groups = cy_unpack_bool(&note.bytes);
    return !note.bytes.failed && note.bytes.at == note.bytes.end && program->kind;
}

/* ---- facts of kernels ---- */

/* Far more than a kernel can use, far too small to overflow a sum. */
enum { MOST_ARGUMENT_BYTES = 1 << 20, MOST_ARGUMENT_ALIGN = 4096, LEAST_ARGUMENT_BYTES = 30 /* as packed */ };

/* At most one kind of object, with access rights where they belong. */
static bool is_sound_kind(uint32_t qualifiers)
{
    uint32_t kind = qualifiers & (CY_TYPE_PIPE | CY_TYPE_SAMPLER | CY_TYPE_IMAGE);
    uint32_t access = qualifiers & (CY_ACCESS_READ | CY_ACCESS_WRITE), image = qualifiers >> CY_IMAGE_TYPE_SHIFT;
    if (kind & (kind - 1) || (access && !(kind & (CY_TYPE_PIPE | CY_TYPE_IMAGE))))
        return false;
    return kind == CY_TYPE_IMAGE ? access && image <= CY_IMAGE_2D_ARRAY_DEPTH : !image;
}

static bool is_sound_argument(const struct cy_kernel_argument *argument)
{
    if (!is_sound_kind(argument->qualifiers))
        return false;
    if (!is_power_of_two(argument->align) || argument->align > MOST_ARGUMENT_ALIGN ||
        argument->size > MOST_ARGUMENT_BYTES)
        return false;
    if (!argument->is_pointer)
        return argument->address == CY_ADDRESS_PRIVATE; /* an empty structure has size zero */
    return (argument->size == 4 || argument->size == 8) && argument->align == argument->size &&
           argument->address != CY_ADDRESS_PRIVATE;
}

static bool is_sound(const struct cy_kernel_info *kernel)
{
    const uint32_t *size = kernel->reqd_size;
    uint64_t plane = (uint64_t)size[0] * size[1];
    bool given = size[0] || size[1] || size[2];
    bool is_size = plane && size[2] && plane <= UINT32_MAX && plane * size[2] <= UINT32_MAX;
    return *kernel->name && !strchr(kernel->name, ';') && /* CL_PROGRAM_KERNEL_NAMES uses ; as the separator */
           (!given || is_size);
}

/* A kernel's numbers, in the order in which they are packed. */
enum { NUMBERS = 10 };
static void list_numbers(struct cy_kernel_info *kernel, uint32_t *numbers[NUMBERS])
{
    uint32_t *const all[NUMBERS] = {&kernel->reqd_size[0], &kernel->reqd_size[1], &kernel->reqd_size[2],
                                    &kernel->instructions, &kernel->spills,       &kernel->uniform_percent,
                                    &kernel->code_bytes,   &kernel->calls,        &kernel->reqd_sub_group,
                                    &kernel->spill_bytes};
    memcpy(numbers, all, sizeof(all));
}

void cy_facts_pack(const struct cy_kernel_info *kernel, struct cy_buf *out)
{
    struct cy_kernel_info copy = *kernel;
    uint32_t *numbers[NUMBERS];
    list_numbers(&copy, numbers);
    cy_pack_text(out, kernel->name);
    cy_pack_text(out, kernel->attributes);
    for (size_t i = 0; i < NUMBERS; i++)
        cy_pack(out, *numbers[i]);
    cy_pack(out, kernel->observes_workgroup);
    cy_pack(out, kernel->may_spin | kernel->row_dimension << 1);
    cy_pack(out, kernel->uniform_groups);
    cy_pack(out, kernel->argument_count);
    for (size_t i = 0; i < kernel->argument_count; i++) {
        const struct cy_kernel_argument *argument = &kernel->arguments[i];
        cy_pack_text(out, argument->name);
        cy_pack_text(out, argument->type);
        cy_pack(out, argument->address);
        cy_pack(out, argument->qualifiers);
        cy_pack(out, argument->size);
        cy_pack(out, argument->align);
        cy_pack(out, argument->is_pointer);
    }
}

void cy_facts_unpack(struct cy_unpack *in, struct cy_kernel_info *kernel)
{
    uint32_t *numbers[NUMBERS];
    list_numbers(kernel, numbers);
    kernel->name = cy_unpack_text(in);
    kernel->attributes = cy_unpack_text(in);
    for (size_t i = 0; i < NUMBERS; i++)
        *numbers[i] = cy_unpack(in);
    kernel->observes_workgroup = cy_unpack_bool(in);
    const uint32_t how = cy_unpack_at_most(in, 3 << 1 | 1);
    kernel->may_spin = how & 1;
    kernel->row_dimension = how >> 1;
    kernel->uniform_groups = cy_unpack_bool(in);
    kernel->argument_count = cy_unpack_count(in, LEAST_ARGUMENT_BYTES);
    in->failed |= !is_sound(kernel);
    kernel->has_signature = !in->failed;
}

void cy_facts_unpack_arguments(struct cy_unpack *in, struct cy_kernel_info *kernel)
{
    for (size_t i = 0; i < kernel->argument_count; i++) {
        struct cy_kernel_argument *argument = &kernel->arguments[i];
        argument->name = cy_unpack_text(in);
        argument->type = cy_unpack_text(in);
        argument->address = (enum cy_address)cy_unpack_at_most(in, CY_ADDRESS_LOCAL);
        argument->qualifiers = cy_unpack_at_most(in, CY_MOST_QUALIFIERS);
        argument->size = cy_unpack(in);
        argument->align = cy_unpack(in);
        argument->is_pointer = cy_unpack_bool(in);
        in->failed |= !is_sound_argument(argument);
    }
    kernel->has_signature = !in->failed;
}

/* ---- checksums ---- */

/* The offset of the checksum in an unchecked file; 0: none. */
static size_t find_checksum(const uint8_t *file, size_t size)
{
    if (!cy_object_is_elf(file, size) || size < EHDR_SIZE)
        return 0;
    uint64_t table = load32(file + 32), count = load16(file + 48);
    if (load16(file + 46) != SHDR_SIZE || table + count * SHDR_SIZE > size)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *header = file + table + i * SHDR_SIZE, *bytes;
        uint64_t offset = load32(header + 16), length = load32(header + 20);
        uint32_t type, bytes_count;
        if (load32(header + 4) != CY_SHT_NOTE || offset + length > size)
            continue;
        for (size_t at = 0; parse_note(file + offset, (size_t)length, &at, &type, &bytes, &bytes_count);)
            if (bytes && type == CY_NOTE_CHECKSUM && bytes_count == sizeof(struct cy_digest))
                return (size_t)(bytes - file);
    }
    return 0;
}

static struct cy_digest checksum_of(const uint8_t *file, size_t size, size_t at)
{
    static const struct cy_digest zeros;
    struct cy_sha256 sha;
    cy_sha256_start(&sha);
    cy_sha256_add(&sha, file, at);
    cy_sha256_add(&sha, &zeros, sizeof(zeros));
    cy_sha256_add(&sha, file + at + sizeof(zeros), size - at - sizeof(zeros));
    return cy_sha256_finish(&sha);
}

bool cy_checksum_set(void *file, size_t size)
{
    size_t at = find_checksum(file, size);
    if (!at)
        return false;
    struct cy_digest digest = checksum_of(file, size, at);
    memcpy((uint8_t *)file + at, &digest, sizeof(digest));
    return true;
}

enum cy_checksum cy_checksum_check(const void *file, size_t size)
{
    size_t at = find_checksum(file, size);
    if (!at)
        return CY_CHECKSUM_NONE;
    struct cy_digest digest = checksum_of(file, size, at);
    return memcmp((const uint8_t *)file + at, &digest, sizeof(digest)) ? CY_CHECKSUM_WRONG : CY_CHECKSUM_RIGHT;
}
