/* Accesses of a block with the same base, index and mask, which differ only by their offsets, are checked together, before the first of
 * them: each load and store by an address that may fault gets a group, and each group one operation that checks it.
 *
 *     %3 = load i32 %1, index %2, access 0      check %1, index %2, access 0, group 0
 *     %4 = load i32 %1, index %2, access 1      %3 = load i32 %1, index %2, access 0
 *                                               %4 = load i32 %1, index %2, access 1
 *
 * A fault is then found earlier than by the machine, before other instructions of the block: only stores of the same block tell the
 * difference. */
#include "jit/transform/transform.h"

#include "jit/analyse/address.h"

#include <string.h>

struct open { /* a group that can still grow */
    cy_sir_value first;
    uint32_t number;
    int64_t anchor; /* the largest word's offset: others are multiples of their size from it */
};

struct groups {
    struct cy_sir_func *func;
    struct cy_sir_shapes shapes;
    CY_VEC(struct open) open;
    CY_VEC(cy_sir_value) list; /* of the block, as it becomes */
    bool *are_taken;           /* by access: it is an instruction's */
    size_t access_count;       /* of those that were there before */
};

static const struct cy_sir_access *access_of(const struct groups *g, const struct cy_sir_insn *insn)
{
    return &g->func->accesses.at[insn->access];
}

/* Copies of an instruction each have an access, as their shapes may differ. */
static void own_access(struct groups *g, struct cy_sir_insn *insn)
{
    if (insn->op != CY_SIR_LOAD && insn->op != CY_SIR_STORE)
        return;
    if (insn->access < g->access_count && g->are_taken[insn->access]) {
        struct cy_sir_access copy = *access_of(g, insn);
        copy.group = CY_SIR_NOTHING;
        insn->access = (uint32_t)g->func->accesses.count;
        *cy_vec_push(&g->func->accesses) = copy;
    } else if (insn->access < g->access_count) {
        g->are_taken[insn->access] = true;
    }
}

static bool is_checked(struct groups *g, const struct cy_sir_insn *insn)
{
    return (insn->op == CY_SIR_LOAD || insn->op == CY_SIR_STORE) && access_of(g, insn)->group == CY_SIR_NOTHING &&
           !cy_sir_is_constant_load(&g->shapes, insn);
}

static bool is_same_address(const struct groups *g, const struct cy_sir_insn *a, const struct cy_sir_insn *b)
{
    const struct cy_sir_access *x = access_of(g, a), *y = access_of(g, b);
    return a->args[0] == b->args[0] && a->args[1] == b->args[1] && a->mask == b->mask && x->space == y->space &&
           x->scale == y->scale && x->is_index_signed == y->is_index_signed && x->is_scalar == y->is_scalar;
}

/* Offsets that are far apart need not be in one piece of memory. */
static bool fits(const struct groups *g, const struct open *open, const struct cy_sir_insn *insn)
{
    enum { MOST = 4096 };
    const struct cy_sir_access *access = access_of(g, insn);
    const struct cy_sir_group *group = &g->func->groups.at[open->number];
    const int64_t low = access->offset, high = low + access->bytes;
    const uint32_t least = access->align < group->align ? access->align : group->align;
    return is_same_address(g, cy_sir_at(g->func, open->first), insn) && (low - open->anchor) % least == 0 &&
           (high > group->high ? high : group->high) - (low < group->low ? low : group->low) <= MOST;
}

/* The range begins at a multiple of the alignment from the anchor: what is checked is whether that is aligned. */
static void grow(struct groups *g, struct open *open, const struct cy_sir_access *access)
{
    struct cy_sir_group *group = &g->func->groups.at[open->number];
    const int64_t low = access->offset, high = low + access->bytes;
    if (access->align > group->align) {
        group->align = access->align;
        open->anchor = low;
    }
    group->high = high > group->high ? high : group->high;
    group->rights |= access->rights;
    const int64_t below = open->anchor - (low < group->low ? low : group->low), align = group->align;
    group->low = open->anchor - (below + align - 1) / align * align;
}

static void make_group(struct groups *g, cy_sir_value value)
{
    const struct cy_sir_insn insn = *cy_sir_at(g->func, value);
    const struct cy_sir_access *access = access_of(g, &insn);
    const cy_sir_value check = cy_sir_make(g->func, CY_SIR_CHECK, CY_SIR_VOID, insn.args[0], insn.args[1], 0);
    struct cy_sir_insn *made = cy_sir_at(g->func, check);
    made->imm = g->func->groups.count;
    made->access = insn.access;
    made->mask = insn.mask;
    made->pc = insn.pc;
    made->block = insn.block;
    *cy_vec_push(&g->open) =
        (struct open){.first = value, .number = (uint32_t)g->func->groups.count, .anchor = access->offset};
    *cy_vec_push(&g->func->groups) = (struct cy_sir_group){.low = access->offset,
                                                           .high = access->offset + access->bytes,
                                                           .rights = access->rights,
                                                           .space = access->space,
                                                           .align = access->align};
    *cy_vec_push(&g->list) = check;
}

static void add_access(struct groups *g, cy_sir_value value)
{
    size_t k = 0;
    while (k < g->open.count && !fits(g, &g->open.at[k], cy_sir_at(g->func, value)))
        k++;
    if (k == g->open.count)
        make_group(g, value);
    struct cy_sir_access *access = &g->func->accesses.at[cy_sir_at(g->func, value)->access];
    grow(g, &g->open.at[k], access);
    access->group = g->open.at[k].number;
}

static void group_block(struct groups *g, uint32_t b)
{
    g->open.count = g->list.count = 0;
    for (size_t i = 0; i < g->func->blocks.at[b].list.count; i++) {
        const cy_sir_value value = g->func->blocks.at[b].list.at[i];
        own_access(g, cy_sir_at(g->func, value));
        if (is_checked(g, cy_sir_at(g->func, value)))
            add_access(g, value);
        *cy_vec_push(&g->list) = value;
    }
    g->func->blocks.at[b].list.count = 0;
    for (size_t i = 0; i < g->list.count; i++)
        *cy_vec_push(&g->func->blocks.at[b].list) = g->list.at[i];
}

void cy_sir_pass_groups(struct cy_sir_func *func)
{
    struct cy_arena arena = {0};
    struct groups g = {.func = func, .shapes = cy_sir_find_shapes(&arena, func), .access_count = func->accesses.count};
    g.are_taken = memset(cy_arena_alloc(&arena, g.access_count + 1), false, g.access_count + 1);
    for (uint32_t b = 0; b < func->blocks.count; b++)
        group_block(&g, b);
    cy_vec_free(&g.open);
    cy_vec_free(&g.list);
    cy_sir_free_shapes(&g.shapes);
    cy_arena_free(&arena);
}
