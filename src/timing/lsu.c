/* The load/store unit: an input register, one instruction at a time sends a request per line and cycle, a table of instructions
 * that wait for answers. */
#include "timing/l1d.h"

/* When the LSU can do something.  UINT64_MAX: not before an answer comes, or an instruction. */
static inline uint64_t lsu_next_event(const struct sm *sm)
{
    if (sm->lsu_current >= 0)
        return sm->lsu_blocked ? UINT64_MAX : sm->lsu_next;
    if (sm->lsu_input < 0 || sm->access_count >= sm->p.lsu_entries)
        return UINT64_MAX;
    const uint64_t ready = sm->accesses[sm->lsu_input].ready;
    return ready > sm->lsu_next ? ready : sm->lsu_next;
}

bool lsu_take(struct sm *sm, const struct unit *unit)
{
    const struct parameters *p = &sm->p;
    struct warp *warp = &sm->warps[unit->warp];
    if (sm->lsu_input >= 0 || warp->accesses >= p->lsu_warp_entries)
        return false;
    const uint32_t *record = &warp->stream->words[warp->stream->keep];
    const uint32_t count = (record[1] & LINES_COUNT) < MOST_LINES ? record[1] & LINES_COUNT : MOST_LINES;
    sm->lsu_input = sm->free_accesses[--sm->free_access_count];
    struct access *access = &sm->accesses[sm->lsu_input];
    access->op = unit->op;
    access->warp = unit->warp;
    access->is_shared = record[1] & LINES_SHARED;
    access->count = (uint16_t)count;
    access->sent = access->answered = 0;
    access->ready = sm->now + p->lsu_accept;
    access->ordinal = unit->ordinal;
    access->issued = unit->issued;
    access->wid = warp->wid;
    access->group = warp->resident->number;
    for (uint32_t i = 0; i < count; i++)
        access->line[i] = record[2 + i];
    warp->accesses++;
    if (sm->lsu_current < 0) {
        sm->lsu_due = lsu_next_event(sm);
        memory_wake(sm, sm->lsu_due);
    }
    return true;
}

static __attribute__((noinline)) void finish(struct sm *sm, unsigned index, uint64_t cycle)
{
    const struct access *access = &sm->accesses[index];
    sm_write_back(sm, cycle + sm->p.lsu_finish, access->warp, access->op->destination, access->op->priority);
    if (sm->model->is_profiled)
        probe_access_done(sm, access, cycle + sm->p.lsu_finish);
    sm->free_accesses[sm->free_access_count++] = (uint8_t)index;
    sm->access_count--;
    sm_memory_done(sm, access->warp);
}

/* An answer reaches the unit: one per cycle. */
static inline void lsu_answer(struct sm *sm, unsigned index, uint64_t cycle)
{
    struct access *access = &sm->accesses[index];
    cycle = cycle > sm->lsu_answer ? cycle : sm->lsu_answer + 1;
    sm->lsu_answer = cycle;
    if (++access->answered == access->count)
        finish(sm, index, cycle);
}

/* Of the instruction that sends requests, or will. */
static inline void lsu_cycle(struct sm *sm)
{
    const struct parameters *p = &sm->p;
    const uint64_t now = sm->now;
    if (sm->lsu_current < 0) {
        sm->lsu_current = sm->lsu_input;
        sm->lsu_input = -1;
        sm->access_count++;
        lsu_has_changed(sm);
    }
    const unsigned index = (unsigned)sm->lsu_current;
    struct access *access = &sm->accesses[index];
    if (access->count == 0) { /* no lane takes part */
        sm->lsu_current = -1;
        sm->lsu_next = now + p->lsu_gap - 1;
        access->count = 1;
        lsu_answer(sm, index, now);
        return;
    }
    const struct op *op = access->op;
    const unsigned sent = access->sent;
    const uint32_t line = access->line[sent];
    int mshr = -1;
    if (!access->is_shared && !l1d_has_room(sm, line, op->is_write, &mshr)) {
        sm->lsu_next = now;
        return;
    }
    sm->lsu_next = now + 1;
    if (sent + 1 == access->count) {
        sm->lsu_current = -1;
        sm->lsu_next = now + p->lsu_gap;
    }
    access->sent = (uint16_t)(sent + 1);
    if (access->is_shared)
        lsu_answer(sm, index, now + p->shared_latency);
    else
        l1d_request(sm, line, op, index, mshr);
    if (sm->lsu_current >= 0 && !access->is_shared &&
        sm->mshrs_used == sm->mshrs_all) /* as the next request will find */
        sm->lsu_blocked = sm->write_waits || find_mshr(sm, lsu_line(sm)) < 0;
}

void sm_memory_cycle(struct sm *sm, bool runs_on)
{
    uint64_t next;
    for (;;) {
        const uint64_t now = sm->now;
        if (sm->caches_due <= now) {
            caches_cycle(sm);
            sm->lsu_due = lsu_next_event(sm); /* it may have been waiting for that */
        }
        if (sm->lsu_due <= now) {
            lsu_cycle(sm);
            sm->lsu_due = lsu_next_event(sm);
        }
        next = sm->lsu_due < sm->caches_due ? sm->lsu_due : sm->caches_due;
        next = next > now ? next : now + 1; /* what is due already is done in the next cycle */
        if (!runs_on || next >= sm->pipeline_due || next >= sm->limit)
            break;
        sm->now = next;
    }
    sm->memory_due = next;
}

void sm_memory_loaded(struct sm *sm)
{
    sm->l1i_due = next_l1i_answer(sm);
    sm->answer_due = next_l1d_answer(sm);
    sm->send_due = next_send(sm);
    sm->lsu_due = lsu_next_event(sm);
    sm->mshr_due = UINT64_MAX;
    for (uint64_t set = sm->mshrs_used & ~sm->missing; set; set &= set - 1) {
        const uint64_t free_at = sm->mshrs[__builtin_ctzll(set)].free_at;
        sm->mshr_due = free_at < sm->mshr_due ? free_at : sm->mshr_due;
    }
    sm->caches_due = caches_next_event(sm);
    sm->missing_near = find_missing_near(sm);
}

bool l1d_is_idle(const struct sm *sm)
{
    return !sm->mshrs_used && !sm->writing && !sm->l1d_queue.count && !sm->access_count && sm->lsu_input < 0;
}

bool l1d_flush(struct sm *sm)
{
    const uint32_t lines = sm->l1d.sets * sm->l1d.ways;
    for (; sm->flushed < lines && sm->l1d_queue.count < QUEUE; sm->flushed++)
        if (sm->l1d.dirty[sm->flushed])
            send(sm, sm->l1d.line[sm->flushed] - 1, FROM_L1D_EVICT, 0, 0);
    return sm->flushed == lines;
}
