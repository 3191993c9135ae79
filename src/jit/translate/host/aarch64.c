/* aarch64, with NEON or with SVE's registers of one length.
 *
 * LLVM makes code for SVE of vectors whose lengths are known, too, but LLVM 19 takes some apart, lane by lane.  Intrinsics on registers do
 * those at once.  Their predicates say how many lanes there are, not that these are all: LLVM would turn the intrinsics into plain
 * operations, and fold x + -0 again. */
#include "jit/translate/translator.h"

#include <elf.h>
#include <llvm-c/Target.h>
#include <stdio.h>
#include <string.h>

static void initialise(const struct host_level *level)
{
    (void)level;
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
}

static bool relocate(struct translator *t, uint32_t *word, int64_t distance, uint32_t type)
{
    const uint32_t words = (uint32_t)(distance >> 2);
    switch (type) {
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: *word |= words & 0x3ffffff; return true;
    case R_AARCH64_ADR_PREL_LO21: *word |= (uint32_t)(distance & 3) << 29 | (words & 0x7ffff) << 5; break;
    case R_AARCH64_LD_PREL_LO19: *word |= (words & 0x7ffff) << 5; break;
    default: return cannot(t, "a relocation of type %u", type);
    }
    return (distance >= -(1 << 20) && distance < 1 << 20) || cannot(t, "code that is too large");
}

/* ---- SVE: registers ---- */

/* Lanes of a register, or of a vector that is shorter. */
static unsigned lanes_at_once(const struct translator *t, LLVMTypeRef type)
{
    const unsigned most = 8 * t->level->vector_bytes / bits_of_type(type), count = LLVMGetVectorSize(type);
    return count < most ? count : most;
}

static bool is_for_neon(LLVMTypeRef type)
{
    return !is_vector(type) || LLVMGetVectorSize(type) * bits_of_type(type) <= 128;
}

static LLVMTypeRef register_of(LLVMTypeRef element, unsigned bits)
{
    return LLVMScalableVectorType(element, 128 / bits);
}

static LLVMValueRef in_register(struct translator *t, LLVMValueRef part)
{
    LLVMTypeRef type = LLVMTypeOf(part);
    LLVMTypeRef types[] = {register_of(LLVMGetElementType(type), bits_of_type(type)), type};
    LLVMValueRef args[] = {LLVMGetPoison(types[0]), part, number64(t, 0)};
    return intrinsic_of(t, "llvm.vector.insert", types, 2, args, 3);
}

static LLVMValueRef from_register(struct translator *t, LLVMValueRef value, unsigned lanes)
{
    LLVMTypeRef from = LLVMTypeOf(value), types[] = {LLVMVectorType(LLVMGetElementType(from), lanes), from};
    LLVMValueRef args[] = {value, number64(t, 0)};
    return intrinsic_of(t, "llvm.vector.extract", types, 2, args, 2);
}

/* Of so many lanes: a power of two. */
static LLVMValueRef predicate(struct translator *t, unsigned lanes, unsigned bits)
{
    enum { VL16 = 9 }; /* less are numbers */
    LLVMTypeRef type = register_of(t->i1, bits);
    LLVMValueRef pattern = number32(t, lanes == 16 ? VL16 : lanes);
    return intrinsic_of(t, "llvm.aarch64.sve.ptrue", &type, 1, &pattern, 1);
}

/* ---- SVE: masks ---- */

/* All registers of a mask as one, by `and` or `or`. */
static LLVMValueRef folded(struct translator *t, LLVMValueRef mask, LLVMOpcode how)
{
    const unsigned lanes = lanes_at_once(t, LLVMTypeOf(mask));
    LLVMValueRef all = part_of(t, mask, 0, lanes);
    for (unsigned first = lanes; first < t->w; first += lanes)
        all = LLVMBuildBinOp(t->builder, how, all, part_of(t, mask, first, lanes), "");
    return all;
}

/* A comparison sets the flags. */
static LLVMValueRef some_lane(struct translator *t, LLVMValueRef mask, bool each)
{
    LLVMValueRef all = in_register(t, folded(t, mask, each ? LLVMAnd : LLVMOr));
    LLVMTypeRef type = LLVMTypeOf(all);
    LLVMValueRef lanes = predicate(t, lanes_at_once(t, LLVMTypeOf(mask)), 32);
    LLVMTypeRef predicates = LLVMTypeOf(lanes);
    LLVMValueRef compared[] = {lanes, all, LLVMConstNull(type)};
    LLVMValueRef test[] = {
        lanes, intrinsic_of(t, each ? "llvm.aarch64.sve.cmpeq" : "llvm.aarch64.sve.cmpne", &type, 1, compared, 3)};
    LLVMValueRef is = intrinsic_of(t, "llvm.aarch64.sve.ptest.any", &predicates, 1, test, 2);
    return each ? LLVMBuildNot(t->builder, is, "") : is;
}

static LLVMValueRef lane_bits(struct translator *t, LLVMValueRef mask)
{
    LLVMValueRef bits[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        bits[i] = number32(t, 1u << i);
    mask = folded(t, LLVMBuildAnd(t->builder, mask, LLVMConstVector(bits, t->w), ""), LLVMOr);
    return intrinsic(t, "llvm.vector.reduce.or", LLVMTypeOf(mask), &mask, 1);
}

static LLVMValueRef are_below(struct translator *t, LLVMValueRef numbers, LLVMValueRef limit)
{
    LLVMTypeRef type = LLVMTypeOf(numbers);
    const unsigned lanes = lanes_at_once(t, type);
    LLVMValueRef most = part_of(t, numbers, 0, lanes);
    for (unsigned first = lanes; first < t->w; first += lanes) {
        LLVMValueRef both[] = {most, part_of(t, numbers, first, lanes)};
        most = intrinsic(t, "llvm.umax", LLVMTypeOf(most), both, 2);
    }
    LLVMValueRef of = predicate(t, lanes, 32);
    most = in_register(t, most);
    LLVMValueRef compared[] = {of, most, in_register(t, part_of(t, splat(t, limit), 0, lanes))};
    LLVMTypeRef all = LLVMTypeOf(compared[1]), predicates = LLVMTypeOf(of);
    LLVMValueRef test[] = {of, intrinsic_of(t, "llvm.aarch64.sve.cmphs", &all, 1, compared, 3)};
    return LLVMBuildNot(t->builder, intrinsic_of(t, "llvm.aarch64.sve.ptest.any", &predicates, 1, test, 2), "");
}

/* ---- SVE: words that are apart ---- */

static LLVMTypeRef parts_in_register(struct translator *t, unsigned size)
{
    return register_of(size == 4 ? t->i32 : size == 2 ? t->i16 : t->i8, 32);
}

static LLVMValueRef active(struct translator *t, LLVMValueRef mask)
{
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(mask));
    LLVMValueRef of = predicate(t, lanes, 32), args[] = {of, in_register(t, mask), NULL};
    LLVMTypeRef type = LLVMTypeOf(args[1]);
    args[2] = LLVMConstNull(type);
    return mask == LLVMConstAllOnes(LLVMTypeOf(mask)) ? of
                                                      : intrinsic_of(t, "llvm.aarch64.sve.cmpne", &type, 1, args, 3);
}

static LLVMValueRef load_apart(struct translator *t, LLVMValueRef pointer, LLVMValueRef distances, unsigned size,
                               bool zero_extend, LLVMValueRef mask)
{
    const unsigned lanes = lanes_at_once(t, t->vi32);
    LLVMTypeRef type = parts_in_register(t, size), words = register_of(t->i32, 32);
    LLVMValueRef parts[CY_JIT_MAX_STRIP];
    unsigned count = 0;
    for (unsigned first = 0; first < t->w; first += lanes) {
        LLVMValueRef where = active(t, part_of(t, mask, first, lanes));
        LLVMValueRef args[] = {where, pointer, in_register(t, part_of(t, distances, first, lanes))};
        LLVMValueRef part = intrinsic_of(t, "llvm.aarch64.sve.ld1.gather.uxtw", &type, 1, args, 3);
        parts[count++] = from_register(t, extended(t, part, zero_extend, words), lanes);
    }
    return joined(t, parts, count);
}

/* In the order of lanes. */
static void store_apart(struct translator *t, LLVMValueRef row, LLVMValueRef pointer, LLVMValueRef distances,
                        unsigned size, LLVMValueRef mask)
{
    const unsigned lanes = lanes_at_once(t, t->vi32);
    LLVMTypeRef type = parts_in_register(t, size);
    for (unsigned first = 0; first < t->w; first += lanes) {
        LLVMValueRef part = in_register(t, part_of(t, row, first, lanes));
        part = LLVMBuildTruncOrBitCast(t->builder, part, type, "");
        LLVMValueRef where = active(t, part_of(t, mask, first, lanes));
        LLVMValueRef args[] = {part, where, pointer, in_register(t, part_of(t, distances, first, lanes))};
        intrinsic_of(t, "llvm.aarch64.sve.st1.scatter.uxtw", &type, 1, args, 4);
    }
}

/* ---- SVE: floats ---- */

static LLVMValueRef strict(struct translator *t, const char *name, LLVMValueRef a, LLVMValueRef b)
{
    static const char prefix[] = "llvm.experimental.constrained.";
    LLVMTypeRef type = LLVMTypeOf(a);
    char exact[64];
    if (is_for_neon(type))
        return NULL;
    const unsigned lanes = lanes_at_once(t, type), bits = bits_of_type(type);
    snprintf(exact, sizeof(exact), "llvm.aarch64.sve.%s", name + sizeof(prefix) - 1);
    LLVMValueRef parts[CY_JIT_MAX_STRIP], of = predicate(t, lanes, bits);
    unsigned count = 0;
    for (unsigned first = 0; first < LLVMGetVectorSize(type); first += lanes) {
        LLVMValueRef left = in_register(t, part_of(t, a, first, lanes));
        LLVMValueRef args[] = {of, left, in_register(t, part_of(t, b, first, lanes))};
        LLVMTypeRef all = LLVMTypeOf(args[1]);
        parts[count++] = from_register(t, intrinsic_of(t, exact, &all, 1, args, 3), lanes);
    }
    return joined(t, parts, count);
}

static LLVMValueRef to_integers(struct translator *t, LLVMValueRef x, bool is_signed)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    if (is_for_neon(type))
        return NULL;
    const unsigned lanes = lanes_at_once(t, type), bits = bits_of_type(type);
    LLVMTypeRef integer = bits == 64 ? t->i64 : t->i32;
    LLVMTypeRef types[] = {register_of(integer, bits), register_of(LLVMGetElementType(type), bits)};
    LLVMValueRef parts[CY_JIT_MAX_STRIP], of = predicate(t, lanes, bits);
    unsigned count = 0;
    for (unsigned first = 0; first < LLVMGetVectorSize(type); first += lanes) {
        LLVMValueRef args[] = {LLVMGetPoison(types[0]), of, in_register(t, part_of(t, x, first, lanes))};
        LLVMValueRef part =
            intrinsic_of(t, is_signed ? "llvm.aarch64.sve.fcvtzs" : "llvm.aarch64.sve.fcvtzu", types, 2, args, 3);
        parts[count++] = from_register(t, part, lanes);
    }
    return joined(t, parts, count);
}

/* ---- levels ---- */

static LLVMRealPredicate opposite(LLVMRealPredicate how)
{
    switch (how) {
    case LLVMRealULE: return LLVMRealOGT;
    case LLVMRealULT: return LLVMRealOGE;
    case LLVMRealUGE: return LLVMRealOLT;
    case LLVMRealUGT: return LLVMRealOLE;
    default: return LLVMRealPredicateFalse;
    }
}

/* SVE compares only numbers, and LLVM 19 complements predicates by way of vectors: the opposite is asked, and what is selected by it is
 * exchanged. */
static void exchange_selections(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value)) {
                LLVMValueRef is = LLVMIsASelectInst(value) ? LLVMGetCondition(value) : NULL;
                if (!is || LLVMTypeOf(is) != t->vi1 || !LLVMIsAFCmpInst(is) || !opposite(LLVMGetFCmpPredicate(is)))
                    continue;
                LLVMPositionBuilderBefore(t->builder, LLVMGetNextInstruction(is));
                LLVMValueRef is_not = LLVMBuildFCmp(t->builder, opposite(LLVMGetFCmpPredicate(is)),
                                                    LLVMGetOperand(is, 0), LLVMGetOperand(is, 1), "");
                LLVMValueRef first = LLVMGetOperand(value, 1);
                LLVMSetOperand(value, 0, is_not);
                LLVMSetOperand(value, 1, LLVMGetOperand(value, 2));
                LLVMSetOperand(value, 2, first);
            }
}

static LLVMValueRef without_casts(LLVMValueRef value)
{
    while (LLVMIsABitCastInst(value))
        value = LLVMGetOperand(value, 0);
    return value;
}

/* LLVM makes fminnm and fmaxnm of a choice between two numbers by comparing them, where one is known to be a number: a signalling NaN is
 * then the result, where the comparison chooses the number.  So it does not see that what is chosen is what was compared. */
static void keep_choices(struct translator *t)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef value = LLVMGetFirstInstruction(block); value; value = LLVMGetNextInstruction(value)) {
                LLVMValueRef is = LLVMIsASelectInst(value) ? LLVMGetCondition(value) : NULL;
                if (!is || !LLVMIsAFCmpInst(is) || bits_of_type(LLVMTypeOf(value)) < 32)
                    continue;
                for (unsigned i = 1; i < 3; i++) {
                    LLVMValueRef chosen = without_casts(LLVMGetOperand(value, i));
                    if (LLVMIsConstant(chosen) || (chosen != without_casts(LLVMGetOperand(is, 0)) &&
                                                   chosen != without_casts(LLVMGetOperand(is, 1))))
                        continue;
                    LLVMPositionBuilderBefore(t->builder, value);
                    LLVMSetOperand(value, i, fenced(t, LLVMGetOperand(value, i)));
                }
            }
}

static void finish_sve(struct translator *t)
{
    exchange_selections(t);
    keep_choices(t);
}

/* Its conversions of halves lose what a NaN says: the engine computes with FPCR.DN. */
#define SVE(bytes)                                                                                                     \
    {                                                                                                                  \
        .cpu = "generic", .features = "+neon,+sve", .has_fma = true, .gathers_slowly = true, .vector_bytes = (bytes),  \
        .some_lane = some_lane, .lane_bits = lane_bits, .are_below = are_below, .load_apart = load_apart,              \
        .store_apart = store_apart, .strict = strict, .to_integers = to_integers, .finish = finish_sve                 \
    }
static const struct host_level levels[] = {
    {.cpu = "generic", .features = "+neon", .has_fma = true, .finish = keep_choices}, SVE(32), SVE(64)};

const struct host host_aarch64 = {
    .triple = "aarch64-unknown-linux-gnu",
    .levels = levels,
    .level_count = CY_COUNT(levels),
    .model = LLVMCodeModelTiny,
    .initialise = initialise,
    .relocate = relocate,
    .registers_of_128 = 32,
    .has_one_nan = true,
    .has_exact_extremes = true,
    .saturates_vectors = true,
    .moves_pairs = true,
    .indexes_unsigned = true,
    .complements_operands = true,
    .keeps_registers = true,
};
