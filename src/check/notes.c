/* What the compiler tells by accesses to addresses that no memory is behind (abi.def). */
#include "check/check_priv.h"

#include <inttypes.h>
#include <stdio.h>

static void index_out_of_range(struct cy_check_launch *l, const struct access *a, unsigned lane)
{
    if (!(l->tools & CY_CHECK_MEMORY) || !report_is_new(l, K_INDEX, a->pc, 0, 0))
        return;
    const uint32_t item =
        a->state->group->first + a->warp->tid + (a->uniform ? (unsigned)__builtin_ctzll(a->warp->active) : lane) + 1;
    struct finding f = {.kind = K_INDEX, .self = {a->pc, item, ""}};
    snprintf(f.text, sizeof(f.text), "index %" PRId32 " of an array of %" PRIu32 " elements", (int32_t)a->data[lane],
             a->state->bound);
    report_show(l, &f);
}

static void note(struct cy_check_launch *l, const struct access *a, uint32_t address, unsigned lane)
{
    struct warp_state *s = a->state;
    const uint32_t value = a->data[lane];
    switch (address) {
    case CY_CHECK_NOTE_BOUND: s->bound = value; break;
    case CY_CHECK_NOTE_INDEX: index_out_of_range(l, a, lane); break;
    case CY_CHECK_NOTE_COPY: s->copying = value != 0; break;
    case CY_CHECK_NOTE_ASYNC_TO: s->async_to = value; break;
    case CY_CHECK_NOTE_ASYNC_FROM: s->async_from = value; break;
    default: break;
    }
}

uint64_t note_access(struct cy_check_launch *l, const struct access *a)
{
    const uint64_t lanes = a->lanes;
    if (!a->op->store && l->tools & CY_CHECK_INIT)
        init_undefined(l, a);
    if (a->op->store)
        for (uint64_t left = lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            note(l, a, a->address[lane], lane);
        }
    if (a->op->store && lanes)
        sync_note(l, a, a->address[__builtin_ctzll(lanes)]);
    return a->uniform ? 1 : lanes;
}
