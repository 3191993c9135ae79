/* Checks of accesses by 64-bit addresses.
 *
 * The space is sparse: extents are at different distances from the host's addresses, and nothing can be accessed outside
 * them.  A group's check therefore covers all lanes of the host's vectors, active or not, and finds the extent's bias besides. */
#include "jit/translate/memory/far.h"

/* ---- sites ---- */

struct far_limits {
    LLVMValueRef places[3]; /* allocas; NULL: in memory only */
    LLVMValueRef first[3];  /* the values when the function began */
    uint32_t site;
};

LLVMValueRef far_site_field(struct translator *t, LLVMValueRef sites, uint64_t site, enum far_field which)
{
    const size_t at = site * sizeof(struct cy_jit_site) + which * sizeof(uint64_t);
    return LLVMBuildLoad2(t->builder, t->i64, at_offset(t, sites, (int64_t)at), "");
}

static LLVMValueRef site_field(struct translator *t, uint32_t site, enum far_field which)
{
    return far_site_field(t, t->sites, site, which);
}

static void load_limits(struct translator *t, LLVMBuilderRef builder, const struct far_limits *limits)
{
    LLVMBuilderRef other = t->builder;
    t->builder = builder;
    for (unsigned i = 0; i < 3 && limits->places[0]; i++)
        LLVMBuildStore(t->builder, site_field(t, limits->site, i), limits->places[i]);
    t->builder = other;
}

static struct far_limits limits_of(struct translator *t)
{
    struct far_limits limits = {.site = t->site_count};
    t->site_count += CY_JIT_FAR_SITES;
    for (unsigned i = 0; i < 3 && t->keeps_sites; i++)
        limits.places[i] = LLVMBuildAlloca(t->allocas, t->i64, "limit");
    load_limits(t, t->allocas, &limits);
    for (unsigned i = 0; i < 3 && t->keeps_sites; i++)
        limits.first[i] = LLVMBuildLoad2(t->allocas, t->i64, limits.places[i], "");
    return limits;
}

static LLVMValueRef limit(struct translator *t, const struct far_limits *limits, unsigned which)
{
    return limits->places[0] ? LLVMBuildLoad2(t->builder, t->i64, limits->places[which], "")
                             : site_field(t, limits->site, which);
}

/* ---- checks ---- */

/* Rotated, so that unaligned values become too large. */
static LLVMValueRef in_units(struct translator *t, LLVMValueRef offset, unsigned align)
{
    LLVMTypeRef type = LLVMTypeOf(offset);
    if (!align)
        return offset;
    LLVMValueRef by = number64(t, align), args[] = {offset, offset, type == t->vi64 ? splat(t, by) : by};
    return intrinsic(t, "llvm.fshr", type, args, 3);
}

/* Does the index not wrap around between the first and the last lane?  NULL: it cannot. */
static LLVMValueRef no_wrap(struct translator *t, const struct wide *base)
{
    const struct class *index = &base->class.index;
    const int64_t stride = (int32_t)index->stride, way = stride * (t->w - 1);
    if (stride > 0 && index->align < 32 && way < 1ll << index->align)
        return NULL;
    const bool is_signed = base->class.is_signed, grows = way > 0;
    const int64_t least = is_signed ? INT32_MIN : 0, most = is_signed ? INT32_MAX : UINT32_MAX;
    LLVMValueRef border = number32(t, (uint32_t)(grows ? most - way : least - way));
    const LLVMIntPredicate how = grows ? (is_signed ? LLVMIntSLE : LLVMIntULE) : (is_signed ? LLVMIntSGE : LLVMIntUGE);
    return LLVMBuildICmp(t->builder, how, scalar_of(t, base->index), border, "");
}

LLVMValueRef far_index(struct translator *t, const struct wide *base, LLVMValueRef index, LLVMTypeRef type)
{
    return base->class.is_signed ? LLVMBuildSExt(t->builder, index, type, "")
                                 : LLVMBuildZExt(t->builder, index, type, "");
}

LLVMValueRef far_address(struct translator *t, const struct wide *base, LLVMValueRef index)
{
    index = LLVMBuildMul(t->builder, far_index(t, base, index, t->i64), number64(t, base->class.factor), "");
    return LLVMBuildAdd(t->builder, base->base, index, "");
}

int64_t far_below_base(const struct translator *t, const struct far_access *access)
{
    return access->form == SPAN && access->stride < 0 ? access->stride * (t->w - 1) : 0;
}

uint64_t far_length(const struct translator *t, const struct far_access *access)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    const int64_t spread = access->form == SPAN ? access->stride * (t->w - 1) : 0;
    return (uint64_t)(group->high - group->low) + (uint64_t)(spread < 0 ? -spread : spread);
}

/* One address and what is checked from it on. */
static LLVMValueRef is_span_inside(struct translator *t, const struct far_limits *limits, LLVMValueRef lowest,
                                   unsigned align)
{
    LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, lowest, limit(t, limits, FAR_LOW), ""), align);
    return LLVMBuildICmp(t->builder, LLVMIntULT, offset, limit(t, limits, FAR_COUNT), "");
}

static LLVMValueRef each_on(struct translator *t, LLVMValueRef condition)
{
    return each_lane(t, LLVMBuildSExt(t->builder, condition, t->vi32, ""));
}

static LLVMValueRef clamped(struct translator *t, LLVMValueRef value, int64_t least, int64_t most)
{
    LLVMValueRef low[] = {value, number64(t, (uint64_t)least)};
    value = intrinsic(t, "llvm.smax", t->i64, low, 2);
    LLVMValueRef high[] = {value, number64(t, (uint64_t)most)};
    return intrinsic(t, "llvm.smin", t->i64, high, 2);
}

/* Compares indices, not addresses: the range of those that are allowed is computed once, and lanes are compared with 32
 * bits.  Indices from ceil(d / factor) on are allowed, where d is the distance from the base to the extent. */
static LLVMValueRef are_indices_inside(struct translator *t, const struct far_access *access,
                                       const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    const struct wide_class *class = &access->base.class;
    const int64_t least = class->is_signed ? INT32_MIN : 0, most = class->is_signed ? INT32_MAX : UINT32_MAX;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef shift = number64(t, (uint64_t)__builtin_ctzll(class->factor)), up = number64(t, class->factor - 1);
    LLVMValueRef first = LLVMBuildAdd(b, access->base.base, number64(t, (uint64_t)(int64_t)group->low), "");
    LLVMValueRef distance = LLVMBuildSub(b, limit(t, limits, FAR_LOW), first, "");
    LLVMValueRef bytes = LLVMBuildShl(b, limit(t, limits, FAR_COUNT), number64(t, group->align), "");
    LLVMValueRef start = LLVMBuildAdd(b, distance, up, ""), end = LLVMBuildAdd(b, start, bytes, "");
    start = clamped(t, LLVMBuildAShr(b, start, shift, ""), least, most + 1);
    end = clamped(t, LLVMBuildAShr(b, end, shift, ""), least, most + 1);
    LLVMValueRef room[] = {LLVMBuildSub(b, end, start, ""), number64(t, 0)};
    LLVMValueRef count[] = {intrinsic(t, "llvm.smax", t->i64, room, 2), number64(t, UINT32_MAX)};
    LLVMValueRef most_lanes = LLVMBuildTrunc(b, intrinsic(t, "llvm.smin", t->i64, count, 2), t->i32, "");
    LLVMValueRef from = LLVMBuildTrunc(b, start, t->i32, "");
    LLVMValueRef ok;
    if (access->base.index.class.kind == UNIFORM) {
        LLVMValueRef offset = LLVMBuildSub(b, scalar_of(t, access->base.index), from, "");
        ok = LLVMBuildICmp(b, LLVMIntULT, offset, most_lanes, "");
    } else {
        LLVMValueRef offset = LLVMBuildSub(b, access->index, splat(t, from), "");
        ok = each_on(t, LLVMBuildICmp(b, LLVMIntULT, offset, splat(t, most_lanes), ""));
    }
    if (!group->align)
        return ok;
    LLVMValueRef odd = LLVMBuildAnd(b, distance, number64(t, (1ull << group->align) - 1), "");
    return LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntEQ, odd, number64(t, 0), ""), "");
}

LLVMValueRef far_step(struct translator *t, const struct far_access *access)
{
    LLVMValueRef step = LLVMBuildSExt(t->builder, access->base.index.step, t->i64, "");
    return LLVMBuildMul(t->builder, step, number64(t, access->base.class.factor), "");
}

LLVMValueRef far_start(struct translator *t, const struct far_access *access)
{
    return far_address(t, &access->base, access->base.index.scalar);
}

/* The first and the last lane speak for those in between, if the index does not wrap around on the way. */
static LLVMValueRef is_line_inside(struct translator *t, const struct far_access *access,
                                   const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    const struct wide *base = &access->base;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef last = number64(t, t->lanes - 1), step = LLVMBuildSExt(b, base->index.step, t->i64, "");
    LLVMValueRef end = far_index(t, base, base->index.scalar, t->i64);
    end = LLVMBuildAdd(b, end, LLVMBuildMul(b, step, last, ""), "");
    LLVMValueRef same = far_index(t, base, LLVMBuildTrunc(b, end, t->i32, ""), t->i64);
    LLVMValueRef first = LLVMBuildAdd(b, far_start(t, access), number64(t, (uint64_t)(int64_t)group->low), "");
    LLVMValueRef final = LLVMBuildAdd(b, first, LLVMBuildMul(b, far_step(t, access), last, ""), "");
    LLVMValueRef ok = LLVMBuildICmp(b, LLVMIntEQ, end, same, "");
    ok = LLVMBuildAnd(b, ok, is_span_inside(t, limits, first, group->align), "");
    return LLVMBuildAnd(b, ok, is_span_inside(t, limits, final, group->align), "");
}

static LLVMValueRef are_lanes_inside(struct translator *t, const struct far_access *access,
                                     const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    LLVMValueRef low =
        LLVMBuildSub(t->builder, limit(t, limits, FAR_LOW), number64(t, (uint64_t)(int64_t)group->low), "");
    LLVMValueRef offset = LLVMBuildSub(t->builder, access->lanes, splat(t, low), "");
    offset = in_units(t, offset, group->align);
    return each_on(t, LLVMBuildICmp(t->builder, LLVMIntULT, offset, splat(t, limit(t, limits, FAR_COUNT)), ""));
}

/* Indices that wrap around are no row. */
LLVMValueRef find_far_kind(struct translator *t, const struct far_access *access)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef first = LLVMBuildExtractElement(b, access->index, number32(t, 0), ""),
                 last = LLVMBuildExtractElement(b, access->index, number32(t, t->w - 1), "");
    LLVMValueRef kind = find_kind(t, access->index, first, 1, 0);
    LLVMValueRef from = far_index(t, &access->base, first, t->i64), to = far_index(t, &access->base, last, t->i64);
    LLVMValueRef grows = LLVMBuildICmp(b, LLVMIntSGE, to, from, "");
    return LLVMBuildSelect(b, grows, kind, number32(t, KIND_APART), "");
}

/* Those of a row's ends, or of one word. */
static LLVMValueRef are_ends_inside(struct translator *t, const struct far_access *access,
                                    const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    LLVMBuilderRef b = t->builder;
    LLVMValueRef low = number64(t, (uint64_t)(int64_t)group->low), ok = NULL;
    for (unsigned i = 0; i < t->w; i += t->w - 1) {
        LLVMValueRef index = LLVMBuildExtractElement(b, access->index, number32(t, i), "");
        LLVMValueRef address = LLVMBuildAdd(b, far_address(t, &access->base, index), low, "");
        LLVMValueRef end = is_span_inside(t, limits, address, group->align);
        ok = ok ? LLVMBuildAnd(b, ok, end, "") : end;
    }
    return ok;
}

static LLVMValueRef is_inside(struct translator *t, const struct far_access *access, const struct far_limits *limits,
                              LLVMValueRef lowest)
{
    if (access->is_line)
        return is_line_inside(t, access, limits);
    if (access->may_be_row) {
        LLVMValueRef kind = t->group_kind[access->group], apart;
        struct fork fork = begin_fork(t, LLVMBuildICmp(t->builder, LLVMIntNE, kind, number32(t, KIND_APART), ""));
        LLVMValueRef inside = are_ends_inside(t, access, limits);
        other_way(t, &fork);
        apart = are_indices_inside(t, access, limits);
        end_fork(t, &fork, &inside, &apart, 1);
        return inside;
    }
    if (access->form == INDEX)
        return are_indices_inside(t, access, limits);
    if (access->form == ANY)
        return are_lanes_inside(t, access, limits);
    return is_span_inside(t, limits, lowest, t->groups.at[access->group].align);
}

/* The first active lane. */
LLVMValueRef first_active_lane(struct translator *t)
{
    LLVMValueRef args[] = {active_bits(t), LLVMConstInt(t->i1, 1, false)};
    return t->version == FULL ? number32(t, 0) : intrinsic(t, "llvm.cttz", t->i32, args, 2);
}

LLVMValueRef of_active_lanes(struct translator *t, LLVMValueRef lanes)
{
    if (t->version != MASKED)
        return lanes;
    LLVMValueRef is_active = active_lanes(t);
    LLVMValueRef one = LLVMBuildExtractElement(t->builder, lanes, first_active_lane(t), "");
    return LLVMBuildSelect(t->builder, is_active, lanes, splat(t, one), "");
}

static LLVMValueRef lowest_address(struct translator *t, const struct far_access *access)
{
    const uint64_t low = (uint64_t)(t->groups.at[access->group].low + far_below_base(t, access));
    LLVMValueRef address = access->base.base;
    if (access->form == ANY)
        address = LLVMBuildExtractElement(t->builder, access->lanes, number32(t, 0), "");
    else if (access->form == INDEX)
        address = far_address(t, &access->base, LLVMBuildExtractElement(t->builder, access->index, number32(t, 0), ""));
    else if (access->form == SPAN)
        address = far_address(t, &access->base, scalar_of(t, access->base.index));
    return LLVMBuildAdd(t->builder, address, number64(t, low), "");
}

/* Every strip comes here, with indices that grow evenly from strip to strip. */
static bool is_in_all_strips(const struct translator *t, const struct far_access *access)
{
    const struct wide_class *class = &access->base.class;
    const struct class *index = &class->index;
    const uint64_t step = (uint64_t)access->stride << item_align(t), way = (uint64_t)index->stride * t->items;
    return t->is_whole && t->keeps_sites && access->form == SPAN && access->stride > 0 && class->in_group &&
           index->in_group && !index->lane_factor && index->item_factor == index->stride && way < 1u << 30 &&
           !t->varying[t->at] && !(step & ((1u << t->groups.at[access->group].align) - 1));
}

/* Are all strips inside what was allowed when the function began?  As in bounds.c: object.c moves it out of the loop. */
static LLVMValueRef is_group_inside(struct translator *t, const struct far_access *access,
                                    const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    const struct wide *base = &access->base;
    const uint64_t way = (uint64_t)base->class.index.stride * (last_item(t) + t->w - 1);
    const uint64_t most = (base->class.is_signed ? (uint64_t)INT32_MAX : UINT32_MAX) - way;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef own = LLVMBuildMul(b, t->item, number32(t, base->class.index.item_factor), "");
    LLVMValueRef index = LLVMBuildSub(b, scalar_of(t, base->index), own, "");
    LLVMValueRef ok =
        LLVMBuildICmp(b, base->class.is_signed ? LLVMIntSLE : LLVMIntULE, index, number32(t, (uint32_t)most), "");
    LLVMValueRef lowest = LLVMBuildMul(b, far_index(t, base, index, t->i64), number64(t, base->class.factor), "");
    lowest = LLVMBuildAdd(b, LLVMBuildAdd(b, base->base, lowest, ""), number64(t, (uint64_t)(int64_t)group->low), "");
    LLVMValueRef offset = in_units(t, LLVMBuildSub(b, lowest, limits->first[FAR_LOW], ""), group->align);
    const uint64_t span = (uint64_t)access->stride * last_item(t) >> group->align;
    LLVMValueRef last = LLVMBuildAdd(b, offset, number64(t, span), "");
    ok = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntULT, offset, limits->first[FAR_COUNT], ""), "");
    return LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntULT, last, limits->first[FAR_COUNT], ""), "");
}

/* Goes on in this block, to which that one has gone with what it knew. */
static void join_check(struct translator *t, uint32_t group, LLVMBasicBlockRef in, LLVMBasicBlockRef from,
                       LLVMValueRef inside, LLVMValueRef bias)
{
    LLVMValueRef insides[] = {inside, t->group_inside[group]}, biases[] = {bias, t->group_bias[group]};
    LLVMBasicBlockRef ways[] = {from, LLVMGetInsertBlock(t->builder)};
    LLVMBuildBr(t->builder, in);
    LLVMPositionBuilderAtEnd(t->builder, in);
    t->group_inside[group] = LLVMBuildPhi(t->builder, t->i1, "");
    t->group_bias[group] = LLVMBuildPhi(t->builder, t->i64, "");
    LLVMAddIncoming(t->group_inside[group], insides, ways, 2);
    LLVMAddIncoming(t->group_bias[group], biases, ways, 2);
}

void check_far_group(struct translator *t, const struct far_access *access)
{
    const uint32_t group = access->group;
    struct far_limits limits = limits_of(t);
    LLVMBasicBlockRef start = NULL, checked = NULL;
    LLVMValueRef guard = access->form == SPAN ? no_wrap(t, &access->base) : NULL, yes = LLVMConstInt(t->i1, 1, false);
    const bool is_span = access->form == ONE || access->form == SPAN;
    LLVMValueRef lowest = is_span ? lowest_address(t, access) : NULL;
    LLVMValueRef in_loop = is_span ? loop_check(t, lowest, limits.site, t->groups.at[group].align) : NULL;
    LLVMValueRef loop_bias = in_loop ? limit(t, &limits, FAR_BIAS) : NULL;
    LLVMBasicBlockRef asked = LLVMGetInsertBlock(t->builder), out = in_loop ? new_block(t, "turn_checked") : NULL;
    if (in_loop) {
        LLVMBasicBlockRef turn = new_block(t, "turn");
        LLVMBuildCondBr(t->builder, in_loop, out, turn);
        LLVMPositionBuilderAtEnd(t->builder, turn);
    }
    if (is_in_all_strips(t, access)) {
        LLVMBasicBlockRef narrow = new_block(t, "narrow");
        checked = new_block(t, "checked");
        LLVMValueRef inside = is_group_inside(t, access, &limits);
        start = LLVMGetInsertBlock(t->builder);
        mark(t, LLVMBuildCondBr(t->builder, inside, checked, narrow), GROUP_CHECK);
        LLVMPositionBuilderAtEnd(t->builder, narrow);
        if (!in_loop)                /* which is left to memory's limits, and needs the bias that belongs to them */
            limits.places[0] = NULL; /* it is rarely asked */
    }
    LLVMValueRef inside = is_inside(t, access, &limits, lowest);
    if (guard)
        inside = LLVMBuildAnd(t->builder, inside, guard, "");
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->builder), on = new_block(t, "ok"), slow = new_block(t, "slow");
    make_rare(t, LLVMBuildCondBr(t->builder, inside, on, slow), false);
    LLVMPositionBuilderAtEnd(t->builder, slow);
    LLVMValueRef args[] = {t->frame, number32(t, group), number32(t, limits.site),
                           is_span ? lowest : lowest_address(t, access), number64(t, far_length(t, access))};
    LLVMValueRef found = call_rare_helper(t, offsetof(struct cy_jit_helpers, far_check), args, 5);
    load_limits(t, t->builder, &limits);
    LLVMValueRef is_found = LLVMBuildICmp(t->builder, LLVMIntNE, found, number32(t, 0), "");
    if (!is_span) /* the first lane's extent need not be that of the others */
        is_found = LLVMBuildAnd(t->builder, is_found, is_inside(t, access, &limits, NULL), "");
    if (guard)
        is_found = LLVMBuildAnd(t->builder, is_found, guard, "");
    LLVMBasicBlockRef after = LLVMGetInsertBlock(t->builder);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
    LLVMValueRef values[] = {yes, is_found};
    LLVMBasicBlockRef blocks[] = {before, after};
    t->group_inside[group] = LLVMBuildPhi(t->builder, t->i1, "");
    LLVMAddIncoming(t->group_inside[group], values, blocks, 2);
    t->group_bias[group] = limit(t, &limits, FAR_BIAS);
    if (checked)
        join_check(t, group, checked, start, yes, limits.first[FAR_BIAS]);
    if (in_loop)
        join_check(t, group, out, asked, guard ? guard : yes, loop_bias);
    if (is_span)
        t->group_pointer[group] = LLVMBuildAdd(t->builder, lowest, t->group_bias[group], "");
}

/* ---- atomic operations ---- */

LLVMValueRef are_far_words_inside(struct translator *t, uint32_t site, const struct wide *address, unsigned align,
                                  LLVMValueRef *bias)
{
    LLVMValueRef low = site_field(t, site, FAR_LOW), count = site_field(t, site, FAR_COUNT);
    *bias = site_field(t, site, FAR_BIAS);
    if (address->class.kind == WIDE_UNIFORM) {
        LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, address->base, low, ""), align);
        return LLVMBuildICmp(t->builder, LLVMIntULT, offset, count, "");
    }
    LLVMValueRef lanes = of_active_lanes(t, wide_lanes(t, *address)), lows = splat(t, low), counts = splat(t, count);
    LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, lanes, lows, ""), align);
    return each_on(t, LLVMBuildICmp(t->builder, LLVMIntULT, offset, counts, ""));
}
