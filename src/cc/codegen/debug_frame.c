/* .debug_frame: how a debugger finds a function's caller.
 *
 * The canonical frame address is DEBUG_CFA_TOP minus tp as it was on entry, that is, minus the start of the function's
 * private memory; for kernels, which have no caller, tp is 0.  Saved scalars are on the scalar stack, which has a pointer of
 * its own.  Vector registers are not restored: places of variables exclude calls (values.c). */
#include "cc/codegen/debug_priv.h"

enum {
    DW_CFA_advance_loc4 = 0x04,
    DW_CFA_undefined = 0x07,
    DW_CFA_same_value = 0x08,
    DW_CFA_remember_state = 0x0a,
    DW_CFA_restore_state = 0x0b,
    DW_CFA_def_cfa_expression = 0x0f,
    DW_CFA_expression = 0x10,
    DW_CFA_val_expression = 0x16,
    CIE_ID = -1,
    RA = 1,
    SP = 2,
    TP = 4,
};

/* register + offset */
static void put_breg(struct cy_section *to, unsigned reg, int32_t offset)
{
    debug_put(to, 1, DW_OP_breg0 + reg);
    debug_put_sdata(to, offset);
}

static unsigned breg_size(int32_t offset)
{
    unsigned size = 2;
    for (; offset < -64 || offset >= 64; offset >>= 7)
        size++;
    return size;
}

/* DEBUG_CFA_TOP - (tp - moved) */
static void put_cfa(struct cy_section *to, int32_t moved)
{
    debug_put(to, 1, DW_CFA_def_cfa_expression);
    debug_put_udata(to, 5 + breg_size(-moved) + 1);
    debug_put(to, 1, DW_OP_const4u);
    debug_put(to, 4, DEBUG_CFA_TOP);
    put_breg(to, TP, -moved);
    debug_put(to, 1, DW_OP_minus);
}

/* A register is (`rule` val_expression) or is at (expression) register + offset. */
static void put_rule(struct cy_section *to, unsigned rule, unsigned reg, unsigned base, int32_t offset)
{
    debug_put(to, 1, rule);
    debug_put_udata(to, reg);
    debug_put_udata(to, breg_size(offset));
    put_breg(to, base, offset);
}

static void advance(struct cy_section *to, uint32_t *at, uint32_t offset)
{
    if (offset == *at)
        return;
    debug_put(to, 1, DW_CFA_advance_loc4);
    debug_put(to, 4, offset - *at);
    *at = offset;
}

static void put_function(struct cy_section *to, const struct backend_stats *stats)
{
    const struct backend_frame *frame = &stats->frame;
    const int32_t stack = 4 * (int32_t)frame->scalar_count, moved = (int32_t)frame->private_bytes;
    uint32_t at = stats->code_offset;
    put_cfa(to, 0);
    if (stack) {
        advance(to, &at, frame->sp_moved);
        put_rule(to, DW_CFA_val_expression, SP, SP, -stack);
        advance(to, &at, frame->saved);
        for (unsigned i = 0; i < frame->scalar_count; i++)
            put_rule(to, DW_CFA_expression, frame->scalars[i], SP, -4 * (int32_t)(i + 1));
    }
    if (moved) {
        advance(to, &at, frame->tp_moved);
        put_cfa(to, moved);
        put_rule(to, DW_CFA_val_expression, TP, TP, -moved);
    }
    if (!stack && !moved)
        return;
    advance(to, &at, frame->epilogue);
    debug_put(to, 1, DW_CFA_remember_state);
    if (moved) {
        advance(to, &at, frame->tp_back);
        put_cfa(to, 0);
        debug_put(to, 1, DW_CFA_same_value);
        debug_put_udata(to, TP);
    }
    if (stack) {
        advance(to, &at, frame->sp_back);
        debug_put(to, 1, DW_CFA_same_value);
        debug_put_udata(to, SP);
        for (unsigned i = 0; i < frame->scalar_count; i++) {
            debug_put(to, 1, DW_CFA_same_value);
            debug_put_udata(to, frame->scalars[i]);
        }
    }
    if (frame->left < stats->code_offset + stats->code_bytes) { /* code of other blocks follows */
        advance(to, &at, frame->left);
        debug_put(to, 1, DW_CFA_restore_state);
    }
}

static void put_kernel(struct cy_section *to)
{
    debug_put(to, 1, DW_CFA_def_cfa_expression);
    debug_put_udata(to, 5);
    debug_put(to, 1, DW_OP_const4u);
    debug_put(to, 4, DEBUG_CFA_TOP);
    debug_put(to, 1, DW_CFA_undefined);
    debug_put_udata(to, RA);
}

/* Pads with DW_CFA_nop and fills in the length. */
static void close_entry(struct cy_section *to, size_t start)
{
    while ((to->data.size - start) % 4)
        debug_put(to, 1, 0);
    const uint32_t size = (uint32_t)(to->data.size - start) - 4;
    for (unsigned i = 0; i < 4; i++)
        to->data.data[start + i] = (char)(size >> 8 * i);
}

void debug_put_frames(struct debug_writer *w)
{
    const struct ir_module *module = w->debug->module;
    struct cy_section *to = debug_section(w, ".debug_frame");
    debug_put(to, 4, 0);
    debug_put(to, 4, (uint32_t)CIE_ID);
    debug_put(to, 1, 4); /* version, augmentation, address size, segment selector size */
    debug_put(to, 1, 0);
    debug_put(to, 1, 4);
    debug_put(to, 1, 0);
    debug_put_udata(to, 1); /* code and data alignment, the return address */
    debug_put_sdata(to, 1);
    debug_put_udata(to, RA);
    debug_put(to, 1, DW_CFA_same_value); /* GDB takes the caller's sp for the frame address if nobody says otherwise */
    debug_put_udata(to, SP);
    close_entry(to, 0);
    for (size_t i = 0; i < module->funcs.count; i++) {
        const struct backend_stats *stats = &w->debug->stats[i];
        const size_t start = to->data.size;
        debug_put(to, 4, 0);
        debug_put_reference(to, w->frame, 0); /* the CIE */
        debug_put_reference(to, w->text, stats->code_offset);
        debug_put(to, 4, stats->code_bytes);
        if (module->funcs.at[i].is_function)
            put_function(to, stats);
        else
            put_kernel(to);
        close_entry(to, start);
    }
}
