/* Addresses: one word on targets with 32-bit pointers.  With 64-bit pointers private and local memory, variables and
 * everything else that the driver places is below 4 GiB, where the high word is known to be zero; other addresses are
 * pairs. */
#include "cc/import/import_priv.h"

unsigned import_pointer_words(const struct importer *im)
{
    return ir_target(im->module)->pointer_words;
}

ir_value import_pair(struct importer *im, ir_value low, ir_value high)
{
    while (im->pairs.count <= low)
        *cy_vec_push(&im->pairs) = 0;
    ir_value known = im->pairs.at[low];
    if (known) { /* one that was built where the low word was dominates everything that uses the word */
        const struct ir_insn *pair = ir_at(im->func, known), *top = ir_at(im->func, high);
        const bool dominates = pair->block == im->block || pair->block == ir_at(im->func, low)->block;
        if (!dominates)
            known = 0;
        else if (pair->op == IR_PAIR ? pair->args[1] == high : top->op == IR_PHIGH && top->args[0] == known)
            return known;
    }
    ir_value pair = build(im, IR_PAIR, low, high);
    if (!known)
        im->pairs.at[low] = pair;
    return pair;
}

void import_pair_words(struct importer *im, ir_value pair, ir_value words[2])
{
    words[0] = build(im, IR_PLOW, pair, 0);
    words[1] = build(im, IR_PHIGH, pair, 0);
    while (im->pairs.count <= words[0])
        *cy_vec_push(&im->pairs) = 0;
    im->pairs.at[words[0]] = pair;
}

static bool is_const(const struct importer *im, ir_value value, int32_t constant)
{
    return ir_at(im->func, value)->op == IR_CONST && ir_at(im->func, value)->imm == constant;
}

/* Local memory is below 4 GiB, whoever made the pointer. */
static bool is_local(LLVMValueRef pointer)
{
    enum { LOCAL = 3 };
    return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)) == LOCAL;
}

ir_value import_address(struct importer *im, LLVMValueRef pointer, bool is_private)
{
    ir_value words[2];
    unsigned count = import_pointer_words(im);
    import_get(im, pointer, words, count);
    return count == 1 || is_private || is_local(pointer) || is_const(im, words[1], 0)
               ? words[0]
               : import_pair(im, words[0], words[1]);
}

void import_note_pointer(struct importer *im, LLVMValueRef value)
{
    ir_value words[2];
    if (import_pointer_words(im) == 1 || !import_is(LLVMTypeOf(value), LLVMPointerTypeKind) || is_local(value))
        return;
    import_get(im, value, words, 2);
    if (!is_const(im, words[1], 0))
        import_pair(im, words[0], words[1]);
}

/* ---- address arithmetic ---- */

struct gep {
    ir_value words[2];
    ir_value pair; /* 0: only the low word changes */
};

static ir_value scaled(struct importer *im, ir_value index, int64_t size)
{
    unsigned shift = (unsigned)__builtin_ctzll((unsigned long long)size | 1ull << 62);
    return size == 1                          ? index
           : (size & (size - 1)) == 0 && size ? build_imm(im, IR_SHL, index, shift)
                                              : build_imm(im, IR_MUL, index, (uint32_t)size);
}

/* Factors of an index are part of the scale, modulo 2^64: what loop-reduce makes of a row's first address is shifted in 64 bits. */
static LLVMValueRef without_factors(LLVMValueRef operand, int64_t *size)
{
    for (;;) {
        const bool is_shift = LLVMIsABinaryOperator(operand) && LLVMGetInstructionOpcode(operand) == LLVMShl;
        const bool is_product = LLVMIsABinaryOperator(operand) && LLVMGetInstructionOpcode(operand) == LLVMMul;
        LLVMValueRef by = is_shift || is_product ? LLVMGetOperand(operand, 1) : NULL;
        if (!by || !LLVMIsAConstantInt(by) || import_int_bits(LLVMTypeOf(operand)) != 64)
            return operand;
        const int64_t number = LLVMConstIntGetSExtValue(by);
        if (number < 0 || number > (is_shift ? 30 : INT32_MAX))
            return operand;
        const int64_t factor = is_shift ? 1ll << number : number;
        if (!factor || *size <= 0 || *size > INT32_MAX / factor)
            return operand;
        *size *= factor;
        operand = LLVMGetOperand(operand, 0);
    }
}

/* index * size as a pair.  An index extended from 32 bits, the usual case, takes one multiplication. */
static ir_value wide_scaled(struct importer *im, LLVMValueRef operand, int64_t size)
{
    operand = without_factors(operand, &size);
    unsigned bits = import_int_bits(LLVMTypeOf(operand));
    ir_value index[2], product[2];
    import_get(im, operand, index, int_words(bits));
    if (bits <= 32)
        return build_imm(im, IR_WMULS, build_sext(im, index[0], bits), (uint32_t)size);
    const struct ir_insn *high = ir_at(im->func, index[1]);
    bool is_signed = high->op == IR_SHRS && high->args[0] == index[0] && is_const(im, high->args[1], 31);
    if (size <= INT32_MAX && (is_signed || is_const(im, index[1], 0)))
        return build_imm(im, is_signed ? IR_WMULS : IR_WMULU, index[0], (uint32_t)size);
    if (size < 1ll << 32 && !(size & (size - 1))) {
        ir_value pair = import_pair(im, index[0], index[1]);
        return size == 1 ? pair : build_imm(im, IR_PSHL, pair, (uint32_t)__builtin_ctzll((unsigned long long)size));
    }
    ir_value factor[2];
    for (unsigned k = 0; k < 2; k++)
        factor[k] = build_const(im, (uint32_t)(size >> 32 * k));
    int_mul(im, 2, index, factor, product);
    return build(im, IR_PAIR, product[0], product[1]);
}

static void add_constant(struct importer *im, struct gep *gep, int64_t constant)
{
    if (!constant)
        return;
    if (gep->pair) {
        const uint32_t block = im->block;
        im->block = 0; /* not in a loop; what an instruction can add itself takes no register */
        ir_value low = build_const(im, (uint32_t)constant), high = build_const(im, (uint32_t)(constant >> 32));
        ir_value pair = build(im, IR_PAIR, low, high);
        im->block = block;
        gep->pair = build(im, IR_SUM, gep->pair, pair);
    } else {
        gep->words[0] = build_imm(im, IR_ADD, gep->words[0], (uint32_t)constant);
    }
}

/* A sum of 64 bits for this address alone, or with a constant. */
static bool is_sum(LLVMValueRef operand)
{
    return LLVMIsABinaryOperator(operand) && LLVMGetInstructionOpcode(operand) == LLVMAdd &&
           import_int_bits(LLVMTypeOf(operand)) == 64 &&
           (LLVMIsAConstantInt(LLVMGetOperand(operand, 1)) || !LLVMGetNextUse(LLVMGetFirstUse(operand)));
}

/* Of an index that is extended from 32 bits, the sum with a constant, if it does not overflow: x + 1 of a[x + 1].  *constant becomes
 * the constant; NULL: it is something else. */
static LLVMValueRef without_constant(LLVMValueRef operand, int64_t *constant)
{
    LLVMValueRef sum = LLVMIsASExtInst(operand) ? LLVMGetOperand(operand, 0) : NULL;
    if (!sum || !LLVMIsABinaryOperator(sum) || import_int_bits(LLVMTypeOf(sum)) != 32 ||
        !LLVMIsAConstantInt(LLVMGetOperand(sum, 1)))
        return NULL;
    *constant = LLVMConstIntGetSExtValue(LLVMGetOperand(sum, 1));
    const LLVMOpcode op = LLVMGetInstructionOpcode(sum);
    const bool is_sum = op == LLVMAdd && LLVMGetNSW(sum), is_union = op == LLVMOr && LLVMGetIsDisjoint(sum);
    return is_sum || (is_union && *constant >= 0) ? LLVMGetOperand(sum, 0) : NULL;
}

static void add_index(struct importer *im, struct gep *gep, LLVMValueRef operand, int64_t size)
{
    int64_t constant = 0;
    LLVMValueRef rest = gep->pair ? without_constant(operand, &constant) : NULL;
    if (rest) {
        add_index(im, gep, rest, size);
        add_constant(im, gep, constant * size);
        return;
    }
    if (gep->pair && is_sum(operand)) { /* two additions of pairs: as many as there are, and no carries */
        add_index(im, gep, LLVMGetOperand(operand, 0), size);
        LLVMValueRef second = LLVMGetOperand(operand, 1);
        if (LLVMIsAConstantInt(second))
            add_constant(im, gep, (int64_t)((uint64_t)LLVMConstIntGetSExtValue(second) * (uint64_t)size));
        else
            add_index(im, gep, second, size);
        return;
    }
    if (gep->pair) {
        ir_value offset = wide_scaled(im, operand, size);
        gep->pair = build(im, IR_SUM, gep->pair, offset);
        return;
    }
    ir_value words[2];
    import_get(im, operand, words, import_word_count(im, LLVMTypeOf(operand)));
    ir_value index = build_sext(im, words[0], import_int_bits(LLVMTypeOf(operand)));
    gep->words[0] = build(im, IR_ADD, gep->words[0], scaled(im, index, size));
}

static void set_result(struct importer *im, LLVMValueRef insn, struct gep *gep)
{
    if (gep->pair && ir_at(im->func, gep->pair)->op == IR_SUM) {
        import_pair_words(im, gep->pair, gep->words);
    }
    import_set(im, insn, gep->words, import_pointer_words(im));
}

void import_gep(struct importer *im, LLVMValueRef insn)
{
    int64_t constant = 0;
    struct gep gep = {0};
    LLVMTypeRef type = LLVMGetGEPSourceElementType(insn);
    if (import_is(LLVMTypeOf(insn), LLVMVectorTypeKind)) {
        import_error(im, insn, "vectors of pointers are not supported");
        return;
    }
    import_get(im, LLVMGetOperand(insn, 0), gep.words, import_pointer_words(im));
    if (import_pointer_words(im) == 2 && is_local(LLVMGetOperand(insn, 0)))
        gep.words[1] = im->zero;
    if (import_pointer_words(im) == 2 && !is_const(im, gep.words[1], 0))
        gep.pair = import_pair(im, gep.words[0], gep.words[1]);
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(insn); i++) {
        LLVMValueRef operand = LLVMGetOperand(insn, i);
        if (i > 1 && import_is(type, LLVMStructTypeKind)) {
            unsigned field = (unsigned)LLVMConstIntGetZExtValue(operand);
            constant += (int64_t)LLVMOffsetOfElement(im->layout, type, field);
            type = LLVMStructGetTypeAtIndex(type, field);
            continue;
        }
        type = i > 1 ? LLVMGetElementType(type) : type;
        int64_t size = (int64_t)LLVMABISizeOfType(im->layout, type);
        if (LLVMIsAConstantInt(operand))
            constant += LLVMConstIntGetSExtValue(operand) * size;
        else
            add_index(im, &gep, operand, size);
    }
    add_constant(im, &gep, constant);
    set_result(im, insn, &gep);
}
