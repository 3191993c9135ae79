/* Checks of addresses, and the image's tables of accesses and groups.  The rows of a group follow each other. */
#include "jit/lower/access.h"

#include <string.h>

/* ---- the image's tables ---- */

/* The helper finds that of an exchange's store behind that of its load. */
static void list_store(struct translator *t)
{
    struct cy_jit_access store = t->accesses.at[t->accesses.count - 1];
    store.access = WRITE;
    *cy_vec_push(&t->accesses) = store;
}

static void list_access(struct lower *l, size_t number)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[number];
    const bool is_atomic = cy_insns[access->op].flags & CY_F_ATOMIC;
    l->accesses[number] = (uint32_t)t->accesses.count;
    *cy_vec_push(&t->accesses) = (struct cy_jit_access){
        .pc = access->pc,
        .word = access->word,
        .prefix = access->prefix,
        .offset = (int32_t)(access->offset - lower_bias(l, access)),
        .op = access->op,
        .size = access->bytes,
        .access = access->rights,
        .words = 1,
        .is_far = access->space == CY_SIR_FAR,
        .is_apart = is_atomic && access->is_apart,
    };
    if (is_atomic && cy_insns[access->op].format == CY_FORMAT_LR)
        list_store(t);
}

/* Offsets that are not small are added to the base: what is accessed around it, in lanes that are not active, must be in or near the
 * window. */
int64_t lower_bias(const struct lower *l, const struct cy_sir_access *access)
{
    enum { SMALL = 4096 };
    if (access->group == CY_SIR_NOTHING)
        return 0;
    const struct cy_sir_group *group = &l->func->groups.at[access->group];
    return group->low < -SMALL || group->high > SMALL ? group->low : 0;
}

static void list_group(struct lower *l, const struct cy_sir_group *group, const uint32_t *members, uint32_t count)
{
    const int64_t bias = lower_bias(l, &l->func->accesses.at[members[0]]);
    *cy_vec_push(&l->t->groups) = (struct cy_jit_group){
        .first = (uint32_t)l->t->accesses.count,
        .count = count,
        .low = (int32_t)(group->low - bias),
        .high = (int32_t)(group->high - bias),
        .rights = group->rights,
        .is_private = group->space == CY_SIR_PRIVATE,
        .align = (uint8_t)__builtin_ctz(group->align),
    };
    for (uint32_t i = 0; i < count; i++)
        list_access(l, members[i]);
}

/* The accesses of each group, and then those that have none. */
void list_accesses(struct lower *l)
{
    const struct cy_sir_func *func = l->func;
    const size_t count = func->accesses.count, groups = func->groups.count;
    uint32_t *start = cy_arena_alloc(&l->t->arena, (groups + 2) * sizeof(*start));
    uint32_t *members = cy_arena_alloc(&l->t->arena, (count + 1) * sizeof(*members));
    memset(start, 0, (groups + 2) * sizeof(*start));
    l->accesses = cy_arena_alloc(&l->t->arena, (count + 1) * sizeof(*l->accesses));
    for (size_t i = 0; i < count; i++)
        if (func->accesses.at[i].group != CY_SIR_NOTHING)
            start[func->accesses.at[i].group + 2]++;
    for (size_t g = 2; g < groups + 2; g++)
        start[g] += start[g - 1];
    for (uint32_t i = 0; i < count; i++)
        if (func->accesses.at[i].group != CY_SIR_NOTHING)
            members[start[func->accesses.at[i].group + 1]++] = i;
    for (size_t g = 0; g < groups; g++)
        list_group(l, &func->groups.at[g], members + start[g], start[g + 1] - start[g]);
    for (size_t i = 0; i < count; i++)
        if (func->accesses.at[i].group == CY_SIR_NOTHING)
            list_access(l, i);
}

uint32_t lower_site(struct lower *l)
{
    const uint32_t site = l->t->site_count;
    l->t->site_count += (uint32_t)CY_JIT_FAR_SITES; /* enough for every kind */
    return site;
}

/* ---- addresses ---- */

LLVMValueRef lower_first_active(struct lower *l, LLVMValueRef vector, cy_sir_value mask)
{
    struct translator *t = l->t;
    LLVMValueRef args[] = {lower_bits(l, mask), LLVMConstInt(t->i1, 0, false)};
    LLVMValueRef lane = LLVMBuildAnd(t->builder, intrinsic(t, "llvm.cttz", t->i32, args, 2), number32(t, t->w - 1), "");
    return LLVMBuildExtractElement(t->builder, vector, lane, "");
}

static LLVMValueRef constant_like(struct lower *l, LLVMValueRef value, uint64_t number)
{
    LLVMTypeRef type = LLVMTypeOf(value);
    if (!is_vector(type))
        return LLVMConstInt(type, number, false);
    return lower_splat(l, LLVMConstInt(LLVMGetElementType(type), number, false));
}

LLVMValueRef lower_plus(struct lower *l, LLVMValueRef value, int64_t offset)
{
    return offset ? LLVMBuildAdd(l->t->builder, value, constant_like(l, value, (uint64_t)offset), "") : value;
}

/* Without the offset: of lane 0, or of all. */
LLVMValueRef lower_base(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    LLVMBuilderRef b = l->t->builder;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    LLVMValueRef base = is_vector ? lower_vector(l, insn->args[0]) : lower_number(l, insn->args[0]);
    base = lower_plus(l, base, lower_bias(l, access));
    if (!insn->args[1])
        return base;
    LLVMValueRef index = is_vector ? lower_vector(l, insn->args[1]) : lower_number(l, insn->args[1]);
    LLVMTypeRef type = LLVMTypeOf(base);
    if (LLVMTypeOf(index) != type)
        index = access->is_index_signed ? LLVMBuildSExt(b, index, type, "") : LLVMBuildZExt(b, index, type, "");
    index = LLVMBuildShl(b, index, constant_like(l, index, access->scale), "");
    return LLVMBuildAdd(b, base, index, "");
}

/* Lanes as the group is checked. */
struct cy_sir_address lower_address(struct lower *l, const struct cy_sir_insn *insn)
{
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    const uint32_t align = access->group == CY_SIR_NOTHING ? access->align : l->func->groups.at[access->group].align;
    if (access->is_scalar)
        return (struct cy_sir_address){.kind = CY_SIR_SHAPE_ONE};
    return cy_sir_address_of(&l->shapes, insn, align);
}

/* What the checks take, without the offset. */
struct value lower_address_value(struct lower *l, const struct cy_sir_insn *insn, struct cy_sir_address address)
{
    const struct cy_sir_shape shape = cy_sir_address_shape(&l->shapes, insn);
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    struct value value = {.class = {.kind = VECTOR}};
    if (address.kind == CY_SIR_SHAPE_LANES) {
        value.vector = lower_base(l, insn, true);
        return value;
    }
    value.class.kind = address.kind == CY_SIR_SHAPE_ONE ? UNIFORM : AFFINE;
    value.class.stride = (uint32_t)address.stride;
    value.class.in_group = shape.in_group && !access->is_scalar;
    value.class.item_factor = (uint32_t)shape.item_factor;
    value.class.lane_factor = (uint32_t)shape.lane_factor;
    value.class.is_const = shape.is_const && !shape.origin && cy_sir_is_one(&shape);
    value.class.constant = (uint32_t)shape.constant - (uint32_t)(access->offset - lower_bias(l, access));
    if (access->is_scalar && !cy_sir_is_one(&shape))
        value.scalar = lower_first_active(l, lower_base(l, insn, true), insn->mask);
    else
        value.scalar = lower_base(l, insn, false);
    return value;
}

/* ---- masks ---- */

static bool is_full(const struct lower *l, cy_sir_value mask)
{
    const struct cy_sir_insn *insn = mask ? cy_sir_at(l->func, mask) : NULL;
    const struct cy_sir_shape *shape = &l->shapes.value[mask];
    if (!insn || (l->t->all_whole && insn->op == CY_SIR_SOURCE && insn->imm == CY_SIR_SOURCE_EXISTS))
        return true;
    return shape->kind == CY_SIR_SHAPE_ONE && shape->is_const && shape->constant;
}

/* For what stands on the translator's functions: they find the active lanes there. */
bool lower_under(struct lower *l, cy_sir_value mask)
{
    struct translator *t = l->t;
    const bool has_all = is_full(l, mask);
    t->version = has_all ? FULL : MASKED;
    if (!has_all)
        LLVMBuildStore(t->builder, LLVMBuildSExt(t->builder, lower_mask(l, mask), t->vi32, ""), t->mask);
    return has_all;
}

/* ---- the check ---- */

/* The first two lanes decide what is asked about all: then the ends of a row, or one word, speak for the others. */
static void check_maybe_row(struct translator *t, uint32_t number, struct value base)
{
    LLVMBuilderRef b = t->builder;
    base.scalar = LLVMBuildExtractElement(b, base.vector, number32(t, 0), "");
    LLVMValueRef kind = find_kind(t, base.vector, base.scalar, 4, 0);
    LLVMValueRef is_row = LLVMBuildICmp(b, LLVMIntEQ, kind, number32(t, KIND_ROW), "");
    t->group_kind[number] = kind;
    base.step = LLVMBuildSelect(b, is_row, number32(t, 4), number32(t, 0), "");
    check_lanes(t, number, base, true, LLVMBuildICmp(b, LLVMIntNE, kind, number32(t, KIND_APART), ""));
}

void lower_check(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    const uint32_t number = (uint32_t)insn->imm;
    const struct cy_sir_address address = lower_address(l, insn);
    lower_under(l, insn->mask);
    if (l->func->groups.at[number].space == CY_SIR_FAR) {
        lower_far_check(l, insn);
        return;
    }
    const struct value base = lower_address_value(l, insn, address);
    if (t->groups.at[number].is_private) {
        if (t->request->private_bytes)
            check_private(t, number, base);
    } else if (address.may_be_row) {
        check_maybe_row(t, number, base);
    } else if (address.kind == CY_SIR_SHAPE_LANES) {
        check_lanes(t, number, base, false, NULL);
    } else {
        check_affine(t, number, base);
    }
}
