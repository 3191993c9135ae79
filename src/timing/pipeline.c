/* One SM, cycle by cycle: fetch, instruction buffer, scoreboard and issue, units, control flow.
 *
 * The order inside sm_cycle is that of the registers in the hardware: a stage sees the state that later stages left in
 * the last cycle, except where a comment says otherwise. */
#include "timing/collector.h"
#include "timing/model.h"

#include <string.h>

#define BIT(slot) (1ull << (slot))

static unsigned words_per_block(const struct sm *sm)
{
    return sm->p.fetch_bytes / 4;
}

/* ---- warps ---- */

static void go_to(struct sm *sm, unsigned slot, uint32_t pc)
{
    struct warp *warp = &sm->warps[slot];
    const uint32_t bytes = sm->p.fetch_bytes, inside = (pc & (bytes - 1)) / 4;
    warp->fetch_pc = pc & ~(bytes - 1);
    warp->fetch_words = (uint8_t)(((1u << words_per_block(sm)) - 1) >> inside << inside);
    warp->buffered = 0;
    warp->open.words = 0;
    warp->first = NULL;
    sm->opened &= ~BIT(slot);
    sm->buffered &= ~BIT(slot);
    sm->full &= ~BIT(slot);
    sm->stale |= BIT(slot);
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
    sm->sleep_until = 0;
    sm->blocked &= ~BIT(slot);
    sm->at_barrier &= ~BIT(slot);
    sm->collecting &= ~BIT(slot);
    if (stream_is_short(stream))
        sm->model->starved = true;
    if (sm->model->is_profiled)
        probe_start(sm, slot);
}

static void start_warps(struct sm *sm)
{
    for (uint64_t set = sm->starting; set; set &= set - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        struct warp *warp = &sm->warps[slot];
        if (warp->start_cycle >= sm->now)
            continue;
        sm->starting &= ~BIT(slot);
        sm->active |= BIT(slot);
        go_to(sm, slot, model_op(sm->model, warp->stream->words[warp->stream->read])->start);
        sm->activity = true;
    }
}

/* ---- write-back ---- */

void sm_write_back(struct sm *sm, uint64_t cycle, unsigned warp, uint16_t reg, uint8_t priority)
{
    if (reg == NO_REGISTER || sm->writeback_count == CY_COUNT(sm->writebacks))
        return;
    sm->writebacks[sm->writeback_count++] = (struct writeback){cycle, reg, (uint8_t)warp, priority};
    if (cycle < sm->next_writeback)
        sm->next_writeback = cycle;
}

/* One scalar and one vector register per cycle; what the scoreboard may clear at the end of the cycle goes to
 * `done`. */
static unsigned choose_writebacks(struct sm *sm, struct writeback done[2])
{
    int best[2] = {-1, -1};
    unsigned count = 0;
    for (unsigned i = 0; i < sm->writeback_count; i++) {
        const struct writeback *at = &sm->writebacks[i];
        int *port = &best[at->reg & VECTOR_REGISTER ? 1 : 0];
        if (at->cycle > sm->now)
            continue;
        if (*port < 0 || at->priority < sm->writebacks[*port].priority ||
            (at->priority == sm->writebacks[*port].priority && at->cycle < sm->writebacks[*port].cycle))
            *port = (int)i;
    }
    for (unsigned port = 0; port < 2; port++)
        if (best[port] >= 0)
            done[count++] = sm->writebacks[best[port]];
    const int high = best[0] > best[1] ? best[0] : best[1], low = best[0] > best[1] ? best[1] : best[0];
    if (high >= 0)
        sm->writebacks[high] = sm->writebacks[--sm->writeback_count];
    if (low >= 0)
        sm->writebacks[low] = sm->writebacks[--sm->writeback_count];
    sm->next_writeback = UINT64_MAX;
    for (unsigned i = 0; i < sm->writeback_count; i++)
        if (sm->writebacks[i].cycle < sm->next_writeback)
            sm->next_writeback = sm->writebacks[i].cycle;
    sm->activity |= count != 0;
    return count;
}

static void clear_register(struct sm *sm, const struct writeback *at)
{
    struct warp *warp = &sm->warps[at->warp];
    if (at->reg & VECTOR_REGISTER) {
        warp->busy_v[(at->reg >> 6) & 3] &= ~BIT(at->reg & 63);
        warp->load_v[(at->reg >> 6) & 3] &= ~BIT(at->reg & 63);
    } else {
        warp->busy_x &= ~BIT(at->reg & 63);
        warp->load_x &= ~BIT(at->reg & 63);
    }
    sm->stale |= BIT(at->warp);
}

void sm_memory_done(struct sm *sm, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    if (--warp->accesses == 0 && warp->fenced) {
        warp->fenced = false;
        sm->stale |= BIT(slot);
    }
}

/* ---- units ---- */

static void release(struct sm *sm, uint64_t released, uint64_t redirected)
{
    for (uint64_t set = redirected; set; set &= set - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        const struct stream *stream = sm->warps[slot].stream;
        if (stream->records)
            go_to(sm, slot, model_op(sm->model, stream->words[stream->read])->start);
    }
    for (uint64_t set = released & sm->at_barrier; set; set &= set - 1)
        if (stream_is_short(sm->warps[__builtin_ctzll(set)].stream))
            sm->model->starved = true;
    sm->blocked &= ~released;
    sm->at_barrier &= ~released;
    sm->stale |= released;
}

static void resolve(struct sm *sm, unsigned slot, uint64_t cycle, bool redirect)
{
    sm->resolves[sm->resolve_count++] = (struct resolve){cycle, (uint8_t)slot, redirect};
}

static void check_barrier(struct sm *sm, struct resident *resident)
{
    if (!resident->waiting || resident->waiting < resident->live)
        return;
    release(sm, resident->slots & sm->at_barrier, 0);
    resident->waiting = 0;
}

static void end_warp(struct sm *sm, unsigned slot)
{
    struct resident *resident = sm->warps[slot].resident;
    if (sm->model->is_profiled)
        probe_end(sm, slot);
    sm->active &= ~BIT(slot);
    sm->occupied &= ~BIT(slot);
    sm->opened &= ~BIT(slot);
    resident->slots &= ~BIT(slot);
    sm->warps[slot].path++;
    if (--resident->live == 0) {
        resident->release_at = sm->now + sm->p.group_end_cycles;
        sm->next_release = resident->release_at < sm->next_release ? resident->release_at : sm->next_release;
    } else {
        check_barrier(sm, resident);
    }
}

static uint32_t extra_word(const struct sm *sm, const struct unit *unit)
{
    const struct stream *stream = sm->warps[unit->warp].stream;
    return stream->words[stream->keep + 1];
}

/* Passes an instruction with all its operands to its unit.  False: the unit is busy; `can_control`: the warp scheduler
 * accepts barriers and ends. */
static bool execute(struct sm *sm, const struct unit *unit, bool can_control)
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
        resolve(sm, slot, now + 1, unit->record & RECORD_TAKEN);
        break;
    case KIND_VBRANCH: {
        const bool redirect = unit->record & RECORD_TAKEN;
        resolve(sm, slot, now + 1 + (redirect ? sm->p.vbranch_extra : 0), redirect);
        break;
    }
    case KIND_BARRIER:
        if (!can_control)
            return false;
        sm->at_barrier |= BIT(slot);
        warp->resident->waiting++;
        check_barrier(sm, warp->resident);
        break;
    case KIND_FENCE: warp->fenced = warp->accesses != 0; break;
    case KIND_END:
        if (!can_control)
            return false;
        end_warp(sm, slot);
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

static uint64_t execute_ready(struct sm *sm, uint32_t ready, bool can_control)
{
    uint64_t left = 0;
    uint32_t most = sm->p.collector_out;
    for (; ready && most; ready &= ready - 1, most--) {
        const unsigned at = (unsigned)__builtin_ctz(ready);
        if (!execute(sm, &sm->units[at], can_control))
            break;
        sm->units_ready &= ~(1u << at);
        sm->units_used &= ~(1u << at);
        left |= BIT(sm->units[at].warp);
        if (sm->model->is_profiled)
            finished(sm, &sm->units[at]);
        sm->activity = true;
    }
    return left;
}

/* ---- issue ---- */

/* The next instruction of a warp; words of its prefix are skipped. */
static const struct op *next_op(struct sm *sm, unsigned slot)
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
        warp->open.words &= (uint8_t)(warp->open.words - 1);
        if (pc != op->start) { /* the recorded path left this one without a branch: start over */
            go_to(sm, slot, op->start);
            return NULL;
        }
    }
    sm->opened &= ~BIT(slot);
    return NULL;
}

static bool has_hazard(struct sm *sm, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    const struct op *op = sm->opened & BIT(slot) ? next_op(sm, slot) : NULL;
    if (!(sm->opened & BIT(slot)))
        op = sm->p.pair_wait ? warp->first : NULL;
    if (!op)
        return sm->opened & BIT(slot);
    return (op->x_used & warp->busy_x) || (op->v_used[0] & warp->busy_v[0]) || (op->v_used[1] & warp->busy_v[1]) ||
           (op->v_used[2] & warp->busy_v[2]) || (op->v_used[3] & warp->busy_v[3]) ||
           (warp->fenced && op->kind == KIND_MEMORY && sm->opened & BIT(slot));
}

static void refresh_hazards(struct sm *sm)
{
    for (uint64_t set = sm->stale & sm->active & ~sm->blocked & ~sm->collecting; set; set &= set - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        if (has_hazard(sm, slot))
            sm->hazard |= BIT(slot);
        else
            sm->hazard &= ~BIT(slot);
        sm->stale &= ~BIT(slot);
    }
}

static void consume(struct sm *sm, unsigned slot, const struct op *op)
{
    struct stream *stream = sm->warps[slot].stream;
    const uint32_t *record = &stream->words[stream->read];
    stream->keep = stream->read;
    stream->read += op->kind == KIND_MEMORY ? 2 + (record[1] & LINES_COUNT) : op->kind == KIND_SFU ? 2 : 1;
    stream->records--;
    sm->warps[slot].next = stream->records ? model_op(sm->model, stream->words[stream->read]) : NULL;
    if (op->kind != KIND_BARRIER && op->kind != KIND_END && stream_is_short(stream))
        sm->model->starved = true;
    sm->model->counters.instructions++;
    sm->model->last_issue = sm->now;
}

static void issue(struct sm *sm, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    const struct op *op = next_op(sm, slot);
    const uint32_t record = warp->stream->words[warp->stream->read];
    const unsigned at = (unsigned)__builtin_ctz(warp->open.words);
    consume(sm, slot, op);
    if (at == 0)
        warp->first = op;
    warp->open.words &= (uint8_t)(warp->open.words - 1);
    if (!warp->open.words)
        sm->opened &= ~BIT(slot);
    if (op->destination != NO_REGISTER) {
        const uint64_t bit = BIT(op->destination & 63), load = op->kind == KIND_MEMORY ? bit : 0;
        if (op->destination & VECTOR_REGISTER) {
            warp->busy_v[(op->destination >> 6) & 3] |= bit;
            warp->load_v[(op->destination >> 6) & 3] |= load;
        } else {
            warp->busy_x |= bit;
            warp->load_x |= load;
        }
    }
    if (op->kind == KIND_BRANCH || op->kind == KIND_JUMP || op->kind == KIND_VBRANCH || op->kind == KIND_BARRIER)
        sm->blocked |= BIT(slot);
    sm->collecting |= BIT(slot);
    sm->stale |= BIT(slot);
    warp->last = op;
    warp->last_cycle = sm->now;
    struct unit staged = {
        .op = op, .record = record, .warp = (uint8_t)slot, .ordinal = warp->issued++, .issued = sm->now};
    /* whether it is taken shows in what comes next; the recorder marks branches to the next instruction */
    if (op->kind == KIND_JUMP)
        staged.record |= RECORD_TAKEN;
    else if ((op->kind == KIND_BRANCH || op->kind == KIND_VBRANCH) && warp->next && warp->next->start != op->next)
        staged.record |= RECORD_TAKEN;
    sm->staged[sm->staged_count++] = staged;
}

static void issue_and_open(struct sm *sm)
{
    refresh_hazards(sm);
    const uint64_t ready = sm->active & ~sm->blocked & ~sm->collecting & ~sm->hazard;
    uint64_t can_issue = ready & sm->opened;
    uint64_t can_open = ready & ~sm->opened & sm->buffered;
    if (!sm->staged_count) {
        for (uint32_t i = 0; i < sm->p.issue_width && can_issue; i++) {
            const uint64_t later = sm->turn < MOST_WARPS ? can_issue >> sm->turn << sm->turn : 0;
            const unsigned slot = (unsigned)__builtin_ctzll(later ? later : can_issue);
            sm->turn = slot + 1;
            can_issue &= ~BIT(slot);
            issue(sm, slot);
            sm->activity = true;
        }
    }
    for (; can_open; can_open &= can_open - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(can_open);
        struct warp *warp = &sm->warps[slot];
        warp->open = warp->buffer[0];
        warp->first = NULL;
        warp->buffered--;
        warp->buffer[0] = warp->buffer[1];
        for (unsigned i = 1; i < warp->buffered; i++)
            warp->buffer[i] = warp->buffer[i + 1];
        sm->opened |= BIT(slot);
        sm->full &= ~BIT(slot);
        sm->stale |= BIT(slot);
        if (!warp->buffered)
            sm->buffered &= ~BIT(slot);
        sm->activity = true;
    }
}

/* ---- control flow ---- */

/* One branch per cycle.  `released`: its warp, if any; returns the same if it is redirected. */
static uint64_t resolve_branch(struct sm *sm, uint64_t *released)
{
    for (unsigned i = 0; i < sm->resolve_count; i++) {
        const struct resolve at = sm->resolves[i];
        if (at.cycle > sm->now)
            continue;
        sm->resolve_count--;
        memmove(&sm->resolves[i], &sm->resolves[i + 1], (sm->resolve_count - i) * sizeof(sm->resolves[0]));
        sm->activity = true;
        *released = BIT(at.warp);
        return at.redirect ? *released : 0;
    }
    return 0;
}

/* ---- fetch ---- */

/* Returns the warp that has to retry: its line is missing, or its buffer is full; -1: none. */
static int take_response(struct sm *sm, uint64_t full)
{
    const struct fetch *fetch = &sm->fetches[sm->now % MOST_FETCHES];
    const unsigned slot = fetch->warp;
    struct warp *warp = &sm->warps[slot];
    sm->fetching &= ~BIT(sm->now % MOST_FETCHES);
    sm->activity = true;
    if (fetch->path != warp->path)
        return -1;
    if (fetch->hit && !(full & BIT(slot))) {
        warp->buffer[warp->buffered++] = (struct fetch_block){fetch->pc, fetch->words};
        sm->buffered |= BIT(slot);
        if (warp->buffered == sm->p.ibuffer_entries)
            sm->full |= BIT(slot);
        return -1;
    }
    warp->fetch_pc = fetch->pc;
    warp->fetch_words = fetch->words;
    warp->path++;
    return (int)slot;
}

static bool look_up(struct sm *sm, uint32_t pc)
{
    const int at = tags_find(&sm->l1i, pc >> sm->p.l1i_shift);
    sm->model->counters.l1i_lookups++;
    if (at >= 0)
        sm->l1i.used[at] = sm->now;
    else
        l1i_miss(sm, pc);
    return at >= 0;
}

/* The lowest warp with room requests, repeatedly while its line is missing: the others wait. */
static void request_fetch(struct sm *sm, uint64_t full, uint64_t redirected, int set_back)
{
    const uint64_t wants = sm->active & ~full;
    if (!wants)
        return;
    const unsigned slot = (unsigned)__builtin_ctzll(wants);
    struct warp *warp = &sm->warps[slot];
    sm->activity = true;
    if (redirected & BIT(slot) || set_back == (int)slot)
        return;
    const unsigned at = (unsigned)((sm->now + sm->p.fetch_latency) % MOST_FETCHES);
    sm->fetches[at] = (struct fetch){.pc = warp->fetch_pc,
                                     .path = warp->path,
                                     .warp = (uint8_t)slot,
                                     .words = warp->fetch_words,
                                     .hit = look_up(sm, warp->fetch_pc)};
    sm->fetching |= BIT(at);
    warp->fetch_pc += sm->p.fetch_bytes;
    warp->fetch_words = (uint8_t)((1u << words_per_block(sm)) - 1);
}

/* ---- the cycle ---- */

void sm_cycle(struct sm *sm)
{
    struct writeback written[2];
    uint64_t released = 0, redirected = 0;
    const uint64_t full = sm->full; /* what leaves a buffer in this cycle makes room in the next */
    if (sm->starting)
        start_warps(sm);
    const unsigned count = sm->next_writeback <= sm->now ? choose_writebacks(sm, written) : 0;
    const uint32_t ready = sm->units_ready;
    if (sm->memory_work | sm->write_waits)
        l1d_cycle(sm);
    if (sm->lsu_current >= 0 || sm->lsu_waits)
        lsu_cycle(sm);
    if (sm->granted_banks | sm->wanted | sm->units_done | sm->staged_count) {
        collector_cycle(sm);
        sm->activity = true;
    }
    issue_and_open(sm);
    /* the scheduler does one thing per cycle: a fetch that is set back, else a branch, else a barrier or an end */
    const int set_back = sm->fetching >> sm->now % MOST_FETCHES & 1 ? take_response(sm, full) : -1;
    if (set_back < 0 && sm->resolve_count)
        redirected = resolve_branch(sm, &released);
    const uint64_t left = ready ? execute_ready(sm, ready, set_back < 0 && !released) : 0;
    sm->units_refused = ready & sm->units_ready;
    if (released)
        release(sm, released, redirected);
    request_fetch(sm, full, redirected, set_back);
    for (unsigned i = 0; i < count; i++)
        clear_register(sm, &written[i]);
    sm->collecting &= ~left;
    sm->stale |= left;
}

uint64_t sm_next_event(const struct sm *sm)
{
    const uint64_t now = sm->now;
    uint64_t next = earliest(UINT64_MAX, sm->next_writeback, now);
    for (uint64_t set = sm->starting; set; set &= set - 1)
        next = earliest(next, sm->warps[__builtin_ctzll(set)].start_cycle + 1, now);
    for (unsigned i = 0; i < sm->resolve_count; i++)
        next = earliest(next, sm->resolves[i].cycle, now);
    if (sm->fetching) {
        const unsigned first = (unsigned)((now + 1) % MOST_FETCHES);
        const uint64_t later = sm->fetching >> first | (first ? sm->fetching << (MOST_FETCHES - first) : 0);
        next = earliest(next, now + 1 + (unsigned)__builtin_ctzll(later), now);
    }
    next = earliest(next, sm->sfu_free, now);
    next = earliest(next, l1d_next_event(sm), now);
    return earliest(next, lsu_next_event(sm), now);
}
