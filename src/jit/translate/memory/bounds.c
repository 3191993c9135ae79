/* Checks of the addresses of a group of accesses: against the extent in which its site last succeeded, else by a helper. */
#include "jit/translate/memory/access.h"

static LLVMValueRef site_word(struct translator *t, uint32_t site, size_t offset)
{
    return LLVMBuildLoad2(t->builder, t->i32,
                          at_offset(t, t->sites, (int64_t)(site * sizeof(struct cy_jit_site) + offset)), "");
}

/* Emits what follows in an out-of-line block, where the builder is left; returns the block to continue in. */
static LLVMBasicBlockRef unless(struct translator *t, LLVMValueRef ok)
{
    LLVMBasicBlockRef slow = new_block(t, "slow"), on = new_block(t, "ok");
    make_rare(t, LLVMBuildCondBr(t->builder, ok, on, slow), false);
    LLVMPositionBuilderAtEnd(t->builder, slow);
    return on;
}

static void go_on(struct translator *t, LLVMBasicBlockRef on)
{
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

/* Rotated, so that unaligned values become too large. */
static LLVMValueRef in_units(struct translator *t, LLVMValueRef offset, unsigned align)
{
    if (!align)
        return offset;
    LLVMTypeRef type = LLVMTypeOf(offset);
    LLVMValueRef by = type == t->vi32 ? splat(t, number32(t, align)) : number32(t, align);
    LLVMValueRef args[] = {offset, offset, by};
    return intrinsic(t, "llvm.fshr", type, args, 3);
}

/* What a check compares with.  If there are few sites, they are kept in registers, and only the slow path loads them. */
struct limits {
    LLVMValueRef low, count; /* values */
    LLVMValueRef places[2];  /* allocas; NULL: in memory only */
    LLVMValueRef first[2];   /* the values when the function began */
    uint32_t site;
};

static void load_limits(struct translator *t, LLVMBuilderRef builder, const struct limits *limits)
{
    static const size_t fields[] = {offsetof(struct cy_jit_site, low), offsetof(struct cy_jit_site, count)};
    LLVMBuilderRef other = t->builder;
    t->builder = builder;
    for (int i = 0; i < 2; i++)
        LLVMBuildStore(t->builder, site_word(t, limits->site, fields[i]), limits->places[i]);
    t->builder = other;
}

static struct limits limits_of(struct translator *t)
{
    struct limits limits = {.site = t->site_count++};
    if (!t->keeps_sites) {
        limits.low = site_word(t, limits.site, offsetof(struct cy_jit_site, low));
        limits.count = site_word(t, limits.site, offsetof(struct cy_jit_site, count));
        return limits;
    }
    for (int i = 0; i < 2; i++)
        limits.places[i] = LLVMBuildAlloca(t->allocas, t->i32, "limit");
    load_limits(t, t->allocas, &limits);
    for (int i = 0; i < 2; i++)
        limits.first[i] = LLVMBuildLoad2(t->allocas, t->i32, limits.places[i], "");
    limits.low = LLVMBuildLoad2(t->builder, t->i32, limits.places[0], "");
    limits.count = LLVMBuildLoad2(t->builder, t->i32, limits.places[1], "");
    return limits;
}

/* Every strip comes here, with addresses that grow evenly from strip to strip. */
static bool is_in_all_strips(const struct translator *t, const struct class *class, unsigned align)
{
    const uint32_t step = class->item_factor;
    return class->in_group && !class->lane_factor && !t->varying[t->at] && step < FAR_APART &&
           !((step << item_align(t)) & ((1u << align) - 1));
}

/* Are all strips inside what was allowed when the function began?  That does not depend on the strip, and object.c moves it
 * out of the loop over them. */
static LLVMValueRef is_group_inside(struct translator *t, const struct class *class, LLVMValueRef lowest,
                                    const struct limits *limits, unsigned align)
{
    const uint32_t step = class->item_factor, span = step * last_item(t) >> align;
    LLVMValueRef own = LLVMBuildMul(t->builder, t->item, number32(t, step), "");
    LLVMValueRef offset = LLVMBuildSub(t->builder, LLVMBuildSub(t->builder, lowest, own, ""), limits->first[0], "");
    offset = in_units(t, offset, align);
    LLVMValueRef starts = LLVMBuildICmp(t->builder, LLVMIntULT, offset, limits->first[1], "");
    LLVMValueRef last = LLVMBuildAdd(t->builder, offset, number32(t, span), "");
    return LLVMBuildAnd(t->builder, starts, LLVMBuildICmp(t->builder, LLVMIntULT, last, limits->first[1], ""), "");
}

/* A function of its own, because it is rarely called and many places do: are the first and the last active lane inside? */
static LLVMValueRef edges_function(struct translator *t)
{
    LLVMTypeRef types[] = {t->i32, t->i32, t->i32, t->i32, t->i32};
    if (t->edges)
        return t->edges;
    LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
    LLVMValueRef given[CY_COUNT(types)], ok[2];
    t->edges = LLVMAddFunction(t->module, "edges", LLVMFunctionType(t->i1, types, CY_COUNT(types), false));
    LLVMSetLinkage(t->edges, LLVMInternalLinkage);
    LLVMSetFunctionCallConv(t->edges, PRESERVE_ALL);
    add_enum_attribute(t, t->edges, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    add_enum_attribute(t, t->edges, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline");
    LLVMGetParams(t->edges, given);
    LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, t->edges, "entry"));
    LLVMValueRef start = given[0], stride = given[1], bits = given[2], count = given[3], align = given[4];
    LLVMValueRef args[] = {bits, LLVMConstInt(t->i1, 1, false)};
    LLVMValueRef first = intrinsic(t, "llvm.cttz", t->i32, args, 2), after = intrinsic(t, "llvm.ctlz", t->i32, args, 2);
    LLVMValueRef lanes[] = {first, LLVMBuildXor(t->builder, after, number32(t, 31), "")};
    for (int i = 0; i < 2; i++) {
        LLVMValueRef at = LLVMBuildAdd(t->builder, start, LLVMBuildMul(t->builder, lanes[i], stride, ""), "");
        LLVMValueRef rotated[] = {at, at, align};
        at = intrinsic(t, "llvm.fshr", t->i32, rotated, 3);
        ok[i] = LLVMBuildICmp(t->builder, LLVMIntULT, at, count, "");
    }
    LLVMBuildRet(t->builder, LLVMBuildAnd(t->builder, ok[0], ok[1], ""));
    LLVMPositionBuilderAtEnd(t->builder, here);
    return t->edges;
}

/* Under a mask, lanes that are not active may be outside: tiles in local memory are small.  The second site is about single
 * lanes. */
static LLVMValueRef are_edges_inside(struct translator *t, const struct cy_jit_group *group, const struct value *base,
                                     uint32_t site)
{
    LLVMValueRef function = edges_function(t), bits = active_bits(t);
    LLVMValueRef low = site_word(t, site, offsetof(struct cy_jit_site, low));
    LLVMValueRef count = site_word(t, site, offsetof(struct cy_jit_site, count));
    LLVMValueRef start = LLVMBuildAdd(t->builder, scalar_of(t, *base), number32(t, (uint32_t)group->low), "");
    LLVMValueRef args[] = {LLVMBuildSub(t->builder, start, low, ""), number32(t, base->class.stride), bits, count,
                           number32(t, group->align)};
    LLVMValueRef call =
        LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(function), function, args, CY_COUNT(args), "");
    LLVMSetInstructionCallConv(call, PRESERVE_ALL);
    return call;
}

/* One check for the whole group; its lowest address becomes the group's pointer. */
void check_affine(struct translator *t, uint32_t number, struct value base)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    struct limits limits = limits_of(t);
    LLVMValueRef below = number32(t, (uint32_t)group->low + below_base(t, &base.class));
    LLVMValueRef lowest = LLVMBuildAdd(t->builder, scalar_of(t, base), below, "");
    LLVMValueRef in_loop = loop_check(t, lowest, limits.site, group->align);
    LLVMBasicBlockRef checked = NULL, out = in_loop ? new_block(t, "turn_checked") : NULL;
    if (in_loop) {
        LLVMBasicBlockRef turn = new_block(t, "turn");
        make_rare(t, LLVMBuildCondBr(t->builder, in_loop, out, turn), false);
        LLVMPositionBuilderAtEnd(t->builder, turn);
    }
    if (t->is_whole && limits.first[0] && is_in_all_strips(t, &base.class, group->align)) {
        LLVMBasicBlockRef narrow = new_block(t, "narrow");
        checked = new_block(t, "checked");
        LLVMValueRef inside = is_group_inside(t, &base.class, lowest, &limits, group->align);
        mark(t, LLVMBuildCondBr(t->builder, inside, checked, narrow), GROUP_CHECK);
        LLVMPositionBuilderAtEnd(t->builder, narrow);
        limits.low = site_word(t, limits.site, offsetof(struct cy_jit_site, low)); /* it is rarely asked */
        limits.count = site_word(t, limits.site, offsetof(struct cy_jit_site, count));
    }
    LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, lowest, limits.low, ""), group->align);
    LLVMBasicBlockRef on = unless(t, LLVMBuildICmp(t->builder, LLVMIntULT, offset, limits.count, ""));
    const bool has_edges = t->version == MASKED && base.class.kind == AFFINE;
    if (has_edges) {
        LLVMBasicBlockRef ask = new_block(t, "ask");
        LLVMBuildCondBr(t->builder, are_edges_inside(t, group, &base, t->site_count++), on, ask);
        LLVMPositionBuilderAtEnd(t->builder, ask);
    }
    LLVMValueRef address = LLVMBuildSub(t->builder, hidden(t, lowest), below, ""), item = rare_item(t);
    LLVMValueRef args[] = {t->frame,
                           number32(t, number),
                           number32(t, limits.site),
                           address,
                           number32(t, base.class.kind == AFFINE ? base.class.stride : 0),
                           active_bits(t),
                           item};
    const size_t helper =
        has_edges ? offsetof(struct cy_jit_helpers, check_edges) : offsetof(struct cy_jit_helpers, check);
    stop_if(t, call_rare_helper(t, helper, args, 7));
    if (t->keeps_sites && !checked)
        load_limits(t, t->builder, &limits);
    go_on(t, on);
    if (checked)
        go_on(t, checked);
    if (out)
        go_on(t, out);
    t->group_pointer[number] = host_pointer(t, lowest);
}

static LLVMValueRef lanes_on(struct translator *t, LLVMValueRef condition)
{
    LLVMValueRef wide = LLVMBuildSExt(t->builder, condition, t->vi32, "");
    if (t->version == MASKED)
        wide = LLVMBuildOr(t->builder, wide,
                           LLVMBuildNot(t->builder, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""), ""), "");
    return each_lane(t, wide);
}

/* The first and the last lane are inside, hence all are: the last one's address is computed without overflow.  If both are
 * aligned, so is the step, because the number of steps is odd: strips of an odd number of lanes have no lines. */
static LLVMValueRef is_line_inside(struct translator *t, const struct value *base, LLVMValueRef first,
                                   LLVMValueRef count, unsigned align)
{
    LLVMValueRef start = LLVMBuildSub(t->builder, base->scalar, first, "");
    LLVMValueRef way = LLVMBuildMul(t->builder, LLVMBuildSExt(t->builder, base->step, t->i64, ""),
                                    LLVMConstInt(t->i64, t->lanes - 1, false), "");
    LLVMValueRef end = LLVMBuildAdd(t->builder, LLVMBuildZExt(t->builder, start, t->i64, ""), way, "");
    LLVMValueRef last = in_units(t, LLVMBuildTrunc(t->builder, end, t->i32, ""), align);
    LLVMValueRef high = LLVMBuildLShr(t->builder, end, LLVMConstInt(t->i64, 32, false), "");
    LLVMValueRef ok = LLVMBuildICmp(t->builder, LLVMIntULT, in_units(t, start, align), count, "");
    ok = LLVMBuildAnd(t->builder, ok, LLVMBuildICmp(t->builder, LLVMIntULT, last, count, ""), "");
    return LLVMBuildAnd(t->builder, ok, LLVMBuildICmp(t->builder, LLVMIntEQ, high, LLVMConstInt(t->i64, 0, false), ""),
                        "");
}

/* Of a line that is not in one extent: the last address is computed without overflow. */
static LLVMValueRef is_straight(struct translator *t, const struct value *base, int32_t low)
{
    LLVMValueRef first = LLVMBuildAdd(t->builder, base->scalar, number32(t, (uint32_t)low), "");
    LLVMValueRef way = LLVMBuildMul(t->builder, LLVMBuildSExt(t->builder, base->step, t->i64, ""),
                                    LLVMConstInt(t->i64, t->lanes - 1, false), "");
    LLVMValueRef end = LLVMBuildAdd(t->builder, LLVMBuildZExt(t->builder, first, t->i64, ""), way, "");
    return LLVMBuildICmp(t->builder, LLVMIntULT, end, LLVMConstInt(t->i64, 1ull << 32, false), "");
}

/* The runtime looks at each lane's address. */
static void ask_about_lanes(struct translator *t, uint32_t number, const struct limits *limits, LLVMValueRef addresses)
{
    LLVMBuildStore(t->builder, addresses, t->buffers[0]);
    LLVMValueRef item = rare_item(t);
    LLVMValueRef args[] = {t->frame,      number32(t, number), number32(t, limits->site),
                           t->buffers[0], active_bits(t),      item};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, check_lanes), args, 6));
    if (t->keeps_sites)
        load_limits(t, t->builder, limits);
}

void check_lanes(struct translator *t, uint32_t number, struct value base, bool is_line, LLVMValueRef only_if)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    const struct limits limits = limits_of(t);
    LLVMValueRef addresses = vector_of(t, base);
    LLVMBasicBlockRef checked = NULL;
    LLVMBasicBlockRef before = NULL;
    t->group_is_straight[number] = NULL;
    if (is_line) {
        LLVMValueRef low = LLVMBuildSub(t->builder, limits.low, number32(t, (uint32_t)group->low), "");
        LLVMValueRef inside = is_line_inside(t, &base, low, limits.count, group->align);
        before = LLVMGetInsertBlock(t->builder);
        checked = unless(t, only_if ? LLVMBuildAnd(t->builder, only_if, inside, "") : inside);
    }
    LLVMBasicBlockRef near = new_block(t, "near"), far = new_block(t, "not_near");
    LLVMValueRef lowest = LLVMBuildAdd(t->builder, addresses, splat(t, number32(t, (uint32_t)group->low)), "");
    make_rare(t, LLVMBuildCondBr(t->builder, lanes_check(t, lowest, limits.site, group->align), near, far), false);
    LLVMPositionBuilderAtEnd(t->builder, far);
    LLVMValueRef first = LLVMBuildSub(t->builder, limits.low, number32(t, (uint32_t)group->low), "");
    LLVMValueRef offset = LLVMBuildSub(t->builder, addresses, splat(t, first), "");
    LLVMValueRef count = splat(t, limits.count);
    offset = in_units(t, offset, group->align);
    LLVMBasicBlockRef on = unless(t, lanes_on(t, LLVMBuildICmp(t->builder, LLVMIntULT, offset, count, "")));
    ask_about_lanes(t, number, &limits, addresses);
    go_on(t, on);
    go_on(t, near);
    if (!checked)
        return;
    LLVMValueRef straight[] = {LLVMConstInt(t->i1, 1, false), only_if ? NULL : is_straight(t, &base, group->low)};
    LLVMBasicBlockRef from[] = {before, LLVMGetInsertBlock(t->builder)};
    go_on(t, checked);
    if (only_if)
        return;
    t->group_is_straight[number] = LLVMBuildPhi(t->builder, t->i1, "");
    LLVMAddIncoming(t->group_is_straight[number], straight, from, 2);
}

/* Lanes at known distances from one base: the lowest and the highest are inside, hence all are. */
void check_table(struct translator *t, uint32_t number, const struct access *access)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    const struct limits limits = limits_of(t);
    LLVMValueRef base = scalar_of(t, access->base);
    const uint32_t ends[] = {(uint32_t)(access->nearest + group->low), (uint32_t)(access->farthest + group->low)};
    LLVMValueRef inside[2], lowest = LLVMBuildAdd(t->builder, base, number32(t, ends[0]), "");
    for (int i = 0; i < 2; i++) {
        LLVMValueRef at = LLVMBuildAdd(t->builder, base, number32(t, ends[i]), "");
        LLVMValueRef offset = in_units(t, LLVMBuildSub(t->builder, at, limits.low, ""), group->align);
        inside[i] = LLVMBuildICmp(t->builder, LLVMIntULT, offset, limits.count, "");
    }
    LLVMBasicBlockRef on = unless(t, LLVMBuildAnd(t->builder, inside[0], inside[1], ""));
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = number32(t, (uint32_t)access->from_base[i]);
    LLVMValueRef addresses = LLVMBuildAdd(t->builder, splat(t, base), LLVMConstVector(lanes, t->w), "");
    ask_about_lanes(t, number, &limits, addresses);
    go_on(t, on);
    t->group_pointer[number] = host_pointer(t, lowest);
}

void check_private(struct translator *t, uint32_t number, struct value base)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    const uint32_t bytes = t->request->private_bytes, length = (uint32_t)(group->high - group->low);
    const int64_t known = base.class.is_const ? (int64_t)(int32_t)base.class.constant : -1;
    if (base.class.is_const && known + group->low >= 0 && known + group->high <= bytes &&
        !((known + group->low) & ((1 << group->align) - 1)))
        return;
    const bool is_one = base.class.kind == UNIFORM;
    LLVMValueRef addresses = is_one ? scalar_of(t, base) : vector_of(t, base);
    LLVMValueRef low = number32(t, (uint32_t)group->low);
    LLVMValueRef limit = number32(t, length <= bytes ? ((bytes - length) >> group->align) + 1 : 0);
    LLVMValueRef lowest = LLVMBuildAdd(t->builder, addresses, is_one ? low : splat(t, low), "");
    lowest = in_units(t, lowest, group->align);
    LLVMValueRef ok = LLVMBuildICmp(t->builder, LLVMIntULT, lowest, is_one ? limit : splat(t, limit), "");
    LLVMBasicBlockRef on = unless(t, is_one ? ok : lanes_on(t, ok));
    LLVMBuildStore(t->builder, vector_of(t, base), t->buffers[0]);
    LLVMValueRef item = rare_item(t);
    LLVMValueRef args[] = {t->frame, number32(t, number), t->buffers[0], active_bits(t), item};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, check_private), args, 5));
    go_on(t, on);
}

LLVMValueRef are_words_inside(struct translator *t, uint32_t site, const struct value *address, unsigned align,
                              LLVMValueRef *low)
{
    *low = site_word(t, site, offsetof(struct cy_jit_site, low));
    LLVMValueRef count = site_word(t, site, offsetof(struct cy_jit_site, count));
    if (address->class.kind == UNIFORM) {
        LLVMValueRef offset = LLVMBuildSub(t->builder, scalar_of(t, *address), *low, "");
        return LLVMBuildICmp(t->builder, LLVMIntULT, in_units(t, offset, align), count, "");
    }
    LLVMValueRef lows = splat(t, *low), counts = splat(t, count);
    LLVMValueRef offset = LLVMBuildSub(t->builder, vector_of(t, *address), lows, "");
    return lanes_on(t, LLVMBuildICmp(t->builder, LLVMIntULT, in_units(t, offset, align), counts, ""));
}
