/* One warp on bare memory: assembles a program, runs it to its end, looks at registers.  Tests of the engine alone. */
#ifndef CY_TESTS_GPU_HARNESS_H
#define CY_TESTS_GPU_HARNESS_H

#include "chengying/asm.h"
#include "gpu/engine.h"
#include "obj/obj.h"
#include "support/test.h"

#define CODE 0x80000000u
#define DATA 0x90000000u
#define DATA_SIZE 0x100000u

struct harness {
    struct cy_memory memory;
    struct cy_run run;
    struct cy_warp warp;
    struct cy_code *code;
    struct cy_simt_entry stack[128];
};

static inline void harness_close(struct harness *h)
{
    cy_code_free(h->code);
    free(h->warp.v);
    cy_memory_destroy(&h->memory);
}

/* Assembles `text` for one warp of `lanes` lanes; v registers and memory start as zero. */
static inline bool harness_open(struct harness *h, const char *march, const char *text, unsigned lanes)
{
    struct cy_asm_options options = {.march = march};
    struct cy_asm_result result;
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    enum cy_target target = CY_GEN1;
    memset(h, 0, sizeof(*h));
    bool ok = cy_target_find(march, &target) && cy_asm("test.s", text, strlen(text), &options, &result);
    fputs(result.messages, stderr);
    if (!CHECK(ok) || !CHECK(cy_object_read(&object, "test.o", result.object, result.object_size, &diags)) ||
        !CHECK(cy_memory_init(&h->memory, 0, &diags)))
        return false;
    const struct cy_section *section = cy_object_find_section(&object, ".text");
    h->code = cy_code_build(target, CODE, section->data.data, section->size, lanes);
    cy_memory_alloc_at(&h->memory, DATA, DATA_SIZE, CY_READ | CY_WRITE);
    h->run = (struct cy_run){.memory = &h->memory, .code = h->code, .target = target, .lanes = lanes,
                             .stack_depth = 2 * lanes, .checking = true};
    h->warp.run = &h->run;
    h->warp.stack = h->stack;
    h->warp.v = aligned_alloc(64, (cy_warp_vgpr_bytes(lanes) + 63) / 64 * 64);
    h->warp.numw = 1;
    h->warp.lds = 0x70000000u;
    h->warp.lds_size = 0x1000;
    h->warp.pds = DATA + 0x80000;
    h->warp.pds_size = 1024;
    cy_warp_start(&h->warp, CODE, lanes == 64 ? ~0ull : (1ull << lanes) - 1);
    cy_object_free(&object);
    cy_asm_result_free(&result);
    cy_diags_free(&diags);
    return true;
}

static inline uint32_t harness_lane(const struct harness *h, unsigned number, unsigned lane)
{
    return h->warp.v[number * h->run.lanes + lane];
}

#endif
