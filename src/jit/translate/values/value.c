/* Values in the lanes of a strip: uniform, base + stride * lane, or any.  For the first two only one number is
 * computed; the vector is materialised where it is needed.  Without t->emit nothing is built and only the classes are
 * computed. */
#include "jit/translate/translator.h"

#include <string.h>

/* ---- small ones ---- */

LLVMValueRef number32(struct translator *t, uint32_t value)
{
    return t->emit ? LLVMConstInt(t->i32, value, false) : NULL;
}

LLVMValueRef number64(const struct translator *t, uint64_t value)
{
    return LLVMConstInt(t->i64, value, false);
}

LLVMValueRef load64(struct translator *t, LLVMValueRef place)
{
    return LLVMBuildLoad2(t->builder, t->i64, place, "");
}

bool is_vector(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind;
}

LLVMValueRef intrinsic_of(struct translator *t, const char *name, LLVMTypeRef *types, unsigned type_count,
                          LLVMValueRef *args, unsigned count)
{
    const unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(t->module, id, types, type_count);
    return LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

LLVMValueRef intrinsic(struct translator *t, const char *name, LLVMTypeRef type, LLVMValueRef *args, unsigned count)
{
    return intrinsic_of(t, name, &type, 1, args, count);
}

LLVMValueRef splat(struct translator *t, LLVMValueRef scalar)
{
    if (!t->emit)
        return NULL;
    LLVMTypeRef type = LLVMVectorType(LLVMTypeOf(scalar), t->w);
    LLVMValueRef one =
        LLVMBuildInsertElement(t->builder, LLVMGetPoison(type), scalar, LLVMConstInt(t->i32, 0, false), "");
    return LLVMBuildShuffleVector(t->builder, one, LLVMGetPoison(type), LLVMConstNull(t->vi32), "");
}

LLVMValueRef steps(struct translator *t, uint32_t stride)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->i32, (uint32_t)(stride * i), false);
    return LLVMConstVector(lanes, t->w);
}

LLVMValueRef all_ones(struct translator *t)
{
    return t->emit ? LLVMConstAllOnes(t->vi32) : NULL;
}

LLVMValueRef strip_mask(struct translator *t)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    if (!t->emit || t->lanes == t->w)
        return all_ones(t);
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->i32, i < t->lanes ? UINT32_MAX : 0, false);
    return LLVMConstVector(lanes, t->w);
}

static LLVMValueRef of_strip(struct translator *t, LLVMValueRef mask)
{
    return t->lanes == t->w ? mask : LLVMBuildAnd(t->builder, mask, strip_mask(t), "");
}

static bool makes_numbers_of_masks(const struct translator *t)
{
    return t->host->has_mask_moves || t->forms != CY_JIT_FORMS_128;
}

static LLVMValueRef bits_compared(struct translator *t, LLVMValueRef mask, LLVMIntPredicate how, bool with_all)
{
    LLVMTypeRef type = LLVMIntTypeInContext(t->context, t->w);
    LLVMValueRef bits = LLVMBuildICmp(t->builder, LLVMIntSLT, mask, LLVMConstNull(t->vi32), "");
    LLVMValueRef word = LLVMBuildBitCast(t->builder, bits, type, "");
    return LLVMBuildICmp(t->builder, how, word, with_all ? LLVMConstAllOnes(type) : LLVMConstNull(type), "");
}

LLVMValueRef any_lane(struct translator *t, LLVMValueRef mask)
{
    if (!t->emit)
        return NULL;
    mask = of_strip(t, mask);
    if (t->level->some_lane)
        return t->level->some_lane(t, mask, false);
    if (makes_numbers_of_masks(t))
        return bits_compared(t, mask, LLVMIntNE, false);
    LLVMValueRef most = intrinsic(t, "llvm.vector.reduce.umax", t->vi32, &mask, 1);
    return LLVMBuildICmp(t->builder, LLVMIntNE, most, LLVMConstInt(t->i32, 0, false), "");
}

LLVMValueRef each_lane(struct translator *t, LLVMValueRef mask)
{
    if (!t->emit)
        return NULL;
    if (t->lanes < t->w)
        mask = LLVMBuildOr(t->builder, mask, LLVMConstNot(strip_mask(t)), "");
    if (t->level->some_lane)
        return t->level->some_lane(t, mask, true);
    if (makes_numbers_of_masks(t))
        return bits_compared(t, mask, LLVMIntEQ, true);
    LLVMValueRef least = intrinsic(t, "llvm.vector.reduce.umin", t->vi32, &mask, 1);
    return LLVMBuildICmp(t->builder, LLVMIntNE, least, LLVMConstInt(t->i32, 0, false), "");
}

LLVMValueRef mask_bits(struct translator *t, LLVMValueRef mask)
{
    if (!t->emit)
        return NULL;
    mask = of_strip(t, mask);
    if (t->level->lane_bits)
        return t->level->lane_bits(t, mask);
    LLVMValueRef bits = LLVMBuildICmp(t->builder, LLVMIntNE, mask, LLVMConstNull(t->vi32), "");
    LLVMValueRef word = LLVMBuildBitCast(t->builder, bits, LLVMIntTypeInContext(t->context, t->w), "");
    return t->w == 32 ? word : LLVMBuildZExt(t->builder, word, t->i32, "");
}

LLVMValueRef lane_count(struct translator *t, LLVMValueRef mask)
{
    if (!t->host->has_mask_moves) { /* its lanes are 0 or -1 */
        mask = of_strip(t, mask);
        return LLVMBuildNeg(t->builder, intrinsic(t, "llvm.vector.reduce.add", t->vi32, &mask, 1), "");
    }
    LLVMValueRef bits = mask_bits(t, mask);
    return intrinsic(t, "llvm.ctpop", t->i32, &bits, 1);
}

LLVMValueRef active_bits(struct translator *t)
{
    if (!t->emit)
        return NULL;
    if (t->version == FULL)
        return number32(t, t->lanes == 32 ? UINT32_MAX : (1u << t->lanes) - 1);
    if (t->version == ALONE) { /* rarely needed: LLVM must not compute it for each lane */
        LLVMValueRef lane = LLVMBuildLoad2(t->builder, t->i32, t->lane_for_helpers, "");
        LLVMSetVolatile(lane, true);
        return LLVMBuildShl(t->builder, number32(t, 1), lane, "");
    }
    return mask_bits(t, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""));
}

/* ---- making values ---- */

static unsigned trailing_zeros(uint32_t value)
{
    return value ? (unsigned)__builtin_ctz(value) : 31;
}

struct value constant(struct translator *t, uint32_t value)
{
    return (struct value){.class = {.kind = UNIFORM,
                                    .is_const = true,
                                    .in_group = true,
                                    .constant = value,
                                    .align = (uint8_t)trailing_zeros(value)},
                          .scalar = number32(t, value)};
}

struct value uniform(struct translator *t, LLVMValueRef scalar, bool in_group)
{
    return (struct value){.class = {.kind = UNIFORM, .in_group = in_group && !t->varying[t->at]}, .scalar = scalar};
}

struct value affine(struct translator *t, LLVMValueRef base, uint32_t stride, unsigned align, bool in_group)
{
    struct value value = uniform(t, base, in_group);
    if (stride && t->lanes > 1) {
        value.class.kind = AFFINE;
        value.class.stride = stride;
    }
    value.class.align = (uint8_t)align;
    return value;
}

struct value vector(struct translator *t, LLVMValueRef value)
{
    if (t->lanes == 1)
        return uniform(t, t->emit ? LLVMBuildExtractElement(t->builder, value, number32(t, 0), "") : NULL, false);
    return (struct value){.class = {.kind = VECTOR}, .vector = value};
}

static LLVMValueRef table_vector(struct translator *t, const uint32_t *lanes)
{
    LLVMValueRef words[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        words[i] = LLVMConstInt(t->i32, lanes[i], false);
    return LLVMConstVector(words, t->w);
}

static uint16_t table_of(struct translator *t, const uint32_t *lanes)
{
    const size_t size = t->w * sizeof(*lanes);
    for (size_t i = 0; i < t->tables.count; i++)
        if (memcmp(t->tables.at[i], lanes, size) == 0)
            return (uint16_t)(i + 1);
    if (t->tables.count == UINT16_MAX)
        return 0;
    uint32_t *table = cy_arena_alloc(&t->arena, size);
    memcpy(table, lanes, size);
    *cy_vec_push(&t->tables) = table;
    return (uint16_t)t->tables.count;
}

struct value table_value(struct translator *t, const uint32_t *lanes)
{
    const uint32_t stride = lanes[1] - lanes[0];
    bool is_affine = true;
    for (unsigned i = 2; i < t->w; i++)
        is_affine &= lanes[i] - lanes[i - 1] == stride;
    if (is_affine && !stride)
        return constant(t, lanes[0]);
    struct value value = is_affine ? affine(t, number32(t, lanes[0]), stride, trailing_zeros(lanes[0]), true)
                                   : vector(t, t->emit ? table_vector(t, lanes) : NULL);
    value.class.in_group = is_affine;
    value.class.table = table_of(t, lanes);
    return value;
}

bool known_lanes(const struct translator *t, const struct class *class, uint32_t *lanes)
{
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = class->table ? t->tables.at[class->table - 1][i] : class->constant;
    return class->table || (class->is_const && !class->pointer);
}

LLVMValueRef scalar_of(struct translator *t, struct value value)
{
    if (!t->emit)
        return NULL;
    return value.is_bit ? LLVMBuildZExt(t->builder, value.scalar, t->i32, "") : value.scalar;
}

LLVMValueRef vector_of(struct translator *t, struct value value)
{
    if (!t->emit)
        return NULL;
    if (value.class.kind == VECTOR)
        return value.is_bit ? LLVMBuildZExt(t->builder, value.vector, t->vi32, "") : value.vector;
    LLVMValueRef base = splat(t, scalar_of(t, value));
    return value.class.kind == UNIFORM ? base : LLVMBuildAdd(t->builder, base, steps(t, value.class.stride), "");
}

LLVMValueRef bits_of(struct translator *t, struct value value)
{
    if (!t->emit)
        return NULL;
    if (value.is_bit)
        return value.class.kind == VECTOR ? value.vector : splat(t, value.scalar);
    return LLVMBuildICmp(t->builder, LLVMIntNE, vector_of(t, value), LLVMConstNull(t->vi32), "");
}

struct value as_word(struct translator *t, struct value value)
{
    if (!value.is_bit)
        return value;
    if (value.class.kind == VECTOR)
        value.vector = vector_of(t, value);
    else
        value.scalar = scalar_of(t, value);
    value.is_bit = false;
    return value;
}

/* ---- registers ---- */

static LLVMValueRef load(struct translator *t, LLVMTypeRef type, LLVMValueRef from)
{
    return t->emit ? LLVMBuildLoad2(t->builder, type, from, "") : NULL;
}

static LLVMValueRef pointer_value(struct translator *t, const struct class *class)
{
    if (!t->emit)
        return NULL;
    LLVMValueRef base = frame_word(t, class->pointer == TO_METADATA ? offsetof(struct cy_jit_frame, metadata)
                                                                    : offsetof(struct cy_jit_frame, arguments));
    return LLVMBuildAdd(t->builder, base, number32(t, class->constant), "");
}

struct value read_x(struct translator *t, unsigned number)
{
    if (!number)
        return constant(t, 0);
    struct value value = {.class = t->now.x[number]};
    if (value.class.pointer)
        value.scalar = pointer_value(t, &value.class);
    else
        value.scalar = value.class.is_const ? number32(t, value.class.constant) : load(t, t->i32, t->x[number]);
    return value;
}

static LLVMValueRef place_of_scalar(const struct translator *t, unsigned number)
{
    return t->version == ALONE ? t->alone[number] : t->vs[number];
}

struct value read_v(struct translator *t, unsigned number)
{
    if (t->now.is_pair[number / 2])
        return wide_half(t, read_pair(t, number & ~1u), number & 1);
    struct value value = {.class = t->now.v[number]};
    value.class.is_blended = false;
    if (value.class.table && t->emit) {
        const uint32_t *lanes = t->tables.at[value.class.table - 1];
        value.scalar = number32(t, lanes[0]);
        value.vector = table_vector(t, lanes);
        return value;
    }
    if (value.class.kind == VECTOR)
        value.vector = load(t, t->vi32, t->vv[number]);
    if (value.class.is_line) {
        value.scalar = load(t, t->i32, t->vs[number]);
        value.step = load(t, t->i32, t->vstep[number]);
    }
    if (value.class.is_known) {
        value.all = load(t, t->i1, t->vall[number]);
        value.none = load(t, t->i1, t->vnone[number]);
    }
    if (value.class.kind == VECTOR)
        return value;
    if (value.class.pointer)
        value.scalar = pointer_value(t, &value.class);
    else
        value.scalar =
            value.class.is_const ? number32(t, value.class.constant) : load(t, t->i32, place_of_scalar(t, number));
    return value;
}

/* What lanes that wait keep in a register may be an integer, which as a float is a denormal: processors take a hundred cycles for
 * each operation on one, also in lanes whose result nobody needs.  So the block that wrote the register reads what it wrote. */
struct value read_active(struct translator *t, unsigned number)
{
    struct value value = read_v(t, number);
    if (t->emit && t->version == MASKED && value.class.kind == VECTOR && !t->now.is_pair[number / 2] &&
        t->unblended[number])
        value.vector = t->unblended[number];
    return value;
}

void write_x(struct translator *t, unsigned number, struct value value)
{
    if (!number)
        return;
    value = as_word(t, value);
    t->exchange.is_valid &= t->exchange.base != number;
    t->now.x[number] = value.class;
    if (t->emit)
        LLVMBuildStore(t->builder, value.scalar, t->x[number]);
}

LLVMValueRef blend_lanes(struct translator *t, LLVMValueRef value, LLVMValueRef kept)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef mask = load(t, t->vi32, t->mask);
    if (!t->host->has_one_nan || t->level->vector_bytes) { /* nans.c understands it; else it takes a predicate */
        LLVMValueRef is_active = LLVMBuildICmp(b, LLVMIntNE, mask, LLVMConstNull(t->vi32), "");
        return LLVMBuildSelect(b, is_active, value, kept, "");
    }
    mask = LLVMBuildSExt(b, mask, LLVMTypeOf(value), "");
    LLVMValueRef in = LLVMBuildAnd(b, value, mask, ""), out = LLVMBuildAnd(b, kept, LLVMBuildNot(b, mask, ""), "");
    return LLVMBuildOr(b, in, out, "");
}

/* Under a mask, waiting lanes keep the registers they need. */
void write_v(struct translator *t, unsigned number, struct value value)
{
    const bool blend = t->version == MASKED && in_v(&t->insts[t->at].keep, number);
    split_pair(t, number);
    value = as_word(t, value);
    LLVMValueRef blended = NULL;
    if (blend && t->emit) {
        struct value old = read_v(t, number);
        if (t->now.v[number].is_blended)
            old = vector(t, load(t, t->vi32, t->vv[number]));
        LLVMValueRef now = vector_of(t, value), before = vector_of(t, old);
        blended = cy_jit_broken(BLEND) ? now : blend_lanes(t, now, before);
    }
    t->now.v[number] = value.class;
    t->now.v[number].is_blended = blend && value.class.kind != VECTOR;
    t->now.v[number].is_line &= !blend;
    t->now.v[number].is_computed &= !blend;
    t->now.v[number].is_known &= !blend;
    t->now.v[number].is_bool &= !blend;
    if (blend && value.class.kind == VECTOR)
        t->now.v[number].table = 0;
    if (!t->emit)
        return;
    t->unblended[number] = blend && value.class.kind == VECTOR ? value.vector : NULL;
    if (t->now.v[number].is_known) {
        LLVMBuildStore(t->builder, value.all, t->vall[number]);
        LLVMBuildStore(t->builder, value.none, t->vnone[number]);
    }
    if (t->now.v[number].is_line) {
        LLVMBuildStore(t->builder, value.scalar, t->vs[number]);
        LLVMBuildStore(t->builder, value.step, t->vstep[number]);
    }
    if (value.class.kind != VECTOR)
        LLVMBuildStore(t->builder, value.scalar, place_of_scalar(t, number));
    if (blend || value.class.kind == VECTOR)
        LLVMBuildStore(t->builder, blend ? blended : value.vector, t->vv[number]);
}

/* ---- arithmetic ---- */

bool is_comparison(enum binary op)
{
    return op >= EQ;
}

uint64_t fold_binary(enum binary op, uint64_t a, uint64_t b, unsigned bits)
{
    const int64_t sa = (int64_t)(a << (64 - bits)) >> (64 - bits), sb = (int64_t)(b << (64 - bits)) >> (64 - bits);
    switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case SHL: return a << (b & (bits - 1));
    case LSHR: return a >> (b & (bits - 1));
    case ASHR: return (uint64_t)(sa >> (b & (bits - 1)));
    case EQ: return a == b;
    case NE: return a != b;
    case LT: return sa < sb;
    case LE: return sa <= sb;
    case GT: return sa > sb;
    case GE: return sa >= sb;
    case ULT: return a < b;
    case ULE: return a <= b;
    case UGT: return a > b;
    case UGE: return a >= b;
    }
    return 0;
}

LLVMValueRef build_binary(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context)
{
    static const LLVMIntPredicate predicates[] = {
        [EQ] = LLVMIntEQ,  [NE] = LLVMIntNE,   [LT] = LLVMIntSLT,  [LE] = LLVMIntSLE,  [GT] = LLVMIntSGT,
        [GE] = LLVMIntSGE, [ULT] = LLVMIntULT, [ULE] = LLVMIntULE, [UGT] = LLVMIntUGT, [UGE] = LLVMIntUGE};
    static const LLVMOpcode opcodes[] = {
        [ADD] = LLVMAdd, [SUB] = LLVMSub, [MUL] = LLVMMul,   [AND] = LLVMAnd,  [OR] = LLVMOr,
        [XOR] = LLVMXor, [SHL] = LLVMShl, [LSHR] = LLVMLShr, [ASHR] = LLVMAShr};
    const enum binary op = *(const enum binary *)context;
    if (cy_jit_broken(COMPARE) && is_vector && op == ULT)
        return LLVMBuildICmp(t->builder, LLVMIntSLT, operands[0], operands[1], "");
    (void)is_vector;
    if (is_comparison(op))
        return LLVMBuildICmp(t->builder, predicates[op], operands[0], operands[1], "");
    return LLVMBuildBinOp(t->builder, opcodes[op], operands[0], operands[1], "");
}

struct value lift(struct translator *t, make_fn *make, void *context, const struct value *operands, unsigned count)
{
    LLVMValueRef given[4] = {0};
    bool is_vector = false, in_group = true;
    for (unsigned i = 0; i < count; i++) {
        is_vector |= operands[i].class.kind != UNIFORM;
        in_group &= is_shared(&operands[i].class);
    }
    for (unsigned i = 0; i < count; i++)
        given[i] = is_vector ? vector_of(t, operands[i]) : scalar_of(t, operands[i]);
    LLVMValueRef made = t->emit ? make(t, given, is_vector, context) : NULL;
    return is_vector ? vector(t, made) : uniform(t, made, in_group);
}

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* Affine in, affine out; false: not for this operation. */
static bool combine(struct translator *t, enum binary op, const struct value *a, const struct value *b,
                    struct value *result)
{
    const struct class *x = &a->class, *y = &b->class;
    const bool in_group = x->in_group && y->in_group;
    enum binary name = op;
    LLVMValueRef operands[2];
    operands[0] = scalar_of(t, *a);
    operands[1] = scalar_of(t, *b);
    uint32_t stride = 0, item = 0, lane = 0;
    unsigned align = 0, shared = 0;
    bool is_item = false;
    const unsigned x_shared = is_shared(x) ? x->align : x->group_align,
                   y_shared = is_shared(y) ? y->align : y->group_align;
    if (x->kind == VECTOR || y->kind == VECTOR)
        return false;
    if (op == ADD || op == SUB) {
        stride = op == ADD ? x->stride + y->stride : x->stride - y->stride;
        item = op == ADD ? x->item_factor + y->item_factor : x->item_factor - y->item_factor;
        lane = op == ADD ? x->lane_factor + y->lane_factor : x->lane_factor - y->lane_factor;
        align = smaller(x->align, y->align);
        is_item = op == ADD && x->is_item && y->is_item && item == 1 && !lane;
        shared = smaller(x_shared, y_shared);
    } else if (op == MUL && (y->is_const || x->is_const)) {
        const struct class *by = y->is_const ? y : x, *what = y->is_const ? x : y;
        stride = what->stride * by->constant;
        item = what->item_factor * by->constant;
        lane = what->lane_factor * by->constant;
        align = smaller(31, (unsigned)what->align + by->align);
        shared = smaller(31, (what == x ? x_shared : y_shared) + by->align);
    } else if (op == SHL && y->is_const) {
        stride = x->stride << (y->constant & 31);
        item = x->item_factor << (y->constant & 31);
        lane = x->lane_factor << (y->constant & 31);
        align = smaller(31, x->align + (y->constant & 31));
        shared = smaller(31, x_shared + (y->constant & 31));
    } else {
        return false;
    }
    *result = affine(t, t->emit ? build_binary(t, operands, false, &name) : NULL, stride, align, in_group);
    result->class.item_factor = item;
    result->class.lane_factor = lane;
    result->class.group_align = (uint8_t)shared;
    result->class.is_item = is_item;
    return true;
}

/* Comparing numbers that count up alike from bases with enough low zero bits compares the bases: the carries of 64-bit
 * work-item ids. */
static bool compare_bases(struct translator *t, enum binary op, struct value a, struct value b, struct value *result)
{
    const struct class x = a.class, y = b.class;
    const uint64_t way = (uint64_t)x.stride * (t->lanes - 1), group_way = way + (uint64_t)x.stride * last_item(t);
    if (op == ULT && y.is_const && !y.constant) {
        *result = constant(t, 0);
        return true;
    }
    if (!is_comparison(op) || x.kind != AFFINE || y.kind != AFFINE || x.stride != y.stride ||
        way >= 1ull << smaller(x.align, y.align))
        return false;
    a.class = b.class = (struct class){.kind = UNIFORM};
    const struct value both[] = {a, b};
    *result = lift(t, build_binary, &op, both, 2);
    result->is_bit = true;
    result->class.in_group = x.in_group && y.in_group && x.item_factor == x.stride && y.item_factor == x.stride &&
                             !x.lane_factor && !y.lane_factor && !t->varying[t->at] &&
                             group_way < 1ull << smaller(x.group_align, y.group_align);
    return true;
}

/* Numbers that count up from a base with enough low zero bits: the bits of base and steps do not meet, so that a mask, or a shift,
 * takes of each what it takes of the sum.  Numbers of lanes and warps within a workgroup are computed like this. */
static bool take_bits(struct translator *t, enum binary op, struct value a, struct value b, struct value *result)
{
    if (op == AND && a.class.is_const) {
        const struct value swapped = a;
        a = b;
        b = swapped;
    }
    const struct class *x = &a.class;
    const uint64_t way = (uint64_t)x->stride * (t->w - 1);
    if (x->kind != AFFINE || x->pointer || !b.class.is_const || b.class.pointer || way >= 1ull << x->align)
        return false;
    unsigned bits = 0;
    while (way >> bits)
        bits++;
    const uint32_t low = (uint32_t)((1ull << bits) - 1), number = b.class.constant;
    if (op == AND && (number & low) == low) {
        *result = affine(t, NULL, x->stride, x->align, false);
    } else if (op == AND && !(number & ~low)) {
        uint32_t lanes[CY_JIT_MAX_STRIP];
        for (uint32_t i = 0; i < t->w; i++)
            lanes[i] = x->stride * i & number;
        *result = table_value(t, lanes);
        return true;
    } else if ((op == LSHR || op == ASHR) && (number & 31) >= bits) {
        *result = uniform(t, NULL, false);
    } else {
        return false;
    }
    LLVMValueRef operands[2];
    operands[0] = scalar_of(t, a);
    operands[1] = scalar_of(t, b);
    result->scalar = t->emit ? build_binary(t, operands, false, &op) : NULL;
    return true;
}

/* ---- lines ---- */

static LLVMValueRef step_of(struct translator *t, const struct value *value)
{
    return value->class.is_line ? value->step : number32(t, value->class.kind == AFFINE ? value->class.stride : 0);
}

/* The vector `result` of an operation is a line, too, if its operands are: rows of a matrix whose width is an argument. */
static void keep_line(struct translator *t, enum binary op, const struct value *a, const struct value *b,
                      struct value *result)
{
    const bool is_line_a = a->class.kind != VECTOR || a->class.is_line;
    const bool is_line_b = b->class.kind != VECTOR || b->class.is_line;
    const bool by_uniform = a->class.kind == UNIFORM || b->class.kind == UNIFORM;
    const bool is_sum = op == ADD || op == SUB, is_product = op == MUL && by_uniform;
    if (result->class.kind != VECTOR || t->version == ALONE || !is_line_a || !is_line_b ||
        !(is_sum || is_product || (op == SHL && b->class.kind == UNIFORM)))
        return;
    result->class.is_line = true;
    if (!t->emit)
        return;
    const struct value *by = a->class.kind == UNIFORM ? a : b, *line = by == a ? b : a;
    LLVMValueRef bases[2], steps[2];
    bases[0] = scalar_of(t, *a);
    bases[1] = scalar_of(t, *b);
    steps[0] = step_of(t, is_sum ? a : line); /* of a product only one side has a step */
    steps[1] = is_sum ? step_of(t, b) : scalar_of(t, *by);
    result->scalar = build_binary(t, bases, false, &op);
    result->step = build_binary(t, steps, false, &op);
}

/* ---- conditions ---- */

/* Lanes of an affine value are compared with one number.  As long as the lanes do not wrap around, their results change at
 * most once, so that the first and the last lane tell about all. */
static void compare_ends(struct translator *t, enum binary op, const struct value *a, const struct value *b,
                         struct value *result)
{
    const bool is_left = a->class.kind == AFFINE, is_signed = op >= LT && op <= GE;
    const struct value *line = is_left ? a : b, *other = is_left ? b : a;
    const int64_t way = (int64_t)(int32_t)line->class.stride * (t->lanes - 1);
    if (line->class.kind != AFFINE || other->class.kind != UNIFORM || way != (int32_t)way)
        return;
    result->class.is_known = true;
    if (!t->emit)
        return;
    LLVMValueRef first = scalar_of(t, *line), number = scalar_of(t, *other);
    LLVMValueRef last = LLVMBuildAdd(t->builder, first, number32(t, (uint32_t)way), "");
    LLVMValueRef low = way > 0 ? first : last, high = way > 0 ? last : first;
    const LLVMIntPredicate above = is_signed || op <= NE ? LLVMIntSGE : LLVMIntUGE;
    LLVMValueRef straight = LLVMBuildICmp(t->builder, above, high, low, "");
    if (op == EQ || op == NE) {
        LLVMValueRef below = LLVMBuildICmp(t->builder, LLVMIntSLT, number, low, "");
        LLVMValueRef outside =
            LLVMBuildOr(t->builder, below, LLVMBuildICmp(t->builder, LLVMIntSGT, number, high, ""), "");
        outside = LLVMBuildAnd(t->builder, outside, straight, "");
        result->none = op == EQ ? outside : LLVMConstNull(t->i1);
        result->all = op == EQ ? LLVMConstNull(t->i1) : outside;
        return;
    }
    LLVMValueRef at_first[2], at_last[2];
    at_first[!is_left] = first;
    at_last[!is_left] = last;
    at_first[is_left] = at_last[is_left] = number;
    LLVMValueRef one = build_binary(t, at_first, false, &op);
    LLVMValueRef two = build_binary(t, at_last, false, &op);
    LLVMValueRef both = LLVMBuildAnd(t->builder, one, two, ""), either = LLVMBuildOr(t->builder, one, two, "");
    result->all = LLVMBuildAnd(t->builder, both, straight, "");
    result->none = LLVMBuildAnd(t->builder, LLVMBuildNot(t->builder, either, ""), straight, "");
}

/* What is known of a truth value's lanes. */
static struct value with_knowledge(struct translator *t, struct value value)
{
    if (!t->emit || value.class.is_known)
        return value;
    value.all = value.none = LLVMConstNull(t->i1);
    if (value.class.kind != UNIFORM)
        return value;
    value.none = LLVMBuildICmp(t->builder, LLVMIntEQ, scalar_of(t, value), number32(t, 0), "");
    value.all = LLVMBuildNot(t->builder, value.none, "");
    return value;
}

static void combine_knowledge(struct translator *t, enum binary op, struct value a, struct value b,
                              struct value *result)
{
    op = op == MUL ? AND : op;
    if (a.class.is_const) { /* all of these commute */
        const struct value swapped = a;
        a = b;
        b = swapped;
    }
    const bool is_test = (op == EQ || op == NE) && b.class.is_const && !b.class.constant;
    const bool is_not = op == XOR && b.class.is_const && b.class.constant == 1;
    if (result->class.kind != VECTOR || !is_boolean(&a.class) || !is_boolean(&b.class) ||
        !(op == AND || op == OR || is_test || is_not))
        return;
    result->class.is_bool = true;
    result->class.is_known = a.class.is_known || (b.class.is_known && !is_test && !is_not);
    if (!t->emit || !result->class.is_known)
        return;
    a = with_knowledge(t, a);
    if (is_test || is_not) {
        result->all = op == NE ? a.all : a.none;
        result->none = op == NE ? a.none : a.all;
        return;
    }
    b = with_knowledge(t, b);
    result->all = LLVMBuildBinOp(t->builder, op == AND ? LLVMAnd : LLVMOr, a.all, b.all, "");
    result->none = LLVMBuildBinOp(t->builder, op == AND ? LLVMOr : LLVMAnd, a.none, b.none, "");
}

/* ---- the size of the workgroup ---- */

/* All workgroups are whole, and the range has less than 2^32 work-items in this dimension.  Only sub-group functions, which ask
 * many times, are worth it: a reduction in local memory, whose first step then has a code of its own, took 18 % longer. */
bool is_below_range(const struct translator *t, const struct class *class)
{
    const unsigned high = CY_JIT_GLOBAL_SIZE_HIGH + class->dimension;
    return class->origin && t->in_lockstep && t->request->whole && t->request->known >> high & 1 &&
           !t->request->metadata[high];
}

/* get_local_size is the smaller one of the local size and what is left of the range, which is then at least as much. */
static bool compare_with_rest(struct translator *t, enum binary op, const struct class *x, const struct class *y,
                              struct value *result)
{
    const bool is_borrow = x->origin == GLOBAL_SIZE && y->origin == GROUP_START && x->dimension == y->dimension;
    const bool is_minimum =
        x->origin == GROUP_REST && y->is_const && !y->pointer && y->constant <= t->request->local[x->dimension];
    if (op != ULT || !is_below_range(t, x) || !(is_borrow || is_minimum))
        return false;
    *result = constant(t, 0);
    return true;
}

static void find_origin(const struct translator *t, enum binary op, const struct class *x, const struct class *y,
                        struct class *result)
{
    if (x->is_const && op != SUB) {
        const struct class *other = x;
        x = y;
        y = other;
    }
    if (!is_below_range(t, x) || result->is_const)
        return;
    enum origin origin = NO_ORIGIN;
    if (op == ADD && y->is_const && !y->pointer && !y->constant)
        origin = x->origin;
    else if (op == MUL && x->origin == GROUP_NUMBER && y->is_const && y->constant == t->request->local[x->dimension])
        origin = GROUP_START;
    else if (op == SUB && x->origin == GLOBAL_SIZE && y->origin == GROUP_START && x->dimension == y->dimension)
        origin = GROUP_REST;
    result->origin = (uint8_t)origin;
    result->dimension = origin ? x->dimension : 0;
}

static struct value binary_value(struct translator *t, enum binary op, struct value a, struct value b);

struct value binary(struct translator *t, enum binary op, struct value a, struct value b)
{
    struct value result;
    if (compare_with_rest(t, op, &a.class, &b.class, &result))
        return result;
    result = binary_value(t, op, a, b);
    find_origin(t, op, &a.class, &b.class, &result.class);
    return result;
}

static struct value binary_value(struct translator *t, enum binary op, struct value a, struct value b)
{
    a = as_word(t, a);
    b = as_word(t, b);
    const struct class *x = &a.class, *y = &b.class;
    uint32_t lanes[2][CY_JIT_MAX_STRIP];
    struct value result;
    if (op == XOR && y->is_const && y->constant == UINT32_MAX && (x->kind == AFFINE || x->is_line))
        return binary_value(t, SUB, b, a); /* compilers write n - 1 - i as n + ~i */
    if (x->is_const && y->is_const) {
        result = constant(t, (uint32_t)fold_binary(op, x->constant, y->constant, 32));
    } else if (known_lanes(t, x, lanes[0]) && known_lanes(t, y, lanes[1])) {
        for (unsigned i = 0; i < t->w; i++)
            lanes[0][i] = (uint32_t)fold_binary(op, lanes[0][i], lanes[1][i], 32);
        result = table_value(t, lanes[0]);
    } else if (op == ADD && ((x->pointer && y->is_const) || (y->pointer && x->is_const))) {
        result = x->pointer ? a : b;
        result.class.constant += x->pointer ? y->constant : x->constant;
        result.scalar = pointer_value(t, &result.class);
        return result;
    } else if (!compare_bases(t, op, a, b, &result) && !combine(t, op, &a, &b, &result) &&
               !take_bits(t, op, a, b, &result)) {
        const struct value both[] = {a, b};
        result = lift(t, build_binary, &op, both, 2);
        result.is_bit = is_comparison(op);
        keep_line(t, op, &a, &b, &result);
        result.class.is_bool = is_comparison(op);
        if (result.class.kind == VECTOR && is_comparison(op))
            compare_ends(t, op, &a, &b, &result);
        combine_knowledge(t, op, a, b, &result);
        if (op == AND && (x->is_const || y->is_const) && result.class.kind == UNIFORM)
            result.class.align = x->is_const ? x->align : y->align;
        return result;
    }
    return result;
}

static LLVMValueRef build_choice(struct translator *t, LLVMValueRef *operands, bool is_vector, void *context)
{
    (void)context;
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    LLVMValueRef condition = LLVMBuildICmp(t->builder, LLVMIntNE, operands[0], LLVMConstNull(type), "");
    (void)is_vector;
    return LLVMBuildSelect(t->builder, condition, operands[1], operands[2], "");
}

struct value choose(struct translator *t, struct value condition, struct value a, struct value b)
{
    if (condition.class.is_const)
        return condition.class.constant ? a : b;
    struct value all[3] = {condition, a, b};
    uint32_t lanes[3][CY_JIT_MAX_STRIP];
    bool is_known = true;
    for (size_t i = 0; i < CY_COUNT(all); i++) {
        all[i] = as_word(t, all[i]);
        is_known &= known_lanes(t, &all[i].class, lanes[i]);
    }
    for (unsigned i = 0; is_known && i < t->w; i++)
        lanes[0][i] = lanes[lanes[0][i] ? 1 : 2][i];
    return is_known ? table_value(t, lanes[0]) : lift(t, build_choice, NULL, all, 3);
}
