/* The load/store unit: an input register, one instruction at a time sends a request per line and cycle, a table of instructions
 * that wait for answers. */
#include "timing/model.h"

bool lsu_take(struct sm *sm, const struct unit *unit)
{
    const struct parameters *p = &sm->p;
    struct warp *warp = &sm->warps[unit->warp];
    if (sm->lsu_waits || warp->accesses >= p->lsu_warp_entries)
        return false;
    const uint32_t *record = &warp->stream->words[warp->stream->keep];
    const uint32_t count = record[1] & LINES_COUNT;
    sm->lsu_input = (struct access){.op = unit->op,
                                    .warp = unit->warp,
                                    .is_shared = record[1] & LINES_SHARED,
                                    .count = (uint16_t)(count < MOST_LINES ? count : MOST_LINES),
                                    .used = true,
                                    .ordinal = unit->ordinal,
                                    .issued = unit->issued,
                                    .wid = warp->wid,
                                    .group = warp->resident->number};
    for (unsigned i = 0; i < sm->lsu_input.count; i++)
        sm->lsu_input.line[i] = record[2 + i];
    warp->accesses++;
    sm->lsu_waits = true;
    sm->lsu_input.ready = sm->now + p->lsu_accept;
    return true;
}

static void finish(struct sm *sm, struct access *access, uint64_t cycle)
{
    sm_write_back(sm, cycle + sm->p.lsu_finish, access->warp, access->op->destination, access->op->priority);
    if (sm->model->is_profiled)
        probe_access_done(sm, access, cycle + sm->p.lsu_finish);
    access->used = false;
    sm->access_count--;
    sm_memory_done(sm, access->warp);
}

/* An answer reaches the unit: one per cycle. */
void lsu_answer(struct sm *sm, unsigned index, uint64_t cycle)
{
    struct access *access = &sm->accesses[index];
    cycle = cycle > sm->lsu_answer ? cycle : sm->lsu_answer + 1;
    sm->lsu_answer = cycle;
    if (++access->answered == access->count)
        finish(sm, access, cycle);
}

static void begin(struct sm *sm)
{
    unsigned at = 0;
    while (sm->accesses[at].used)
        at++;
    sm->accesses[at] = sm->lsu_input;
    sm->lsu_waits = false;
    sm->access_count++;
    sm->lsu_current = (int)at;
}

void lsu_cycle(struct sm *sm)
{
    const struct parameters *p = &sm->p;
    const uint64_t now = sm->now;
    if (sm->lsu_current < 0) {
        if (!sm->lsu_waits || now < sm->lsu_next || now < sm->lsu_input.ready || sm->access_count >= p->lsu_entries)
            return;
        begin(sm);
    }
    if (now < sm->lsu_next)
        return;
    struct access *access = &sm->accesses[sm->lsu_current];
    if (access->count == 0) { /* no lane takes part */
        sm->activity = true;
        const unsigned none = (unsigned)sm->lsu_current;
        sm->lsu_current = -1;
        sm->lsu_next = now + p->lsu_gap - 1;
        access->count = 1;
        lsu_answer(sm, none, now);
        return;
    }
    if (access->is_shared)
        lsu_answer(sm, (unsigned)sm->lsu_current, now + p->shared_latency);
    else if (!l1d_request(sm, access->line[access->sent], access->op->is_write, (unsigned)sm->lsu_current))
        return;
    sm->activity = true;
    sm->lsu_next = now + 1;
    if (++access->sent == access->count) {
        sm->lsu_current = -1;
        sm->lsu_next = now + p->lsu_gap;
    }
}

uint64_t lsu_next_event(const struct sm *sm)
{
    const uint64_t now = sm->now;
    if (sm->lsu_current >= 0)
        return earliest(UINT64_MAX, sm->lsu_next, now);
    if (!sm->lsu_waits)
        return UINT64_MAX;
    return earliest(UINT64_MAX, sm->lsu_input.ready > sm->lsu_next ? sm->lsu_input.ready : sm->lsu_next, now);
}
