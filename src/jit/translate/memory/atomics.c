/* Atomic operations, on words or pairs of them, by 32-bit and 64-bit addresses.
 *
 * If the words of all lanes are in one extent, the operations are done here, lane by lane: in local memory, which only this
 * thread accesses, by plain loads and stores.  A helper does the others, and finds faults.
 *
 * An LR that begins a compare-exchange (compare_exchange.c) does all of it; where they are apart, SC compares with what LR has
 * loaded, and of lanes with the same word, one can store. */
#include "jit/translate/memory/access.h"

struct atomic {
    const struct inst *inst;
    LLVMAtomicRMWBinOp op;
    bool compares; /* and exchanges: `operand` is what it compares with, `other` what it stores */
    bool loads;    /* LR that only loads */
    bool is_first; /* SC: only the first lane that stores to a word does */
    bool is_used;  /* what the word was before */
    bool is_one;   /* only the first lane of `bits`: address and operands are numbers, not vectors */
    LLVMTypeRef type;
    uint32_t site;
    struct value address;
    struct wide far;
    LLVMValueRef operand, other, bits;
};

unsigned atomic_size(const struct inst *inst)
{
    const int32_t data = field(inst, row_of(inst)->format == CY_FORMAT_LR ? CY_FIELD_vd : CY_FIELD_vs2);
    return inst->pairs && !(data & 1) ? 8 : 4;
}

bool is_plain_atomic(const struct inst *inst)
{
    const bool has_address = !inst->pairs || inst->is_far || field(inst, CY_FIELD_vs1) & 1;
    if (inst->is_apart)
        return has_address;
    if (row_of(inst)->format == CY_FORMAT_LR)
        return inst->store != NONE && has_address;
    return row_of(inst)->is_expression && has_address &&
           (!inst->pairs || (field(inst, CY_FIELD_vd) & 1) == (field(inst, CY_FIELD_vs2) & 1));
}

/* ---- one word ---- */

/* The row's expression makes the new word of the old one, `m`, and `b`: b, m + b, m < b ? m : b ... */
static bool find_operation(const struct inst *inst, LLVMAtomicRMWBinOp *op)
{
    static const struct {
        enum binary binary;
        LLVMAtomicRMWBinOp op;
    } rows[] = {{ADD, LLVMAtomicRMWBinOpAdd},  {AND, LLVMAtomicRMWBinOpAnd}, {OR, LLVMAtomicRMWBinOpOr},
                {XOR, LLVMAtomicRMWBinOpXor},  {GT, LLVMAtomicRMWBinOpMax},  {LT, LLVMAtomicRMWBinOpMin},
                {UGT, LLVMAtomicRMWBinOpUMax}, {ULT, LLVMAtomicRMWBinOpUMin}};
    const struct cy_expr *expr = inst->effects.expr;
    if (expr->kind == CY_EXPR_SOURCE) {
        *op = LLVMAtomicRMWBinOpXchg;
        return true;
    }
    if (expr->kind == CY_EXPR_CHOICE)
        expr = expr->part[0];
    if (cy_jit_broken(ATOMIC) && expr->kind == CY_EXPR_BINARY && binary_of(expr) == UGT) {
        *op = LLVMAtomicRMWBinOpMax;
        return true;
    }
    for (size_t i = 0; expr->kind == CY_EXPR_BINARY && i < CY_COUNT(rows); i++)
        if (binary_of(expr) == rows[i].binary) {
            *op = rows[i].op;
            return true;
        }
    return false;
}

static LLVMValueRef applied(struct translator *t, LLVMAtomicRMWBinOp op, LLVMValueRef a, LLVMValueRef b)
{
    LLVMValueRef args[] = {a, b};
    LLVMTypeRef type = LLVMTypeOf(a);
    switch (op) {
    case LLVMAtomicRMWBinOpAdd: return LLVMBuildAdd(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpAnd: return LLVMBuildAnd(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpOr: return LLVMBuildOr(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpXor: return LLVMBuildXor(t->builder, a, b, "");
    case LLVMAtomicRMWBinOpMax: return intrinsic(t, "llvm.smax", type, args, 2);
    case LLVMAtomicRMWBinOpMin: return intrinsic(t, "llvm.smin", type, args, 2);
    case LLVMAtomicRMWBinOpUMax: return intrinsic(t, "llvm.umax", type, args, 2);
    case LLVMAtomicRMWBinOpUMin: return intrinsic(t, "llvm.umin", type, args, 2);
    default: return b;
    }
}

/* Looks first: of lanes that have seen the same word only one can succeed, and a load costs less than an exchange that fails. */
static LLVMValueRef compare_exchange(struct translator *t, LLVMValueRef word, LLVMValueRef expected, LLVMValueRef other)
{
    const LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    LLVMBasicBlockRef equal = new_block(t, "equal"), on = new_block(t, "compared"), ends[2];
    LLVMTypeRef type = LLVMTypeOf(expected);
    LLVMValueRef seen[2], result;
    seen[0] = LLVMBuildLoad2(t->builder, type, word, "");
    LLVMSetOrdering(seen[0], order);
    LLVMSetAlignment(seen[0], LLVMGetIntTypeWidth(type) / 8); /* else it would be a call */
    ends[0] = LLVMGetInsertBlock(t->builder);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, seen[0], expected, ""), equal, on);
    LLVMPositionBuilderAtEnd(t->builder, equal);
    seen[1] = LLVMBuildAtomicCmpXchg(t->builder, word, expected, other, order, order, false);
    seen[1] = LLVMBuildExtractValue(t->builder, seen[1], 0, "");
    ends[1] = equal;
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
    result = LLVMBuildPhi(t->builder, type, "");
    LLVMAddIncoming(result, seen, ends, 2);
    return result;
}

/* What the word was before. */
static LLVMValueRef change_word(struct translator *t, const struct atomic *atomic, LLVMValueRef word,
                                LLVMValueRef operand, LLVMValueRef other, bool is_local)
{
    if (atomic->loads) {
        LLVMValueRef seen = LLVMBuildLoad2(t->builder, atomic->type, word, "");
        LLVMSetOrdering(seen, LLVMAtomicOrderingSequentiallyConsistent);
        LLVMSetAlignment(seen, LLVMGetIntTypeWidth(atomic->type) / 8);
        return seen;
    }
    if (!is_local && atomic->compares)
        return compare_exchange(t, word, operand, other);
    if (!is_local)
        return LLVMBuildAtomicRMW(t->builder, atomic->op, word, operand, LLVMAtomicOrderingSequentiallyConsistent,
                                  false);
    LLVMValueRef before = LLVMBuildLoad2(t->builder, atomic->type, word, ""), after;
    if (atomic->compares)
        after =
            LLVMBuildSelect(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, before, operand, ""), other, before, "");
    else if (cy_jit_broken(LOCAL) && atomic->op == LLVMAtomicRMWBinOpAdd)
        after = applied(t, LLVMAtomicRMWBinOpOr, before, operand);
    else
        after = applied(t, atomic->op, before, operand);
    LLVMBuildStore(t->builder, after, word);
    return before;
}

/* ---- addresses ---- */

static LLVMValueRef addresses_of(struct translator *t, const struct atomic *atomic)
{
    if (atomic->is_one)
        return atomic->inst->is_far ? atomic->far.base : scalar_of(t, atomic->address);
    return atomic->inst->is_far ? wide_lanes(t, atomic->far) : vector_of(t, atomic->address);
}

/* i1: the words of all active lanes are in the site.  `from`: its first address, or what makes host addresses of far ones. */
static LLVMValueRef is_inside(struct translator *t, const struct atomic *atomic, LLVMValueRef *from)
{
    const unsigned align = (unsigned)__builtin_ctz(atomic_size(atomic->inst));
    if (atomic->inst->is_far)
        return are_far_words_inside(t, atomic->site, &atomic->far, align, from);
    return are_words_inside(t, atomic->site, &atomic->address, align, from);
}

static LLVMValueRef pointer_to(struct translator *t, const struct atomic *atomic, LLVMValueRef address,
                               LLVMValueRef bias)
{
    if (!atomic->inst->is_far)
        return host_pointer(t, address);
    address = LLVMBuildAdd(t->builder, address, bias, "");
    return LLVMBuildGEP2(t->builder, t->i8, t->memory, &address, 1, "");
}

/* ---- all lanes ---- */

static LLVMValueRef place(struct translator *t, LLVMTypeRef type, LLVMValueRef buffer, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(t->builder, lane, t->i64, "");
    return LLVMBuildGEP2(t->builder, type, buffer, &index, 1, "");
}

static LLVMValueRef placed(struct translator *t, LLVMTypeRef type, LLVMValueRef buffer, LLVMValueRef lane)
{
    return LLVMBuildLoad2(t->builder, type, place(t, type, buffer, lane), "");
}

/* Straight code, without a loop. */
static LLVMValueRef change_few_lanes(struct translator *t, const struct atomic *atomic, LLVMValueRef addresses)
{
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(atomic->operand));
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMValueRef lane = number32(t, i), at = LLVMBuildExtractElement(t->builder, addresses, lane, "");
        LLVMValueRef by = LLVMBuildExtractElement(t->builder, atomic->operand, lane, "");
        LLVMValueRef other = atomic->compares ? LLVMBuildExtractElement(t->builder, atomic->other, lane, "") : NULL;
        LLVMValueRef before = change_word(t, atomic, pointer_to(t, atomic, at, NULL), by, other, true);
        if (atomic->is_used)
            result = LLVMBuildInsertElement(t->builder, result, before, lane, "");
    }
    return result;
}

/* All lanes' words at once. */
static LLVMValueRef load_lanes(struct translator *t, const struct atomic *atomic, LLVMValueRef bias)
{
    const uint32_t middle = 1u << 31; /* of the window: hosts' indices of 32 bits have a sign */
    LLVMValueRef index = addresses_of(t, atomic), base = t->memory;
    LLVMValueRef mask = t->version == MASKED ? LLVMBuildLoad2(t->builder, t->vi32, t->mask, "") : strip_mask(t);
    if (atomic->inst->is_far) {
        LLVMValueRef zero = LLVMConstInt(t->i32, 0, false), one = LLVMGetPoison(t->vi64);
        one = LLVMBuildInsertElement(t->builder, one, bias, zero, "");
        one = LLVMBuildShuffleVector(t->builder, one, LLVMGetPoison(t->vi64), LLVMConstNull(t->vi32), "");
        index = LLVMBuildAdd(t->builder, index, one, "");
    } else {
        index = LLVMBuildXor(t->builder, index, splat(t, number32(t, middle)), "");
        index = LLVMBuildSExt(t->builder, index, t->vi64, "");
        base = at_offset(t, base, middle);
    }
    LLVMValueRef pointers = LLVMBuildGEP2(t->builder, t->i8, base, &index, 1, "");
    LLVMValueRef lanes = LLVMBuildICmp(t->builder, LLVMIntNE, mask, LLVMConstNull(t->vi32), "");
    return gather_where(t, LLVMTypeOf(atomic->operand), pointers, atomic_size(atomic->inst), lanes);
}

/* One lane's SC: not if a lane before it has stored to the same word, even if that has not changed it. */
static LLVMValueRef store_first(struct translator *t, const struct atomic *atomic, LLVMValueRef word, LLVMValueRef by,
                                LLVMValueRef other, bool is_local, const struct lane_loop *loop, LLVMValueRef failed)
{
    LLVMBasicBlockRef begin = LLVMGetInsertBlock(t->builder), first = new_block(t, "first"),
                      same = new_block(t, "same"), on = new_block(t, "on"), ends[3] = {begin};
    LLVMValueRef addresses = addresses_of(t, atomic), results[3] = {LLVMBuildNot(t->builder, by, "")};
    LLVMValueRef own = LLVMBuildShl(t->builder, number32(t, 1), loop->lane, "");
    own = LLVMBuildAnd(t->builder, own, LLVMBuildLoad2(t->builder, t->i32, failed, ""), "");
    make_rare(t, LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, own, number32(t, 0), ""), first, on),
              false);
    LLVMPositionBuilderAtEnd(t->builder, first);
    LLVMValueRef before = change_word(t, atomic, word, by, other, is_local);
    LLVMValueRef is_same =
        LLVMBuildICmp(t->builder, LLVMIntEQ, other, by, ""); /* which is foreseen better than success */
    ends[1] = LLVMGetInsertBlock(t->builder);
    make_rare(t, LLVMBuildCondBr(t->builder, is_same, same, on), true);
    LLVMPositionBuilderAtEnd(t->builder, same);
    LLVMTypeRef row = LLVMTypeOf(addresses);
    LLVMValueRef at = placed(t, LLVMGetElementType(row), t->buffers[0], loop->lane), zero = LLVMConstNull(t->vi32);
    at = LLVMBuildInsertElement(t->builder, LLVMGetPoison(row), at, number32(t, 0), "");
    at = LLVMBuildShuffleVector(t->builder, at, LLVMGetPoison(row), zero, "");
    LLVMValueRef is_there = LLVMBuildICmp(t->builder, LLVMIntEQ, addresses, at, "");
    LLVMValueRef bits = mask_bits(t, LLVMBuildSExt(t->builder, is_there, t->vi32, ""));
    LLVMValueRef has_stored = LLVMBuildICmp(t->builder, LLVMIntEQ, before, by, "");
    bits = LLVMBuildSelect(t->builder, has_stored, bits, number32(t, 0), "");
    bits = LLVMBuildOr(t->builder, bits, LLVMBuildLoad2(t->builder, t->i32, failed, ""), "");
    LLVMBuildStore(t->builder, bits, failed);
    LLVMBuildBr(t->builder, on);
    ends[2] = same;
    results[1] = results[2] = before;
    LLVMPositionBuilderAtEnd(t->builder, on);
    LLVMValueRef result = LLVMBuildPhi(t->builder, LLVMTypeOf(by), "");
    LLVMAddIncoming(result, results, ends, 3);
    return result;
}

static LLVMValueRef change_lanes(struct translator *t, const struct atomic *atomic, LLVMValueRef bias, bool is_local)
{
    enum { FEW = 16 };
    LLVMValueRef addresses = addresses_of(t, atomic), *buffers = t->buffers, failed = NULL;
    if (atomic->loads && has_gathers(t))
        return load_lanes(t, atomic, bias);
    if (atomic->is_first) {
        failed = LLVMBuildAlloca(t->allocas, t->i32, "failed");
        LLVMBuildStore(t->builder, number32(t, 0), failed);
    } else if (is_local && t->version == FULL && !t->is_long && (t->lanes <= FEW || t->request->counts))
        return change_few_lanes(t, atomic, addresses);
    LLVMTypeRef type = atomic->type;
    LLVMBuildStore(t->builder, addresses, buffers[0]);
    LLVMBuildStore(t->builder, atomic->operand, buffers[1]);
    if (atomic->compares)
        LLVMBuildStore(t->builder, atomic->other, buffers[2]);
    const struct lane_loop loop = begin_lanes(t, active_bits(t));
    LLVMValueRef at = placed(t, LLVMGetElementType(LLVMTypeOf(addresses)), buffers[0], loop.lane);
    LLVMValueRef by = placed(t, type, buffers[1], loop.lane);
    LLVMValueRef other = atomic->compares ? placed(t, type, buffers[2], loop.lane) : NULL;
    LLVMValueRef word = pointer_to(t, atomic, at, bias), before;
    if (failed)
        before = store_first(t, atomic, word, by, other, is_local, &loop, failed);
    else
        before = change_word(t, atomic, word, by, other, is_local);
    if (atomic->is_used)
        LLVMBuildStore(t->builder, before, place(t, type, buffers[1], loop.lane));
    end_lanes(t, &loop);
    LLVMTypeRef row = LLVMTypeOf(atomic->operand);
    return atomic->is_used ? LLVMBuildLoad2(t->builder, row, buffers[1], "") : LLVMGetPoison(row);
}

/* ---- by the helper ---- */

/* As 64 bits, into a row of its buffers: of the lane that is alone, or of all. */
static void put_row(struct translator *t, LLVMValueRef value, LLVMValueRef buffer, LLVMValueRef lane)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    const bool is_vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    if (!lane && !is_vector)
        value = splat(t, value);
    LLVMTypeRef wide = lane ? t->i64 : t->vi64;
    if (LLVMTypeOf(value) ==
        t->vi32) { /* or LLVM extends it before the loop, where that costs more than the helper is worth */
        LLVMBuildStore(t->builder, value, buffer);
        value = LLVMBuildLoad2(t->builder, t->vi32, buffer, "");
        LLVMSetVolatile(value, true);
    }
    if (LLVMTypeOf(value) != wide)
        value = LLVMBuildZExt(t->builder, value, wide, "");
    LLVMBuildStore(t->builder, value, lane ? place(t, t->i64, buffer, lane) : buffer);
}

static LLVMValueRef change_by_helper(struct translator *t, const struct atomic *atomic)
{
    LLVMValueRef lane = t->version == ALONE ? lane_number(t) : NULL, data = t->far_buffers[1];
    put_row(t, addresses_of(t, atomic), t->far_buffers[0], lane);
    put_row(t, atomic->operand, data, lane);
    if (atomic->compares)
        put_row(t, atomic->other, at_offset(t, data, CY_JIT_MAX_STRIP * sizeof(uint64_t)), lane);
    LLVMValueRef args[] = {t->frame,
                           number32(t, atomic->inst->access),
                           number32(t, atomic->site),
                           t->far_buffers[0],
                           data,
                           atomic->bits,
                           rare_item(t),
                           t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
    LLVMTypeRef wide = atomic->is_one ? t->i64 : t->vi64, type = LLVMTypeOf(atomic->operand);
    LLVMValueRef result = LLVMBuildLoad2(t->builder, wide, lane ? place(t, t->i64, data, lane) : data, "");
    return type == wide ? result : LLVMBuildTrunc(t->builder, result, type, "");
}

static LLVMValueRef change(struct translator *t, const struct atomic *atomic)
{
    LLVMBasicBlockRef inside = new_block(t, "inside"), slow = new_block(t, "slow"), on = new_block(t, "on");
    LLVMBasicBlockRef ways[3] = {slow, inside}, ends[3];
    LLVMValueRef results[3], from, ok = is_inside(t, atomic, &from);
    unsigned count = 2;
    make_rare(t, LLVMBuildCondBr(t->builder, ok, inside, slow), false);
    if (!atomic->inst->is_far) {
        LLVMPositionBuilderAtEnd(t->builder, inside);
        ways[1] = new_block(t, "global");
        ways[count++] = new_block(t, "local");
        LLVMValueRef lds = frame_word(t, offsetof(struct cy_jit_frame, lds));
        LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, from, lds, ""), ways[2], ways[1]);
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMPositionBuilderAtEnd(t->builder, ways[i]);
        if (i == 0) {
            results[i] = change_by_helper(t, atomic);
        } else if (atomic->is_one) {
            LLVMValueRef word = pointer_to(t, atomic, addresses_of(t, atomic), from);
            results[i] = change_word(t, atomic, word, atomic->operand, atomic->other, i == 2);
        } else {
            results[i] = change_lanes(t, atomic, from, i == 2);
        }
        ends[i] = LLVMGetInsertBlock(t->builder);
        LLVMBuildBr(t->builder, on);
    }
    LLVMPositionBuilderAtEnd(t->builder, on);
    LLVMValueRef result = LLVMBuildPhi(t->builder, LLVMTypeOf(atomic->operand), "");
    LLVMAddIncoming(result, results, ends, count);
    return result;
}

/* ---- several lanes as one ---- */

/* Operations of several lanes on one word whose results are not used can be one: the intrinsic that makes one operand of
 * theirs, for the lowest active lane; NULL: not those of this instruction. */
static const char *reduction_of(struct translator *t, const struct atomic *atomic)
{
    const bool is_uniform =
        atomic->inst->is_far ? atomic->far.class.kind == WIDE_UNIFORM : atomic->address.class.kind == UNIFORM;
    if (t->version == ALONE || atomic->is_used || atomic->compares || atomic->loads || !is_uniform)
        return NULL;
    switch (atomic->op) {
    case LLVMAtomicRMWBinOpOr: return "llvm.vector.reduce.or";
    case LLVMAtomicRMWBinOpXor: return "llvm.vector.reduce.xor";
    case LLVMAtomicRMWBinOpAdd: return "llvm.vector.reduce.add";
    default: return NULL;
    }
}

static void reduce(struct translator *t, const char *reduction, struct atomic *atomic)
{
    LLVMTypeRef row = LLVMTypeOf(atomic->operand);
    LLVMValueRef mask = t->version == MASKED ? LLVMBuildLoad2(t->builder, t->vi32, t->mask, "") : strip_mask(t);
    if ((t->version == MASKED && !cy_jit_broken(ATOMIC_SUM)) || t->lanes != t->w) {
        mask = row == t->vi32 ? mask : LLVMBuildSExt(t->builder, mask, row, "");
        atomic->operand = LLVMBuildAnd(t->builder, atomic->operand, mask, "");
    }
    atomic->operand = intrinsic(t, reduction, row, &atomic->operand, 1);
    atomic->bits = LLVMBuildAnd(t->builder, atomic->bits, LLVMBuildNeg(t->builder, atomic->bits, ""), "");
    atomic->is_one = true;
}

/* ---- an instruction ---- */

/* A word, or the pair from this register on: a number where one lane is alone, or a vector. */
static LLVMValueRef data_of(struct translator *t, const struct atomic *atomic, int32_t number)
{
    const bool alone = t->version == ALONE;
    struct value low = read_v(t, (unsigned)number), high = {0};
    if (atomic->type == t->i64)
        high = read_v(t, (unsigned)number + 1);
    if (!t->emit)
        return NULL;
    LLVMValueRef word = alone ? scalar_of(t, low) : vector_of(t, low), upper;
    if (atomic->type != t->i64)
        return word;
    upper = alone ? scalar_of(t, high) : vector_of(t, high);
    return wide_from(t, word, upper, !alone);
}

static void write_result(struct translator *t, const struct atomic *atomic, LLVMValueRef result)
{
    const unsigned vd = (unsigned)field(atomic->inst, CY_FIELD_vd);
    const bool alone = t->version == ALONE, is_wide = atomic->type == t->i64;
    if (atomic->is_first) {
        LLVMValueRef has_failed = NULL;
        if (t->emit) {
            has_failed = LLVMBuildICmp(t->builder, LLVMIntNE, result, atomic->operand, "");
            has_failed = LLVMBuildZExt(t->builder, has_failed, alone ? t->i32 : t->vi32, "");
        }
        write_v(t, vd, alone ? uniform(t, has_failed, false) : vector(t, has_failed));
        return;
    }
    for (unsigned i = 0; i < (is_wide ? 2 : 1); i++) {
        LLVMValueRef word = t->emit && is_wide ? pair_word(t, result, i, !alone) : result;
        write_v(t, vd + i, alone ? uniform(t, word, false) : vector(t, word));
    }
}

static bool is_result_used(const struct translator *t, const struct inst *inst)
{
    const struct regs *live = &t->insts[inst->next].live;
    const unsigned vd = (unsigned)field(inst, CY_FIELD_vd);
    return in_v(live, vd) || (atomic_size(inst) == 8 && in_v(live, vd + 1));
}

bool lower_atomic(struct translator *t, struct inst *inst)
{
    const bool is_load = row_of(inst)->format == CY_FORMAT_LR;
    struct atomic atomic = {.inst = inst,
                            .compares = is_load != inst->is_apart,
                            .loads = is_load && inst->is_apart,
                            .is_first = !is_load && inst->is_apart};
    if (!atomic.compares && !atomic.loads && !find_operation(inst, &atomic.op))
        return cannot(t, "%s", row_of(inst)->mnemonic);
    t->exchange.is_valid = false;
    forget_chunks(t);
    atomic.type = atomic_size(inst) == 8 ? t->i64 : t->i32;
    if (inst->is_far)
        atomic.far = read_pair(t, (unsigned)field(inst, CY_FIELD_vs1));
    else
        atomic.address = read_v(t, (unsigned)field(inst, CY_FIELD_vs1));
    if (atomic.loads) {
        atomic.operand = t->emit ? t->version == ALONE ? LLVMGetPoison(atomic.type)
                                                       : LLVMConstNull(LLVMVectorType(atomic.type, t->w))
                                 : NULL;
    } else if (inst->is_apart) {
        atomic.operand = data_of(t, &atomic, (int32_t)inst->expected);
        atomic.other = data_of(t, &atomic, field(inst, CY_FIELD_vs2));
    } else if (atomic.compares) {
        atomic.operand = data_of(t, &atomic, (int32_t)inst->expected);
        atomic.other = data_of(t, &atomic, field(&t->insts[inst->store], CY_FIELD_vs2));
    } else {
        atomic.operand = data_of(t, &atomic, field(inst, CY_FIELD_vs2));
    }
    atomic.is_used = inst->is_apart || is_result_used(t, inst);
    atomic.is_one = t->version == ALONE;
    const char *reduction = reduction_of(t, &atomic);
    LLVMValueRef result = NULL;
    if (t->emit) {
        atomic.site = t->site_count;
        t->site_count += inst->is_far ? (uint32_t)CY_JIT_FAR_SITES : 1;
        atomic.bits = active_bits(t);
        if (reduction)
            reduce(t, reduction, &atomic);
        result = change(t, &atomic);
    }
    if (!reduction)
        write_result(t, &atomic, result);
    return true;
}
