/* Each load and store gets the form in which its words are moved, by how its lanes lie and by what the host is good at: lowering does what
 * it says. */
#include "jit/transform/transform.h"

#include "jit/analyse/address.h"

static bool gathers(const struct cy_sir_func *func)
{
    return func->host >= CY_JIT_FORMS_512;
}

/* Of words anywhere.  Hosts scatter words, but no parts of them. */
static enum cy_sir_form form_of_lanes(const struct cy_sir_func *func, const struct cy_sir_insn *insn)
{
    const bool is_word = func->accesses.at[insn->access].bytes == 4;
    return gathers(func) && (is_word || insn->op == CY_SIR_LOAD) ? CY_SIR_FORM_GATHER : CY_SIR_FORM_LANES;
}

static enum cy_sir_form form_of(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn)
{
    const struct cy_sir_func *func = shapes->func;
    const struct cy_sir_access *access = &func->accesses.at[insn->access];
    if (cy_sir_is_constant_load(shapes, insn))
        return CY_SIR_FORM_CONSTANT;
    const uint32_t align = access->group == CY_SIR_NOTHING ? access->align : func->groups.at[access->group].align;
    const struct cy_sir_address address = cy_sir_address_of(shapes, insn, align);
    if (access->space == CY_SIR_PRIVATE)
        return address.kind == CY_SIR_SHAPE_ONE ? CY_SIR_FORM_INTERLEAVED : form_of_lanes(func, insn);
    if (access->is_scalar || address.kind == CY_SIR_SHAPE_ONE)
        return CY_SIR_FORM_SCALAR;
    if (address.may_be_row && access->bytes == 4)
        return CY_SIR_FORM_MAYBE_ROW;
    if (address.kind == CY_SIR_SHAPE_LANES)
        return form_of_lanes(func, insn);
    return address.stride == access->bytes ? CY_SIR_FORM_ROW : CY_SIR_FORM_STRIDE;
}

void cy_sir_pass_forms(struct cy_sir_func *func)
{
    struct cy_arena arena = {0};
    struct cy_sir_shapes shapes = cy_sir_find_shapes(&arena, func);
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(func, func->blocks.at[b].list.at[i]);
            if (insn->op == CY_SIR_LOAD || insn->op == CY_SIR_STORE)
                func->accesses.at[insn->access].form = (uint8_t)form_of(&shapes, insn);
        }
    cy_sir_free_shapes(&shapes);
    cy_arena_free(&arena);
}
