/* Arithmetic: word by word, 64-bit integers as pairs, vectors element by element. */
#include "cc/import_priv.h"

#include <string.h>

struct pair {
    ir_value low, high;
};

static ir_value select_word(struct importer *im, ir_value condition, ir_value then, ir_value otherwise)
{
    return emit3(im, IR_SELECT, condition, then, otherwise);
}

/* ---- 64 bits ---- */

static struct pair add64(struct importer *im, struct pair a, struct pair b)
{
    ir_value low = emit(im, IR_ADD, a.low, b.low), carry = emit(im, IR_LTU, low, a.low);
    return (struct pair){low, emit(im, IR_ADD, emit(im, IR_ADD, a.high, b.high), carry)};
}

static struct pair sub64(struct importer *im, struct pair a, struct pair b)
{
    ir_value low = emit(im, IR_SUB, a.low, b.low), borrow = emit(im, IR_LTU, a.low, b.low);
    return (struct pair){low, emit(im, IR_SUB, emit(im, IR_SUB, a.high, b.high), borrow)};
}

static struct pair mul64(struct importer *im, struct pair a, struct pair b)
{
    ir_value cross = emit(im, IR_ADD, emit(im, IR_MUL, a.low, b.high), emit(im, IR_MUL, a.high, b.low));
    return (struct pair){emit(im, IR_MUL, a.low, b.low), emit(im, IR_ADD, emit(im, IR_MULHU, a.low, b.low), cross)};
}

/* Shift by n: within the words by n & 31 (the machine ignores higher bits), across them when bit 5 of n is set.  What
 * moves from one word to the other goes through (x >> 1) >> (31 - n), which is right for n = 0 too. */
static struct pair shift64(struct importer *im, LLVMOpcode op, struct pair a, ir_value n)
{
    ir_value across = emit_imm(im, IR_AND, emit_imm(im, IR_SHRU, n, 5), 1), rest = emit_imm(im, IR_XOR, n, 31);
    ir_value zero = emit_const(im, 0);
    if (op == LLVMShl) {
        ir_value low = emit(im, IR_SHL, a.low, n);
        ir_value high =
            emit(im, IR_OR, emit(im, IR_SHL, a.high, n), emit(im, IR_SHRU, emit_imm(im, IR_SHRU, a.low, 1), rest));
        return (struct pair){select_word(im, across, zero, low), select_word(im, across, low, high)};
    }
    enum ir_op shift = op == LLVMAShr ? IR_SHRS : IR_SHRU;
    ir_value high = emit(im, shift, a.high, n), fill = op == LLVMAShr ? emit_imm(im, IR_SHRS, a.high, 31) : zero;
    ir_value low =
        emit(im, IR_OR, emit(im, IR_SHRU, a.low, n), emit(im, IR_SHL, emit_imm(im, IR_SHL, a.high, 1), rest));
    return (struct pair){select_word(im, across, high, low), select_word(im, across, fill, high)};
}

static ir_value compare64(struct importer *im, LLVMIntPredicate predicate, struct pair a, struct pair b)
{
    ir_value high_equal = emit(im, IR_EQ, a.high, b.high);
    switch (predicate) {
    case LLVMIntEQ: return emit(im, IR_AND, high_equal, emit(im, IR_EQ, a.low, b.low));
    case LLVMIntNE: return emit(im, IR_OR, emit(im, IR_NE, a.high, b.high), emit(im, IR_NE, a.low, b.low));
    case LLVMIntULT:
    case LLVMIntSLT:
        return select_word(im, high_equal, emit(im, IR_LTU, a.low, b.low),
                           emit(im, predicate == LLVMIntSLT ? IR_LTS : IR_LTU, a.high, b.high));
    case LLVMIntUGE:
    case LLVMIntSGE:
        return select_word(im, high_equal, emit(im, IR_GEU, a.low, b.low),
                           emit(im, predicate == LLVMIntSGE ? IR_GES : IR_GEU, a.high, b.high));
    case LLVMIntUGT: return compare64(im, LLVMIntULT, b, a);
    case LLVMIntSGT: return compare64(im, LLVMIntSLT, b, a);
    case LLVMIntULE: return compare64(im, LLVMIntUGE, b, a);
    case LLVMIntSLE: return compare64(im, LLVMIntSGE, b, a);
    }
    return im->zero;
}

static struct pair binary64(struct importer *im, LLVMValueRef insn, LLVMOpcode op, struct pair a, struct pair b)
{
    static const struct {
        LLVMOpcode opcode;
        enum ir_op op;
    } bitwise[] = {{LLVMAnd, IR_AND}, {LLVMOr, IR_OR}, {LLVMXor, IR_XOR}};
    for (size_t i = 0; i < CY_COUNT(bitwise); i++)
        if (bitwise[i].opcode == op)
            return (struct pair){emit(im, bitwise[i].op, a.low, b.low), emit(im, bitwise[i].op, a.high, b.high)};
    switch (op) {
    case LLVMAdd: return add64(im, a, b);
    case LLVMSub: return sub64(im, a, b);
    case LLVMMul: return mul64(im, a, b);
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: return shift64(im, op, a, b.low);
    default: import_error(im, insn, "a 64-bit operation is not supported"); return a;
    }
}

/* ---- 32 bits and less ---- */

static ir_value binary32(struct importer *im, LLVMValueRef insn, LLVMOpcode op, unsigned bits, ir_value a, ir_value b)
{
    bool narrow = bits < 32;
    ir_value result;
    switch (op) {
    case LLVMAdd: result = emit(im, IR_ADD, a, b); break;
    case LLVMSub: result = emit(im, IR_SUB, a, b); break;
    case LLVMMul: result = emit(im, IR_MUL, a, b); break;
    case LLVMAnd: return emit(im, IR_AND, a, b);
    case LLVMOr: return emit(im, IR_OR, a, b);
    case LLVMXor: return emit(im, IR_XOR, a, b);
    case LLVMUDiv:
    case LLVMURem:
        result = emit(im, op == LLVMUDiv ? IR_DIVU : IR_REMU, emit_zext(im, a, bits), emit_zext(im, b, bits));
        break;
    case LLVMSDiv:
    case LLVMSRem:
        result = emit(im, op == LLVMSDiv ? IR_DIVS : IR_REMS, emit_sext(im, a, bits), emit_sext(im, b, bits));
        break;
    case LLVMShl: result = emit(im, IR_SHL, a, narrow ? emit_zext(im, b, bits) : b); break;
    case LLVMLShr: result = emit(im, IR_SHRU, emit_zext(im, a, bits), narrow ? emit_zext(im, b, bits) : b); break;
    case LLVMAShr: result = emit(im, IR_SHRS, emit_sext(im, a, bits), narrow ? emit_zext(im, b, bits) : b); break;
    default: import_error(im, insn, "an integer operation is not supported"); return a;
    }
    return bits == 1 ? emit_imm(im, IR_AND, result, 1) : result;
}

static ir_value compare32(struct importer *im, LLVMIntPredicate predicate, unsigned bits, ir_value a, ir_value b)
{
    bool is_signed = predicate >= LLVMIntSGT;
    a = is_signed ? emit_sext(im, a, bits) : emit_zext(im, a, bits);
    b = is_signed ? emit_sext(im, b, bits) : emit_zext(im, b, bits);
    switch (predicate) {
    case LLVMIntEQ: return emit(im, IR_EQ, a, b);
    case LLVMIntNE: return emit(im, IR_NE, a, b);
    case LLVMIntUGT: return emit(im, IR_LTU, b, a);
    case LLVMIntUGE: return emit(im, IR_GEU, a, b);
    case LLVMIntULT: return emit(im, IR_LTU, a, b);
    case LLVMIntULE: return emit(im, IR_GEU, b, a);
    case LLVMIntSGT: return emit(im, IR_LTS, b, a);
    case LLVMIntSGE: return emit(im, IR_GES, a, b);
    case LLVMIntSLT: return emit(im, IR_LTS, a, b);
    case LLVMIntSLE: return emit(im, IR_GES, b, a);
    }
    return im->zero;
}

static ir_value negate_bit(struct importer *im, ir_value bit)
{
    return emit_imm(im, IR_XOR, bit, 1);
}

static ir_value compare_float(struct importer *im, LLVMRealPredicate predicate, ir_value a, ir_value b)
{
    switch (predicate) {
    case LLVMRealPredicateFalse: return emit_const(im, 0);
    case LLVMRealPredicateTrue: return emit_const(im, 1);
    case LLVMRealOEQ: return emit(im, IR_FEQ, a, b);
    case LLVMRealOGT: return emit(im, IR_FLT, b, a);
    case LLVMRealOGE: return emit(im, IR_FLE, b, a);
    case LLVMRealOLT: return emit(im, IR_FLT, a, b);
    case LLVMRealOLE: return emit(im, IR_FLE, a, b);
    case LLVMRealONE: return emit(im, IR_OR, emit(im, IR_FLT, a, b), emit(im, IR_FLT, b, a));
    case LLVMRealORD: return emit(im, IR_AND, emit(im, IR_FEQ, a, a), emit(im, IR_FEQ, b, b));
    case LLVMRealUNO: return negate_bit(im, compare_float(im, LLVMRealORD, a, b));
    case LLVMRealUEQ: return negate_bit(im, compare_float(im, LLVMRealONE, a, b));
    case LLVMRealUGT: return negate_bit(im, emit(im, IR_FLE, a, b));
    case LLVMRealUGE: return negate_bit(im, emit(im, IR_FLT, a, b));
    case LLVMRealULT: return negate_bit(im, emit(im, IR_FLE, b, a));
    case LLVMRealULE: return negate_bit(im, emit(im, IR_FLT, b, a));
    case LLVMRealUNE: return negate_bit(im, emit(im, IR_FEQ, a, b));
    }
    return im->zero;
}

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

static void import_binary(struct importer *im, LLVMValueRef insn, LLVMOpcode op)
{
    unsigned elements;
    LLVMTypeRef type = import_element(LLVMTypeOf(insn), &elements);
    ir_value a[IMPORT_MAX_WORDS], b[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    unsigned bits = import_int_bits(type), words = bits > 32 ? 2 : 1;
    import_get(im, LLVMGetOperand(insn, 0), a, elements * words);
    import_get(im, LLVMGetOperand(insn, 1), b, elements * words);
    for (unsigned i = 0; i < elements; i++) {
        if (float_op(op) != IR_NONE) {
            out[i] = emit(im, float_op(op), a[i], b[i]);
        } else if (words == 1) {
            out[i] = binary32(im, insn, op, bits, a[i], b[i]);
        } else {
            struct pair p =
                binary64(im, insn, op, (struct pair){a[2 * i], a[2 * i + 1]}, (struct pair){b[2 * i], b[2 * i + 1]});
            out[2 * i] = p.low;
            out[2 * i + 1] = p.high;
        }
    }
    import_set(im, insn, out, elements * words);
}

static void import_compare(struct importer *im, LLVMValueRef insn, bool is_float)
{
    unsigned elements;
    LLVMTypeRef type = import_element(LLVMTypeOf(LLVMGetOperand(insn, 0)), &elements);
    ir_value a[IMPORT_MAX_WORDS], b[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    unsigned bits = import_int_bits(type), words = bits > 32 ? 2 : 1;
    import_get(im, LLVMGetOperand(insn, 0), a, elements * words);
    import_get(im, LLVMGetOperand(insn, 1), b, elements * words);
    for (unsigned i = 0; i < elements; i++)
        out[i] = is_float     ? compare_float(im, LLVMGetFCmpPredicate(insn), a[i], b[i])
                 : words == 1 ? compare32(im, LLVMGetICmpPredicate(insn), bits, a[i], b[i])
                              : compare64(im, LLVMGetICmpPredicate(insn), (struct pair){a[2 * i], a[2 * i + 1]},
                                          (struct pair){b[2 * i], b[2 * i + 1]});
    import_set(im, insn, out, elements);
}

/* One element of a conversion between scalars. */
static void convert(struct importer *im, LLVMOpcode op, unsigned from, unsigned to, const ir_value *in, ir_value *out)
{
    switch (op) {
    case LLVMTrunc:
        out[0] = to == 1 ? emit_imm(im, IR_AND, in[0], 1) : in[0];
        if (to > 32)
            out[1] = in[1];
        break;
    case LLVMZExt:
        out[0] = emit_zext(im, in[0], from);
        if (to > 32)
            out[1] = from > 32 ? emit_zext(im, in[1], from - 32) : emit_const(im, 0);
        break;
    case LLVMSExt:
        out[0] = from == 1 ? emit(im, IR_SUB, emit_const(im, 0), in[0]) : emit_sext(im, in[0], from);
        if (to > 32)
            out[1] = from > 32 ? emit_sext(im, in[1], from - 32) : emit_imm(im, IR_SHRS, out[0], 31);
        break;
    case LLVMFPToUI: out[0] = emit(im, to < 32 ? IR_FTOS : IR_FTOU, in[0], 0); break;
    case LLVMFPToSI: out[0] = emit(im, IR_FTOS, in[0], 0); break;
    case LLVMUIToFP: out[0] = emit(im, IR_UTOF, emit_zext(im, in[0], from), 0); break;
    default:
        out[0] =
            emit(im, IR_STOF, from == 1 ? emit(im, IR_SUB, emit_const(im, 0), in[0]) : emit_sext(im, in[0], from), 0);
        break;
    }
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
        convert(im, op, import_int_bits(from), import_int_bits(to), in + i * from_words, out + i * to_words);
    import_set(im, insn, out, elements * to_words);
}

/* Bits as they are: elements are packed into words and unpacked again when the widths differ. */
static void import_bitcast(struct importer *im, LLVMValueRef insn)
{
    unsigned from_count, to_count;
    LLVMTypeRef from = import_element(LLVMTypeOf(LLVMGetOperand(insn, 0)), &from_count);
    LLVMTypeRef to = import_element(LLVMTypeOf(insn), &to_count);
    unsigned from_bits = import_int_bits(from), to_bits = import_int_bits(to);
    ir_value in[IMPORT_MAX_WORDS], packed[IMPORT_MAX_WORDS], out[IMPORT_MAX_WORDS];
    unsigned in_words = from_count * import_word_count(im, from), out_words = to_count * import_word_count(im, to);
    import_get(im, LLVMGetOperand(insn, 0), in, in_words);
    if ((from_bits < 32 && 32 % from_bits) || (to_bits < 32 && 32 % to_bits)) {
        import_error(im, insn, "a cast between odd types is not supported");
        return;
    }
    unsigned per_word = from_bits < 32 ? 32 / from_bits : 1, words = 0;
    for (unsigned i = 0; i < in_words; i += per_word, words++) {
        packed[words] = per_word > 1 ? emit_zext(im, in[i], from_bits) : in[i];
        for (unsigned k = 1; k < per_word && i + k < in_words; k++)
            packed[words] = emit(im, IR_OR, packed[words],
                                 emit_imm(im, IR_SHL, emit_zext(im, in[i + k], from_bits), k * from_bits));
    }
    per_word = to_bits < 32 ? 32 / to_bits : 1;
    for (unsigned i = 0; i < out_words; i++) {
        ir_value word = packed[i / per_word];
        out[i] = i % per_word ? emit_imm(im, IR_SHRU, word, i % per_word * to_bits) : word;
        if (to_bits == 1)
            out[i] = emit_imm(im, IR_AND, out[i], 1);
    }
    import_set(im, insn, out, out_words);
}

static void import_select(struct importer *im, LLVMValueRef insn)
{
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
        out[i] = select_word(im, c[conditions > 1 ? i / (words / elements) : 0], a[i], b[i]);
    import_set(im, insn, out, words);
}

/* ---- parts of aggregates ---- */

static void import_extract(struct importer *im, LLVMValueRef insn)
{
    unsigned elements, words = import_word_count(im, LLVMTypeOf(insn));
    LLVMValueRef vector = LLVMGetOperand(insn, 0), index = LLVMGetOperand(insn, 1);
    import_element(LLVMTypeOf(vector), &elements);
    ir_value all[IMPORT_MAX_WORDS], out[2], at;
    import_get(im, vector, all, elements * words);
    if (LLVMIsAConstantInt(index)) {
        uint64_t n = LLVMConstIntGetZExtValue(index);
        memcpy(out, all + (n < elements ? n : 0) * words, words * sizeof(*out));
    } else {
        import_get(im, index, &at, 1);
        memcpy(out, all, words * sizeof(*out));
        for (unsigned i = 1; i < elements; i++) {
            ir_value hit = emit_imm(im, IR_EQ, at, i);
            for (unsigned w = 0; w < words; w++)
                out[w] = select_word(im, hit, all[i * words + w], out[w]);
        }
    }
    import_set(im, insn, out, words);
}

static void import_insert(struct importer *im, LLVMValueRef insn)
{
    unsigned elements, words = import_word_count(im, LLVMTypeOf(LLVMGetOperand(insn, 1)));
    LLVMValueRef index = LLVMGetOperand(insn, 2);
    import_element(LLVMTypeOf(insn), &elements);
    ir_value all[IMPORT_MAX_WORDS], value[2], at;
    import_get(im, LLVMGetOperand(insn, 0), all, elements * words);
    import_get(im, LLVMGetOperand(insn, 1), value, words);
    if (LLVMIsAConstantInt(index)) {
        uint64_t n = LLVMConstIntGetZExtValue(index);
        if (n < elements)
            memcpy(all + n * words, value, words * sizeof(*all));
    } else {
        import_get(im, index, &at, 1);
        for (unsigned i = 0; i < elements; i++) {
            ir_value hit = emit_imm(im, IR_EQ, at, i);
            for (unsigned w = 0; w < words; w++)
                all[i * words + w] = select_word(im, hit, value[w], all[i * words + w]);
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

/* The first word of the part an extractvalue or insertvalue names. */
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

bool import_arithmetic(struct importer *im, LLVMValueRef insn)
{
    LLVMOpcode op = LLVMGetInstructionOpcode(insn);
    unsigned words = import_word_count(im, LLVMTypeOf(insn));
    ir_value all[IMPORT_MAX_WORDS];
    if (words > IMPORT_MAX_WORDS) {
        import_error(im, insn, "a value of %u words is too large", words);
        return true;
    }
    if (is_integer_binary(op) || float_op(op) != IR_NONE) {
        import_binary(im, insn, op);
        return true;
    }
    switch (op) {
    case LLVMICmp: import_compare(im, insn, false); return true;
    case LLVMFCmp: import_compare(im, insn, true); return true;
    case LLVMFNeg:
        import_get(im, LLVMGetOperand(insn, 0), all, words);
        for (unsigned i = 0; i < words; i++)
            all[i] = emit_imm(im, IR_XOR, all[i], 0x80000000u);
        import_set(im, insn, all, words);
        return true;
    case LLVMTrunc:
    case LLVMZExt:
    case LLVMSExt:
    case LLVMFPToUI:
    case LLVMFPToSI:
    case LLVMUIToFP:
    case LLVMSIToFP: import_convert(im, insn, op); return true;
    case LLVMBitCast: import_bitcast(im, insn); return true;
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        if (words == 2 || import_word_count(im, LLVMTypeOf(LLVMGetOperand(insn, 0))) == 2) {
            import_get(im, LLVMGetOperand(insn, 0), all, 2);
            all[1] = words == 2 ? emit_const(im, 0) : all[1];
            import_set(im, insn, all, words);
            return true;
        }
        /* fall through */
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
