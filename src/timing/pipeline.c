/* One SM, cycle by cycle: fetch, instruction buffer, scoreboard and issue, units, control flow.
 *
 * The order inside sm_cycle is that of the registers in the hardware: a stage sees the state that later stages left in
 * the last cycle, except where a comment says otherwise. */
#include "timing/collector.h"
#include "timing/model.h"

#define BIT(slot) (1ull << (slot))
#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* ---- warps ---- */

ALWAYS_INLINE void go_to(struct sm *sm, struct sets *s, unsigned slot, uint32_t pc)
{
    struct warp *warp = &sm->warps[slot];
    const uint32_t bytes = sm->p.fetch_bytes, inside = (pc & (bytes - 1)) / 4;
    warp->fetch_pc = pc & ~(bytes - 1);
    warp->fetch_words = (uint16_t)(sm->all_words >> inside << inside);
    warp->buffered = 0;
    warp->open.words = 0;
    warp->first = NULL;
    s->opened &= ~BIT(slot);
    s->buffered &= ~BIT(slot);
    s->full &= ~BIT(slot);
    s->stale |= BIT(slot);
    warp->path++;
}

void sm_start_warp(struct sm *sm, unsigned slot, struct resident *resident, struct stream *stream, uint64_t cycle)
{
    struct warp *warp = &sm->warps[slot];
    /* accesses of the warp that was here before may still be under way */
    *warp = (struct warp){.stream = stream,
                          .resident = resident,
                          .start_cycle = cycle,
                          .path = warp->path + 1,
                          .accesses = warp->accesses};
    sm->occupied |= BIT(slot);
    sm->starting |= BIT(slot);
    sm->warp_changes++;
    sm->held &= ~BIT(slot);
    sm->sets.full &= ~BIT(slot); /* it may fetch in its first cycle */
    sm_wake(sm, sm->model->cycle + 1);
    sm->sets.blocked &= ~BIT(slot);
    sm->at_barrier &= ~BIT(slot);
    sm->sets.collecting &= ~BIT(slot);
    if (stream_is_short(stream))
        sm_starve(sm);
    if (sm->model->is_profiled)
        probe_start(sm, slot);
}

static __attribute__((noinline)) bool start_warps(struct sm *sm)
{
    struct sets s = sm->sets;
    bool any = false;
    for (uint64_t set = sm->starting; set; set &= set - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        struct warp *warp = &sm->warps[slot];
        if (warp->start_cycle >= sm->now)
            continue;
        sm->starting &= ~BIT(slot);
        s.active |= BIT(slot);
        go_to(sm, &s, slot, model_op(sm->model, warp->stream->words[warp->stream->read])->start);
        any = true;
    }
    sm->sets = s;
    return any;
}

/* ---- write-back ---- */

void sm_write_back(struct sm *sm, uint64_t cycle, unsigned warp, uint16_t reg, uint8_t priority)
{
    if (reg == NO_REGISTER || sm->writeback_count == CY_COUNT(sm->writebacks))
        return;
    struct writeback *at = &sm->writebacks[sm->writeback_count++];
    at->cycle = cycle;
    at->what = reg | warp << 16 | (uint32_t)priority << 24;
    if (cycle < sm->next_writeback)
        sm->next_writeback = cycle;
    pipeline_wake(sm, cycle);
}

static inline void remove_writeback(struct sm *sm, unsigned at)
{
    const struct writeback *last = &sm->writebacks[--sm->writeback_count];
    sm->writebacks[at].cycle = last->cycle;
    sm->writebacks[at].what = last->what;
}

/* One scalar and one vector register per cycle; what the scoreboard may clear at the end of the cycle goes to
 * `done`. */
static unsigned choose_writebacks(struct sm *sm, uint32_t done[2])
{
    if (sm->writeback_count == 1) {
        done[0] = sm->writebacks[0].what;
        sm->writeback_count = 0;
        sm->next_writeback = UINT64_MAX;
        return 1;
    }
    const unsigned all = sm->writeback_count;
    int best[2] = {-1, -1};
    unsigned count = 0;
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < all; i++) {
        const struct writeback *at = &sm->writebacks[i];
        int *port = &best[(at->what & 0xffff) >= VECTOR_REGISTER];
        uint64_t waits = at->cycle; /* of this one or of the one before: not both can have the port */
        if (waits <= sm->now) {
            const struct writeback *other = *port < 0 ? NULL : &sm->writebacks[*port];
            const bool is_first = !other || at->what >> 24 < other->what >> 24 ||
                                  (at->what >> 24 == other->what >> 24 && at->cycle < other->cycle);
            waits = !other ? UINT64_MAX : is_first ? other->cycle : waits;
            *port = is_first ? (int)i : *port;
        }
        next = waits < next ? waits : next;
    }
    sm->next_writeback = next;
    for (unsigned port = 0; port < 2; port++)
        if (best[port] >= 0)
            done[count++] = sm->writebacks[best[port]].what;
    const int high = best[0] > best[1] ? best[0] : best[1], low = best[0] > best[1] ? best[1] : best[0];
    if (high >= 0)
        remove_writeback(sm, (unsigned)high);
    if (low >= 0)
        remove_writeback(sm, (unsigned)low);
    return count;
}

ALWAYS_INLINE void clear_register(struct sm *sm, struct sets *s, uint32_t what, bool is_plain)
{
    const unsigned slot = what >> 16 & 0xff, word = (what & 0xffff) / 64;
    struct warp *warp = &sm->warps[slot];
    const uint64_t bit = BIT(what & 63);
    warp->busy[word] &= ~bit;
    if (!is_plain)
        warp->load[word] &= ~bit;
    s->stale |= BIT(slot) & s->hazard; /* where there is none, it makes none */
}

void sm_memory_done(struct sm *sm, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    warp->accesses--;
    lsu_has_changed(sm);
    if (warp->accesses == 0 && warp->fenced) {
        warp->fenced = false;
        sm->unfenced |= BIT(slot);
        pipeline_wake(sm, sm->now);
    }
}

/* ---- units ---- */

/* A branch has been decided. */
ALWAYS_INLINE void release_branch(struct sm *sm, struct sets *s, unsigned slot, bool is_redirected)
{
    struct warp *warp = &sm->warps[slot];
    if (is_redirected) {
        if (warp->stream->records)
            go_to(sm, s, slot, model_op(sm->model, warp->stream->words[warp->stream->read])->start);
        warp->fetch_from = sm->now + sm->p.fetch_redirect;
        sm->held |= BIT(slot);
    }
    s->blocked &= ~BIT(slot);
    s->stale |= BIT(slot);
}

static void release_barrier(struct sm *sm, uint64_t released)
{
    for (uint64_t set = released; set; set &= set - 1)
        if (stream_is_short(sm->warps[__builtin_ctzll(set)].stream))
            sm_starve(sm);
    sm->sets.blocked &= ~released;
    sm->at_barrier &= ~released;
    sm->sets.stale |= released;
}

static void resolve(struct sm *sm, unsigned slot, uint64_t cycle, bool redirect)
{
    sm->resolves[sm->resolve_count++] = (struct resolve){cycle, (uint8_t)slot, redirect};
}

static void check_barrier(struct sm *sm, struct resident *resident)
{
    if (!resident->waiting || resident->waiting < resident->live)
        return;
    release_barrier(sm, resident->slots & sm->at_barrier);
    resident->waiting = 0;
}

static void end_warp(struct sm *sm, unsigned slot)
{
    struct resident *resident = sm->warps[slot].resident;
    if (sm->model->is_profiled)
        probe_end(sm, slot);
    sm->ending--;
    sm->warp_changes++;
    sm->sets.active &= ~BIT(slot);
    sm->occupied &= ~BIT(slot);
    sm->sets.opened &= ~BIT(slot);
    resident->slots &= ~BIT(slot);
    sm->warps[slot].path++;
    if (--resident->live == 0) {
        resident->release_at = sm->now + sm->p.group_end_cycles;
        sm->next_release = resident->release_at < sm->next_release ? resident->release_at : sm->next_release;
        sm->limit = sm->next_release < sm->limit ? sm->next_release : sm->limit;
    } else {
        check_barrier(sm, resident);
    }
}

static uint32_t extra_word(const struct sm *sm, const struct unit *unit)
{
    const struct stream *stream = sm->warps[unit->warp].stream;
    return stream->words[stream->keep + 1];
}

/* Barriers and ends. */
static __attribute__((noinline)) void execute_control(struct sm *sm, const struct unit *unit)
{
    struct warp *warp = &sm->warps[unit->warp];
    if (unit->op->kind == KIND_END) {
        end_warp(sm, unit->warp);
        return;
    }
    sm->at_barrier |= BIT(unit->warp);
    warp->resident->waiting++;
    check_barrier(sm, warp->resident);
}

/* Passes an instruction with all its operands to its unit.  False: the unit is busy; `can_control`: the warp scheduler
 * accepts barriers and ends. */
ALWAYS_INLINE bool execute(struct sm *sm, struct sets *s, const struct unit *unit, bool can_control)
{
    const struct op *op = unit->op;
    const unsigned slot = unit->warp;
    const uint64_t now = sm->now;
    struct warp *warp = &sm->warps[slot];
    switch ((enum kind)op->kind) {
    case KIND_ALU: sm_write_back(sm, now + op->latency, slot, op->destination, op->priority); break;
    case KIND_SFU: {
        if (sm->sfu_free > now)
            return false;
        const uint32_t cycles = extra_word(sm, unit);
        sm->sfu_free = now + cycles;
        sm_write_back(sm, now + cycles, slot, op->destination, op->priority);
        break;
    }
    case KIND_MEMORY: return lsu_take(sm, unit);
    case KIND_JUMP:
    case KIND_BRANCH:
        sm_write_back(sm, now + op->latency, slot, op->destination, op->priority);
        resolve(sm, slot, now + 1, unit->is_taken);
        break;
    case KIND_VBRANCH: {
        const bool redirect = unit->is_taken;
        resolve(sm, slot, now + 1 + (redirect ? sm->p.vbranch_extra : 0), redirect);
        break;
    }
    case KIND_FENCE: warp->fenced = warp->accesses != 0; break;
    case KIND_BARRIER:
    case KIND_END:
        if (!can_control)
            return false;
        sm->sets = *s;
        execute_control(sm, unit);
        *s = sm->sets;
        break;
    }
    return true;
}

/* Memory instructions are finished by the LSU. */
static void finished(struct sm *sm, const struct unit *unit)
{
    const struct op *op = unit->op;
    const uint64_t end = op->kind == KIND_SFU ? sm->sfu_free : sm->now + (op->latency ? op->latency : 1);
    if (op->kind != KIND_MEMORY)
        probe_unit_done(sm, unit, end);
}

ALWAYS_INLINE void execute_ready(struct sm *sm, struct sets *s, uint32_t ready, bool can_control, bool is_plain)
{
    uint32_t most = is_plain ? 1 : sm->p.collector_out, gone = 0;
    uint64_t left = 0;
    for (; ready && most; ready &= ready - 1, most--) {
        const unsigned at = (unsigned)__builtin_ctz(ready);
        if (sm->lsu_refused == 1u << at)
            break;
        if (!execute(sm, s, sm->units[at], can_control)) {
            sm->lsu_refused = sm->units[at]->op->kind == KIND_MEMORY ? 1u << at : 0;
            break;
        }
        gone |= 1u << at;
        left |= BIT(sm->units[at]->warp);
        if (!is_plain && sm->model->is_profiled)
            finished(sm, sm->units[at]);
    }
    if (!gone)
        return;
    sm->units_ready &= ~gone;
    sm->units_used &= ~gone;
    s->collecting &= ~left;
    s->stale |= left;
    s->activity |= gone;
}

/* ---- issue ---- */

/* The next instruction of a warp with an open block; words of its prefix are skipped.  NULL: it is not in this block. */
static __attribute__((noinline)) const struct op *find_next_op(struct sm *sm, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    const struct stream *stream = warp->stream;
    if (!warp->next) {
        if (!stream->records)
            return NULL;
        warp->next = model_op(sm->model, stream->words[stream->read]);
    }
    const struct op *op = warp->next;
    while (warp->open.words) {
        const unsigned at = (unsigned)__builtin_ctz(warp->open.words);
        const uint32_t pc = warp->open.pc + 4 * at;
        if (pc == op->pc)
            return op;
        warp->open.words &= (uint16_t)(warp->open.words - 1);
        if (pc != op->start) { /* the recorded path left this one without a branch: start over */
            struct sets s = sm->sets;
            go_to(sm, &s, slot, op->start);
            sm->sets = s;
            return NULL;
        }
    }
    sm->sets.opened &= ~BIT(slot);
    return NULL;
}

ALWAYS_INLINE bool is_busy(const struct warp *warp, const struct op *op)
{
    uint64_t busy = (op->used[0] & warp->busy[0]) | (op->used[1] & warp->busy[1]);
    if (op->uses_high)
        busy |= (op->used[2] & warp->busy[2]) | (op->used[3] & warp->busy[3]) | (op->used[4] & warp->busy[4]);
    return busy != 0;
}

ALWAYS_INLINE bool has_hazard(struct sm *sm, struct sets *s, unsigned slot)
{
    const struct warp *warp = &sm->warps[slot];
    if (s->opened >> slot & 1) {
        const struct op *op = warp->next;
        if (!op || op->pc != warp->open.pc + 4 * (unsigned)__builtin_ctz(warp->open.words)) {
            sm->sets = *s;
            op = find_next_op(sm, slot);
            *s = sm->sets;
        }
        if (s->opened >> slot & 1)
            return !op || is_busy(warp, op) || (warp->fenced && op->kind == KIND_MEMORY);
    }
    return sm->p.pair_wait && warp->first && is_busy(warp, warp->first);
}

ALWAYS_INLINE void refresh_hazards(struct sm *sm, struct sets *s, uint64_t set)
{
    s->stale &= ~set;
    for (; set; set &= set - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        const uint64_t hazard = has_hazard(sm, s, slot);
        s->hazard = (s->hazard & ~BIT(slot)) | hazard << slot;
    }
}

static inline void consume(struct sm *sm, struct warp *warp, const struct op *op)
{
    struct timing_model *model = sm->model;
    struct stream *stream = warp->stream;
    const size_t read = stream->read;
    size_t size = 1;
    stream->keep = read;
    if (op->has_extra)
        size = op->kind == KIND_MEMORY ? 2 + (stream->words[read + 1] & LINES_COUNT) : 2;
    stream->read = read + size;
    const uint64_t records = --stream->records;
    warp->next = records ? model_op(model, stream->words[read + size]) : NULL;
    if (records < 4 && op->kind != KIND_BARRIER && op->kind != KIND_END && stream_is_short(stream))
        sm_starve(sm);
    sm->counters.instructions++;
    model->last_issue = sm->now;
}

ALWAYS_INLINE void issue(struct sm *sm, struct sets *s, unsigned slot, bool is_plain)
{
    struct warp *warp = &sm->warps[slot];
    const struct op *op = warp->next; /* found when its hazards were looked at */
    const struct op *first = warp->first;
    const uint16_t words = warp->open.words, rest = words & (uint16_t)(words - 1);
    consume(sm, warp, op);
    warp->first = words & 1 ? op : first;
    warp->open.words = rest;
    s->opened &= ~((uint64_t)!rest << slot);
    if (op->destination != NO_REGISTER) {
        const uint64_t bit = BIT(op->destination & 63);
        const unsigned word = op->destination / 64;
        warp->busy[word] |= bit;
        if (!is_plain && op->kind == KIND_MEMORY)
            warp->load[word] |= bit;
    }
    s->collecting |= BIT(slot);
    s->stale |= BIT(slot);
    if (op->kind == KIND_END) {
        sm->ending++;
        sm_reach_out(sm);
    }
    if (!is_plain) {
        warp->last = op;
        warp->last_cycle = sm->now;
    }
    bool is_taken = false;
    if (op->is_control) {
        s->blocked |= BIT(slot);
        /* whether it is taken shows in what comes next; the recorder marks branches to the next instruction */
        const bool is_marked = warp->stream->words[warp->stream->keep] & RECORD_TAKEN;
        is_taken = is_marked || op->kind == KIND_JUMP ||
                   (op->kind != KIND_BARRIER && warp->next && warp->next->start != op->pc + 4);
    }
    struct unit *staged = sm->staged[is_plain ? 0 : sm->staged_count];
    sm->staged_count = is_plain ? 1 : sm->staged_count + 1;
    staged->op = op;
    staged->issued = sm->now;
    staged->ordinal = warp->issued++;
    staged->warp = (uint8_t)slot;
    staged->is_taken = is_taken;
}

ALWAYS_INLINE void open_block(struct sm *sm, struct sets *s, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    warp->open.pc = (uint32_t)warp->buffer[0];
    warp->open.words = (uint16_t)(warp->buffer[0] >> 32);
    warp->first = NULL;
    warp->buffered--;
    warp->buffer[0] = warp->buffer[1];
    for (unsigned i = 1; i < warp->buffered; i++)
        warp->buffer[i] = warp->buffer[i + 1];
    s->opened |= BIT(slot);
    s->full &= ~BIT(slot);
    s->stale |= BIT(slot);
    s->buffered &= ~((uint64_t)!warp->buffered << slot);
}

/* Warps that may be able to issue, or to open a block. */
ALWAYS_INLINE uint64_t can_go_on(const struct sets *s)
{
    return s->active & ~(s->blocked | s->collecting) & (s->stale | (~s->hazard & (s->opened | s->buffered)));
}

ALWAYS_INLINE void issue_and_open(struct sm *sm, struct sets *s, bool is_plain)
{
    const uint64_t free_to = s->active & ~(s->blocked | s->collecting), stale = s->stale & free_to;
    refresh_hazards(sm, s, stale);
    const uint64_t ready = free_to & ~s->hazard;
    uint64_t can_issue = ready & s->opened;
    uint64_t can_open = ready & ~s->opened & s->buffered;
    s->activity |= can_open;
    if (can_issue && !sm->staged_count) {
        for (uint32_t left = is_plain ? 1 : sm->p.issue_width; left && can_issue; left--) {
            const uint64_t later = can_issue & sm->issue_after;
            const unsigned slot = (unsigned)__builtin_ctzll(later ? later : can_issue);
            sm->issue_after = ~1ull << slot;
            can_issue &= ~BIT(slot);
            issue(sm, s, slot, is_plain);
        }
        s->activity = 1;
    }
    for (; can_open; can_open &= can_open - 1)
        open_block(sm, s, (unsigned)__builtin_ctzll(can_open));
}

/* ---- control flow ---- */

/* One branch per cycle.  Returns its warp if that is redirected. */
ALWAYS_INLINE uint64_t resolve_branch(struct sm *sm, struct sets *s, bool *is_released)
{
    for (unsigned i = 0; i < sm->resolve_count; i++) {
        const struct resolve at = sm->resolves[i];
        if (at.cycle > sm->now)
            continue;
        sm->resolve_count--;
        for (; i < sm->resolve_count; i++)
            sm->resolves[i] = sm->resolves[i + 1];
        s->activity = 1;
        *is_released = true;
        release_branch(sm, s, at.warp, at.redirect);
        return at.redirect ? BIT(at.warp) : 0;
    }
    return 0;
}

/* ---- fetch ---- */

/* Returns the warp that has to retry: its line is missing, or its buffer is full; -1: none. */
ALWAYS_INLINE int take_response(struct sm *sm, struct sets *s, uint64_t full)
{
    const struct fetch *fetch = &sm->fetches[sm->now % MOST_FETCHES];
    const unsigned slot = fetch->warp;
    struct warp *warp = &sm->warps[slot];
    sm->fetching &= ~BIT(sm->now % MOST_FETCHES);
    s->activity = 1;
    if (fetch->path != warp->path)
        return -1;
    if (fetch->hit && !(full & BIT(slot))) {
        warp->buffer[warp->buffered++] = fetch->pc | (uint64_t)fetch->words << 32;
        s->buffered |= BIT(slot);
        s->full |= (uint64_t)(warp->buffered == sm->p.ibuffer_entries) << slot;
        return -1;
    }
    warp->fetch_pc = fetch->pc;
    warp->fetch_words = fetch->words;
    warp->path++;
    return (int)slot;
}

ALWAYS_INLINE bool look_up(struct sm *sm, uint32_t pc)
{
    const int at = tags_find(&sm->l1i, pc >> sm->p.l1i_shift);
    sm->counters.l1i_lookups++;
    if (at >= 0)
        sm->l1i.used[at] = sm->now;
    else
        l1i_miss(sm, pc);
    return at >= 0;
}

static bool may_fetch(const struct sm *sm, unsigned slot)
{
    return sm->warps[slot].fetch_from <= sm->now;
}

/* Warps that were redirected in earlier cycles and still may not fetch leave the port to the others. */
static uint64_t still_held(struct sm *sm, uint64_t redirected)
{
    for (uint64_t set = sm->held & ~redirected; set; set &= set - 1)
        if (may_fetch(sm, (unsigned)__builtin_ctzll(set)))
            sm->held &= ~(set & -set);
    return sm->held & ~redirected;
}

/* The lowest warp with room requests, repeatedly while its line is missing: the others wait. */
ALWAYS_INLINE void request_fetch(struct sm *sm, struct sets *s, uint64_t full, uint64_t redirected, int set_back)
{
    uint64_t wants = s->active & ~full;
    if (!wants)
        return;
    s->activity = 1;
    if (sm->held && !(wants &= ~still_held(sm, redirected)))
        return;
    const unsigned slot = (unsigned)__builtin_ctzll(wants);
    struct warp *warp = &sm->warps[slot];
    if (set_back == (int)slot || (redirected >> slot & 1 && !may_fetch(sm, slot)))
        return;
    const unsigned at = (unsigned)((sm->now + sm->p.fetch_latency) % MOST_FETCHES);
    struct fetch *fetch = &sm->fetches[at];
    const uint32_t pc = warp->fetch_pc;
    fetch->pc = pc;
    fetch->path = warp->path;
    fetch->warp = (uint8_t)slot;
    fetch->words = warp->fetch_words;
    fetch->hit = look_up(sm, pc);
    sm->fetching |= BIT(at);
    warp->fetch_pc = pc + sm->p.fetch_bytes;
    warp->fetch_words = sm->all_words;
}

/* ---- the cycle ---- */

static uint64_t next_event(const struct sm *sm)
{
    const uint64_t now = sm->now;
    uint64_t next = sm->next_writeback > now ? sm->next_writeback : now + 1;
    for (uint64_t set = sm->starting; set; set &= set - 1)
        next = earliest(next, sm->warps[__builtin_ctzll(set)].start_cycle + 1, now);
    for (unsigned i = 0; i < sm->resolve_count; i++)
        next = earliest(next, sm->resolves[i].cycle, now);
    if (sm->fetching) {
        const unsigned first = (unsigned)((now + 1) % MOST_FETCHES);
        const uint64_t later = sm->fetching >> first | (first ? sm->fetching << (MOST_FETCHES - first) : 0);
        next = earliest(next, now + 1 + (unsigned)__builtin_ctzll(later), now);
    }
    return earliest(next, sm->sfu_free, now);
}

/* Where states are compared: see memo.c. */
ALWAYS_INLINE void check_leader(struct sm *sm, const struct sets *s, uint64_t redirected)
{
    enum { PATIENCE = 512 }; /* cycles */
    if (redirected & s->active & -s->active) {
        sm->lowest_seen = sm->now;
    } else {
        if (sm->now - sm->lowest_seen < PATIENCE)
            return;
        if (!(redirected >> sm->leader & 1)) {
            if (sm->now - sm->leader_seen < PATIENCE)
                return;
            sm->leader = (unsigned)__builtin_ctzll(redirected);
        }
        sm->leader_seen = sm->now;
    }
    sm->at_checkpoint = true;
}

/* `is_plain`: one instruction issues and one leaves the collector per cycle, over one port, and nobody watches. */
ALWAYS_INLINE void cycle(struct sm *sm, struct sets *s, bool is_plain)
{
    uint32_t written[2];
    uint64_t redirected = 0;
    bool is_released = false, has_started = false;
    unsigned count = 0;
    if (sm->next_writeback <= sm->now)
        count = choose_writebacks(sm, written);
    if (sm->memory_due <= sm->now) {
        sm_memory_cycle(sm, is_plain);
        if (sm->pipeline_due > sm->now)
            return;
    }
    const uint64_t now = sm->now;
    const uint64_t full = s->full; /* what leaves a buffer in this cycle makes room in the next */
    const uint32_t ready = sm->units_ready;
    if (sm->starting | sm->unfenced) {
        sm->sets = *s;
        has_started = start_warps(sm);
        *s = sm->sets;
        s->stale |= sm->unfenced;
        sm->unfenced = 0;
    }
    s->activity = count | has_started | collector_cycle(sm, is_plain);
    if (can_go_on(s))
        issue_and_open(sm, s, is_plain);
    /* the scheduler does one thing per cycle: a fetch that is set back, else a branch, else a barrier or an end */
    const int set_back = sm->fetching >> now % MOST_FETCHES & 1 ? take_response(sm, s, full) : -1;
    if (sm->resolve_count && set_back < 0)
        redirected = resolve_branch(sm, s, &is_released);
    sm->units_refused = 0;
    if (ready) {
        execute_ready(sm, s, ready, set_back < 0 && !is_released, is_plain);
        sm->units_refused = ready & sm->units_ready;
    }
    if (redirected)
        check_leader(sm, s, redirected);
    request_fetch(sm, s, full, redirected, set_back);
    for (unsigned i = 0; i < count; i++)
        clear_register(sm, s, written[i], is_plain);
    sm->pipeline_due = s->activity ? now + 1 : next_event(sm);
}

static inline uint64_t next_step(const struct sm *sm)
{
    return sm->pipeline_due < sm->memory_due ? sm->pipeline_due : sm->memory_due;
}

static inline uint64_t next_cycle(const struct sm *sm)
{
    const uint64_t due = next_step(sm);
    return due < sm->next_release ? due : sm->next_release;
}

void sm_wake(struct sm *sm, uint64_t cycle)
{
    pipeline_wake(sm, cycle);
    sm->model->due[sm->index] = next_cycle(sm);
}

void sm_cycle(struct sm *sm)
{
    struct sets s = sm->sets;
    cycle(sm, &s, false);
    sm->sets = s;
    if (sm->model->is_profiled)
        probe_cycle(sm);
    sm->model->due[sm->index] = next_cycle(sm);
}

/* ---- runs ---- */

ALWAYS_INLINE void run_cycles(struct sm *sm, bool is_plain)
{
    struct sets s = sm->sets;
    for (uint64_t due = sm->model->due[sm->index]; due < sm->limit; due = next_step(sm)) {
        sm->now = due;
        cycle(sm, &s, is_plain);
        if (!is_plain && sm->model->is_profiled) {
            sm->sets = s;
            probe_cycle(sm);
        }
        if (sm->at_checkpoint) {
            sm->at_checkpoint = false;
            if (sm->limit && !sm->model->is_profiled &&
                (sm->run == DETACHED || (sm->run == ALONE && sm_is_detached(sm)))) {
                sm->sets = s;
                memo_checkpoint(sm, sm->limit);
                s = sm->sets;
            }
        }
    }
    sm->sets = s;
}

void sm_run(struct sm *sm, uint64_t until, enum run run)
{
    const struct timing_model *model = sm->model;
    sm->reached_out = false;
    sm->run = (uint8_t)run;
    sm->limit = until < sm->next_release ? until : sm->next_release;
    if (run == ALONE && model->l2.due < sm->limit)
        sm->limit = model->l2.due;
    if (model->starved)
        sm->limit = 0;
    if (model->is_plain)
        run_cycles(sm, true);
    else
        run_cycles(sm, false);
    model->due[sm->index] = next_cycle(sm);
}
