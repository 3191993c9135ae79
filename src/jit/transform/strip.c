/* Which work-items run together: strips as wide as they were asked for, that divide the rows of the workgroup; a warp, where it shows
 * which lanes run together. */
#include "jit/transform/transform.h"

bool cy_sir_choose_strip(struct cy_sir_func *func, const struct cy_jit_request *request)
{
    const uint32_t *local = request->local, row = cy_jit_row(local);
    const bool in_lockstep = request->exchanges || request->counts || func->exchanges;
    struct cy_sir_strip *strip = &func->strip;
    strip->items = strip->row = local[0] * local[1] * local[2];
    strip->lanes = in_lockstep ? request->threads : request->strip;
    while (!in_lockstep && strip->lanes > 1 &&
           (request->threads % strip->lanes || (row > strip->lanes && row % strip->lanes)))
        strip->lanes--;
    for (strip->width = 2; strip->width < strip->lanes;)
        strip->width *= 2;
    strip->is_whole = request->whole && strip->row % strip->lanes == 0;
    return !in_lockstep || (strip->lanes >= 2 && strip->lanes <= CY_JIT_MAX_STRIP);
}
