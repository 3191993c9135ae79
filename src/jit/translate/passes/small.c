/* Bytes and halves that are stored, and what they are computed of.
 *
 * The guest's registers have 32 bits, so that each byte of a uchar16 is computed with in a lane of 32, and the parts of an element are
 * transposed.  Where the parts that are stored next to each other were all computed in the same way, the computation is done on
 * vectors of these parts, as they are in memory, in lanes of 8 or 16 bits if no other bit of a value counts: sums, products and
 * logical operations need no more bits of their operands than are used of the result; comparisons, minima and shifts to the right need
 * values that are known to be small.
 *
 * That is done before LLVM combines instructions: until then all parts have the same. */
#include "jit/translate/passes/parts.h"
#include "jit/translate/translator.h"

#include <string.h>

enum { MOST_NODES = 160, WIDTHS = 4 };

enum small_kind {
    LOADED,
    NUMBERS,    /* constants */
    SHARED,     /* one number for all parts */
    BINARY,     /* of opcode */
    SHIFT,      /* by `amount` */
    EXTENSION,  /* of the lowest `amount` bits, by zeros or by sign */
    COMPARISON, /* of one bit */
    NEGATION,   /* of one bit */
    SELECTION,
    EXTREME, /* a minimum or maximum: the first operand where the predicate holds */
};

/* The same value of all parts. */
struct small_node {
    struct small_node *result; /* this one, or what it is known to be; NULL: none */
    struct part *parts;
    unsigned asked; /* so many bits of each part */
    enum small_kind kind;
    unsigned bits; /* of the value, of which `asked` count */
    LLVMOpcode opcode;
    LLVMIntPredicate predicate;
    unsigned amount;
    bool is_signed;
    int64_t low, high; /* of 32-bit values, with a sign */
    struct small_node *operands[3];
    int64_t *numbers;             /* NUMBERS: of each part */
    LLVMValueRef number;          /* SHARED */
    bool is_near;                 /* not this one, but the nearest one of 16 bits */
    LLVMBasicBlockRef block;      /* that has computed it for all parts; NULL: where it is used, or */
    bool is_late;                 /* right before the store */
    LLVMValueRef vectors[WIDTHS]; /* of elements of 1, 8, 16 and 32 bits */
};

struct small {
    struct translator *t;
    struct small_node *nodes;
    unsigned count, parts;
    unsigned narrow, wide;  /* operations, in lanes of less than 32 bits and of 32 */
    LLVMValueRef store, at; /* the last one; the instruction before which vectors are made */
};

static void place_before(struct small *s, LLVMValueRef instruction)
{
    s->at = instruction;
    LLVMPositionBuilderBefore(s->t->builder, instruction);
}

/* Values are computed in the same block as before: later, more of them would wait. */
static void place_for(struct small *s, const struct small_node *n)
{
    LLVMBasicBlockRef block = n->is_late ? LLVMGetInstructionParent(s->store) : n->block;
    if (block)
        place_before(s, block == LLVMGetInstructionParent(s->store) ? s->store : LLVMGetBasicBlockTerminator(block));
}

static LLVMTypeRef vector_type(const struct small *s, unsigned bits)
{
    return LLVMVectorType(LLVMIntTypeInContext(s->t->context, bits), s->parts);
}

/* ---- ranges ---- */

static bool fits(const struct small_node *n, unsigned bits, bool is_signed)
{
    return is_signed ? n->low >= -(1ll << (bits - 1)) && n->high < 1ll << (bits - 1)
                     : n->low >= 0 && n->high < 1ll << bits;
}

/* The narrowest lanes that hold both; as unsigned numbers, unless *is_signed. */
static unsigned bits_for(const struct small_node *a, const struct small_node *b, bool *is_signed)
{
    for (unsigned bits = 8; bits < 32; bits *= 2)
        for (int k = 0; k < 2; k++) {
            *is_signed = k;
            if (fits(a, bits, k) && fits(b, bits, k))
                return bits;
        }
    return 32;
}

static void set_range(struct small_node *n, int64_t low, int64_t high)
{
    const bool is_known = low >= INT32_MIN && high <= INT32_MAX;
    n->low = is_known ? low : INT32_MIN;
    n->high = is_known ? high : INT32_MAX;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t most(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* All bits up to the highest one. */
static int64_t ones_over(int64_t number)
{
    return number ? (int64_t)(UINT64_MAX >> __builtin_clzll((unsigned long long)number)) : 0;
}

static void find_range(struct small_node *n)
{
    const struct small_node *a = n->operands[0], *b = n->operands[1];
    set_range(n, INT32_MIN, INT32_MAX);
    switch (n->kind) {
    case BINARY:
        if (n->opcode == LLVMAdd) {
            set_range(n, a->low + b->low, a->high + b->high);
        } else if (n->opcode == LLVMSub) {
            set_range(n, a->low - b->high, a->high - b->low);
        } else if (n->opcode == LLVMMul) {
            const int64_t products[] = {a->low * b->low, a->low * b->high, a->high * b->low, a->high * b->high};
            set_range(n, least(least(products[0], products[1]), least(products[2], products[3])),
                      most(most(products[0], products[1]), most(products[2], products[3])));
        } else if (n->opcode == LLVMAnd && (a->low >= 0 || b->low >= 0)) {
            set_range(n, 0, a->low < 0 ? b->high : b->low < 0 ? a->high : least(a->high, b->high));
        } else if (a->low >= 0 && b->low >= 0) {
            set_range(n, 0, ones_over(a->high | b->high));
        } else {
            bool is_signed = true;
            const unsigned bits = bits_for(a, b, &is_signed);
            const int64_t half = 1ll << (bits - 1);
            set_range(n, -half, half - 1);
        }
        break;
    case SHIFT:
        if (n->opcode == LLVMShl)
            set_range(n, a->low * (1ll << n->amount), a->high * (1ll << n->amount));
        else if (n->opcode == LLVMAShr || a->low >= 0)
            set_range(n, a->low >> n->amount, a->high >> n->amount);
        else if (n->amount)
            set_range(n, 0, UINT32_MAX >> n->amount);
        break;
    case EXTENSION:
        if (n->is_signed)
            set_range(n, -(1ll << (n->amount - 1)), (1ll << (n->amount - 1)) - 1);
        else
            set_range(n, 0, (1ll << n->amount) - 1);
        break;
    case SELECTION: set_range(n, least(b->low, n->operands[2]->low), most(b->high, n->operands[2]->high)); break;
    case EXTREME: set_range(n, least(a->low, b->low), most(a->high, b->high)); break;
    default: break;
    }
}

/* Of a number that all lanes share. */
static void find_range_of_number(struct small_node *n, LLVMValueRef number)
{
    const bool is_operation = LLVMIsAInstruction(number);
    const LLVMOpcode opcode = is_operation ? LLVMGetInstructionOpcode(number) : LLVMRet;
    LLVMValueRef by = is_operation && LLVMGetNumOperands(number) > 1 ? LLVMGetOperand(number, 1) : NULL;
    const uint64_t amount = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : UINT64_MAX;
    set_range(n, INT32_MIN, INT32_MAX);
    if (opcode == LLVMAnd && amount <= INT32_MAX) {
        set_range(n, 0, (int64_t)amount);
    } else if (opcode == LLVMZExt && bits_of_type(LLVMTypeOf(LLVMGetOperand(number, 0))) < 32) {
        set_range(n, 0, (1ll << bits_of_type(LLVMTypeOf(LLVMGetOperand(number, 0)))) - 1);
    } else if (opcode == LLVMLShr && amount && amount < 32) {
        set_range(n, 0, UINT32_MAX >> amount);
    } else if ((opcode == LLVMAShr && amount < 32) || opcode == LLVMSExt) {
        const unsigned bits =
            opcode == LLVMAShr ? 32 - (unsigned)amount : bits_of_type(LLVMTypeOf(LLVMGetOperand(number, 0)));
        set_range(n, -(1ll << (bits - 1)), (1ll << (bits - 1)) - 1);
    }
}

/* ---- what parts are ---- */

static struct small_node *node_of(struct small *s, const struct part *from, unsigned asked);

static struct small_node *new_node(struct small *s, enum small_kind kind, unsigned bits)
{
    if (s->count == MOST_NODES)
        return NULL;
    struct small_node *n = &s->nodes[s->count++];
    *n = (struct small_node){.result = n, .parts = n->parts, .numbers = n->numbers, .kind = kind, .bits = bits};
    return n;
}

static void set_operands(struct small_node *n, struct small_node *a, struct small_node *b, struct small_node *c)
{
    n->operands[0] = a;
    n->operands[1] = b;
    n->operands[2] = c;
    n->is_late = a->is_late || (b && b->is_late) || (c && c->is_late);
}

static LLVMBasicBlockRef block_of(const struct small *s, const struct small_node *n)
{
    LLVMBasicBlockRef block = LLVMGetInstructionParent(n->parts[0].value);
    for (unsigned i = 1; i < s->parts; i++)
        if (n->parts[i].value != n->parts[i - 1].value && LLVMGetInstructionParent(n->parts[i].value) != block)
            return NULL;
    return block;
}

static bool read_numbers(struct small *s, struct small_node *n)
{
    int64_t numbers[MOST_PARTS];
    for (unsigned i = 0; i < s->parts; i++) {
        const struct part *part = &n->parts[i];
        LLVMValueRef element = part->value;
        numbers[i] = 0;
        if (!element)
            continue;
        if (LLVMIsConstant(element) && part->index != NONE)
            element = LLVMGetAggregateElement(element, part->index);
        if (!element || !LLVMIsAConstantInt(element) || LLVMGetIntTypeWidth(LLVMTypeOf(element)) > 32)
            return false;
        numbers[i] = (int64_t)(LLVMConstIntGetZExtValue(element) >> part->shift << (64 - n->asked)) >> (64 - n->asked);
    }
    n->kind = NUMBERS;
    memcpy(n->numbers, numbers, s->parts * sizeof(*n->numbers));
    n->low = n->high = numbers[0];
    for (unsigned i = 0; i < s->parts; i++) {
        n->low = least(n->low, numbers[i]);
        n->high = most(n->high, numbers[i]);
    }
    return true;
}

static bool is_number(const struct small_node *n, int64_t number)
{
    return n->kind == NUMBERS && n->low == number && n->high == number;
}

static bool is_one_number(const struct small *s, const struct small_node *n)
{
    const struct part *first = &n->parts[0];
    for (unsigned i = 0; i < s->parts; i++)
        if (n->parts[i].value != first->value || n->parts[i].index != NONE || n->parts[i].shift)
            return false;
    return first->value && LLVMGetTypeKind(LLVMTypeOf(first->value)) == LLVMIntegerTypeKind &&
           bits_of_type(LLVMTypeOf(first->value)) == n->asked;
}

static bool is_same_operation(const struct small *s, const struct small_node *n)
{
    LLVMValueRef first = n->parts[0].value;
    for (unsigned i = 0; i < s->parts; i++) {
        LLVMValueRef value = n->parts[i].value;
        if (!value || n->parts[i].index == NONE || n->parts[i].shift || !LLVMIsAInstruction(value) ||
            LLVMGetInstructionOpcode(value) != LLVMGetInstructionOpcode(first) ||
            LLVMTypeOf(value) != LLVMTypeOf(first) ||
            LLVMTypeOf(LLVMGetOperand(value, 0)) != LLVMTypeOf(LLVMGetOperand(first, 0)))
            return false;
        if (LLVMIsAICmpInst(value) && LLVMGetICmpPredicate(value) != LLVMGetICmpPredicate(first))
            return false;
    }
    return true;
}

static struct small_node *operand_of(struct small *s, const struct small_node *n, unsigned which)
{
    struct part parts[MOST_PARTS];
    for (unsigned i = 0; i < s->parts; i++)
        parts[i] = (struct part){LLVMGetOperand(n->parts[i].value, which), n->parts[i].index, 0};
    LLVMTypeRef type = LLVMTypeOf(parts[0].value);
    const bool is_integer =
        is_vector(type) && LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind && bits_of_type(type) <= 32;
    return is_integer ? node_of(s, parts, bits_of_type(type)) : NULL;
}

static struct small_node *make_extension(struct small *s, struct small_node *of, unsigned bits, bool is_signed)
{
    const bool is_width = bits == 1 || bits == 8 || bits == 16;
    struct small_node *n = of && is_width ? new_node(s, EXTENSION, 32) : NULL;
    if (!n)
        return NULL;
    if (of->bits == 32 && fits(of, bits, is_signed))
        return of;
    n->amount = bits;
    n->is_signed = is_signed;
    set_operands(n, of, NULL, NULL);
    find_range(n);
    return n;
}

static struct small_node *make_selection(struct small *s, struct small_node *condition, struct small_node *yes,
                                         struct small_node *no)
{
    struct small_node *n = condition && yes && no ? new_node(s, SELECTION, 32) : NULL;
    if (!n)
        return NULL;
    set_operands(n, condition, yes, no);
    const bool is_forward = condition->operands[0] == yes && condition->operands[1] == no;
    const bool is_backward = condition->operands[0] == no && condition->operands[1] == yes;
    if (condition->kind == COMPARISON && condition->predicate > LLVMIntNE && (is_forward || is_backward)) {
        n->kind = EXTREME;
        n->predicate = is_forward ? condition->predicate : LLVMIntEQ;
        switch (is_forward ? LLVMIntEQ : condition->predicate) { /* the same, from the other side */
        case LLVMIntUGT:
        case LLVMIntUGE: n->predicate = LLVMIntULT; break;
        case LLVMIntULT:
        case LLVMIntULE: n->predicate = LLVMIntUGT; break;
        case LLVMIntSGT:
        case LLVMIntSGE: n->predicate = LLVMIntSLT; break;
        case LLVMIntSLT:
        case LLVMIntSLE: n->predicate = LLVMIntSGT; break;
        default: break;
        }
        set_operands(n, yes, no, NULL);
    }
    find_range(n);
    return n;
}

static bool is_truth(const struct small_node *n)
{
    return n->kind == EXTENSION && n->amount == 1 && !n->is_signed;
}

static struct small_node *make_binary(struct small *s, LLVMOpcode opcode, struct small_node *a, struct small_node *b,
                                      unsigned bits)
{
    static const unsigned sizes[] = {8, 16};
    if (!a || !b)
        return NULL;
    for (unsigned i = 0; i < CY_COUNT(sizes) && opcode == LLVMAnd && bits == 32; i++)
        if (is_number(b, (1 << sizes[i]) - 1) || is_number(a, (1 << sizes[i]) - 1))
            return make_extension(s, b->kind == NUMBERS ? a : b, sizes[i], false);
    /* how the guest selects: truth * (yes - no) + no */
    if (opcode == LLVMMul && (is_truth(a) || is_truth(b))) {
        struct small_node *zero = new_node(s, NUMBERS, 32);
        if (!zero)
            return NULL;
        memset(zero->numbers, 0, s->parts * sizeof(*zero->numbers));
        return make_selection(s, (is_truth(a) ? a : b)->operands[0], is_truth(a) ? b : a, zero);
    }
    for (unsigned i = 0; i < 2 && opcode == LLVMAdd; i++) {
        const struct small_node *chosen = i ? b : a, *yes = chosen->operands[1];
        struct small_node *no = i ? a : b;
        if (chosen->kind == SELECTION && is_number(chosen->operands[2], 0) && yes->kind == BINARY &&
            yes->opcode == LLVMSub && yes->operands[1] == no)
            return make_selection(s, chosen->operands[0], yes->operands[0], no);
    }
    struct small_node *n = new_node(s, BINARY, bits);
    if (!n)
        return NULL;
    n->opcode = opcode;
    set_operands(n, a, b, NULL);
    if (bits == 32)
        find_range(n);
    return n;
}

static struct small_node *shifted(struct small *s, LLVMOpcode opcode, struct small_node *of, unsigned amount)
{
    if (!of)
        return NULL;
    if (opcode != LLVMShl && of->kind == SHIFT && of->opcode == LLVMShl && of->amount <= amount) { /* how it extends */
        struct small_node *from = of->operands[0];
        const bool is_bit = of->amount == 31 && is_truth(from);
        if (is_bit || of->amount == 16 || of->amount == 24) {
            amount -= of->amount;
            of = make_extension(s, is_bit ? from->operands[0] : from, 32 - of->amount, opcode == LLVMAShr);
            if (!of || !amount)
                return of;
        }
    }
    struct small_node *n = new_node(s, SHIFT, 32);
    if (!n)
        return NULL;
    n->opcode = opcode;
    set_operands(n, of, NULL, NULL);
    n->amount = amount;
    find_range(n);
    return n;
}

static struct small_node *make_shift(struct small *s, LLVMOpcode opcode, struct small_node *of,
                                     const struct small_node *by)
{
    if (!by || by->kind != NUMBERS || by->low != by->high || by->low < 0 || by->low > 31)
        return NULL;
    return shifted(s, opcode, of, (unsigned)by->low);
}

/* Next to small values, a number that all share is as good as the nearest one of 16 bits. */
static struct small_node *nearest(struct small *s, struct small_node *n, const struct small_node *other,
                                  LLVMIntPredicate predicate)
{
    const bool is_unsigned = predicate >= LLVMIntUGT && predicate <= LLVMIntULE;
    if (n->kind != SHARED || fits(n, 16, true) || fits(n, 16, false) || !fits(other, 8, !is_unsigned && other->low < 0))
        return n;
    struct small_node *near = new_node(s, SHARED, 32);
    if (!near)
        return NULL;
    near->number = n->number;
    near->is_near = true;
    near->is_signed = !is_unsigned;
    set_range(near, is_unsigned ? 0 : INT16_MIN, INT16_MAX);
    return near;
}

static struct small_node *make_comparison(struct small *s, LLVMIntPredicate predicate, struct small_node *a,
                                          struct small_node *b)
{
    if (!a || !b || a->bits != 32 || b->bits != 32)
        return NULL;
    const bool is_equality = predicate == LLVMIntEQ || predicate == LLVMIntNE;
    if (is_equality && is_truth(a) && is_number(b, 0) && predicate == LLVMIntNE)
        return a->operands[0];
    const bool is_negation = is_equality && is_truth(a) && is_number(b, 0);
    struct small_node *near = nearest(s, a, b, predicate);
    b = nearest(s, b, a, predicate);
    a = near;
    if (!a || !b)
        return NULL;
    struct small_node *n = new_node(s, is_negation ? NEGATION : COMPARISON, 1);
    if (!n)
        return NULL;
    n->predicate = predicate;
    set_operands(n, is_negation ? a->operands[0] : a, is_negation ? NULL : b, NULL);
    return n;
}

static struct small_node *operation(struct small *s, const struct small_node *n)
{
    LLVMValueRef first = n->parts[0].value;
    LLVMTypeRef type = LLVMTypeOf(first), element = is_vector(type) ? LLVMGetElementType(type) : type;
    const LLVMOpcode opcode = LLVMGetInstructionOpcode(first);
    struct small_node *a;
    const bool is_logical = opcode == LLVMAnd || opcode == LLVMOr || opcode == LLVMXor || opcode == LLVMICmp;
    if (element != s->t->i32 && !(element == s->t->i1 && is_logical))
        return NULL;
    switch (opcode) {
    case LLVMAdd:
    case LLVMSub:
    case LLVMMul:
    case LLVMAnd:
    case LLVMOr:
    case LLVMXor: a = operand_of(s, n, 0); return make_binary(s, opcode, a, a ? operand_of(s, n, 1) : NULL, n->asked);
    case LLVMShl:
    case LLVMLShr:
    case LLVMAShr: a = operand_of(s, n, 0); return make_shift(s, opcode, a, a ? operand_of(s, n, 1) : NULL);
    case LLVMZExt:
    case LLVMSExt:
        a = operand_of(s, n, 0);
        return make_extension(s, a, bits_of_type(LLVMTypeOf(LLVMGetOperand(first, 0))), opcode == LLVMSExt);
    case LLVMICmp:
        a = operand_of(s, n, 0);
        return make_comparison(s, LLVMGetICmpPredicate(first), a, a ? operand_of(s, n, 1) : NULL);
    case LLVMSelect: {
        a = operand_of(s, n, 0);
        struct small_node *yes = a ? operand_of(s, n, 1) : NULL;
        return make_selection(s, a, yes, yes ? operand_of(s, n, 2) : NULL);
    }
    default: return NULL;
    }
}

static struct small_node *placed_operation(struct small *s, const struct small_node *n)
{
    struct small_node *made = is_same_operation(s, n) ? operation(s, n) : NULL;
    if (made && !made->block && made->kind != NUMBERS && made->kind != SHARED) {
        made->block = block_of(s, n);
        made->is_late |= !made->block;
    }
    return made;
}

static bool read_loaded(struct small *s, struct small_node *n)
{
    for (unsigned i = 0; i < s->parts; i++)
        if (!n->parts[i].value || !LLVMIsAInstruction(n->parts[i].value))
            return false;
    n->block = block_of(s, n);
    n->is_late = !n->block;
    place_for(s, n);
    LLVMValueRef vector = loaded_parts(s->t, n->parts, s->parts, n->asked);
    n->vectors[n->asked / 16 + 1] = vector;
    return vector;
}

/* NULL: they have not enough in common. */
static struct small_node *node_of(struct small *s, const struct part *from, unsigned asked)
{
    struct small_node *n = new_node(s, LOADED, asked);
    if (!n)
        return NULL;
    n->asked = asked;
    for (unsigned i = 0; i < s->parts; i++)
        n->parts[i] = source_of(from[i], asked, MOST_JOINS);
    for (const struct small_node *other = s->nodes; other < n; other++)
        if (other->asked == asked && !memcmp(other->parts, n->parts, s->parts * sizeof(*n->parts))) {
            s->count--;
            return other->result;
        }
    const struct part *first = &n->parts[0];
    set_range(n, INT32_MIN, INT32_MAX);
    if (read_numbers(s, n))
        return n;
    if (is_one_number(s, n)) {
        n->kind = SHARED;
        n->number = first->value;
        if (asked == 32)
            find_range_of_number(n, n->number);
        return n;
    }
    n->result = NULL;
    if (!first->value || first->index == NONE)
        return NULL;
    if (asked >= 8 && read_loaded(s, n))
        return n->result = n;
    const unsigned width = bits_of_type(LLVMTypeOf(first->value));
    if (asked == width)
        return n->result = placed_operation(s, n);
    struct part parts[MOST_PARTS];
    for (unsigned i = 0; i < s->parts; i++) {
        if (!n->parts[i].value || n->parts[i].index == NONE || n->parts[i].shift != first->shift)
            return NULL;
        parts[i] = (struct part){n->parts[i].value, n->parts[i].index, 0};
    }
    n->result = width == 32 && asked > 1 ? node_of(s, parts, width) : NULL;
    if (first->shift)
        n->result = shifted(s, LLVMLShr, n->result, first->shift);
    return n->result;
}

/* ---- vectors ---- */

static LLVMValueRef emit(struct small *s, struct small_node *n, unsigned bits);

static LLVMValueRef converted(struct small *s, LLVMValueRef vector, unsigned bits, bool is_signed)
{
    const unsigned from = bits_of_type(LLVMTypeOf(vector));
    LLVMTypeRef type = vector_type(s, bits);
    if (from > bits)
        return LLVMBuildTrunc(s->t->builder, vector, type, "");
    return from == bits ? vector : extended(s->t, vector, !is_signed, type);
}

static LLVMValueRef splat_of(struct small *s, LLVMValueRef number, unsigned bits)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMTypeRef type = vector_type(s, bits);
    if (bits < bits_of_type(LLVMTypeOf(number)))
        number = LLVMBuildTrunc(b, number, LLVMGetElementType(type), "");
    LLVMValueRef one = LLVMBuildInsertElement(b, LLVMGetPoison(type), number, number32(s->t, 0), "");
    return LLVMBuildShuffleVector(b, one, LLVMGetPoison(type), LLVMConstNull(vector_type(s, 32)), "");
}

static LLVMValueRef nearest_number(struct small *s, const struct small_node *n)
{
    LLVMBuilderRef b = s->t->builder;
    LLVMValueRef high = number32(s->t, INT16_MAX), low = number32(s->t, (uint32_t)INT16_MIN);
    LLVMValueRef is_less = LLVMBuildICmp(b, n->is_signed ? LLVMIntSLT : LLVMIntULT, n->number, high, "");
    LLVMValueRef number = LLVMBuildSelect(b, is_less, n->number, high, "");
    if (!n->is_signed)
        return number;
    return LLVMBuildSelect(b, LLVMBuildICmp(b, LLVMIntSGT, number, low, ""), number, low, "");
}

static LLVMValueRef constants_of(struct small *s, const struct small_node *n, unsigned bits)
{
    LLVMValueRef elements[MOST_PARTS];
    for (unsigned i = 0; i < s->parts; i++)
        elements[i] = LLVMConstInt(LLVMGetElementType(vector_type(s, bits)),
                                   (uint64_t)n->numbers[i] & (UINT64_MAX >> (64 - bits)), false);
    return LLVMConstVector(elements, s->parts);
}

static LLVMValueRef all_of(struct small *s, unsigned bits, unsigned number)
{
    LLVMValueRef elements[MOST_PARTS];
    for (unsigned i = 0; i < s->parts; i++)
        elements[i] = LLVMConstInt(LLVMGetElementType(vector_type(s, bits)), number, false);
    return LLVMConstVector(elements, s->parts);
}

static void count_operation(struct small *s, unsigned bits)
{
    s->narrow += bits < 32;
    s->wide += bits == 32;
}

static LLVMValueRef emit_shift(struct small *s, const struct small_node *n, unsigned bits)
{
    LLVMBuilderRef b = s->t->builder;
    struct small_node *of = n->operands[0];
    const unsigned k = n->amount;
    if (n->opcode == LLVMShl) {
        count_operation(s, bits);
        return k < bits ? LLVMBuildShl(b, emit(s, of, bits), all_of(s, bits, k), "")
                        : LLVMConstNull(vector_type(s, bits));
    }
    unsigned in = bits;
    LLVMOpcode opcode = n->opcode;
    for (; in < 32; in *= 2) { /* bits that are shifted in: known, or not used */
        if (fits(of, in, false) || k + bits <= in)
            opcode = LLVMLShr;
        else if (fits(of, in, true) && (n->opcode == LLVMAShr || k + bits <= 32))
            opcode = LLVMAShr;
        else
            continue;
        break;
    }
    count_operation(s, in);
    if (k >= in && opcode == LLVMLShr)
        return LLVMConstNull(vector_type(s, bits));
    LLVMValueRef by = all_of(s, in, k < in ? k : in - 1);
    return converted(s, LLVMBuildBinOp(b, opcode, emit(s, of, in), by, ""), bits, false);
}

static LLVMIntPredicate without_sign(LLVMIntPredicate predicate)
{
    switch (predicate) {
    case LLVMIntSGT: return LLVMIntUGT;
    case LLVMIntSGE: return LLVMIntUGE;
    case LLVMIntSLT: return LLVMIntULT;
    case LLVMIntSLE: return LLVMIntULE;
    default: return predicate;
    }
}

/* Extending by sign keeps the order of signed and of unsigned numbers, by zeros that of unsigned ones, which these are then. */
static LLVMValueRef emit_comparison(struct small *s, const struct small_node *n, unsigned in, bool is_signed)
{
    count_operation(s, in);
    const LLVMIntPredicate predicate = is_signed ? n->predicate : without_sign(n->predicate);
    LLVMValueRef a = emit(s, n->operands[0], in);
    return LLVMBuildICmp(s->t->builder, predicate, a, emit(s, n->operands[1], in), "");
}

static LLVMValueRef emit_operation(struct small *s, struct small_node *n, unsigned bits)
{
    LLVMBuilderRef b = s->t->builder;
    struct small_node *const *o = n->operands;
    bool is_signed = true;
    switch (n->kind) {
    case LOADED: return converted(s, n->vectors[n->asked / 16 + 1], bits, false);
    case NUMBERS: return constants_of(s, n, bits);
    case SHARED: return splat_of(s, n->is_near ? nearest_number(s, n) : n->number, bits);
    case SHIFT: return emit_shift(s, n, bits);
    case EXTENSION: return converted(s, emit(s, o[0], bits < n->amount ? bits : n->amount), bits, n->is_signed);
    case COMPARISON: {
        const unsigned in = bits_for(o[0], o[1], &is_signed);
        return emit_comparison(s, n, in, is_signed);
    }
    case NEGATION: return LLVMBuildNot(b, emit(s, o[0], 1), "");
    case SELECTION: {
        count_operation(s, bits);
        LLVMValueRef condition = emit(s, o[0], 1), yes = emit(s, o[1], bits);
        return LLVMBuildSelect(b, condition, yes, emit(s, o[2], bits), "");
    }
    case EXTREME: {
        const unsigned in = bits_for(o[0], o[1], &is_signed);
        LLVMValueRef condition = emit_comparison(s, n, in, is_signed);
        LLVMValueRef first = emit(s, o[0], in), second = emit(s, o[1], in);
        return converted(s, LLVMBuildSelect(b, condition, first, second, ""), bits, is_signed);
    }
    case BINARY: break;
    }
    if (n->opcode == LLVMMul && bits == 8) /* hosts multiply halves */
        return converted(s, emit(s, n, 16), bits, false);
    count_operation(s, bits);
    LLVMValueRef a = emit(s, o[0], bits);
    return LLVMBuildBinOp(b, n->opcode, a, emit(s, o[1], bits), "");
}

/* Small values are computed as such, then extended. */
static LLVMValueRef emit_small(struct small *s, struct small_node *n, unsigned bits)
{
    const bool is_made = n->kind == BINARY || n->kind == SHIFT || n->kind == SELECTION || n->kind == EXTREME;
    for (unsigned less = 8; is_made && n->bits == 32 && less < bits; less *= 2) {
        if (less == 8 && n->opcode == LLVMMul && n->kind == BINARY)
            continue;
        for (int k = 0; k < 2; k++)
            if (fits(n, less, k))
                return converted(s, emit(s, n, less), bits, k);
    }
    return emit_operation(s, n, bits);
}

/* The lowest bits of the values. */
static LLVMValueRef emit(struct small *s, struct small_node *n, unsigned bits)
{
    LLVMValueRef *vector = &n->vectors[bits == 1 ? 0 : bits / 16 + 1], at = s->at;
    if (*vector)
        return *vector;
    place_for(s, n);
    LLVMValueRef made = emit_small(s, n, bits);
    place_before(s, at);
    if (n->block || n->is_late)
        *vector = made;
    return made;
}

/* ---- stores ---- */

static LLVMValueRef small_piece(void *context, const struct part *parts, unsigned count, unsigned bits,
                                LLVMValueRef store)
{
    struct small *s = context;
    s->store = store;
    s->parts = count;
    s->count = s->narrow = s->wide = 0;
    const bool is_wide = 32 * count > register_bits(s->t); /* else narrower lanes are not fewer registers */
    if (!is_wide && is_row(parts, count, bits))
        return NULL;
    struct small_node *root = node_of(s, parts, bits);
    place_before(s, store);
    LLVMValueRef piece = root ? emit(s, root, bits) : NULL;
    return s->narrow && s->narrow >= s->wide ? piece : NULL;
}

static bool store_run(void *context, const struct store *stores, unsigned count)
{
    struct translator *t = ((struct small *)context)->t;
    return replace_stores(t, stores, count, 8, small_piece, context) ||
           replace_stores(t, stores, count, 16, small_piece, context);
}

void compute_small(struct translator *t)
{
    struct small small = {.t = t, .nodes = cy_arena_alloc(&t->arena, MOST_NODES * sizeof(*small.nodes))};
    struct part *parts = cy_arena_alloc(&t->arena, (size_t)MOST_NODES * MOST_PARTS * sizeof(*parts));
    int64_t *numbers = cy_arena_alloc(&t->arena, (size_t)MOST_NODES * MOST_PARTS * sizeof(*numbers));
    for (unsigned i = 0; i < MOST_NODES; i++) {
        const size_t first = (size_t)i * MOST_PARTS;
        small.nodes[i] = (struct small_node){.parts = parts + first, .numbers = numbers + first};
    }
    change_stores(t, store_run, &small);
}
