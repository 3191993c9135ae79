/* The L1 data cache: write-back on a hit, no allocation for a store that misses.
 *
 * Misses, stores that miss and atomic operations go to the L2 through one queue, in order.  A line that is being written blocks the head of the
 * queue until the L2 has answered; a store to a line that is missing blocks the cache until nothing is missing. */
#include "timing/model.h"

static struct mshr *find_mshr(struct sm *sm, uint32_t line)
{
    for (uint64_t set = sm->missing; set; set &= set - 1)
        if (sm->missing_line[__builtin_ctzll(set)] == line)
            return &sm->mshrs[__builtin_ctzll(set)];
    return NULL;
}

static void send(struct sm *sm, uint32_t line, enum source source, unsigned access)
{
    sm->reached_out = true;
    queue_push(&sm->l1d_queue, (struct request){.cycle = sm->now + sm->p.l1d_queue,
                                                .origin = line,
                                                .source = (uint8_t)source,
                                                .sm = (uint16_t)sm->index,
                                                .access = (uint8_t)access});
}

static void miss(struct sm *sm, uint32_t line, unsigned access)
{
    const unsigned at = (unsigned)__builtin_ctzll(~sm->mshrs_used);
    sm->mshrs[at].count = 1;
    sm->mshrs[at].access[0] = (uint8_t)access;
    sm->mshrs_used |= 1ull << at;
    sm->missing |= 1ull << at;
    sm->missing_line[at] = line;
    sm->model->counters.l1d_misses++;
    send(sm, line, FROM_L1D_READ, access);
}

static void count_hit(struct sm *sm, unsigned access)
{
    struct op_counts *counts = sm->accesses[access].op->counts;
    if (counts)
        counts->l1d_hits++;
}

/* Atomic operations are the L2's, which the SMs share: the line leaves this cache, and the result comes from there. */
static void send_atomic(struct sm *sm, uint32_t line, unsigned access, int at)
{
    if (at >= 0) {
        if (sm->l1d.dirty[at])
            send(sm, line, FROM_L1D_EVICT, 0);
        tags_remove(&sm->l1d, at);
    }
    sm->model->counters.l1d_misses++;
    send(sm, line, FROM_L1D_ATOMIC, access);
}

static void write(struct sm *sm, uint32_t line, unsigned access)
{
    const int at = tags_find(&sm->l1d, line);
    if (sm->accesses[access].op->is_atomic) {
        send_atomic(sm, line, access, at);
        return;
    }
    if (at >= 0) {
        sm->l1d.used[at] = sm->now;
        sm->l1d.dirty[at] = true;
        sm->l1d_writes++;
        count_hit(sm, access);
        lsu_answer(sm, access, sm->now + sm->p.l1d_hit);
        return;
    }
    sm->model->counters.l1d_misses++;
    send(sm, line, FROM_L1D_WRITE, access);
}

static void read(struct sm *sm, uint32_t line, unsigned access)
{
    const int at = tags_find(&sm->l1d, line);
    if (at >= 0) {
        sm->l1d.used[at] = sm->now;
        count_hit(sm, access);
        lsu_answer(sm, access, sm->now + sm->p.l1d_hit);
    } else {
        miss(sm, line, access);
    }
}

bool l1d_request(struct sm *sm, uint32_t line, bool is_write, unsigned access)
{
    const struct parameters *p = &sm->p;
    if (sm->l1d_busy == sm->now || sm->l1d_queue.count > QUEUE - 8) {
        sm->memory_again = true; /* all other reasons end with an event */
        return false;
    }
    if (sm->write_waits)
        return false;
    struct mshr *mshr = find_mshr(sm, line);
    if (mshr ? !is_write && mshr->count >= p->l1d_mshr_requests : sm->mshrs_used == sm->mshrs_all)
        return false;
    sm->counters.l1d_requests++;
    if (sm->accesses[access].op->counts)
        sm->accesses[access].op->counts->l1d_requests++;
    if (mshr && is_write) {
        sm->write_waits = true;
        sm->write_waiting = (struct request){.origin = line, .access = (uint8_t)access};
    } else if (mshr) {
        mshr->access[mshr->count++] = (uint8_t)access;
    } else if (is_write) {
        write(sm, line, access);
    } else {
        read(sm, line, access);
    }
    return true;
}

/* ---- answers of the L2 ---- */

static void fill(struct sm *sm, uint32_t line)
{
    struct mshr *mshr = find_mshr(sm, line);
    if (!mshr)
        return;
    const uint32_t written = tags_fill(&sm->l1d, line, sm->now);
    if (written)
        send(sm, written - 1, FROM_L1D_EVICT, 0);
    for (unsigned i = 0; i < mshr->count; i++)
        lsu_answer(sm, mshr->access[i], sm->now + sm->p.l1d_fill - 1);
    mshr->free_at = sm->now + sm->p.l1d_mshr_free;
    sm->missing &= ~(1ull << (mshr - sm->mshrs));
    if (mshr->free_at < sm->next_mshr_free)
        sm->next_mshr_free = mshr->free_at;
    sm->l1d_busy = sm->now + 1;
}

static void take_answers(struct sm *sm)
{
    const uint64_t now = sm->now;
    while (sm->l1i_answers.count && queue_first(&sm->l1i_answers)->cycle <= now) {
        l1i_fill(sm, queue_first(&sm->l1i_answers)->origin);
        queue_pop(&sm->l1i_answers);
    }
    if (!sm->answers.count || queue_first(&sm->answers)->cycle > now || sm->next_answer > now)
        return;
    const struct request answer = *queue_first(&sm->answers);
    queue_pop(&sm->answers);
    sm->next_answer = now + sm->p.l1d_fill_interval;
    if (answer.source == FROM_L1D_READ) {
        fill(sm, answer.origin);
    } else {
        sm->writing &= ~(1ull << answer.entry);
        if (answer.source == FROM_L1D_ATOMIC)
            lsu_answer(sm, answer.access, now + sm->p.l1d_fill - 1);
    }
}

/* ---- the queue to the L2 ---- */

static bool is_being_written(const struct sm *sm, uint32_t line)
{
    for (uint64_t set = sm->writing; set; set &= set - 1)
        if (sm->write_line[__builtin_ctzll(set)] == line)
            return true;
    return false;
}

static void send_first(struct sm *sm)
{
    const struct parameters *p = &sm->p;
    if (!sm->l1d_queue.count || queue_first(&sm->l1d_queue)->cycle > sm->now)
        return;
    struct request request = *queue_first(&sm->l1d_queue);
    const bool writes = request.source != FROM_L1D_READ;
    if (is_being_written(sm, request.origin) || (writes && sm->writing == sm->writes_all))
        return;
    queue_pop(&sm->l1d_queue);
    sm->memory_again |= sm->l1d_queue.count && queue_first(&sm->l1d_queue)->cycle <= sm->now;
    if (writes) {
        const unsigned at = (unsigned)__builtin_ctzll(~sm->writing);
        sm->writing |= 1ull << at;
        sm->write_line[at] = request.origin;
        request.entry = (uint8_t)at;
        if (request.source == FROM_L1D_WRITE)
            lsu_answer(sm, request.access, sm->now + p->l1d_write_done);
    }
    request.cycle = sm->now + p->l1d_request;
    request.line = request.origin << p->l1d_shift >> p->l2_shift;
    l2_request(sm, request);
}

static void free_mshrs(struct sm *sm)
{
    sm->next_mshr_free = UINT64_MAX;
    for (uint64_t set = sm->mshrs_used & ~sm->missing; set; set &= set - 1) {
        const uint64_t free_at = sm->mshrs[__builtin_ctzll(set)].free_at;
        if (free_at <= sm->now)
            sm->mshrs_used &= ~(set & -set);
        else if (free_at < sm->next_mshr_free)
            sm->next_mshr_free = free_at;
    }
}

void l1d_cycle(struct sm *sm)
{
    take_answers(sm);
    if (sm->next_mshr_free <= sm->now)
        free_mshrs(sm);
    send_first(sm);
    if (sm->write_waits && !sm->mshrs_used) {
        sm->write_waits = false;
        write(sm, sm->write_waiting.origin, sm->write_waiting.access);
    }
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
            send(sm, sm->l1d.line[sm->flushed] - 1, FROM_L1D_EVICT, 0);
    return sm->flushed == lines;
}

uint64_t l1d_next_event(const struct sm *sm)
{
    const uint64_t now = sm->now;
    uint64_t next = sm->next_mshr_free;
    if (sm->l1i_answers.count)
        next = earliest(next, sm->l1i_answers.at[sm->l1i_answers.head].cycle, now);
    if (sm->answers.count) {
        const uint64_t first = sm->answers.at[sm->answers.head].cycle;
        next = earliest(next, first > sm->next_answer ? first : sm->next_answer, now);
    }
    if (sm->l1d_queue.count)
        next = earliest(next, sm->l1d_queue.at[sm->l1d_queue.head].cycle, now);
    return next;
}
