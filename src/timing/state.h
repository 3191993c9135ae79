/* The state of an SM as words, relative to its cycle, so that states of different times can be compared and taken up again.
 *
 * Each function both writes and reads (`saves`), so that the two cannot differ.  For memo.c, which knows the states of one SM, and
 * repeat.c, which knows those of the device. */
#ifndef CY_TIMING_STATE_H
#define CY_TIMING_STATE_H

#include "timing/collector.h"
#include "timing/names.h"

struct tape {
    uint32_t *words;
    uint32_t size, capacity;
    bool is_full;
    struct names *names; /* for the lines of the data; NULL: they stand for themselves */
};

static inline void word(struct tape *tape, bool saves, uint64_t *value)
{
    if (saves) {
        if (tape->size == tape->capacity) {
            tape->is_full = true;
            return;
        }
        tape->words[tape->size++] = (uint32_t)*value;
    } else {
        *value = tape->words[tape->size++];
    }
}

static inline void wide(struct tape *tape, bool saves, uint64_t *value)
{
    uint64_t low = *value & UINT32_MAX, high = *value >> 32;
    word(tape, saves, &low);
    word(tape, saves, &high);
    *value = high << 32 | low;
}

/* A cycle: relative to now; what is past is as good as now. */
static inline void when(struct tape *tape, bool saves, uint64_t *cycle, uint64_t now)
{
    uint64_t value = *cycle > now ? *cycle - now : 0;
    word(tape, saves, &value);
    *cycle = now + value;
}

static inline void op_word(struct tape *tape, bool saves, const struct timing_model *model, const struct op **op)
{
    uint64_t value = *op ? (*op)->index + 1ull : 0;
    word(tape, saves, &value);
    if (!saves)
        *op = value ? model_op(model, (uint32_t)value - 1) : NULL;
}

static inline void line_word(struct tape *tape, bool saves, uint32_t *line, bool is_write)
{
    struct names *names = tape->names;
    uint64_t value = *line, place = 0;
    if (names) {
        value = saves ? names_add(names, *line) : 0;
        place = *line & (is_write ? names->write_sets : names->sets);
        word(tape, saves, &place);
    }
    word(tape, saves, &value);
    if (!saves)
        *line = names ? names->line[value] : (uint32_t)value;
}

/* A cycle that may never come. */
static inline void due(struct tape *tape, bool saves, uint64_t *cycle, uint64_t now)
{
    uint64_t value = *cycle == UINT64_MAX ? UINT32_MAX : *cycle > now ? *cycle - now : 0;
    word(tape, saves, &value);
    *cycle = value == UINT32_MAX ? UINT64_MAX : now + value;
}

#define WORD(field)                                                                                                    \
    do {                                                                                                               \
        uint64_t value_ = (uint64_t)(field);                                                                           \
        word(tape, saves, &value_);                                                                                    \
        (field) = (__typeof__(field))value_;                                                                           \
    } while (0)
#define WIDE(field) wide(tape, saves, &(field))

/* What belongs to an instruction besides its op is part of the state as long as its unit has not read it. */
static inline void extra_words(struct sm *sm, struct tape *tape, bool saves, const struct unit *unit)
{
    const struct stream *stream = sm->warps[unit->warp].stream;
    if (!unit->op->has_extra)
        return;
    uint64_t first =
        saves ? stream->words[stream->keep + 1] : 0; /* the stream has it already when a path has been taken */
    word(tape, saves, &first);
    if (unit->op->kind != KIND_MEMORY || first & LINES_SHARED)
        return;
    for (uint64_t i = 0; i < (first & LINES_COUNT); i++) {
        uint32_t line = saves ? stream->words[stream->keep + 2 + i] : 0;
        line_word(tape, saves, &line, unit->op->is_write);
    }
}

static inline void visit_unit(struct sm *sm, struct tape *tape, bool saves, struct unit *unit)
{
    op_word(tape, saves, sm->model, &unit->op);
    WORD(unit->warp);
    WORD(unit->is_taken);
    extra_words(sm, tape, saves, unit);
}

static inline void visit_collector(struct sm *sm, struct tape *tape, bool saves)
{
    WORD(sm->units_used);
    WORD(sm->units_ready);
    WORD(sm->units_done);
    WORD(sm->units_refused);
    sm->lsu_refused = 0; /* it is asked once more */
    WORD(sm->staged_count);
    for (unsigned i = 0; i < sm->staged_count; i++)
        visit_unit(sm, tape, saves, sm->staged[i]);
    for (uint32_t set = sm->units_used; set; set &= set - 1)
        visit_unit(sm, tape, saves, sm->units[__builtin_ctz(set)]);
    WORD(sm->wanted);
    WORD(sm->granted_banks);
    if (sm->is_narrow) {
        struct narrow_banks *banks = &sm->narrow;
        if (sm->granted_banks) /* only this grant counts */
            WORD(banks->granted[__builtin_ctz(sm->granted_banks)]);
        sm->lacking = 0;
        for (unsigned bank = 0; bank < 2 * sm->p.register_banks; bank++) {
            WORD(banks->wants[bank]);
            WORD(banks->after[bank]);
            sm->lacking |= banks->wants[bank];
        }
        return;
    }
    uint32_t left = sm->p.collector_ports; /* only as many grants count */
    for (uint32_t set = sm->granted_banks; set && left; set &= set - 1, left--)
        WORD(sm->granted[__builtin_ctz(set)]);
    sm->lacking = 0;
    for (unsigned bank = 0; bank < 2 * sm->p.register_banks; bank++) {
        WIDE(sm->wants[bank]);
        WIDE(sm->bank_after[bank]);
        sm->lacking |= sm->wants[bank];
    }
}

static inline void visit_units(struct sm *sm, struct tape *tape, bool saves)
{
    const uint64_t now = sm->now;
    when(tape, saves, &sm->sfu_free, now);
    WORD(sm->writeback_count);
    for (unsigned i = 0; i < sm->writeback_count; i++) {
        struct writeback *at = &sm->writebacks[i];
        uint64_t cycle = at->cycle + (1u << 20) - now; /* those that wait for the port are past */
        word(tape, saves, &cycle);
        at->cycle = now + cycle - (1u << 20);
        WORD(at->what);
    }
    WORD(sm->resolve_count);
    for (unsigned i = 0; i < sm->resolve_count; i++) {
        when(tape, saves, &sm->resolves[i].cycle, now);
        WORD(sm->resolves[i].warp);
        WORD(sm->resolves[i].redirect);
    }
}

static inline void visit_fetches(struct sm *sm, struct tape *tape, bool saves)
{
    uint64_t fetching = 0;
    for (uint32_t i = 1; i <= sm->p.fetch_latency; i++) {
        const unsigned at = (unsigned)((sm->now + i) % MOST_FETCHES);
        struct fetch *fetch = &sm->fetches[at];
        uint64_t is_there = sm->fetching >> at & 1;
        word(tape, saves, &is_there);
        if (!is_there)
            continue;
        fetching |= 1ull << at;
        WORD(fetch->warp);
        const uint32_t path = sm->warps[fetch->warp].path;
        uint64_t is_useful = fetch->path == path;
        word(tape, saves, &is_useful);
        fetch->path = is_useful ? path : path - 1;
        WORD(fetch->pc);
        WORD(fetch->words);
        WORD(fetch->hit);
    }
    sm->fetching = fetching;
}

static inline void visit_warp(struct sm *sm, struct tape *tape, bool saves, unsigned slot)
{
    struct warp *warp = &sm->warps[slot];
    uint64_t resident = (uint64_t)(warp->resident - sm->residents), back = warp->stream->read - warp->stream->keep;
    word(tape, saves, &resident);
    word(tape, saves, &back);
    WORD(warp->fetch_pc);
    WORD(warp->fetch_words);
    if (sm->held >> slot & 1)
        when(tape, saves, &warp->fetch_from, sm->now);
    WORD(warp->buffered);
    for (unsigned i = 0; i < warp->buffered; i++)
        WIDE(warp->buffer[i]);
    WORD(warp->open.pc);
    WORD(warp->open.words);
    op_word(tape, saves, sm->model, &warp->first);
    op_word(tape, saves, sm->model, &warp->next);
    for (unsigned i = 0; i < REGISTER_WORDS; i++)
        WIDE(warp->busy[i]);
    WORD(warp->accesses);
    WORD(warp->fenced);
}

static inline void visit_access(struct sm *sm, struct tape *tape, bool saves, struct access *access)
{
    op_word(tape, saves, sm->model, &access->op);
    WORD(access->warp);
    WORD(access->is_shared);
    WORD(access->count);
    WORD(access->sent);
    WORD(access->answered);
    when(tape, saves, &access->ready, sm->now);
    for (unsigned i = access->sent; i < access->count; i++)
        line_word(tape, saves, &access->line[i], access->op->is_write);
}

/* The pipeline, down to the LSU.  Counters and what profiles need are left out: profiles do not come here. */
static inline void visit_pipeline(struct sm *sm, struct tape *tape, bool saves)
{
    uint64_t occupied = sm->occupied;
    wide(tape, saves, &occupied);
    if (saves) { /* no difference where it makes none */
        const uint64_t decided = ~sm->sets.stale & ~sm->sets.blocked & ~sm->sets.collecting;
        sm->sets.hazard &= occupied & decided;
        sm->sets.stale &= occupied;
        sm->sets.full &= occupied;
        sm->sets.buffered &= occupied;
        sm->held &= occupied;
    }
    WIDE(sm->sets.active);
    WIDE(sm->sets.opened);
    WIDE(sm->sets.blocked);
    WIDE(sm->at_barrier);
    WIDE(sm->sets.collecting);
    WIDE(sm->sets.hazard);
    WIDE(sm->sets.stale);
    WIDE(sm->sets.full);
    WIDE(sm->sets.buffered);
    WIDE(sm->held);
    WIDE(sm->issue_after);
    for (uint64_t set = occupied; set; set &= set - 1)
        visit_warp(sm, tape, saves, (unsigned)__builtin_ctzll(set));
    uint64_t residents = sm->residents_used;
    wide(tape, saves, &residents);
    for (uint64_t set = residents; set; set &= set - 1) {
        struct resident *resident = &sm->residents[__builtin_ctzll(set)];
        WORD(resident->live);
        WORD(resident->waiting);
        WIDE(resident->slots);
    }
    visit_collector(sm, tape, saves);
    visit_units(sm, tape, saves);
    visit_fetches(sm, tape, saves);
}

static inline void forget_accesses(struct sm *sm)
{
    for (unsigned i = 0; i < MOST_ACCESSES; i++)
        sm->free_accesses[i] = (uint8_t)i;
    sm->free_access_count = MOST_ACCESSES;
}

static inline void find_next_writeback(struct sm *sm)
{
    sm->next_writeback = UINT64_MAX;
    for (unsigned i = 0; i < sm->writeback_count; i++)
        if (sm->writebacks[i].cycle < sm->next_writeback)
            sm->next_writeback = sm->writebacks[i].cycle;
}

#endif
