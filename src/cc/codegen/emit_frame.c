/* Prologue and epilogue of a function, or of a kernel that calls one.
 *
 * Both stacks grow upwards.  tp is the start of free private memory: on entry a function's own memory is at tp, and tp
 * is advanced past it only if the function calls others.  sp is the scalar stack, one per warp, which holds ra and
 * s0-s11. vGPRs from v32 up are saved in private memory; inactive lanes neither save nor change theirs. */
#include "cc/codegen/emit_priv.h"

enum { T1 = CY_REG_T1, T2 = CY_REG_T2 };

void emit_plan_frame(struct emitter *e)
{
    const struct mir_func *func = e->func;
    struct frame *frame = &e->frame;
    uint8_t used[MIR_FIRST_VREG] = {0};
    *frame = (struct frame){.vector_offset = func->private_bytes};
    for (size_t v = 0; v < func->vregs.count; v++)
        if (func->vregs.at[v].physical >= 0)
            used[(func->vregs.at[v].class == MIR_V ? MIR_V0 : 0) + func->vregs.at[v].physical] = 1;
    for (size_t b = 0; func->has_asm && b < func->blocks.count; b++)
        for (size_t k = 0; k < func->blocks.at[b].insns.count; k++) {
            const struct mir_insn *insn = &func->blocks.at[b].insns.at[k];
            for (mir_reg place = 0; insn->op == MIR_ASM && place < MIR_FIRST_VREG; place++)
                used[place] |= mir_asm_has(mir_asm(func, insn)->clobbers, place);
        }
    if (func->has_calls && func->is_function) /* a kernel has no caller */
        frame->scalars[frame->scalar_count++] = MIR_RA;
    for (mir_reg place = MIR_T0; func->is_function && place < MIR_FIRST_VREG; place++) {
        if (!used[place] || mir_is_caller_saved(place))
            continue;
        if (place < MIR_V0)
            frame->scalars[frame->scalar_count++] = (uint8_t)place;
        else
            frame->vectors[frame->vector_count++] = (uint8_t)(place - MIR_V0);
    }
    frame->private_bytes = func->private_bytes + 4 * frame->vector_count;
    if (func->has_calls && func->module->private_align > 4)
        frame->private_bytes =
            (frame->private_bytes + func->module->private_align - 1) & ~(func->module->private_align - 1);
}

/* d = s + offset */
static void add_constant(struct emitter *e, int32_t d, int32_t s, int32_t offset)
{
    if (offset >= -2048 && offset < 2048) {
        if (offset || d != s)
            PUT(e, CY_OP_addi, d, s, offset);
        return;
    }
    int32_t scratch = d == s ? MIR_T0 : d;
    emit_li(e, scratch, offset);
    PUT(e, CY_OP_add, d, s, scratch);
}

void emit_frame_address(struct emitter *e, int32_t d, int32_t offset)
{
    add_constant(e, d, MIR_TP, offset - (e->func->has_calls ? (int32_t)e->frame.private_bytes : 0));
}

/* All of v0-v31 hold arguments, so no vector is free to hold an address: the first register to save is stored by the
 * scalar form of the interleaving rule, PDS + A * NUMW * NUMT + 4 * (TID + lane), and is then free.  A is in t0. */
static void save_by_scalar_address(struct emitter *e, int32_t vector)
{
    PUT(e, CY_OP_csrrs, T1, CY_CSR_NUMW, 0);
    PUT(e, CY_OP_csrrs, T2, CY_CSR_NUMT, 0);
    PUT(e, CY_OP_mul, T1, T1, T2);
    PUT(e, CY_OP_mul, T1, T1, MIR_T0);
    PUT(e, CY_OP_csrrs, T2, CY_CSR_PDS, 0);
    PUT(e, CY_OP_add, T1, T1, T2);
    PUT(e, CY_OP_csrrs, T2, CY_CSR_TID, 0);
    PUT(e, CY_OP_slli, T2, T2, 2);
    PUT(e, CY_OP_add, T1, T1, T2);
    PUT(e, CY_OP_vse32_v, vector, T1);
}

static void save_vectors(struct emitter *e)
{
    const struct frame *frame = &e->frame;
    int32_t base = (int32_t)e->ir->params; /* the first that holds no argument */
    unsigned first = 0;
    add_constant(e, MIR_T0, MIR_TP, (int32_t)frame->vector_offset);
    if (e->ir->params == IR_CALL_REGISTERS) {
        base = frame->vectors[0];
        first = 1;
        save_by_scalar_address(e, base);
    }
    PUT(e, CY_OP_vmv_v_x, base, MIR_T0);
    for (unsigned i = first; i < frame->vector_count; i++)
        emit_put_private(e, true, frame->vectors[i], 4 * (int32_t)i, base);
}

/* The register restored last holds the address. */
static void restore_vectors(struct emitter *e)
{
    const struct frame *frame = &e->frame;
    int32_t base = frame->vectors[0];
    add_constant(e, MIR_T0, MIR_TP, (int32_t)frame->vector_offset);
    PUT(e, CY_OP_vmv_v_x, base, MIR_T0);
    for (unsigned i = frame->vector_count; i-- > 0;)
        emit_put_private(e, false, frame->vectors[i], 4 * (int32_t)i, base);
}

void emit_prologue(struct emitter *e)
{
    struct frame *frame = &e->frame;
    if (frame->vector_count)
        save_vectors(e);
    add_constant(e, MIR_SP, MIR_SP, 4 * (int32_t)frame->scalar_count);
    frame->sp_moved = (uint32_t)e->items.count;
    for (unsigned i = 0; i < frame->scalar_count; i++)
        PUT(e, CY_OP_sw, frame->scalars[i], -4 * (int32_t)(i + 1), MIR_SP);
    frame->saved = (uint32_t)e->items.count;
    if (e->func->has_calls)
        add_constant(e, MIR_TP, MIR_TP, (int32_t)frame->private_bytes);
    frame->tp_moved = (uint32_t)e->items.count;
}

void emit_epilogue(struct emitter *e)
{
    struct frame *frame = &e->frame;
    if (!e->func->is_function)
        return;
    frame->epilogue = (uint32_t)e->items.count;
    if (e->func->has_calls)
        add_constant(e, MIR_TP, MIR_TP, -(int32_t)frame->private_bytes);
    frame->tp_back = (uint32_t)e->items.count;
    for (unsigned i = 0; i < frame->scalar_count; i++)
        PUT(e, CY_OP_lw, frame->scalars[i], -4 * (int32_t)(i + 1), MIR_SP);
    add_constant(e, MIR_SP, MIR_SP, -4 * (int32_t)frame->scalar_count);
    frame->sp_back = (uint32_t)e->items.count;
    if (frame->vector_count)
        restore_vectors(e);
    frame->left = (uint32_t)e->items.count + 1; /* after the return */
}
