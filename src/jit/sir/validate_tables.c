/* What must hold of a function's tables. */
#include "jit/sir/validate_priv.h"

#include "isa/isa.h"
#include "jit/sir/sir_text_priv.h"

static bool is_power_of_two(uint32_t number)
{
    return number && !(number & (number - 1));
}

/* ---- the launch and the strip ---- */

static const char *check_launch(const struct cy_sir_func *func)
{
    if (func->form > CY_SIR_FORM_VECTOR || func->target >= CY_TARGET_COUNT || func->host >= CY_SIR_HOSTS)
        return "there is no such form, generation or host";
    const uint64_t items = (uint64_t)func->local[0] * func->local[1];
    if (items > UINT32_MAX || items * func->local[2] != func->strip.items)
        return "the strip's items are not those of the workgroup";
    if ((uint64_t)func->threads * func->warps < func->strip.items)
        return "the warps are too few for the workgroup";
    return NULL;
}

static const char *check_strip(const struct cy_sir_func *func)
{
    enum { MOST = 64 };
    const struct cy_sir_strip *strip = &func->strip;
    if (func->form == CY_SIR_FORM_SIMT && !strip->lanes && !strip->width)
        return NULL; /* not chosen yet */
    if (!strip->lanes || strip->lanes > MOST)
        return "a strip has 1 to 64 lanes";
    if (!is_power_of_two(strip->width) || strip->width < strip->lanes)
        return "a strip's width is a power of two, and at least its lanes";
    if (strip->items && (!strip->row || strip->items % strip->row))
        return "the workgroup is not made of rows";
    if (strip->is_whole && strip->row % strip->lanes)
        return "strips have all of their lanes, but rows end with a shorter one";
    if (func->form == CY_SIR_FORM_VECTOR && func->exchanges && strip->lanes != func->threads)
        return "lanes exchange values, but a strip is not a warp";
    return NULL;
}

static const char *check_phases(struct cy_sir_func *func)
{
    if (func->phases.count && func->form == CY_SIR_FORM_SIMT)
        return "phases are only in vector form";
    for (size_t i = 0; i < func->phases.count; i++) {
        const uint32_t start = func->phases.at[i];
        if (start >= func->blocks.count)
            return cy_arena_printf(&func->arena, "phase %zu starts in a block that does not exist", i);
        const struct cy_sir_block *block = &func->blocks.at[start];
        const cy_sir_value first = block->list.count ? block->list.at[0] : 0;
        if (first < func->insns.count && cy_sir_at(func, first)->op == CY_SIR_PHI)
            return cy_arena_printf(&func->arena, "phase %zu starts in a block with a phi", i);
    }
    return NULL;
}

/* ---- memory ---- */

static const char *check_group(const struct cy_sir_group *group)
{
    if (!group->rights || group->rights >= CY_SIR_RIGHTS)
        return "it neither reads nor writes";
    if (group->space >= CY_SIR_SPACES)
        return "there is no such space";
    if (group->low >= group->high)
        return "its range is empty";
    if (!is_power_of_two(group->align))
        return "its alignment is not a power of two";
    return NULL;
}

static const char *check_access_group(const struct cy_sir_func *func, const struct cy_sir_access *access)
{
    if (access->group >= func->groups.count)
        return "there is no such group";
    const struct cy_sir_group *group = &func->groups.at[access->group];
    if (group->space != access->space)
        return "its group is of another space";
    if (access->rights & ~group->rights)
        return "its group does not check its rights";
    if (access->offset < group->low || access->offset > group->high - access->bytes)
        return "it is outside its group's range";
    return NULL;
}

static const char *check_access(const struct cy_sir_func *func, const struct cy_sir_access *access)
{
    enum { MOST_SCALE = 6 };
    if (!access->rights || access->rights >= CY_SIR_RIGHTS)
        return "it neither reads nor writes";
    if (access->bytes != 1 && access->bytes != 2 && access->bytes != 4 && access->bytes != 8)
        return "a word has 1, 2, 4 or 8 bytes";
    if (access->space >= CY_SIR_SPACES)
        return "there is no such space";
    if (!is_power_of_two(access->align))
        return "its alignment is not a power of two";
    if (access->op >= CY_OP_COUNT)
        return "there is no such instruction";
    if (access->scale > MOST_SCALE)
        return "its scale is too large";
    if (access->words ? access->nth >= access->words : access->nth)
        return "there is no such word of the instruction";
    if (access->form >= CY_SIR_MOVES)
        return "there is no such form of access";
    return access->group == CY_SIR_NOTHING ? NULL : check_access_group(func, access);
}

static const char *check_counting(struct cy_sir_func *func)
{
    const size_t counters = func->counts == CY_JIT_COUNT_LANES ? CY_JIT_COUNTS : 2 * func->codes.count;
    if (func->counts > CY_JIT_COUNT_INSNS)
        return "there is no such way of counting";
    if (func->counts && func->counters != counters)
        return "it has not the counters of what is counted";
    for (size_t i = 0; i < func->codes.count; i++) {
        const struct cy_sir_code *code = &func->codes.at[i];
        if (code->first >= code->end || (code->join && code->join >= code->join_end))
            return cy_arena_printf(&func->arena, "code %zu is empty", i);
    }
    return NULL;
}

const char *cy_sir_check_tables(struct cy_sir_func *func)
{
    const char *wrong = check_launch(func);
    wrong = wrong ? wrong : check_counting(func);
    wrong = wrong ? wrong : check_strip(func);
    wrong = wrong ? wrong : check_phases(func);
    for (size_t i = 0; !wrong && i < func->cells.count; i++)
        if (func->cells.at[i].type == CY_SIR_VOID || func->cells.at[i].type >= CY_SIR_TYPES)
            wrong = cy_arena_printf(&func->arena, "cell %zu has no type", i);
    for (size_t i = 0; !wrong && i < func->groups.count; i++) {
        const char *why = check_group(&func->groups.at[i]);
        wrong = why ? cy_arena_printf(&func->arena, "group %zu: %s", i, why) : NULL;
    }
    for (size_t i = 0; !wrong && i < func->accesses.count; i++) {
        const char *why = check_access(func, &func->accesses.at[i]);
        wrong = why ? cy_arena_printf(&func->arena, "access %zu: %s", i, why) : NULL;
    }
    return wrong;
}
