/* After allocation: the copies on a loop's back edge are hoisted above the branch when their destinations are dead on
 * the exit edge, so that the branch itself becomes the back edge:
 *
 *         bge  a, b, out                        mv   x, y
 *         mv   x, y                      ->     blt  a, b, loop
 *         j    loop                     out:
 *     out: */
#include "cc/codegen/mir.h"

#include <string.h>

enum { WORDS = 5, MOST_MOVES = 12 }; /* physical registers are x0-x63, v0-v255 */

struct places {
    uint64_t at[WORDS];
};

static unsigned place_of(const struct mir_func *func, mir_reg reg)
{
    return mir_location(func, reg) + (mir_class_of(func, reg) == MIR_V ? 64 : 0);
}

static bool has(const struct places *set, unsigned place)
{
    return set->at[place / 64] >> (place % 64) & 1;
}

static void read_end(const struct mir_func *func, const struct mir_block *block, struct places *live)
{
    if (block->kind != MIR_BRANCH && block->kind != MIR_VBRANCH)
        return;
    unsigned a = place_of(func, block->a), b = place_of(func, block->b);
    live->at[a / 64] |= 1ull << (a % 64);
    live->at[b / 64] |= 1ull << (b % 64);
}

/* Registers live into a block, from those live out of it. */
static void before_block(const struct mir_func *func, const struct mir_block *block, struct places *live)
{
    read_end(func, block, live);
    for (size_t k = block->insns.count; k-- > 0;) {
        const struct mir_insn *insn = &block->insns.at[k];
        enum mir_role roles[MIR_MAX_OPERANDS];
        unsigned count = mir_roles(insn, roles);
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) {
                unsigned place = place_of(func, insn->operand[o]);
                live->at[place / 64] &= ~(1ull << (place % 64));
            }
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_USE || roles[o] == MIR_DEF_USE) {
                unsigned place = place_of(func, insn->operand[o]);
                live->at[place / 64] |= 1ull << (place % 64);
            }
    }
}

static struct places *find_live(const struct mir_func *func)
{
    struct places *in = cy_xrealloc(NULL, func->blocks.count * sizeof(*in));
    memset(in, 0, func->blocks.count * sizeof(*in));
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = func->order.count; i-- > 0;) {
            const struct mir_block *block = &func->blocks.at[func->order.at[i]];
            struct places live = {0};
            for (uint32_t s = 0; s < block->succ_count; s++)
                for (int w = 0; w < WORDS; w++)
                    live.at[w] |= in[block->succ[s]].at[w];
            before_block(func, block, &live);
            changed |= memcmp(&live, &in[func->order.at[i]], sizeof(live)) != 0;
            in[func->order.at[i]] = live;
        }
    }
    return in;
}

/* A copy or a constant whose destination is dead on the other edge and not read by the branch.  At a divergent branch a
 * scalar stays after it: the lanes of the other side may run first and write it. */
static bool may_move(const struct mir_func *func, const struct mir_block *block, const struct mir_insn *insn,
                     const struct places *other)
{
    unsigned place = place_of(func, insn->operand[0]);
    bool is_scalar = mir_class_of(func, insn->operand[0]) == MIR_S;
    if (is_scalar &&
        (block->kind == MIR_VBRANCH || (insn->op == MIR_COPY && mir_class_of(func, insn->operand[1]) == MIR_V)))
        return false;
    return (insn->op == MIR_COPY || insn->op == MIR_LI || insn->op == CY_OP_vmv_v_i) && !has(other, place) &&
           place != place_of(func, block->a) && place != place_of(func, block->b);
}

/* All moves of a back edge, or none. */
static void hoist_edge(struct mir_func *func, struct mir_block *block, uint32_t edge, const struct places *other)
{
    struct mir_block *e = &func->blocks.at[edge];
    size_t moves = 0;
    for (size_t k = 0; k < e->insns.count; k++) {
        if (mir_is_identity(func, &e->insns.at[k]) || e->insns.at[k].op == MIR_DEBUG)
            continue;
        if (!may_move(func, block, &e->insns.at[k], other) || ++moves > MOST_MOVES)
            return;
    }
    size_t kept = 0; /* debug values stay: they hold on this edge only */
    for (size_t k = 0; k < e->insns.count; k++)
        if (e->insns.at[k].op == MIR_DEBUG)
            e->insns.at[kept++] = e->insns.at[k];
        else
            *cy_vec_push(&block->insns) = e->insns.at[k];
    e->insns.count = kept;
}

void mir_peephole(struct mir_func *func)
{
    struct places *live = find_live(func);
    uint32_t *position = cy_xrealloc(NULL, func->blocks.count * sizeof(*position));
    for (uint32_t i = 0; i < func->order.count; i++)
        position[func->order.at[i]] = i;
    for (uint32_t i = 0; i < func->order.count; i++) {
        struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (int side = 0; side < 2 && (block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH); side++) {
            const struct mir_block *edge = &func->blocks.at[block->succ[side]];
            if (edge->kind == MIR_JUMP && !edge->has_join && edge->preds.count == 1 && mir_position(edge, SIZE_MAX) &&
                position[edge->succ[0]] <= i)
                hoist_edge(func, block, block->succ[side], &live[block->succ[!side]]);
        }
    }
    cy_free(position);
    cy_free(live);
}
