/* Compiles a kernel with the back end, runs it on one warp and as IR lane by lane, and compares memory. */
#ifndef CY_TESTS_CC_BACKEND_RUN_H
#define CY_TESTS_CC_BACKEND_RUN_H

#include "cc/run_passes.h"
#include "cc/ir_random.h"
#include "cc/ir_run.h"
#include "gpu/harness.h"

#define COMPARED 0x20000u /* bytes of DATA */
#define RUN_LIMIT 2000000u

struct compiled {
    struct cy_object object;
    struct backend_stats stats;
    struct cy_buf assembly, dump;
    struct cy_diags diags;
    bool ok;
};

static inline void compiled_free(struct compiled *c)
{
    cy_object_free(&c->object);
    cy_backend_stats_free(&c->stats);
    cy_buf_free(&c->assembly);
    cy_buf_free(&c->dump);
    cy_diags_free(&c->diags);
}

static inline void free_func(struct ir_func *func)
{
    struct ir_module module = {0};
    *cy_vec_push(&module.funcs) = *func;
    ir_module_free(&module);
}

/* The data a kernel finds: arguments, a table, room for results. */
static inline void fill_data(uint8_t *data, uint64_t seed)
{
    struct rng rng = {seed};
    uint32_t arguments[4] = {DATA + TABLE, DATA + OUTPUT, DATA + COUNTERS, rng_value(&rng)};
    memset(data, 0, COMPARED);
    memcpy(data, arguments, sizeof(arguments));
    for (uint32_t i = 0; i < TABLE_WORDS; i++) {
        uint32_t word = rng_value(&rng);
        memcpy(data + TABLE + 4 * i, &word, 4);
    }
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t word = rng_value(&rng);
        memcpy(data + COUNTERS + 4 * i, &word, 4);
    }
}

/* Expected memory: each lane on its own. */
static inline bool run_ir(const struct ir_func *func, const struct ir_module *module, uint8_t *data, unsigned lanes)
{
    bool ok = true;
    struct ir_run *run = malloc(sizeof(*run));
    for (unsigned lane = 0; lane < lanes && ok; lane++) {
        memset(run, 0, sizeof(*run));
        run->func = func;
        run->module = module;
        run->memory = data;
        run->base = DATA;
        run->size = COMPARED;
        run->lane = lane;
        run->arguments = DATA;
        run->csr[CY_CSR_NUMW & 15] = 1;
        run->csr[CY_CSR_NUMT & 15] = lanes;
        run->csr[CY_CSR_LDS & 15] = LDS;
        ok = ir_run_lane(run, RUN_LIMIT);
    }
    free(run);
    return ok;
}

/* The code, followed by an endprg to return to.  Registers start with garbage. */
static inline enum cy_stop run_code(struct harness *h, const struct compiled *c, const uint8_t *data, uint64_t seed)
{
    const struct cy_section *text = cy_object_find_section(&c->object, ".text");
    struct cy_buf code = {0};
    struct rng rng = {seed};
    uint32_t endprg = cy_insns[CY_OP_endprg].match;
    cy_buf_append(&code, text->data.data, text->data.size);
    cy_buf_append(&code, &endprg, 4);
    harness_code(h, code.data, code.size);
    cy_warp_start(&h->warp, CODE + c->stats.code_offset, harness_all(h->run.lanes));
    memcpy(h->memory.base + DATA, data, COMPARED);
    memset(h->memory.base + PRIVATE, 0, DATA_SIZE - 0x80000);
    rng_registers(&rng, h);
    h->warp.x[0] = 0;
    h->warp.x[1] = CODE + (uint32_t)text->data.size;
    h->warp.x[2] = LDS;
    h->warp.x[4] = 0;
    h->warp.x[10] = DATA;
    struct cy_kernel_info *kernels;
    struct cy_object *object = (struct cy_object *)(uintptr_t)&c->object; /* the list goes to its arena */
    h->warp.pds_size = cy_object_kernels(object, &kernels) ? kernels[0].pds_bytes : 0;
    if (!h->warp.pds_size)
        h->warp.pds_size = 4;
    enum cy_stop stop;
    do
        stop = cy_warp_run(&h->warp, 8 * RUN_LIMIT);
    while (stop == CY_STOP_BARRIER || stop == CY_STOP_PRINT);
    cy_buf_free(&code);
    return stop;
}

static inline void compile_one(struct ir_func *func, const struct ir_module *module, struct compiled *c, bool with_text)
{
    ir_analyse_cfg(func);
    ir_analyse_uniformity(func);
    const struct cc_dump dump = {with_text ? "all" : NULL, &c->dump};
    struct cy_arena arena = {0};
    const char *wrong = ir_validate_uniformity(func, &arena);
    c->ok = c->ok && CHECK(!wrong) &&
            cy_backend(func, module, &c->object, &c->stats, with_text ? &c->assembly : NULL, &dump, &c->diags);
    cy_arena_free(&arena);
}

/* Functions of the module first, then the kernel. */
static inline void compile(struct ir_func *func, struct ir_module *module, struct compiled *c, bool with_text)
{
    memset(c, 0, sizeof(*c));
    c->object.name = "test";
    c->object.machine = CY_EM_RISCV;
    c->object.type = CY_ET_REL;
    c->ok = true;
    for (size_t i = 0; module && i < module->funcs.count; i++) {
        compile_one(&module->funcs.at[i], module, c, with_text);
        cy_backend_stats_free(&c->stats);
    }
    compile_one(func, module, c, with_text);
}

/* -1: memory is as expected; otherwise the offset of the first difference. */
static inline int64_t first_difference(const struct harness *h, const uint8_t *expected)
{
    const uint8_t *got = h->memory.base + DATA;
    for (uint32_t i = 0; i < COMPARED; i++)
        if (got[i] != expected[i])
            return i;
    return -1;
}

#endif
