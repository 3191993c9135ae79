/* Divergence and reconvergence (docs/isa.md, "Divergence"): setrpc, vector branches, join. */
#include "gpu/engine/engine_priv.h"

#include <string.h>

/* If all active lanes agree, just jump.  Otherwise push the reconvergence point, push the other side, and run the side
 * with fewer lanes first, on a tie the taken side. */
const struct cy_uop *cy_simt_branch(struct cy_warp *warp, const struct cy_uop *uop, uint64_t taken)
{
    uint64_t active = warp->active, not_taken = warp->mask & ~taken; /* lanes beyond vl count as not taken */
    const struct cy_observer *observer = warp->run->observer;
    if (CY_UNLIKELY(observer && observer->branch))
        observer->branch(observer->context, warp, cy_uop_pc(warp, uop), cy_uop_insn(warp, uop), taken, active);
    if (!taken)
        return cy_next(uop);
    if (taken == active)
        return cy_relative(warp, uop);
    if (warp->depth + 2 > warp->run->stack_depth)
        return cy_fault(warp, uop, CY_FAULT_STACK_OVERFLOW, -1, warp->depth + 2);
    if (CY_UNLIKELY(warp->counts != NULL))
        warp->counts[uop - warp->run->code->uops].divergent++;
    bool taken_first = __builtin_popcountll(taken) <= __builtin_popcountll(not_taken);
    warp->stack[warp->depth++] = (struct cy_simt_entry){warp->rpc, warp->rpc, warp->mask};
    uint32_t other = taken_first ? cy_uop_pc(warp, cy_next(uop)) : cy_target_pc(warp, uop);
    warp->stack[warp->depth++] = (struct cy_simt_entry){warp->rpc, other, taken_first ? not_taken : taken};
    if (CY_UNLIKELY(warp->run->keeps_scalars) && warp->kept) {
        memcpy(warp->kept[warp->depth - 2], warp->x, sizeof(warp->kept[0]));
        memcpy(warp->kept[warp->depth - 1], warp->x, sizeof(warp->kept[0]));
    }
    warp->mask = taken_first ? taken : not_taken;
    cy_warp_refresh(warp);
    return taken_first ? cy_relative(warp, uop) : cy_next(uop);
}
