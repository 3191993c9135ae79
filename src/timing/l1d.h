/* The L1 data cache: write-back on a hit, no allocation for a store that misses.
 *
 * Misses, stores that miss and atomic operations go to the L2 through one queue, in order.  A line that is being written blocks the head of the
 * queue until the L2 has answered; a store to a line that is missing blocks the cache until nothing is missing.
 *
 * For lsu.c alone, a header because every cycle is here. */
#ifndef CY_TIMING_L1D_H
#define CY_TIMING_L1D_H

#include "timing/model.h"

static inline void lsu_answer(struct sm *sm, unsigned access, uint64_t cycle);

/* That the instruction in the LSU asks for, or will. */
static inline uint32_t lsu_line(const struct sm *sm)
{
    const struct access *access = &sm->accesses[sm->lsu_current];
    return access->line[access->sent];
}

static inline uint64_t find_missing_near(const struct sm *sm)
{
    uint64_t near = 0;
    for (uint64_t set = sm->missing; set; set &= set - 1)
        near |= 1ull << sm->missing_line[__builtin_ctzll(set)] % 64;
    return near;
}

/* The MSHR of a line that is missing; -1: none. */
static inline int find_mshr(struct sm *sm, uint32_t line)
{
    if (!(sm->missing_near >> line % 64 & 1))
        return -1;
    const int at = find_line(sm->missing_line, sm->missing, line);
    if (at < 0)
        sm->missing_near = find_missing_near(sm); /* which kept those that have arrived */
    return at;
}

static bool is_being_written(const struct sm *sm, uint32_t line)
{
    return sm->writing && find_line(sm->write_line, sm->writing, line) >= 0;
}

/* A request leaves for the L2 in this cycle. */
static inline void leave(struct sm *sm, uint32_t line, enum source source, unsigned access, unsigned entry,
                         uint64_t cycle)
{
    const struct parameters *p = &sm->p;
    sm->next_send = cycle + 1;
    struct request *request = l2_request(sm, cycle + p->l1d_request, cycle);
    request->line = line << p->l1d_shift >> p->l2_shift;
    request->origin = line;
    request->source = (uint8_t)source;
    request->entry = (uint8_t)entry;
    request->access = (uint8_t)access;
}

/* When the first request may go; a line that is being written, or a lack of write entries, ends with an answer of the L2. */
static inline uint64_t next_send(const struct sm *sm)
{
    if (!sm->l1d_queue.count || sm->queue_blocked)
        return UINT64_MAX;
    const uint64_t first = sm->l1d_queue.at[sm->l1d_queue.head].cycle;
    return first > sm->next_send ? first : sm->next_send;
}

/* A read that nothing can keep in the queue is at its end already. */
static inline void send(struct sm *sm, uint32_t line, enum source source, unsigned access, unsigned entry)
{
    struct queue *queue = &sm->l1d_queue;
    const uint64_t cycle = sm->now + sm->p.l1d_queue;
    sm_reach_out(sm);
    if (source == FROM_L1D_READ && !queue->count && !is_being_written(sm, line)) {
        leave(sm, line, source, access, entry, cycle > sm->next_send ? cycle : sm->next_send);
        return;
    }
    if (queue->count == QUEUE)
        return;
    struct request *request = &queue->at[(queue->head + queue->count++) % QUEUE];
    request->cycle = cycle;
    request->origin = line;
    request->source = (uint8_t)source;
    request->sm = (uint16_t)sm->index;
    request->entry = (uint8_t)entry;
    request->access = (uint8_t)access;
    sm->send_due = next_send(sm);
    caches_wake(sm, sm->send_due);
}

static inline void miss(struct sm *sm, uint32_t line, unsigned access)
{
    const unsigned at = (unsigned)__builtin_ctzll(~sm->mshrs_used);
    sm->mshrs[at].count = 1;
    sm->mshrs[at].access[0] = (uint8_t)access;
    sm->mshrs_used |= 1ull << at;
    sm->missing |= 1ull << at;
    sm->missing_line[at] = line;
    sm->missing_near |= 1ull << line % 64;
    sm->model->counters.l1d_misses++;
    send(sm, line, FROM_L1D_READ, access, at);
}

/* Atomic operations are the L2's, which the SMs share: the line leaves this cache, and the result comes from there. */
static void send_atomic(struct sm *sm, uint32_t line, unsigned access, int at)
{
    if (at >= 0) {
        if (sm->l1d.dirty[at])
            send(sm, line, FROM_L1D_EVICT, 0, 0);
        tags_remove(&sm->l1d, at);
    }
    sm->model->counters.l1d_misses++;
    send(sm, line, FROM_L1D_ATOMIC, access, 0);
}

/* A line is used.  Others of its set may have been in this cycle: a line that arrived, a write that had waited. */
static inline void use(struct sm *sm, uint32_t line, int at, const struct op *op)
{
    struct tags *tags = &sm->l1d;
    const uint32_t set = line & (tags->sets - 1);
    uint64_t is_tie = 0;
    if (tags->ways == 2)
        is_tie = (tags->used[at] == sm->now) | (tags->used[at ^ 1] == sm->now);
    for (uint32_t i = 0; tags->ways != 2 && i < tags->ways; i++)
        is_tie |= tags->used[set * tags->ways + i] == sm->now;
    sm->l1d_ties |= is_tie << set % 64;
    tags->used[at] = sm->now;
    if (op->counts)
        op->counts->l1d_hits++;
}

static void write(struct sm *sm, uint32_t line, const struct op *op, unsigned access)
{
    const int at = tags_find(&sm->l1d, line);
    if (op->is_atomic) {
        send_atomic(sm, line, access, at);
        return;
    }
    if (at >= 0) {
        use(sm, line, at, op);
        sm->l1d.dirty[at] = true;
        sm->l1d_writes++;
        lsu_answer(sm, access, sm->now + sm->p.l1d_hit);
        return;
    }
    sm->model->counters.l1d_misses++;
    send(sm, line, FROM_L1D_WRITE, access, 0);
}

static inline void read(struct sm *sm, uint32_t line, const struct op *op, unsigned access)
{
    const int at = tags_find(&sm->l1d, line);
    if (at >= 0) {
        use(sm, line, at, op);
        lsu_answer(sm, access, sm->now + sm->p.l1d_hit);
    } else {
        miss(sm, line, access);
    }
}

/* Can a request be taken in this cycle?  The reasons that end with an event are remembered, so that it is not asked again before.
 * `mshr`: of its line, if that is missing, else -1. */
static inline bool l1d_has_room(struct sm *sm, uint32_t line, bool is_write, int *mshr)
{
    if (sm->l1d_busy == sm->now || sm->l1d_queue.count > QUEUE - 8)
        return false;
    const int at = *mshr = find_mshr(sm, line);
    sm->lsu_blocked = sm->write_waits || (at >= 0 ? !is_write && sm->mshrs[at].count >= sm->p.l1d_mshr_requests
                                                  : sm->mshrs_used == sm->mshrs_all);
    return !sm->lsu_blocked;
}

static inline void l1d_request(struct sm *sm, uint32_t line, const struct op *op, unsigned access, int mshr)
{
    sm->counters.l1d_requests++;
    if (op->counts)
        op->counts->l1d_requests++;
    if (mshr >= 0 && op->is_write) {
        sm->write_waits = true;
        sm->write_waiting = (struct request){.origin = line, .access = (uint8_t)access};
    } else if (mshr >= 0) {
        sm->mshrs[mshr].access[sm->mshrs[mshr].count++] = (uint8_t)access;
    } else if (op->is_write) {
        write(sm, line, op, access);
    } else {
        read(sm, line, op, access);
    }
}

/* ---- answers of the L2 ---- */

static inline void fill(struct sm *sm, uint32_t line, unsigned at)
{
    struct mshr *mshr = &sm->mshrs[at];
    const uint32_t written = tags_fill(&sm->l1d, line, sm->now);
    if (written)
        send(sm, written - 1, FROM_L1D_EVICT, 0, 0);
    for (unsigned i = 0; i < mshr->count; i++)
        lsu_answer(sm, mshr->access[i], sm->now + sm->p.l1d_fill - 1);
    mshr->free_at = sm->now + sm->p.l1d_mshr_free;
    sm->missing &= ~(1ull << at);
    if (sm->lsu_current >= 0 && lsu_line(sm) == line) /* all others wait for an MSHR */
        sm->lsu_blocked = false;
    if (mshr->free_at < sm->mshr_due)
        sm->mshr_due = mshr->free_at;
    sm->l1d_busy = sm->now + 1;
}

static inline void take_answer(struct sm *sm)
{
    const uint64_t now = sm->now;
    const struct request answer = *queue_first(&sm->answers);
    queue_pop(&sm->answers);
    sm->next_answer = now + sm->p.l1d_fill_interval;
    sm->answer_due = next_l1d_answer(sm);
    if (answer.source == FROM_L1D_READ) {
        fill(sm, answer.origin, answer.entry);
        return;
    }
    sm->writing &= ~(1ull << answer.entry);
    sm->queue_blocked = false;
    sm->send_due = next_send(sm);
    if (answer.source == FROM_L1D_ATOMIC)
        lsu_answer(sm, answer.access, now + sm->p.l1d_fill - 1);
}

/* ---- the queue to the L2 ---- */

static inline void send_first(struct sm *sm)
{
    const struct request *request = queue_first(&sm->l1d_queue);
    const uint32_t line = request->origin;
    const enum source source = (enum source)request->source;
    const unsigned access = request->access;
    unsigned entry = request->entry;
    const bool writes = source != FROM_L1D_READ;
    if (is_being_written(sm, line) || (writes && sm->writing == sm->writes_all)) {
        sm->queue_blocked = true;
        sm->send_due = UINT64_MAX;
        return;
    }
    queue_pop(&sm->l1d_queue);
    if (writes) {
        const unsigned at = (unsigned)__builtin_ctzll(~sm->writing);
        sm->writing |= 1ull << at;
        sm->write_line[at] = line;
        entry = at;
        if (source == FROM_L1D_WRITE)
            lsu_answer(sm, access, sm->now + sm->p.l1d_write_done);
    }
    leave(sm, line, source, access, entry, sm->now);
    sm->send_due = next_send(sm);
}

static void free_mshrs(struct sm *sm)
{
    uint64_t next = UINT64_MAX;
    for (uint64_t set = sm->mshrs_used & ~sm->missing; set; set &= set - 1) {
        const uint64_t free_at = sm->mshrs[__builtin_ctzll(set)].free_at;
        if (free_at <= sm->now)
            sm->mshrs_used &= ~(set & -set);
        else
            next = free_at < next ? free_at : next;
    }
    sm->mshr_due = next;
    sm->lsu_blocked = false;
}

static inline void take_l1i_answers(struct sm *sm)
{
    while ((sm->l1i_due = next_l1i_answer(sm)) <= sm->now) {
        l1i_fill(sm, queue_first(&sm->l1i_answers)->origin);
        queue_pop(&sm->l1i_answers);
    }
}

/* When one of the caches has something to do. */
static inline uint64_t caches_next_event(const struct sm *sm)
{
    uint64_t next = sm->mshr_due;
    next = sm->answer_due < next ? sm->answer_due : next;
    next = sm->send_due < next ? sm->send_due : next;
    return sm->l1i_due < next ? sm->l1i_due : next;
}

static inline void caches_cycle(struct sm *sm)
{
    const uint64_t now = sm->now;
    if (sm->l1i_due <= now)
        take_l1i_answers(sm);
    if (sm->answer_due <= now)
        take_answer(sm);
    if (sm->mshr_due <= now)
        free_mshrs(sm);
    if (sm->send_due <= now)
        send_first(sm);
    if (sm->write_waits && !sm->mshrs_used) {
        sm->write_waits = sm->lsu_blocked = false;
        write(sm, sm->write_waiting.origin, sm->accesses[sm->write_waiting.access].op, sm->write_waiting.access);
    }
    sm->caches_due = caches_next_event(sm);
}

#endif
