/* Reading a recorded launch.  Nothing in it is trusted: what the TOML file says is checked against the machine's limits and against
 * the files next to it before memory is allocated for it. */
#include "gpu/replay/record_priv.h"

#include "base/file.h"
#include "base/toml.h"

#include <inttypes.h>
#include <string.h>

#define MAX_ARGUMENT_BYTES (64u << 10)
#define MAX_MEMORY 65536 /* pieces, as many as can be reserved without using up what a host gives a process */

struct record_reading {
    struct cy_record *record;
    const char *folder;
    struct cy_diags *diags;
    struct cy_toml toml;
    struct cy_arena arena; /* paths */
    uint64_t seen; /* fields, by their number: of tables that are there once, and of the last element of arrays */
    bool ok;
};

static const char *path_of(struct record_reading *reading, enum cy_record_file file)
{
    return cy_arena_printf(&reading->arena, "%s/%s", reading->folder, cy_record_files[file]);
}

static bool fail_at(struct record_reading *reading, const struct cy_loc *loc, const char *text)
{
    cy_diag(reading->diags, CY_ERROR, loc, "%s", text);
    return false;
}

static bool fail(struct record_reading *reading, enum cy_record_file file, const char *text, uint64_t value)
{
    cy_diag_file(reading->diags, CY_ERROR, path_of(reading, file), "%s (%" PRIu64 ")", text, value);
    return false;
}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "a size is a U64 field");

/* ---- values ---- */

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_bytes(struct record_reading *reading, const struct cy_toml_value *value, struct cy_record_bytes *bytes)
{
    const size_t length = strlen(value->text);
    if (length % 2 || length / 2 > MAX_ARGUMENT_BYTES)
        return fail_at(reading, &value->loc, "expected two hexadecimal digits per byte, at most 64 KiB");
    uint8_t *at = cy_arena_alloc(&reading->record->arena, length / 2 + 1);
    for (size_t i = 0; i < length; i += 2) {
        const int high = digit_of(value->text[i]), low = digit_of(value->text[i + 1]);
        if (high < 0 || low < 0)
            return fail_at(reading, &value->loc, "expected two hexadecimal digits (0-9, a-f) per byte");
        at[i / 2] = (uint8_t)(high << 4 | low);
    }
    *bytes = (struct cy_record_bytes){at, length / 2};
    return true;
}

static bool read_number(struct record_reading *reading, const struct cy_toml_value *value, uint64_t most,
                        uint64_t *number)
{
    return (cy_toml_number(value, number) && *number <= most) ||
           fail_at(reading, &value->loc,
                   most == UINT32_MAX ? "expected a number of 32 bits" : "expected a number of 64 bits");
}

static bool read_value(struct record_reading *reading, const struct cy_toml_entry *entry,
                       const struct cy_record_field *field, void *member)
{
    const size_t wanted = field->type == RECORD_TRIPLE ? 3 : 1;
    if (entry->values.count != wanted || entry->is_array != (wanted == 3))
        return fail_at(reading, &entry->loc, wanted == 3 ? "expected three numbers: [x, y, z]" : "expected one value");
    const struct cy_toml_value *value = &entry->values.at[0];
    uint64_t number;
    switch (field->type) {
    case RECORD_U32:
        if (!read_number(reading, value, UINT32_MAX, &number))
            return false;
        *(uint32_t *)member = (uint32_t)number;
        return true;
    case RECORD_U64: return read_number(reading, value, UINT64_MAX, member);
    case RECORD_TRIPLE:
        for (unsigned i = 0; i < 3; i++)
            if (!read_number(reading, &value[i], UINT64_MAX, (uint64_t *)member + i))
                return false;
        return true;
    case RECORD_BOOL:
        *(bool *)member = strcmp(value->text, "true") == 0;
        return value->kind == CY_TOML_BOOL || fail_at(reading, &value->loc, "expected true or false");
    case RECORD_TEXT:
    case RECORD_BYTES: break;
    }
    if (value->kind != CY_TOML_STRING)
        return fail_at(reading, &value->loc, "expected a text in quotes");
    if (field->type == RECORD_BYTES)
        return read_bytes(reading, value, member);
    *(const char **)member = cy_arena_printf(&reading->record->arena, "%s", value->text);
    return true;
}

/* ---- tables ---- */

static bool read_setting(struct record_reading *reading, const struct cy_toml_entry *entry)
{
    char *why = NULL;
    if (entry->is_array)
        return fail_at(reading, &entry->loc, "expected one value");
    const char *text = cy_arena_printf(&reading->arena, "%s=%s", entry->key, entry->values.at[0].text);
    if (cy_config_set(&reading->record->machine, text, &why) == CY_OK)
        return true;
    fail_at(reading, &entry->loc, "no such setting of the machine, or not with this value");
    cy_free(why);
    return false;
}

static bool check_required(struct record_reading *reading, const char *table, const struct cy_loc *loc)
{
    for (size_t i = 0; i < cy_record_field_count; i++) {
        const struct cy_record_field *field = &cy_record_fields[i];
        if (!field->is_required || strcmp(field->table, table) != 0 || reading->seen >> i & 1)
            continue;
        if (loc)
            cy_diag(reading->diags, CY_ERROR, loc, "the key '%s' is missing", field->key);
        else
            cy_diag_file(reading->diags, CY_ERROR, path_of(reading, RECORD_TOML), "the key '%s'%s%s is missing",
                         field->key, *table ? " of table " : "", table);
        return false;
    }
    return true;
}

/* The struct that the entry's table fills in; NULL: there is no such table. */
static void *struct_of(struct record_reading *reading, const struct cy_toml_entry *entry)
{
    static const char *const single[] = {"", "launch", "driver", "engine", "result", NULL};
    struct cy_record *record = reading->record;
    if (strcmp(entry->table, "argument") == 0 && entry->element && record->arguments.count)
        return &record->arguments.at[record->arguments.count - 1];
    if (strcmp(entry->table, "memory") == 0 && entry->element && record->memory.count)
        return &record->memory.at[record->memory.count - 1];
    return !entry->element && cy_record_find(single, entry->table) >= 0 ? record : NULL;
}

static bool read_entry(struct record_reading *reading, const struct cy_toml_entry *entry)
{
    if (strcmp(entry->table, "machine") == 0 && !entry->element)
        return read_setting(reading, entry);
    void *of = struct_of(reading, entry);
    if (!of)
        return fail_at(reading, &entry->table_loc, "no such table in a recorded launch");
    for (size_t i = 0; i < cy_record_field_count; i++) {
        const struct cy_record_field *field = &cy_record_fields[i];
        if (strcmp(field->table, entry->table) != 0 || strcmp(field->key, entry->key) != 0)
            continue;
        reading->seen |= 1ull << i;
        return read_value(reading, entry, field, (char *)of + field->offset);
    }
    return fail_at(reading, &entry->loc, "no such key in a recorded launch of this version");
}

/* Another format may have other keys: its number is looked at first. */
static bool check_version(struct record_reading *reading)
{
    uint64_t version = 0;
    for (size_t i = 0; i < reading->toml.entries.count; i++) {
        const struct cy_toml_entry *entry = &reading->toml.entries.at[i];
        if (!*entry->table && strcmp(entry->key, "version") == 0 && entry->values.count == 1 &&
            cy_toml_number(&entry->values.at[0], &version) && version == CY_RECORD_VERSION)
            return true;
    }
    return fail(reading, RECORD_TOML, "the version of the format is not 1, the one that this program reads", version);
}

static bool read_entries(struct record_reading *reading)
{
    struct cy_record *record = reading->record;
    const struct cy_toml_entry *last = NULL;
    cy_config_default(&record->machine);
    for (size_t i = 0; i < reading->toml.entries.count; i++) {
        const struct cy_toml_entry *entry = &reading->toml.entries.at[i];
        if (entry->element && (!last || last->element != entry->element)) {
            if (last && last->element && !check_required(reading, last->table, &last->table_loc))
                return false;
            if (strcmp(entry->table, "argument") == 0)
                *cy_vec_push(&record->arguments) = (struct cy_record_argument){0};
            else if (strcmp(entry->table, "memory") == 0)
                *cy_vec_push(&record->memory) = (struct cy_record_memory){0};
            for (size_t field = 0; field < cy_record_field_count; field++)
                if (strcmp(cy_record_fields[field].table, entry->table) == 0)
                    reading->seen &= ~(1ull << field);
        }
        if (last && last->element && !entry->element && !check_required(reading, last->table, &last->table_loc))
            return false;
        if (!read_entry(reading, entry))
            return false;
        last = entry;
    }
    return (!last || !last->element || check_required(reading, last->table, &last->table_loc)) &&
           check_required(reading, "", NULL) && check_required(reading, "launch", NULL);
}

/* ---- checks ---- */

static bool check_launch(struct record_reading *reading)
{
    const struct cy_record *record = reading->record;
    if (record->dimensions < 1 || record->dimensions > 3)
        return fail(reading, RECORD_TOML, "a launch has 1 to 3 dimensions", record->dimensions);
    for (unsigned i = 0; i < 3; i++)
        if (!record->global[i] || !record->local[i] || record->local[i] > UINT32_MAX)
            return fail(reading, RECORD_TOML, "a size of the launch is 0 or too large; dimension", i);
    for (size_t i = 0; i < record->arguments.count; i++) {
        const struct cy_record_argument *argument = &record->arguments.at[i];
        if (cy_record_find(cy_record_kinds, argument->kind) < 0)
            return fail(reading, RECORD_TOML, "unknown kind of argument", i);
        if ((uint64_t)argument->offset + argument->size > record->argument_bytes.size ||
            (argument->local && argument->size < sizeof(uint32_t)))
            return fail(reading, RECORD_TOML, "an argument is outside the argument buffer", i);
    }
    return true;
}

static bool check_range(struct record_reading *reading, const struct cy_record_range *range)
{
    if (!range->size && !range->address)
        return true;
    return (range->address >= CY_BUFFER_BASE && range->address % CY_PAGE_SIZE == 0 && range->size &&
            range->size <= (1ull << 32) - range->address) ||
           fail(reading, RECORD_TOML, "the driver's memory is not where it can be", range->address);
}

static bool check_memory(struct record_reading *reading, const struct cy_record_memory *memory)
{
    const int place = cy_record_find(cy_record_places, memory->place);
    const uint64_t pages = cy_record_pages(memory->size), most = place == CY_RECORD_VARIABLES ? memory->size : pages;
    if (place < 0)
        return fail(reading, RECORD_TOML, "unknown place of memory at", memory->address);
    const bool is_far = place == CY_RECORD_FAR || place == CY_RECORD_SHARED;
    const uint64_t low = is_far                    ? CY_FAR_BASE
                         : place == CY_RECORD_NEAR ? CY_BUFFER_BASE
                                                   : 0,
                   end = place == CY_RECORD_SHARED ? 1ull << 56
                         : is_far                  ? CY_FAR_END
                         : place == CY_RECORD_NEAR ? 1ull << 32
                                                   : CY_BUFFER_BASE;
    if (!memory->size || pages == UINT64_MAX || memory->address < low || memory->address >= end ||
        pages > end - memory->address || (place != CY_RECORD_VARIABLES && memory->address % CY_PAGE_SIZE))
        return fail(reading, RECORD_TOML, "memory is not where it can be, at", memory->address);
    if (memory->before_bytes > most || memory->after_bytes > most)
        return fail(reading, RECORD_TOML, "more bytes than the memory has, at", memory->address);
    return true;
}

/* ---- the other files ---- */

static bool read_file(struct record_reading *reading, enum cy_record_file file, struct cy_buf *buf)
{
    return cy_file_read(path_of(reading, file), buf, reading->diags);
}

/* Memory before the launch: the pair has it after the metadata, in the order of the TOML file. */
static bool find_before(struct record_reading *reading, const struct cy_recording *recording)
{
    struct cy_record *record = reading->record;
    if (recording->buffers.count < record->memory.count + 1)
        return fail(reading, RECORD_METADATA, "fewer buffers than launch.toml has memory", recording->buffers.count);
    const uint32_t *words = recording->data.at;
    for (size_t i = 0; i <= record->memory.count; i++) {
        const struct cy_recorded_buffer *buffer = &recording->buffers.at[i];
        if (i > 0) {
            struct cy_record_memory *memory = &record->memory.at[i - 1];
            if (buffer->base != memory->address || buffer->size != memory->before_bytes)
                return fail(reading, RECORD_METADATA, "not the memory of launch.toml at", memory->address);
            memory->before = words;
        }
        words += (buffer->size + 3) / 4;
    }
    return true;
}

static bool read_before(struct record_reading *reading)
{
    struct cy_record *record = reading->record;
    struct cy_buf metadata = {0}, data = {0};
    struct cy_recording recording = {0};
    bool is_marked = false;
    bool ok = read_file(reading, RECORD_METADATA, &metadata) && read_file(reading, RECORD_DATA, &data) &&
              cy_recording_read_pair(&recording, path_of(reading, RECORD_METADATA), &metadata,
                                     path_of(reading, RECORD_DATA), &data, &is_marked, reading->diags);
    if (ok && is_marked != (record->marked && *record->marked))
        ok = fail(reading, RECORD_METADATA, "marked in one file and not in the other", is_marked);
    ok = ok && find_before(reading, &recording);
    cy_buf_free(&metadata);
    cy_buf_free(&data);
    cy_vec_free(&recording.buffers);
    record->files[0] = (struct cy_buf){.data = (char *)recording.data.at};
    return ok;
}

static bool find_after(struct record_reading *reading, const uint32_t *words, size_t count)
{
    struct cy_record *record = reading->record;
    size_t used = 0;
    for (size_t i = 0; i < record->memory.count; i++) {
        struct cy_record_memory *memory = &record->memory.at[i];
        const uint64_t wanted = (memory->after_bytes + 3) / 4;
        if (!memory->is_changed)
            continue;
        if (wanted > count - used)
            return fail(reading, RECORD_AFTER, "fewer words than launch.toml says", count);
        memory->after = words + used;
        used += wanted;
    }
    return true;
}

static bool read_after(struct record_reading *reading)
{
    struct cy_buf text = {0};
    uint32_t *words = NULL;
    size_t count = 0;
    const bool ok = read_file(reading, RECORD_AFTER, &text) &&
                    cy_recording_words(path_of(reading, RECORD_AFTER), &text, NULL, &words, &count, reading->diags) &&
                    find_after(reading, words, count);
    cy_buf_free(&text);
    reading->record->files[1] = (struct cy_buf){.data = (char *)words};
    return ok;
}

static bool read_others(struct record_reading *reading)
{
    struct cy_record *record = reading->record;
    if (!read_file(reading, RECORD_ELF, &record->files[2]))
        return false;
    record->elf = record->files[2].data;
    record->elf_size = record->files[2].size;
    if (record->has_result && !read_file(reading, RECORD_PRINTED, &record->files[3]))
        return false;
    if (record->printed_size != record->files[3].size)
        return fail(reading, RECORD_PRINTED, "its size is not what launch.toml says", record->files[3].size);
    record->printed = record->files[3].data;
    return true;
}

static bool read_folder(struct record_reading *reading)
{
    struct cy_record *record = reading->record;
    if (!cy_toml_read(&reading->toml, path_of(reading, RECORD_TOML), reading->diags) || !check_version(reading) ||
        !read_entries(reading) || !check_launch(reading))
        return false;
    const struct cy_record_range *own[] = {&record->constants, &record->prints, &record->private_memory};
    for (size_t i = 0; i < CY_COUNT(own); i++)
        if (!check_range(reading, own[i]))
            return false;
    if (record->memory.count > MAX_MEMORY)
        return fail(reading, RECORD_TOML, "too many pieces of memory", record->memory.count);
    for (size_t i = 0; i < record->memory.count; i++)
        if (!check_memory(reading, &record->memory.at[i]))
            return false;
    if (!record->program)
        record->program = cy_record_files[RECORD_ELF];
    return read_before(reading) && read_after(reading) && read_others(reading);
}

static void read_in_scope(void *argument)
{
    struct record_reading *reading = argument;
    reading->ok = read_folder(reading);
    cy_toml_free(&reading->toml);
    cy_arena_free(&reading->arena);
}

bool cy_record_read(struct cy_record *record, const char *folder, struct cy_diags *diags)
{
    *record = (struct cy_record){0};
    struct record_reading reading = {.record = record, .folder = folder, .diags = diags};
    if (cy_diags_try(diags, read_in_scope, &reading))
        return reading.ok;
    *record = (struct cy_record){0};
    return false;
}
