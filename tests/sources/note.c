/* The note with the source: what is packed comes back, and what was damaged is refused. */
#include "sources/sources.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static const char *const args[] = {"-cl-std=CL2.0", CY_CC_LINE_TABLES, "-Iinc", CY_CC_CHECK, "-g", "-D A=b c"};
static const struct cy_source_file files[] = {{CY_SOURCE_PROGRAM, "dir/k.cl", "kernel\n", 7},
                                              {CY_SOURCE_FILE, "inc/more.h", "more\n", 5},
                                              {CY_SOURCE_FILE, "/usr/x/more.h", "other\n", 6},
                                              {CY_SOURCE_HEADER, "given.h", "", 0},
                                              {CY_SOURCE_FILE, "inc/bytes.h", "a\0b", 3}};

static void pack(struct cy_buf *note)
{
    const struct cy_cc_options options = {.args = args, .arg_count = CY_COUNT(args), .vgprs = 32};
    cy_sources_pack(&options, files, CY_COUNT(files), note);
}

static bool read(const void *bytes, size_t size, struct cy_sources *sources, struct cy_object *object)
{
    *object = (struct cy_object){.name = "test"};
    cy_note_add(object, CY_NOTE_SOURCE, bytes, size);
    return cy_sources_read(sources, object);
}

static void test_round_trip(void)
{
    struct cy_buf note = {0};
    struct cy_sources sources;
    struct cy_object object;
    pack(&note);
    CHECK(read(note.data, note.size, &sources, &object));
    CHECK_EQ(sources.vgprs, 32);
    CHECK_EQ(sources.args.count, CY_COUNT(args));
    CHECK_STR(sources.args.at[5], "-D A=b c");
    CHECK_EQ(sources.files.count, CY_COUNT(files));
    CHECK_STR(sources.files.at[1].text, "more\n");
    CHECK_EQ(sources.files.at[4].size, 3);
    cy_sources_free(&sources);
    cy_object_free(&object);
    cy_buf_free(&note);
}

static void test_find(void)
{
    static const struct {
        const char *path;
        int file; /* -1: none */
    } cases[] = {{"dir/k.cl", 0},     {"./dir/k.cl", 0},    {"/a/b/dir/k.cl", 0}, {"k.cl", -1},
                 {"inc/more.h", 1},   {"/a/inc/more.h", 1}, {"/usr/x/more.h", 2}, {"more.h", -1},
                 {"xinc/more.h", -1}, {"inc/bytes.h", -1}};
    struct cy_buf note = {0};
    struct cy_sources sources;
    struct cy_object object;
    pack(&note);
    CHECK(read(note.data, note.size, &sources, &object));
    for (size_t i = 0; i < CY_COUNT(cases); i++) {
        const struct cy_source_file *found = cy_sources_find(&sources, cases[i].path);
        CHECK_EQ(found ? (int)(found - sources.files.at) : -1, cases[i].file);
    }
    cy_sources_free(&sources);
    cy_object_free(&object);
    cy_buf_free(&note);
}

/* What a tool wants comes first; what another one wanted is gone. */
static void test_options(void)
{
    static const char *const more[] = {"-g"};
    struct cy_buf note = {0};
    struct cy_arena arena = {0};
    struct cy_sources sources;
    struct cy_object object;
    struct cy_cc_options options;
    pack(&note);
    CHECK(read(note.data, note.size, &sources, &object));
    cy_sources_options(&sources, more, 1, "/here", &arena, &options);
    CHECK_EQ(options.arg_count, 4);
    CHECK_STR(options.args[0], "-g");
    CHECK_STR(options.args[1], "-cl-std=CL2.0");
    CHECK_EQ(options.optimize, 0);
    CHECK_EQ(options.header_count, CY_COUNT(files) - 1);
    CHECK_STR(options.headers[0].name, "/here/inc/more.h");
    CHECK_STR(options.headers[1].name, "/usr/x/more.h");
    CHECK_STR(options.headers[2].name, "given.h");
    cy_arena_free(&arena);
    cy_sources_free(&sources);
    cy_object_free(&object);
    cy_buf_free(&note);
}

static void test_damage(void)
{
    struct cy_buf note = {0};
    struct cy_sources sources;
    struct cy_object object;
    pack(&note);
    for (size_t at = 0; at < note.size * 8; at++) {
        note.data[at / 8] ^= (char)(1 << at % 8);
        const bool ok = read(note.data, note.size, &sources, &object);
        CHECK(!ok || sources.files.count == CY_COUNT(files)); /* zlib's header has bits without a meaning for us */
        if (ok)
            cy_sources_free(&sources);
        cy_object_free(&object);
        note.data[at / 8] ^= (char)(1 << at % 8);
    }
    for (size_t size = 0; size < note.size; size++) {
        CHECK(!read(note.data, size, &sources, &object));
        cy_object_free(&object);
    }
    const uint32_t huge = 1u << 27; /* far more than so few bytes can become */
    memcpy(note.data + 4, &huge, sizeof(huge));
    CHECK(!read(note.data, note.size, &sources, &object));
    cy_object_free(&object);
    cy_buf_free(&note);
}

TEST_MAIN(test_round_trip, test_find, test_options, test_damage)
