/* NaNs on x86-64, whose NaNs have other bits than the guest's one.
 *
 * float_bits() replaces every NaN that an operation gives by ours: two instructions for each operation, although operations
 * on floats only care whether a value is a NaN, not which.  So they are given the value from before the replacement, through
 * phis and selections too, and it is only done where the bits count: stores, integer operations, calls.
 *
 *     a value is clean   if replacing its NaNs would not change it: a replaced one, a number that is known, a phi of these
 *     its raw value      is what it has without replacement, as floats
 *
 * Clean phis become phis of raw values, and their other uses replace.  A phi that is not clean, because it may be loaded bits,
 * stays as it is; operations on floats use a phi of raw values beside it. */
#include "jit/translate/translator.h"

struct candidate { /* an integer value, of 32 or 64 bits or a vector of these */
    LLVMValueRef value;
    LLVMValueRef raw;  /* NULL: not made yet */
    LLVMValueRef here; /* phis: replaced, in its own block */
    bool is_clean;
    bool is_replaced; /* float_bits() made it */
    bool leads;       /* to one of these */
};

struct nans {
    struct translator *t;
    CY_VEC(struct candidate) all;
    uint32_t *table; /* by hash: number + 1; 0: free */
    size_t mask;
};

/* ---- the table ---- */

static size_t slot_of(const struct nans *nans, LLVMValueRef value)
{
    size_t slot = (size_t)((uintptr_t)value >> 4) * 0x9e3779b97f4a7c15u >> 20 & nans->mask;
    while (nans->table[slot] && nans->all.at[nans->table[slot] - 1].value != value)
        slot = (slot + 1) & nans->mask;
    return slot;
}

static struct candidate *find(const struct nans *nans, LLVMValueRef value)
{
    const uint32_t number = nans->table[slot_of(nans, value)];
    return number ? &nans->all.at[number - 1] : NULL;
}

static void make_table(struct nans *nans)
{
    size_t size = 64;
    while (size < 2 * nans->all.count)
        size *= 2;
    nans->table = cy_arena_alloc(&nans->t->arena, size * sizeof(*nans->table));
    nans->mask = size - 1;
    for (size_t i = 0; i < nans->all.count; i++)
        nans->table[slot_of(nans, nans->all.at[i].value)] = (uint32_t)i + 1;
}

/* ---- types and constants ---- */

static LLVMTypeRef raw_type(const struct translator *t, LLVMTypeRef type)
{
    return type == t->i32    ? t->f32
           : type == t->vi32 ? t->vf32
           : type == t->i64  ? t->f64
           : type == t->vi64 ? t->vf64
                             : NULL;
}

LLVMValueRef our_nan(const struct translator *t, LLVMTypeRef type)
{
    const bool is_vector = type == t->vi32 || type == t->vi64, is_wide = type == t->i64 || type == t->vi64;
    LLVMValueRef one =
        is_wide ? LLVMConstInt(t->i64, 0x7ff8000000000000, false) : LLVMConstInt(t->i32, 0x7fc00000, false);
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = one;
    return is_vector ? LLVMConstVector(lanes, t->w) : one;
}

static bool is_clean_number(uint64_t bits, bool is_wide)
{
    const uint64_t infinity = is_wide ? 0x7ff0000000000000 : 0x7f800000, sign = is_wide ? 1ull << 63 : 1u << 31;
    return (bits & ~sign) <= infinity || bits == (is_wide ? 0x7ff8000000000000 : 0x7fc00000);
}

static bool is_clean_constant(const struct translator *t, LLVMValueRef value)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    const bool is_wide = type == t->i64 || type == t->vi64, is_vector = type == t->vi32 || type == t->vi64;
    for (unsigned i = 0; i < (is_vector ? t->w : 1); i++) {
        LLVMValueRef one = is_vector ? LLVMGetAggregateElement(value, i) : value;
        if (!one || (!LLVMIsUndef(one) && !LLVMIsAConstantInt(one)) ||
            (LLVMIsAConstantInt(one) && !is_clean_number(LLVMConstIntGetZExtValue(one), is_wide)))
            return false;
    }
    return true;
}

/* ---- candidates ---- */

/* What float_bits() replaces the NaNs of; NULL: it is something else. */
static LLVMValueRef replaced_value(const struct translator *t, LLVMValueRef value)
{
    if (!LLVMIsASelectInst(value))
        return NULL;
    LLVMValueRef condition = LLVMGetOperand(value, 0), bits = LLVMGetOperand(value, 2);
    if (!LLVMIsAFCmpInst(condition) || LLVMGetFCmpPredicate(condition) != LLVMRealUNO || !LLVMIsABitCastInst(bits))
        return NULL;
    LLVMValueRef raw = LLVMGetOperand(bits, 0);
    return !LLVMIsABitCastInst(raw) && raw == LLVMGetOperand(condition, 0) && raw == LLVMGetOperand(condition, 1) &&
                   LLVMGetOperand(value, 1) == our_nan(t, LLVMTypeOf(value))
               ? raw
               : NULL;
}

static bool is_from_integers(LLVMValueRef value)
{
    return LLVMIsABitCastInst(value) &&
           (LLVMIsASIToFPInst(LLVMGetOperand(value, 0)) || LLVMIsAUIToFPInst(LLVMGetOperand(value, 0)));
}

static void collect(struct nans *nans, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value)) {
            if (!raw_type(nans->t, LLVMTypeOf(value)))
                continue;
            LLVMValueRef raw = replaced_value(nans->t, value);
            if (raw)
                *cy_vec_push(&nans->all) =
                    (struct candidate){value, .raw = raw, .is_clean = true, .is_replaced = true, .leads = true};
            else if (is_from_integers(value))
                *cy_vec_push(&nans->all) = (struct candidate){value, .raw = LLVMGetOperand(value, 0), .is_clean = true};
            else if (LLVMIsAPHINode(value) || LLVMIsASelectInst(value))
                *cy_vec_push(&nans->all) = (struct candidate){value, .is_clean = true};
        }
}

static unsigned source_count(LLVMValueRef value)
{
    return LLVMIsAPHINode(value) ? LLVMCountIncoming(value) : 2;
}

static LLVMValueRef source(LLVMValueRef value, unsigned number)
{
    return LLVMIsAPHINode(value) ? LLVMGetIncomingValue(value, number) : LLVMGetOperand(value, number + 1);
}

/* Until nothing changes: phis are clean unless something speaks against it, and lead nowhere unless something does. */
static void classify(struct nans *nans)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < nans->all.count; i++) {
            struct candidate *one = &nans->all.at[i];
            const struct candidate before = *one;
            for (unsigned k = 0; !one->raw && k < source_count(one->value); k++) {
                LLVMValueRef from = source(one->value, k);
                const struct candidate *other = find(nans, from);
                one->leads |= other && other->leads;
                one->is_clean &= other ? other->is_clean : LLVMIsConstant(from) && is_clean_constant(nans->t, from);
            }
            changed |= one->leads != before.leads || one->is_clean != before.is_clean;
        }
    }
}

/* ---- raw values ---- */

static LLVMValueRef raw_of(struct nans *nans, LLVMValueRef value, LLVMBasicBlockRef at_end_of, LLVMValueRef before);

static LLVMValueRef raw_phi(struct nans *nans, size_t number)
{
    LLVMBuilderRef b = nans->t->builder;
    LLVMValueRef value = nans->all.at[number].value;
    LLVMPositionBuilderBefore(b, value);
    LLVMValueRef raw = LLVMBuildPhi(b, raw_type(nans->t, LLVMTypeOf(value)), "");
    nans->all.at[number].raw = raw;
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++) {
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(value, i);
        LLVMValueRef one = raw_of(nans, LLVMGetIncomingValue(value, i), from, NULL);
        LLVMAddIncoming(raw, &one, &from, 1);
    }
    return raw;
}

static LLVMValueRef raw_select(struct nans *nans, size_t number)
{
    LLVMValueRef value = nans->all.at[number].value;
    LLVMValueRef first = raw_of(nans, LLVMGetOperand(value, 1), NULL, value);
    LLVMValueRef second = raw_of(nans, LLVMGetOperand(value, 2), NULL, value);
    LLVMPositionBuilderBefore(nans->t->builder, value);
    return nans->all.at[number].raw = LLVMBuildSelect(nans->t->builder, LLVMGetOperand(value, 0), first, second, "");
}

/* For a phi's edge or for an instruction. */
static LLVMValueRef raw_of(struct nans *nans, LLVMValueRef value, LLVMBasicBlockRef at_end_of, LLVMValueRef before)
{
    const struct candidate *one = find(nans, value);
    if (one && one->raw)
        return one->raw;
    if (one && one->leads) {
        const size_t number = (size_t)(one - nans->all.at);
        return LLVMIsAPHINode(value) ? raw_phi(nans, number) : raw_select(nans, number);
    }
    LLVMPositionBuilderBefore(nans->t->builder, before ? before : LLVMGetBasicBlockTerminator(at_end_of));
    return LLVMBuildBitCast(nans->t->builder, value, raw_type(nans->t, LLVMTypeOf(value)), "");
}

static LLVMValueRef replaced(struct nans *nans, LLVMValueRef raw, LLVMTypeRef type)
{
    LLVMBuilderRef b = nans->t->builder;
    LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, raw, raw, "");
    return LLVMBuildSelect(b, is_nan, our_nan(nans->t, type), LLVMBuildBitCast(b, raw, type, ""), "");
}

/* ---- uses ---- */

/* Operations on floats: conversions of bits to floats are made for these only. */
static void give_raw(struct nans *nans, LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef value = LLVMGetFirstInstruction(block), next; value; value = next) {
            next = LLVMGetNextInstruction(value);
            if (!LLVMIsABitCastInst(value))
                continue;
            LLVMValueRef from = LLVMGetOperand(value, 0);
            const struct candidate *one = find(nans, from);
            if (!one || !one->leads || LLVMTypeOf(value) != raw_type(nans->t, LLVMTypeOf(from)))
                continue;
            LLVMReplaceAllUsesWith(value, raw_of(nans, from, NULL, value));
            LLVMInstructionEraseFromParent(value);
        }
}

/* Where the bits of a clean value count, outside its block (there, it is replaced already) or anywhere, if it is a phi. */
static void replace_use(struct nans *nans, size_t number, LLVMValueRef user, unsigned operand)
{
    LLVMBuilderRef b = nans->t->builder;
    LLVMValueRef value = nans->all.at[number].value, raw = nans->all.at[number].raw, bits;
    LLVMBasicBlockRef own = LLVMGetInstructionParent(value);
    const struct candidate *other = find(nans, user);
    if (other && other->is_clean && other->leads && !other->is_replaced)
        return; /* a phi of raw values takes its place */
    LLVMBasicBlockRef block =
        LLVMIsAPHINode(user) ? LLVMGetIncomingBlock(user, operand) : LLVMGetInstructionParent(user);
    if (block == own && nans->all.at[number].is_replaced)
        return;
    if (block == own && LLVMIsAPHINode(value)) {
        if (!nans->all.at[number].here) {
            LLVMValueRef first = LLVMGetFirstInstruction(own);
            while (LLVMIsAPHINode(first))
                first = LLVMGetNextInstruction(first);
            LLVMPositionBuilderBefore(b, first);
            nans->all.at[number].here = replaced(nans, raw, LLVMTypeOf(value));
        }
        bits = nans->all.at[number].here;
    } else {
        LLVMPositionBuilderBefore(b, LLVMIsAPHINode(user) ? LLVMGetBasicBlockTerminator(block) : user);
        bits = replaced(nans, raw, LLVMTypeOf(value));
    }
    LLVMSetOperand(user, operand, bits);
}

static void replace_uses(struct nans *nans, size_t number)
{
    LLVMValueRef value = nans->all.at[number].value;
    for (LLVMUseRef use = LLVMGetFirstUse(value), next; use; use = next) {
        next = LLVMGetNextUse(use);
        LLVMValueRef user = LLVMGetUser(use);
        for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(user); i++)
            if (LLVMGetOperand(user, i) == value) {
                replace_use(nans, number, user, i);
                break;
            }
    }
}

void settle_nans(struct translator *t)
{
    struct nans nans = {.t = t};
    if (t->host->has_one_nan)
        return;
    for (LLVMValueRef function = LLVMGetFirstFunction(t->module); function; function = LLVMGetNextFunction(function))
        collect(&nans, function);
    make_table(&nans);
    classify(&nans);
    for (LLVMValueRef function = LLVMGetFirstFunction(t->module); function; function = LLVMGetNextFunction(function))
        give_raw(&nans, function);
    for (size_t i = 0; i < nans.all.count; i++) {
        const struct candidate *one = &nans.all.at[i];
        if (!one->is_clean || !one->leads)
            continue;
        if (!one->raw)
            raw_of(&nans, one->value, NULL, NULL);
        replace_uses(&nans, i);
    }
    cy_vec_free(&nans.all);
}
