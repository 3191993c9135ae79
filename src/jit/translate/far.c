/* Loads and stores by 64-bit addresses, and checks of those of atomic operations.
 *
 * The space is sparse: extents are at different distances from the host's addresses, and nothing can be accessed outside
 * them.  A group's check therefore covers all lanes of the host's vectors, active or not, and finds the extent's bias besides; what is not in
 * one extent is done by a helper, lane by lane, which also finds faults. */
#include "jit/translate/far.h"

/* ---- sites ---- */

struct far_limits {
    LLVMValueRef places[3]; /* allocas; NULL: in memory only */
    LLVMValueRef first[3];  /* the values when the function began */
    uint32_t site;
};
enum { LOW, COUNT, BIAS };

static LLVMValueRef site_field(struct translator *t, uint32_t site, unsigned which)
{
    const size_t at = site * sizeof(struct cy_jit_site) + which * sizeof(uint64_t);
    return LLVMBuildLoad2(t->builder, t->i64, at_offset(t, t->sites, (int64_t)at), "");
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

/* ---- the form of an access's addresses ---- */

static enum form form_of(const struct translator *t, const struct wide_class *class, unsigned align, int64_t *stride)
{
    enum { FARTHEST = 1 << 20 };
    const uint64_t unit = 1ull << align;
    if (class->kind == WIDE_UNIFORM)
        return ONE;
    if (class->kind == WIDE_VECTOR)
        return ANY;
    *stride = (int64_t) class->factor * (int32_t) class->index.stride;
    if (class->index.kind == AFFINE && (int64_t) class->factor > 0 && class->factor < FARTHEST &&
        *stride<FARTHEST && * stride> - FARTHEST && !((uint64_t)*stride & (unit - 1)) && t->version != ALONE)
        return SPAN;
    const bool is_power = class->factor && !(class->factor & (class->factor - 1)) && class->factor < FARTHEST;
    return is_power && class->factor >= unit ? INDEX : ANY;
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

static LLVMValueRef extended_index(struct translator *t, const struct wide *base, LLVMValueRef index, LLVMTypeRef type)
{
    return base->class.is_signed ? LLVMBuildSExt(t->builder, index, type, "")
                                 : LLVMBuildZExt(t->builder, index, type, "");
}

/* The address of the first lane, or the only one. */
static LLVMValueRef first_address(struct translator *t, const struct far_access *access)
{
    const struct wide *base = &access->base;
    if (access->form == ONE)
        return base->base;
    LLVMValueRef index = extended_index(t, base, scalar_of(t, base->index), t->i64);
    index = LLVMBuildMul(t->builder, index, number64(t, base->class.factor), "");
    return LLVMBuildAdd(t->builder, base->base, index, "");
}

static int64_t below_base(const struct translator *t, const struct far_access *access)
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
    LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, lowest, limit(t, limits, LOW), ""), align);
    return LLVMBuildICmp(t->builder, LLVMIntULT, offset, limit(t, limits, COUNT), "");
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
    LLVMValueRef distance = LLVMBuildSub(b, limit(t, limits, LOW), first, "");
    LLVMValueRef bytes = LLVMBuildShl(b, limit(t, limits, COUNT), number64(t, group->align), "");
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

/* Bytes from lane to lane, and the first lane's address. */
static LLVMValueRef line_step(struct translator *t, const struct far_access *access)
{
    LLVMValueRef step = LLVMBuildSExt(t->builder, access->base.index.step, t->i64, "");
    return LLVMBuildMul(t->builder, step, number64(t, access->base.class.factor), "");
}

static LLVMValueRef line_start(struct translator *t, const struct far_access *access)
{
    LLVMValueRef first = extended_index(t, &access->base, access->base.index.scalar, t->i64);
    first = LLVMBuildMul(t->builder, first, number64(t, access->base.class.factor), "");
    return LLVMBuildAdd(t->builder, access->base.base, first, "");
}

/* The first and the last lane speak for those in between, if the index does not wrap around on the way. */
static LLVMValueRef is_line_inside(struct translator *t, const struct far_access *access,
                                   const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    const struct wide *base = &access->base;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef last = number64(t, t->lanes - 1), step = LLVMBuildSExt(b, base->index.step, t->i64, "");
    LLVMValueRef end = extended_index(t, base, base->index.scalar, t->i64);
    end = LLVMBuildAdd(b, end, LLVMBuildMul(b, step, last, ""), "");
    LLVMValueRef same = extended_index(t, base, LLVMBuildTrunc(b, end, t->i32, ""), t->i64);
    LLVMValueRef first = LLVMBuildAdd(b, line_start(t, access), number64(t, (uint64_t)(int64_t)group->low), "");
    LLVMValueRef final = LLVMBuildAdd(b, first, LLVMBuildMul(b, line_step(t, access), last, ""), "");
    LLVMValueRef ok = LLVMBuildICmp(b, LLVMIntEQ, end, same, "");
    ok = LLVMBuildAnd(b, ok, is_span_inside(t, limits, first, group->align), "");
    return LLVMBuildAnd(b, ok, is_span_inside(t, limits, final, group->align), "");
}

static LLVMValueRef are_lanes_inside(struct translator *t, const struct far_access *access,
                                     const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    LLVMValueRef low = LLVMBuildSub(t->builder, limit(t, limits, LOW), number64(t, (uint64_t)(int64_t)group->low), "");
    LLVMValueRef offset = LLVMBuildSub(t->builder, access->lanes, splat(t, low), "");
    offset = in_units(t, offset, group->align);
    return each_on(t, LLVMBuildICmp(t->builder, LLVMIntULT, offset, splat(t, limit(t, limits, COUNT)), ""));
}

/* Indices that wrap around are no row. */
static LLVMValueRef find_far_kind(struct translator *t, const struct far_access *access)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef first = LLVMBuildExtractElement(b, access->index, number32(t, 0), ""),
                 last = LLVMBuildExtractElement(b, access->index, number32(t, t->w - 1), "");
    LLVMValueRef kind = find_kind(t, access->index, first, 1);
    LLVMValueRef from = extended_index(t, &access->base, first, t->i64),
                 to = extended_index(t, &access->base, last, t->i64);
    LLVMValueRef grows = LLVMBuildICmp(b, LLVMIntSGE, to, from, "");
    return LLVMBuildSelect(b, grows, kind, number32(t, KIND_APART), "");
}

/* Those of a row's ends, or of one word. */
static LLVMValueRef are_ends_inside(struct translator *t, const struct far_access *access,
                                    const struct far_limits *limits)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    LLVMBuilderRef b = t->builder;
    LLVMValueRef base = LLVMBuildAdd(b, access->base.base, number64(t, (uint64_t)(int64_t)group->low), ""), ok = NULL;
    for (unsigned i = 0; i < t->w; i += t->w - 1) {
        LLVMValueRef index = LLVMBuildExtractElement(b, access->index, number32(t, i), "");
        index = LLVMBuildMul(b, extended_index(t, &access->base, index, t->i64), number64(t, access->base.class.factor),
                             "");
        LLVMValueRef end = is_span_inside(t, limits, LLVMBuildAdd(b, base, index, ""), group->align);
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
static LLVMValueRef first_lane(struct translator *t)
{
    LLVMValueRef args[] = {active_bits(t), LLVMConstInt(t->i1, 1, false)};
    return t->version == FULL ? number32(t, 0) : intrinsic(t, "llvm.cttz", t->i32, args, 2);
}

/* The addresses of inactive lanes mean nothing: they are replaced by that of an active one. */
static LLVMValueRef active_ones(struct translator *t, LLVMValueRef lanes)
{
    if (t->version != MASKED)
        return lanes;
    LLVMValueRef mask = LLVMBuildLoad2(t->builder, t->vi32, t->mask, "");
    LLVMValueRef is_active = LLVMBuildICmp(t->builder, LLVMIntNE, mask, LLVMConstNull(t->vi32), "");
    LLVMValueRef one = LLVMBuildExtractElement(t->builder, lanes, first_lane(t), "");
    return LLVMBuildSelect(t->builder, is_active, lanes, splat(t, one), "");
}

static LLVMValueRef lowest_address(struct translator *t, const struct far_access *access)
{
    const uint64_t low = (uint64_t)(t->groups.at[access->group].low + below_base(t, access));
    LLVMValueRef address;
    if (access->form == ANY) {
        address = LLVMBuildExtractElement(t->builder, access->lanes, number32(t, 0), "");
    } else if (access->form == INDEX) {
        LLVMValueRef index = LLVMBuildExtractElement(t->builder, access->index, number32(t, 0), "");
        index = LLVMBuildMul(t->builder, extended_index(t, &access->base, index, t->i64),
                             number64(t, access->base.class.factor), "");
        address = LLVMBuildAdd(t->builder, access->base.base, index, "");
    } else {
        address = first_address(t, access);
    }
    return LLVMBuildAdd(t->builder, address, number64(t, low), "");
}

/* Every strip comes here, with indices that grow evenly from strip to strip. */
static bool is_in_all_strips(const struct translator *t, const struct far_access *access)
{
    const struct wide_class *class = &access->base.class;
    const struct class *index = &class->index;
    const uint32_t *local = t->request->local;
    const uint64_t step = (uint64_t)access->stride * t->lanes,
                   way = (uint64_t)index->stride * local[0] * local[1] * local[2];
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
    const uint32_t *local = t->request->local, items = local[0] * local[1] * local[2];
    const uint64_t way = (uint64_t)base->class.index.stride * (items + t->w - 1);
    const uint64_t most = (base->class.is_signed ? (uint64_t)INT32_MAX : UINT32_MAX) - way;
    LLVMBuilderRef b = t->builder;
    LLVMValueRef own = LLVMBuildMul(b, t->item, number32(t, base->class.index.item_factor), "");
    LLVMValueRef index = LLVMBuildSub(b, scalar_of(t, base->index), own, "");
    LLVMValueRef ok =
        LLVMBuildICmp(b, base->class.is_signed ? LLVMIntSLE : LLVMIntULE, index, number32(t, (uint32_t)most), "");
    LLVMValueRef lowest = LLVMBuildMul(b, extended_index(t, base, index, t->i64), number64(t, base->class.factor), "");
    lowest = LLVMBuildAdd(b, LLVMBuildAdd(b, base->base, lowest, ""), number64(t, (uint64_t)(int64_t)group->low), "");
    LLVMValueRef offset = in_units(t, LLVMBuildSub(b, lowest, limits->first[LOW], ""), group->align);
    const uint64_t span = (uint64_t)access->stride * (items - t->lanes) >> group->align;
    LLVMValueRef last = LLVMBuildAdd(b, offset, number64(t, span), "");
    ok = LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntULT, offset, limits->first[COUNT], ""), "");
    return LLVMBuildAnd(b, ok, LLVMBuildICmp(b, LLVMIntULT, last, limits->first[COUNT], ""), "");
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

/* Sets the group's bias, the pointer to its lowest address, and whether they may be used. */
static void check_group(struct translator *t, const struct far_access *access)
{
    const uint32_t group = access->group;
    struct far_limits limits = limits_of(t);
    LLVMBasicBlockRef start = NULL, checked = NULL;
    LLVMValueRef guard = access->form == SPAN ? no_wrap(t, &access->base) : NULL, yes = LLVMConstInt(t->i1, 1, false);
    const bool is_span = access->form == ONE || access->form == SPAN;
    LLVMValueRef lowest = is_span ? lowest_address(t, access) : NULL;
    LLVMValueRef in_loop = is_span ? loop_check(t, lowest, limits.site, t->groups.at[group].align) : NULL;
    LLVMValueRef loop_bias = in_loop ? limit(t, &limits, BIAS) : NULL;
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
    t->group_bias[group] = limit(t, &limits, BIAS);
    if (checked)
        join_check(t, group, checked, start, yes, limits.first[BIAS]);
    if (in_loop)
        join_check(t, group, out, asked, guard ? guard : yes, loop_bias);
    if (is_span)
        t->group_pointer[group] = LLVMBuildAdd(t->builder, lowest, t->group_bias[group], "");
}

/* ---- host addresses: relative to the window's, of which all pointers are made ---- */

static LLVMValueRef pointer_to(struct translator *t, LLVMValueRef address, int64_t offset)
{
    LLVMValueRef pointer = LLVMBuildGEP2(t->builder, t->i8, t->memory, &address, 1, "");
    return at_offset(t, pointer, offset);
}

static LLVMValueRef lane_pointer(struct translator *t, const struct far_access *access, unsigned lane, int64_t offset)
{
    const uint32_t group = access->group;
    LLVMValueRef address;
    offset += access->offset;
    if (access->form == SPAN || access->form == ONE)
        return pointer_to(t, t->group_pointer[group],
                          access->stride * lane - below_base(t, access) - t->groups.at[group].low + offset);
    if (access->form == ANY) {
        address = number_of_lane(t, access->numbers, lane);
        return pointer_to(t, LLVMBuildAdd(t->builder, address, t->group_bias[group], ""), offset);
    }
    if (access->is_line) { /* few distances that stay the same in a loop, and sums with them */
        LLVMValueRef step = line_step(t, access), start = line_start(t, access);
        LLVMValueRef four = LLVMBuildMul(t->builder, step, number64(t, lane & ~3u), "");
        LLVMValueRef one = LLVMBuildMul(t->builder, step, number64(t, lane & 3u), "");
        start = LLVMBuildAdd(t->builder, start, t->group_bias[group], "");
        LLVMValueRef pointer = pointer_to(t, LLVMBuildAdd(t->builder, start, four, ""), offset);
        return LLVMBuildGEP2(t->builder, t->i8, pointer, &one, 1, "");
    }
    LLVMValueRef base = LLVMBuildAdd(t->builder, access->base.base, t->group_bias[group], "");
    LLVMValueRef index = extended_index(t, &access->base, number_of_lane(t, access->numbers, lane), t->i64);
    index = LLVMBuildMul(t->builder, index, number64(t, access->base.class.factor), "");
    LLVMValueRef pointer = pointer_to(t, base, offset);
    return LLVMBuildGEP2(t->builder, t->i8, pointer, &index, 1, "");
}

/* The pointer of the first lane, where each has an index. */
static LLVMValueRef first_pointer(struct translator *t, const struct far_access *access)
{
    LLVMValueRef index = LLVMBuildExtractElement(t->builder, access->index, number32(t, 0), "");
    index = LLVMBuildMul(t->builder, extended_index(t, &access->base, index, t->i64),
                         number64(t, access->base.class.factor), "");
    LLVMValueRef base = LLVMBuildAdd(t->builder, access->base.base, t->group_bias[access->group], "");
    return pointer_to(t, LLVMBuildAdd(t->builder, base, index, ""), access->offset);
}

/* <W x ptr>, of an index per lane or any addresses.  Hosts have instructions for 32-bit indices of words. */
static LLVMValueRef lane_pointers(struct translator *t, const struct far_access *access, int64_t offset)
{
    const uint64_t factor = access->base.class.factor;
    LLVMValueRef bias = t->group_bias[access->group], base = bias, lanes = access->lanes;
    LLVMTypeRef unit = t->i8;
    if (access->form == INDEX) {
        base = LLVMBuildAdd(t->builder, access->base.base, bias, "");
        lanes = extended_index(t, &access->base, access->index, t->vi64);
        if (factor <= 8)
            unit = LLVMIntTypeInContext(t->context, (unsigned)(8 * factor));
        else
            lanes = LLVMBuildMul(t->builder, lanes, splat(t, number64(t, factor)), "");
    }
    LLVMValueRef pointer = pointer_to(t, base, access->offset + offset);
    return LLVMBuildGEP2(t->builder, unit, pointer, &lanes, 1, "");
}

/* The pointer of a SPAN's lowest lane. */
static LLVMValueRef row_pointer(struct translator *t, const struct far_access *access, int64_t offset)
{
    return pointer_to(t, t->group_pointer[access->group], access->offset + offset - t->groups.at[access->group].low);
}

/* Are the words halves of 64-bit elements? */
static bool are_halves(const struct translator *t, const struct far_access *access)
{
    for (unsigned k = 0; k < access->words; k++)
        if (!is_half(t, access->number + k, k))
            return false;
    return access->words % 2 == 0 && access->form != ONE && t->version != ALONE;
}

/* ---- loads ---- */

bool is_far_row(const struct far_access *access, unsigned bytes)
{
    return access->form == SPAN && access->stride == (int64_t)bytes;
}

/* Word `word` of each element of `words`, all of which were loaded at once. */
static LLVMValueRef every(struct translator *t, LLVMValueRef row, unsigned words, unsigned word)
{
    LLVMValueRef from[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        from[i] = number32(t, i * words + word);
    return LLVMBuildShuffleVector(t->builder, row, LLVMGetPoison(LLVMTypeOf(row)), LLVMConstVector(from, t->w), "");
}

/* Elements of several words of which this access, or the group, has more than one: loaded as a whole, of which LLVM makes
 * one instruction for all words.  0: no. */
static unsigned element_words(const struct translator *t, const struct far_access *access, int64_t *from)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    const int64_t words = access->stride / 4;
    if (access->form != SPAN || access->size != 4 || access->stride & 3 || words < 2 || words > 4)
        return 0;
    *from = group->low + (access->offset - group->low) / access->stride * access->stride;
    return *from + access->stride <= group->high &&
                   access->offset + 4 * (int64_t)access->words <= *from + access->stride
               ? (unsigned)words
               : 0;
}

static LLVMValueRef pointer_for_narrow(struct translator *t, const void *access, unsigned lane, int64_t from_it)
{
    return lane_pointer(t, access, lane, from_it);
}

/* Nothing but what the group accesses may be read. */
struct places far_places(const struct translator *t, const struct far_access *access)
{
    const struct cy_jit_group *group = &t->groups.at[access->group];
    return (struct places){.access = access,
                           .pointer = pointer_for_narrow,
                           .group = access->group,
                           .stride = access->stride,
                           .at = access->offset - group->low,
                           .readable = group->high - group->low};
}

/* A byte or half of each lane, anywhere: the aligned word that has it is in the same page. */
static LLVMValueRef gather_parts(struct translator *t, const struct far_access *access)
{
    LLVMBuilderRef b = t->builder;
    LLVMValueRef address = access->lanes, words, lanes[CY_JIT_MAX_STRIP];
    LLVMValueRef from = LLVMBuildAdd(b, t->group_bias[access->group], number64(t, (uint64_t)access->offset), "");
    if (access->form == INDEX) {
        address = extended_index(t, &access->base, access->index, t->vi64);
        address = LLVMBuildMul(b, address, splat(t, number64(t, access->base.class.factor)), "");
        from = LLVMBuildAdd(b, from, access->base.base, "");
    }
    address = LLVMBuildAdd(b, address, splat(t, from), "");
    LLVMValueRef in_word = LLVMBuildAnd(b, address, splat(t, number64(t, 3)), "");
    address = LLVMBuildSub(b, address, in_word, "");
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->i1, i < t->lanes, false);
    LLVMTypeRef types[] = {t->vi32, t->vptr};
    LLVMValueRef args[] = {LLVMBuildGEP2(b, t->i8, t->memory, &address, 1, ""), number32(t, 4),
                           LLVMConstVector(lanes, t->w), LLVMConstNull(t->vi32)};
    words = many_words(t, "llvm.masked.gather", types, 2, args, 4);
    LLVMValueRef bytes = LLVMBuildTrunc(b, in_word, t->vi32, "");
    LLVMValueRef shift = LLVMBuildShl(b, bytes, splat(t, number32(t, 3)), "");
    LLVMTypeRef row = LLVMVectorType(element_type(t, access->size), t->w);
    LLVMValueRef parts = LLVMBuildTrunc(b, LLVMBuildLShr(b, words, shift, ""), row, "");
    return extended(t, parts, access->zero_extend, t->vi32);
}

/* Words, or elements of two. */
static LLVMValueRef gather(struct translator *t, const struct far_access *access, int64_t offset, LLVMTypeRef type)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    LLVMTypeRef types[] = {type, t->vptr};
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = LLVMConstInt(t->i1, i < t->lanes, false);
    LLVMValueRef args[] = {lane_pointers(t, access, offset), number32(t, 4), LLVMConstVector(lanes, t->w),
                           LLVMConstNull(type)};
    return many_words(t, "llvm.masked.gather", types, 2, args, 4);
}

/* The same access of one of its words, wherever lanes have it. */
static struct far_access one_word(const struct far_access *access, unsigned word)
{
    struct far_access one = *access;
    one.offset += 4 * (int64_t)word;
    one.words = 1;
    one.may_be_row = false;
    return one;
}

static bool is_gathered(const struct translator *t, const struct far_access *access)
{
    return has_gathers(t) && access->size == 4 && ((access->form == INDEX && !access->is_line) || access->form == ANY);
}

/* Elements of two words, of which LLVM makes no whole ones again after a check. */
static void load_elements(struct translator *t, const struct far_access *access, LLVMValueRef *out)
{
    const bool is_one = access->form == ONE;
    LLVMValueRef row = LLVMConstNull(t->vi64);
    const bool at_once = is_gathered(t, access);
    if (is_one)
        row = load_from(t, t->i64, lane_pointer(t, access, 0, 0));
    else if (at_once)
        row = gather(t, access, 0, t->vi64);
    for (unsigned i = 0; !is_one && !at_once && i < t->lanes; i++)
        row = LLVMBuildInsertElement(t->builder, row, load_from(t, t->i64, lane_pointer(t, access, i, 0)),
                                     number32(t, i), "");
    for (unsigned k = 0; k < 2; k++)
        out[k] = pair_word(t, row, k, !is_one);
}

void load_far(struct translator *t, const struct far_access *access, LLVMValueRef *out)
{
    LLVMTypeRef element = element_type(t, access->size), to = access->form == ONE ? t->i32 : t->vi32;
    int64_t from = 0;
    const unsigned words = element_words(t, access, &from);
    LLVMValueRef whole = NULL;
    if (has_gathers(t) && access->size < 4 && access->words == 1 &&
        (access->form == ANY || (access->form == INDEX && !access->is_line))) {
        *out = gather_parts(t, access);
        return;
    }
    if (!words && access->form != ONE && access->size == 4 && access->words == 4 && t->w >= 4) {
        const struct places places = far_places(t, access);
        if (are_halves(t, access))
            load_twos(t, &places, out);
        else
            load_fours(t, &places, 0, out);
        return;
    }
    if (!words && access->size == 4 && access->words == 2 && !access->may_be_row) {
        load_elements(t, access, out);
        return;
    }
    if (words)
        whole = load_from(t, LLVMVectorType(t->i32, words * t->w), row_pointer(t, access, from - access->offset));
    for (unsigned k = 0; access->may_be_row && k < access->words; k++) {
        struct far_access apart = one_word(access, k);
        struct row_ways ways = begin_ways(t, t->group_kind[access->group], first_pointer(t, &apart), NULL);
        apart.numbers = numbers_of(t, NONE, access->index);
        load_far(t, &apart, &out[k]);
        out[k] = end_ways(t, &ways, out[k]);
    }
    if (access->may_be_row)
        return;
    if (is_gathered(t, access)) {
        for (unsigned k = 0; k < access->words; k++)
            out[k] = gather(t, access, 4 * (int64_t)k, t->vi32);
        return;
    }
    for (unsigned k = 0; k < access->words; k++) {
        LLVMValueRef row;
        if (access->form == ONE)
            row = load_from(t, element, lane_pointer(t, access, 0, 4 * (int64_t)k));
        else if (whole)
            row = every(t, whole, words, (unsigned)(access->offset - from) / 4 + k);
        else if (is_far_row(access, access->size) && access->words == 1)
            row = load_from(t, LLVMVectorType(element, t->w), row_pointer(t, access, 0));
        else {
            row = LLVMConstNull(LLVMVectorType(element, t->w));
            for (unsigned i = 0; i < t->lanes; i++)
                row = LLVMBuildInsertElement(t->builder, row,
                                             load_from(t, element, lane_pointer(t, access, i, 4 * (int64_t)k)),
                                             number32(t, i), "");
        }
        out[k] = extended(t, row, access->zero_extend, to);
    }
}

/* ---- stores ---- */

/* Four words of each lane at once, if lanes do not overlap, or do not see each other's words. */
static bool store_chunks(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef words[4];
    const bool is_apart = access->form == SPAN && (access->stride >= 16 || access->stride <= -16);
    const bool is_anywhere = access->form == INDEX || access->form == ANY;
    if (access->size != 4 || access->words != 4 || t->w < 4 || !(is_apart || (is_anywhere && !t->may_exchange)))
        return false;
    for (unsigned k = 0; k < 4; k++)
        words[k] = vector_of(t, data[k]);
    const struct places places = far_places(t, access);
    store_chunk_lanes(t, &places, words, 1, are_halves(t, access));
    return true;
}

/* Word by word, as the interpreter: the last lane wins. */
static void store_all(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMTypeRef element = element_type(t, access->size), row_type = LLVMVectorType(element, t->w);
    for (unsigned k = 0; k < access->words; k++) {
        if (access->form == ONE && data[k].class.kind == UNIFORM) {
            LLVMValueRef value = LLVMBuildTruncOrBitCast(t->builder, scalar_of(t, data[k]), element, "");
            store_to(t, value, lane_pointer(t, access, 0, 4 * (int64_t)k));
            continue;
        }
        LLVMValueRef row = LLVMBuildTruncOrBitCast(t->builder, vector_of(t, data[k]), row_type, "");
        if (is_far_row(access, access->size) && access->words == 1) {
            store_row(t, row, row_pointer(t, access, 0));
            continue;
        }
        for (unsigned i = access->form == ONE ? t->lanes - 1 : 0; i < t->lanes; i++) {
            LLVMValueRef word = LLVMBuildExtractElement(t->builder, row, number32(t, i), "");
            store_to(t, word, lane_pointer(t, access, i, 4 * (int64_t)k));
        }
    }
}

/* All words of consecutive elements at once.  NULL: they are not. */
static LLVMValueRef element_row(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef rows[4], order[4 * CY_JIT_MAX_STRIP];
    const unsigned words = access->words;
    if ((words != 2 && words != 4) || !is_far_row(access, 4 * words) || access->size != 4)
        return NULL;
    for (unsigned k = 0; k < words; k++)
        rows[k] = vector_of(t, data[k]);
    for (unsigned i = 0; i < 2 * t->w; i++)
        order[i] = number32(t, i);
    LLVMValueRef both = LLVMConstVector(order, 2 * t->w);
    LLVMValueRef all = LLVMBuildShuffleVector(t->builder, rows[0], rows[1], both, "");
    if (words == 4) {
        for (unsigned i = 0; i < 4 * t->w; i++)
            order[i] = number32(t, i);
        LLVMValueRef others = LLVMBuildShuffleVector(t->builder, rows[2], rows[3], both, "");
        all = LLVMBuildShuffleVector(t->builder, all, others, LLVMConstVector(order, 4 * t->w), "");
    }
    for (unsigned i = 0; i < words * t->w; i++)
        order[i] = number32(t, i % words * t->w + i / words);
    return LLVMBuildShuffleVector(t->builder, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(order, words * t->w),
                                  "");
}

static bool store_elements(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef row = t->lanes < t->w ? NULL : element_row(t, access, data);
    if (row)
        store_to(t, row, row_pointer(t, access, 0));
    return row;
}

static LLVMValueRef buffer_word(struct translator *t, unsigned row, LLVMValueRef lane)
{
    LLVMValueRef at = LLVMBuildAdd(t->builder, lane, number32(t, row * CY_JIT_MAX_STRIP), "");
    return lane_word(t, t->far_buffers[1], at);
}

static LLVMValueRef buffer_row(struct translator *t, unsigned row)
{
    return at_offset(t, t->far_buffers[1], (int64_t)row * 4 * CY_JIT_MAX_STRIP);
}

static LLVMValueRef buffer_address(struct translator *t, LLVMValueRef lane)
{
    LLVMValueRef at = LLVMBuildZExt(t->builder, lane, t->i64, "");
    return LLVMBuildGEP2(t->builder, t->i64, t->far_buffers[0], &at, 1, "");
}

/* Guest addresses and data of all lanes, or of the one that is alone. */
static void fill_buffers(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef offset = number64(t, (uint64_t)access->offset);
    if (t->version == ALONE) {
        LLVMValueRef lane = lane_number(t), address = LLVMBuildAdd(t->builder, access->base.base, offset, "");
        LLVMBuildStore(t->builder, address, buffer_address(t, lane));
        for (unsigned k = 0; data && k < access->words; k++) {
            LLVMValueRef word = scalar_of(t, data[k]);
            LLVMBuildStore(t->builder, word, buffer_word(t, k, lane));
        }
        return;
    }
    LLVMValueRef offsets = splat(t, offset);
    LLVMValueRef addresses = LLVMBuildAdd(t->builder, wide_lanes(t, access->base), offsets, "");
    LLVMBuildStore(t->builder, addresses, t->far_buffers[0]);
    for (unsigned k = 0; data && k < access->words; k++) {
        LLVMValueRef row = vector_of(t, data[k]);
        LLVMBuildStore(t->builder, row, buffer_row(t, k));
    }
}

/* A loop over the active lanes. */
static void store_some(struct translator *t, const struct far_access *access, const struct value *data)
{
    fill_buffers(t, access, data);
    LLVMBasicBlockRef before = LLVMGetInsertBlock(t->builder), loop = new_block(t, "lanes"),
                      on = new_block(t, "stored");
    LLVMValueRef bits = active_bits(t), no_poison = LLVMConstInt(t->i1, 1, false);
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef left = LLVMBuildPhi(t->builder, t->i32, ""), args[] = {left, no_poison};
    LLVMValueRef lane = intrinsic(t, "llvm.cttz", t->i32, args, 2);
    LLVMValueRef address = LLVMBuildLoad2(t->builder, t->i64, buffer_address(t, lane), "");
    address = LLVMBuildAdd(t->builder, address, t->group_bias[access->group], "");
    for (unsigned k = 0; k < access->words; k++) {
        LLVMValueRef value = LLVMBuildLoad2(t->builder, t->i32, buffer_word(t, k, lane), "");
        value = LLVMBuildTruncOrBitCast(t->builder, value, element_type(t, access->size), "");
        store_to(t, value, pointer_to(t, address, 4 * (int64_t)k));
    }
    LLVMValueRef rest = LLVMBuildAnd(t->builder, left, LLVMBuildSub(t->builder, left, number32(t, 1), ""), "");
    LLVMValueRef values[] = {bits, rest};
    LLVMBasicBlockRef blocks[] = {before, loop};
    LLVMAddIncoming(left, values, blocks, 2);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, rest, number32(t, 0), ""), loop, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

/* Rows, in one instruction where hosts have it. */
static bool store_masked_elements(struct translator *t, const struct far_access *access, const struct value *data)
{
    LLVMValueRef row;
    if (is_far_row(access, access->size) && access->words == 1 && t->w >= 4 &&
        (!t->is_long || (has_masked_stores(t) && access->size == 4))) {
        LLVMTypeRef type = LLVMVectorType(element_type(t, access->size), t->w);
        row = LLVMBuildTruncOrBitCast(t->builder, vector_of(t, data[0]), type, "");
        store_masked_row(t, row, row_pointer(t, access, 0));
        return true;
    }
    if (has_masked_stores(t) && (row = element_row(t, access, data))) {
        LLVMValueRef lanes = active_lanes(t), each[4 * CY_JIT_MAX_STRIP];
        const unsigned count = access->words * t->w;
        for (unsigned i = 0; i < count; i++)
            each[i] = number32(t, i / access->words);
        lanes = LLVMBuildShuffleVector(t->builder, lanes, LLVMGetPoison(LLVMTypeOf(lanes)),
                                       LLVMConstVector(each, count), "");
        LLVMTypeRef types[] = {LLVMTypeOf(row), t->ptr};
        LLVMValueRef args[] = {row, row_pointer(t, access, 0), number32(t, 4), lanes};
        many_words(t, "llvm.masked.store", types, 2, args, 4);
        return true;
    }
    return false;
}

static bool scatter(struct translator *t, const struct far_access *access, const struct value *data)
{
    if (!has_gathers(t) || access->size < 4 || (access->form != INDEX && access->form != ANY))
        return false;
    for (unsigned k = 0; k < access->words; k++) { /* of lanes that write the same word, the last one counts */
        LLVMTypeRef types[] = {t->vi32, t->vptr};
        LLVMValueRef args[] = {vector_of(t, data[k]), lane_pointers(t, access, 4 * (int64_t)k), number32(t, 4),
                               active_lanes(t)};
        many_words(t, "llvm.masked.scatter", types, 2, args, 4);
    }
    return true;
}

static void store_fast(struct translator *t, const struct far_access *access, const struct value *data)
{
    bool is_uniform = access->form == ONE;
    for (unsigned k = 0; k < access->words; k++)
        is_uniform &= data[k].class.kind == UNIFORM;
    if (access->may_be_row) {
        struct far_access apart = one_word(access, 0);
        struct row_ways ways =
            begin_ways(t, t->group_kind[access->group], first_pointer(t, access), vector_of(t, data[0]));
        apart.numbers = numbers_of(t, NONE, access->index);
        store_fast(t, &apart, data);
        end_ways(t, &ways, NULL);
        return;
    }
    const bool is_masked = t->version == MASKED && !is_uniform;
    if (is_masked ? store_masked_elements(t, access, data) : store_elements(t, access, data))
        return;
    if ((!is_masked || !t->is_long) && store_chunks(t, access, data))
        return;
    if (!is_masked)
        store_all(t, access, data);
    else if (!scatter(t, access, data))
        store_some(t, access, data);
}

/* ---- lane by lane ---- */

void call_far_access(struct translator *t, const struct inst *inst, const struct far_access *access,
                     const struct value *data, LLVMValueRef *out)
{
    fill_buffers(t, access, data);
    LLVMValueRef args[] = {t->frame, number32(t, inst->access), t->far_buffers[0], t->far_buffers[1], active_bits(t),
                           t->item};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, far_access), args, 6));
    if (data)
        return;
    LLVMValueRef lane = t->version == ALONE ? lane_number(t) : access->form == ONE ? first_lane(t) : NULL;
    for (unsigned k = 0; k < access->words; k++)
        out[k] = lane ? LLVMBuildLoad2(t->builder, t->i32, buffer_word(t, k, lane), "")
                      : LLVMBuildLoad2(t->builder, t->vi32, buffer_row(t, k), "");
}

/* ---- an instruction ---- */

static unsigned data_register(const struct inst *inst)
{
    switch (row_of(inst)->format) {
    case CY_FORMAT_STORE: return (unsigned)field(inst, CY_FIELD_rs2);
    case CY_FORMAT_LOAD: return (unsigned)field(inst, CY_FIELD_rd);
    case CY_FORMAT_VS12:
    case CY_FORMAT_VS12D: return (unsigned)field(inst, CY_FIELD_vs2);
    default: return (unsigned)field(inst, CY_FIELD_vd);
    }
}

void prepare_far(struct translator *t, const struct inst *inst, struct far_access *access)
{
    if (access->form == INDEX)
        access->index = active_ones(t, vector_of(t, access->base.index));
    else if (access->form == ANY)
        access->lanes = active_ones(t, wide_lanes(t, access->base));
    if (access->form == INDEX || access->form == ANY)
        access->numbers = numbers_of(t, inst->group, access->form == ANY ? access->lanes : access->index);
    if (inst->access == t->groups.at[access->group].first) {
        t->group_kind[access->group] = access->may_be_row ? find_far_kind(t, access) : NULL;
        check_group(t, access);
    }
    access->may_be_row &= t->group_kind[access->group] != NULL; /* the group's first access may have been another one */
}

static void make_pairs(struct translator *t, LLVMValueRef *words, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        words[k] = wide_from(t, words[2 * k], words[2 * k + 1], true);
}

void emit_far_access(struct translator *t, const struct inst *inst, struct far_access *access, const struct value *data,
                     LLVMValueRef *out)
{
    LLVMValueRef slow_out[4] = {0};
    const unsigned words = data ? 0 : access->words, pairs = words && are_halves(t, access) ? words / 2 : 0;
    struct fork fork = begin_fork(t, t->group_inside[access->group]);
    if (data)
        store_fast(t, access, data);
    else
        load_far(t, access, out);
    make_pairs(t, out, pairs);
    other_way(t, &fork);
    call_far_access(t, inst, access, data, slow_out);
    make_pairs(t, slow_out, pairs);
    end_fork(t, &fork, out, slow_out, pairs ? pairs : words);
    for (unsigned k = pairs; k--;) {
        LLVMValueRef pair = out[k];
        out[2 * k] = pair_word(t, pair, false, true);
        out[2 * k + 1] = pair_word(t, pair, true, true);
    }
}

static bool may_be_row(const struct translator *t, const struct far_access *access, bool is_store)
{
    return access->form == INDEX && !access->is_line && access->base.class.factor == 4 && access->size == 4 &&
           (access->words == 1 || !is_store) && t->version == FULL && t->lanes == t->w && t->w >= 8 &&
           is_from_ids(&access->base.class.index);
}

struct far_access describe_far(struct translator *t, const struct inst *inst)
{
    struct far_access access = {
        .group = inst->group,
        .offset = access_offset(inst),
        .size = access_size(inst),
        .words = inst->words,
        .number = data_register(inst),
        .zero_extend = inst->insn.word >> 14 & 1,
        .is_scalar = row_of(inst)->format == CY_FORMAT_LOAD || row_of(inst)->format == CY_FORMAT_STORE,
    };
    access.base = access.is_scalar ? read_x_pair(t, (unsigned)field(inst, CY_FIELD_rs1))
                                   : read_pair(t, (unsigned)field(inst, CY_FIELD_vs1));
    access.form = form_of(t, &access.base.class, t->groups.at[inst->group].align, &access.stride);
    if (access.form != SPAN)
        access.stride = 0;
    access.is_line = access.form == INDEX && access.base.class.index.is_line && t->version == FULL;
    access.may_be_row = may_be_row(t, &access, row_of(inst)->flags & CY_F_STORE);
    return access;
}

bool lower_far_access(struct translator *t, struct inst *inst)
{
    const bool is_store = row_of(inst)->flags & CY_F_STORE;
    struct far_access access = describe_far(t, inst);
    inst->is_spread |= access.form != ONE && !is_far_row(&access, access.size * access.words);
    inst->is_gather |= access.form == INDEX || access.form == ANY;
    inst->may_be_row |= access.may_be_row;
    struct value data[4];
    LLVMValueRef out[4] = {0};
    const unsigned number = access.number;
    for (unsigned k = 0; is_store && k < access.words; k++)
        data[k] = access.is_scalar ? read_x(t, number ? number + k : 0) : read_v(t, number + k);
    LLVMValueRef row = t->emit && !is_store ? load_together(t, inst, &access) : NULL;
    if (row)
        out[0] = row;
    else if (t->emit && !(is_store && store_together(t, inst, &access, data[0]))) {
        prepare_far(t, inst, &access);
        emit_far_access(t, inst, &access, is_store ? data : NULL, out);
    }
    for (unsigned k = 0; !is_store && k < access.words; k++) {
        struct value value =
            access.form == ONE ? uniform(t, out[k], is_wide_shared(&access.base.class)) : vector(t, out[k]);
        if (access.is_scalar)
            write_x(t, number ? number + k : 0, value);
        else
            write_v(t, number + k, value);
    }
    return true;
}

/* ---- atomic operations ---- */

LLVMValueRef are_far_words_inside(struct translator *t, uint32_t site, const struct wide *address, unsigned align,
                                  LLVMValueRef *bias)
{
    LLVMValueRef low = site_field(t, site, LOW), count = site_field(t, site, COUNT);
    *bias = site_field(t, site, BIAS);
    if (address->class.kind == WIDE_UNIFORM) {
        LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, address->base, low, ""), align);
        return LLVMBuildICmp(t->builder, LLVMIntULT, offset, count, "");
    }
    LLVMValueRef lanes = active_ones(t, wide_lanes(t, *address)), lows = splat(t, low), counts = splat(t, count);
    LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, lanes, lows, ""), align);
    return each_on(t, LLVMBuildICmp(t->builder, LLVMIntULT, offset, counts, ""));
}
