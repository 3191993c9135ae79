/* Stores next to each other in memory, parted by branches that only compute: bytes of a pixel or letters of a code, each chosen by
 * conditions.  The earlier ones are moved to the last, where they are accesses of straight-line code: the machine has instructions for
 * several words, and engines access what is next to each other at once. */
#include "cc/ir/optimise.h"

#define NONE UINT32_MAX

enum { MOST_BLOCKS = 32, NEAR_BYTES = 16, MOST_MOVED = 16 };

static bool is_still(const struct ir_insn *insn) /* it neither uses memory nor has another effect */
{
    return ir_ops[insn->op].flags & IR_PURE || insn->op == IR_PHI || insn->op == IR_DEBUG;
}

static bool is_movable(const struct ir_insn *insn)
{
    return insn->op == IR_STORE && !insn->is_volatile && !insn->is_private;
}

static bool is_near(const struct ir_insn *a, const struct ir_insn *b)
{
    const int32_t distance = a->extra - b->extra;
    return a->args[0] == b->args[0] && a->imm == b->imm && distance < NEAR_BYTES && distance > -NEAR_BYTES;
}

/* All ways from the block lead, through code that only computes, to the one after which they are one again. */
static bool meets_again(const struct ir_func *func, uint32_t from, uint32_t to)
{
    uint32_t seen[MOST_BLOCKS + 1] = {from};
    const uint32_t loop = func->blocks.at[from].loop_header;
    size_t count = 1;
    if (to == NONE || !ir_dominates(func, from, to) || func->blocks.at[to].loop_header != loop ||
        func->blocks.at[to].order <= func->blocks.at[from].order)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct ir_block *block = &func->blocks.at[seen[i]];
        for (size_t k = 0; i && k < block->list.count; k++)
            if (!is_still(ir_at(func, block->list.at[k])))
                return false;
        for (uint32_t s = 0; s < block->succ_count; s++) {
            size_t at = 0;
            while (at < count && seen[at] != block->succ[s])
                at++;
            if (at < count || block->succ[s] == to)
                continue;
            if (count > MOST_BLOCKS || func->blocks.at[block->succ[s]].loop_header != loop)
                return false;
            seen[count++] = block->succ[s];
        }
    }
    return true;
}

/* The position of the first instruction that does more than compute. */
static size_t first_effect(const struct ir_func *func, const struct ir_block *block)
{
    size_t at = 0;
    while (at < block->list.count && is_still(ir_at(func, block->list.at[at])))
        at++;
    return at;
}

/* Takes the stores at the end of a block that are near this one; returns how many. */
static size_t take_stores(struct ir_func *func, struct ir_block *block, const struct ir_insn *next, ir_value *taken)
{
    size_t first = block->list.count, stores = 0, count = 0;
    for (; first; first--) {
        const struct ir_insn *insn = ir_at(func, block->list.at[first - 1]);
        if (!is_still(insn) && (!is_movable(insn) || !is_near(insn, next) || stores++ == MOST_MOVED))
            break;
    }
    size_t kept = first;
    for (size_t i = first; i < block->list.count; i++)
        if (is_still(ir_at(func, block->list.at[i])))
            block->list.at[kept++] = block->list.at[i];
        else
            taken[count++] = block->list.at[i];
    block->list.count = kept;
    return count;
}

void ir_sink_stores(struct ir_func *func)
{
    for (size_t b = 0; b < func->rpo.count; b++) {
        const uint32_t from = func->rpo.at[b], to = func->blocks.at[from].ipdom;
        ir_value taken[MOST_MOVED];
        if (!meets_again(func, from, to))
            continue;
        struct ir_block *target = &func->blocks.at[to];
        const size_t at = first_effect(func, target);
        if (at == target->list.count || !is_movable(ir_at(func, target->list.at[at])))
            continue;
        const size_t count = take_stores(func, &func->blocks.at[from], ir_at(func, target->list.at[at]), taken);
        for (size_t i = 0; i < count; i++)
            cy_vec_push(&target->list);
        for (size_t i = target->list.count; i-- > at + count;)
            target->list.at[i] = target->list.at[i - count];
        for (size_t i = 0; i < count; i++) {
            target->list.at[at + i] = taken[i];
            ir_at(func, taken[i])->block = to;
        }
    }
}
