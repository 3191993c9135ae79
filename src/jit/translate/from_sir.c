/* The other translator: guest code becomes the strip IR, its passes make it vector form, and that is lowered as it is.  It is chosen by
 * the request; docs/jit.md says how far it is. */
#include "jit/import/import.h"
#include "jit/lower/lower.h"
#include "jit/transform/transform.h"
#include "jit/translate/translator.h"

#include <string.h>

static void take_strip(struct translator *t, const struct cy_sir_strip *strip, bool is_ordered)
{
    t->items = strip->items;
    t->row = strip->row;
    t->lanes = strip->lanes;
    t->w = strip->width;
    t->in_lockstep = t->request->exchanges || t->request->counts || is_ordered;
    t->all_whole = t->request->whole && t->row % t->lanes == 0;
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
    struct cy_sir_func *func = cy_jit_import(t->request, size, t->why);
    if (!func) {
        t->failed = true;
        return false;
    }
    func->converts_halves = t->level->converts_halves;
    bool ok = cy_sir_choose_strip(func, t->request) || cannot(t, "warps of %u work-items in lockstep", func->threads);
    ok = ok && run_passes(t, func);
    if (ok) {
        take_strip(t, &func->strip, func->exchanges);
        count_instructions(t, func);
        open_llvm(t);
        t->emit = true;
        t->version = MASKED;
        ok = lower_function(t, func);
    }
    cy_sir_free(func);
    return ok;
}
