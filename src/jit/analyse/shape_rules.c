/* What is known of a result by what is known of its arguments.
 *
 * The base of a result is what the operation gives for the arguments' bases, as both are what lane 0 has: a rule only says what the
 * other lanes have.  Many stand on this: if the base is a multiple of 2^k, and no lane is 2^k or more above it, then the lanes' bits
 * below k are those of stride x lane, and the others are the base's. */
#include "jit/analyse/shape_priv.h"

#include <string.h>

enum { MOST_ALIGN = 63 };

struct rule {
    struct cy_sir_shapes *shapes;
    enum cy_sir_op op;
    enum cy_sir_type type; /* of the result */
    unsigned bits;         /* of the first argument */
    uint64_t mask;         /* of the result's type */
    uint32_t lanes;        /* of the strip */
};

static uint64_t mask_of(enum cy_sir_type type)
{
    const unsigned bits = cy_sir_bits(type);
    return bits < 64 ? (1ull << bits) - 1 : UINT64_MAX;
}

static uint8_t zeros_of(uint64_t number)
{
    return (uint8_t)(number ? __builtin_ctzll(number) : MOST_ALIGN);
}

static uint8_t least(uint8_t a, uint8_t b)
{
    return a < b ? a : b;
}

struct cy_sir_shape cy_shape_lanes(void)
{
    return (struct cy_sir_shape){.kind = CY_SIR_SHAPE_LANES};
}

struct cy_sir_shape cy_shape_constant(enum cy_sir_type type, uint64_t number)
{
    number &= mask_of(type);
    return (struct cy_sir_shape){.kind = CY_SIR_SHAPE_ONE,
                                 .align = zeros_of(number),
                                 .is_const = true,
                                 .is_boolean = number <= 1,
                                 .in_group = true,
                                 .constant = number};
}

static bool is_known(const struct cy_sir_shape *shape)
{
    return shape->is_const && !shape->origin && shape->kind == CY_SIR_SHAPE_ONE;
}

bool cy_shape_is_equal(const struct cy_sir_shape *a, const struct cy_sir_shape *b)
{
    return a->kind == b->kind && a->origin == b->origin && a->align == b->align && a->is_const == b->is_const &&
           a->is_boolean == b->is_boolean && a->is_for_active == b->is_for_active && a->is_computed == b->is_computed &&
           a->in_group == b->in_group && a->table == b->table && a->constant == b->constant && a->stride == b->stride &&
           a->item_factor == b->item_factor && a->lane_factor == b->lane_factor;
}

/* ---- where ways meet ---- */

/* One number, consecutive ones, or addresses of consecutive words, or what was computed from such: not from other strides. */
static bool is_from_ids(const struct cy_sir_shape *shape)
{
    if (shape->kind == CY_SIR_SHAPE_LANES)
        return shape->is_computed;
    return shape->kind != CY_SIR_SHAPE_EVEN || shape->stride == 1 || shape->stride == 4;
}

/* Strips may have come different ways: they only share what is the same on all of them. */
struct cy_sir_shape cy_shape_meet(const struct cy_sir_shape *a, const struct cy_sir_shape *b)
{
    struct cy_sir_shape both = *a;
    if (a->kind == CY_SIR_SHAPE_NONE || b->kind == CY_SIR_SHAPE_NONE)
        return a->kind == CY_SIR_SHAPE_NONE ? *b : *a;
    both.is_boolean = a->is_boolean && b->is_boolean;
    both.is_for_active = a->is_for_active || b->is_for_active;
    both.table = a->table == b->table ? a->table : 0;
    if (a->kind != b->kind || a->stride != b->stride || a->kind == CY_SIR_SHAPE_LANES)
        return (struct cy_sir_shape){.kind = CY_SIR_SHAPE_LANES,
                                     .is_boolean = both.is_boolean,
                                     .is_for_active = both.is_for_active,
                                     .is_computed = is_from_ids(a) && is_from_ids(b),
                                     .table = both.table};
    both.align = least(a->align, b->align);
    if (a->is_const && b->is_const && a->constant == b->constant && a->origin == b->origin)
        return both;
    both.origin = CY_SIR_ORIGIN_NONE;
    both.is_const = both.in_group = false;
    both.table = 0;
    both.constant = both.item_factor = both.lane_factor = 0;
    return both;
}

/* Of what is looked at once more: strips share what they share by both. */
struct cy_sir_shape cy_shape_weaken(const struct cy_sir_shape *before, const struct cy_sir_shape *now)
{
    struct cy_sir_shape both = cy_shape_meet(before, now);
    if (before->kind == both.kind && now->kind == both.kind && before->in_group && now->in_group &&
        before->item_factor == now->item_factor && before->lane_factor == now->lane_factor) {
        both.in_group = true;
        both.item_factor = now->item_factor;
        both.lane_factor = now->lane_factor;
    }
    return both;
}

/* ---- sources ---- */

/* A strip of 0 lanes has not been chosen yet. */
static uint8_t align_of_item(const struct cy_sir_strip *strip)
{
    if (!strip->lanes)
        return 0;
    return zeros_of(strip->row == strip->items ? strip->lanes : strip->lanes | strip->row);
}

/* Numbers of the strip's work-items, in the workgroup or in the warp. */
static struct cy_sir_shape numbers(const struct cy_sir_func *func, uint64_t item_factor, uint64_t lane_factor)
{
    const struct cy_sir_strip *strip = &func->strip;
    struct cy_sir_shape shape = {.kind = strip->lanes == 1 ? CY_SIR_SHAPE_ONE : CY_SIR_SHAPE_EVEN,
                                 .align = align_of_item(strip),
                                 .in_group = true,
                                 .stride = strip->lanes != 1,
                                 .item_factor = item_factor,
                                 .lane_factor = lane_factor};
    const bool is_first = strip->lanes >= strip->items || (lane_factor && strip->lanes == func->threads);
    if (!is_first)
        return shape;
    shape.is_const = true;
    shape.align = MOST_ALIGN;
    shape.item_factor = shape.lane_factor = 0;
    return shape;
}

static struct cy_sir_shape shared(void)
{
    return (struct cy_sir_shape){.kind = CY_SIR_SHAPE_ONE, .in_group = true};
}

struct cy_sir_shape cy_shape_source(const struct cy_sir_func *func, enum cy_sir_source source)
{
    struct cy_sir_shape shape = shared();
    const bool is_first = func->strip.items <= func->threads; /* and only warp */
    switch (source) {
    case CY_SIR_SOURCE_EXISTS: return (struct cy_sir_shape){.kind = CY_SIR_SHAPE_LANES, .is_boolean = true};
    case CY_SIR_SOURCE_ITEM: return numbers(func, 1, 0);
    case CY_SIR_SOURCE_LANE: return func->strip.straddles ? cy_shape_lanes() : numbers(func, 0, 1);
    case CY_SIR_SOURCE_TID:
    case CY_SIR_SOURCE_WARP:
        if (is_first)
            return cy_shape_constant(CY_SIR_I32, 0);
        if (func->strip.straddles)
            return cy_shape_lanes();
        shape.in_group = source == CY_SIR_SOURCE_TID;
        shape.align = source == CY_SIR_SOURCE_TID ? zeros_of(func->threads) : 0;
        shape.item_factor = shape.in_group ? 1 : 0;
        shape.lane_factor = shape.in_group && func->strip.lanes != func->threads ? UINT64_MAX : 0;
        return shape;
    case CY_SIR_SOURCE_METADATA:
        shape.origin = CY_SIR_ORIGIN_METADATA;
        shape.is_const = true;
        return shape;
    default: return shape;
    }
}

/* ---- lanes whose numbers are known ---- */

enum { MOST_LANES = 64 };

static uint32_t lane_count(const struct cy_sir_shapes *shapes)
{
    const uint32_t lanes = shapes->func->strip.lanes;
    return lanes ? lanes : MOST_LANES;
}

static bool are_lanes_known(const struct cy_sir_shape *shape)
{
    return shape->table || (shape->kind != CY_SIR_SHAPE_LANES && shape->is_const && !shape->origin);
}

static uint64_t in_lane(const struct cy_sir_shapes *shapes, const struct cy_sir_shape *shape, uint32_t lane)
{
    return shape->table ? shapes->tables.at[shape->table - 1][lane] : shape->constant + shape->stride * lane;
}

static uint32_t table_of(struct cy_sir_shapes *shapes, const uint64_t *lanes)
{
    enum { MOST = 1 << 12 };
    const size_t size = lane_count(shapes) * sizeof(*lanes);
    for (size_t i = 0; i < shapes->tables.count; i++)
        if (memcmp(shapes->tables.at[i], lanes, size) == 0)
            return (uint32_t)i + 1;
    if (shapes->tables.count == MOST)
        return 0;
    *cy_vec_push(&shapes->tables) = memcpy(cy_arena_alloc(shapes->arena, size), lanes, size);
    return (uint32_t)shapes->tables.count;
}

/* Is the difference from lane to lane the same? */
static bool is_even(const struct rule *rule, const uint64_t *lanes)
{
    for (uint32_t i = 2; i < rule->lanes; i++)
        if ((lanes[i] - lanes[i - 1] - lanes[1] + lanes[0]) & rule->mask)
            return false;
    return true;
}

static struct cy_sir_shape of_table(const struct rule *rule, const uint64_t *lanes)
{
    struct cy_sir_shape shape = cy_shape_constant(rule->type, lanes[0]);
    for (uint32_t i = 0; i < rule->lanes; i++)
        shape.is_boolean &= lanes[i] <= 1;
    const uint64_t stride = rule->lanes > 1 ? (lanes[1] - lanes[0]) & rule->mask : 0;
    if (is_even(rule, lanes) && (!stride || rule->type != CY_SIR_I1)) {
        shape.kind = stride ? CY_SIR_SHAPE_EVEN : CY_SIR_SHAPE_ONE;
        shape.stride = stride;
        return shape;
    }
    return (struct cy_sir_shape){
        .kind = CY_SIR_SHAPE_LANES, .is_boolean = shape.is_boolean, .table = table_of(rule->shapes, lanes)};
}

static bool fold_lanes(const struct rule *rule, enum cy_sir_type of, const struct cy_sir_shape *args, unsigned count,
                       struct cy_sir_shape *result)
{
    uint64_t lanes[MOST_LANES], a[3] = {0};
    bool are_known = count && cy_sir_folds(rule->op);
    for (unsigned k = 0; k < count; k++)
        are_known &= are_lanes_known(&args[k]);
    for (uint32_t i = 0; are_known && i < rule->lanes; i++) {
        for (unsigned k = 0; k < count; k++)
            a[k] = in_lane(rule->shapes, &args[k], i) & (rule->op == CY_SIR_SELECT && !k ? 1 : mask_of(of));
        lanes[i] = cy_sir_fold(rule->op, rule->type, of, a[0], a[1], a[2]);
    }
    if (are_known)
        *result = of_table(rule, lanes);
    return are_known;
}

/* ---- the bits of even lanes ---- */

/* No lane is 2^low or more above the base, which is a multiple of that; 64: this is not so. */
static unsigned low_bits(const struct rule *rule, const struct cy_sir_shape *shape)
{
    enum { FAR = 1 << 20 };
    if (shape->stride >= FAR)
        return 64;
    const uint64_t span = shape->stride * (rule->lanes - 1);
    const unsigned low = span ? 64 - (unsigned)__builtin_clzll(span) : 0;
    return shape->align >= low && low < rule->bits ? low : 64;
}

static struct cy_sir_shape even(const struct cy_sir_shape *like, uint64_t stride, uint8_t align)
{
    return (struct cy_sir_shape){.kind = stride ? CY_SIR_SHAPE_EVEN : CY_SIR_SHAPE_ONE,
                                 .align = align,
                                 .is_for_active = like->is_for_active,
                                 .stride = stride};
}

/* Bits of the lanes' numbers that do not depend on the base. */
static struct cy_sir_shape of_lowest_bits(const struct rule *rule, uint64_t stride, uint64_t mask)
{
    uint64_t lanes[MOST_LANES];
    for (uint32_t i = 0; i < rule->lanes; i++)
        lanes[i] = stride * i & mask;
    return of_table(rule, lanes);
}

/* With a known mask: what it leaves of stride x lane must be even again. */
static struct cy_sir_shape of_mask(const struct rule *rule, const struct cy_sir_shape *a, const struct cy_sir_shape *b)
{
    const unsigned low = low_bits(rule, a);
    const uint64_t first = a->stride & b->constant;
    if (!is_known(b) || low == 64)
        return cy_shape_lanes();
    if (!(b->constant >> a->align))
        return of_lowest_bits(rule, a->stride, b->constant);
    for (uint32_t i = 0; i < rule->lanes; i++)
        if ((a->stride * i & b->constant) != first * i)
            return cy_shape_lanes();
    return even(a, first, a->align > b->align ? a->align : b->align);
}

/* The other one has none of the bits in which lanes differ: the bits of both, or their difference. */
static struct cy_sir_shape of_bits(const struct rule *rule, const struct cy_sir_shape *a, const struct cy_sir_shape *b)
{
    const unsigned low = low_bits(rule, a);
    if (b->kind != CY_SIR_SHAPE_ONE || low == 64 || b->align < low)
        return cy_shape_lanes();
    return even(a, a->stride, least(a->align, b->align));
}

static struct cy_sir_shape of_right_shift(const struct rule *rule, const struct cy_sir_shape *a,
                                          const struct cy_sir_shape *b)
{
    const unsigned low = low_bits(rule, a), by = (unsigned)b->constant & (rule->bits - 1);
    if (!is_known(b) || low == 64 || (by < low && a->stride & ((1ull << by) - 1)))
        return cy_shape_lanes();
    const uint8_t align = (uint8_t)(a->align > by ? a->align - by : 0);
    return even(a, by < low ? a->stride >> by : 0, align);
}

/* Division by a multiple of 2^low. */
static struct cy_sir_shape of_division(const struct rule *rule, const struct cy_sir_shape *a,
                                       const struct cy_sir_shape *b)
{
    const unsigned low = low_bits(rule, a);
    const bool is_remainder = rule->op == CY_SIR_REMU;
    if (!is_known(b) || !b->constant || low == 64 || b->align < low)
        return cy_shape_lanes();
    return even(a, is_remainder ? a->stride : 0, is_remainder ? least(a->align, b->align) : 0);
}

/* ---- sums and products ---- */

static void add_factors(struct cy_sir_shape *sum, const struct cy_sir_shape *a, const struct cy_sir_shape *b,
                        uint64_t of_b)
{
    sum->in_group = a->in_group && b->in_group;
    sum->item_factor = sum->in_group ? a->item_factor + of_b * b->item_factor : 0;
    sum->lane_factor = sum->in_group ? a->lane_factor + of_b * b->lane_factor : 0;
}

static struct cy_sir_shape of_sum(const struct rule *rule, const struct cy_sir_shape *a, const struct cy_sir_shape *b)
{
    const uint64_t sign = rule->op == CY_SIR_SUB ? 0ull - 1 : 1;
    struct cy_sir_shape sum = even(a, (a->stride + sign * b->stride) & rule->mask, least(a->align, b->align));
    add_factors(&sum, a, b, sign);
    if (a->is_const && b->is_const && !(a->origin && b->origin) && !(b->origin && sign != 1)) {
        sum.is_const = true;
        sum.origin = a->origin | b->origin;
        sum.constant = (a->constant + sign * b->constant) & rule->mask;
    }
    return sum;
}

static struct cy_sir_shape times(const struct rule *rule, const struct cy_sir_shape *a, uint64_t factor)
{
    const unsigned align = a->align + zeros_of(factor);
    struct cy_sir_shape product =
        even(a, a->stride * factor & rule->mask, (uint8_t)(align < MOST_ALIGN ? align : MOST_ALIGN));
    product.in_group = a->in_group;
    product.item_factor = a->item_factor * factor;
    product.lane_factor = a->lane_factor * factor;
    return product;
}

static struct cy_sir_shape of_product(const struct rule *rule, const struct cy_sir_shape *a,
                                      const struct cy_sir_shape *b)
{
    if (rule->op == CY_SIR_SHL)
        return is_known(b) ? times(rule, a, 1ull << (b->constant & (rule->bits - 1))) : cy_shape_lanes();
    if (is_known(b) || is_known(a))
        return is_known(b) ? times(rule, a, b->constant) : times(rule, b, a->constant);
    return cy_shape_lanes();
}

/* ---- other types ---- */

/* Of numbers that do not overflow the smaller type. */
static struct cy_sir_shape of_extension(const struct rule *rule, const struct cy_sir_shape *a)
{
    struct cy_sir_shape shape = *a;
    if (low_bits(rule, a) == 64)
        return cy_shape_lanes();
    shape.in_group = false;
    shape.item_factor = shape.lane_factor = 0;
    shape.is_const = false;
    shape.origin = CY_SIR_ORIGIN_NONE;
    shape.table = 0;
    shape.constant = 0;
    return shape;
}

static struct cy_sir_shape of_lower_part(const struct rule *rule, const struct cy_sir_shape *a)
{
    struct cy_sir_shape shape = even(a, a->stride & rule->mask, a->align);
    shape.in_group = a->in_group;
    shape.item_factor = a->item_factor;
    shape.lane_factor = a->lane_factor;
    return shape;
}

static struct cy_sir_shape of_high_word(const struct rule *rule, const struct cy_sir_shape *a)
{
    return low_bits(rule, a) <= 32 ? even(a, 0, 0) : cy_shape_lanes();
}

static struct cy_sir_shape of_pair(const struct cy_sir_shape *low, const struct cy_sir_shape *extended,
                                   const struct cy_sir_shape *high)
{
    if (high->kind != CY_SIR_SHAPE_ONE || extended->kind == CY_SIR_SHAPE_LANES)
        return cy_shape_lanes();
    return even(low, low->stride, low->align);
}

static struct cy_sir_shape of_selection(const struct cy_sir_shape *args)
{
    struct cy_sir_shape shape = cy_shape_meet(&args[1], &args[2]);
    if (args[0].kind == CY_SIR_SHAPE_LANES) {
        shape = cy_shape_lanes();
        shape.is_boolean = args[1].is_boolean && args[2].is_boolean;
    }
    shape.table = 0;
    shape.is_const = false;
    shape.origin = CY_SIR_ORIGIN_NONE;
    shape.in_group = false;
    shape.constant = shape.item_factor = shape.lane_factor = 0;
    return shape;
}

/* ---- all of them ---- */

static struct cy_sir_shape of_even(const struct rule *rule, const struct cy_sir_shape *args)
{
    const struct cy_sir_shape *a = &args[0], *b = &args[1];
    struct cy_sir_shape extended;
    switch (rule->op) {
    case CY_SIR_COPY: return *a;
    case CY_SIR_ADD:
    case CY_SIR_SUB: return of_sum(rule, a, b);
    case CY_SIR_MUL:
    case CY_SIR_SHL: return of_product(rule, a, b);
    case CY_SIR_AND: return a->kind == CY_SIR_SHAPE_EVEN ? of_mask(rule, a, b) : of_mask(rule, b, a);
    case CY_SIR_OR:
    case CY_SIR_XOR: return a->kind == CY_SIR_SHAPE_EVEN ? of_bits(rule, a, b) : of_bits(rule, b, a);
    case CY_SIR_SHRU:
    case CY_SIR_SHRS: return of_right_shift(rule, a, b);
    case CY_SIR_DIVU:
    case CY_SIR_REMU: return of_division(rule, a, b);
    case CY_SIR_ZEXT:
    case CY_SIR_SEXT: return of_extension(rule, a);
    case CY_SIR_TRUNC:
    case CY_SIR_LOW: return of_lower_part(rule, a);
    case CY_SIR_HIGH: return of_high_word(rule, a);
    case CY_SIR_PAIR: extended = of_extension(rule, a); return of_pair(a, &extended, b);
    default: return cy_shape_lanes();
    }
}

/* One number in all lanes: what is left to know is whether it is a multiple of something. */
static struct cy_sir_shape of_one(const struct rule *rule, const struct cy_sir_shape *args, unsigned count)
{
    struct cy_sir_shape shape = even(&args[0], 0, 0);
    const struct cy_sir_shape *a = &args[0], *b = &args[1];
    shape.in_group = true;
    for (unsigned k = 0; k < count; k++)
        shape.in_group &= args[k].in_group && !args[k].item_factor && !args[k].lane_factor;
    switch (rule->op) {
    case CY_SIR_AND: shape.align = a->align > b->align ? a->align : b->align; break;
    case CY_SIR_OR:
    case CY_SIR_XOR: shape.align = least(a->align, b->align); break;
    case CY_SIR_MUL: shape.align = least(MOST_ALIGN, (uint8_t)(a->align + b->align)); break;
    case CY_SIR_SHL: shape.align = a->align; break;
    case CY_SIR_ZEXT:
    case CY_SIR_SEXT: shape.align = a->align; break;
    case CY_SIR_SELECT: shape.align = least(args[1].align, args[2].align); break;
    default: break;
    }
    return shape;
}

static bool is_boolean(enum cy_sir_op op, enum cy_sir_type type, const struct cy_sir_shape *args)
{
    switch (op) {
    case CY_SIR_AND: return args[0].is_boolean || args[1].is_boolean;
    case CY_SIR_OR:
    case CY_SIR_XOR: return args[0].is_boolean && args[1].is_boolean;
    case CY_SIR_SELECT: return args[1].is_boolean && args[2].is_boolean;
    case CY_SIR_COPY:
    case CY_SIR_ZEXT:
    case CY_SIR_TRUNC: return args[0].is_boolean;
    default: return type == CY_SIR_I1;
    }
}

static bool is_linear(enum cy_sir_op op, const struct cy_sir_shape *args)
{
    switch (op) {
    case CY_SIR_COPY:
    case CY_SIR_ADD:
    case CY_SIR_SUB:
    case CY_SIR_TRUNC:
    case CY_SIR_LOW: return true;
    case CY_SIR_SHL: return is_known(&args[1]);
    case CY_SIR_MUL: return is_known(&args[0]) || is_known(&args[1]);
    default: return false;
    }
}

/* Numbers times one that is only known when the code runs are as far apart as that says. */
static bool is_computed(enum cy_sir_op op, const struct cy_sir_shape *args, unsigned count)
{
    bool are_from_ids = op != CY_SIR_MUL && op != CY_SIR_ROW && (op != CY_SIR_SHL || is_known(&args[1]));
    for (unsigned k = 0; k < count; k++)
        are_from_ids &= is_from_ids(&args[k]);
    return are_from_ids;
}

struct cy_sir_shape cy_shape_of(struct cy_sir_shapes *shapes, enum cy_sir_op op, enum cy_sir_type type,
                                enum cy_sir_type of, const struct cy_sir_shape *args, unsigned count)
{
    const struct rule rule = {shapes, op, type, cy_sir_bits(of), mask_of(type), lane_count(shapes)};
    struct cy_sir_shape shape;
    bool are_one = true, are_numbers = true;
    for (unsigned k = 0; k < count; k++) {
        are_one &= cy_sir_is_one(&args[k]);
        are_numbers &= args[k].kind != CY_SIR_SHAPE_LANES;
    }
    if (fold_lanes(&rule, of, args, count, &shape))
        return shape;
    if (are_one && !is_linear(op, args))
        shape = of_one(&rule, args, count);
    else if (op == CY_SIR_SELECT)
        shape = of_selection(args);
    else
        shape = are_numbers && type != CY_SIR_I1 ? of_even(&rule, args) : cy_shape_lanes();
    shape.is_computed = shape.kind == CY_SIR_SHAPE_LANES && is_computed(op, args, count);
    shape.is_boolean = is_boolean(op, type, args) || (shape.is_const && !shape.stride && shape.constant <= 1);
    for (unsigned k = 0; k < count; k++)
        shape.is_for_active |= args[k].is_for_active;
    return shape;
}
