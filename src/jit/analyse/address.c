#include "jit/analyse/address.h"

/* Lanes that are farther apart may be anywhere: what surrounds the window does not cover a strip of them.  Of 64-bit addresses all of a
 * strip must be in one extent. */
enum { FAR_APART = 1024, FAR_APART_IN_EXTENTS = 1 << 20 };

/* Asking costs more than it saves in narrow strips, and of lanes that are not active nothing is known. */
static bool may_be_row(const struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn,
                       const struct cy_sir_shape *shape, uint32_t align)
{
    const struct cy_sir_strip *strip = &shapes->func->strip;
    const bool is_near = shapes->func->accesses.at[insn->access].space == CY_SIR_NEAR;
    return shape->kind == CY_SIR_SHAPE_LANES && shape->is_computed && is_near && align == 4 && !insn->mask &&
           strip->lanes == strip->width && strip->lanes >= 8;
}

struct cy_sir_address cy_sir_address_of(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn, uint32_t align)
{
    const struct cy_sir_shape shape = cy_sir_address_shape(shapes, insn);
    const bool is_far = shapes->func->accesses.at[insn->access].space == CY_SIR_FAR;
    const int64_t stride = is_far ? (int64_t)shape.stride : (int32_t)shape.stride;
    if (cy_sir_is_one(&shape))
        return (struct cy_sir_address){.kind = CY_SIR_SHAPE_ONE};
    const int64_t most = is_far ? FAR_APART_IN_EXTENTS : FAR_APART;
    if (shape.kind == CY_SIR_SHAPE_LANES || stride <= -most || stride >= most || stride % align)
        return (struct cy_sir_address){.kind = CY_SIR_SHAPE_LANES,
                                       .may_be_row = may_be_row(shapes, insn, &shape, align)};
    return (struct cy_sir_address){.kind = CY_SIR_SHAPE_EVEN, .stride = stride};
}

bool cy_sir_is_constant_load(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const struct cy_sir_access *access = &shapes->func->accesses.at[insn->access];
    const struct cy_sir_shape shape = cy_sir_address_shape(shapes, insn);
    const uint64_t at = shape.constant;
    if (insn->op != CY_SIR_LOAD || !cy_sir_is_one(&shape) || !shape.origin || access->space != CY_SIR_NEAR)
        return false;
    if (shape.origin == CY_SIR_ORIGIN_METADATA)
        return access->bytes == 4 && !(at & 3) && at / 4 < CY_JIT_METADATA_WORDS;
    return at < shapes->func->argument_bytes && access->bytes <= shapes->func->argument_bytes - at;
}
