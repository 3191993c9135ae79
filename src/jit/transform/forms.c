/* Each load and store gets the form in which its words are moved, by how its lanes lie, by what else its group accesses, and by what the
 * host is good at: lowering does what it says. */
#include "jit/transform/forms_priv.h"

#include <string.h>

bool forms_gathers(const struct cy_sir_func *func)
{
    return func->host >= CY_JIT_FORMS_512;
}

/* ---- the accesses of a group ---- */

static void list_members(struct forms *f)
{
    const struct cy_sir_func *func = f->func;
    const size_t groups = func->groups.count, count = func->accesses.count;
    f->start = memset(cy_arena_alloc(&f->arena, (groups + 2) * sizeof(*f->start)), 0, (groups + 2) * sizeof(*f->start));
    f->members = cy_arena_alloc(&f->arena, (count + 1) * sizeof(*f->members));
    for (size_t i = 0; i < count; i++)
        if (func->accesses.at[i].group != CY_SIR_NOTHING)
            f->start[func->accesses.at[i].group + 2]++;
    for (size_t g = 2; g < groups + 2; g++)
        f->start[g] += f->start[g - 1];
    for (uint32_t i = 0; i < count; i++)
        if (func->accesses.at[i].group != CY_SIR_NOTHING)
            f->members[f->start[func->accesses.at[i].group + 1]++] = i;
}

/* Of the four words around an access, from a multiple of sixteen bytes above the group's first one on: a set of those that the group has. */
static unsigned words_around(const struct forms *f, const struct cy_sir_access *access)
{
    const int64_t low = f->func->groups.at[access->group].low, chunk = (access->offset - low) / 16;
    unsigned words = 0;
    for (uint32_t i = f->start[access->group]; i < f->start[access->group + 1]; i++) {
        const struct cy_sir_access *other = &f->func->accesses.at[f->members[i]];
        const int64_t at = other->offset - low;
        if (other->bytes == 4 && at % 4 == 0 && at / 16 == chunk)
            words |= 1u << at / 4 % 4;
    }
    return words;
}

/* ---- loads ---- */

/* Three words of four are loaded as all of them, and transposed; two as elements of eight bytes. */
static enum cy_sir_form form_of_words(const struct forms *f, const struct cy_sir_insn *insn, enum cy_sir_form alone)
{
    const struct cy_sir_access *access = &f->func->accesses.at[insn->access];
    const int64_t at = access->offset - f->func->groups.at[access->group].low;
    const unsigned words = words_around(f, access), pair = 3u << (at / 4 % 4 & ~1);
    if (at % 4 || f->func->strip.width < 4)
        return alone;
    if (__builtin_popcount(words) > 2)
        return CY_SIR_FORM_CHUNK;
    return alone == CY_SIR_FORM_GATHER && (words & pair) == pair ? CY_SIR_FORM_PAIR : alone;
}

/* Of words anywhere.  Hosts scatter words, but no parts of them. */
static enum cy_sir_form form_of_lanes(const struct cy_sir_func *func, const struct cy_sir_insn *insn)
{
    const bool is_word = func->accesses.at[insn->access].bytes == 4;
    return forms_gathers(func) && (is_word || insn->op == CY_SIR_LOAD) ? CY_SIR_FORM_GATHER : CY_SIR_FORM_LANES;
}

/* Words of the window, not all in one row. */
static enum cy_sir_form form_of_spread(const struct forms *f, const struct cy_sir_insn *insn,
                                       struct cy_sir_address address)
{
    const struct cy_sir_access *access = &f->func->accesses.at[insn->access];
    const bool is_near_load = insn->op == CY_SIR_LOAD && access->space == CY_SIR_NEAR;
    const bool has_instructions = address.stride == 8 || address.stride == 12; /* hosts have */
    enum cy_sir_form alone = CY_SIR_FORM_STRIDE;
    if (is_near_load && access->bytes < 4)
        return CY_SIR_FORM_NARROW;
    if (address.kind == CY_SIR_SHAPE_LANES)
        alone = address.may_be_row ? CY_SIR_FORM_MAYBE_ROW : form_of_lanes(f->func, insn);
    return is_near_load && !has_instructions ? form_of_words(f, insn, alone) : alone;
}

static enum cy_sir_form form_of(struct forms *f, const struct cy_sir_insn *insn)
{
    const struct cy_sir_func *func = f->func;
    const struct cy_sir_access *access = &func->accesses.at[insn->access];
    if (cy_sir_is_constant_load(&f->shapes, insn))
        return CY_SIR_FORM_CONSTANT;
    const struct cy_sir_address address = forms_address(f, insn);
    if (access->space == CY_SIR_PRIVATE)
        return address.kind == CY_SIR_SHAPE_ONE ? CY_SIR_FORM_INTERLEAVED : form_of_lanes(func, insn);
    if (access->is_scalar || address.kind == CY_SIR_SHAPE_ONE)
        return CY_SIR_FORM_SCALAR;
    if (address.kind == CY_SIR_SHAPE_EVEN && address.stride == access->bytes)
        return CY_SIR_FORM_ROW;
    if (access->group != CY_SIR_NOTHING)
        return form_of_spread(f, insn, address);
    return address.kind == CY_SIR_SHAPE_EVEN ? CY_SIR_FORM_STRIDE : form_of_lanes(func, insn);
}

struct cy_sir_address forms_address(struct forms *f, const struct cy_sir_insn *insn)
{
    const struct cy_sir_access *access = &f->func->accesses.at[insn->access];
    const uint32_t align = access->group == CY_SIR_NOTHING ? access->align : f->func->groups.at[access->group].align;
    return cy_sir_address_of(&f->shapes, insn, align);
}

void cy_sir_pass_forms(struct cy_sir_func *func)
{
    struct forms f = {.func = func};
    f.shapes = cy_sir_find_shapes(&f.arena, func);
    list_members(&f);
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(func, func->blocks.at[b].list.at[i]);
            if (insn->op == CY_SIR_LOAD || insn->op == CY_SIR_STORE)
                func->accesses.at[insn->access].form = (uint8_t)form_of(&f, insn);
        }
        forms_join_stores(&f, b);
    }
    cy_sir_free_shapes(&f.shapes);
    cy_arena_free(&f.arena);
}
