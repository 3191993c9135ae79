/* Cells become values: what a block reads is what was set last on the way there, and where several ways meet that set different values,
 * a phi.  A set in some lanes chooses between the new value and the old one; a set of the warp's cell gives all lanes what the first
 * active one has.  Nothing is left of cells but what their values' names say.
 *
 * Standard construction: phis at dominance frontiers (promote_phis.c), then one walk over the dominator tree.  Phases start with cells
 * that hold nothing, so they all hang below one root. */
#include "jit/transform/promote_priv.h"

#include "jit/transform/phis.h"

#include <string.h>

static void find_graph(struct promote *p)
{
    const uint32_t root = (uint32_t)p->func->blocks.count;
    CY_VEC(struct cy_edge) edges = {0};
    for (size_t i = 0; i < p->func->phases.count; i++)
        *cy_vec_push(&edges) = (struct cy_edge){root, p->func->phases.at[i]};
    for (uint32_t b = 0; b < root; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&p->func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&p->func->blocks.at[b], i)};
    p->graph = cy_graph_make(&p->arena, root + 1, edges.at, edges.count);
    p->walk = cy_graph_walk(&p->arena, &p->graph, root);
    p->above = cy_graph_dominators(&p->arena, &p->graph, &p->walk);
    cy_vec_free(&edges);
}

/* ---- the walk ---- */

struct change { /* what a cell held before */
    uint32_t cell;
    cy_sir_value before;
};

struct renaming {
    struct promote *p;
    CY_VEC(struct change) changes;
    CY_VEC(cy_sir_value) old; /* the block's instructions */
    size_t *mark;             /* by place in the walk: how many changes there were before */
};

static cy_sir_value now(const struct promote *p, cy_sir_value value)
{
    return value && value < p->count && p->by[value] ? p->by[value] : value;
}

static void hold(struct renaming *r, uint32_t cell, cy_sir_value value)
{
    *cy_vec_push(&r->changes) = (struct change){cell, r->p->now[cell]};
    r->p->now[cell] = value;
}

static bool is_undefined(const struct promote *p, cy_sir_value value)
{
    return cy_sir_at(p->func, value)->op == CY_SIR_UNDEF;
}

/* In all lanes what the first active one has. */
static cy_sir_value first_of(struct promote *p, uint32_t b, cy_sir_value value, cy_sir_value mask)
{
    const enum cy_sir_type type = (enum cy_sir_type)cy_sir_at(p->func, value)->type;
    const cy_sir_value lane = mask ? cy_sir_append(p->func, b, CY_SIR_FIRST, CY_SIR_I32, mask, 0, 0)
                                   : cy_sir_const(p->func, b, CY_SIR_I32, 0);
    return cy_sir_append(p->func, b, CY_SIR_EXTRACT, type, value, lane, 0);
}

static void set(struct renaming *r, uint32_t b, const struct cy_sir_insn *insn)
{
    struct promote *p = r->p;
    const uint32_t cell = (uint32_t)insn->imm;
    const enum cy_sir_type type = p->func->cells.at[cell].type;
    cy_sir_value value = now(p, insn->args[0]), old = p->now[cell];
    const cy_sir_value mask = now(p, insn->mask);
    if (p->func->cells.at[cell].is_warp) {
        value = cy_sir_is_one(&p->shapes.value[insn->args[0]]) ? value : first_of(p, b, value, mask);
    } else if (mask && !(old && is_undefined(p, old))) {
        old = old ? old : cy_sir_const(p->func, b, type, 0);
        value = cy_sir_append(p->func, b, CY_SIR_SELECT, type, mask, value, old);
        cy_sir_at(p->func, value)->variable = p->func->cells.at[cell].variable;
    }
    hold(r, cell, value);
}

/* A cell that nobody has set is 0. */
static void get(struct renaming *r, uint32_t b, cy_sir_value value)
{
    struct promote *p = r->p;
    struct cy_sir_insn *insn = cy_sir_at(p->func, value);
    if (p->now[insn->imm]) {
        p->by[value] = p->now[insn->imm];
        insn->op = CY_SIR_NONE;
        return;
    }
    insn->op = CY_SIR_CONST;
    insn->imm = 0;
    *cy_vec_push(&p->func->blocks.at[b].list) = value;
}

static void rename_block(struct renaming *r, uint32_t b)
{
    struct promote *p = r->p;
    struct cy_sir_block *block = &p->func->blocks.at[b];
    r->old.count = 0;
    for (size_t i = 0; i < block->list.count; i++)
        *cy_vec_push(&r->old) = block->list.at[i];
    block->list.count = 0;
    for (uint32_t i = p->phis_of[b]; i != CY_SIR_NOTHING; i = p->phis.at[i].next)
        hold(r, p->phis.at[i].cell, p->phis.at[i].phi);
    for (size_t i = 0; i < r->old.count; i++) {
        const cy_sir_value value = r->old.at[i];
        struct cy_sir_insn *insn = cy_sir_at(p->func, value);
        if (insn->op == CY_SIR_GET) {
            get(r, b, value);
            continue;
        }
        if (insn->op == CY_SIR_SET) {
            const struct cy_sir_insn what = *insn;
            insn->op = CY_SIR_NONE;
            set(r, b, &what);
            continue;
        }
        for (unsigned k = 0; k < CY_COUNT(insn->args) && insn->op != CY_SIR_PHI; k++)
            insn->args[k] = now(p, insn->args[k]);
        insn->mask = now(p, insn->mask);
        *cy_vec_push(&block->list) = value;
    }
    block->condition = now(p, block->condition);
}

/* What cells hold at the end of block `from` is what phis of its successor get. */
static void give(struct promote *p, uint32_t from, uint32_t to)
{
    const struct cy_sir_block *block = &p->func->blocks.at[to];
    for (size_t k = 0; p->phis_of[to] != CY_SIR_NOTHING && k < block->preds.count; k++) {
        if (block->preds.at[k] != from)
            continue;
        for (uint32_t i = p->phis_of[to]; i != CY_SIR_NOTHING; i = p->phis.at[i].next) {
            const struct promoted *one = &p->phis.at[i];
            const cy_sir_value held = p->now[one->cell];
            const cy_sir_value value = held ? held : cy_sir_const(p->func, from, p->func->cells.at[one->cell].type, 0);
            p->func->phi_args.at[cy_sir_at(p->func, one->phi)->args[0] + k] = value;
        }
    }
}

static void leave_to(struct renaming *r, size_t mark)
{
    while (r->changes.count > mark) {
        const struct change last = r->changes.at[--r->changes.count];
        r->p->now[last.cell] = last.before;
    }
}

/* Blocks in preorder of the dominator tree; those that are on the way up from the next one stay as they were left. */
static void rename_all(struct promote *p)
{
    struct renaming r = {.p = p};
    const uint32_t root = p->graph.count - 1;
    uint32_t *order = cy_arena_alloc(&p->arena, (p->walk.count + 1) * sizeof(*order)), *path, depth = 0;
    path = cy_arena_alloc(&p->arena, (p->walk.count + 1) * sizeof(*path));
    r.mark = cy_arena_alloc(&p->arena, (p->walk.count + 1) * sizeof(*r.mark));
    for (uint32_t i = 0; i < p->walk.count; i++)
        order[p->above.first[p->walk.rpo[i]]] = p->walk.rpo[i];
    for (uint32_t i = 0; i < p->walk.count; i++) {
        const uint32_t b = order[i];
        while (depth && !cy_dominates(&p->above, path[depth - 1], b))
            leave_to(&r, r.mark[--depth]);
        path[depth] = b;
        r.mark[depth++] = r.changes.count;
        if (b == root)
            continue;
        rename_block(&r, b);
        for (uint32_t k = 0; k < cy_sir_succ_count(&p->func->blocks.at[b]); k++) {
            bool is_again = false;
            for (uint32_t j = 0; j < k; j++)
                is_again |= cy_sir_succ(&p->func->blocks.at[b], j) == cy_sir_succ(&p->func->blocks.at[b], k);
            if (!is_again)
                give(p, b, cy_sir_succ(&p->func->blocks.at[b], k));
        }
    }
    cy_vec_free(&r.changes);
    cy_vec_free(&r.old);
}

/* ---- blocks that nobody reaches ---- */

static void forget_cells(struct promote *p, uint32_t b)
{
    struct cy_sir_block *block = &p->func->blocks.at[b];
    size_t kept = 0;
    for (size_t i = 0; i < block->list.count; i++) {
        struct cy_sir_insn *insn = cy_sir_at(p->func, block->list.at[i]);
        if (insn->op == CY_SIR_GET) {
            insn->op = CY_SIR_UNDEF;
            insn->imm = 0;
        }
        for (unsigned k = 0; k < CY_COUNT(insn->args) && insn->op != CY_SIR_PHI; k++)
            insn->args[k] = now(p, insn->args[k]);
        insn->mask = now(p, insn->mask);
        if (insn->op != CY_SIR_SET)
            block->list.at[kept++] = block->list.at[i];
    }
    block->list.count = kept;
    block->condition = now(p, block->condition);
    for (uint32_t k = 0; k < cy_sir_succ_count(block); k++)
        give(p, b, cy_sir_succ(block, k));
}

/* Phis that were there before. */
static void rename_phi_args(struct promote *p)
{
    for (size_t i = 0; i < p->func->phi_args.count; i++)
        p->func->phi_args.at[i] = now(p, p->func->phi_args.at[i]);
}

void cy_sir_pass_promote(struct cy_sir_func *func)
{
    struct promote p = {.func = func, .count = func->insns.count};
    const size_t cells = func->cells.count, blocks = func->blocks.count;
    p.shapes = cy_sir_find_shapes(&p.arena, func);
    p.phis_of =
        memset(cy_arena_alloc(&p.arena, (blocks + 1) * sizeof(*p.phis_of)), 0xff, (blocks + 1) * sizeof(*p.phis_of));
    p.now = memset(cy_arena_alloc(&p.arena, (cells + 1) * sizeof(*p.now)), 0, (cells + 1) * sizeof(*p.now));
    p.by = memset(cy_arena_alloc(&p.arena, (p.count + 1) * sizeof(*p.by)), 0, (p.count + 1) * sizeof(*p.by));
    find_graph(&p);
    promote_place_phis(&p);
    rename_all(&p);
    for (uint32_t b = 0; b < blocks; b++)
        if (p.walk.place[b] == CY_NO_NODE)
            forget_cells(&p, b);
    rename_phi_args(&p);
    func->cells.count = 0;
    cy_sir_remove_phis(func);
    cy_vec_free(&p.phis);
    cy_sir_free_shapes(&p.shapes);
    cy_arena_free(&p.arena);
}
