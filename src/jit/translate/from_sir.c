/* The other translator: guest code becomes the strip IR, its passes make it vector form, and that is lowered as it is.  It is chosen by
 * the request; docs/jit.md says how far it is. */
#include "jit/import/import.h"
#include "jit/lower/lower.h"
#include "jit/transform/transform.h"
#include "jit/translate/translator.h"

#include <string.h>

/* Strips as wide as they were asked for, that divide the rows of the workgroup; a warp, where which lanes run together shows. */
static bool choose_strip(struct translator *t, const struct cy_sir_func *func)
{
    const uint32_t *local = t->request->local;
    t->items = t->row = local[0] * local[1] * local[2];
    t->in_lockstep = t->request->exchanges || t->request->counts || func->exchanges;
    if (t->in_lockstep)
        t->lanes = t->request->threads;
    else
        while (t->lanes > 1 &&
               (t->request->threads % t->lanes || (cy_jit_row(local) > t->lanes && cy_jit_row(local) % t->lanes)))
            t->lanes--;
    for (t->w = 2; t->w < t->lanes;)
        t->w *= 2;
    t->all_whole = t->request->whole && t->row % t->lanes == 0;
    return !t->in_lockstep || (t->lanes >= 2 && t->lanes <= CY_JIT_MAX_STRIP) ||
           cannot(t, "warps of %u work-items in lockstep", t->lanes);
}

static void set_strip(struct cy_sir_func *func, const struct translator *t)
{
    func->strip = (struct cy_sir_strip){.lanes = t->lanes, .width = t->w, .items = t->items, .row = t->row};
}

/* The image's header says how many guest instructions it stands for, and whether some may be executed more than once. */
static void count_instructions(struct translator *t, const struct cy_sir_func *func)
{
    const uint32_t base = t->request->code_base;
    t->count = t->request->code_bytes / 4;
    t->insts = cy_arena_alloc(&t->arena, ((size_t)t->count + 2) * sizeof(*t->insts));
    memset(t->insts, 0, ((size_t)t->count + 2) * sizeof(*t->insts));
    t->looping = cy_arena_alloc(&t->arena, (size_t)t->count + 1);
    memset(t->looping, 0, (size_t)t->count + 1);
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(func, func->blocks.at[b].list.at[i]);
            if (insn->pc - base < 4 * t->count)
                t->insts[(insn->pc - base) / 4].reachable = true;
            t->looping[0] |= insn->op == CY_SIR_POLL;
            t->interpreted += insn->op == CY_SIR_INTERPRET;
        }
}

static bool run_passes(struct translator *t, struct cy_sir_func *func)
{
    struct cy_sir_pipeline pipeline = {0};
    const char *wrong = cy_sir_run_passes(func, &pipeline);
    return !wrong || cannot(t, "%s", wrong);
}

bool translate_by_sir(struct translator *t, size_t size)
{
    if (t->request->counts)
        return cannot(t, "counting by the strip IR");
    struct cy_sir_func *func = cy_jit_import(t->request, size, t->why);
    if (!func) {
        t->failed = true;
        return false;
    }
    bool ok = choose_strip(t, func);
    set_strip(func, t);
    ok = ok && run_passes(t, func);
    if (ok) {
        count_instructions(t, func);
        open_llvm(t);
        t->emit = true;
        t->version = MASKED;
        ok = lower_function(t, func);
    }
    cy_sir_free(func);
    return ok;
}
