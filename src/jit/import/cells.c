/* Registers that are the warp's state.
 *
 * An sGPR has one value for the warp, left by whichever lanes wrote it last; a value has one for each lane, left by what that lane went
 * through.  They differ only where lanes wait while others write: at the join of a vector branch, or at its other side.  There a
 * register needs no cell if nobody reads it any more, or if all who arrive at the join have what it had before they parted, as stack
 * pointers have.
 *
 * vGPRs are values of lanes, unless the interpreter looks at elements of lanes that are not active. */
#include "jit/import/import_priv.h"

/* ---- what looks across lanes ---- */

static bool looks_across(const struct inst *inst)
{
    const struct cy_effects *effects = &inst->effects;
    return effects->crosses_lanes && effects->row->format != CY_FORMAT_MVXS;
}

void find_cells(struct importer *im)
{
    im->sees_order = im->request->exchanges;
    for (size_t i = 0; i < im->listing.count; i++) {
        const struct inst *inst = inst_at(im, im->listing.at[i]);
        im->sees_order |= inst->effects.csr == CY_CSR_PRINT || looks_across(inst);
        for (unsigned k = 0; k < CY_COUNT(im->cells.v) && looks_across(inst); k++)
            im->cells.v[k] |= inst->effects.reads.v[k] | inst->effects.writes.v[k];
    }
}

/* ---- what others write while lanes wait ---- */

static bool is_same(struct held a, struct held b)
{
    return a.value == b.value && a.is_half == b.is_half && a.is_high == b.is_high;
}

/* All who come to the join from between have the register as it was, in a value that is not made anew there. */
static bool is_kept(const struct importer *im, const struct region *between, uint32_t branch, uint32_t join,
                    unsigned number)
{
    const struct held before = held_at_end(im, branch, number);
    if (!before.value || is_inside(between, cy_sir_at(im->func, before.value)->block))
        return false;
    for (uint32_t i = im->graph.pred_start[join]; i < im->graph.pred_start[join + 1]; i++) {
        const uint32_t from = im->graph.pred[i];
        if ((from == branch || is_inside(between, from)) && !is_same(held_at_end(im, from, number), before))
            return false;
    }
    return true;
}

/* Registers that lanes read after they have waited, which others may have written meanwhile. */
static uint64_t written_while_waiting(const struct importer *im, const struct region *region,
                                      const struct cy_sir_block *block)
{
    uint64_t written[2];
    for (unsigned i = 0; i < 2; i++)
        written[i] = block->succ[i] == block->join ? 0 : region->sides[block->succ[i]].written;
    return ((written[0] | written[1]) & im->live[block->join].x) | (written[1] & im->live[block->succ[0]].x) |
           (written[0] & im->live[block->succ[1]].x);
}

static uint64_t needs_cells(struct importer *im, const struct region *region, struct region *between, uint32_t branch)
{
    const struct cy_sir_block *block = &im->func->blocks.at[branch];
    const uint64_t written = written_while_waiting(im, region, block) & ~im->cells.x;
    uint64_t needed = 0;
    if (!written)
        return 0;
    find_region(im, between, branch, block->join);
    for (unsigned r = 1; r < 64; r++)
        if (written >> r & 1 && !is_kept(im, between, branch, block->join, r))
            needed |= 1ull << r;
    return needed;
}

bool has_all_cells(struct importer *im)
{
    struct region region = {0}, between = {0};
    uint64_t needed = 0;
    for (size_t i = 0, count; i < im->partings.count; i += count) {
        count = partings_of_join(im, i);
        find_sides(im, &region, &im->partings.at[i], count);
        for (size_t k = i; k < i + count; k++)
            needed |= needs_cells(im, &region, &between, im->partings.at[k].branch);
    }
    cy_vec_free(&region.blocks);
    cy_vec_free(&between.blocks);
    im->cells.x |= needed;
    im->sees_order |= needed != 0; /* which side runs last decides what is left */
    return !needed;
}
