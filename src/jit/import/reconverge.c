/* Where the lanes meet that a vector branch has parted: at the join that the CSR rpc names.  Where that is not known, or lanes need not come
 * there, they meet where all their paths do; which lanes run together shows only in the order of what they do. */
#include "jit/import/import_priv.h"

#include <stdlib.h>

/* ---- what lanes can reach without passing a join ---- */

static void enter(struct region *region, uint32_t block, uint32_t join)
{
    if (block == join || is_inside(region, block))
        return;
    region->mark[block] = region->stamp;
    *cy_vec_push(&region->blocks) = block;
}

static void begin_region(struct importer *im, struct region *region)
{
    if (!region->mark) {
        region->mark = cy_arena_alloc(&im->arena, im->blocks.count * sizeof(*region->mark));
        region->sides = cy_arena_alloc(&im->arena, im->blocks.count * sizeof(*region->sides));
    }
    region->stamp++;
    region->blocks.count = 0;
}

static void enter_both_sides(const struct importer *im, struct region *region, uint32_t branch, uint32_t join)
{
    for (uint32_t i = im->graph.succ_start[branch]; i < im->graph.succ_start[branch + 1]; i++)
        enter(region, im->graph.succ[i], join);
}

static void fill_region(const struct importer *im, struct region *region, uint32_t join)
{
    for (size_t next = 0; next < region->blocks.count; next++)
        enter_both_sides(im, region, region->blocks.at[next], join);
}

void find_region(struct importer *im, struct region *region, uint32_t branch, uint32_t join)
{
    begin_region(im, region);
    enter_both_sides(im, region, branch, join);
    fill_region(im, region, join);
}

static int later_first(const void *a, const void *b)
{
    const uint32_t first = *(const uint32_t *)a, second = *(const uint32_t *)b;
    return (first < second) - (first > second);
}

static uint64_t written_in(const struct importer *im, uint32_t block)
{
    uint64_t written = 0;
    for (uint32_t i = 0; i < im->blocks.at[block].count; i++)
        written |= inst_at(im, listed(im, block, i))->effects.writes.x;
    return written;
}

static bool is_end(const struct importer *im, uint32_t block)
{
    const struct piece *tail = im->blocks.at[block].tail;
    return !successor_count(tail) && inst_at(im, tail->last)->effects.flow == CY_FLOW_END;
}

/* One step backwards over a block; true: something is new. */
static bool extend_side(const struct importer *im, struct region *region, uint32_t block, uint32_t join)
{
    struct side *side = &region->sides[block];
    const struct side before = *side;
    for (uint32_t i = im->graph.succ_start[block]; i < im->graph.succ_start[block + 1]; i++) {
        const uint32_t next = im->graph.succ[i];
        if (next == join) {
            side->arrives = true;
            continue;
        }
        side->written |= region->sides[next].written;
        side->ends |= region->sides[next].ends;
        side->arrives |= region->sides[next].arrives;
    }
    return side->written != before.written || side->ends != before.ends || side->arrives != before.arrives;
}

void find_sides(struct importer *im, struct region *region, const struct parting *partings, size_t count)
{
    const uint32_t join = partings[0].join;
    begin_region(im, region);
    for (size_t i = 0; i < count; i++)
        enter_both_sides(im, region, partings[i].branch, join);
    fill_region(im, region, join);
    qsort(region->blocks.at, region->blocks.count, sizeof(*region->blocks.at), later_first);
    for (size_t i = 0; i < region->blocks.count; i++) {
        const uint32_t block = region->blocks.at[i];
        region->sides[block] = (struct side){written_in(im, block), is_end(im, block), false};
    }
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (size_t i = 0; i < region->blocks.count; i++)
            has_changed |= extend_side(im, region, region->blocks.at[i], join);
    }
}

/* ---- branches by their joins ---- */

static bool is_vector_branch(const struct importer *im, const struct piece *piece)
{
    return successor_count(piece) == 2 && inst_at(im, piece->last)->effects.flow == CY_FLOW_VECTOR_BRANCH;
}

static int by_join(const void *a, const void *b)
{
    const struct parting *first = a, *second = b;
    if (first->join != second->join)
        return first->join < second->join ? -1 : 1;
    return (first->branch > second->branch) - (first->branch < second->branch);
}

static uint32_t join_of(const struct importer *im, uint32_t block)
{
    const struct piece *tail = im->blocks.at[block].tail;
    return tail->join == NONE ? NONE : im->pieces.at[tail->join]->block;
}

static void list_partings(struct importer *im)
{
    im->partings.count = 0;
    for (uint32_t b = 0; b < im->blocks.count; b++)
        if (is_vector_branch(im, im->blocks.at[b].tail))
            *cy_vec_push(&im->partings) = (struct parting){join_of(im, b), b};
    if (im->partings.count)
        qsort(im->partings.at, im->partings.count, sizeof(*im->partings.at), by_join);
}

size_t partings_of_join(const struct importer *im, size_t first)
{
    size_t end = first;
    while (end < im->partings.count && im->partings.at[end].join == im->partings.at[first].join)
        end++;
    return end - first;
}

/* ---- joins ---- */

/* Lanes of both sides come to the join, or wait for ever, or trap; they do not end. */
static bool is_join_of(const struct importer *im, const struct region *region, const struct parting *parting)
{
    bool arrives = false, ends = false;
    for (uint32_t i = im->graph.succ_start[parting->branch]; i < im->graph.succ_start[parting->branch + 1]; i++) {
        const uint32_t side = im->graph.succ[i];
        arrives |= side == parting->join || region->sides[side].arrives;
        ends |= side != parting->join && region->sides[side].ends;
    }
    return arrives && !ends;
}

static bool find_other_join(struct importer *im, struct region *region, const struct cy_dominators *below,
                            uint32_t branch)
{
    const struct parting parting = {below->idom[branch], branch};
    struct piece *tail = im->pieces.at[im->blocks.at[branch].tail->number];
    if (parting.join != CY_NO_NODE)
        find_sides(im, region, &parting, 1);
    if (parting.join == CY_NO_NODE || !is_join_of(im, region, &parting))
        return import_cannot(im, "lanes that part at 0x%x do not meet again", pc_of(im, tail->last));
    tail->join = im->blocks.at[parting.join].head->number;
    return true;
}

static void check_joins(struct importer *im, struct region *region, bool *is_wrong)
{
    for (size_t i = 0, count; i < im->partings.count; i += count) {
        count = partings_of_join(im, i);
        const bool is_known = im->partings.at[i].join != NONE;
        if (is_known)
            find_sides(im, region, &im->partings.at[i], count);
        for (size_t k = i; k < i + count; k++)
            is_wrong[im->partings.at[k].branch] = !is_known || !is_join_of(im, region, &im->partings.at[k]);
    }
}

static void mark_parted(struct importer *im, struct region *region)
{
    im->is_parted = cy_arena_alloc(&im->arena, im->blocks.count);
    for (size_t i = 0; i < im->partings.count; i += partings_of_join(im, i)) {
        find_sides(im, region, &im->partings.at[i], partings_of_join(im, i));
        for (size_t k = 0; k < region->blocks.count; k++)
            im->is_parted[region->blocks.at[k]] = true;
    }
}

bool find_joins(struct importer *im)
{
    struct region region = {0};
    bool *is_wrong = cy_arena_alloc(&im->arena, im->blocks.count), is_done = true;
    const struct cy_dominators below = cy_graph_post_dominators(&im->arena, &im->graph);
    list_partings(im);
    check_joins(im, &region, is_wrong);
    for (uint32_t b = 0; b < im->blocks.count && is_done; b++)
        is_done = !is_wrong[b] || find_other_join(im, &region, &below, b);
    list_partings(im);
    if (is_done)
        mark_parted(im, &region);
    cy_vec_free(&region.blocks);
    return is_done;
}
