/* Code under a checker: chosen instructions call it first. */
#include "gpu/engine/engine_priv.h"

#include <string.h>

/* Some lanes must not execute the instruction: it runs for the others, then the mask is as before. */
static const struct cy_uop *run_without(struct cy_warp *w, const struct cy_uop *u, const struct cy_uop *original,
                                        uint64_t refused)
{
    const uint64_t mask = w->mask;
    if (!(w->active & ~refused) || w->run->code->kinds[u - w->run->code->uops] < CY_KIND_VECTOR)
        return cy_next(u);
    w->mask &= ~refused;
    cy_warp_refresh(w);
    const struct cy_uop *next = original->run[w->mode](w, u, 1);
    w->mask = mask;
    cy_warp_refresh(w);
    return next;
}

static const struct cy_uop *watched(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    const struct cy_code *code = w->run->code;
    const size_t at = (size_t)(u - code->uops);
    const struct cy_uop *original = &code->original->uops[at];
    const struct cy_observer *watch = w->run->watch;
    const uint64_t refused = watch->check(watch->context, w, code->base + 4 * (uint32_t)at, &code->insns[at]);
    if (CY_LIKELY(!refused))
        return original->run[w->mode](w, u, left);
    if (w->fault.kind != CY_FAULT_NONE) /* the checker ends the launch here */
        return cy_then(w, cy_fault(w, u, w->fault.kind, w->fault.lane, 0), left);
    return cy_then(w, run_without(w, u, original, refused), left);
}

struct cy_code *cy_code_watch(const struct cy_code *code, const struct cy_observer *observer)
{
    const size_t count = code->size / 4 + 2;
    struct cy_code *copy = cy_try_alloc(sizeof(*copy));
    struct cy_uop *uops = cy_try_alloc(count * sizeof(*uops));
    if (!copy || !uops) {
        cy_free(copy);
        cy_free(uops);
        return NULL;
    }
    memcpy(uops, code->uops, count * sizeof(*uops));
    for (size_t i = 0; i + 2 < count; i++)
        if (uops[i].run[0] != cy_exec_fault &&
            observer->wants(observer->context, code->base + 4 * (uint32_t)i, &code->insns[i]))
            uops[i].run[0] = uops[i].run[1] = uops[i].run[2] = watched;
    *copy = *code;
    copy->uops = uops;
    copy->original = code;
    return copy;
}
