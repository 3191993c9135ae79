/* The tables of the strip IR, and building functions. */
#include "jit/sir/sir.h"

#include <assert.h>
#include <string.h>

/* As ops.def and sources.def spell them. */
enum {
    PURE = CY_SIR_PURE,
    COMMUTES = CY_SIR_COMMUTES,
    READS = CY_SIR_READS,
    WRITES = CY_SIR_WRITES,
    FAULTS = CY_SIR_FAULTS,
    ORDERED = CY_SIR_ORDERED,
    LANES = CY_SIR_LANES,
    VECTOR = CY_SIR_VECTOR
};

const struct cy_sir_op_info cy_sir_ops[CY_SIR_OPS] = {
#define OP(id, name, arguments, result, flags, value) [CY_SIR_##id] = {name, arguments, CY_SIR_RESULT_##result, flags},
#include "jit/sir/ops.def"
};

const struct cy_sir_source_info cy_sir_sources[CY_SIR_SOURCES] = {
#define SOURCE(id, name, type, is_uniform, text) [CY_SIR_SOURCE_##id] = {name, text, CY_SIR_##type, is_uniform},
#include "jit/sir/sources.def"
};

unsigned cy_sir_bits(enum cy_sir_type type)
{
    static const uint8_t bits[CY_SIR_TYPES] = {0, 1, 8, 16, 32, 64};
    assert(type < CY_SIR_TYPES);
    return bits[type];
}

/* ---- functions ---- */

struct cy_sir_func *cy_sir_new(const char *name)
{
    struct cy_sir_func *func = cy_xrealloc(NULL, sizeof(*func));
    *func = (struct cy_sir_func){0};
    func->name = cy_arena_strndup(&func->arena, name, strlen(name));
    *cy_vec_push(&func->insns) = (struct cy_sir_insn){.block = CY_SIR_NOTHING}; /* value 0 is none */
    return func;
}

void cy_sir_free(struct cy_sir_func *func)
{
    if (!func)
        return;
    for (size_t b = 0; b < func->blocks.count; b++) {
        cy_vec_free(&func->blocks.at[b].list);
        cy_vec_free(&func->blocks.at[b].preds);
        cy_vec_free(&func->blocks.at[b].cases);
    }
    cy_vec_free(&func->insns);
    cy_vec_free(&func->blocks);
    cy_vec_free(&func->phi_args);
    cy_vec_free(&func->cells);
    cy_vec_free(&func->accesses);
    cy_vec_free(&func->groups);
    cy_vec_free(&func->codes);
    cy_vec_free(&func->phases);
    cy_arena_free(&func->arena);
    cy_free(func);
}

static void *copy_elements(const void *at, size_t count, size_t size)
{
    return count ? memcpy(cy_xrealloc(NULL, count * size), at, count * size) : NULL;
}

/* A vector that was copied with its struct gets elements of its own. */
#define OWN_ELEMENTS(v) ((v)->at = copy_elements((v)->at, (v)->count, sizeof(*(v)->at)), (v)->capacity = (v)->count)

struct cy_sir_func *cy_sir_clone(const struct cy_sir_func *func)
{
    struct cy_sir_func *copy = cy_xrealloc(NULL, sizeof(*copy));
    *copy = *func;
    copy->arena = (struct cy_arena){0};
    copy->name = cy_arena_strndup(&copy->arena, func->name, strlen(func->name));
    OWN_ELEMENTS(&copy->insns);
    OWN_ELEMENTS(&copy->blocks);
    OWN_ELEMENTS(&copy->phi_args);
    OWN_ELEMENTS(&copy->cells);
    OWN_ELEMENTS(&copy->accesses);
    OWN_ELEMENTS(&copy->groups);
    OWN_ELEMENTS(&copy->codes);
    OWN_ELEMENTS(&copy->phases);
    for (size_t b = 0; b < copy->blocks.count; b++) {
        OWN_ELEMENTS(&copy->blocks.at[b].list);
        OWN_ELEMENTS(&copy->blocks.at[b].preds);
        OWN_ELEMENTS(&copy->blocks.at[b].cases);
    }
    return copy;
}

/* ---- instructions ---- */

cy_sir_value cy_sir_make(struct cy_sir_func *func, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a,
                         cy_sir_value b, cy_sir_value c)
{
    *cy_vec_push(&func->insns) = (struct cy_sir_insn){.op = (uint16_t)op,
                                                      .type = (uint8_t)type,
                                                      .args = {a, b, c},
                                                      .access = CY_SIR_NOTHING,
                                                      .block = CY_SIR_NOTHING,
                                                      .variable = CY_SIR_NOTHING};
    return (cy_sir_value)func->insns.count - 1;
}

void cy_sir_insert(struct cy_sir_func *func, uint32_t block, size_t at, cy_sir_value value)
{
    struct cy_sir_block *into = &func->blocks.at[block];
    assert(at <= into->list.count && "an instruction is inserted into the list");
    (void)cy_vec_push(&into->list);
    memmove(&into->list.at[at + 1], &into->list.at[at], (into->list.count - 1 - at) * sizeof(*into->list.at));
    into->list.at[at] = value;
    cy_sir_at(func, value)->block = block;
}

cy_sir_value cy_sir_append(struct cy_sir_func *func, uint32_t block, enum cy_sir_op op, enum cy_sir_type type,
                           cy_sir_value a, cy_sir_value b, cy_sir_value c)
{
    cy_sir_value value = cy_sir_make(func, op, type, a, b, c);
    cy_sir_insert(func, block, func->blocks.at[block].list.count, value);
    return value;
}

cy_sir_value cy_sir_const(struct cy_sir_func *func, uint32_t block, enum cy_sir_type type, uint64_t value)
{
    const unsigned bits = cy_sir_bits(type);
    cy_sir_value made = cy_sir_append(func, block, CY_SIR_CONST, type, 0, 0, 0);
    cy_sir_at(func, made)->imm = bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
    return made;
}

static size_t phi_count(const struct cy_sir_func *func, const struct cy_sir_block *block)
{
    size_t count = 0;
    while (count < block->list.count && cy_sir_at(func, block->list.at[count])->op == CY_SIR_PHI)
        count++;
    return count;
}

static cy_sir_value new_phi_args(struct cy_sir_func *func, size_t count)
{
    const cy_sir_value first = (cy_sir_value)func->phi_args.count;
    while (count--)
        *cy_vec_push(&func->phi_args) = 0;
    return first;
}

cy_sir_value cy_sir_phi(struct cy_sir_func *func, uint32_t block, enum cy_sir_type type)
{
    const size_t at = phi_count(func, &func->blocks.at[block]);
    cy_sir_value phi = cy_sir_make(func, CY_SIR_PHI, type, 0, 0, 0);
    cy_sir_at(func, phi)->args[0] = new_phi_args(func, func->blocks.at[block].preds.count);
    cy_sir_insert(func, block, at, phi);
    return phi;
}

static void replace_one(cy_sir_value *use, cy_sir_value old, cy_sir_value by)
{
    if (*use == old)
        *use = by;
}

void cy_sir_replace(struct cy_sir_func *func, cy_sir_value old, cy_sir_value by)
{
    assert(old && "no value is used as none");
    for (size_t i = 1; i < func->insns.count; i++) {
        struct cy_sir_insn *insn = &func->insns.at[i];
        for (unsigned k = 0; k < 4 && insn->op != CY_SIR_PHI; k++)
            replace_one(&insn->args[k], old, by);
        replace_one(&insn->mask, old, by);
    }
    for (size_t i = 0; i < func->phi_args.count; i++)
        replace_one(&func->phi_args.at[i], old, by);
    for (size_t b = 0; b < func->blocks.count; b++)
        replace_one(&func->blocks.at[b].condition, old, by);
}

/* ---- blocks ---- */

uint32_t cy_sir_block_new(struct cy_sir_func *func)
{
    *cy_vec_push(&func->blocks) =
        (struct cy_sir_block){.succ = {CY_SIR_NOTHING, CY_SIR_NOTHING}, .join = CY_SIR_NOTHING};
    return (uint32_t)func->blocks.count - 1;
}

static struct cy_sir_block *set_terminator(struct cy_sir_func *func, uint32_t from, enum cy_sir_terminator terminator,
                                           cy_sir_value condition)
{
    struct cy_sir_block *block = &func->blocks.at[from];
    block->terminator = terminator;
    block->condition = condition;
    block->succ[0] = block->succ[1] = block->join = CY_SIR_NOTHING;
    block->in_order = false;
    block->alone = CY_SIR_TOGETHER;
    block->cases.count = 0;
    block->phase = 0;
    return block;
}

void cy_sir_set_jump(struct cy_sir_func *func, uint32_t from, uint32_t to)
{
    set_terminator(func, from, CY_SIR_JUMP, 0)->succ[0] = to;
}

void cy_sir_set_branch(struct cy_sir_func *func, uint32_t from, cy_sir_value condition, uint32_t then,
                       uint32_t otherwise)
{
    struct cy_sir_block *block = set_terminator(func, from, CY_SIR_BRANCH, condition);
    block->succ[0] = then;
    block->succ[1] = otherwise;
}

void cy_sir_set_vbranch(struct cy_sir_func *func, uint32_t from, cy_sir_value condition, uint32_t then,
                        uint32_t otherwise, uint32_t join)
{
    struct cy_sir_block *block = set_terminator(func, from, CY_SIR_VBRANCH, condition);
    block->succ[0] = then;
    block->succ[1] = otherwise;
    block->join = join;
}

uint32_t cy_sir_succ_count(const struct cy_sir_block *block)
{
    switch (block->terminator) {
    case CY_SIR_JUMP: return 1;
    case CY_SIR_BRANCH:
    case CY_SIR_VBRANCH: return 2;
    case CY_SIR_SWITCH: return (uint32_t)block->cases.count;
    default: return 0;
    }
}

uint32_t cy_sir_succ(const struct cy_sir_block *block, uint32_t nth)
{
    return block->terminator == CY_SIR_SWITCH ? block->cases.at[nth].block : block->succ[nth];
}

/* ---- predecessors ---- */

typedef CY_VEC(uint32_t) numbers;

static bool take_number(numbers *from, uint32_t number, size_t *at)
{
    for (*at = 0; *at < from->count; ++*at)
        if (from->at[*at] == number) {
            from->at[*at] = CY_SIR_NOTHING; /* each edge is taken once */
            return true;
        }
    return false;
}

/* The arguments of a block's phis, in the order of its new predecessors; those of new edges are 0. */
static void reorder_phis(struct cy_sir_func *func, uint32_t index, const uint32_t *old, size_t old_count)
{
    const struct cy_sir_block *block = &func->blocks.at[index];
    const size_t phis = phi_count(func, block), count = block->preds.count;
    numbers left = {0}, from = {0};
    for (size_t i = 0; i < old_count; i++)
        *cy_vec_push(&left) = old[i];
    for (size_t i = 0; i < count; i++) {
        size_t at;
        *cy_vec_push(&from) = take_number(&left, block->preds.at[i], &at) ? (uint32_t)at : CY_SIR_NOTHING;
    }
    for (size_t p = 0; p < phis; p++) {
        const cy_sir_value phi = block->list.at[p], before = cy_sir_at(func, phi)->args[0],
                           first = new_phi_args(func, count);
        for (size_t i = 0; i < count; i++)
            if (from.at[i] != CY_SIR_NOTHING)
                func->phi_args.at[first + i] = func->phi_args.at[before + from.at[i]];
        cy_sir_at(func, phi)->args[0] = first;
    }
    cy_vec_free(&left);
    cy_vec_free(&from);
}

void cy_sir_find_preds(struct cy_sir_func *func)
{
    numbers *old = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*old));
    for (size_t b = 0; b < func->blocks.count; b++) {
        old[b] =
            (numbers){func->blocks.at[b].preds.at, func->blocks.at[b].preds.count, func->blocks.at[b].preds.capacity};
        memset(&func->blocks.at[b].preds, 0, sizeof(func->blocks.at[b].preds));
    }
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t s = 0; s < cy_sir_succ_count(&func->blocks.at[b]); s++)
            *cy_vec_push(&func->blocks.at[cy_sir_succ(&func->blocks.at[b], s)].preds) = b;
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        const struct cy_sir_block *block = &func->blocks.at[b];
        const bool is_same = old[b].count == block->preds.count &&
                             (!old[b].count || !memcmp(old[b].at, block->preds.at, old[b].count * sizeof(*old[b].at)));
        if (!is_same)
            reorder_phis(func, b, old[b].at, old[b].count);
        cy_vec_free(&old[b]);
    }
    cy_free(old);
}
