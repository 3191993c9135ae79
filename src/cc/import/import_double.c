/* Floating-point operations on floats and doubles.  The machine has doubles in register pairs: a double's words are packed
 * into a wide value for each operation, and the IR's simplifier drops packing of what was just unpacked. */
#include "cc/import/import_priv.h"

#include <string.h>

ir_value build_pack(struct importer *im, const ir_value *words)
{
    return build(im, IR_PACK, words[0], words[1]);
}

void build_unpack(struct importer *im, ir_value wide, ir_value *words)
{
    words[0] = build(im, IR_LOW, wide, 0);
    words[1] = build(im, IR_HIGH, wide, 0);
}

enum ir_op double_op(enum ir_op op)
{
    switch (op) {
    case IR_FADD: return IR_DADD;
    case IR_FSUB: return IR_DSUB;
    case IR_FMUL: return IR_DMUL;
    case IR_FDIV: return IR_DDIV;
    case IR_FSQRT: return IR_DSQRT;
    case IR_FMA: return IR_DFMA;
    case IR_FMIN: return IR_DMIN;
    case IR_FMAX: return IR_DMAX;
    case IR_FSGNJ: return IR_DSGNJ;
    case IR_FEQ: return IR_DEQ;
    case IR_FLT: return IR_DLT;
    case IR_FLE: return IR_DLE;
    default: return IR_NONE;
    }
}

void float_operation(struct importer *im, unsigned bits, enum ir_op op, const ir_value *a, const ir_value *b,
                     const ir_value *c, ir_value *out)
{
    const ir_value *operands[3] = {a, b, c};
    ir_value values[3] = {0};
    for (unsigned i = 0; i < ir_ops[op].arguments; i++)
        values[i] = bits == 64 ? build_pack(im, operands[i]) : operands[i][0];
    if (bits == 64)
        build_unpack(im, emit3(im, double_op(op), values[0], values[1], values[2]), out);
    else
        out[0] = emit3(im, op, values[0], values[1], values[2]);
}

static ir_value negate_bit(struct importer *im, ir_value bit)
{
    return build_imm(im, IR_XOR, bit, 1);
}

/* On floats, or packed doubles: the three comparisons that there are. */
static ir_value compare(struct importer *im, LLVMRealPredicate predicate, const enum ir_op *ops, ir_value a, ir_value b)
{
    enum { EQ, LT, LE };
    ir_value first;
    switch (predicate) {
    case LLVMRealPredicateFalse: return build_const(im, 0);
    case LLVMRealPredicateTrue: return build_const(im, 1);
    case LLVMRealOEQ: return build(im, ops[EQ], a, b);
    case LLVMRealOGT: return build(im, ops[LT], b, a);
    case LLVMRealOGE: return build(im, ops[LE], b, a);
    case LLVMRealOLT: return build(im, ops[LT], a, b);
    case LLVMRealOLE: return build(im, ops[LE], a, b);
    case LLVMRealONE: first = build(im, ops[LT], a, b); return build(im, IR_OR, first, build(im, ops[LT], b, a));
    case LLVMRealORD: first = build(im, ops[EQ], a, a); return build(im, IR_AND, first, build(im, ops[EQ], b, b));
    case LLVMRealUNO: return negate_bit(im, compare(im, LLVMRealORD, ops, a, b));
    case LLVMRealUEQ: return negate_bit(im, compare(im, LLVMRealONE, ops, a, b));
    case LLVMRealUGT: return negate_bit(im, build(im, ops[LE], a, b));
    case LLVMRealUGE: return negate_bit(im, build(im, ops[LT], a, b));
    case LLVMRealULT: return negate_bit(im, build(im, ops[LE], b, a));
    case LLVMRealULE: return negate_bit(im, build(im, ops[LT], b, a));
    case LLVMRealUNE: return negate_bit(im, build(im, ops[EQ], a, b));
    }
    return im->zero;
}

ir_value float_compare(struct importer *im, unsigned bits, LLVMRealPredicate predicate, const ir_value *a,
                       const ir_value *b)
{
    static const enum ir_op floats[] = {IR_FEQ, IR_FLT, IR_FLE}, doubles[] = {IR_DEQ, IR_DLT, IR_DLE};
    if (bits != 64)
        return compare(im, predicate, floats, a[0], b[0]);
    ir_value x = build_pack(im, a);
    return compare(im, predicate, doubles, x, build_pack(im, b));
}

/* ---- conversions: the machine's are to and from 64 bits ---- */

void double_to_int(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, ir_value *out)
{
    ir_value words[2];
    build_unpack(im, build(im, is_signed || bits < 64 ? IR_DTOS : IR_DTOU, build_pack(im, a), 0), words);
    memcpy(out, words, int_words(bits) * sizeof(*out));
}

/* The machine saturates at 64 bits and converts a NaN to the largest number, where LLVM wants 0. */
void double_to_int_saturating(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, ir_value *out)
{
    ir_value x = build_pack(im, a), words[2], bound[2];
    build_unpack(im, build(im, is_signed || bits < 64 ? IR_DTOS : IR_DTOU, x, 0), words);
    if (bits < 64) {
        uint64_t most = (1ull << (bits - is_signed)) - 1, least = is_signed ? ~most : 0;
        bound[0] = build_const(im, (uint32_t)most), bound[1] = build_const(im, (uint32_t)(most >> 32));
        int_select(im, 2, int_less(im, true, 2, bound, words), bound, words, words);
        bound[0] = build_const(im, (uint32_t)least), bound[1] = build_const(im, (uint32_t)(least >> 32));
        int_select(im, 2, int_less(im, true, 2, words, bound), bound, words, words);
    }
    ir_value ordered = build(im, IR_DEQ, x, x), zero = build_const(im, 0);
    for (unsigned i = 0; i < int_words(bits); i++)
        out[i] = build_select(im, ordered, words[i], zero);
}

void double_from_int(struct importer *im, bool is_signed, unsigned bits, const ir_value *a, ir_value *out)
{
    ir_value words[2];
    int_extend(im, is_signed, bits, a, 2, words);
    build_unpack(im, build(im, is_signed || bits < 64 ? IR_STOD : IR_UTOD, build_pack(im, words), 0), out);
}
