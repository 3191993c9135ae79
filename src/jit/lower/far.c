/* Loads and stores by 64-bit addresses: as by 32-bit ones, in whichever extent of the host's memory their group is.  What is not in one
 * extent is done by a helper, lane by lane, which also finds faults. */
#include "jit/lower/access.h"

#include "jit/translate/memory/far.h"

/* Even distances from a base: an index that counts lanes. */
static struct wide even_base(struct lower *l, LLVMValueRef base, int64_t stride)
{
    struct wide wide = {.class = {.kind = WIDE_INDEXED, .factor = (uint64_t)stride}, .base = base};
    wide.class.index = (struct class){.kind = AFFINE, .stride = 1, .align = 31};
    wide.index.class = wide.class.index;
    wide.index.scalar = number32(l->t, 0);
    return wide;
}

static struct far_access far_access_of(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    const struct cy_sir_access *access = &l->func->accesses.at[insn->access];
    const struct cy_sir_address address = lower_address(l, insn);
    const struct cy_sir_shape shape = cy_sir_address_shape(&l->shapes, insn);
    struct far_access far = {.group = access->group,
                             .offset = access->offset - lower_bias(l, access),
                             .size = access->bytes,
                             .words = 1,
                             .zero_extend = true,
                             .is_scalar = access->is_scalar};
    if (address.kind == CY_SIR_SHAPE_LANES) {
        far.form = ANY;
        far.base = wide_vector(t, lower_base(l, insn, true));
        far.lanes = of_active_lanes(t, wide_lanes(t, far.base));
        far.numbers = numbers_of(t, access->group, far.lanes);
        return far;
    }
    const bool is_one = address.kind == CY_SIR_SHAPE_ONE;
    LLVMValueRef base = is_one && !cy_sir_is_one(&shape) ? lower_first_active(l, lower_base(l, insn, true), insn->mask)
                                                         : lower_base(l, insn, false);
    far.form = is_one ? ONE : SPAN;
    far.stride = address.stride;
    far.base = is_one ? wide_uniform(t, base, false) : even_base(l, base, address.stride);
    return far;
}

void lower_far_check(struct lower *l, const struct cy_sir_insn *insn)
{
    const struct far_access far = far_access_of(l, insn);
    check_far_group(l->t, &far);
}

/* The translator's functions know an instruction by its row of the image's table. */
static struct inst place_of(const struct lower *l, const struct cy_sir_insn *insn)
{
    return (struct inst){.access = l->accesses[insn->access]};
}

LLVMValueRef lower_far_load(struct lower *l, const struct cy_sir_insn *insn)
{
    LLVMValueRef out[4] = {0};
    lower_under(l, insn->mask);
    const struct inst place = place_of(l, insn);
    struct far_access far = far_access_of(l, insn);
    emit_far_access(l->t, &place, &far, NULL, out);
    LLVMTypeRef type = lower_type(l, (enum cy_sir_type)insn->type);
    type = is_vector(LLVMTypeOf(out[0])) ? LLVMVectorType(type, l->t->w) : type;
    return LLVMBuildTruncOrBitCast(l->t->builder, out[0], type, "");
}

/* Data as words, of which the lowest bits are stored. */
static LLVMValueRef as_words(struct lower *l, LLVMValueRef data)
{
    LLVMTypeRef type = is_vector(LLVMTypeOf(data)) ? l->t->vi32 : l->t->i32;
    return LLVMTypeOf(data) == type ? data : LLVMBuildZExt(l->t->builder, data, type, "");
}

void lower_far_store(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMValueRef out[4] = {0};
    lower_under(l, insn->mask);
    const struct inst place = place_of(l, insn);
    struct far_access far = far_access_of(l, insn);
    struct value data = {.class = {.kind = VECTOR}};
    if (lower_is_one(l, insn->args[2]))
        data = uniform(t, as_words(l, lower_number(l, insn->args[2])), false);
    else if (far.is_scalar)
        data = uniform(t, as_words(l, lower_first_active(l, lower_vector(l, insn->args[2]), insn->mask)), false);
    else
        data.vector = as_words(l, lower_vector(l, insn->args[2]));
    emit_far_access(t, &place, &far, &data, out);
}
