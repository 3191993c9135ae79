/* Objects into the linker and the disassembler.  The first two bytes say how: options, and where one object ends and the
 * next begins.  What links can be written and read, and what is disassembled as source or listing never breaks. */
#include "as/as_priv.h"
#include "ld/link.h"
#include "dis/dis.h"
#include "fuzz/fuzz.h"

#include <string.h>

enum { OPTION_GC = 1, OPTION_START = 2, OPTION_MAP = 4, OPTION_LIBRARY = 8, OPTION_KERNEL = 16, OPTION_PLACE = 32 };

static bool read_object(struct cy_object *object, const char *name, const uint8_t *data, size_t size)
{
    struct cy_diags diags = {0};
    bool ok = cy_object_read(object, name, data, size, &diags);
    cy_diags_free(&diags);
    return ok;
}

static void list(const struct cy_object *object)
{
    struct cy_buf out = {0};
    struct cy_diags diags = {0};
    struct cy_dis listing = {.target = cy_dis_target(object), .relocs = true, .comments = true};
    cy_dis_header(object, &out);
    cy_dis_symbols(object, &out);
    cy_dis_contents(object, &out);
    cy_dis_object(&listing, object, &out, &diags);
    FUZZ_CHECK(as_is_listing(out.data, out.size));
    struct cy_buf source = {0};
    as_listing_to_source(listing.target, out.data, out.size, &source);
    cy_dis_source(&listing, object, &source, &diags);
    listing.raw = true;
    listing.has_range = true;
    listing.start = 4;
    listing.stop = 64;
    cy_dis_object(&listing, object, &out, &diags);
    FUZZ_CHECK(diags.errors == 0);
    cy_buf_free(&source);
    cy_buf_free(&out);
    cy_diags_free(&diags);
}

static void check_program(const struct cy_object *program)
{
    struct cy_object again;
    struct cy_buf image = {0};
    cy_object_write(program, &image);
    FUZZ_CHECK(read_object(&again, "program", (const uint8_t *)image.data, image.size));
    FUZZ_CHECK(again.type == CY_ET_EXEC);
    FUZZ_CHECK(again.symbols.count == program->symbols.count);
    list(&again);
    cy_object_free(&again);
    cy_buf_free(&image);
}

static void link_objects(const struct cy_object *const *objects, size_t count, unsigned options)
{
    struct cy_buf map = {0};
    struct cy_diags diags = {0};
    struct cy_object program;
    const struct cy_library *library = NULL;
    struct cy_library *owned = NULL;
    size_t own = count;
    if ((options & OPTION_LIBRARY) && count > 1) {
        library = owned = cy_library_of(objects + 1, count - 1);
        own = 1;
    }
    struct cy_link_job job = {.objects = objects,
                              .object_count = own,
                              .libraries = &library,
                              .library_count = library != NULL,
                              .gc_sections = options & OPTION_GC,
                              .no_start = !(options & OPTION_START),
                              .kernels = (const char *const[]){"kernel"},
                              .kernel_count = (options & OPTION_KERNEL) != 0,
                              .places = &(struct cy_link_place){".data", 0x80100000},
                              .place_count = (options & OPTION_PLACE) != 0,
                              .map = options & OPTION_MAP ? &map : NULL};
    bool ok = cy_link(&job, &program, &diags);
    FUZZ_CHECK(ok == (diags.errors == 0));
    /* A program of a gigabyte is valid, but too slow for a thousand runs per second. */
    size_t total = 0;
    for (size_t i = 0; ok && i < program.sections.count; i++)
        total += program.sections.at[i].data.size;
    if (ok && total < 1 << 22)
        check_program(&program);
    cy_object_free(&program);
    cy_library_close(owned);
    cy_buf_free(&map);
    cy_diags_free(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    unsigned options = data[0], parts = 1 + data[1] % 3;
    struct cy_object objects[3];
    const struct cy_object *pointers[3];
    size_t count = 0;
    data += 2;
    size -= 2;
    for (unsigned i = 0; i < parts; i++) {
        /* The next object starts where an ELF header does; otherwise all of them are the same one. */
        const uint8_t *start = data;
        size_t length = size;
        for (size_t at = 1; i + 1 < parts && at + 4 <= size; at++)
            if (memcmp(data + at, "\177ELF", 4) == 0) {
                length = at;
                break;
            }
        if (!read_object(&objects[count], "input", start, length))
            continue;
        pointers[count] = &objects[count];
        count++;
        if (length < size) {
            data += length;
            size -= length;
        }
    }
    for (size_t i = 0; i < count; i++)
        list(&objects[i]);
    if (count)
        link_objects(pointers, count, options);
    for (size_t i = 0; i < count; i++)
        cy_object_free(&objects[i]);
    return 0;
}
