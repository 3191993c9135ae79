/* Where the cycles go: for each warp and cycle, what it issues or what it waits for.
 *
 * After each cycle in which an SM was stepped, every warp is classified by the state that the pipeline left; that is what it does
 * in the cycles from then on, unless it issues.  An SM that sleeps does not change, so its cycles need not be visited. */
#include "timing/model.h"

#define BIT(slot) (1ull << (slot))

const char *cy_stall_name(enum cy_stall stall)
{
    static const char *const names[CY_STALL_COUNT] = {"issued",        "no instruction", "scoreboard",
                                                      "bank conflict", "unit busy",      "memory",
                                                      "barrier",       "divergence",     "empty"};
    return (unsigned)stall < CY_STALL_COUNT ? names[stall] : "";
}

static struct cy_timing_event event_of(const struct sm *sm, unsigned slot, const struct op *op, uint32_t ordinal)
{
    const struct warp *warp = &sm->warps[slot];
    return (struct cy_timing_event){.group = warp->resident->number,
                                    .warp = warp->wid,
                                    .sm = sm->index,
                                    .slot = slot,
                                    .pc = op ? op->pc : 0,
                                    .ordinal = ordinal};
}

/* The warp did this from `begin` until before `end`. */
static void account(struct sm *sm, unsigned slot, const struct op *op, uint32_t ordinal, enum cy_stall stall,
                    uint64_t begin, uint64_t end)
{
    const struct cy_timing_events *events = &sm->model->events;
    if (begin >= end)
        return;
    if (op && op->counts)
        op->counts->cycles[stall] += end - begin;
    if (events->cycles) {
        struct cy_timing_event event = event_of(sm, slot, op, ordinal);
        event.stall = stall;
        event.begin = begin;
        event.end = end;
        events->cycles(events->context, &event);
    }
}

static void flush(struct sm *sm, unsigned slot, uint64_t end)
{
    struct warp *warp = &sm->warps[slot];
    account(sm, slot, warp->seen_op, warp->seen_ordinal, (enum cy_stall)warp->seen_stall, warp->seen_since, end);
    warp->seen_since = end;
}

static void done(struct sm *sm, struct cy_timing_event event, uint64_t begin, uint64_t end)
{
    const struct cy_timing_events *events = &sm->model->events;
    event.begin = begin;
    event.end = end;
    if (events->done)
        events->done(events->context, &event);
}

void probe_unit_done(struct sm *sm, const struct unit *unit, uint64_t end)
{
    done(sm, event_of(sm, unit->warp, unit->op, unit->ordinal), unit->issued, end);
}

void probe_access_done(struct sm *sm, const struct access *access, uint64_t end)
{
    const struct cy_timing_event event = {.group = access->group,
                                          .warp = access->wid,
                                          .sm = sm->index,
                                          .slot = access->warp,
                                          .pc = access->op->pc,
                                          .ordinal = access->ordinal};
    done(sm, event, access->issued, end);
}

/* ---- classification ---- */

/* Why its last instruction has not left the collector. */
static enum cy_stall collecting(const struct sm *sm, unsigned slot)
{
    for (uint32_t set = sm->units_refused & sm->units_used; set; set &= set - 1) {
        const struct unit *unit = sm->units[__builtin_ctz(set)];
        if (unit->warp == slot)
            return unit->op->kind == KIND_MEMORY ? CY_STALL_MEMORY : CY_STALL_UNIT_BUSY;
    }
    for (unsigned i = 0; i < sm->staged_count; i++)
        if (sm->staged[i]->warp == slot && sm->staged[i]->issued != sm->now)
            return CY_STALL_UNIT_BUSY; /* no collector unit is free */
    return CY_STALL_BANK_CONFLICT;
}

static bool waits_for_load(const struct warp *warp, const struct op *op)
{
    uint64_t waits = warp->fenced;
    for (unsigned i = 0; i < REGISTER_WORDS; i++)
        waits |= op->used[i] & warp->load[i];
    return waits != 0;
}

static enum cy_stall hazard(const struct warp *warp, const struct op *op)
{
    return op && waits_for_load(warp, op) ? CY_STALL_MEMORY : CY_STALL_SCOREBOARD;
}

/* `is_last`: it is about the instruction that issued last, not about the next one. */
static enum cy_stall classify(const struct sm *sm, unsigned slot, bool *is_last)
{
    const struct warp *warp = &sm->warps[slot];
    const uint64_t bit = BIT(slot);
    *is_last = true;
    if (sm->starting & bit) {
        *is_last = false;
        return CY_STALL_EMPTY;
    }
    if (sm->sets.collecting & bit)
        return collecting(sm, slot);
    if (sm->at_barrier & bit)
        return CY_STALL_BARRIER;
    if (sm->sets.blocked & bit)
        return warp->last && warp->last->kind == KIND_VBRANCH ? CY_STALL_DIVERGENCE : CY_STALL_NO_INSTRUCTION;
    *is_last = false;
    if (sm->sets.hazard & bit && !(sm->sets.opened & bit) && sm->sets.buffered & bit)
        return hazard(warp,
                      warp->first); /* the next block opens when the first instruction of this one could go again */
    if (!(sm->sets.opened & bit))
        return CY_STALL_NO_INSTRUCTION;
    return sm->sets.hazard & bit ? hazard(warp, warp->next) : CY_STALL_UNIT_BUSY;
}

static void see(struct sm *sm, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    bool is_last;
    const enum cy_stall stall = classify(sm, slot, &is_last);
    const struct op *op = is_last ? warp->last : warp->next;
    const uint32_t ordinal = is_last ? warp->issued - 1 : warp->issued;
    if (stall == CY_STALL_EMPTY)
        op = NULL;
    else if (!op && warp->stream->records)
        op = model_op(sm->model, warp->stream->words[warp->stream->read]);
    const bool issues = warp->last_cycle == sm->now && warp->issued;
    if (!warp->seen_op && warp->seen_stall != CY_STALL_EMPTY) /* after a barrier: it had not been recorded yet */
        warp->seen_op = issues && warp->seen_ordinal == warp->issued - 1 ? warp->last
                        : ordinal == warp->seen_ordinal                  ? op
                                                                         : NULL;
    if (issues) {
        flush(sm, slot, sm->now);
        account(sm, slot, warp->last, warp->issued - 1, CY_STALL_NONE, sm->now, sm->now + 1);
        warp->seen_since = sm->now + 1;
    } else if (stall != warp->seen_stall || op != warp->seen_op || ordinal != warp->seen_ordinal) {
        flush(sm, slot, sm->now + 1);
    }
    warp->seen_stall = (uint8_t)stall;
    warp->seen_op = op;
    warp->seen_ordinal = ordinal;
}

void probe_start(struct sm *sm, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    warp->seen_stall = CY_STALL_EMPTY;
    warp->seen_since = sm->model->cycle + 1;
    warp->is_seen = true;
}

void probe_end(struct sm *sm, unsigned slot)
{
    flush(sm, slot, sm->now + 1);
    sm->warps[slot].is_seen = false;
}

void probe_cycle(struct sm *sm)
{
    for (uint64_t set = sm->occupied; set; set &= set - 1)
        if (sm->warps[__builtin_ctzll(set)].is_seen)
            see(sm, (unsigned)__builtin_ctzll(set));
}
