/* The note with the source: whatever is in it is refused, or can be read to its end.  The first byte says what the rest is: the
 * note (0), what it unpacks to (1), or changes of a right one, of four bytes each: where (2), and what (2). */
#include "fuzz/fuzz.h"
#include "sources/sources.h"

#include <string.h>
#include <zlib.h>

static void walk(const struct cy_sources *sources)
{
    struct cy_arena arena = {0};
    struct cy_cc_options options;
    size_t sum = 0;
    for (size_t i = 0; i < sources->args.count; i++)
        sum += strlen(sources->args.at[i]);
    for (size_t i = 0; i < sources->files.count; i++) {
        const struct cy_source_file *file = &sources->files.at[i];
        FUZZ_CHECK(*file->name && !file->text[file->size]);
        const struct cy_source_file *found = cy_sources_find(sources, file->name);
        FUZZ_CHECK(!found || !memchr(found->text, 0, found->size));
        for (size_t at = 0; at < file->size; at++)
            sum += (unsigned char)file->text[at];
    }
    cy_sources_options(sources, NULL, 0, "/", &arena, &options);
    FUZZ_CHECK(options.arg_count <= sources->args.count && options.header_count == sources->files.count - 1 && sum + 1);
    cy_arena_free(&arena);
}

static void try_note(const void *bytes, size_t size)
{
    struct cy_object object = {.name = "fuzz"};
    struct cy_sources sources;
    cy_note_add(&object, CY_NOTE_SOURCE, bytes, size);
    if (cy_sources_read(&sources, &object)) {
        walk(&sources);
        cy_sources_free(&sources);
    }
    cy_object_free(&object);
}

static void try_plain(const void *bytes, size_t size)
{
    struct cy_buf note = {0};
    uLongf packed = compressBound(size);
    cy_pack(&note, 1);
    cy_pack(&note, size);
    cy_buf_reserve(&note, packed);
    FUZZ_CHECK(compress((Bytef *)note.data + note.size, &packed, bytes, size) == Z_OK);
    try_note(note.data, note.size + packed);
    cy_buf_free(&note);
}

static void try_changes(const uint8_t *data, size_t size)
{
    static const char *const args[] = {"-cl-std=CL3.0", "-DA=1", "-Iinc"};
    static const struct cy_source_file files[] = {{CY_SOURCE_PROGRAM, "k.cl", "kernel void k() {}\n", 19},
                                                  {CY_SOURCE_FILE, "inc/a.h", "int a;\n", 7},
                                                  {CY_SOURCE_HEADER, "b.h", "", 0}};
    const struct cy_cc_options options = {.args = args, .arg_count = 3, .optimize = 2};
    struct cy_buf note = {0};
    struct cy_object object = {.name = "fuzz"};
    struct cy_sources sources;
    cy_sources_pack(&options, files, 3, &note);
    cy_note_add(&object, CY_NOTE_SOURCE, note.data, note.size);
    FUZZ_CHECK(cy_sources_read(&sources, &object));
    for (; size >= 4; data += 4, size -= 4) {
        const size_t at = (size_t)(data[0] | data[1] << 8) % (sources.bytes.size - 1);
        memcpy(sources.bytes.data + at, data + 2, 2);
    }
    try_plain(sources.bytes.data, sources.bytes.size);
    cy_sources_free(&sources);
    cy_object_free(&object);
    cy_buf_free(&note);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size && data[0] % 3 == 0)
        try_note(data + 1, size - 1);
    else if (size && data[0] % 3 == 1)
        try_plain(data + 1, size - 1);
    else if (size)
        try_changes(data + 1, size - 1);
    return 0;
}
