/* Atomic operations by 32-bit addresses.
 *
 * If the words of all lanes are in one extent, the operations are done here, lane by lane: in local memory, which only this
 * thread accesses, by plain loads and stores.  A helper does the others, and finds faults. */
#include "jit/translate/access.h"
#include "jit/translate/expr.h"

/* ---- one word ---- */

struct atomic {
    const struct inst *inst;
    LLVMAtomicRMWBinOp op;
    bool is_used; /* what the word was before */
    uint32_t site;
};

/* The row's expression makes the new word of the old one, `m`, and `b`: b, m + b, m < b ? m : b ... */
static bool find_operation(struct translator *t, const struct inst *inst, LLVMAtomicRMWBinOp *op)
{
    static const struct {
        enum binary binary;
        LLVMAtomicRMWBinOp op;
    } rows[] = {{ADD, LLVMAtomicRMWBinOpAdd},  {AND, LLVMAtomicRMWBinOpAnd}, {OR, LLVMAtomicRMWBinOpOr},
                {XOR, LLVMAtomicRMWBinOpXor},  {GT, LLVMAtomicRMWBinOpMax},  {LT, LLVMAtomicRMWBinOpMin},
                {UGT, LLVMAtomicRMWBinOpUMax}, {ULT, LLVMAtomicRMWBinOpUMin}};
    const struct expr *expr = expr_of(t, inst->insn.op);
    if (expr->kind == EXPR_NAME) {
        *op = LLVMAtomicRMWBinOpXchg;
        return true;
    }
    if (expr->kind == EXPR_CHOICE)
        expr = expr->part[0];
    for (size_t i = 0; expr->kind == EXPR_BINARY && i < CY_COUNT(rows); i++)
        if (binary_of(expr) == rows[i].binary) {
            *op = rows[i].op;
            return true;
        }
    return false;
}

static LLVMValueRef applied(struct translator *t, LLVMAtomicRMWBinOp op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[] = {a, b};
    switch (op) {
    case LLVMAtomicRMWBinOpAdd: return LLVMBuildAdd(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpAnd: return LLVMBuildAnd(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpOr: return LLVMBuildOr(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpXor: return LLVMBuildXor(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpMax: return intrinsic(t, "llvm.smax", t->i32, args, 2);
    case LLVMAtomicRMWBinOpMin: return intrinsic(t, "llvm.smin", t->i32, args, 2);
    case LLVMAtomicRMWBinOpUMax: return intrinsic(t, "llvm.umax", t->i32, args, 2);
    case LLVMAtomicRMWBinOpUMin: return intrinsic(t, "llvm.umin", t->i32, args, 2);
    default: return b;
    }
}

/* What the word was before. */
static LLVMValueRef change_word(struct translator *t, const struct atomic *atomic, LLVMValueRef address,
                                LLVMValueRef operand, bool is_local)
{
    LLVMValueRef word = host_pointer(t, address);
    if (!is_local)
        return LLVMBuildAtomicRMW(t->builder, atomic->op, word, operand, LLVMAtomicOrderingSequentiallyConsistent,
                                  false);
    LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i32, word, "");
    LLVMBuildStore(t->builder, applied(t, atomic->op, before, operand), word);
    return before;
}

/* ---- all lanes ---- */

static void put_buffers(struct translator *t, struct value address, struct value operand)
{
    LLVMBuildStore(t->builder, vector_of(t, address), t->buffers[0]);
    LLVMBuildStore(t->builder, vector_of(t, operand), t->buffers[1]);
}

static LLVMValueRef change_lanes(struct translator *t, const struct atomic *atomic, struct value address,
                                 struct value operand, bool is_local)
{
    enum { FEW = 16 };
    LLVMValueRef result = LLVMGetPoison(t->vi32);
    if (is_local && t->version == FULL && !t->is_long && t->lanes <= FEW) {
        LLVMValueRef addresses = vector_of(t, address), operands = vector_of(t, operand);
        for (unsigned i = 0; i < t->lanes; i++) {
            LLVMValueRef lane = number32(t, i), at = LLVMBuildExtractElement(t->builder, addresses, lane, "");
            LLVMValueRef by = LLVMBuildExtractElement(t->builder, operands, lane, "");
            LLVMValueRef before = change_word(t, atomic, at, by, true);
            if (atomic->is_used)
                result = LLVMBuildInsertElement(t->builder, result, before, lane, "");
        }
        return result;
    }
    put_buffers(t, address, operand);
    const struct lane_loop loop = begin_lanes(t, active_bits(t));
    LLVMValueRef at = LLVMBuildLoad2(t->builder, t->i32, lane_word(t, t->buffers[0], loop.lane), "");
    LLVMValueRef by = LLVMBuildLoad2(t->builder, t->i32, lane_word(t, t->buffers[1], loop.lane), "");
    LLVMValueRef before = change_word(t, atomic, at, by, is_local);
    if (atomic->is_used)
        LLVMBuildStore(t->builder, before, lane_word(t, t->buffers[1], loop.lane));
    end_lanes(t, &loop);
    return atomic->is_used ? LLVMBuildLoad2(t->builder, t->vi32, t->buffers[1], "") : result;
}

static LLVMValueRef change_by_helper(struct translator *t, const struct atomic *atomic, struct value address,
                                     struct value operand, LLVMValueRef bits, bool is_one)
{
    LLVMValueRef lane = t->version == ALONE ? lane_number(t) : NULL;
    if (lane) {
        LLVMValueRef where = scalar_of(t, address), what = scalar_of(t, operand);
        LLVMBuildStore(t->builder, where, lane_word(t, t->buffers[0], lane));
        LLVMBuildStore(t->builder, what, lane_word(t, t->buffers[1], lane));
    } else {
        put_buffers(t, address, operand);
    }
    LLVMValueRef args[] = {t->frame,
                           number32(t, atomic->inst->access),
                           number32(t, atomic->site),
                           t->buffers[0],
                           t->buffers[1],
                           bits,
                           t->item,
                           t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
    if (is_one)
        return LLVMBuildLoad2(t->builder, t->i32, lane ? lane_word(t, t->buffers[1], lane) : t->buffers[1], "");
    return LLVMBuildLoad2(t->builder, t->vi32, t->buffers[1], "");
}

/* `is_one`: only the first lane of `bits`, address and operand are uniform. */
static LLVMValueRef change(struct translator *t, const struct atomic *atomic, struct value address,
                           struct value operand, LLVMValueRef bits, bool is_one)
{
    LLVMBasicBlockRef inside = new_block(t, "inside"), slow = new_block(t, "slow"), on = new_block(t, "on");
    LLVMBasicBlockRef global = new_block(t, "global"), local = new_block(t, "local"), way[2] = {global, local}, ends[3];
    LLVMValueRef results[3], low, ok = are_words_inside(t, atomic->site, &address, &low);
    make_rare(t, LLVMBuildCondBr(t->builder, ok, inside, slow), false);
    LLVMPositionBuilderAtEnd(t->builder, inside);
    LLVMValueRef lds = frame_word(t, offsetof(struct cy_jit_frame, lds));
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, low, lds, ""), way[1], way[0]);
    for (int i = 0; i < 3; i++) {
        LLVMPositionBuilderAtEnd(t->builder, i < 2 ? way[i] : slow);
        if (i == 2) {
            results[i] = change_by_helper(t, atomic, address, operand, bits, is_one);
        } else if (is_one) {
            LLVMValueRef where = scalar_of(t, address), what = scalar_of(t, operand);
            results[i] = change_word(t, atomic, where, what, i);
        } else {
            results[i] = change_lanes(t, atomic, address, operand, i);
        }
        ends[i] = LLVMGetInsertBlock(t->builder);
        LLVMBuildBr(t->builder, on);
    }
    LLVMPositionBuilderAtEnd(t->builder, on);
    LLVMValueRef result = LLVMBuildPhi(t->builder, is_one ? t->i32 : t->vi32, "");
    LLVMAddIncoming(result, results, ends, 3);
    return result;
}

/* ---- an instruction ---- */

static bool is_result_used(const struct translator *t, const struct inst *inst)
{
    return in_v(&t->insts[inst->next].live, (unsigned)field(inst, CY_FIELD_vd));
}

const char *reduction_of(struct translator *t, const struct inst *inst)
{
    LLVMAtomicRMWBinOp op;
    if (t->version == ALONE || is_result_used(t, inst) || !find_operation(t, inst, &op))
        return NULL;
    switch (op) {
    case LLVMAtomicRMWBinOpOr: return "llvm.vector.reduce.or";
    case LLVMAtomicRMWBinOpXor: return "llvm.vector.reduce.xor";
    case LLVMAtomicRMWBinOpAdd: return "llvm.vector.reduce.add";
    default: return NULL;
    }
}

struct value reduced(struct translator *t, const char *reduction, struct value operand)
{
    LLVMValueRef operands = vector_of(t, operand);
    if (t->version == MASKED)
        operands = LLVMBuildAnd(t->builder, operands, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""), "");
    else if (t->lanes != t->w)
        operands = LLVMBuildAnd(t->builder, operands, strip_mask(t), "");
    return uniform(t, intrinsic(t, reduction, t->vi32, &operands, 1), false);
}

LLVMValueRef lowest_bit(struct translator *t)
{
    LLVMValueRef bits = active_bits(t);
    return LLVMBuildAnd(t->builder, bits, LLVMBuildNeg(t->builder, bits, ""), "");
}

bool lower_atomic(struct translator *t, struct inst *inst)
{
    if (inst->is_far)
        return lower_far_atomic(t, inst);
    struct atomic atomic = {.inst = inst};
    if (!row_of(inst)->is_expression || !find_operation(t, inst, &atomic.op))
        return cannot(t, "%s", row_of(inst)->mnemonic);
    t->exchange.is_valid = false;
    struct value address = read_v(t, (unsigned)field(inst, CY_FIELD_vs1));
    struct value operand = read_v(t, (unsigned)field(inst, CY_FIELD_vs2));
    atomic.is_used = is_result_used(t, inst);
    atomic.site = t->emit ? t->site_count++ : 0;
    const char *reduction = address.class.kind == UNIFORM ? reduction_of(t, inst) : NULL;
    if (reduction) {
        if (t->emit)
            change(t, &atomic, address, reduced(t, reduction, operand), lowest_bit(t), true);
        return true;
    }
    const bool alone = t->version == ALONE;
    LLVMValueRef result = t->emit ? change(t, &atomic, address, operand, active_bits(t), alone) : NULL;
    write_v(t, (unsigned)field(inst, CY_FIELD_vd), alone ? uniform(t, result, false) : vector(t, result));
    return true;
}
