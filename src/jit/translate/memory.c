/* Loads, stores and atomics.
 *
 * The window of guest memory is readable everywhere (gpu/memory/memory.h), so that a check decides only about faults,
 * never about the host's safety: inactive lanes may load anything, and only stores must be suppressed. */
#include "jit/translate/translate_priv.h"

#include <string.h>

enum { FAR_APART = 1024 }; /* strides from here on are treated as arbitrary addresses: see the window's guard */

enum { PRESERVE_ALL = 15 }; /* of LLVM's calling conventions */

/* ---- the frame and its helpers ---- */

void mark(struct translator *t, LLVMValueRef instruction, const char *name)
{
    const unsigned kind = LLVMGetMDKindIDInContext(t->context, name, (unsigned)strlen(name));
    LLVMSetMetadata(instruction, kind, LLVMMetadataAsValue(t->context, LLVMMDNodeInContext2(t->context, NULL, 0)));
}

static void mark_invariant(struct translator *t, LLVMValueRef load)
{
    mark(t, load, "invariant.load");
}

LLVMValueRef at_offset(struct translator *t, LLVMValueRef pointer, int64_t offset)
{
    LLVMValueRef index = LLVMConstInt(t->i64, (uint64_t)offset, true);
    return LLVMBuildGEP2(t->builder, t->i8, pointer, &index, 1, "");
}

/* Words that do not change while a workgroup runs are loaded once, before everything else: LLVM would not move loads out
 * of code that might not be reached. */
static struct early *early_word(struct translator *t, const struct early *wanted)
{
    for (size_t i = 0; i < t->earlies.count; i++) {
        struct early *early = &t->earlies.at[i];
        if (early->from == wanted->from && early->offset == wanted->offset && early->size == wanted->size &&
            early->zero_extend == wanted->zero_extend)
            return early;
    }
    *cy_vec_push(&t->earlies) = *wanted;
    return &t->earlies.at[t->earlies.count - 1];
}

LLVMValueRef frame_word(struct translator *t, size_t offset)
{
    if (!t->emit)
        return NULL;
    struct early *word = early_word(t, &(struct early){.size = 4, .offset = (uint32_t)offset});
    if (!word->value) {
        LLVMValueRef index = LLVMConstInt(t->i64, offset, false);
        LLVMValueRef at = LLVMBuildGEP2(t->allocas, t->i8, t->frame, &index, 1, "");
        word->value = LLVMBuildLoad2(t->allocas, t->i32, at, "");
        mark_invariant(t, word->value);
    }
    return word->value;
}

LLVMValueRef call_helper(struct translator *t, size_t offset, LLVMTypeRef result, LLVMValueRef *args, unsigned count)
{
    LLVMTypeRef types[8];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    LLVMValueRef function = LLVMBuildLoad2(t->builder, t->ptr, at_offset(t, t->helpers, (int64_t)offset), "");
    mark_invariant(t, function);
    return LLVMBuildCall2(t->builder, LLVMFunctionType(result, types, count, false), function, args, count, "");
}

/* A helper that is rarely called.  The call preserves all registers, which keeps values that are live across it in
 * registers: an ordinary call preserves no vector, so that every check would be a reason to spill them all. */
LLVMValueRef call_rare_helper(struct translator *t, size_t offset, LLVMValueRef *args, unsigned count)
{
    if (t->request->host ==
        CY_JIT_X86_64) /* LLVM 19 ends such a function with vzeroupper: half of each register is lost */
        return call_helper(t, offset, t->i32, args, count);
    LLVMTypeRef types[8], type;
    LLVMValueRef *stub = &t->rare[offset / sizeof(void *)];
    for (unsigned i = 0; i < count; i++)
        types[i] = LLVMTypeOf(args[i]);
    type = LLVMFunctionType(t->i32, types, count, false);
    if (!*stub) {
        LLVMBasicBlockRef here = LLVMGetInsertBlock(t->builder);
        LLVMValueRef given[8], helpers = t->helpers;
        *stub = LLVMAddFunction(t->module, "rare", type);
        LLVMSetLinkage(*stub, LLVMInternalLinkage);
        LLVMSetFunctionCallConv(*stub, PRESERVE_ALL);
        add_enum_attribute(t, *stub, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
        add_enum_attribute(t, *stub, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "noinline");
        LLVMGetParams(*stub, given);
        LLVMPositionBuilderAtEnd(t->builder, LLVMAppendBasicBlockInContext(t->context, *stub, "entry"));
        t->helpers = LLVMBuildLoad2(t->builder, t->ptr,
                                    at_offset(t, given[0], (int64_t)offsetof(struct cy_jit_frame, helpers)), "");
        LLVMBuildRet(t->builder, call_helper(t, offset, t->i32, given, count));
        t->helpers = helpers;
        LLVMPositionBuilderAtEnd(t->builder, here);
    }
    LLVMValueRef call = LLVMBuildCall2(t->builder, type, *stub, args, count, "");
    LLVMSetInstructionCallConv(call, PRESERVE_ALL);
    return call;
}

void make_rare(struct translator *t, LLVMValueRef conditional, bool first)
{
    LLVMValueRef likely = LLVMConstInt(t->i32, 2000, false), rare = LLVMConstInt(t->i32, 1, false);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(t->context, "branch_weights", 14),
                               LLVMValueAsMetadata(first ? rare : likely), LLVMValueAsMetadata(first ? likely : rare)};
    LLVMMetadataRef node = LLVMMDNodeInContext2(t->context, parts, 3);
    LLVMSetMetadata(conditional, LLVMGetMDKindIDInContext(t->context, "prof", 4),
                    LLVMMetadataAsValue(t->context, node));
}

LLVMValueRef lane_word(struct translator *t, LLVMValueRef row, LLVMValueRef lane)
{
    LLVMValueRef index = LLVMBuildZExt(t->builder, lane, t->i64, "");
    return LLVMBuildGEP2(t->builder, t->i32, row, &index, 1, "");
}

void stop_if(struct translator *t, LLVMValueRef word)
{
    LLVMBasicBlockRef after = new_block(t, "on");
    LLVMValueRef stops = LLVMBuildICmp(t->builder, LLVMIntNE, word, number32(t, 0), "");
    make_rare(t, LLVMBuildCondBr(t->builder, stops, t->exit, after), true);
    LLVMPositionBuilderAtEnd(t->builder, after);
}

void trap(struct translator *t, uint32_t access, enum cy_jit_trap kind, LLVMValueRef mask)
{
    LLVMValueRef args[] = {t->frame, number32(t, access), number32(t, kind), mask, t->item};
    call_helper(t, offsetof(struct cy_jit_helpers, trap), LLVMVoidTypeInContext(t->context), args, 5);
    LLVMBuildBr(t->builder, t->exit);
}

struct access {
    struct value base; /* without the offset */
    bool is_affine;    /* or uniform: the group's pointer is used */
    bool is_line;      /* base and step are used */
    bool is_table;     /* the base is uniform, and lanes' distances from it are known */
    int32_t from_base[CY_JIT_MAX_STRIP];
    int32_t nearest, farthest; /* of them */
    LLVMValueRef pointers;     /* else: one pointer per lane */
    int64_t offset;            /* from the group's pointer, or from the lane's */
    unsigned size;
    bool zero_extend;
    bool is_high;       /* the upper word, if elements have two */
    bool is_record;     /* elements have several words, of which others are accessed, too; this one is */
    unsigned in_record; /* the word of that number, counted from anywhere */
};

/* ---- checks ---- */

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

static uint32_t below_base(const struct translator *t, const struct class *class)
{
    return (int32_t) class->stride < 0 ? class->stride * (t->lanes - 1) : 0;
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

static LLVMValueRef host_pointer(struct translator *t, LLVMValueRef address)
{
    LLVMValueRef index = LLVMBuildZExt(t->builder, address, t->i64, "");
    return LLVMBuildGEP2(t->builder, t->i8, t->memory, &index, 1, "");
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
           !(step * t->lanes & ((1u << align) - 1));
}

/* Are all strips inside what was allowed when the function began?  That does not depend on the strip, and object.c moves it
 * out of the loop over them. */
static LLVMValueRef is_group_inside(struct translator *t, const struct class *class, LLVMValueRef lowest,
                                    const struct limits *limits, unsigned align)
{
    const uint32_t *local = t->request->local, step = class->item_factor;
    const uint32_t span = step * (local[0] * local[1] * local[2] - t->lanes) >> align;
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
    LLVMValueRef lanes[] = {intrinsic(t, "llvm.cttz", t->i32, args, 2),
                            LLVMBuildXor(t->builder, intrinsic(t, "llvm.ctlz", t->i32, args, 2), number32(t, 31), "")};
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
    LLVMValueRef start = LLVMBuildAdd(t->builder, scalar_of(t, *base), number32(t, (uint32_t)group->low), "");
    LLVMValueRef args[] = {LLVMBuildSub(t->builder, start, low, ""), number32(t, base->class.stride), bits,
                           site_word(t, site, offsetof(struct cy_jit_site, count)), number32(t, group->align)};
    LLVMValueRef call =
        LLVMBuildCall2(t->builder, LLVMGlobalGetValueType(function), function, args, CY_COUNT(args), "");
    LLVMSetInstructionCallConv(call, PRESERVE_ALL);
    return call;
}

/* One check for the whole group; its lowest address becomes the group's pointer. */
static void check_affine(struct translator *t, uint32_t number, struct value base)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    struct limits limits = limits_of(t);
    LLVMValueRef address = scalar_of(t, base);
    LLVMValueRef lowest =
        LLVMBuildAdd(t->builder, address, number32(t, (uint32_t)group->low + below_base(t, &base.class)), "");
    LLVMBasicBlockRef checked = NULL;
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
    LLVMValueRef args[] = {t->frame,
                           number32(t, number),
                           number32(t, limits.site),
                           address,
                           number32(t, base.class.kind == AFFINE ? base.class.stride : 0),
                           active_bits(t),
                           t->item};
    const size_t helper =
        has_edges ? offsetof(struct cy_jit_helpers, check_edges) : offsetof(struct cy_jit_helpers, check);
    stop_if(t, call_rare_helper(t, helper, args, 7));
    if (t->keeps_sites && !checked)
        load_limits(t, t->builder, &limits);
    go_on(t, on);
    if (checked)
        go_on(t, checked);
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

/* The runtime looks at each lane's address. */
static void ask_about_lanes(struct translator *t, uint32_t number, const struct limits *limits, LLVMValueRef addresses)
{
    LLVMBuildStore(t->builder, addresses, t->buffers[0]);
    LLVMValueRef args[] = {t->frame,      number32(t, number), number32(t, limits->site),
                           t->buffers[0], active_bits(t),      t->item};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, check_lanes), args, 6));
    if (t->keeps_sites)
        load_limits(t, t->builder, limits);
}

static void check_lanes(struct translator *t, uint32_t number, struct value base, bool is_line)
{
    const struct cy_jit_group *group = &t->groups.at[number];
    const struct limits limits = limits_of(t);
    LLVMValueRef addresses = vector_of(t, base);
    LLVMBasicBlockRef checked = NULL;
    if (is_line) {
        LLVMValueRef low = LLVMBuildSub(t->builder, limits.low, number32(t, (uint32_t)group->low), "");
        checked = unless(t, is_line_inside(t, &base, low, limits.count, group->align));
    }
    LLVMValueRef first = LLVMBuildSub(t->builder, limits.low, number32(t, (uint32_t)group->low), "");
    LLVMValueRef offset = LLVMBuildSub(t->builder, addresses, splat(t, first), "");
    LLVMValueRef count = splat(t, limits.count);
    offset = in_units(t, offset, group->align);
    LLVMBasicBlockRef on = unless(t, lanes_on(t, LLVMBuildICmp(t->builder, LLVMIntULT, offset, count, "")));
    ask_about_lanes(t, number, &limits, addresses);
    go_on(t, on);
    if (checked)
        go_on(t, checked);
}

/* Lanes at known distances from one base: the lowest and the highest are inside, hence all are. */
static void check_table(struct translator *t, uint32_t number, const struct access *access)
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

static void check_private(struct translator *t, uint32_t number, struct value base)
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
    LLVMValueRef args[] = {t->frame, number32(t, number), t->buffers[0], active_bits(t), t->item};
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, check_private), args, 5));
    go_on(t, on);
}

/* ---- addresses ---- */

/* The address of a word of private memory for each lane: interleaved over the threads of the workgroup. */
static struct value interleave(struct translator *t, struct value at)
{
    const uint32_t threads = t->request->warps * t->request->threads;
    struct value word = binary(t, MUL, binary(t, AND, at, constant(t, ~3u)), constant(t, threads));
    struct value base = binary(t, ADD, word, binary(t, AND, at, constant(t, 3)));
    LLVMValueRef first = frame_word(t, offsetof(struct cy_jit_frame, pds));
    const bool alone = t->version == ALONE;
    if (t->emit) {
        LLVMValueRef item = alone ? LLVMBuildAdd(t->builder, t->item, lane_number(t), "") : t->item;
        first = LLVMBuildAdd(t->builder, first, LLVMBuildMul(t->builder, item, number32(t, 4), ""), "");
    }
    return binary(t, ADD, base, affine(t, first, alone ? 0 : 4, 2, false));
}

static struct value base_address(struct translator *t, const struct inst *inst)
{
    const int32_t rs1 = field(inst, CY_FIELD_rs1), vs1 = field(inst, CY_FIELD_vs1);
    switch (row_of(inst)->format) {
    case CY_FORMAT_LOAD:
    case CY_FORMAT_STORE: return read_x(t, (unsigned)rs1);
    case CY_FORMAT_VLX:
    case CY_FORMAT_VSX: {
        struct value index = read_v(t, (unsigned)field(inst, CY_FIELD_vs2));
        return binary(t, ADD, index, read_x(t, (unsigned)rs1));
    }
    case CY_FORMAT_VL:
    case CY_FORMAT_VS: {
        const bool alone = t->version == ALONE;
        LLVMValueRef lane = NULL;
        if (t->emit) {
            lane = LLVMBuildAnd(t->builder, t->item, number32(t, t->request->threads - 1), "");
            lane = alone ? LLVMBuildAdd(t->builder, lane, lane_number(t), "") : lane;
            lane = LLVMBuildMul(t->builder, lane, number32(t, 4), "");
        }
        struct value first = affine(t, lane, alone ? 0 : 4, 2, false);
        return binary(t, ADD, read_x(t, (unsigned)rs1), first);
    }
    default: {
        struct value base = read_v(t, (unsigned)vs1);
        if (inst->space != SPACE_LOCAL)
            return base;
        return binary(t, ADD, base, uniform(t, frame_word(t, offsetof(struct cy_jit_frame, lds)), true));
    }
    }
}

/* ---- moving data ---- */

LLVMTypeRef element_type(struct translator *t, unsigned size)
{
    return size == 4 ? t->i32 : size == 2 ? t->i16 : t->i8;
}

LLVMValueRef extended(struct translator *t, LLVMValueRef value, bool zero_extend, LLVMTypeRef to)
{
    if (LLVMTypeOf(value) == to)
        return value;
    return zero_extend ? LLVMBuildZExt(t->builder, value, to, "") : LLVMBuildSExt(t->builder, value, to, "");
}

LLVMValueRef load_from(struct translator *t, LLVMTypeRef type, LLVMValueRef pointer)
{
    LLVMValueRef load = LLVMBuildLoad2(t->builder, type, pointer, "");
    LLVMSetAlignment(load, 1);
    return load;
}

static unsigned register_bits(const struct translator *t)
{
    const bool is_wide = t->request->host == CY_JIT_X86_64 && t->request->level;
    return is_wide ? t->request->level == 2 ? 512 : 256 : 128;
}

void store_to(struct translator *t, LLVMValueRef value, LLVMValueRef pointer)
{
    LLVMSetAlignment(LLVMBuildStore(t->builder, value, pointer), 1);
}

/* The lanes of a strip, a host register at a time and upwards: LLVM would store the parts of a long vector downwards, which
 * keeps processors from seeing a stream. */
void store_row(struct translator *t, LLVMValueRef row, LLVMValueRef pointer)
{
    const unsigned bits = LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(row))), at_once = register_bits(t) / bits;
    LLVMValueRef numbers[CY_JIT_MAX_STRIP];
    for (unsigned first = 0; first < t->lanes; first += at_once) {
        const unsigned count = t->lanes - first < at_once ? t->lanes - first : at_once;
        for (unsigned i = 0; i < count; i++)
            numbers[i] = number32(t, first + i);
        LLVMValueRef part = row;
        if (count < t->w)
            part = LLVMBuildShuffleVector(t->builder, row, row, LLVMConstVector(numbers, count), "");
        store_to(t, part, at_offset(t, pointer, first * bits / 8));
    }
}

/* The pointer of one lane. */
static LLVMValueRef lane_pointer(struct translator *t, const struct access *access, LLVMValueRef group, unsigned lane)
{
    if (access->is_line) {
        LLVMValueRef by = LLVMBuildMul(t->builder, access->base.step, number32(t, lane), "");
        LLVMValueRef address = LLVMBuildAdd(t->builder, access->base.scalar, by, "");
        return at_offset(t, host_pointer(t, address), access->offset);
    }
    if (access->is_table)
        return at_offset(t, group, access->from_base[lane] - access->nearest + access->offset);
    if (access->is_affine) {
        const uint32_t step = access->base.class.kind == AFFINE ? access->base.class.stride : 0;
        const int64_t from_lowest = (int64_t)(int32_t)step * lane - (int32_t)below_base(t, &access->base.class);
        return at_offset(t, group, from_lowest + access->offset);
    }
    return at_offset(t, LLVMBuildExtractElement(t->builder, access->pointers, number32(t, lane), ""), access->offset);
}

static bool is_consecutive(const struct access *access)
{
    return access->is_affine && access->base.class.kind == AFFINE && access->base.class.stride == access->size;
}

/* Words of doubles or other 8-byte elements. */
static bool is_every_other(const struct access *access)
{
    return access->is_affine && access->base.class.kind == AFFINE && access->base.class.stride == 8 &&
           access->size == 4;
}

/* Elements of two to four words, one after the other: how many words; 0: no such access. */
static unsigned record_words(const struct access *access)
{
    const uint32_t words = access->base.class.stride / 4;
    return access->is_affine && access->base.class.kind == AFFINE && access->size == 4 &&
                   !(access->base.class.stride & 3) && words >= 2 && words <= 4
               ? words
               : 0;
}

/* All words of the records, of which one is taken.  LLVM merges the loads of the others with this one, and hosts have
 * instructions for it. */
static LLVMValueRef load_record(struct translator *t, const struct access *access, LLVMValueRef group)
{
    const unsigned words = record_words(access), word = access->in_record;
    LLVMValueRef lanes[CY_JIT_MAX_STRIP];
    LLVMValueRef all =
        load_from(t, LLVMVectorType(t->i32, t->w * words), at_offset(t, group, access->offset - 4 * (int64_t)word));
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = number32(t, i * words + word);
    return LLVMBuildShuffleVector(t->builder, all, LLVMGetPoison(LLVMTypeOf(all)), LLVMConstVector(lanes, t->w), "");
}

static struct value load_some(struct translator *t, const struct access *access, uint32_t offset);

static struct value load_lanes(struct translator *t, const struct access *access, LLVMValueRef group, uint32_t offset)
{
    LLVMTypeRef element = element_type(t, access->size);
    const bool in_group = is_shared(&access->base.class);
    if (access->is_affine && access->base.class.kind == UNIFORM) {
        LLVMValueRef word = NULL;
        if (t->emit)
            word = extended(t, load_from(t, element, at_offset(t, group, access->offset)), access->zero_extend, t->i32);
        return uniform(t, word, in_group);
    }
    if (!t->emit)
        return vector(t, NULL);
    if (is_consecutive(access)) {
        LLVMValueRef row = load_from(t, LLVMVectorType(element, t->w), at_offset(t, group, access->offset));
        return vector(t, extended(t, row, access->zero_extend, t->vi32));
    }
    if (is_every_other(access)) { /* LLVM merges this with the load of the words in between */
        LLVMValueRef pairs = load_from(t, t->vi64, at_offset(t, group, access->offset - (access->is_high ? 4 : 0)));
        return vector(t, pair_word(t, pairs, access->is_high, true));
    }
    if (access->is_record)
        return vector(t, load_record(t, access, group));
    if (t->is_long)
        return load_some(t, access, offset);
    LLVMValueRef row =
        t->lanes == t->w ? LLVMGetPoison(LLVMVectorType(element, t->w)) : LLVMConstNull(LLVMVectorType(element, t->w));
    for (unsigned i = 0; i < t->lanes; i++)
        row = LLVMBuildInsertElement(t->builder, row, load_from(t, element, lane_pointer(t, access, group, i)),
                                     number32(t, i), "");
    return vector(t, extended(t, row, access->zero_extend, t->vi32));
}

/* The address of each lane, offset included. */
static LLVMValueRef lane_addresses(struct translator *t, const struct access *access, uint32_t offset)
{
    LLVMValueRef base = vector_of(t, access->base), lanes[CY_JIT_MAX_STRIP];
    for (unsigned i = 0; i < t->w; i++)
        lanes[i] = number32(t, offset + (access->is_table ? (uint32_t)access->from_base[i] : 0));
    return LLVMBuildAdd(t->builder, base, LLVMConstVector(lanes, t->w), "");
}

/* A loop over lanes, of which there is at least one: code size matters more than speed here. */
struct lane_loop {
    LLVMBasicBlockRef before, start;
    LLVMValueRef all, left, lane;
};

static struct lane_loop begin_lanes(struct translator *t, LLVMValueRef bits)
{
    struct lane_loop loop = {.before = LLVMGetInsertBlock(t->builder), .start = new_block(t, "lanes"), .all = bits};
    LLVMBuildBr(t->builder, loop.start);
    LLVMPositionBuilderAtEnd(t->builder, loop.start);
    loop.left = LLVMBuildPhi(t->builder, t->i32, "");
    LLVMValueRef args[] = {loop.left, LLVMConstInt(t->i1, 1, false)};
    loop.lane = intrinsic(t, "llvm.cttz", t->i32, args, 2);
    return loop;
}

static void end_lanes(struct translator *t, const struct lane_loop *loop)
{
    LLVMBasicBlockRef on = new_block(t, "on"), end = LLVMGetInsertBlock(t->builder);
    LLVMValueRef less = LLVMBuildSub(t->builder, loop->left, number32(t, 1), "");
    LLVMValueRef rest = LLVMBuildAnd(t->builder, loop->left, less, ""), values[] = {loop->all, rest};
    LLVMBasicBlockRef blocks[] = {loop->before, end};
    LLVMAddIncoming(loop->left, values, blocks, 2);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, rest, number32(t, 0), ""), loop->start, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

static void store_some(struct translator *t, const struct access *access, uint32_t offset, struct value data)
{
    LLVMBuildStore(t->builder, lane_addresses(t, access, offset), t->buffers[0]);
    LLVMBuildStore(t->builder, vector_of(t, data), t->buffers[1]);
    const struct lane_loop loop = begin_lanes(t, active_bits(t));
    LLVMValueRef address = lane_word(t, t->buffers[0], loop.lane), word = lane_word(t, t->buffers[1], loop.lane);
    LLVMValueRef value = LLVMBuildLoad2(t->builder, t->i32, word, "");
    value = LLVMBuildTruncOrBitCast(t->builder, value, element_type(t, access->size), "");
    store_to(t, value, host_pointer(t, LLVMBuildLoad2(t->builder, t->i32, address, "")));
    end_lanes(t, &loop);
}

static struct value load_some(struct translator *t, const struct access *access, uint32_t offset)
{
    LLVMBuildStore(t->builder, lane_addresses(t, access, offset), t->buffers[0]);
    const struct lane_loop loop = begin_lanes(t, active_bits(t));
    LLVMValueRef address = lane_word(t, t->buffers[0], loop.lane);
    LLVMValueRef from = host_pointer(t, LLVMBuildLoad2(t->builder, t->i32, address, ""));
    LLVMValueRef word = load_from(t, element_type(t, access->size), from);
    LLVMBuildStore(t->builder, extended(t, word, access->zero_extend, t->i32), lane_word(t, t->buffers[2], loop.lane));
    end_lanes(t, &loop);
    return vector(t, LLVMBuildLoad2(t->builder, t->vi32, t->buffers[2], ""));
}

static void store_lanes(struct translator *t, const struct access *access, LLVMValueRef group, uint32_t offset,
                        struct value data)
{
    LLVMTypeRef element = element_type(t, access->size);
    const bool to_one = access->is_affine && access->base.class.kind == UNIFORM;
    if (to_one && data.class.kind == UNIFORM) {
        LLVMValueRef value = LLVMBuildTruncOrBitCast(t->builder, scalar_of(t, data), element, "");
        store_to(t, value, at_offset(t, group, access->offset));
        return;
    }
    if (t->version == MASKED) {
        store_some(t, access, offset, data);
        return;
    }
    LLVMTypeRef row_type = LLVMVectorType(element, t->w);
    LLVMValueRef row = LLVMBuildTruncOrBitCast(t->builder, vector_of(t, data), row_type, "");
    if (is_consecutive(access)) {
        store_row(t, row, at_offset(t, group, access->offset));
        return;
    }
    if (t->is_long && !to_one) {
        store_some(t, access, offset, data);
        return;
    }
    for (unsigned i = to_one ? t->lanes - 1 : 0; i < t->lanes; i++) {
        LLVMValueRef value = LLVMBuildExtractElement(t->builder, row, number32(t, i), "");
        store_to(t, value, lane_pointer(t, access, group, i));
    }
}

/* ---- metadata and arguments: constant while a workgroup runs ---- */

static LLVMValueRef early_constant(struct translator *t, const struct early *wanted)
{
    LLVMValueRef start = frame_word(t, wanted->from == TO_METADATA ? offsetof(struct cy_jit_frame, metadata)
                                                                   : offsetof(struct cy_jit_frame, arguments));
    struct early *word = early_word(t, wanted);
    if (word->value)
        return word->value;
    LLVMBuilderRef late = t->builder;
    t->builder = t->allocas;
    LLVMValueRef load =
        load_from(t, element_type(t, wanted->size), at_offset(t, host_pointer(t, start), wanted->offset));
    mark_invariant(t, load);
    word->value = extended(t, load, wanted->zero_extend, t->i32);
    t->builder = late;
    return word->value;
}

static bool is_early(const struct translator *t, const struct value *base, uint32_t at, unsigned size)
{
    if (base->class.pointer == TO_METADATA)
        return size == 4 && !(at & 3) && at / 4 < CY_JIT_METADATA_WORDS;
    return at < t->request->argument_bytes && at + size <= t->request->argument_bytes;
}

static struct value early_value(struct translator *t, const struct inst *inst, const struct value *base, uint32_t at)
{
    if (base->class.pointer == TO_METADATA && t->request->known >> at / 4 & 1)
        return constant(t, t->request->metadata[at / 4]);
    if (base->class.pointer == TO_METADATA && at == 4) {
        struct value arguments = uniform(t, frame_word(t, offsetof(struct cy_jit_frame, arguments)), true);
        arguments.class.pointer = TO_ARGUMENTS;
        arguments.class.constant = 0;
        return arguments;
    }
    const struct early wanted = {.from = base->class.pointer,
                                 .size = (uint8_t)access_size(inst),
                                 .zero_extend = inst->insn.word >> 14 & 1,
                                 .offset = at};
    struct value word = uniform(t, t->emit ? early_constant(t, &wanted) : NULL, true);
    if (base->class.pointer == TO_METADATA && at / 4 - CY_JIT_GLOBAL_SIZE < 3) {
        word.class.origin = GLOBAL_SIZE;
        word.class.dimension = (uint8_t)(at / 4 - CY_JIT_GLOBAL_SIZE);
    }
    return word;
}

static bool load_constant(struct translator *t, const struct inst *inst, struct value base)
{
    const uint32_t at = base.class.constant + (uint32_t)access_offset(inst);
    const unsigned rd = (unsigned)field(inst, CY_FIELD_rd);
    if (!base.class.pointer || row_of(inst)->format != CY_FORMAT_LOAD)
        return false;
    for (uint32_t k = 0; k < inst->words; k++)
        if (!is_early(t, &base, at + 4 * k, access_size(inst)))
            return false;
    for (uint32_t k = 0; k < inst->words; k++)
        write_x(t, rd ? rd + k : 0, early_value(t, inst, &base, at + 4 * k));
    return true;
}

/* ---- an instruction ---- */

static unsigned data_register(const struct inst *inst)
{
    switch (row_of(inst)->format) {
    case CY_FORMAT_STORE: return (unsigned)field(inst, CY_FIELD_rs2);
    case CY_FORMAT_LOAD: return (unsigned)field(inst, CY_FIELD_rd);
    case CY_FORMAT_VS12:
    case CY_FORMAT_VSP: return (unsigned)field(inst, CY_FIELD_vs2);
    case CY_FORMAT_VS:
    case CY_FORMAT_VSX: return (unsigned)field(inst, CY_FIELD_vs3);
    default: return (unsigned)field(inst, CY_FIELD_vd);
    }
}

static void check(struct translator *t, const struct inst *inst, struct access *access, struct value base)
{
    if (!t->emit)
        return;
    const bool is_first = inst->access == t->groups.at[inst->group].first;
    const bool leads = is_first || (access->is_affine && !is_private(inst) && !t->group_pointer[inst->group]);
    if (is_private(inst)) {
        if (leads)
            check_private(t, inst->group, base);
    } else if (leads && access->is_table) {
        check_table(t, inst->group, access);
    } else if (leads && access->is_affine) {
        check_affine(t, inst->group, base);
    } else if (leads) {
        check_lanes(t, inst->group, base, access->is_line);
    }
}

/* The lanes' addresses as pointers; for inactive lanes, somewhere in the window. */
static LLVMValueRef lane_pointers(struct translator *t, LLVMValueRef addresses)
{
    if (t->version == MASKED)
        addresses = LLVMBuildAnd(t->builder, addresses, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""), "");
    LLVMValueRef index = LLVMBuildZExt(t->builder, addresses, t->vi64, "");
    return LLVMBuildGEP2(t->builder, t->i8, t->memory, &index, 1, "");
}

/* Stores in a row, of all words of the lanes' elements, are one. */
static bool store_records(struct translator *t, const struct inst *inst, const struct access *access,
                          LLVMValueRef group)
{
    const unsigned words = record_words(access);
    LLVMValueRef rows[4], lanes[4 * CY_JIT_MAX_STRIP], halves[2];
    if (!t->emit || t->version == MASKED || is_private(inst) || row_of(inst)->format != CY_FORMAT_VS12 ||
        inst->words > 1 || !words || (words > 2 && t->lanes != t->w))
        return false;
    const struct inst *next = inst;
    for (unsigned i = 0; i < words; i++) {
        if (next->insn.op != inst->insn.op || next->words > 1 || next->space != inst->space ||
            next->block != inst->block || next->group != inst->group ||
            field(next, CY_FIELD_vs1) != field(inst, CY_FIELD_vs1) ||
            access_offset(next) != access_offset(inst) + 4 * (int32_t)i || next->next == NONE)
            return false;
        rows[i] = vector_of(t, read_v(t, data_register(next)));
        next = &t->insts[next->next];
    }
    t->stored = words - 1;
    if (words == 2) {
        store_row(t, wide_from(t, rows[0], rows[1], true), at_offset(t, group, access->offset));
        return true;
    }
    for (unsigned i = 0; i < 2 * t->w; i++)
        lanes[i] = number32(t, i);
    rows[3] = words > 3 ? rows[3] : LLVMGetPoison(t->vi32);
    for (unsigned i = 0; i < 2; i++)
        halves[i] =
            LLVMBuildShuffleVector(t->builder, rows[2 * i], rows[2 * i + 1], LLVMConstVector(lanes, 2 * t->w), "");
    for (unsigned i = 0; i < words * t->w; i++)
        lanes[i] = number32(t, i % words * t->w + i / words);
    LLVMValueRef all =
        LLVMBuildShuffleVector(t->builder, halves[0], halves[1], LLVMConstVector(lanes, words * t->w), "");
    store_to(t, all, at_offset(t, group, access->offset));
    return true;
}

/* ---- exchanges: lanes store words and load each other's ---- */

/* The lanes' known distances from the access's sGPR. */
static bool distances(struct translator *t, const struct inst *inst, uint32_t *lanes)
{
    const enum cy_format format = row_of(inst)->format;
    if (t->version == ALONE || (format != CY_FORMAT_VLX && format != CY_FORMAT_VSX))
        return false;
    const unsigned index = (unsigned)field(inst, CY_FIELD_vs2);
    return !t->now.is_pair[index / 2] && known_lanes(t, &t->now.v[index], lanes);
}

static bool describe_table(struct translator *t, const struct inst *inst, struct access *access)
{
    const int32_t align = 1 << t->groups.at[inst->group].align;
    uint32_t lanes[CY_JIT_MAX_STRIP];
    if (!distances(t, inst, lanes) || t->now.v[field(inst, CY_FIELD_vs2)].kind != VECTOR)
        return false;
    access->nearest = access->farthest = (int32_t)lanes[0];
    for (unsigned i = 0; i < t->w; i++) {
        const int32_t at = access->from_base[i] = (int32_t)lanes[i];
        if (at & (align - 1) || at <= -FAR_APART || at >= FAR_APART)
            return false;
        access->nearest = at < access->nearest ? at : access->nearest;
        access->farthest = at > access->farthest ? at : access->farthest;
    }
    return true;
}

static void remember_store(struct translator *t, const struct inst *inst)
{
    struct exchange *exchange = &t->exchange;
    exchange->is_valid = t->in_lockstep && t->version == FULL && access_size(inst) == 4 && inst->words == 1 &&
                         distances(t, inst, exchange->to);
    if (!exchange->is_valid)
        return;
    exchange->base = (unsigned)field(inst, CY_FIELD_rs1);
    exchange->data = vector_of(t, read_v(t, data_register(inst)));
}

/* Does it load what the lanes have just stored?  Then `from` says from which lane. */
static bool is_exchange(struct translator *t, const struct inst *inst, uint32_t *from)
{
    const struct exchange *exchange = &t->exchange;
    if (!exchange->is_valid || row_of(inst)->format != CY_FORMAT_VLX ||
        exchange->base != (unsigned)field(inst, CY_FIELD_rs1) || !distances(t, inst, from))
        return false;
    for (unsigned i = 0; i < t->w; i++) {
        unsigned source = t->w;
        while (source && exchange->to[source - 1] != from[i]) /* the last lane's store counts */
            source--;
        if (!source)
            return false;
        from[i] = source - 1;
    }
    return true;
}

/* The values move between registers. */
static struct value exchanged(struct translator *t, const uint32_t *from)
{
    LLVMValueRef lanes[CY_JIT_MAX_STRIP], data = t->exchange.data;
    bool is_one = true;
    for (unsigned i = 0; i < t->w; i++) {
        lanes[i] = number32(t, from[i]);
        is_one &= from[i] == from[0];
    }
    if (!t->emit)
        return is_one ? uniform(t, NULL, false) : vector(t, NULL);
    if (is_one)
        return uniform(t, LLVMBuildExtractElement(t->builder, data, lanes[0], ""), false);
    LLVMValueRef order = LLVMConstVector(lanes, t->w);
    return vector(t, LLVMBuildShuffleVector(t->builder, data, LLVMGetPoison(t->vi32), order, ""));
}

/* One word of an access, whose group was checked: loads it, or stores *data. */
static void move_word(struct translator *t, struct inst *inst, struct access access, unsigned word, struct value *data)
{
    const bool is_store = row_of(inst)->flags & CY_F_STORE;
    const struct value base = access.base;
    const uint32_t low = (uint32_t)t->groups.at[inst->group].low, offset = (uint32_t)access_offset(inst) + 4 * word;
    LLVMValueRef group = NULL;
    if (is_private(inst)) {
        access.base = interleave(t, binary(t, ADD, base, constant(t, offset)));
        access.is_affine =
            access.base.class.kind != VECTOR && access.base.class.stride == (t->version == ALONE ? 0 : 4);
        if (t->emit && access.is_affine)
            group = host_pointer(t, scalar_of(t, access.base));
        else if (t->emit)
            access.pointers = lane_pointers(t, vector_of(t, access.base));
    } else if (t->emit && (access.is_affine || access.is_table)) {
        group = t->group_pointer[inst->group];
        access.offset = offset - low;
    } else if (t->emit) {
        access.pointers = access.is_line ? NULL : lane_pointers(t, vector_of(t, base));
        access.offset = (int32_t)offset;
    }
    inst->is_spread |= !(access.is_affine && (access.base.class.kind == UNIFORM || is_consecutive(&access)));
    inst->is_gather |= !access.is_affine;
    access.is_high = offset & 4;
    access.is_record = t->groups.at[inst->group].count > 1 && !is_private(inst) && record_words(&access) > 2;
    access.in_record = access.is_record ? offset / 4 % record_words(&access) : 0;
    if (is_store && store_records(t, inst, &access, group)) {
        t->exchange.is_valid = false;
        return;
    }
    if (!is_store)
        *data = load_lanes(t, &access, group, is_private(inst) ? 0 : offset);
    else if (t->emit)
        store_lanes(t, &access, group, is_private(inst) ? 0 : offset, *data);
}

bool lower_access(struct translator *t, struct inst *inst)
{
    const bool is_store = row_of(inst)->flags & CY_F_STORE;
    const bool is_scalar = row_of(inst)->format == CY_FORMAT_LOAD || row_of(inst)->format == CY_FORMAT_STORE;
    if (cy_insn_field(&inst->insn, CY_FIELD_vm, 1) == 0)
        return cannot(t, "masks in v0");
    if (inst->is_far) {
        t->exchange.is_valid &= !is_store;
        return lower_far_access(t, inst);
    }
    if (is_private(inst) && !t->request->private_bytes)
        return cannot(t, "private memory of unknown size");
    if (t->emit && t->stored) {
        t->stored--;
        return true;
    }
    uint32_t from[CY_JIT_MAX_STRIP];
    const bool moves = is_exchange(t, inst, from);
    if (moves && t->groups.at[inst->group].count == 1) { /* memory that was written can be read: nothing to check */
        write_v(t, data_register(inst), exchanged(t, from));
        return true;
    }
    struct value base = base_address(t, inst), data[4];
    if (is_scalar && load_constant(t, inst, base)) {
        if (t->emit && inst->access == t->groups.at[inst->group].first)
            t->group_pointer[inst->group] = NULL; /* it was not checked: the next one is */
        return true;
    }
    const uint32_t stride = base.class.kind == AFFINE ? base.class.stride : 0;
    const uint32_t align = 1u << t->groups.at[inst->group].align;
    struct access access = {.base = base, .size = access_size(inst), .zero_extend = inst->insn.word >> 14 & 1};
    if (!is_private(inst)) {
        access.is_table = describe_table(t, inst, &access);
        if (access.is_table)
            access.base = base = read_x(t, (unsigned)field(inst, CY_FIELD_rs1));
        access.is_line = base.class.is_line && t->version == FULL && t->lanes % 2 == 0;
        access.is_affine = !access.is_table && base.class.kind != VECTOR && stride + FAR_APART < 2 * FAR_APART &&
                           !(stride & (align - 1));
    }
    check(t, inst, &access, base);
    const unsigned number = data_register(inst);
    for (unsigned k = 0; k < inst->words; k++) {
        if (is_store) {
            remember_store(t, inst);
            data[k] = is_scalar ? read_x(t, number ? number + k : 0) : read_v(t, number + k);
        }
        if (moves)
            data[k] = exchanged(t, from);
        else
            move_word(t, inst, access, k, &data[k]);
    }
    for (unsigned k = 0; !is_store && k < inst->words; k++) {
        if (is_scalar)
            write_x(t, number ? number + k : 0, data[k]);
        else
            write_v(t, number + k, data[k]);
    }
    return true;
}

/* Operations of several lanes on one word whose results are not used can be one. */
static const char *reduction_of(const struct translator *t, const struct inst *inst, const struct value *address)
{
    static const struct {
        enum cy_op op;
        const char *name;
    } rows[] = {{CY_OP_amoor_w, "llvm.vector.reduce.or"},
                {CY_OP_amoxor_w, "llvm.vector.reduce.xor"},
                {CY_OP_amoadd_w, "llvm.vector.reduce.add"}};
    if (t->version == ALONE || address->class.kind != UNIFORM ||
        in_v(&t->insts[inst->next].live, (unsigned)field(inst, CY_FIELD_vd)))
        return NULL;
    for (size_t i = 0; i < CY_COUNT(rows); i++)
        if (inst->insn.op == rows[i].op)
            return rows[i].name;
    return NULL;
}

static void lower_reduction(struct translator *t, const struct inst *inst, struct value address, struct value operand,
                            const char *name)
{
    if (!t->emit)
        return;
    LLVMValueRef operands = vector_of(t, operand), bits = active_bits(t), lowest;
    if (t->version == MASKED)
        operands = LLVMBuildAnd(t->builder, operands, LLVMBuildLoad2(t->builder, t->vi32, t->mask, ""), "");
    else if (t->lanes != t->w)
        operands = LLVMBuildAnd(t->builder, operands, strip_mask(t), "");
    lowest = LLVMBuildAnd(t->builder, bits, LLVMBuildNeg(t->builder, bits, ""), "");
    LLVMValueRef all = intrinsic(t, name, t->vi32, &operands, 1);
    LLVMBuildStore(t->builder, vector_of(t, address), t->buffers[0]);
    LLVMBuildStore(t->builder, splat(t, all), t->buffers[1]);
    LLVMValueRef args[] = {
        t->frame, number32(t, inst->access), t->buffers[0], t->buffers[1], t->buffers[2], lowest, t->item, t->memory};
    stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
}

bool lower_atomic(struct translator *t, struct inst *inst)
{
    if (inst->is_far)
        return lower_far_atomic(t, inst);
    if (!row_of(inst)->is_expression)
        return cannot(t, "%s", row_of(inst)->mnemonic);
    t->exchange.is_valid = false;
    struct value address = read_v(t, (unsigned)field(inst, CY_FIELD_vs1));
    struct value operand = read_v(t, (unsigned)field(inst, CY_FIELD_vs2));
    const char *reduction = reduction_of(t, inst, &address);
    if (reduction) {
        lower_reduction(t, inst, address, operand, reduction);
        return true;
    }
    LLVMValueRef result = NULL;
    LLVMValueRef lane = t->emit && t->version == ALONE ? lane_number(t) : NULL;
    if (t->emit && lane) {
        LLVMBuildStore(t->builder, scalar_of(t, address), lane_word(t, t->buffers[0], lane));
        LLVMBuildStore(t->builder, scalar_of(t, operand), lane_word(t, t->buffers[1], lane));
    } else if (t->emit) {
        LLVMBuildStore(t->builder, vector_of(t, address), t->buffers[0]);
        LLVMBuildStore(t->builder, vector_of(t, operand), t->buffers[1]);
    }
    if (t->emit) {
        LLVMValueRef args[] = {
            t->frame, number32(t, inst->access), t->buffers[0], t->buffers[1], t->buffers[2], active_bits(t), t->item,
            t->memory};
        stop_if(t, call_helper(t, offsetof(struct cy_jit_helpers, atomic), t->i32, args, CY_COUNT(args)));
        result = lane ? LLVMBuildLoad2(t->builder, t->i32, lane_word(t, t->buffers[2], lane), "")
                      : LLVMBuildLoad2(t->builder, t->vi32, t->buffers[2], "");
    }
    write_v(t, (unsigned)field(inst, CY_FIELD_vd), t->version == ALONE ? uniform(t, result, false) : vector(t, result));
    return true;
}
