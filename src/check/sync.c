/* Barriers and asynchronous copies: every work-item of a group reaches the same ones, in the same order. */
#include "check/check_priv.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static uint32_t first_item(const struct warp_state *state, const struct cy_warp *warp, uint64_t lanes)
{
    return state->group->first + warp->tid + (lanes ? (unsigned)__builtin_ctzll(lanes) : 0) + 1;
}

static void not_reached(struct cy_check_launch *l, uint32_t pc, uint32_t item, uint32_t other, const char *why)
{
    if (!report_is_new(l, K_BARRIER, pc, 0, 0))
        return;
    struct finding f = {.kind = K_BARRIER, .self = {pc, item, "reached"}, .other = {0, other, "not reached"}};
    snprintf(f.text, sizeof(f.text), "%s", why);
    report_show(l, &f);
}

static void different(struct cy_check_launch *l, uint32_t pc, uint32_t other_pc, uint32_t item, uint32_t other)
{
    const uint32_t low = pc < other_pc ? pc : other_pc, high = pc < other_pc ? other_pc : pc;
    if (!report_is_new(l, K_BARRIER, low, high, 1))
        return;
    struct finding f = {.kind = K_BARRIER, .self = {pc, item, "waits here"}, .other = {other_pc, other, "waits here"}};
    snprintf(f.text, sizeof(f.text), "work-items of one work-group wait at different barriers");
    report_show(l, &f);
}

void sync_barrier(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc,
                  unsigned flags)
{
    struct group *group = state->group;
    const uint64_t missing = warp->full & ~warp->active;
    if (l->tools & CY_CHECK_SYNC) {
        const uint32_t item = first_item(state, warp, warp->active);
        if (missing)
            not_reached(l, pc, item, first_item(state, warp, missing), "not all work-items of the work-group reach it");
        else if (state->barriers < group->barriers.count) {
            if (group->barriers.at[state->barriers] != pc)
                different(l, pc, group->barriers.at[state->barriers], item, 0);
        } else {
            uint32_t *entry = cy_vec_try_push(&group->barriers);
            if (entry)
                *entry = pc;
            if (group->fewest_at_end < group->barriers.count)
                not_reached(l, pc, item, group->end_item, "other work-items of the work-group have ended without it");
        }
    }
    state->barriers++;
    state->local_epoch += (flags & 1) != 0;
    state->global_epoch += (flags & 2) != 0;
    if (state->local_epoch >= EPOCH_OLD) {
        for (uint32_t i = 0; group->local && i < group->lds_size / 4; i++) {
            group->local[i].w |= EPOCH_OLD << 4;
            group->local[i].r |= EPOCH_OLD << 4;
        }
        bytes_age(l, true, group->number);
        state->local_epoch = 0;
    }
    if (state->global_epoch >= EPOCH_OLD) {
        shadow_age(&l->machine->shadow, group->number, l->shift);
        bytes_age(l, false, group->number);
        state->global_epoch = 0;
    }
}

void sync_end(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc)
{
    struct group *group = state->group;
    (void)pc;
    if (!(l->tools & CY_CHECK_SYNC))
        return;
    const uint32_t item = first_item(state, warp, warp->full);
    if (state->barriers < group->barriers.count)
        not_reached(l, group->barriers.at[state->barriers], 0, item,
                    "other work-items of the work-group have ended without it");
    if (state->async_count < group->asyncs.count &&
        report_is_new(l, K_ASYNC, group->asyncs.at[state->async_count].pc, 0, 0)) {
        struct finding f = {
            .kind = K_ASYNC,
            .self = {group->asyncs.at[state->async_count].pc, group->asyncs.at[state->async_count].item, "started"},
            .other = {0, item, "ended without it"}};
        snprintf(f.text, sizeof(f.text), "not all work-items of the work-group start the asynchronous copy");
        report_show(l, &f);
    }
    for (unsigned i = 0; i < state->pending_count; i++) {
        const uint32_t start = group->asyncs.at[state->pending[i]].pc;
        if (!report_is_new(l, K_EVENT, start, 0, 0))
            continue;
        struct finding f = {.kind = K_EVENT, .self = {start, item, ""}};
        snprintf(f.text, sizeof(f.text), "the kernel ends without waiting for this asynchronous copy");
        report_show(l, &f);
    }
    if (state->barriers < group->fewest_at_end) {
        group->fewest_at_end = state->barriers;
        group->end_item = item;
    }
    if (state->async_count < group->fewest_asyncs)
        group->fewest_asyncs = state->async_count;
}

/* ---- locks ---- */

void sync_own_store(const struct cy_check_launch *l, const struct access *a)
{
    struct poll *poll = &a->state->poll;
    const struct cy_warp *w = a->warp;
    if (LIKELY(!poll->has_state) || !a->data)
        return;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        uint64_t address = address_of(a, lane);
        if (a->op->kind == OP_PRIVATE)
            address = w->pds + (address & ~3ull) * w->numw * w->numt + 4ull * (w->tid + lane) + (address & 3);
        if (memcmp(value_at(l, a, address), &a->data[a->uniform ? 0 : lane], a->op->size) != 0)
            poll->has_state = false;
    }
}

bool sync_hangs(struct cy_check_launch *l, const struct access *a, bool local)
{
    const struct warp_state *s = a->state;
    for (const struct warp_state *other = l->warps; other; other = other->next)
        if (other->group && !other->at_barrier && (other->spins < MOST_SPINS || other->spun_at != l->changes))
            return false;
    const unsigned lane = (unsigned)__builtin_ctzll(a->lanes);
    const uint64_t address = address_of(a, lane);
    const struct cell *cell = cell_of(l, s->group, local, address, 4);
    const uint32_t site = cell ? info_site(cell->w) : 0;
    const struct object *object =
        local ? find_object(&l->local, address - s->group->lds) : find_object(&l->global, address);
    if (!(l->tools & CY_CHECK_SYNC))
        return false;
    if (!report_is_new(l, K_HANG, a->pc, 0, 0))
        return true;
    struct finding f = {.kind = K_HANG, .self = {a->pc, item_of(l, a, lane), "waits here"}, .object = object};
    if (site && cell->writer && !(cell->r & BYTES_MASK))
        f.other = (struct side){site_pc(l, site), cell->writer, "last changed"};
    snprintf(f.text, sizeof(f.text), "all work-items wait, here for %s%s%s to change, and nobody will change it",
             object ? "`" : "", object ? object->name : "a word", object ? "`" : "");
    report_show(l, &f);
    return true;
}

void sync_poll(struct cy_check_launch *l, const struct access *a)
{
    enum { FIRST_LOOK = 4096, MOST_OTHERS = 1024 };
    struct warp_state *s = a->state;
    const struct cy_warp *w = a->warp;
    const size_t words = (size_t)CY_VGPRS * w->numt;
    struct poll *poll = &s->poll;
    if (poll->changes != l->changes || (poll->pc != a->pc && ++poll->others > MOST_OTHERS)) {
        poll->changes = l->changes;
        poll->pc = a->pc;
        poll->visits = poll->others = 0;
        poll->has_state = false;
    }
    if (poll->pc != a->pc || ++poll->visits < FIRST_LOOK || may_host_write(a))
        return;
    poll->others = 0;
    if (poll->has_state && poll->mask == w->mask && poll->depth == w->depth &&
        !memcmp(poll->x, w->x, sizeof(poll->x)) && !memcmp(poll->v, w->v, words * sizeof(uint32_t))) {
        s->spins = MOST_SPINS;
        s->spun_at = l->changes;
    }
    if (!(poll->visits & (poll->visits - 1))) { /* rarely, since it may be a long loop that ends */
        if (!poll->v && !(poll->v = cy_try_alloc(words * sizeof(uint32_t)))) {
            l->no_memory = true;
            return;
        }
        poll->has_state = true;
        poll->mask = w->mask;
        poll->depth = w->depth;
        memcpy(poll->x, w->x, sizeof(poll->x));
        memcpy(poll->v, w->v, words * sizeof(uint32_t));
    }
}

/* ---- asynchronous copies ---- */

static void not_alike(struct cy_check_launch *l, const struct access *a, uint64_t lanes, uint32_t other,
                      const char *why)
{
    if (!report_is_new(l, K_ASYNC, a->pc, 0, 0))
        return;
    struct finding f = {.kind = K_ASYNC,
                        .self = {a->pc, first_item(a->state, a->warp, lanes), "started"},
                        .other = {0, other, other ? "not so" : NULL}};
    snprintf(f.text, sizeof(f.text), "%s", why);
    report_show(l, &f);
}

static bool is_same(const struct access *a, uint32_t *value)
{
    *value = a->data[__builtin_ctzll(a->lanes)];
    for (uint64_t left = a->uniform ? 0 : a->lanes; left; left &= left - 1)
        if (a->data[__builtin_ctzll(left)] != *value)
            return false;
    return true;
}

static bool is_alike(const struct async *a, const struct async *b)
{
    return a->pc == b->pc && a->to == b->to && a->from == b->from && a->count == b->count && a->to_step == b->to_step &&
           a->from_step == b->from_step && a->event == b->event;
}

uint32_t sync_event_of(const struct warp_state *state)
{
    return state->async.event ? state->async.event : state->async_count + 1;
}

static void begin_async(struct cy_check_launch *l, const struct access *a)
{
    struct warp_state *s = a->state;
    struct group *group = s->group;
    const uint64_t missing = a->warp->full & ~a->warp->active;
    const bool same = is_same(a, &s->async.count);
    struct async copy = s->async;
    copy.event = sync_event_of(s);
    copy.pc = a->pc;
    copy.item = first_item(s, a->warp, a->warp->active);
    copy.local_epoch = s->local_epoch;
    copy.global_epoch = s->global_epoch;
    if (missing)
        not_alike(l, a, a->warp->active, first_item(s, a->warp, missing),
                  "not all work-items of the work-group start the asynchronous copy");
    else if (!same || s->async_differs)
        not_alike(l, a, a->warp->active, 0, "the work-items start an asynchronous copy with different arguments");
    if (s->async_count < group->asyncs.count) {
        const struct async *first = &group->asyncs.at[s->async_count];
        if (!missing && !is_alike(first, &copy))
            not_alike(l, a, a->warp->active, first->item,
                      "the work-items start an asynchronous copy with different arguments");
    } else {
        struct async *entry = cy_vec_try_push(&group->asyncs);
        if (entry)
            *entry = copy;
        if (group->fewest_asyncs < group->asyncs.count)
            not_alike(l, a, a->warp->active, group->end_item,
                      "other work-items of the work-group have ended without the asynchronous copy");
    }
    if (s->pending_count < MOST_PENDING && s->async_count < group->asyncs.count)
        s->pending[s->pending_count++] = s->async_count;
    s->async_count++;
    s->async.event = 0;
    s->async_differs = false;
    s->async_active = true;
}

/* ---- waiting for them ---- */

static void wait_event(struct cy_check_launch *l, const struct access *a)
{
    struct warp_state *s = a->state;
    struct group *group = s->group;
    uint32_t event;
    unsigned kept = 0;
    bool known = false;
    s->wait_differs |= !is_same(a, &event) || a->warp->full != a->warp->active;
    for (size_t i = 0; i < group->asyncs.count; i++)
        known |= group->asyncs.at[i].event == event;
    s->wait_unknown |= !known;
    for (unsigned i = 0; i < s->pending_count; i++)
        if (group->asyncs.at[s->pending[i]].event != event)
            s->pending[kept++] = s->pending[i];
    s->pending_count = kept;
    if (s->wait_count < group->waits.count) {
        s->wait_differs |= group->waits.at[s->wait_count] != event;
    } else {
        uint32_t *entry = cy_vec_try_push(&group->waits);
        if (entry)
            *entry = event;
    }
    s->wait_count++;
    (void)l;
}

static void end_wait(struct cy_check_launch *l, const struct access *a)
{
    struct warp_state *s = a->state;
    const uint32_t item = first_item(s, a->warp, a->warp->active);
    if (s->wait_differs && a->warp->full == a->warp->active && report_is_new(l, K_BARRIER, a->pc, 0, 2)) {
        struct finding f = {.kind = K_BARRIER, .self = {a->pc, item, "waits here"}};
        snprintf(f.text, sizeof(f.text), "the work-items of the work-group wait for different events");
        report_show(l, &f);
    }
    if (s->wait_unknown && !s->wait_differs && report_is_new(l, K_EVENT, a->pc, 0, 0)) {
        struct finding f = {.kind = K_EVENT, .self = {a->pc, item, "waits here"}};
        snprintf(f.text, sizeof(f.text), "the work-group waits for an event that no asynchronous copy has given");
        report_show(l, &f);
    }
    s->wait_differs = s->wait_unknown = false;
}

static bool touches(uint32_t address, unsigned size, uint32_t start, uint32_t step, const struct async *copy)
{
    for (unsigned i = 0; i < size; i++) {
        const uint32_t at = address + i - start;
        if (step ? at / step < copy->count && at % step < copy->size : at < copy->size)
            return true;
    }
    return false;
}

/* Before a barrier the cells tell, except of two copies; only a wait for its event orders a copy before what comes after
 * the barrier. */
void sync_pending(struct cy_check_launch *l, const struct access *a, bool local)
{
    const struct warp_state *s = a->state;
    const struct group *group = s->group;
    for (unsigned i = 0; i + s->async_active < s->pending_count; i++) {
        const struct async *copy = &group->asyncs.at[s->pending[i]];
        if (!s->async_active && (local ? copy->local_epoch == s->local_epoch : copy->global_epoch == s->global_epoch))
            continue;
        for (uint64_t left = a->lanes; left; left &= left - 1) {
            const unsigned lane = (unsigned)__builtin_ctzll(left);
            const uint32_t address = a->address[lane];
            const bool written = touches(address, a->op->size, copy->to, copy->to_step, copy);
            if (!written && !(a->op->store && touches(address, a->op->size, copy->from, copy->from_step, copy)))
                continue;
            if (!report_is_new(l, K_RACE, a->pc, copy->pc, 0))
                break;
            const struct object *object =
                local ? find_object(&l->local, address - group->lds) : find_object(&l->global, address_of(a, lane));
            struct finding f = {.kind = K_RACE,
                                .self = {a->pc, item_of(l, a, lane), a->op->store ? "write" : "read"},
                                .other = {copy->pc, copy->item, written ? "copied to" : "copied from"},
                                .object = object};
            snprintf(f.text, sizeof(f.text), "data race on %s%s%s with an asynchronous copy that nobody has waited for",
                     object ? "`" : "", object ? object->name : "a word", object ? "`" : "");
            report_show(l, &f);
            break;
        }
    }
}

void sync_note(struct cy_check_launch *l, const struct access *a, uint32_t note)
{
    uint32_t value;
    switch (note) {
    case CY_CHECK_NOTE_ASYNC_TO:
    case CY_CHECK_NOTE_ASYNC_FROM:
    case CY_CHECK_NOTE_ASYNC_TO_STEP:
    case CY_CHECK_NOTE_ASYNC_FROM_STEP:
    case CY_CHECK_NOTE_EVENT: a->state->async_differs |= !is_same(a, &value); break;
    case CY_CHECK_NOTE_ASYNC: begin_async(l, a); break;
    case CY_CHECK_NOTE_ASYNC_END: a->state->async_active = false; break;
    case CY_CHECK_NOTE_WAIT_EVENT: wait_event(l, a); break;
    case CY_CHECK_NOTE_WAIT: end_wait(l, a); break;
    default: break;
    }
}
