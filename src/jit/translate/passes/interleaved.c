/* Elements of several parts, such as float4, half4 and double4.
 *
 * Lanes load all parts of their elements, which are transposed so that a vector has one part of all lanes; what is stored is transposed
 * again.  Where each part that is stored was computed in the same way, of the same part of what was loaded and of numbers that all lanes
 * share, the computation is done on the elements as they are in memory, and nothing is transposed. */
#include "jit/translate/passes/parts.h"

#include "jit/translate/translator.h"

enum { MOST_TUPLES = 48, MOST_STORES_OF_RUN = 64 };

/* Parts as one vector. */
struct tuple {
    struct part parts[MOST_PARTS];
    unsigned count, bits;
    LLVMTypeRef type;
    LLVMValueRef vector;
};

struct search {
    struct translator *t;
    struct tuple *tuples;
    unsigned count, operations;
    unsigned fma; /* LLVM's number of the intrinsic */
};

unsigned bits_of_type(LLVMTypeRef type)
{
    LLVMTypeRef element = is_vector(type) ? LLVMGetElementType(type) : type;
    switch (LLVMGetTypeKind(element)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(element);
    case LLVMHalfTypeKind: return 16;
    case LLVMFloatTypeKind: return 32;
    case LLVMDoubleTypeKind: return 64;
    default: return 0;
    }
}

/* ---- where bits come from ---- */

static bool constant_element(LLVMValueRef value, uint32_t index, uint64_t *number)
{
    LLVMValueRef element = LLVMIsConstant(value) ? LLVMGetAggregateElement(value, index) : NULL;
    if (!element || !LLVMIsAConstantInt(element))
        return false;
    *number = LLVMConstIntGetZExtValue(element);
    return true;
}

/* One step back, through at most so many that join words; false: the instruction computes them. */
static bool step_back(struct part *part, unsigned bits, unsigned depth)
{
    const struct part zero = {0};
    LLVMValueRef value = part->value, first = LLVMGetNumOperands(value) ? LLVMGetOperand(value, 0) : NULL;
    const unsigned width = bits_of_type(LLVMTypeOf(value));
    uint64_t number = 0;
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMShuffleVector: {
        const int from = LLVMGetMaskValue(value, part->index);
        const unsigned size = LLVMGetVectorSize(LLVMTypeOf(first));
        if (from < 0)
            return false;
        part->value = (unsigned)from < size ? first : LLVMGetOperand(value, 1);
        part->index = (unsigned)from % size;
        return true;
    }
    case LLVMInsertElement: {
        LLVMValueRef at = LLVMGetOperand(value, 2);
        if (!LLVMIsAConstantInt(at))
            return false;
        const bool is_it = LLVMConstIntGetZExtValue(at) == part->index;
        if (is_it && (part->shift || bits != width))
            return false;
        *part =
            is_it ? (struct part){LLVMGetOperand(value, 1), NONE, 0} : (struct part){first, part->index, part->shift};
        return true;
    }
    case LLVMBitCast: {
        const unsigned from = bits_of_type(LLVMTypeOf(first)), at = part->index * width + part->shift;
        if (!is_vector(LLVMTypeOf(first)) || !from || at % from + bits > from)
            return false;
        *part = (struct part){first, at / from, at % from};
        return true;
    }
    case LLVMZExt: {
        const unsigned from = bits_of_type(LLVMTypeOf(first));
        if (part->shift < from && part->shift + bits > from)
            return false;
        *part = part->shift >= from ? zero : (struct part){first, part->index, part->shift};
        return true;
    }
    case LLVMTrunc: part->value = first; return true;
    case LLVMLShr:
        if (!constant_element(LLVMGetOperand(value, 1), part->index, &number) || part->shift + number + bits > width)
            return false;
        *part = (struct part){first, part->index, part->shift + (unsigned)number};
        return true;
    case LLVMShl:
        if (!constant_element(LLVMGetOperand(value, 1), part->index, &number) ||
            (part->shift < number && part->shift + bits > number))
            return false;
        *part = part->shift < number ? zero : (struct part){first, part->index, part->shift - (unsigned)number};
        return true;
    case LLVMAnd: {
        const uint64_t ones = bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
        if (!constant_element(LLVMGetOperand(value, 1), part->index, &number))
            return false;
        number = number >> part->shift & ones;
        if (number && number != ones)
            return false;
        *part = number ? (struct part){first, part->index, part->shift} : zero;
        return true;
    }
    case LLVMOr: {
        if (!depth)
            return false;
        const struct part a = source_of((struct part){first, part->index, part->shift}, bits, depth - 1);
        const struct part b =
            source_of((struct part){LLVMGetOperand(value, 1), part->index, part->shift}, bits, depth - 1);
        if (a.value && b.value)
            return false;
        *part = a.value ? a : b;
        return true;
    }
    default: return false;
    }
}

struct part source_of(struct part part, unsigned bits, unsigned depth)
{
    while (part.value && part.index != NONE && LLVMIsAInstruction(part.value) && step_back(&part, bits, depth))
        ;
    return part;
}

/* ---- memory ---- */

static unsigned fma_intrinsic(void)
{
    static const char fma[] = "llvm.fma";
    return LLVMLookupIntrinsicID(fma, sizeof(fma) - 1);
}

/* Takes constants off a pointer; what they add up to. */
static int64_t take_offset(LLVMValueRef *pointer)
{
    int64_t offset = 0;
    while (LLVMIsAGetElementPtrInst(*pointer) && LLVMGetNumOperands(*pointer) == 2 &&
           LLVMIsAConstantInt(LLVMGetOperand(*pointer, 1)) &&
           LLVMGetTypeKind(LLVMGetGEPSourceElementType(*pointer)) == LLVMIntegerTypeKind &&
           LLVMGetIntTypeWidth(LLVMGetGEPSourceElementType(*pointer)) == 8) {
        offset += LLVMConstIntGetSExtValue(LLVMGetOperand(*pointer, 1));
        *pointer = LLVMGetOperand(*pointer, 0);
    }
    return offset;
}

/* Before LLVM has merged them, pointers to the same place are sums of the same. */
static bool is_same_base(LLVMValueRef a, LLVMValueRef b)
{
    return a == b ||
           (a && b && LLVMIsAGetElementPtrInst(a) && LLVMIsAGetElementPtrInst(b) && LLVMGetNumOperands(a) == 2 &&
            LLVMGetNumOperands(b) == 2 && LLVMGetGEPSourceElementType(a) == LLVMGetGEPSourceElementType(b) &&
            LLVMGetOperand(a, 0) == LLVMGetOperand(b, 0) && LLVMGetOperand(a, 1) == LLVMGetOperand(b, 1));
}

/* Does it access memory, for all we know? */
static bool accesses(LLVMValueRef value, unsigned fma)
{
    return LLVMIsALoadInst(value) || LLVMIsAStoreInst(value) || LLVMIsAFenceInst(value) ||
           LLVMIsAAtomicRMWInst(value) || LLVMIsAAtomicCmpXchgInst(value) ||
           (LLVMIsACallInst(value) && LLVMGetIntrinsicID(LLVMGetCalledValue(value)) != fma);
}

/* Loads of one block, next to each other in memory, as one: LLVM joins them only if they are used in their own block, and more values would live
 * until then.  NULL: they are not, or something may be stored in between. */
static LLVMValueRef load_at_once(struct translator *t, const LLVMValueRef *loads, unsigned count)
{
    enum { NEAR = 1000 }; /* instructions from the first to the last */
    LLVMTypeRef type = LLVMTypeOf(loads[0]);
    const unsigned size = LLVMGetVectorSize(type), bytes = size * bits_of_type(type) / 8;
    LLVMBasicBlockRef block = LLVMGetInstructionParent(loads[0]);
    LLVMValueRef base = LLVMGetOperand(loads[0], 0), last = loads[0];
    const int64_t offset = take_offset(&base);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef pointer = LLVMIsALoadInst(loads[i]) ? LLVMGetOperand(loads[i], 0) : NULL;
        if (!pointer || LLVMGetVolatile(loads[i]) || LLVMGetOrdering(loads[i]) != LLVMAtomicOrderingNotAtomic ||
            LLVMTypeOf(loads[i]) != type || LLVMGetInstructionParent(loads[i]) != block ||
            take_offset(&pointer) != offset + i * (int64_t)bytes || !is_same_base(pointer, base))
            return NULL;
    }
    const unsigned fma = fma_intrinsic();
    for (unsigned found = 1, left = NEAR; found < count; left--) {
        last = LLVMGetNextInstruction(last);
        if (!last || !left || (!LLVMIsALoadInst(last) && accesses(last, fma)))
            return NULL;
        for (unsigned i = 1; i < count; i++)
            found += loads[i] == last;
    }
    LLVMBuilderRef there = LLVMCreateBuilderInContext(t->context);
    LLVMPositionBuilderBefore(there, last);
    LLVMTypeRef whole = LLVMVectorType(LLVMGetElementType(type), count * size);
    LLVMValueRef load = LLVMBuildLoad2(there, whole, LLVMGetOperand(loads[0], 0), "");
    LLVMSetAlignment(load, 1);
    LLVMDisposeBuilder(there);
    return load;
}

/* ---- vectors of parts ---- */

static LLVMValueRef vector_of_parts(struct search *s, const struct part *from, unsigned count, unsigned bits,
                                    LLVMTypeRef type);

static LLVMTypeRef integer(const struct search *s, unsigned bits)
{
    return LLVMIntTypeInContext(s->t->context, bits);
}

static LLVMValueRef constants(struct search *s, const struct tuple *tuple)
{
    LLVMValueRef elements[MOST_PARTS];
    LLVMTypeRef type = integer(s, tuple->bits);
    for (unsigned i = 0; i < tuple->count; i++) {
        const struct part *part = &tuple->parts[i];
        elements[i] = LLVMConstNull(type);
        if (!part->value)
            continue;
        if (!LLVMIsConstant(part->value) || part->shift || bits_of_type(LLVMTypeOf(part->value)) != tuple->bits)
            return NULL;
        LLVMValueRef element = part->index == NONE ? part->value : LLVMGetAggregateElement(part->value, part->index);
        if (!element || (!LLVMIsAConstantInt(element) && !LLVMIsAConstantFP(element)))
            return NULL;
        elements[i] = LLVMConstBitCast(element, type);
    }
    return LLVMConstVector(elements, tuple->count);
}

/* A number that is the same for all parts. */
static LLVMValueRef shared(struct search *s, const struct tuple *tuple)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMValueRef number = tuple->parts[0].value;
    for (unsigned i = 0; i < tuple->count; i++)
        if (tuple->parts[i].index != NONE || tuple->parts[i].value != number)
            return NULL;
    if (!number || is_vector(LLVMTypeOf(number)))
        return NULL;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(number), tuple->count);
    LLVMValueRef one = LLVMBuildInsertElement(b, LLVMGetPoison(type), number, number32(s->t, 0), "");
    LLVMValueRef zeros = LLVMConstNull(LLVMVectorType(s->t->i32, tuple->count));
    return LLVMBuildShuffleVector(b, one, LLVMGetPoison(type), zeros, "");
}

/* Many bytes are joined eight at a time. */
static LLVMValueRef joined_parts(struct translator *t, LLVMValueRef *pieces, unsigned count, unsigned bits)
{
    LLVMTypeRef type = LLVMTypeOf(pieces[0]);
    const unsigned size = LLVMGetVectorSize(type);
    if (count == 1 || bits > 8)
        return joined(t, pieces, count);
    for (unsigned i = 0; i < count; i++)
        pieces[i] = LLVMBuildBitCast(t->builder, pieces[i], LLVMVectorType(t->i64, size / 8), "");
    return LLVMBuildBitCast(t->builder, joined(t, pieces, count), LLVMVectorType(t->i8, count * size), "");
}

/* Runs of parts that are all of what a load brings each. */
static LLVMValueRef runs_at_once(struct translator *t, const struct part *parts, unsigned runs, unsigned length,
                                 unsigned bits)
{
    LLVMValueRef loads[MOST_PARTS];
    for (unsigned k = 0; k < runs; k++) {
        const struct part *first = &parts[k * length];
        LLVMTypeRef type = LLVMTypeOf(first->value);
        if (!is_vector(type) || first->index || first->shift ||
            LLVMGetVectorSize(type) * bits_of_type(type) != length * bits)
            return NULL;
        loads[k] = first->value;
    }
    LLVMValueRef load = load_at_once(t, loads, runs);
    LLVMTypeRef type = LLVMVectorType(LLVMIntTypeInContext(t->context, bits), runs * length);
    return load ? LLVMBuildBitCast(t->builder, load, type, "") : NULL;
}

LLVMValueRef loaded_parts(struct translator *t, const struct part *parts, unsigned count, unsigned bits)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef pieces[MOST_PARTS], order[MOST_PARTS];
    unsigned runs = 0, length = 0, at = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct part *part = &parts[i], *first = &parts[runs ? at : 0];
        if (!part->value || part->index == NONE || !(LLVMIsALoadInst(part->value) || LLVMIsAPHINode(part->value)))
            return NULL;
        const unsigned width = bits_of_type(LLVMTypeOf(part->value)), place = part->index * width + part->shift;
        if (runs && part->value == first->value && place == first->index * width + first->shift + (i - at) * bits)
            continue;
        if (!width || place % bits || (runs && length && i - at != length))
            return NULL;
        length = runs ? i - at : 0;
        at = i;
        runs++;
    }
    if (runs > 1 && count - at != length)
        return NULL;
    length = count / runs;
    if (length * bits < 64 || (runs & (runs - 1)))
        return NULL;
    LLVMValueRef at_once = runs > 1 ? runs_at_once(t, parts, runs, length, bits) : NULL;
    if (at_once)
        return at_once;
    for (unsigned k = 0; k < runs; k++) {
        const struct part *first = &parts[k * length];
        LLVMTypeRef from = LLVMTypeOf(first->value);
        const unsigned width = bits_of_type(from), all = LLVMGetVectorSize(from) * width / bits;
        LLVMTypeRef type = LLVMVectorType(LLVMIntTypeInContext(t->context, bits), all);
        LLVMValueRef whole = LLVMBuildBitCast(b, first->value, type, "");
        for (unsigned i = 0; i < length; i++)
            order[i] = number32(t, (first->index * width + first->shift) / bits + i);
        pieces[k] = length == all
                        ? whole
                        : LLVMBuildShuffleVector(b, whole, LLVMGetPoison(type), LLVMConstVector(order, length), "");
    }
    return joined_parts(t, pieces, runs, bits);
}

static bool is_same_operation(const struct search *s, LLVMValueRef a, LLVMValueRef b)
{
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(a);
    if (opcode != LLVMGetInstructionOpcode(b) || LLVMTypeOf(a) != LLVMTypeOf(b) ||
        LLVMGetNumOperands(a) != LLVMGetNumOperands(b))
        return false;
    switch (opcode) {
    case LLVMFCmp: return LLVMGetFCmpPredicate(a) == LLVMGetFCmpPredicate(b);
    case LLVMCall:
        return LLVMGetIntrinsicID(LLVMGetCalledValue(a)) == s->fma && LLVMGetCalledValue(a) == LLVMGetCalledValue(b);
    case LLVMFPExt:
    case LLVMFPTrunc: return LLVMTypeOf(LLVMGetOperand(a, 0)) == LLVMTypeOf(LLVMGetOperand(b, 0));
    case LLVMSelect: return is_vector(LLVMTypeOf(LLVMGetOperand(a, 0)));
    case LLVMFNeg:
    case LLVMFAdd:
    case LLVMFSub:
    case LLVMFMul:
    case LLVMFDiv:
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMXor: return true;
    default: return false;
    }
}

/* The same operation for all parts, on vectors of parts. */
static LLVMValueRef computed(struct search *s, const struct tuple *tuple)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMValueRef first = tuple->parts[0].value, operands[3];
    for (unsigned i = 0; i < tuple->count; i++) {
        LLVMValueRef value = tuple->parts[i].value;
        if (!value || tuple->parts[i].index == NONE || tuple->parts[i].shift || !LLVMIsAInstruction(value) ||
            bits_of_type(LLVMTypeOf(value)) != tuple->bits || !is_same_operation(s, first, value))
            return NULL;
    }
    const bool is_call = LLVMIsACallInst(first);
    const unsigned count = (unsigned)LLVMGetNumOperands(first) - is_call;
    for (unsigned k = 0; k < count; k++) {
        struct part parts[MOST_PARTS];
        LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(first, k));
        for (unsigned i = 0; i < tuple->count; i++)
            parts[i] = (struct part){LLVMGetOperand(tuple->parts[i].value, k), tuple->parts[i].index, 0};
        operands[k] = vector_of_parts(s, parts, tuple->count, bits_of_type(type), LLVMGetElementType(type));
        if (!operands[k])
            return NULL;
    }
    s->operations++;
    LLVMTypeRef type = LLVMVectorType(LLVMGetElementType(LLVMTypeOf(first)), tuple->count);
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(first);
    switch (opcode) {
    case LLVMFCmp: return LLVMBuildFCmp(b, LLVMGetFCmpPredicate(first), operands[0], operands[1], "");
    case LLVMCall: return intrinsic(s->t, "llvm.fma", type, operands, 3);
    case LLVMFPExt:
    case LLVMFPTrunc: return LLVMBuildCast(b, opcode, operands[0], type, "");
    case LLVMSelect: return LLVMBuildSelect(b, operands[0], operands[1], operands[2], "");
    case LLVMFNeg: return LLVMBuildFNeg(b, operands[0], "");
    default: return LLVMBuildBinOp(b, opcode, operands[0], operands[1], "");
    }
}

/* NULL: they have not enough in common. */
static LLVMValueRef vector_of_parts(struct search *s, const struct part *from, unsigned count, unsigned bits,
                                    LLVMTypeRef type)
{
    if (s->count == MOST_TUPLES || !bits)
        return NULL;
    struct tuple *tuple = &s->tuples[s->count];
    *tuple = (struct tuple){.count = count, .bits = bits, .type = type};
    for (unsigned i = 0; i < count; i++)
        tuple->parts[i] = source_of(from[i], bits, MOST_JOINS);
    for (unsigned k = 0; k < s->count; k++) {
        const struct tuple *other = &s->tuples[k];
        bool is_same = other->count == count && other->bits == bits && other->type == type;
        for (unsigned i = 0; is_same && i < count; i++)
            is_same = other->parts[i].value == tuple->parts[i].value &&
                      other->parts[i].index == tuple->parts[i].index && other->parts[i].shift == tuple->parts[i].shift;
        if (is_same)
            return other->vector;
    }
    s->count++;
    LLVMValueRef vector = constants(s, tuple);
    vector = vector ? vector : shared(s, tuple);
    vector = vector ? vector : loaded_parts(s->t, tuple->parts, tuple->count, tuple->bits);
    vector = vector ? vector : computed(s, tuple);
    tuple->vector = vector ? LLVMBuildBitCast(s->t->builder, vector, LLVMVectorType(type, count), "") : NULL;
    return tuple->vector;
}

/* ---- stores ---- */

static struct store describe_store(LLVMValueRef instruction)
{
    LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, 0));
    struct store store = {.instruction = instruction, .base = LLVMGetOperand(instruction, 1)};
    const unsigned bits = is_vector(type) ? bits_of_type(type) : 0;
    store.bytes = LLVMGetVolatile(instruction) || bits < 8 ? 0 : bits / 8 * LLVMGetVectorSize(type);
    store.offset = take_offset(&store.base);
    return store;
}

/* The bits that stores in a row put at these places. */
static bool find_parts(const struct store *stores, unsigned count, unsigned first, unsigned parts, unsigned bits,
                       struct part *out)
{
    for (unsigned i = 0; i < parts; i++) {
        unsigned at = first + i * (bits / 8), k = 0;
        while (k < count && at >= stores[k].bytes)
            at -= stores[k++].bytes;
        LLVMValueRef value = LLVMGetOperand(stores[k].instruction, 0);
        const unsigned width = bits_of_type(LLVMTypeOf(value));
        out[i] = (struct part){value, 8 * at / width, 8 * at % width};
        if (out[i].shift + bits > width)
            return false;
    }
    return true;
}

bool is_row(const struct part *parts, unsigned count, unsigned bits)
{
    const struct part first = source_of(parts[0], bits, MOST_JOINS);
    for (unsigned i = 1; i < count; i++) {
        const struct part next = source_of(parts[i], bits, MOST_JOINS);
        if (next.value != first.value || next.index != first.index + i || next.shift)
            return false;
    }
    return first.index != NONE;
}

bool replace_stores(struct translator *t, const struct store *stores, unsigned count, unsigned bits,
                    make_piece_fn *make, void *context)
{
    enum { MOST_PIECES = 32 };
    unsigned bytes = 0, at_once = register_bits(t) / 8;
    LLVMValueRef pieces[MOST_PIECES], last = stores[count - 1].instruction;
    struct part parts[MOST_PARTS];
    for (unsigned i = 0; i < count; i++)
        bytes += stores[i].bytes;
    while (at_once > 8 && bytes % at_once)
        at_once /= 2;
    const unsigned of_piece = 8 * at_once / bits;
    if (bytes % at_once || bytes / at_once > MOST_PIECES || of_piece > MOST_PARTS || of_piece < 2)
        return false;
    LLVMPositionBuilderBefore(t->builder, last);
    for (unsigned k = 0; k < bytes / at_once; k++) {
        pieces[k] = find_parts(stores, count, k * at_once, of_piece, bits, parts)
                        ? make(context, parts, of_piece, bits, last)
                        : NULL;
        if (!pieces[k])
            return false;
    }
    LLVMValueRef first = LLVMGetOperand(stores[0].instruction, 1);
    for (unsigned k = 0; k < bytes / at_once; k++)
        store_to(t, pieces[k], at_offset(t, first, k * at_once));
    for (unsigned i = 0; i < count; i++)
        LLVMInstructionEraseFromParent(stores[i].instruction);
    return true;
}

static LLVMValueRef element_piece(void *context, const struct part *parts, unsigned count, unsigned bits,
                                  LLVMValueRef store)
{
    struct search *s = context;
    (void)store;
    s->count = s->operations = 0;
    LLVMValueRef piece = is_row(parts, count, bits) ? NULL : vector_of_parts(s, parts, count, bits, integer(s, bits));
    return s->operations ? piece : NULL;
}

static bool store_run(void *context, const struct store *stores, unsigned count)
{
    static const unsigned sizes[] = {64, 32, 16};
    for (unsigned i = 0; i < CY_COUNT(sizes); i++)
        if (replace_stores(((struct search *)context)->t, stores, count, sizes[i], element_piece, context))
            return true;
    return false;
}

static bool change_in_block(LLVMBasicBlockRef block, unsigned fma, store_run_fn *change, void *context)
{
    struct store run[MOST_STORES_OF_RUN];
    unsigned count = 0;
    bool found = false;
    for (LLVMValueRef value = LLVMGetFirstInstruction(block), next; value; value = next) {
        next = LLVMGetNextInstruction(value);
        if (next && !accesses(value, fma))
            continue;
        const struct store store = LLVMIsAStoreInst(value) ? describe_store(value) : (struct store){0};
        const struct store *last = &run[count ? count - 1 : 0];
        const bool follows = count && count < MOST_STORES_OF_RUN && store.bytes &&
                             is_same_base(store.base, last->base) && store.offset == last->offset + last->bytes;
        if (count && !follows) {
            found |= change(context, run, count);
            count = 0;
        }
        if (store.bytes)
            run[count++] = store;
    }
    return found;
}

bool change_stores(struct translator *t, store_run_fn *change, void *context)
{
    const unsigned fma = fma_intrinsic();
    bool found = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(t->module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            found |= change_in_block(block, fma, change, context);
    return found;
}

bool keep_elements(struct translator *t)
{
    struct search search = {
        .t = t, .tuples = cy_arena_alloc(&t->arena, MOST_TUPLES * sizeof(*search.tuples)), .fma = fma_intrinsic()};
    return change_stores(t, store_run, &search);
}
