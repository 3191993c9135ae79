/* Writing a recorded launch: the pair, marked where it does not hold everything, and the files next to it. */
#include "abi/abi.h"
#include "gpu/replay/record_priv.h"

#include "base/file.h"
#include "base/toml.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

struct writing {
    const struct cy_record *record;
    const char *folder;
    struct cy_diags *diags;
    struct cy_object *object;
    struct cy_launch *launch; /* imagined */
    const char *marked;       /* why; "": not */
    struct cy_buf files[RECORD_FILES];
    struct cy_arena arena;
    bool ok;
};

/* ---- words ---- */

/* Bytes as lines of eight digits, the last one padded with zeros. */
static void put_words(struct cy_buf *out, const uint8_t *bytes, uint64_t size)
{
    static const char digits[] = "0123456789abcdef";
    cy_buf_reserve(out, (size_t)((size + 3) / 4 * 9));
    for (uint64_t i = 0; i < size; i += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + i, size - i < 4 ? size - i : 4);
        char *at = out->data + out->size;
        for (unsigned d = 0; d < 8; d++)
            at[d] = digits[word >> (28 - 4 * d) & 15];
        at[8] = '\n';
        out->size += 9;
    }
    if (out->data)
        out->data[out->size] = 0;
}

static void put_value(struct cy_buf *out, uint64_t value)
{
    cy_buf_printf(out, "%08" PRIx32 "\n%08" PRIx32 "\n", (uint32_t)value, (uint32_t)(value >> 32));
}

/* Up to the last byte that is not 0, in whole words as far as the memory has them. */
static uint64_t used_bytes(const struct cy_record_memory *memory, const void *bytes, uint64_t size)
{
    const uint8_t *at = bytes;
    const bool is_image = cy_record_find(cy_record_places, memory->place) == CY_RECORD_VARIABLES;
    const uint64_t most = is_image ? memory->size : cy_record_pages(memory->size);
    while (size && !at[size - 1])
        size--;
    size = (size + 3) & ~(uint64_t)3;
    return size < most ? size : most;
}

/* Contents of which there are `there` bytes, as `size` bytes in lines. */
static void put_contents(struct cy_buf *out, const uint8_t *bytes, uint64_t there, uint64_t size)
{
    put_words(out, bytes, size < there ? size : there);
}

/* ---- what the pair cannot hold ---- */

static const char *why_sizes(const struct cy_record *record)
{
    uint64_t items = 1;
    for (unsigned i = 0; i < 3; i++) {
        if (record->offset[i])
            return "global offsets";
        if (record->global[i] % record->local[i])
            return "partial workgroups";
        items *= record->local[i];
    }
    return items % record->machine.threads ? "partial warps" : NULL;
}

static const char *why_marked(const struct cy_record *record, const struct cy_object *object,
                              const struct cy_launch *launch)
{
    if (object->flags & CY_EF_VENTUS_GEN2)
        return "code of generation 2";
    for (size_t i = 0; i < record->memory.count; i++)
        if (record->memory.at[i].address > UINT32_MAX)
            return "memory above 4 GiB";
    const char *why = why_sizes(record);
    if (why)
        return why;
    if (record->print_bytes)
        return "printf";
    if (record->scalar_atomics)
        return "atomics on scalar registers";
    if (record->machine.mask == CY_MASK_LANE)
        return "masks lane by lane";
    if (record->machine.clear_bss)
        return "variables that are cleared";
    if (launch->kernel.has_signature && launch->kernel.may_spin)
        return "work-items that wait for each other";
    return "";
}

/* ---- the pair ---- */

struct piece {
    uint64_t base, size, allocated;
    const uint8_t *bytes; /* `there` of them; the last word ends with zeros */
    uint64_t there;
};
struct pieces {
    CY_VEC(struct piece) of;
};

/* The first address above everything below 4 GiB, where the driver had nothing. */
static uint64_t above(const struct cy_record *record)
{
    uint64_t end = CY_BUFFER_BASE;
    for (size_t i = 0; i < record->memory.count; i++) {
        const struct cy_record_memory *memory = &record->memory.at[i];
        const uint64_t here = memory->address + cy_record_pages(memory->size);
        if (memory->address <= UINT32_MAX && here > end)
            end = here;
    }
    const struct cy_record_range *own[] = {&record->constants, &record->prints, &record->private_memory};
    for (size_t i = 0; i < CY_COUNT(own); i++)
        if (own[i]->address + cy_record_pages(own[i]->size) > end)
            end = own[i]->address + cy_record_pages(own[i]->size);
    return end;
}

/* Metadata and arguments as the first workgroup has them: in this format all have the same local memory. */
static struct piece constants(struct writing *writing, uint64_t address)
{
    const struct cy_launch *launch = writing->launch;
    const size_t size = CY_METADATA_BYTES + launch->arguments.bytes.size;
    uint8_t *bytes = cy_arena_alloc(&writing->arena, size);
    cy_launch_metadata(launch, (uint32_t)address, bytes);
    uint32_t local = CY_LDS_BASE + launch->locals_offset;
    for (size_t i = 0; i < launch->arguments.locals.count; i++) {
        const struct cy_local_argument *argument = &launch->arguments.locals.at[i];
        memcpy(bytes + CY_METADATA_BYTES + argument->offset, &local, sizeof(local));
        local += (argument->size + CY_LDS_GRANULE - 1) & ~(CY_LDS_GRANULE - 1u);
    }
    return (struct piece){address, size, cy_record_pages(size), bytes, size};
}

static bool is_recorded(const struct cy_record *record, uint32_t address)
{
    for (size_t i = 0; i < record->memory.count; i++)
        if (record->memory.at[i].address == address)
            return true;
    return false;
}

/* The order that the reader relies on: metadata, the memory of the TOML file, the rest of the executable. */
static void collect(struct writing *writing, uint64_t address, struct pieces *pieces)
{
    enum { PT_LOAD = 1 };
    const struct cy_record *record = writing->record;
    *cy_vec_push(&pieces->of) = constants(writing, address);
    for (size_t i = 0; i < record->memory.count; i++) {
        const struct cy_record_memory *memory = &record->memory.at[i];
        *cy_vec_push(&pieces->of) =
            (struct piece){memory->address, used_bytes(memory, memory->before, memory->before_bytes),
                           cy_record_pages(memory->size), memory->before, memory->before_bytes};
    }
    for (size_t i = 0; i < writing->object->segments.count; i++) {
        const struct cy_segment *segment = &writing->object->segments.at[i];
        if (segment->type == PT_LOAD && segment->memory_size && !is_recorded(record, segment->address))
            *cy_vec_push(&pieces->of) =
                (struct piece){segment->address, segment->file_size, cy_record_pages(segment->memory_size),
                               segment->data, segment->file_size};
    }
}

static bool put_pair(struct writing *writing)
{
    const struct cy_record *record = writing->record;
    const struct cy_launch *launch = writing->launch;
    const uint64_t free = above(record), knl = record->constants.address ? record->constants.address : free,
                   pds = record->private_memory.address
                             ? record->private_memory.address
                             : free + cy_record_pages(CY_METADATA_BYTES + launch->arguments.bytes.size);
    const uint64_t private_bytes = (uint64_t)launch->warps * record->machine.threads * launch->pds_bytes;
    if (!*writing->marked && (pds + private_bytes) >> 32)
        writing->marked = "memory up to the end of the address space";
    struct pieces pieces = {0};
    collect(writing, knl, &pieces);
    struct cy_buf *metadata = &writing->files[RECORD_METADATA], *data = &writing->files[RECORD_DATA];
    if (*writing->marked) {
        cy_buf_puts(metadata, RECORD_MARK "\n");
        cy_buf_puts(data, RECORD_MARK "\n");
    }
    const uint64_t values[] = {writing->object->entry,
                               0,
                               launch->grid[0],
                               launch->grid[1],
                               launch->grid[2],
                               record->machine.threads,
                               launch->warps,
                               knl,
                               launch->needs.of[CY_RES_LDS],
                               launch->pds_bytes,
                               launch->kernel.sgprs,
                               launch->kernel.vgprs,
                               pds,
                               pieces.of.count | (*writing->marked ? (uint64_t)RECORD_MARKED_COUNT << 32 : 0)};
    for (size_t i = 0; i < CY_COUNT(values); i++)
        put_value(metadata, values[i]);
    for (size_t i = 0; i < pieces.of.count; i++)
        put_value(metadata, pieces.of.at[i].base);
    for (size_t i = 0; i < pieces.of.count; i++)
        put_value(metadata, pieces.of.at[i].size);
    for (size_t i = 0; i < pieces.of.count; i++)
        put_value(metadata, pieces.of.at[i].allocated);
    for (size_t i = 0; i < pieces.of.count; i++)
        put_contents(data, pieces.of.at[i].bytes, pieces.of.at[i].there, pieces.of.at[i].size);
    cy_vec_free(&pieces.of);
    return true;
}

/* ---- launch.toml ---- */

static const char *text_of(const void *member)
{
    const char *const *text = member;
    return *text ? *text : "";
}

static bool is_default(const struct cy_record_field *field, const void *member)
{
    switch (field->type) {
    case RECORD_U32: return !*(const uint32_t *)member;
    case RECORD_U64: return !*(const uint64_t *)member;
    case RECORD_BOOL: return !*(const bool *)member;
    case RECORD_TEXT: return !*text_of(member);
    case RECORD_BYTES: return !((const struct cy_record_bytes *)member)->size;
    case RECORD_TRIPLE: return false;
    }
    return false;
}

static void put_field(struct cy_buf *out, const struct cy_record_field *field, const void *of)
{
    const void *member = (const char *)of + field->offset;
    if (!field->is_required && is_default(field, member))
        return;
    cy_buf_printf(out, "%s = ", field->key);
    static const char *const addresses[] = {"address", "constants", "prints", "private", NULL};
    const bool is_address = cy_record_find(addresses, field->key) >= 0;
    switch (field->type) {
    case RECORD_U32: cy_buf_printf(out, is_address ? "0x%08" PRIx32 : "%" PRIu32, *(const uint32_t *)member); break;
    case RECORD_U64: cy_buf_printf(out, is_address ? "0x%08" PRIx64 : "%" PRIu64, *(const uint64_t *)member); break;
    case RECORD_BOOL: cy_buf_puts(out, *(const bool *)member ? "true" : "false"); break;
    case RECORD_TEXT: cy_toml_put_text(out, text_of(member)); break;
    case RECORD_TRIPLE: {
        const uint64_t *at = member;
        cy_buf_printf(out, "[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", at[0], at[1], at[2]);
        break;
    }
    case RECORD_BYTES: {
        const struct cy_record_bytes *bytes = member;
        cy_buf_putc(out, '"');
        for (size_t i = 0; i < bytes->size; i++)
            cy_buf_printf(out, "%02x", ((const uint8_t *)bytes->data)[i]);
        cy_buf_putc(out, '"');
        break;
    }
    }
    cy_buf_putc(out, '\n');
}

static void put_table(struct cy_buf *out, const char *table, const void *of)
{
    for (size_t i = 0; i < cy_record_field_count; i++)
        if (strcmp(cy_record_fields[i].table, table) == 0)
            put_field(out, &cy_record_fields[i], of);
}

/* The settings that belong to the machine: not which host runs it how. */
static void put_machine(struct cy_buf *out, const struct cy_config *machine)
{
#define PUT_U32(key, member) cy_buf_printf(out, key " = %" PRIu32 "\n", machine->member);
#define PUT_POWER(key, member) PUT_U32(key, member)
#define PUT_U64(key, member) cy_buf_printf(out, key " = %" PRIu64 "\n", machine->member);
#define PUT_BOOL(key, member) cy_buf_printf(out, key " = %s\n", machine->member ? "true" : "false");
#define PUT_MASK(key, member)                                                                                          \
    cy_buf_printf(out, key " = \"%s\"\n", machine->member == CY_MASK_LANE ? "lane" : "packed");
#define PUT_LEVEL(key, member)
#define PUT_ENGINE(key, member)
#define SETTING(key, member, kind, low, high, text)                                                                    \
    if (strcmp(key, "host-threads") != 0) {                                                                            \
        PUT_##kind(key, member)                                                                                        \
    }
#include "gpu/device/settings.def"
}

static bool is_zero(const uint8_t *bytes, uint64_t from, uint64_t end)
{
    while (from < end && !bytes[from])
        from++;
    return from == end;
}

/* Does the launch change it?  Contents that end with zeros may be given with or without them. */
static bool is_changed(const struct cy_record_memory *memory)
{
    const uint64_t before = memory->before_bytes, after = memory->after_bytes, both = before < after ? before : after;
    if (!memory->after)
        return memory->is_changed;
    return (both && memcmp(memory->before, memory->after, both) != 0) || !is_zero(memory->before, both, before) ||
           !is_zero(memory->after, both, after);
}

static void put_toml(struct writing *writing)
{
    struct cy_buf *out = &writing->files[RECORD_TOML];
    struct cy_record record = *writing->record;
    record.version = CY_RECORD_VERSION;
    record.marked = writing->marked;
    cy_buf_puts(out, "# A recorded launch: 'cy replay' and 'cy verify' run it; docs/replay.md describes the files.\n");
    put_table(out, "", &record);
    cy_buf_puts(out, "\n[launch]\n");
    put_table(out, "launch", &record);
    for (size_t i = 0; i < record.arguments.count; i++) {
        cy_buf_puts(out, "\n[[argument]]\n");
        put_table(out, "argument", &record.arguments.at[i]);
    }
    for (size_t i = 0; i < record.memory.count; i++) {
        struct cy_record_memory memory = record.memory.at[i];
        memory.before_bytes = used_bytes(&memory, memory.before, memory.before_bytes);
        const uint64_t after = memory.after_bytes;
        memory.is_changed = is_changed(&memory);
        memory.after_bytes = memory.is_changed ? used_bytes(&memory, memory.after, after) : 0;
        cy_buf_puts(out, "\n[[memory]]\n");
        put_table(out, "memory", &memory);
        if (memory.is_changed)
            put_contents(&writing->files[RECORD_AFTER], memory.after, after, memory.after_bytes);
    }
    cy_buf_puts(out, "\n[machine]\n");
    put_machine(out, &record.machine);
    static const char *const last[] = {"driver", "engine", "result"};
    for (size_t i = 0; i < CY_COUNT(last); i++) {
        cy_buf_printf(out, "\n[%s]\n", last[i]);
        put_table(out, last[i], &record);
    }
}

/* ---- the folder ---- */

static bool write_files(struct writing *writing)
{
    if (mkdir(writing->folder, 0777) != 0 && errno != EEXIST) {
        cy_diag_file(writing->diags, CY_ERROR, writing->folder, "cannot create the directory: %s", strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < RECORD_FILES; i++) {
        const char *path = cy_arena_printf(&writing->arena, "%s/%s", writing->folder, cy_record_files[i]);
        const struct cy_record *record = writing->record;
        const void *bytes = i == RECORD_ELF       ? record->elf
                            : i == RECORD_PRINTED ? record->printed
                                                  : writing->files[i].data;
        const size_t size = i == RECORD_ELF       ? record->elf_size
                            : i == RECORD_PRINTED ? record->printed_size
                                                  : writing->files[i].size;
        if (!cy_file_write(path, size ? bytes : "", size, false, writing->diags))
            return false;
    }
    return true;
}

static void write_all(void *argument)
{
    struct writing *writing = argument;
    const struct cy_record *record = writing->record;
    struct cy_object object;
    if (!cy_object_read(&object, record->program, record->elf, record->elf_size, writing->diags))
        return;
    writing->object = &object;
    writing->launch = cy_record_imagine(record, &object, writing->diags);
    if (writing->launch) {
        writing->marked = why_marked(record, &object, writing->launch);
        writing->ok = put_pair(writing);
        put_toml(writing);
        writing->ok = writing->ok && write_files(writing);
    }
    cy_record_forget(writing->launch);
    cy_object_free(&object);
    for (unsigned i = 0; i < RECORD_FILES; i++)
        cy_buf_free(&writing->files[i]);
    cy_arena_free(&writing->arena);
}

bool cy_record_write(const struct cy_record *record, const char *folder, struct cy_diags *diags)
{
    struct writing writing = {.record = record, .folder = folder, .diags = diags};
    return cy_diags_try(diags, write_all, &writing) && writing.ok;
}
