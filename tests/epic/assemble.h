/* A source file as a program in a device. */
#ifndef CY_TESTS_EPIC_ASSEMBLE_H
#define CY_TESTS_EPIC_ASSEMBLE_H

#include "ld/link.h"
#include "chengying/asm.h"
#include "epic/gpu.h"
#include "obj/obj.h"

/* The words of a linked object's code as a stream for this slot and address. */
static inline bool load_linked(struct cy_epic *gpu, const struct cy_object *linked, unsigned slot,
                               uint32_t word_address)
{
    const struct cy_section *text = cy_object_find_section(linked, ".text");
    if (!CHECK(text && text->size % 4 == 0))
        return false;
    uint32_t *code = malloc(text->size), *stream = malloc(cy_epic_pack_words(text->size / 4) * 4);
    memcpy(code, text->data.data, text->size);
    const size_t words = cy_epic_pack(slot, word_address, code, text->size / 4, stream);
    bool ok = CHECK(words > 0) && CHECK_EQ(cy_epic_load(gpu, stream, words, NULL), CY_EPIC_OK);
    free(code);
    free(stream);
    return ok;
}

/* Assembles examples/epic/NAME.s with one definition (or NULL) and loads it. */
static inline bool load_example(struct cy_epic *gpu, const char *name, const char *define, unsigned slot,
                                uint32_t word_address)
{
    struct cy_asm_options options = {.march = "epic", .defines = &define, .define_count = define ? 1 : 0};
    struct cy_asm_result result;
    struct cy_diags diags = {0};
    struct cy_object object, linked;
    char path[1024];
    snprintf(path, sizeof(path), "%s/examples/epic/%s.s", test_env("CY_SOURCE"), name);
    bool ok = CHECK(cy_asm_file(path, &options, &result));
    fputs(result.messages, stderr);
    if (ok && CHECK(cy_object_read(&object, path, result.object, result.object_size, &diags))) {
        const struct cy_object *objects = &object;
        const uint32_t base = word_address * 4;
        struct cy_link_job job = {.objects = &objects, .object_count = 1, .base = &base, .no_start = true};
        ok = CHECK(cy_link(&job, &linked, &diags)) && load_linked(gpu, &linked, slot, word_address);
        cy_object_free(&linked);
        cy_object_free(&object);
    }
    if (diags.text.size)
        fputs(diags.text.data, stderr);
    cy_diags_free(&diags);
    cy_asm_result_free(&result);
    return ok;
}

#endif
