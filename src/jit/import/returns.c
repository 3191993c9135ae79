/* Calls.  What is called is copied for each call, so that it returns to one place, with what is known there; a return whose address is not
 * known is compared with that place.  Where this becomes too much, or a function calls itself, all calls share one copy, and a return
 * may lead behind any of them. */
#include "jit/import/import_priv.h"

enum { MOST_COPIES = 12, ENOUGH = 40000 }; /* times the words of the code; instructions that are never too many */

bool may_grow(struct importer *im)
{
    if (im->is_shared || im->reached <= ENOUGH || im->reached <= (uint64_t)MOST_COPIES * im->count)
        return true;
    share_calls(im);
    return false;
}

void share_calls(struct importer *im)
{
    im->is_shared = im->begins_again = true;
}

uint32_t context_of_call(struct importer *im, uint32_t context, uint32_t callee, uint32_t site)
{
    if (im->is_shared)
        return add_site(im, site) ? context : NONE;
    for (uint32_t c = context; c != NONE; c = im->contexts.at[c].parent)
        if (im->contexts.at[c].callee == callee) {
            share_calls(im);
            return NONE;
        }
    for (uint32_t c = context + 1; c < im->contexts.count; c++)
        if (im->contexts.at[c].parent == context && im->contexts.at[c].site == site)
            return c;
    *cy_vec_push(&im->contexts) = (struct context){context, callee, site};
    return (uint32_t)im->contexts.count - 1;
}

bool add_site(struct importer *im, uint32_t site)
{
    for (size_t i = 0; i < im->sites.count; i++)
        if (im->sites.at[i] == site)
            return true;
    *cy_vec_push(&im->sites) = site;
    for (uint32_t i = 0; i < im->pieces.count; i++) /* every return may lead there */
        if (im->pieces.at[i]->returns.count)
            *cy_vec_push(&im->work) = i;
    return true;
}

static bool return_to(struct importer *im, struct piece *piece, uint32_t context, uint32_t site,
                      const struct facts *out)
{
    const uint32_t to = reach(im, context, site, out);
    if (to == NONE)
        return false;
    for (size_t i = 0; i < piece->returns.count; i++)
        if (piece->returns.at[i] == to)
            return true;
    *cy_vec_push(&piece->returns) = to;
    return true;
}

bool leave_by_return(struct importer *im, struct piece *piece, const struct facts *out)
{
    const struct context *context = &im->contexts.at[piece->context];
    const struct inst *inst = inst_at(im, piece->last);
    const struct cy_operand *base = cy_effects_operand(&inst->effects, CY_ROLE_BASE);
    const struct constant to = plus(out->x[base->value], (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm12, 0));
    if (!im->is_shared) {
        const bool may_return = to.is == KNOWN ? word_at(im, to.value & ~1u) == context->site : inst->effects.is_return;
        if (context->parent == NONE || !may_return)
            return false;
        piece->is_return_known = to.is == KNOWN;
        return return_to(im, piece, context->parent, context->site, out);
    }
    if (!inst->effects.is_return)
        return false;
    for (size_t i = 0; i < im->sites.count; i++)
        if (!return_to(im, piece, piece->context, im->sites.at[i], out))
            return false;
    return im->sites.count != 0;
}
