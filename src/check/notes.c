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

/* Of a type that needs more than the words it is accessed by. */
static void alignment(struct cy_check_launch *l, const struct access *a, unsigned lane)
{
    const uint32_t low = a->data[lane] & 0xffff, align = a->data[lane] >> 16;
    if (!low || !(l->tools & CY_CHECK_MEMORY) || !report_is_new(l, K_MISALIGNED, a->pc, 0, 0))
        return;
    const unsigned who = a->uniform ? (unsigned)__builtin_ctzll(a->warp->active) : lane;
    struct finding f = {.kind = K_MISALIGNED, .self = {a->pc, item_of(l, a, who), ""}};
    snprintf(f.text, sizeof(f.text),
             "access at an address that is not a multiple of %" PRIu32
             ", as its type requires: the remainder is %" PRIu32,
             align, low);
    report_show(l, &f);
}

static void note(struct cy_check_launch *l, const struct access *a, uint32_t address, unsigned lane)
{
    struct warp_state *s = a->state;
    const uint32_t value = a->data[lane];
    switch (address) {
    case CY_CHECK_NOTE_BOUND: s->bound = value; break;
    case CY_CHECK_NOTE_INDEX: index_out_of_range(l, a, lane); break;
    case CY_CHECK_NOTE_ALIGN: alignment(l, a, lane); break;
    case CY_CHECK_NOTE_COPY: s->copying = value != 0; break;
    case CY_CHECK_NOTE_ASYNC_TO: s->async.to = value; break;
    case CY_CHECK_NOTE_ASYNC_FROM: s->async.from = value; break;
    case CY_CHECK_NOTE_ASYNC_SIZE: s->async.size = value; break;
    case CY_CHECK_NOTE_ASYNC_TO_STEP: s->async.to_step = value; break;
    case CY_CHECK_NOTE_ASYNC_FROM_STEP: s->async.from_step = value; break;
    case CY_CHECK_NOTE_EVENT: s->async.event = value; break;
    case CY_CHECK_NOTE_ORDER: s->order = value; break;
    case CY_CHECK_NOTE_ORDER_END: s->order = ORDER_OLD; break;
    default: break;
    }
}

/* The event of an asynchronous copy is the only note that is read. */
static void give_event(const struct access *a)
{
    const uint32_t event = sync_event_of(a->state);
    uint32_t *row = a->warp->v + (size_t)a->op->d * a->warp->numt;
    if (a->uniform)
        a->warp->x[a->op->d] = event;
    for (uint64_t left = a->uniform ? 0 : a->lanes; left; left &= left - 1)
        row[__builtin_ctzll(left)] = event;
}

uint64_t note_access(struct cy_check_launch *l, const struct access *a)
{
    const uint64_t lanes = a->lanes;
    const uint32_t first = a->address[__builtin_ctzll(lanes)];
    if (!a->op->store && first == CY_CHECK_NOTE_EVENT)
        give_event(a);
    if (!a->op->store && l->tools & CY_CHECK_INIT)
        (first < CY_CHECK_NOTES ? init_undefined : init_defined)(l, a);
    if (a->op->store)
        for (uint64_t left = lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            note(l, a, a->address[lane], lane);
        }
    if (a->op->store)
        sync_note(l, a, first);
    if (a->op->store && first == CY_CHECK_NOTE_FENCE && l->tools & CY_CHECK_RACE)
        race_fence(l, a, a->data[__builtin_ctzll(lanes)]);
    return a->uniform ? 1 : lanes;
}
