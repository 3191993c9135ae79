/* Coalescing: the two registers of a copy become one if their live ranges do not overlap.  Phis, tied operands and
 * arguments are lowered to copies, most of which disappear here. */
#include "cc/codegen/mir.h"

#include <stdlib.h>
#include <string.h>

struct candidate {
    mir_reg a, b;
    float weight;
    uint32_t order; /* to make sorting stable */
};

/* The first range that ends at or after this position. */
static uint32_t find_range(const struct mir_ranges *ranges, uint32_t position)
{
    uint32_t low = 0, high = ranges->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (ranges->at[middle].to < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool ranges_meet(const struct mir_ranges *a, const struct mir_ranges *b)
{
    /* look the shorter list up in the longer one */
    if (a->count > b->count) {
        const struct mir_ranges *swap = a;
        a = b;
        b = swap;
    }
    for (uint32_t i = 0; i < a->count; i++) {
        uint32_t at = find_range(b, a->at[i].from);
        if (at < b->count && b->at[at].from <= a->at[i].to)
            return true;
    }
    return false;
}

/* Adds one range.  Merging many short lists into a long one, as at a phi of many predecessors, costs little each. */
static void insert_range(struct mir_ranges *into, struct mir_range range)
{
    uint32_t at = find_range(into, range.from);
    bool before = at && into->at[at - 1].to + 1 == range.from,
         behind = at < into->count && into->at[at].from == range.to + 1;
    if (before && behind) {
        into->at[at - 1].to = into->at[at].to;
        memmove(into->at + at, into->at + at + 1, (--into->count - at) * sizeof(*into->at));
    } else if (before) {
        into->at[at - 1].to = range.to;
    } else if (behind) {
        into->at[at].from = range.from;
    } else {
        if (into->count == into->capacity) {
            into->capacity = into->capacity ? 2 * into->capacity : 2;
            into->at = cy_xrealloc(into->at, into->capacity * sizeof(*into->at));
        }
        memmove(into->at + at + 1, into->at + at, (into->count++ - at) * sizeof(*into->at));
        into->at[at] = range;
    }
}

static void merge_ranges(struct mir_ranges *into, struct mir_ranges *from)
{
    if (into->count < from->count) {
        struct mir_ranges swap = *into;
        *into = *from;
        *from = swap;
    }
    if (from->count * 8 < into->count) {
        for (uint32_t i = 0; i < from->count; i++)
            insert_range(into, from->at[i]);
        cy_free(from->at);
        *from = (struct mir_ranges){0};
        return;
    }
    uint32_t count = into->count + from->count, i = 0, k = 0, n = 0;
    struct mir_range *all = cy_xrealloc(NULL, (count + 1) * sizeof(*all));
    while (i < into->count || k < from->count) {
        bool first = k == from->count || (i < into->count && into->at[i].from < from->at[k].from);
        struct mir_range next = first ? into->at[i++] : from->at[k++];
        if (n && all[n - 1].to + 1 == next.from)
            all[n - 1].to = next.to;
        else
            all[n++] = next;
    }
    cy_free(into->at);
    cy_free(from->at);
    *into = (struct mir_ranges){all, n, count + 1};
    *from = (struct mir_ranges){0};
}

static int by_weight(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->weight != b->weight)
        return a->weight > b->weight ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

/* The cost of a copy.  On a back edge that holds only copies it includes the jump that follows. */
static float weight_of(const struct mir_live *live, const struct mir_func *func, uint32_t b)
{
    const struct mir_block *block = &func->blocks.at[b];
    float weight = mir_frequency(block);
    if (block->kind != MIR_JUMP || live->start[block->succ[0]] > live->start[b] || block->has_join)
        return weight;
    for (size_t k = 0; k < block->insns.count; k++)
        if (block->insns.at[k].op != MIR_COPY && block->insns.at[k].op != MIR_LI && block->insns.at[k].op != MIR_DEBUG)
            return weight;
    return 1.5f * weight;
}

static void merge(struct mir_func *func, struct mir_live *live, uint32_t into, uint32_t from)
{
    struct mir_vreg *a = &func->vregs.at[into], *b = &func->vregs.at[from];
    b->leader = into;
    if (a->role == MIR_WHOLE) {
        a->role = b->role;
        a->partner = b->partner;
    }
    merge_ranges(&live->ranges[into], &live->ranges[from]);
}

/* Merges two groups if they do not interfere.  Of two pairs, both halves are merged or none. */
static void try_merge(struct mir_func *func, struct mir_live *live, uint32_t a, uint32_t b)
{
    struct mir_vreg *va = &func->vregs.at[a], *vb = &func->vregs.at[b];
    if (a == b || va->is_temporary || vb->is_temporary || ranges_meet(&live->ranges[a], &live->ranges[b]))
        return;
    if (va->role != MIR_WHOLE && vb->role != MIR_WHOLE) {
        uint32_t pa = mir_index(mir_leader(func, (mir_reg)(MIR_FIRST_VREG + va->partner))),
                 pb = mir_index(mir_leader(func, (mir_reg)(MIR_FIRST_VREG + vb->partner)));
        if (va->role != vb->role || func->vregs.at[pa].is_temporary || func->vregs.at[pb].is_temporary ||
            (pa != pb && ranges_meet(&live->ranges[pa], &live->ranges[pb])))
            return;
        if (pa != pb)
            merge(func, live, pa, pb);
    }
    merge(func, live, a, b);
}

void mir_coalesce(struct mir_func *func, struct mir_live *live)
{
    CY_VEC(struct candidate) candidates = {0};
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        float weight = weight_of(live, func, func->order.at[i]);
        for (size_t k = 0; k < block->insns.count; k++) {
            const struct mir_insn *insn = &block->insns.at[k];
            if (insn->op != MIR_COPY || !mir_is_virtual(insn->operand[0]) || !mir_is_virtual(insn->operand[1]) ||
                mir_class_of(func, insn->operand[0]) != mir_class_of(func, insn->operand[1]))
                continue;
            struct candidate copy = {insn->operand[0], insn->operand[1], weight, (uint32_t)candidates.count};
            *cy_vec_push(&candidates) = copy;
        }
    }
    if (candidates.count)
        qsort(candidates.at, candidates.count, sizeof(*candidates.at), by_weight);
    for (size_t i = 0; i < candidates.count; i++) {
        uint32_t a = mir_index(mir_leader(func, candidates.at[i].a)),
                 b = mir_index(mir_leader(func, candidates.at[i].b));
        try_merge(func, live, a, b);
    }
    cy_vec_free(&candidates);
}
