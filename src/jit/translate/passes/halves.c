/* Conversions between halves and floats.  The guest has no instructions for vectors of them (lib/cl/half.cl computes with integers and
 * an operation on floats, which takes x86-64 a hundred cycles if the half is subnormal); hosts have.
 *
 * What the device library's code is translated to is found before LLVM changes it, and becomes a call of a function that LLVM does not
 * know; after its passes, the host's instruction.  In between, LLVM would compute with halves what is computed with floats. */
#include "jit/translate/translator.h"

#include <stdlib.h>
#include <string.h>

/* ---- patterns ---- */

/* Operations before their operands, in hexadecimal what is the same in all lanes; x is what is converted.  Operands of commutative ones
 * may be in any order; or4 are four values that are joined in any order. */
#define REST "and x #7fff "
static const char from_half[] = "or4 and ashr shl x #10 #10 #80000000 "
                                "fmul shl " REST "#d #77800000 "
                                "mul gt " REST "#7bff #7f800000 "
                                "shl gt " REST "#7c00 #16 ";

#define SIZE "xor x and x #80000000 "
#define FINITE "min " SIZE "#477fffff "
#define EXPONENT "max and " FINITE "#7f800000 #38800000 "
#define SUM "fadd " FINITE "add " EXPONENT "#6800000 "
#define SHIFTED "lshr add " EXPONENT "#7800000 #d "
#define PAYLOAD "add max " SIZE "#7f800000 #80800000 "
#define TO_HALF(rounded) "or4 and lshr x #10 #8000 lshr " PAYLOAD "#d add mul eq " PAYLOAD "#0 #fffffe00 #200 " rounded
/* The lower sixteen bits; above, these differ. */
static const char *const to_half[] = {TO_HALF("add " SUM SHIFTED), TO_HALF("add sub " SUM EXPONENT SHIFTED)};

/* ---- matching ---- */

struct matching {
    struct translator *t;
    const char *at; /* the rest of the pattern */
    LLVMValueRef x; /* NULL: not met yet */
};

/* Without what does not change the bits of numbers. */
static LLVMValueRef plain(LLVMValueRef value)
{
    for (;;) {
        if (LLVMIsABitCastInst(value))
            value = LLVMGetOperand(value, 0);
        else if (LLVMIsASelectInst(value) && LLVMIsAFCmpInst(LLVMGetOperand(value, 0)) &&
                 LLVMGetFCmpPredicate(LLVMGetOperand(value, 0)) == LLVMRealUNO)
            value = LLVMGetOperand(value, 2);
        else
            return value;
    }
}

static bool is_word(struct matching *m, const char *word)
{
    const size_t length = strcspn(m->at, " ");
    if (strlen(word) != length || strncmp(m->at, word, length) != 0)
        return false;
    m->at += length + 1;
    return true;
}

static bool matches(struct matching *m, LLVMValueRef value);

static bool match_both(struct matching *m, LLVMValueRef a, LLVMValueRef b, bool any_order)
{
    const struct matching before = *m;
    if (matches(m, a) && matches(m, b))
        return true;
    *m = before;
    return any_order && matches(m, b) && matches(m, a);
}

static bool match_set(struct matching *m, LLVMValueRef *values, unsigned count)
{
    const struct matching before = *m;
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef one = values[i];
        *m = before;
        if (!matches(m, one))
            continue;
        values[i] = values[count - 1];
        if (count == 1 || match_set(m, values, count - 1))
            return true;
        values[i] = one;
    }
    return false;
}

static bool is_or(LLVMValueRef value)
{
    return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMOr;
}

/* The values that are joined; false: there are not four of them. */
static bool match_or(struct matching *m, LLVMValueRef value)
{
    enum { COUNT = 4 };
    LLVMValueRef values[COUNT] = {value};
    unsigned count = 1;
    for (unsigned i = 0; i < count;) {
        if (!is_or(values[i])) {
            i++;
            continue;
        }
        if (count == COUNT)
            return false;
        values[count++] = LLVMGetOperand(values[i], 1);
        values[i] = LLVMGetOperand(values[i], 0);
    }
    return count == COUNT && match_set(m, values, count);
}

/* The comparison of which a word that is 0 or 1 is made, or a condition; NULL: of none. */
static LLVMValueRef comparison(LLVMValueRef value)
{
    if (LLVMIsAICmpInst(value) && LLVMGetICmpPredicate(value) == LLVMIntNE && LLVMIsAZExtInst(LLVMGetOperand(value, 0)))
        value = LLVMGetOperand(value, 0);
    value = LLVMIsAZExtInst(value) ? LLVMGetOperand(value, 0) : value;
    return LLVMIsAICmpInst(value) ? value : NULL;
}

static bool match_comparison(struct matching *m, LLVMValueRef value, LLVMIntPredicate how)
{
    LLVMValueRef found = comparison(value);
    return found && LLVMGetICmpPredicate(found) == how &&
           match_both(m, LLVMGetOperand(found, 0), LLVMGetOperand(found, 1), false);
}

/* The lesser or the greater of two values. */
static bool match_choice(struct matching *m, LLVMValueRef value, LLVMIntPredicate how)
{
    LLVMValueRef found = LLVMIsASelectInst(value) ? comparison(LLVMGetOperand(value, 0)) : NULL;
    return found && LLVMGetICmpPredicate(found) == how && LLVMGetOperand(found, 0) == LLVMGetOperand(value, 1) &&
           LLVMGetOperand(found, 1) == LLVMGetOperand(value, 2) &&
           match_both(m, LLVMGetOperand(value, 1), LLVMGetOperand(value, 2), false);
}

static bool match_constant(struct matching *m, LLVMValueRef value)
{
    char *end;
    LLVMValueRef number = splat(m->t, number32(m->t, (uint32_t)strtoul(m->at + 1, &end, 16)));
    m->at = end + 1;
    return value == number || value == LLVMConstBitCast(number, m->t->vf32);
}

static bool matches(struct matching *m, LLVMValueRef value)
{
    static const struct {
        const char *word;
        LLVMOpcode op;
        bool is_commutative;
    } operations[] = {{"add", LLVMAdd, true},   {"and", LLVMAnd, true},   {"ashr", LLVMAShr, false},
                      {"fadd", LLVMFAdd, true}, {"fmul", LLVMFMul, true}, {"lshr", LLVMLShr, false},
                      {"mul", LLVMMul, true},   {"shl", LLVMShl, false},  {"sub", LLVMSub, false},
                      {"xor", LLVMXor, true}};
    if (is_word(m, "x")) {
        m->x = m->x ? m->x : value;
        return m->x == value;
    }
    value = plain(value);
    if (*m->at == '#')
        return match_constant(m, value);
    if (is_word(m, "or4"))
        return match_or(m, value);
    if (is_word(m, "gt"))
        return match_comparison(m, value, LLVMIntUGT);
    if (is_word(m, "eq"))
        return match_comparison(m, value, LLVMIntEQ);
    if (is_word(m, "min"))
        return match_choice(m, value, LLVMIntULT);
    if (is_word(m, "max"))
        return match_choice(m, value, LLVMIntUGT);
    for (size_t i = 0; i < CY_COUNT(operations); i++)
        if (is_word(m, operations[i].word))
            return LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == operations[i].op &&
                   match_both(m, LLVMGetOperand(value, 0), LLVMGetOperand(value, 1), operations[i].is_commutative);
    return false;
}

/* What this value is the conversion of; NULL: of nothing. */
static LLVMValueRef converted(struct translator *t, LLVMValueRef value, const char *pattern)
{
    struct matching m = {.t = t, .at = pattern};
    return matches(&m, value) && LLVMTypeOf(m.x) == t->vi32 ? m.x : NULL;
}

/* ---- conversions ---- */

#define FROM_HALF "chengying.from_half"
#define TO_HALF_NAME "chengying.to_half"

LLVMValueRef call_conversion(struct translator *t, bool narrows, LLVMValueRef x)
{
    const char *name = narrows ? TO_HALF_NAME : FROM_HALF;
    LLVMTypeRef type = LLVMFunctionType(t->vi32, &t->vi32, 1, false);
    LLVMValueRef function = LLVMGetNamedFunction(t->module, name);
    if (!function) {
        static const char *const attributes[] = {"memory", "nounwind", "speculatable", "willreturn"};
        function = LLVMAddFunction(t->module, name, type);
        for (size_t i = 0; i < CY_COUNT(attributes); i++)
            add_enum_attribute(t, function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attributes[i]);
    }
    return LLVMBuildCall2(t->builder, type, function, &x, 1, "");
}

static void find_conversion(struct translator *t, LLVMValueRef value)
{
    LLVMValueRef x = converted(t, value, from_half), result;
    if (x) {
        LLVMPositionBuilderBefore(t->builder, value);
        LLVMReplaceAllUsesWith(value, call_conversion(t, false, x));
        return;
    }
    for (size_t i = 0; i < CY_COUNT(to_half) && !x; i++)
        x = converted(t, value, to_half[i]);
    if (!x)
        return;
    LLVMPositionBuilderBefore(t->builder, LLVMGetNextInstruction(value));
    LLVMValueRef half = call_conversion(t, true, x);
    half = LLVMBuildAnd(t->builder, half, splat(t, number32(t, 0xffff)), "");
    LLVMValueRef above = LLVMBuildAnd(t->builder, value, splat(t, number32(t, 0xffff0000)), "");
    result = LLVMBuildOr(t->builder, above, half, "");
    LLVMReplaceAllUsesWith(value, result);
    LLVMSetOperand(above, 0, value);
}

void find_conversions(struct translator *t)
{
    if (!t->level->converts_halves)
        return;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value))
                if (is_or(value) && LLVMTypeOf(value) == t->vi32)
                    find_conversion(t, value);
}

static void settle(struct translator *t, const char *name, bool narrows)
{
    LLVMTypeRef words = LLVMVectorType(t->i16, t->w), halves = LLVMVectorType(LLVMHalfTypeInContext(t->context), t->w);
    LLVMValueRef function = LLVMGetNamedFunction(t->module, name), result;
    for (LLVMUseRef use; function && (use = LLVMGetFirstUse(function));) {
        LLVMValueRef user = LLVMGetUser(use), x = LLVMGetOperand(user, 0);
        LLVMPositionBuilderBefore(t->builder, user);
        if (narrows) {
            result = LLVMBuildFPTrunc(t->builder, LLVMBuildBitCast(t->builder, x, t->vf32, ""), halves, "");
            result = LLVMBuildZExt(t->builder, LLVMBuildBitCast(t->builder, result, words, ""), t->vi32, "");
        } else {
            result = LLVMBuildBitCast(t->builder, LLVMBuildTrunc(t->builder, x, words, ""), halves, "");
            result = LLVMBuildBitCast(t->builder, LLVMBuildFPExt(t->builder, result, t->vf32, ""), t->vi32, "");
        }
        LLVMReplaceAllUsesWith(user, result);
        LLVMInstructionEraseFromParent(user);
    }
    if (function)
        LLVMDeleteFunction(function);
}

void settle_conversions(struct translator *t)
{
    settle(t, FROM_HALF, false);
    settle(t, TO_HALF_NAME, true);
}
