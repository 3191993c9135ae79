/* One warp on bare memory: assembles or takes a program, runs it, looks at registers.  Tests of the engine alone. */
#ifndef CY_TESTS_GPU_HARNESS_H
#define CY_TESTS_GPU_HARNESS_H

#include "abi/abi.h"
#include "chengying/asm.h"
#include "gpu/engine/engine.h"
#include "gpu/engine/levels.h"
#include "obj/obj.h"
#include "support/test.h"

#define CODE CY_IMAGE_BASE
#define DATA CY_BUFFER_BASE
#define DATA_SIZE 0x100000u
#define PRIVATE (DATA + 0x80000u) /* private memory of the warp's threads */
#define LDS CY_LDS_BASE

struct harness {
    struct cy_memory memory;
    struct cy_run run;
    struct cy_warp warp;
    struct cy_code *code;
    struct cy_simt_entry stack[128];
};

/* Tests that include this file run at every level that this processor supports. */
static const struct cy_level *harness_level; /* NULL: the best */
#undef TEST_MAIN
#define TEST_MAIN(...)                                                                                                 \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        void (*const tests[])(void) = {__VA_ARGS__};                                                                   \
        for (size_t l = 0; (harness_level = cy_level_at(l)) && harness_level->is_there(); l++) {                       \
            fprintf(stderr, "level %s\n", harness_level->name);                                                        \
            for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)                                              \
                tests[i]();                                                                                            \
        }                                                                                                              \
        return test_finish();                                                                                          \
    }

static inline void harness_close(struct harness *h)
{
    cy_code_free(h->code);
    free(h->warp.v);
    cy_memory_destroy(&h->memory);
}

static inline uint64_t harness_all(unsigned lanes)
{
    return lanes == 64 ? ~0ull : (1ull << lanes) - 1;
}

/* Memory and a warp of `lanes` lanes, no code yet. */
static inline bool harness_init(struct harness *h, enum cy_target target, unsigned lanes)
{
    struct cy_diags diags = {0};
    memset(h, 0, sizeof(*h));
    if (!CHECK(cy_memory_init(&h->memory, 0, &diags)))
        return false;
    cy_memory_alloc_at(&h->memory, DATA, DATA_SIZE, CY_READ | CY_WRITE);
    if (h->memory.commit) /* local memory has no rights, but must be mapped */
        cy_memory_protect(&h->memory, LDS, 0x1000, CY_READ | CY_WRITE);
    h->run = (struct cy_run){
        .memory = &h->memory, .target = target, .lanes = lanes, .stack_depth = 2 * lanes, .checking = true};
    h->warp.run = &h->run;
    h->warp.stack = h->stack;
    h->warp.v = aligned_alloc(64, (cy_warp_vgpr_bytes(lanes) + 63) / 64 * 64);
    h->warp.numw = 1;
    h->warp.lds = LDS;
    h->warp.lds_size = 0x1000;
    h->warp.pds = PRIVATE;
    h->warp.pds_size = 1024;
    cy_diags_free(&diags);
    return true;
}

/* Puts code at CODE and starts the warp there; registers zero, memory as it was. */
static inline void harness_code(struct harness *h, const void *bytes, size_t size)
{
    cy_code_free(h->code);
    h->code = cy_code_build(h->run.target, CODE, bytes, (uint32_t)size, h->run.lanes,
                            harness_level ? harness_level : cy_level_best());
    h->run.code = h->code;
    cy_warp_start(&h->warp, CODE, harness_all(h->run.lanes));
}

/* Assembles `text` and starts the warp on it. */
static inline bool harness_text(struct harness *h, const char *text)
{
    struct cy_asm_options options = {.march = cy_target_name(h->run.target)};
    struct cy_asm_result result;
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    bool ok = cy_asm("test.s", text, strlen(text), &options, &result);
    fputs(result.messages, stderr);
    ok = CHECK(ok) && CHECK(cy_object_read(&object, "test.o", result.object, result.object_size, &diags));
    if (ok) {
        const struct cy_section *section = cy_object_find_section(&object, ".text");
        harness_code(h, section->data.data, section->size);
    }
    cy_object_free(&object);
    cy_asm_result_free(&result);
    cy_diags_free(&diags);
    return ok;
}

/* Assembles `text` for one warp of `lanes` lanes; v registers and memory start as zero. */
static inline bool harness_open(struct harness *h, const char *march, const char *text, unsigned lanes)
{
    enum cy_target target = CY_GEN1;
    return CHECK(cy_target_find(march, &target)) && harness_init(h, target, lanes) && harness_text(h, text);
}

static inline uint32_t harness_lane(const struct harness *h, unsigned number, unsigned lane)
{
    return h->warp.v[number * h->run.lanes + lane];
}

static inline uint32_t *harness_vreg(struct harness *h, unsigned number)
{
    return h->warp.v + (size_t)number * h->run.lanes;
}

static inline uint32_t harness_word(const struct harness *h, uint32_t address)
{
    uint32_t word;
    memcpy(&word, h->memory.base + address, 4);
    return word;
}

static inline void harness_set_word(struct harness *h, uint32_t address, uint32_t word)
{
    memcpy(h->memory.base + address, &word, 4);
}

#endif
