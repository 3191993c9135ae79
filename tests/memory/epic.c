/* Out of memory on an EpicGPU: CY_EPIC_NO_MEMORY, and the same call succeeds later.  A launch needs no memory: without
 * threads it runs on the caller's. */
#define _GNU_SOURCE
#include "support/oom.h"

#include "base/diag.h"
#include "chengying/asm.h"
#include "chengying/epic.h"
#include "obj/obj.h"
#include "support/test.h"

/* Each block stores its number; the second program loads from an odd address. */
static const char *const storing =
    "    slli r10, %BlockIdx, 2\n    addi r11, %BlockIdx, 0\n    sw r11, (r10)\n    exit\n";

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        enum cy_epic_status status_ = (call);                                                                          \
        if (status_ == CY_EPIC_OK)                                                                                     \
            break;                                                                                                     \
        CHECK(failing);                                                                                                \
        CHECK_EQ(status_, CY_EPIC_NO_MEMORY);                                                                          \
        oom_disarm();                                                                                                  \
        CHECK_EQ((call), CY_EPIC_OK);                                                                                  \
    } while (0)

struct streams {
    uint32_t *good, *bad;
    size_t good_words, bad_words;
};

static uint32_t *assemble(const char *text, unsigned program, uint32_t address, size_t *words)
{
    struct cy_asm_options options = {.march = "epic"};
    struct cy_asm_result result;
    struct cy_object object;
    struct cy_diags diags = {0};
    uint32_t *stream = NULL;
    if (!CHECK(cy_asm("epic.s", text, strlen(text), &options, &result)))
        fputs(result.messages, stderr);
    else if (CHECK(cy_object_read(&object, "epic.o", result.object, result.object_size, &diags))) {
        const struct cy_section *code = cy_object_find_section(&object, ".text");
        size_t count = code->data.size / 4;
        stream = malloc(cy_epic_pack_words(count) * sizeof(*stream));
        *words = cy_epic_pack(program, address, (const uint32_t *)(const void *)code->data.data, count, stream);
        cy_object_free(&object);
    }
    cy_asm_result_free(&result);
    return stream;
}

static bool count_steps(void *user, const struct cy_epic_step *step)
{
    *(unsigned *)user += step->text[0] != 0;
    return true;
}

static void life_of_a_device(void *context, bool failing)
{
    const struct streams *streams = context;
    const struct cy_epic_config config = {
        .cores = 3, .threads = 3, .lanes = 4, .memory_bytes = 4096, .width = 8, .height = 8};
    const struct cy_epic_line lines[] = {{0, 1}, {1, 2}};
    struct cy_epic *gpu = NULL;
    struct cy_epic_fault fault;
    unsigned steps = 0;
    TRY(cy_epic_create(&config, &gpu));
    TRY(cy_epic_load(gpu, streams->good, streams->good_words, NULL));
    TRY(cy_epic_set_lines(gpu, 0, "epic.s", lines, 2));
    TRY(cy_epic_load(gpu, streams->bad, streams->bad_words, NULL)); /* beside it */
    CHECK_EQ(cy_epic_launch(gpu, 0, 30, &fault), CY_EPIC_OK);
    uint32_t words[30];
    CHECK_EQ(cy_epic_read(gpu, 0, words, sizeof(words)), CY_EPIC_OK);
    for (uint32_t i = 0; i < 30; i++)
        CHECK_EQ(words[i], i);
    CHECK_EQ(cy_epic_launch(gpu, 1, 2, &fault), CY_EPIC_FAULT);
    CHECK_EQ(fault.kind, CY_EPIC_FAULT_MISALIGNED);
    CHECK(strstr(fault.text, "is not a multiple of 4") && strstr(fault.instruction, "lw"));
    CHECK_EQ(cy_epic_on_step(gpu, count_steps, &steps), CY_EPIC_OK);
    CHECK_EQ(cy_epic_launch(gpu, 0, 3, &fault), CY_EPIC_OK);
    CHECK_EQ(steps, 12);
    cy_epic_destroy(gpu);
}

static void test_device(void)
{
    struct streams streams = {0};
    streams.good = assemble(storing, 0, 0, &streams.good_words);
    streams.bad = assemble("    addi r10, r0, 6\n    lw r11, (r10)\n    exit\n", 1, 100, &streams.bad_words);
    if (streams.good && streams.bad)
        oom_each(life_of_a_device, &streams);
    free(streams.good);
    free(streams.bad);
}

TEST_MAIN(test_device)
