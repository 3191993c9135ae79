/* Atomic operations, and fences.
 *
 * If the words of all active lanes are in one extent, the operations are done here, lane by lane: in local memory, which only this
 * thread accesses, by plain loads and stores.  A helper does the others, and finds faults. */
#include "jit/lower/access.h"

struct atomic {
    const struct cy_sir_insn *insn;
    const struct cy_sir_access *access;
    LLVMAtomicRMWBinOp op;
    bool compares; /* and exchanges: `operand` is what it compares with, `other` what it stores */
    bool is_used;  /* what the word was before */
    bool is_one;   /* one operation for all lanes: the operand is a number */
    bool is_far;
    uint32_t site;
    LLVMTypeRef type;
    struct value address;
    struct wide far;
    LLVMValueRef operand, other, bits;
};

/* ---- one word ---- */

/* The row's expression makes the new word of the old one, `m`, and `b`: b, m + b, m < b ? m : b ... */
static bool find_operation(enum cy_op row, LLVMAtomicRMWBinOp *op)
{
    static const struct {
        enum binary binary;
        LLVMAtomicRMWBinOp op;
    } rows[] = {{ADD, LLVMAtomicRMWBinOpAdd},  {AND, LLVMAtomicRMWBinOpAnd}, {OR, LLVMAtomicRMWBinOpOr},
                {XOR, LLVMAtomicRMWBinOpXor},  {GT, LLVMAtomicRMWBinOpMax},  {LT, LLVMAtomicRMWBinOpMin},
                {UGT, LLVMAtomicRMWBinOpUMax}, {ULT, LLVMAtomicRMWBinOpUMin}};
    const struct cy_expr *expr = cy_expr_of(row);
    *op = LLVMAtomicRMWBinOpXchg;
    if (expr && expr->kind == CY_EXPR_SOURCE)
        return true;
    if (expr && expr->kind == CY_EXPR_CHOICE)
        expr = expr->part[0];
    for (size_t i = 0; expr && expr->kind == CY_EXPR_BINARY && i < CY_COUNT(rows); i++)
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
    LLVMValueRef seen[2] = {LLVMBuildLoad2(t->builder, type, word, "")}, result;
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
    if (!is_local && atomic->compares)
        return compare_exchange(t, word, operand, other);
    if (!is_local)
        return LLVMBuildAtomicRMW(t->builder, atomic->op, word, operand, LLVMAtomicOrderingSequentiallyConsistent,
                                  false);
    LLVMValueRef before = LLVMBuildLoad2(t->builder, atomic->type, word, ""), after;
    LLVMValueRef is_equal = atomic->compares ? LLVMBuildICmp(t->builder, LLVMIntEQ, before, operand, "") : NULL;
    after =
        is_equal ? LLVMBuildSelect(t->builder, is_equal, other, before, "") : applied(t, atomic->op, before, operand);
    LLVMBuildStore(t->builder, after, word);
    return before;
}

/* ---- all lanes ---- */

static LLVMValueRef addresses_of(struct translator *t, const struct atomic *atomic)
{
    if (atomic->is_one)
        return atomic->is_far ? atomic->far.base : atomic->address.scalar;
    return atomic->is_far ? wide_lanes(t, atomic->far) : vector_of(t, atomic->address);
}

static LLVMValueRef pointer_to(struct translator *t, const struct atomic *atomic, LLVMValueRef address,
                               LLVMValueRef bias)
{
    if (!atomic->is_far)
        return host_pointer(t, address);
    address = LLVMBuildAdd(t->builder, address, bias, "");
    return LLVMBuildGEP2(t->builder, t->i8, t->memory, &address, 1, "");
}

static LLVMValueRef lane_of(struct translator *t, LLVMValueRef row, unsigned lane)
{
    return row ? LLVMBuildExtractElement(t->builder, row, number32(t, lane), "") : NULL;
}

/* Straight code, without a loop. */
static LLVMValueRef change_few_lanes(struct translator *t, const struct atomic *atomic)
{
    LLVMValueRef result = LLVMGetPoison(LLVMTypeOf(atomic->operand)), addresses = addresses_of(t, atomic);
    for (unsigned i = 0; i < t->lanes; i++) {
        LLVMValueRef word = pointer_to(t, atomic, lane_of(t, addresses, i), NULL);
        LLVMValueRef before =
            change_word(t, atomic, word, lane_of(t, atomic->operand, i), lane_of(t, atomic->other, i), true);
        if (atomic->is_used)
            result = LLVMBuildInsertElement(t->builder, result, before, number32(t, i), "");
    }
    return result;
}

static LLVMValueRef place(struct translator *t, LLVMTypeRef type, LLVMValueRef buffer, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(t->builder, lane, t->i64, "");
    return LLVMBuildGEP2(t->builder, type, buffer, &index, 1, "");
}

static LLVMValueRef placed(struct translator *t, LLVMTypeRef type, LLVMValueRef buffer, LLVMValueRef lane)
{
    return LLVMBuildLoad2(t->builder, type, place(t, type, buffer, lane), "");
}

static LLVMValueRef change_lanes(struct lower *l, const struct atomic *atomic, LLVMValueRef bias, bool is_local)
{
    enum { FEW = 16 };
    struct translator *t = l->t;
    LLVMTypeRef type = atomic->type, row = LLVMTypeOf(atomic->operand);
    if (is_local && t->version == FULL && !t->is_long && t->lanes <= FEW)
        return change_few_lanes(t, atomic);
    LLVMValueRef addresses = addresses_of(t, atomic), data = l->data;
    LLVMValueRef others = at_offset(t, data, 8 * CY_JIT_MAX_STRIP);
    LLVMBuildStore(t->builder, addresses, l->addresses);
    LLVMBuildStore(t->builder, atomic->operand, data);
    if (atomic->compares)
        LLVMBuildStore(t->builder, atomic->other, others);
    const struct lane_loop loop = begin_lanes(t, atomic->bits);
    LLVMValueRef at = placed(t, LLVMGetElementType(LLVMTypeOf(addresses)), l->addresses, loop.lane);
    LLVMValueRef by = placed(t, type, data, loop.lane);
    LLVMValueRef other = atomic->compares ? placed(t, type, others, loop.lane) : NULL;
    LLVMValueRef before = change_word(t, atomic, pointer_to(t, atomic, at, bias), by, other, is_local);
    if (atomic->is_used)
        LLVMBuildStore(t->builder, before, place(t, type, data, loop.lane));
    end_lanes(t, &loop);
    return atomic->is_used ? LLVMBuildLoad2(t->builder, row, data, "") : LLVMGetPoison(row);
}

/* ---- by the helper ---- */

/* As 64 bits.  LLVM would extend it before the loop, where that costs more than the helper is worth. */
static void put_row(struct lower *l, LLVMValueRef value, LLVMValueRef buffer)
{
    struct translator *t = l->t;
    value = is_vector(LLVMTypeOf(value)) ? value : lower_splat(l, value);
    if (LLVMTypeOf(value) == t->vi32) {
        LLVMBuildStore(t->builder, value, buffer);
        value = LLVMBuildLoad2(t->builder, t->vi32, buffer, "");
        LLVMSetVolatile(value, true);
        value = LLVMBuildZExt(t->builder, value, t->vi64, "");
    }
    LLVMBuildStore(t->builder, value, buffer);
}

static LLVMValueRef change_by_helper(struct lower *l, const struct atomic *atomic)
{
    struct translator *t = l->t;
    put_row(l, addresses_of(t, atomic), l->addresses);
    put_row(l, atomic->operand, l->data);
    if (atomic->compares)
        put_row(l, atomic->other, at_offset(t, l->data, 8 * CY_JIT_MAX_STRIP));
    LLVMValueRef args[] = {t->frame,
                           number32(t, l->accesses[atomic->insn->access]),
                           number32(t, atomic->site),
                           l->addresses,
                           l->data,
                           atomic->bits,
                           rare_item(t),
                           t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
    LLVMTypeRef wide = atomic->is_one ? t->i64 : t->vi64, type = LLVMTypeOf(atomic->operand);
    LLVMValueRef result = LLVMBuildLoad2(t->builder, wide, l->data, "");
    return type == wide ? result : LLVMBuildTrunc(t->builder, result, type, "");
}

/* i1: the words of all active lanes are in the site.  `from`: its first address, or what makes host addresses of far ones. */
static LLVMValueRef is_inside(struct translator *t, const struct atomic *atomic, LLVMValueRef *from)
{
    const unsigned align = (unsigned)__builtin_ctz(atomic->access->bytes);
    return atomic->is_far ? are_far_words_inside(t, atomic->site, &atomic->far, align, from)
                          : are_words_inside(t, atomic->site, &atomic->address, align, from);
}

/* The helper; memory of others; of near words, local memory. */
static LLVMValueRef change(struct lower *l, const struct atomic *atomic)
{
    struct translator *t = l->t;
    LLVMBasicBlockRef inside = new_block(t, "inside"), slow = new_block(t, "slow"), on = new_block(t, "on");
    LLVMBasicBlockRef ways[3] = {slow, inside}, ends[3];
    LLVMValueRef results[3], from, ok = is_inside(t, atomic, &from);
    unsigned count = 2;
    make_rare(t, LLVMBuildCondBr(t->builder, ok, inside, slow), false);
    if (!atomic->is_far) {
        LLVMPositionBuilderAtEnd(t->builder, inside);
        ways[1] = new_block(t, "global");
        ways[count++] = new_block(t, "local");
        LLVMValueRef lds = frame_word(t, offsetof(struct cy_jit_frame, lds));
        LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, from, lds, ""), ways[2], ways[1]);
    }
    for (unsigned i = 0; i < count; i++) {
        LLVMPositionBuilderAtEnd(t->builder, ways[i]);
        if (i == 0) {
            results[i] = change_by_helper(l, atomic);
        } else if (atomic->is_one) {
            LLVMValueRef word = pointer_to(t, atomic, addresses_of(t, atomic), from);
            results[i] = change_word(t, atomic, word, atomic->operand, atomic->other, i == 2);
        } else {
            results[i] = change_lanes(l, atomic, from, i == 2);
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
static const char *reduction_of(const struct atomic *atomic)
{
    const bool is_one = atomic->is_far ? atomic->far.class.kind == WIDE_UNIFORM : atomic->address.class.kind == UNIFORM;
    if (atomic->is_used || atomic->compares || !is_one)
        return NULL;
    switch (atomic->op) {
    case LLVMAtomicRMWBinOpOr: return "llvm.vector.reduce.or";
    case LLVMAtomicRMWBinOpXor: return "llvm.vector.reduce.xor";
    case LLVMAtomicRMWBinOpAdd: return "llvm.vector.reduce.add";
    default: return NULL;
    }
}

static void reduce(struct lower *l, const char *reduction, struct atomic *atomic)
{
    struct translator *t = l->t;
    LLVMTypeRef row = LLVMTypeOf(atomic->operand);
    if (t->version == MASKED || t->lanes != t->w) {
        LLVMValueRef mask = LLVMBuildSExt(t->builder, lower_mask(l, atomic->insn->mask), row, "");
        atomic->operand = LLVMBuildAnd(t->builder, atomic->operand, mask, "");
    }
    atomic->operand = intrinsic(t, reduction, row, &atomic->operand, 1);
    atomic->bits = LLVMBuildAnd(t->builder, atomic->bits, LLVMBuildNeg(t->builder, atomic->bits, ""), "");
    atomic->is_one = true;
}

/* ---- an instruction ---- */

static void find_address(struct lower *l, struct atomic *atomic)
{
    const struct cy_sir_shape shape = cy_sir_address_shape(&l->shapes, atomic->insn);
    const bool is_one = cy_sir_is_one(&shape);
    LLVMValueRef address = lower_plus(l, lower_base(l, atomic->insn, !is_one), atomic->access->offset);
    if (atomic->is_far)
        atomic->far = is_one ? wide_uniform(l->t, address, false) : wide_vector(l->t, address);
    else
        atomic->address = is_one ? uniform(l->t, address, false) : vector(l->t, address);
}

LLVMValueRef lower_atomic_op(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    struct atomic atomic = {.insn = insn,
                            .access = access,
                            .compares = insn->op == CY_SIR_CAS,
                            .is_used = l->are_used[insn - l->func->insns.at],
                            .is_far = access->space == CY_SIR_FAR,
                            .type = access->bytes == 8 ? t->i64 : t->i32,
                            .site = lower_site(l)};
    LLVMTypeRef row = LLVMVectorType(atomic.type, t->w);
    if (!atomic.compares && !find_operation((enum cy_op)access->op, &atomic.op)) {
        cannot(t, "%s", cy_insns[access->op].mnemonic);
        return LLVMConstNull(row);
    }
    lower_under(l, insn->mask);
    find_address(l, &atomic);
    atomic.operand = lower_vector(l, insn->args[2]);
    atomic.other = atomic.compares ? lower_vector(l, insn->args[3]) : NULL;
    atomic.bits = active_bits(t);
    const char *reduction = reduction_of(&atomic);
    if (reduction)
        reduce(l, reduction, &atomic);
    LLVMValueRef result = change(l, &atomic);
    return reduction ? LLVMGetPoison(row) : result;
}

/* Hosts order all but loads after stores at little or no cost.  imm: succ, pred above, and above that whether it is fence.tso. */
void lower_fence(struct lower *l, const struct cy_sir_insn *insn)
{
    enum { WRITES = 5, READS = 10, TSO = 256 }; /* iorw */
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    if (insn->imm & TSO)
        order = LLVMAtomicOrderingAcquireRelease;
    else if (!(insn->imm >> 4 & WRITES))
        order = LLVMAtomicOrderingAcquire;
    else if (!(insn->imm & READS))
        order = LLVMAtomicOrderingRelease;
    LLVMBuildFence(l->t->builder, order, false, "");
}
