/* The reconvergence point is a register of the warp, the rpc, which keeps its value until the next setrpc.  Selection
 * emits one before every divergent branch, and one before every loop that needs only one; the redundant ones are
 * dropped here.
 *
 * The rpc at a point follows the path of the warp, not of its lanes: after one side of a branch has reached the
 * reconvergence point, the other side starts with the rpc that the first one left. */
#include "cc/codegen/mir.h"

#include <string.h>

#define VARIES (NONE - 1)
#define UNREACHED (NONE - 2)

struct rpc {
    const struct mir_func *func;
    uint32_t *label;      /* by vreg: the block whose address it is; NONE: not an address */
    uint32_t *in, *out;   /* by block: the block in the rpc, VARIES or UNREACHED */
    uint32_t *on_arrival; /* by block: the rpc with which lanes arrive at the join */
};

static uint32_t meet(uint32_t a, uint32_t b)
{
    return a == UNREACHED ? b : b == UNREACHED || a == b ? a : VARIES;
}

/* The rpc after an instruction. */
static uint32_t behind(const struct rpc *r, const struct mir_insn *insn, uint32_t before)
{
    if (insn->op == MIR_SETRPC)
        return (uint32_t)insn->operand[1];
    if (insn->op == CY_OP_setrpc)
        return mir_is_virtual(insn->operand[1]) && r->label[mir_index(insn->operand[1])] != NONE
                   ? r->label[mir_index(insn->operand[1])]
                   : VARIES;
    return insn->op == MIR_CALL || (insn->op == MIR_ASM && mir_asm(r->func, insn)->sets_rpc) ? VARIES : before;
}

static void find_labels(struct rpc *r)
{
    const struct mir_func *func = r->func;
    for (size_t v = 0; v < func->vregs.count; v++)
        r->label[v] = NONE;
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (size_t k = 0; k < block->insns.count; k++)
            if (block->insns.at[k].op == MIR_LABEL)
                r->label[mir_index(block->insns.at[k].operand[0])] = (uint32_t)block->insns.at[k].operand[1];
    }
}

static uint32_t before_block(const struct rpc *r, uint32_t b)
{
    const struct mir_block *block = &r->func->blocks.at[b];
    uint32_t state = b == 0 ? VARIES : r->on_arrival[b];
    for (size_t p = 0; p < block->preds.count; p++) {
        const struct mir_block *from = &r->func->blocks.at[block->preds.at[p]];
        if (from->kind == MIR_VBRANCH)
            state = meet(state, r->on_arrival[from->rpc]);
    }
    return state;
}

static uint32_t arrival(const struct rpc *r, uint32_t b)
{
    uint32_t state = UNREACHED;
    for (size_t p = 0; p < r->func->blocks.at[b].preds.count; p++)
        state = meet(state, r->out[r->func->blocks.at[b].preds.at[p]]);
    return state;
}

/* In block order, so that one round carries a state all the way down. */
static void fixed_point(struct rpc *r)
{
    const struct mir_func *func = r->func;
    for (size_t b = 0; b < func->blocks.count; b++)
        r->in[b] = r->out[b] = r->on_arrival[b] = UNREACHED;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < func->order.count; i++) {
            uint32_t b = func->order.at[i], arrived = arrival(r, b);
            const struct mir_block *block = &func->blocks.at[b];
            changed |= arrived != r->on_arrival[b];
            r->on_arrival[b] = arrived;
            uint32_t state = r->in[b] = before_block(r, b);
            for (size_t k = 0; k < block->insns.count; k++)
                state = behind(r, &block->insns.at[k], state);
            changed |= state != r->out[b];
            r->out[b] = state;
        }
    }
}

static void analyse(struct rpc *r, const struct mir_func *func)
{
    r->func = func;
    r->label = cy_xrealloc(NULL, (func->vregs.count + 1) * sizeof(*r->label));
    r->in = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*r->in));
    r->out = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*r->out));
    r->on_arrival = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*r->on_arrival));
    find_labels(r);
    fixed_point(r);
}

static void release(struct rpc *r)
{
    cy_free(r->label);
    cy_free(r->in);
    cy_free(r->out);
    cy_free(r->on_arrival);
}

/* Drops labels that are no longer read. */
static void drop_labels(struct mir_func *func)
{
    uint8_t *used = cy_xrealloc(NULL, func->vregs.count + 1);
    memset(used, 0, func->vregs.count + 1);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < func->order.count; i++) {
            struct mir_block *block = &func->blocks.at[func->order.at[i]];
            size_t kept = 0;
            for (size_t k = 0; k < block->insns.count; k++) {
                const struct mir_insn insn = block->insns.at[k];
                if (pass == 0 && insn.op == CY_OP_setrpc && mir_is_virtual(insn.operand[1]))
                    used[mir_index(insn.operand[1])] = 1;
                if (pass == 0 || insn.op != MIR_LABEL || used[mir_index(insn.operand[0])])
                    block->insns.at[kept++] = insn;
            }
            block->insns.count = kept;
        }
    cy_free(used);
}

void mir_drop_setrpc(struct mir_func *func)
{
    struct rpc r;
    analyse(&r, func);
    for (size_t i = 0; i < func->order.count; i++) {
        struct mir_block *block = &func->blocks.at[func->order.at[i]];
        uint32_t state = r.in[func->order.at[i]];
        size_t kept = 0;
        for (size_t k = 0; k < block->insns.count; k++) {
            const struct mir_insn insn = block->insns.at[k];
            uint32_t next = behind(&r, &insn, state);
            bool sets = insn.op == MIR_SETRPC || insn.op == CY_OP_setrpc;
            if (!sets || next != state || next == VARIES)
                block->insns.at[kept++] = insn;
            state = next;
        }
        block->insns.count = kept;
    }
    release(&r);
    drop_labels(func);
}

const char *mir_validate_rpc(const struct mir_func *func, struct cy_arena *arena)
{
    struct rpc r;
    const char *wrong = NULL;
    analyse(&r, func);
    for (size_t i = 0; i < func->order.count && !wrong; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        if (block->kind == MIR_VBRANCH && r.out[func->order.at[i]] != block->rpc &&
            r.out[func->order.at[i]] != UNREACHED)
            wrong = cy_arena_printf(arena, "the rpc at the branch of block %u is not its reconvergence point b%u",
                                    func->order.at[i], block->rpc);
    }
    release(&r);
    return wrong;
}
