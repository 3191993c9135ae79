/* Arithmetic, element by element. */
#include "cc/import/import_priv.h"

#include <string.h>

/* ---- integers ---- */

static const struct {
    LLVMOpcode opcode;
    enum ir_op op;
} bitwise[] = {{LLVMAnd, IR_AND}, {LLVMOr, IR_OR}, {LLVMXor, IR_XOR}};

static void divide(struct importer *im, LLVMValueRef insn, LLVMOpcode op, unsigned bits, const ir_value *a,
                   const ir_value *b, ir_value *out)
{
    bool is_signed = op == LLVMSDiv || op == LLVMSRem, remainder = op == LLVMURem || op == LLVMSRem;
    ir_value x, y;
    if (bits > 32) { /* 64-bit ones have become calls */
        import_error(im, insn, "%u-bit division is not supported", bits);
        return;
    }
    int_extend(im, is_signed, bits, a, 1, &x);
    int_extend(im, is_signed, bits, b, 1, &y);
    out[0] = build(im, remainder ? (is_signed ? IR_REMS : IR_REMU) : is_signed ? IR_DIVS : IR_DIVU, x, y);
}

static void binary(struct importer *im, LLVMValueRef insn, LLVMOpcode op, unsigned bits, const ir_value *a,
                   const ir_value *b, ir_value *out)
{
    unsigned words = int_words(bits);
    ir_value x[IMPORT_INT_WORDS], n;
    for (size_t i = 0; i < CY_COUNT(bitwise); i++)
        if (bitwise[i].opcode == op) {
            for (unsigned w = 0; w < words; w++)
                out[w] = build(im, bitwise[i].op, a[w], b[w]);
            return;
        }
    switch (op) {
    case LLVMAdd: int_add(im, words, a, b, out); break;
    case LLVMSub: int_sub(im, words, a, b, out); break;
    case LLVMMul: int_mul(im, words, a, b, out); break;
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
        n = b[0];
        if (bits < 5) /* the machine uses five bits of the amount */
            int_extend(im, false, bits, b, 1, &n);
        memcpy(x, a, words * sizeof(*x));
        if (op != LLVMShl)
            int_extend(im, op == LLVMAShr, bits, a, words, x);
        int_shift(im, op == LLVMShl ? IR_SHL : op == LLVMAShr ? IR_SHRS : IR_SHRU, words, x, n, out);
        break;
    default: divide(im, insn, op, bits, a, b, out);
    }
    if (bits == 1)
        out[0] = build_imm(im, IR_AND, out[0], 1);
}

/* ---- floats ---- */

/* ---- element by element ---- */

static bool is_integer_binary(LLVMOpcode op)
{
    switch (op) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMUDiv:
    case LLVMSDiv:
    case LLVMURem:
    case LLVMSRem:
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: return true;
    default: return false;
    }
}

static enum ir_op float_op(LLVMOpcode op)
{
    return op == LLVMFAdd   ? IR_FADD
           : op == LLVMFSub ? IR_FSUB
           : op == LLVMFMul ? IR_FMUL
           : op == LLVMFDiv ? IR_FDIV
                            : IR_NONE;
}

/* Is it, or what is computed from it in a few steps, an index? */
static bool becomes_index(LLVMValueRef value, unsigned steps)
{
    unsigned most = 8; /* uses */
    for (LLVMUseRef use = LLVMGetFirstUse(value); use && most; use = LLVMGetNextUse(use), most--) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAGetElementPtrInst(user))
            return true;
        switch (LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMUnreachable) {
        case LLVMAdd:
        case LLVMSub:
        case LLVMMul:
        case LLVMShl:
        case LLVMOr:
        case LLVMSExt:
        case LLVMZExt:
            if (steps && becomes_index(user, steps - 1))
                return true;
            break;
        default: break;
        }
    }
    return false;
}

/* `2 * i | turn & 1`: LLVM's sum of numbers that have no bit in common. */
static bool is_sum_of_indices(LLVMValueRef insn, LLVMOpcode op)
{
    enum { STEPS = 3 };
    return op == LLVMOr && LLVMGetIsDisjoint(insn) &&
           (LLVMIsAConstantInt(LLVMGetOperand(insn, 1)) || becomes_index(insn, STEPS));
}

static void import_binary(struct importer *im, LLVMValueRef insn, LLVMOpcode op)
{
    unsigned elements;
    LLVMTypeRef type = import_element(LLVMTypeOf(insn), &elements);
    ir_value a[IMPORT_MAX_WORDS], b[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    unsigned bits = import_int_bits(type), words = import_word_count(im, type);
    if (bits == 32 && is_sum_of_indices(insn, op)) /* it becomes part of an address, lanes' addresses stay a row */
        op = LLVMAdd;
    import_get(im, LLVMGetOperand(insn, 0), a, elements * words);
    import_get(im, LLVMGetOperand(insn, 1), b, elements * words);
    for (unsigned i = 0; i < elements * words; i += words) {
        if (float_op(op) != IR_NONE)
            float_operation(im, bits, float_op(op), a + i, b + i, NULL, out + i);
        else
            binary(im, insn, op, bits, a + i, b + i, out + i);
    }
    import_set(im, insn, out, elements * words);
}

static void import_compare(struct importer *im, LLVMValueRef insn, bool is_float)
{
    unsigned elements;
    LLVMTypeRef type = import_element(LLVMTypeOf(LLVMGetOperand(insn, 0)), &elements);
    ir_value a[IMPORT_MAX_WORDS], b[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    unsigned bits = import_bits(im, type), words = import_word_count(im, type);
    import_get(im, LLVMGetOperand(insn, 0), a, elements * words);
    import_get(im, LLVMGetOperand(insn, 1), b, elements * words);
    for (unsigned i = 0; i < elements; i++)
        out[i] = is_float ? float_compare(im, bits, LLVMGetFCmpPredicate(insn), a + i * words, b + i * words)
                          : int_compare(im, LLVMGetICmpPredicate(insn), bits, a + i * words, b + i * words);
    import_set(im, insn, out, elements);
}

/* One element of a conversion between scalars. */
static void convert(struct importer *im, LLVMValueRef insn, LLVMOpcode op, unsigned from, unsigned to,
                    const ir_value *in, ir_value *out)
{
    ir_value x;
    bool to_int = op == LLVMFPToUI || op == LLVMFPToSI, to_float = op == LLVMUIToFP || op == LLVMSIToFP;
    unsigned integer = to_int ? to : from, number = to_int ? from : to;
    if ((to_int || to_float) && integer > (number == 64 ? 64 : 32)) { /* 64-bit ones of float have become calls */
        import_error(im, insn, "conversion between %s and %u-bit integers is not supported",
                     number == 64 ? "double" : "float", integer);
        return;
    }
    if ((to_int || to_float) && number == 64) {
        (to_int ? double_to_int : double_from_int)(im, op == LLVMFPToSI || op == LLVMSIToFP, integer, in, out);
        if (to == 1)
            out[0] = build_imm(im, IR_AND, out[0], 1);
        return;
    }
    switch (op) {
    case LLVMFPToUI: out[0] = build(im, to < 32 ? IR_FTOS : IR_FTOU, in[0], 0); break;
    case LLVMFPToSI: out[0] = build(im, IR_FTOS, in[0], 0); break;
    case LLVMUIToFP:
    case LLVMSIToFP:
        int_extend(im, op == LLVMSIToFP, from, in, 1, &x);
        out[0] = build(im, op == LLVMSIToFP ? IR_STOF : IR_UTOF, x, 0);
        break;
    default: int_extend(im, op == LLVMSExt, from, in, int_words(to), out);
    }
    if (to == 1)
        out[0] = build_imm(im, IR_AND, out[0], 1);
}

static void import_convert(struct importer *im, LLVMValueRef insn, LLVMOpcode op)
{
    unsigned elements;
    LLVMTypeRef to = import_element(LLVMTypeOf(insn), &elements);
    LLVMTypeRef from = import_element(LLVMTypeOf(LLVMGetOperand(insn, 0)), &elements);
    ir_value in[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    unsigned from_words = import_word_count(im, from), to_words = import_word_count(im, to);
    import_get(im, LLVMGetOperand(insn, 0), in, elements * from_words);
    for (unsigned i = 0; i < elements; i++)
        convert(im, insn, op, import_int_bits(from), import_int_bits(to), in + i * from_words, out + i * to_words);
    import_set(im, insn, out, elements * to_words);
}

/* Deposits `value`, whose upper bits are zero, into a bit string at position `at`. */
static void deposit(struct importer *im, ir_value *row, unsigned at, unsigned bits, ir_value value)
{
    unsigned word = at / 32, shift = at % 32;
    ir_value low = shift ? build_imm(im, IR_SHL, value, shift) : value;
    row[word] = row[word] ? build(im, IR_OR, row[word], low) : low;
    if (shift + bits > 32)
        row[word + 1] = build_imm(im, IR_SHRU, value, 32 - shift);
}

static ir_value withdraw(struct importer *im, const ir_value *row, unsigned at, unsigned bits)
{
    unsigned word = at / 32, shift = at % 32;
    ir_value value = shift ? build_imm(im, IR_SHRU, row[word], shift) : row[word];
    return shift + bits > 32 ? build(im, IR_OR, value, build_imm(im, IR_SHL, row[word + 1], 32 - shift)) : value;
}

void import_join_bits(struct importer *im, LLVMTypeRef type, const ir_value *words, ir_value *row)
{
    unsigned count, bits = import_bits(im, import_element(type, &count)), each = int_words(bits);
    ir_value element[IMPORT_INT_WORDS];
    for (unsigned i = 0; i < count; i++) {
        int_extend(im, false, bits, words + i * each, each, element);
        for (unsigned w = 0; w < each; w++)
            deposit(im, row, i * bits + 32 * w, bits - 32 * w < 32 ? bits - 32 * w : 32, element[w]);
    }
}

void import_split_bits(struct importer *im, LLVMTypeRef type, const ir_value *row, ir_value *words)
{
    unsigned count, bits = import_bits(im, import_element(type, &count)), each = int_words(bits);
    for (unsigned i = 0; i < count * each; i++) {
        unsigned w = i % each, left = bits - 32 * w;
        words[i] = withdraw(im, row, i / each * bits + 32 * w, left < 32 ? left : 32);
        if (bits == 1)
            words[i] = build_imm(im, IR_AND, words[i], 1);
    }
}

static void import_bitcast(struct importer *im, LLVMValueRef insn)
{
    LLVMValueRef from = LLVMGetOperand(insn, 0);
    ir_value words[IMPORT_MAX_WORDS], row[IMPORT_MAX_WORDS + 1] = {0};
    import_get(im, from, words, import_word_count(im, LLVMTypeOf(from)));
    import_join_bits(im, LLVMTypeOf(from), words, row);
    import_split_bits(im, LLVMTypeOf(insn), row, words);
    import_set(im, insn, words, import_word_count(im, LLVMTypeOf(insn)));
}

/* `a < b ? a : b` with unsafe math, which "assumes that arguments are valid" and ignores the sign of zero; IR_NONE:
 * something else.  LLVM must not see these as min and max: see opaque.c. */
static enum ir_op minmax_of(LLVMValueRef select, LLVMValueRef *a, LLVMValueRef *b)
{
    LLVMValueRef compare = LLVMGetOperand(select, 0), x = LLVMGetOperand(select, 1), y = LLVMGetOperand(select, 2);
    const LLVMFastMathFlags unsafe = LLVMFastMathApproxFunc | LLVMFastMathNoSignedZeros;
    if (!import_is(LLVMTypeOf(select), LLVMFloatTypeKind) || !LLVMIsAFCmpInst(compare) ||
        (LLVMGetFastMathFlags(select) & unsafe) != unsafe)
        return IR_NONE;
    *a = LLVMGetOperand(compare, 0), *b = LLVMGetOperand(compare, 1);
    bool straight = *a == x && *b == y;
    if (!straight && (*a != y || *b != x))
        return IR_NONE;
    switch (LLVMGetFCmpPredicate(compare)) {
    case LLVMRealOLT:
    case LLVMRealOLE:
    case LLVMRealULT:
    case LLVMRealULE: return straight ? IR_FMIN : IR_FMAX;
    case LLVMRealOGT:
    case LLVMRealOGE:
    case LLVMRealUGT:
    case LLVMRealUGE: return straight ? IR_FMAX : IR_FMIN;
    default: return IR_NONE;
    }
}

static void import_select(struct importer *im, LLVMValueRef insn)
{
    LLVMValueRef x, y;
    enum ir_op minmax = minmax_of(insn, &x, &y);
    if (minmax != IR_NONE) {
        ir_value one, other, made;
        import_get(im, x, &one, 1);
        import_get(im, y, &other, 1);
        made = build(im, minmax, one, other);
        import_set(im, insn, &made, 1);
        return;
    }
    unsigned conditions, elements;
    import_element(LLVMTypeOf(LLVMGetOperand(insn, 0)), &conditions);
    LLVMTypeRef type = LLVMTypeOf(insn);
    unsigned words = import_word_count(im, type);
    import_element(type, &elements);
    ir_value c[IMPORT_MAX_WORDS], a[IMPORT_MAX_WORDS], b[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    import_get(im, LLVMGetOperand(insn, 0), c, conditions);
    import_get(im, LLVMGetOperand(insn, 1), a, words);
    import_get(im, LLVMGetOperand(insn, 2), b, words);
    for (unsigned i = 0; i < words; i++)
        out[i] = build_select(im, c[conditions > 1 ? i / (words / elements) : 0], a[i], b[i]);
    import_set(im, insn, out, words);
}

/* ---- parts of aggregates ---- */

static void import_extract(struct importer *im, LLVMValueRef insn)
{
    unsigned elements, words = import_word_count(im, LLVMTypeOf(insn));
    LLVMValueRef vector = LLVMGetOperand(insn, 0), index = LLVMGetOperand(insn, 1);
    import_element(LLVMTypeOf(vector), &elements);
    ir_value all[IMPORT_MAX_WORDS], out[IMPORT_INT_WORDS], at;
    import_get(im, vector, all, elements * words);
    if (LLVMIsAConstantInt(index)) {
        uint64_t n = LLVMConstIntGetZExtValue(index);
        memcpy(out, all + (n < elements ? n : 0) * words, words * sizeof(*out));
    } else {
        import_get(im, index, &at, 1);
        memcpy(out, all, words * sizeof(*out));
        for (unsigned i = 1; i < elements; i++) {
            ir_value hit = build_imm(im, IR_EQ, at, i);
            for (unsigned w = 0; w < words; w++)
                out[w] = build_select(im, hit, all[i * words + w], out[w]);
        }
    }
    import_set(im, insn, out, words);
}

static void import_insert(struct importer *im, LLVMValueRef insn)
{
    unsigned elements, words = import_word_count(im, LLVMTypeOf(LLVMGetOperand(insn, 1)));
    LLVMValueRef index = LLVMGetOperand(insn, 2);
    import_element(LLVMTypeOf(insn), &elements);
    ir_value all[IMPORT_MAX_WORDS], value[IMPORT_INT_WORDS], at;
    import_get(im, LLVMGetOperand(insn, 0), all, elements * words);
    import_get(im, LLVMGetOperand(insn, 1), value, words);
    if (LLVMIsAConstantInt(index)) {
        uint64_t n = LLVMConstIntGetZExtValue(index);
        if (n < elements)
            memcpy(all + n * words, value, words * sizeof(*all));
    } else {
        import_get(im, index, &at, 1);
        for (unsigned i = 0; i < elements; i++) {
            ir_value hit = build_imm(im, IR_EQ, at, i);
            for (unsigned w = 0; w < words; w++)
                all[i * words + w] = build_select(im, hit, value[w], all[i * words + w]);
        }
    }
    import_set(im, insn, all, elements * words);
}

static void import_shuffle(struct importer *im, LLVMValueRef insn)
{
    unsigned from, to = LLVMGetNumMaskElements(insn);
    LLVMTypeRef type = import_element(LLVMTypeOf(LLVMGetOperand(insn, 0)), &from);
    unsigned words = import_word_count(im, type);
    ir_value in[2 * IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    import_get(im, LLVMGetOperand(insn, 0), in, from * words);
    import_get(im, LLVMGetOperand(insn, 1), in + from * words, from * words);
    for (unsigned i = 0; i < to; i++) {
        int at = LLVMGetMaskValue(insn, i);
        for (unsigned w = 0; w < words; w++)
            out[i * words + w] = at < 0 ? im->zero : in[(unsigned)at * words + w];
    }
    import_set(im, insn, out, to * words);
}

static void import_negate(struct importer *im, LLVMValueRef insn)
{
    unsigned elements, words = import_word_count(im, LLVMTypeOf(insn));
    LLVMTypeRef type = import_element(LLVMTypeOf(insn), &elements);
    ir_value all[IMPORT_MAX_WORDS];
    import_get(im, LLVMGetOperand(insn, 0), all, words);
    for (unsigned i = 0; i < words; i += words / elements)
        if (import_is(type, LLVMDoubleTypeKind))
            build_unpack(im, build(im, IR_DNEG, build_pack(im, all + i), 0), all + i);
        else
            all[i] = build_imm(im, IR_XOR, all[i], import_is(type, LLVMHalfTypeKind) ? 0x8000u : 0x80000000u);
    import_set(im, insn, all, words);
}

/* The first word of the part that an extractvalue or insertvalue selects. */
static unsigned part_offset(struct importer *im, LLVMTypeRef type, const unsigned *indices, unsigned count)
{
    unsigned offset = 0;
    for (unsigned i = 0; i < count; i++) {
        if (import_is(type, LLVMStructTypeKind)) {
            for (unsigned k = 0; k < indices[i]; k++)
                offset += import_word_count(im, LLVMStructGetTypeAtIndex(type, k));
            type = LLVMStructGetTypeAtIndex(type, indices[i]);
        } else {
            type = LLVMGetElementType(type);
            offset += indices[i] * import_word_count(im, type);
        }
    }
    return offset;
}

static void import_aggregate(struct importer *im, LLVMValueRef insn, bool insert)
{
    LLVMValueRef aggregate = LLVMGetOperand(insn, 0);
    unsigned total = import_word_count(im, LLVMTypeOf(aggregate));
    unsigned offset = part_offset(im, LLVMTypeOf(aggregate), LLVMGetIndices(insn), LLVMGetNumIndices(insn));
    ir_value words[IMPORT_MAX_WORDS];
    if (total > IMPORT_MAX_WORDS) {
        import_error(im, insn, "a value of %u words is too large", total);
        return;
    }
    import_get(im, aggregate, words, total);
    if (insert) {
        import_get(im, LLVMGetOperand(insn, 1), words + offset,
                   import_word_count(im, LLVMTypeOf(LLVMGetOperand(insn, 1))));
        import_set(im, insn, words, total);
    } else {
        import_set(im, insn, words + offset, import_word_count(im, LLVMTypeOf(insn)));
    }
}

/* Integers are truncated or zero-extended to the size of an address. */
static void import_pointer_cast(struct importer *im, LLVMValueRef insn)
{
    unsigned elements;
    LLVMTypeRef to = import_element(LLVMTypeOf(insn), &elements);
    LLVMTypeRef from = import_element(LLVMTypeOf(LLVMGetOperand(insn, 0)), &elements);
    unsigned from_words = import_word_count(im, from), to_words = import_word_count(im, to);
    ir_value in[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    import_get(im, LLVMGetOperand(insn, 0), in, elements * from_words);
    for (unsigned i = 0; i < elements; i++)
        int_extend(im, false, import_bits(im, from), in + i * from_words, to_words, out + i * to_words);
    import_set(im, insn, out, elements * to_words);
}

bool import_arithmetic(struct importer *im, LLVMValueRef insn)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(insn);
    unsigned words = import_word_count(im, LLVMTypeOf(insn));
    ir_value all[IMPORT_MAX_WORDS];
    if (is_integer_binary(op) || float_op(op) != IR_NONE) {
        import_binary(im, insn, op);
        return true;
    }
    switch (op) {
    case LLVMICmp: import_compare(im, insn, false); return true;
    case LLVMFCmp: import_compare(im, insn, true); return true;
    case LLVMFNeg: import_negate(im, insn); return true;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP: import_convert(im, insn, op); return true;
    case LLVMBitCast: import_bitcast(im, insn); return true;
    case LLVMPtrToInt:
    case LLVMIntToPtr: import_pointer_cast(im, insn); return true;
    case LLVMAddrSpaceCast:
    case LLVMFreeze:
        import_get(im, LLVMGetOperand(insn, 0), all, words);
        import_set(im, insn, all, words);
        return true;
    case LLVMSelect: import_select(im, insn); return true;
    case LLVMExtractElement: import_extract(im, insn); return true;
    case LLVMInsertElement: import_insert(im, insn); return true;
    case LLVMShuffleVector: import_shuffle(im, insn); return true;
    case LLVMExtractValue: import_aggregate(im, insn, false); return true;
    case LLVMInsertValue: import_aggregate(im, insn, true); return true;
    default: return false;
    }
}
