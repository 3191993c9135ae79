/* Repetition: an SM that is in a state it was in before, and whose warps go on as they did then, does the same again.
 *
 * Loops bring the pipeline into the same state over and over.  At checkpoints (a certain warp takes a branch) the state of a
 * detached SM is written down relative to the current cycle.  Between two checkpoints without traffic to the L2, the end of a
 * warp or a miss, what happens is a function of that state, of what the warps execute and of the cache lines being there.  A path
 * from one state to the next keeps the records that the warps consumed, the lines used and the cycles it took.  When the SM is in a
 * known state, and the streams go on like a path from it, the path is taken at once: nothing is approximated. */
#include "timing/known.h"
#include "timing/state.h"

#include <string.h>

#define STATES 8192      /* at most, of one SM */
#define STATE_WORDS 4096 /* of 32 bits, at most */
#define MOST_PATHS 4     /* from one state */

struct use { /* of a cache line */
    uint32_t index, line;
    uint32_t when; /* its last use, cycles after the start */
};

struct part { /* of a path: one warp's */
    uint32_t records, words;
    uint32_t back; /* from the next record to the one before, in the end */
};

struct path {
    struct path *next;
    struct state *end;
    uint64_t cycles, instructions, lookups, requests;
    uint64_t l1i_fills, l1d_fills; /* of the caches when its lines were last seen to be there */
    bool writes;                   /* lines: they must not have been replaced since */
    unsigned l1i_uses, l1d_uses;
    struct use *uses;
    uint32_t *words;     /* of the warps one after the other, each with the first word of the record that follows */
    struct part parts[]; /* by the warps that there are */
};

struct memo {
    struct state *table[STATES];
    unsigned count, most;
    /* the path that the SM is on */
    struct state *from;
    uint64_t start, instructions, lookups, requests, l2_requests, l1d_writes, warp_changes;
    uint64_t at[MOST_WARPS]; /* of the streams */
    uint32_t issued[MOST_WARPS];
    uint64_t attempts, skipped; /* lately: checkpoints, cycles */
    uint64_t known;             /* lately: states */
    unsigned rest, next_rest;   /* checkpoints to pass by */
    uint32_t words[STATE_WORDS];
};

/* ---- the state as words ---- */

static inline void visit_entry(struct sm *sm, struct tape *tape, bool saves, int *index)
{
    uint64_t is_there = *index >= 0;
    word(tape, saves, &is_there);
    if (!saves)
        *index = is_there ? sm->free_accesses[--sm->free_access_count] : -1;
    if (is_there)
        visit_access(sm, tape, saves, &sm->accesses[*index]);
}

/* Everything that decides what a detached SM does next, except the streams and the caches. */
static inline void visit(struct sm *sm, struct tape *tape, bool saves)
{
    visit_pipeline(sm, tape, saves);
    when(tape, saves, &sm->lsu_next, sm->now);
    when(tape, saves, &sm->lsu_answer, sm->now);
    if (!saves)
        forget_accesses(sm);
    visit_entry(sm, tape, saves, &sm->lsu_current);
    visit_entry(sm, tape, saves, &sm->lsu_input);
    sm->access_count = sm->lsu_current >= 0;
}

static void load(struct sm *sm, struct state *state)
{
    struct tape tape = {.words = state->words};
    visit(sm, &tape, false);
    find_next_writeback(sm);
    sm_memory_loaded(sm);
    sm->pipeline_due = sm->memory_due = sm->now + 1;
}

/* ---- the table ---- */

static void free_path(struct path *path)
{
    cy_free(path->uses);
    cy_free(path->words);
    cy_free(path);
}

static void free_states(struct memo *memo)
{
    for (unsigned i = 0; i < STATES; i++) {
        for (struct state *state = memo->table[i], *next; state; state = next) {
            for (struct path *path = state->paths, *other; path; path = other) {
                other = path->next;
                free_path(path);
            }
            next = state->next;
            cy_free(state);
        }
        memo->table[i] = NULL;
    }
    memo->count = 0;
    memo->from = NULL;
}

void memo_free(struct memo *memo)
{
    if (memo)
        free_states(memo);
    cy_free(memo);
}

void memo_leave(struct memo *memo)
{
    if (memo)
        memo->from = NULL;
}

/* The state that the SM is in, new or known; NULL: no memory, or it is too large. */
static struct state *find_state(struct sm *sm, bool *is_new)
{
    struct memo *memo = sm->memo;
    struct tape tape = {.words = memo->words, .capacity = STATE_WORDS};
    visit(sm, &tape, true);
    if (tape.is_full)
        return NULL;
    const uint64_t hash = state_hash(memo->words, tape.size);
    struct state **place = &memo->table[hash % STATES], *state = state_find(*place, hash, memo->words, tape.size);
    *is_new = !state;
    if (state)
        return state;
    if (memo->count == memo->most)
        free_states(memo); /* what happens now matters more */
    state = state_add(place, hash, memo->words, tape.size);
    memo->count += state != NULL;
    return state;
}

/* ---- learning paths ---- */

static void start_path(struct sm *sm, struct state *from)
{
    struct memo *memo = sm->memo;
    const struct cy_timing_counters *counters = &sm->counters;
    memo->from = from;
    memo->start = sm->now;
    memo->instructions = counters->instructions;
    memo->lookups = counters->l1i_lookups;
    memo->requests = counters->l1d_requests;
    memo->l2_requests = sm->l2_requests;
    memo->l1d_writes = sm->l1d_writes;
    memo->warp_changes = sm->warp_changes;
    for (uint64_t set = sm->occupied; set; set &= set - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        const struct stream *stream = sm->warps[slot].stream;
        memo->at[slot] = stream->dropped + stream->read;
        memo->issued[slot] = sm->warps[slot].issued;
    }
}

static unsigned count_uses(const struct tags *tags, uint64_t start)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < tags->sets * tags->ways; i++)
        count += tags->line[i] && tags->used[i] > start;
    return count;
}

static struct use *keep_uses(struct use *use, const struct tags *tags, uint64_t start)
{
    for (uint32_t i = 0; i < tags->sets * tags->ways; i++)
        if (tags->line[i] && tags->used[i] > start)
            *use++ = (struct use){i, tags->line[i], (uint32_t)(tags->used[i] - start)};
    return use;
}

/* The SM has come to `end`: how, if nothing from outside was involved. */
static void finish_path(struct sm *sm, struct state *end)
{
    struct memo *memo = sm->memo;
    struct state *from = memo->from;
    size_t words = 0;
    if (!from || memo->l2_requests != sm->l2_requests || memo->warp_changes != sm->warp_changes ||
        sm->now - memo->start > UINT32_MAX)
        return;
    for (uint64_t set = sm->occupied; set; set &= set - 1) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        const struct stream *stream = sm->warps[slot].stream;
        if (memo->at[slot] < stream->dropped || stream->read == stream->size)
            return;
        words += stream->dropped + stream->read - memo->at[slot] + 1;
    }
    const unsigned warps = (unsigned)__builtin_popcountll(sm->occupied);
    struct path *path = cy_try_alloc(sizeof(*path) + warps * sizeof(path->parts[0]));
    if (!path)
        return;
    path->l1i_uses = count_uses(&sm->l1i, memo->start);
    path->l1d_uses = count_uses(&sm->l1d, memo->start);
    path->uses = cy_try_alloc((path->l1i_uses + path->l1d_uses + 1) * sizeof(path->uses[0]));
    path->words = cy_try_alloc(words * sizeof(path->words[0]));
    if (!path->uses || !path->words) {
        free_path(path);
        return;
    }
    keep_uses(keep_uses(path->uses, &sm->l1i, memo->start), &sm->l1d, memo->start);
    const struct cy_timing_counters *counters = &sm->counters;
    path->end = end;
    path->cycles = sm->now - memo->start;
    path->instructions = counters->instructions - memo->instructions;
    path->lookups = counters->l1i_lookups - memo->lookups;
    path->requests = counters->l1d_requests - memo->requests;
    path->l1i_fills = sm->l1i.fills;
    path->l1d_fills = sm->l1d.fills;
    path->writes = memo->l1d_writes != sm->l1d_writes;
    uint32_t *to = path->words;
    struct part *part = path->parts;
    for (uint64_t set = sm->occupied; set; set &= set - 1, part++) {
        const unsigned slot = (unsigned)__builtin_ctzll(set);
        const struct stream *stream = sm->warps[slot].stream;
        part->words = (uint32_t)(stream->dropped + stream->read - memo->at[slot]);
        part->records = sm->warps[slot].issued - memo->issued[slot];
        part->back = (uint32_t)(stream->read - stream->keep);
        memcpy(to, &stream->words[stream->read - part->words], (part->words + 1) * sizeof(to[0]));
        to += part->words + 1;
    }
    path->next = from->paths;
    from->paths = path;
    if (++from->path_count <= MOST_PATHS)
        return;
    while (path->next->next)
        path = path->next;
    free_path(path->next); /* the oldest */
    path->next = NULL;
    from->path_count--;
}

/* ---- taking paths ---- */

static bool has_lines(struct sm *sm, struct path *path)
{
    if (path->l1i_fills == sm->l1i.fills && path->l1d_fills == sm->l1d.fills)
        return true;
    if (path->writes && path->l1d_fills != sm->l1d.fills)
        return false;
    for (unsigned i = 0; i < path->l1i_uses + path->l1d_uses; i++) {
        const struct tags *tags = i < path->l1i_uses ? &sm->l1i : &sm->l1d;
        if (tags->line[path->uses[i].index] != path->uses[i].line)
            return false;
    }
    path->l1i_fills = sm->l1i.fills;
    path->l1d_fills = sm->l1d.fills;
    return true;
}

/* Do the warps go on like this, as far as they have been recorded? */
static bool fits(const struct sm *sm, const struct path *path)
{
    const uint32_t *words = path->words;
    const struct part *part = path->parts;
    for (uint64_t set = sm->occupied; set; set &= set - 1, words += part->words + 1, part++) {
        const struct stream *stream = sm->warps[__builtin_ctzll(set)].stream;
        if (stream->size - stream->read <= part->words || stream->records <= part->records)
            return false;
        if (!stream->complete && !stream->ends_at_barrier && stream->records < part->records + 4)
            return false;
        if (memcmp(&stream->words[stream->read], words, (part->words + 1) * sizeof(words[0])) != 0)
            return false;
    }
    return true;
}

static void take(struct sm *sm, const struct path *path)
{
    struct cy_timing_counters *counters = &sm->counters;
    const struct part *part = path->parts;
    for (uint64_t set = sm->occupied; set; set &= set - 1, part++) {
        struct warp *warp = &sm->warps[__builtin_ctzll(set)];
        struct stream *stream = warp->stream;
        warp->issued += part->records;
        stream->read += part->words;
        stream->records -= part->records;
        stream->keep = stream->read - part->back;
    }
    for (unsigned i = 0; i < path->l1i_uses; i++)
        sm->l1i.used[path->uses[i].index] = sm->now + path->uses[i].when;
    for (unsigned i = path->l1i_uses; i < path->l1i_uses + path->l1d_uses; i++)
        sm->l1d.used[path->uses[i].index] = sm->now + path->uses[i].when;
    sm->now += path->cycles;
    counters->instructions += path->instructions;
    counters->l1i_lookups += path->lookups;
    counters->l1d_requests += path->requests;
    sm->model->last_issue = sm->now;
}

static struct path *find_path(struct sm *sm, const struct state *state, uint64_t until)
{
    struct path *path = state->paths;
    while (path && !(sm->now + path->cycles < until && fits(sm, path) && has_lines(sm, path)))
        path = path->next;
    return path;
}

/* The LSU may be at work, but waits for nobody. */
static bool is_quiet(const struct sm *sm)
{
    return !sm->starting && !sm->write_waits && sm->access_count == (unsigned)(sm->lsu_current >= 0) &&
           sm->next_answer <= sm->now && (sm->l1d_busy == UINT64_MAX || sm->l1d_busy <= sm->now);
}

static bool is_worth_it(struct memo *memo)
{
    enum {
        SAMPLE = 256,
        FEW = 64, /* if none of their states was known, most likely the next will not be either */
        LONGEST_REST = 4096,
        COST = 16
    }; /* COST: cycles that could be stepped instead of a comparison */
    if (memo->rest) {
        memo->rest--;
        memo->from = NULL;
        return false;
    }
    if (++memo->attempts == SAMPLE || (memo->attempts == FEW && !memo->known)) {
        const bool pays = memo->skipped >= SAMPLE * COST;
        memo->rest = pays ? 0 : memo->next_rest;
        memo->next_rest = pays ? SAMPLE : memo->next_rest < LONGEST_REST ? 2 * memo->next_rest : LONGEST_REST;
        memo->attempts = memo->skipped = memo->known = 0;
    }
    return true;
}

void memo_checkpoint(struct sm *sm, uint64_t until)
{
    if (!sm->memo) {
        if (!(sm->memo = cy_try_alloc(sizeof(*sm->memo))))
            return;
        sm->memo->next_rest = 256;
        sm->memo->most = STATES / (sm->model->sm_count < 64 ? sm->model->sm_count : 64);
    }
    bool is_new;
    if (!is_quiet(sm) || !is_worth_it(sm->memo))
        return;
    struct state *state = find_state(sm, &is_new);
    if (!state) {
        sm->memo->from = NULL;
        return;
    }
    sm->memo->known += !is_new;
    finish_path(sm, state);
    const uint64_t now = sm->now;
    for (struct path *path; (path = find_path(sm, state, until)) != NULL; state = path->end)
        take(sm, path);
    if (sm->now != now) {
        load(sm, state);
        sm->memo->skipped += sm->now - now;
    }
    start_path(sm, state);
}
