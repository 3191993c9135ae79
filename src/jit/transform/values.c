/* What has been computed already is not computed again: dominator-tree value numbering.
 *
 * A value of a lane is there in every block that its own block dominates, whichever other lanes are active, so that pure operations are
 * as in scalar code.  A load is made again only if something between may have written: within blocks, and from a block into one that
 * is entered from nowhere else.  Not where lanes of a warp exchange values: others may write while these wait. */
#include "jit/transform/edit.h"
#include "jit/transform/transform.h"

/* What stands between: a load of one lane may be reused for as long as the first is the same, what sees which lanes are active for as
 * long as both are. */
struct moment {
    uint32_t writes, lanes;
};

struct entry {
    cy_sir_value value;
    struct moment moment;
};

struct values {
    struct cy_sir_edit edit;
    struct cy_arena arena;
    struct cy_dominators above;
    bool *is_join;
    struct entry *table; /* those that no block dominates any more, which has not been visited, are overwritten */
    size_t table_size;
    struct moment now, *at_end; /* by block */
    uint32_t moments;
};

/* ---- what is the same ---- */

static bool is_scalar_load(const struct cy_sir_func *func, const struct cy_sir_insn *insn)
{
    return insn->op == CY_SIR_LOAD && func->accesses.at[insn->access].is_scalar;
}

static bool is_numbered(const struct cy_sir_func *func, const struct cy_sir_insn *insn)
{
    switch (insn->op) {
    case CY_SIR_UNDEF: return false;
    case CY_SIR_PHI:
    case CY_SIR_LAST: return true;
    case CY_SIR_LOAD: return !func->exchanges;
    default: return cy_sir_ops[insn->op].flags & CY_SIR_PURE;
    }
}

/* What a value depends on beside its arguments. */
static struct moment moment_of(const struct values *v, const struct cy_sir_insn *insn)
{
    struct moment moment = {0, 0};
    if (insn->op == CY_SIR_LOAD)
        moment.writes = v->now.writes;
    if (insn->op == CY_SIR_LAST || is_scalar_load(v->edit.func, insn))
        moment.lanes = v->now.lanes;
    return moment;
}

static bool are_same_accesses(const struct cy_sir_func *func, const struct cy_sir_insn *x, const struct cy_sir_insn *y)
{
    if (x->access == y->access)
        return true;
    const struct cy_sir_access *a = &func->accesses.at[x->access], *b = &func->accesses.at[y->access];
    return a->bytes == b->bytes && a->space == b->space && a->scale == b->scale &&
           a->is_index_signed == b->is_index_signed && a->is_scalar == b->is_scalar && a->offset == b->offset &&
           a->align == b->align;
}

static bool are_same_arguments(const struct values *v, const struct cy_sir_insn *x, const struct cy_sir_insn *y)
{
    const struct cy_sir_func *func = v->edit.func;
    if (x->op == CY_SIR_PHI) {
        for (size_t i = 0; x->block == y->block && i < func->blocks.at[x->block].preds.count; i++)
            if (func->phi_args.at[x->args[0] + i] != func->phi_args.at[y->args[0] + i])
                return false;
        return x->block == y->block;
    }
    const bool is_turned = cy_sir_ops[x->op].flags & CY_SIR_COMMUTES && x->args[0] == y->args[1];
    return x->args[is_turned] == y->args[0] && x->args[!is_turned] == y->args[1] && x->args[2] == y->args[2];
}

static bool are_same(const struct values *v, const struct entry *entry, const struct cy_sir_insn *insn,
                     struct moment moment)
{
    const struct cy_sir_insn *other = cy_sir_at(v->edit.func, entry->value);
    return other->op == insn->op && other->type == insn->type && other->imm == insn->imm &&
           entry->moment.writes == moment.writes && entry->moment.lanes == moment.lanes &&
           are_same_arguments(v, other, insn) &&
           (insn->op != CY_SIR_LOAD || are_same_accesses(v->edit.func, other, insn));
}

static uint64_t mix(uint64_t hash, uint64_t with)
{
    hash = (hash ^ with) * 0x9e3779b97f4a7c15ull;
    return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct values *v, const struct cy_sir_insn *insn, struct moment moment)
{
    const struct cy_sir_func *func = v->edit.func;
    uint64_t hash = mix(mix(insn->op, insn->type), insn->imm);
    hash = mix(mix(hash, moment.writes), moment.lanes);
    if (insn->op == CY_SIR_PHI) {
        for (size_t i = 0; i < func->blocks.at[insn->block].preds.count; i++)
            hash = mix(hash, func->phi_args.at[insn->args[0] + i]);
        return mix(hash, insn->block);
    }
    if (insn->op == CY_SIR_LOAD)
        hash = mix(hash, (uint64_t)func->accesses.at[insn->access].offset);
    if (cy_sir_ops[insn->op].flags & CY_SIR_COMMUTES)
        return mix(hash, ((uint64_t)insn->args[0] ^ insn->args[1]) + insn->args[2]);
    return mix(mix(mix(hash, insn->args[0]), insn->args[1]), insn->args[2]);
}

/* The value that is there already, or this one, which is from now on. */
static cy_sir_value find(struct values *v, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(v->edit.func, value);
    const struct moment moment = moment_of(v, insn);
    size_t at = hash_of(v, insn, moment) & (v->table_size - 1);
    while (v->table[at].value && !are_same(v, &v->table[at], insn, moment))
        at = (at + 1) & (v->table_size - 1);
    const cy_sir_value other = v->table[at].value;
    if (other && cy_dominates(&v->above, cy_sir_at(v->edit.func, other)->block, insn->block))
        return other;
    v->table[at] = (struct entry){value, moment};
    return value;
}

/* ---- blocks, those that dominate before those that they dominate ---- */

static bool may_write(const struct cy_sir_insn *insn)
{
    return cy_sir_ops[insn->op].flags & CY_SIR_WRITES || insn->op == CY_SIR_LR;
}

/* Lanes that come from one place only find what there was; those that part are fewer. */
static void enter(struct values *v, uint32_t b)
{
    const struct cy_sir_block *block = &v->edit.func->blocks.at[b];
    const bool is_single = block->preds.count == 1;
    const uint32_t from = is_single ? block->preds.at[0] : 0;
    const bool parts = is_single && v->edit.func->blocks.at[from].terminator == CY_SIR_VBRANCH;
    v->now.writes = is_single && !v->is_join[b] ? v->at_end[from].writes : ++v->moments;
    v->now.lanes = is_single && !v->is_join[b] && !parts ? v->at_end[from].lanes : ++v->moments;
}

static cy_sir_value visit(struct values *v, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(v->edit.func, value);
    cy_sir_update_arguments(&v->edit, value);
    if (insn->op == CY_SIR_CONST)
        return cy_sir_same_number(&v->edit, value);
    if (may_write(insn))
        v->now.writes = ++v->moments;
    return is_numbered(v->edit.func, insn) ? find(v, value) : value;
}

static void visit_block(struct values *v, uint32_t b)
{
    struct cy_sir_block *block = &v->edit.func->blocks.at[b];
    size_t kept = 0;
    enter(v, b);
    for (size_t i = 0; i < block->list.count; i++) {
        const cy_sir_value value = block->list.at[i], by = visit(v, value);
        if (by != value)
            cy_sir_edit_replace(&v->edit, value, by);
        else if (cy_sir_at(v->edit.func, value)->op != CY_SIR_CONST)
            block->list.at[kept++] = value;
    }
    block->list.count = kept;
    v->at_end[b] = v->now;
}

static void find_joins(struct values *v)
{
    const struct cy_sir_func *func = v->edit.func;
    v->is_join = cy_arena_alloc(&v->arena, func->blocks.count * sizeof(*v->is_join));
    for (size_t b = 0; b < func->blocks.count; b++)
        if (func->blocks.at[b].terminator == CY_SIR_VBRANCH)
            v->is_join[func->blocks.at[b].join] = true;
}

void cy_sir_pass_values(struct cy_sir_func *func)
{
    const size_t blocks = func->blocks.count;
    struct values v = {.now = {0, 0}};
    cy_sir_edit_begin(&v.edit, func);
    const struct cy_graph graph = cy_sir_graph(&v.arena, func);
    const struct cy_walk walk = cy_graph_walk(&v.arena, &graph, 0);
    uint32_t *order = cy_arena_alloc(&v.arena, (blocks + 1) * sizeof(*order));
    v.above = cy_graph_dominators(&v.arena, &graph, &walk);
    for (v.table_size = 64; v.table_size < 2 * func->insns.count;)
        v.table_size *= 2;
    v.table = cy_arena_alloc(&v.arena, v.table_size * sizeof(*v.table));
    v.at_end = cy_arena_alloc(&v.arena, (blocks + 1) * sizeof(*v.at_end));
    find_joins(&v);
    for (uint32_t i = 0; i < walk.count; i++)
        order[v.above.first[walk.rpo[i]]] = walk.rpo[i];
    for (uint32_t i = 0; i < walk.count; i++)
        visit_block(&v, order[i]);
    cy_sir_edit_end(&v.edit);
    cy_arena_free(&v.arena);
}
