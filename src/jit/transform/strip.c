/* Which work-items run together: strips as wide as they were asked for, or wider in the shortest kernels, that divide the rows of the workgroup; a warp, where it shows
 * which lanes run together. */
#include "jit/transform/transform.h"

/* Guest instructions that it is made of: at most `most` + 1. */
static uint32_t count_instructions(const struct cy_sir_func *func, uint32_t most)
{
    uint32_t count = 0, pcs[64] = {0};
    for (size_t b = 0; b < func->blocks.count && count <= most; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count && count <= most; i++) {
            const uint32_t pc = cy_sir_at(func, func->blocks.at[b].list.at[i])->pc;
            uint32_t k = 0;
            while (k < count && pcs[k] != pc)
                k++;
            if (pc && k == count)
                pcs[count++] = pc;
        }
    return count;
}

/* Next to nothing per lane: the strips' own cost counts. */
static bool is_short(const struct cy_sir_func *func, const struct cy_jit_request *request)
{
    enum { SHORT = 40 };
    return !request->is_fixed && request->threads >= CY_JIT_MAX_STRIP && request->local[0] % CY_JIT_MAX_STRIP == 0 &&
           count_instructions(func, SHORT) <= SHORT;
}

bool cy_sir_choose_strip(struct cy_sir_func *func, const struct cy_jit_request *request)
{
    const uint32_t *local = request->local, row = cy_jit_row(local);
    const bool in_lockstep = request->exchanges || request->counts || func->exchanges;
    struct cy_sir_strip *strip = &func->strip;
    strip->items = strip->row = local[0] * local[1] * local[2];
    strip->lanes = in_lockstep ? request->threads : is_short(func, request) ? CY_JIT_MAX_STRIP : request->strip;
    while (!in_lockstep && strip->lanes > 1 &&
           (request->threads % strip->lanes || (row > strip->lanes && row % strip->lanes)))
        strip->lanes--;
    for (strip->width = 2; strip->width < strip->lanes;)
        strip->width *= 2;
    strip->is_whole = request->whole && strip->row % strip->lanes == 0;
    return !in_lockstep || (strip->lanes >= 2 && strip->lanes <= CY_JIT_MAX_STRIP);
}
