/* Instructions without a translation: the interpreter executes them, one at a time, on a strip's registers.  They are rare in
 * what compilers make: rounding modes, the end of a printf; LR and SC that are no compare-exchange. */
#include "jit/translate/translator.h"

/* ---- which ---- */

static bool has_rounding_mode(const struct inst *inst)
{
    const struct cy_operand *rounding = cy_effects_operand(&inst->effects, CY_ROLE_ROUNDING);
    const int32_t mode = rounding ? rounding->value : 7;
    const bool is_known =
        mode == 0 || mode == 7 ||
        (mode == 1 && !inst->is_wide && (inst->insn.op == CY_OP_fcvt_w_s || inst->insn.op == CY_OP_fcvt_wu_s));
    return row_of(inst)->is_expression && !is_known;
}

/* CSRs that translated code neither changes nor depends on. */
static bool is_constant_csr(uint32_t csr)
{
    return csr == CY_CSR_vlenb || csr == CY_CSR_GDS || csr == CY_CSR_frm || csr == CY_CSR_vxrm ||
           csr == CY_CSR_vstart || csr == CY_CSR_mstatus || csr == CY_CSR_mtvec;
}

/* Where does the instruction look?  Lanes of the same warp may be in another strip. */
enum reach { TRANSLATED, OWN_LANE, ALL_LANES };

static enum reach reach_of_csr(const struct inst *inst)
{
    const uint32_t csr = (uint32_t)field(inst, CY_FIELD_csr);
    const bool only_reads = inst->insn.op == CY_OP_csrrs && !field(inst, CY_FIELD_rs1);
    if (csr == CY_CSR_PRINT) /* in the order of the lanes */
        return ALL_LANES;
    return only_reads && is_constant_csr(csr) ? OWN_LANE : TRANSLATED;
}

static enum reach reach_of(const struct inst *inst)
{
    const struct cy_insn_info *row = row_of(inst);
    switch (row->format) {
    case CY_FORMAT_U:
    case CY_FORMAT_SETRPC:
    case CY_FORMAT_BRANCH:
    case CY_FORMAT_JAL:
    case CY_FORMAT_JALR:
    case CY_FORMAT_VB:
    case CY_FORMAT_JOIN:
    case CY_FORMAT_ENDPRG:
    case CY_FORMAT_BARRIER:
    case CY_FORMAT_VSETVLI:
    case CY_FORMAT_VSETIVLI:
    case CY_FORMAT_VSETVL:
    case CY_FORMAT_MVXS:
    case CY_FORMAT_FENCE:
    case CY_FORMAT_FIXED: return TRANSLATED;
    case CY_FORMAT_CSRR:
    case CY_FORMAT_CSRI: return reach_of_csr(inst);
    default: break;
    }
    if (inst->effects.is_masked) /* a lane's bit is in the first lanes' registers */
        return ALL_LANES;
    if (is_access(inst) || row->format == CY_FORMAT_VID)
        return TRANSLATED;
    if (inst->effects.access.atomic)
        return is_plain_atomic(inst) ? TRANSLATED : OWN_LANE;
    if (!row->is_expression || inst->effects.crosses_lanes || row->format == CY_FORMAT_V1)
        return ALL_LANES;
    const bool is_modified_wide = inst->effects.result == CY_RESULT_WIDE && (inst->abs || inst->neg);
    return has_rounding_mode(inst) || is_modified_wide ? OWN_LANE : TRANSLATED;
}

static void add_vgprs(struct regs *set, int32_t first, unsigned count)
{
    for (uint32_t r = (uint32_t)first; first >= 0 && r < 256 && r < (uint32_t)first + count; r++)
        set->v[r >> 6] |= 1ull << (r & 63);
}

/* The interpreter keeps the old elements of inactive lanes: they must be there.  What looks across lanes may also use
 * several registers, of which some are left as they are. */
static void widen_registers(struct inst *inst)
{
    static const enum cy_field sources[] = {CY_FIELD_vs1, CY_FIELD_vs2, CY_FIELD_vs3};
    enum { MOST = 8 }; /* registers of a group */
    const int32_t vd = field(inst, CY_FIELD_vd);
    if (inst->is_across && field(inst, CY_FIELD_csr) < 0) {
        add_vgprs(&inst->uses, 0, 2); /* masks */
        for (size_t i = 0; i < CY_COUNT(sources); i++)
            add_vgprs(&inst->uses, field(inst, sources[i]), MOST);
        add_vgprs(&inst->defs, vd, MOST);
    }
    for (unsigned i = 0; i < 4; i++)
        inst->uses.v[i] |= inst->defs.v[i];
}

void leave_to_interpreter(struct translator *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        struct inst *inst = &t->insts[i];
        const enum reach reach = inst->reachable ? reach_of(inst) : TRANSLATED;
        if (reach == TRANSLATED)
            continue;
        inst->is_interpreted = true;
        inst->is_across = reach == ALL_LANES;
        t->in_lockstep |= inst->is_across;
        t->in_order |= inst->is_across;
        widen_registers(inst);
        t->interpreted++;
    }
}

/* Registers of inactive lanes are seen, too: they keep their values everywhere. */
void keep_what_others_see(struct translator *t)
{
    struct regs seen = {0};
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].is_across)
            unite(&seen, &t->insts[i].uses);
    seen.x = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        unite(&t->insts[i].live, &seen);
        unite(&t->insts[i].keep, &seen);
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
    if (t->now.v[number].is_blended)
        return LLVMBuildLoad2(t->builder, t->vi32, t->vv[number], "");
    return vector_of(t, read_v(t, number));
}

/* The interpreter has kept the elements of inactive lanes, or changed them: masks are bits in the first one's. */
static void replace_row(struct translator *t, unsigned number, LLVMValueRef row)
{
    if (t->lanes == 1) {
        write_v(t, number, vector(t, row));
        return;
    }
    split_pair(t, number);
    t->now.v[number] = (struct class){.kind = VECTOR};
    t->unblended[number] = NULL;
    if (t->emit)
        LLVMBuildStore(t->builder, row, t->vv[number]);
}

void lower_interpreted(struct translator *t, struct inst *inst)
{
    LLVMValueRef x = NULL, v = NULL;
    const bool alone = t->version == ALONE;
    t->exchange.is_valid = false;
    forget_chunks(t);
    if (t->emit) {
        x = register_file(t, offsetof(struct cy_jit_frame, x));
        v = register_file(t, offsetof(struct cy_jit_frame, v));
    }
    for (unsigned r = 1; t->emit && r < 64; r++)
        if (in_x(&inst->uses, r)) {
            LLVMValueRef word = scalar_of(t, read_x(t, r));
            store_word(t, word, sgpr_at(t, x, r));
        }
    for (unsigned r = 0; r < 256; r++) {
        if (!in_v(&inst->uses, r))
            continue;
        split_pair(t, r);
        if (t->emit) {
            LLVMValueRef row = alone ? scalar_of(t, read_v(t, r)) : whole_row(t, r);
            store_word(t, row, vgpr_at(t, v, r));
        }
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
