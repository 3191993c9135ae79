/* Instructions without a translation: the interpreter executes them, one at a time, on a strip's registers.  They are rare in
 * what compilers make: LR and SC, rounding modes. */
#include "jit/translate/translate_priv.h"

/* ---- which ---- */

static bool has_rounding_mode(const struct inst *inst)
{
    const int32_t mode = cy_insn_field(&inst->insn, CY_FIELD_rm, 7);
    const bool is_known =
        mode == 0 || mode == 7 || (mode == 1 && (inst->insn.op == CY_OP_fcvt_w_s || inst->insn.op == CY_OP_fcvt_wu_s));
    return row_of(inst)->is_expression && !is_known;
}

/* Only what looks at no other lane's registers, which may be in another strip. */
static bool is_for_interpreter(const struct inst *inst)
{
    const bool is_reservation = row_of(inst)->flags & CY_F_ATOMIC && !row_of(inst)->is_expression;
    return !inst->is_wide && !inst->pairs && !inst->is_far && cy_insn_field(&inst->insn, CY_FIELD_vm, 1) != 0 &&
           (is_reservation || has_rounding_mode(inst));
}

static void add_vgpr(struct regs *set, uint32_t number)
{
    if (number < 256)
        set->v[number >> 6] |= 1ull << (number & 63);
}

/* The interpreter keeps the old elements of inactive lanes: they must be there. */
static void widen_registers(struct inst *inst)
{
    const int32_t vd = field(inst, CY_FIELD_vd);
    if (vd >= 0)
        add_vgpr(&inst->uses, (uint32_t)vd);
}

void leave_to_interpreter(struct translator *t)
{
    for (uint32_t i = 0; i < t->count && t->request->target == CY_GEN1; i++) {
        struct inst *inst = &t->insts[i];
        if (!inst->reachable || !is_for_interpreter(inst))
            continue;
        inst->is_interpreted = true;
        widen_registers(inst);
        t->interpreted++;
    }
}

/* ---- code ---- */

static LLVMValueRef register_file(struct translator *t, size_t offset)
{
    LLVMValueRef index = LLVMConstInt(t->i64, offset, false);
    return LLVMBuildLoad2(t->builder, t->ptr, LLVMBuildGEP2(t->builder, t->i8, t->frame, &index, 1, ""), "");
}

static LLVMValueRef sgpr_at(struct translator *t, LLVMValueRef file, unsigned number)
{
    LLVMValueRef index = LLVMConstInt(t->i64, number, false);
    return LLVMBuildGEP2(t->builder, t->i32, file, &index, 1, "");
}

/* Where the strip's (or the lane's) elements are. */
static LLVMValueRef vgpr_at(struct translator *t, LLVMValueRef file, unsigned number)
{
    const uint32_t threads = t->request->threads;
    LLVMValueRef first = LLVMBuildAnd(t->builder, t->item, number32(t, threads - 1), "");
    if (t->version == ALONE)
        first = LLVMBuildAdd(t->builder, first, lane_number(t), "");
    return lane_word(t, file, LLVMBuildAdd(t->builder, first, number32(t, number * threads), ""));
}

static void store_word(struct translator *t, LLVMValueRef value, LLVMValueRef at)
{
    LLVMSetAlignment(LLVMBuildStore(t->builder, value, at), 4);
}

/* With the values of lanes that wait elsewhere. */
static LLVMValueRef whole_row(struct translator *t, unsigned number)
{
    split_pair(t, number);
    if (t->now.v[number].is_blended)
        return LLVMBuildLoad2(t->builder, t->vi32, t->vv[number], "");
    return vector_of(t, read_v(t, number));
}

/* The interpreter has kept the elements of inactive lanes, or changed them: masks are bits in the first one's. */
static void replace_row(struct translator *t, unsigned number, LLVMValueRef row)
{
    split_pair(t, number);
    t->now.v[number] = (struct class){.kind = VECTOR};
    if (t->emit)
        LLVMBuildStore(t->builder, row, t->vv[number]);
}

void lower_interpreted(struct translator *t, struct inst *inst)
{
    LLVMValueRef x = NULL, v = NULL;
    const bool alone = t->version == ALONE;
    t->exchange.is_valid = false;
    if (t->emit) {
        x = register_file(t, offsetof(struct cy_jit_frame, x));
        v = register_file(t, offsetof(struct cy_jit_frame, v));
    }
    for (unsigned r = 1; t->emit && r < 64; r++)
        if (in_x(&inst->uses, r))
            store_word(t, scalar_of(t, read_x(t, r)), sgpr_at(t, x, r));
    for (unsigned r = 0; t->emit && r < 256; r++)
        if (in_v(&inst->uses, r)) {
            store_word(t, alone ? scalar_of(t, read_v(t, r)) : whole_row(t, r), vgpr_at(t, v, r));
        }
    if (t->emit) {
        LLVMValueRef args[] = {t->frame, number32(t, inst->access), active_bits(t), t->item, t->memory};
        stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, interpret), t->i32, args, CY_COUNT(args)));
    }
    for (unsigned r = 1; r < 64; r++)
        if (in_x(&inst->defs, r))
            write_x(t, r, uniform(t, t->emit ? LLVMBuildLoad2(t->builder, t->i32, sgpr_at(t, x, r), "") : NULL, false));
    for (unsigned r = 0; r < 256; r++) {
        if (!in_v(&inst->defs, r))
            continue;
        LLVMValueRef value =
            t->emit ? LLVMBuildLoad2(t->builder, alone ? t->i32 : t->vi32, vgpr_at(t, v, r), "") : NULL;
        if (t->emit)
            LLVMSetAlignment(value, 4);
        if (alone)
            write_v(t, r, uniform(t, value, false));
        else
            replace_row(t, r, value);
    }
}
