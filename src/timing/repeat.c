/* Repetition of the device: workgroups that do the same, one after the other, bring it into the same state over and over.
 *
 * When a workgroup has been placed, the state of the device (the SMs, what is under way between them and the L2, the L2, memory, the
 * caches) is written down: cycles relative to now, workgroups relative to the next one, lines by names (names.h).  What happens until
 * a later workgroup has been placed is a function of that state and of what the warps execute.  A path from one state to the next
 * keeps the records that were consumed, also with names for lines.  When the device is in a known state, and the streams go on like
 * a path from it, the path is taken at once: nothing is approximated.
 *
 * memo.c does the same for one SM that has nothing to do with the L2; here everything is included, which takes longer to compare and
 * is done once per workgroup. */
#include "timing/repeat.h"

#include <string.h>

#define MOST_KEPT (8u << 20)    /* words of all states and paths */
#define MOST_PATHS 4            /* from one state */
#define CODE_MARGIN (16u << 10) /* bytes that fetches may be ahead */
#define WORDS_PER_INSTRUCTION 4 /* a state of so many words is looked at after so many instructions */

struct stream *repeat_find_stream(const struct repeat *repeat, uint64_t group, uint32_t wid)
{
    for (size_t i = 0; i < repeat->follows.count; i++)
        if (repeat->follows.at[i].group == group && repeat->follows.at[i].wid == wid)
            return repeat->follows.at[i].stream;
    return NULL;
}

static void load(struct timing_model *model, struct state *state)
{
    struct tape tape = {.words = state->words, .names = model->repeat->names};
    repeat_visit(model, &tape, false);
    for (unsigned i = 0; i < model->sm_count; i++) {
        struct sm *sm = &model->sms[i];
        find_next_writeback(sm);
        sm_memory_loaded(sm);
        memo_leave(sm->memo);
        sm->at_checkpoint = false;
    }
    l2_loaded(model);
    model->last_issue = model->cycle;
}

/* ---- the table ---- */

static void free_path(struct path *path)
{
    if (path) {
        cy_free(path->parts);
        cy_free(path->uses);
        cy_free(path->words);
        cy_free(path->names);
        cy_free(path->gone);
        cy_free(path->ways);
        cy_free(path->ties);
    }
    cy_free(path);
}

static void free_states(struct repeat *repeat)
{
    for (unsigned i = 0; i < STATES; i++) {
        for (struct state *state = repeat->table[i], *next; state; state = next) {
            for (struct path *path = state->paths, *other; path; path = other) {
                other = path->next;
                free_path(path);
            }
            next = state->next;
            cy_free(state);
        }
        repeat->table[i] = NULL;
    }
    repeat->kept = 0;
}

static void leave_path(struct repeat *repeat)
{
    for (size_t i = 0; i < repeat->follows.count; i++) {
        struct follow *follow = &repeat->follows.at[i];
        if (follow->stream)
            follow->stream->is_marked = false;
        cy_free(follow->copy);
    }
    repeat->follows.count = repeat->released.count = 0;
    repeat->from = NULL;
}

void repeat_leave(struct repeat *repeat)
{
    if (repeat)
        leave_path(repeat);
}

void repeat_free(struct repeat *repeat)
{
    if (!repeat)
        return;
    for (size_t i = 0; i < repeat->follows.count; i++) /* the streams may be gone */
        cy_free(repeat->follows.at[i].copy);
    free_states(repeat);
    cy_vec_free(&repeat->follows);
    cy_vec_free(&repeat->released);
    cy_vec_free(&repeat->streams);
    cy_free(repeat->words);
    cy_free(repeat->orders);
    cy_free(repeat->ways);
    cy_free(repeat->start_ways);
    cy_free(repeat->moved);
    cy_free(repeat->names);
    cy_free(repeat->other);
    cy_free(repeat);
}

static struct repeat *new_repeat(unsigned sms, size_t ways)
{
    struct repeat *repeat = cy_try_alloc(sizeof(*repeat));
    if (!repeat)
        return NULL;
    repeat->way_count = ways;
    repeat->ways = cy_try_alloc(ways);
    repeat->start_ways = cy_try_alloc(ways);
    repeat->moved = cy_try_alloc(ways);
    repeat->orders = cy_try_alloc(sms * sizeof(repeat->orders[0]));
    repeat->names = cy_try_alloc(sizeof(*repeat->names));
    repeat->other = cy_try_alloc(sizeof(*repeat->other));
    if (repeat->ways && repeat->start_ways && repeat->moved && repeat->orders && repeat->names && repeat->other)
        return repeat;
    repeat_free(repeat);
    return NULL;
}

/* NULL: no memory. */
static struct state *find_state(struct repeat *repeat, uint32_t size)
{
    const uint64_t hash = state_hash(repeat->state, size);
    struct state **place = &repeat->table[hash % STATES], *state = state_find(*place, hash, repeat->state, size);
    if (state)
        return state;
    if (repeat->kept > MOST_KEPT) { /* what happens now matters more */
        free_states(repeat);
        leave_path(repeat);
    }
    state = state_add(place, hash, repeat->state, size);
    repeat->kept += state ? size : 0;
    return state;
}

/* ---- following streams ---- */

static bool follow(struct repeat *repeat, struct stream *stream, uint64_t group, uint32_t wid, bool is_there)
{
    struct follow *follow = cy_vec_try_push(&repeat->follows);
    if (!follow)
        return false;
    *follow = (struct follow){.stream = stream, .group = group, .wid = wid, .is_there = is_there};
    stream->is_marked = true;
    stream->mark = stream->read;
    return true;
}

void repeat_placed(struct timing_model *model, uint64_t number, struct group *group)
{
    struct repeat *repeat = model->repeat;
    for (unsigned wid = 0; repeat && repeat->from && wid < model->shape.group_warps; wid++) {
        struct stream *stream = &group->streams[wid];
        if (!follow(repeat, stream, number, wid, !stream->complete || stream->records))
            leave_path(repeat);
    }
}

/* What was consumed, before it is lost. */
static void copy_words(struct follow *follow)
{
    struct stream *stream = follow->stream;
    follow->words = (uint32_t)(stream->read - stream->mark);
    follow->is_lost = !stream->is_marked;
    follow->stream = NULL;
    if (follow->is_lost || !follow->words)
        return;
    follow->copy = cy_try_alloc(follow->words * sizeof(follow->copy[0]));
    follow->is_lost = !follow->copy;
    if (follow->copy)
        memcpy(follow->copy, stream->words + stream->mark, follow->words * sizeof(follow->copy[0]));
}

void repeat_released(struct timing_model *model, uint64_t number)
{
    struct repeat *repeat = model->repeat;
    if (!repeat || !repeat->from)
        return;
    uint64_t *released = cy_vec_try_push(&repeat->released);
    if (!released) {
        leave_path(repeat);
        return;
    }
    *released = number;
    for (size_t i = 0; i < repeat->follows.count; i++)
        if (repeat->follows.at[i].group == number && repeat->follows.at[i].stream)
            copy_words(&repeat->follows.at[i]);
}

/* ---- learning paths ---- */

static struct cy_timing_counters counters_of(const struct timing_model *model)
{
    struct cy_timing_counters sum = model->counters;
    for (unsigned i = 0; i < model->sm_count; i++) {
        sum.instructions += model->sms[i].counters.instructions;
        sum.l1i_lookups += model->sms[i].counters.l1i_lookups;
        sum.l1d_requests += model->sms[i].counters.l1d_requests;
    }
    return sum;
}

static void start_path(struct timing_model *model, struct state *from)
{
    struct repeat *repeat = model->repeat;
    leave_path(repeat);
    repeat->from = from;
    repeat->cycle = model->cycle;
    repeat->next_group = model->next_group;
    repeat->counters = counters_of(model);
    for (unsigned i = 0; i < model->sm_count; i++)
        model->sms[i].l1d_ties = 0;
    memcpy(repeat->start_ways, repeat->ways, repeat->way_count);
    for (unsigned i = 0; i < model->sm_count; i++)
        for (uint64_t set = model->sms[i].occupied; set; set &= set - 1) {
            struct warp *warp = &model->sms[i].warps[__builtin_ctzll(set)];
            if (!follow(repeat, warp->stream, warp->resident->number, warp->wid, true)) {
                leave_path(repeat);
                return;
            }
        }
}

static bool has_room(struct repeat *repeat, size_t count)
{
    if (repeat->word_count + count <= repeat->word_room)
        return true;
    const size_t room = 2 * (repeat->word_count + count);
    uint32_t *words = cy_try_realloc(repeat->words, room * sizeof(words[0]));
    if (!words)
        return false;
    repeat->words = words;
    repeat->word_room = room;
    return true;
}

/* The records of a stream with names for lines.  False: no memory, or a line has no name. */
static bool name_records(const struct timing_model *model, struct part *part, const uint32_t *words)
{
    struct repeat *repeat = model->repeat;
    struct names *names = repeat->names;
    const uint32_t *end = words + part->words;
    if (!has_room(repeat, 2 * (size_t)part->words + 1))
        return false;
    uint32_t *to = repeat->words + repeat->word_count;
    while (words < end) {
        const struct op *op = model_op(model, *words);
        *to++ = *words++;
        part->records++;
        if (!op->has_extra)
            continue;
        const uint32_t first = *words++, count = op->kind == KIND_MEMORY ? first & LINES_COUNT : 0;
        const uint32_t sets = op->is_write ? names->write_sets : names->sets;
        *to++ = first;
        for (uint32_t i = 0; i < count && !(first & LINES_SHARED); i++) {
            *to++ = names_add(names, words[i]);
            *to++ = words[i] & sets;
        }
        words += count;
    }
    if (part->has_next)
        *to++ = *words;
    repeat->word_count = (size_t)(to - repeat->words);
    return !names->has_failed;
}

static bool keep_part(const struct timing_model *model, struct part *part, const struct follow *follow)
{
    const struct repeat *repeat = model->repeat;
    const struct stream *stream = follow->stream;
    *part = (struct part){
        .group = (int64_t)(follow->group - repeat->next_group), .wid = follow->wid, .is_there = follow->is_there};
    if (!stream) {
        part->words = follow->words;
        return !follow->is_lost && (!follow->words || name_records(model, part, follow->copy));
    }
    part->words = (uint32_t)(stream->read - stream->mark);
    part->back = (uint32_t)(stream->read - stream->keep);
    part->has_next = stream->records != 0;
    return stream->is_marked && name_records(model, part, stream->words + stream->mark);
}

/* The tags of the device one after the other. */
static struct tags *tags_at(struct timing_model *model, unsigned i)
{
    if (i == 2 * model->sm_count)
        return &model->l2.tags;
    return i & 1 ? &model->sms[i / 2].l1d : &model->sms[i / 2].l1i;
}

static uint32_t keep_uses(struct timing_model *model, struct use *uses)
{
    const uint64_t start = model->repeat->cycle;
    uint32_t count = 0;
    for (unsigned k = 0; k <= 2 * model->sm_count; k++) {
        const struct tags *tags = tags_at(model, k);
        for (uint32_t i = 0; i < tags->sets * tags->ways; i++) {
            if (!tags->line[i] || tags->used[i] <= start)
                continue;
            if (uses)
                uses[count] = (struct use){k, i, (uint32_t)(tags->used[i] - start)};
            count++;
        }
    }
    return count;
}

static bool keep_names(const struct repeat *repeat, struct path *path)
{
    for (uint32_t i = 0; i < path->line_count; i++)
        if ((path->names[i] = names_find(repeat->names, repeat->other->line[i])) == NO_NAME)
            return false;
    return true;
}

static bool fill_path(struct timing_model *model, struct path *path)
{
    struct repeat *repeat = model->repeat;
    const struct cy_timing_counters now = counters_of(model), *then = &repeat->counters;
    path->cycles = model->cycle - repeat->cycle;
    path->counters = (struct cy_timing_counters){.instructions = now.instructions - then->instructions,
                                                 .l1i_lookups = now.l1i_lookups - then->l1i_lookups,
                                                 .l1i_misses = now.l1i_misses - then->l1i_misses,
                                                 .l1d_requests = now.l1d_requests - then->l1d_requests,
                                                 .l1d_misses = now.l1d_misses - then->l1d_misses,
                                                 .memory_reads = now.memory_reads - then->memory_reads,
                                                 .memory_writes = now.memory_writes - then->memory_writes};
    path->groups = (uint32_t)(model->next_group - repeat->next_group);
    path->part_count = (uint32_t)repeat->follows.count;
    path->use_count = keep_uses(model, NULL);
    path->line_count = repeat->other->count;
    path->gone_count = (uint32_t)repeat->released.count;
    path->parts = cy_try_alloc(path->part_count * sizeof(path->parts[0]) + 1);
    path->uses = cy_try_alloc(path->use_count * sizeof(path->uses[0]) + 1);
    path->names = cy_try_alloc(path->line_count * sizeof(path->names[0]) + 1);
    path->gone = cy_try_alloc(path->gone_count * sizeof(path->gone[0]) + 1);
    path->ways = cy_try_alloc(2 * repeat->way_count);
    path->ties = cy_try_alloc(model->sm_count * sizeof(path->ties[0]));
    if (!path->parts || !path->uses || !path->names || !path->gone || !path->ways || !path->ties)
        return false;
    for (unsigned i = 0; i < model->sm_count; i++)
        path->ties[i] = model->sms[i].l1d_ties;
    memcpy(path->ways, repeat->start_ways, repeat->way_count);
    memcpy(path->ways + repeat->way_count, repeat->ways, repeat->way_count);
    repeat->word_count = 0;
    for (uint32_t i = 0; i < path->part_count; i++)
        if (!keep_part(model, &path->parts[i], &repeat->follows.at[i]))
            return false;
    for (uint32_t i = 0; i < path->gone_count; i++)
        path->gone[i] = (int64_t)(repeat->released.at[i] - repeat->next_group);
    keep_uses(model, path->uses);
    if (!(path->words = cy_try_alloc(repeat->word_count * sizeof(path->words[0]) + 1)) || !keep_names(repeat, path))
        return false;
    memcpy(path->words, repeat->words, repeat->word_count * sizeof(path->words[0]));
    repeat->kept += repeat->word_count + path->line_count + 2 * path->use_count;
    return true;
}

/* The device has come to `end`, whose lines have their names in repeat->other. */
static void finish_path(struct timing_model *model, struct state *end)
{
    struct state *from = model->repeat->from;
    struct path *path = from && from->path_count < MOST_PATHS ? cy_try_alloc(sizeof(*path)) : NULL;
    if (!path)
        return;
    if (!fill_path(model, path)) {
        free_path(path);
        return;
    }
    path->end = end;
    path->next = from->paths;
    from->paths = path;
    from->path_count++;
}

/* ---- taking paths ---- */

enum fit { NO, YES, LATER };

/* Does the stream go on like this?  `words` is left behind what was compared. */
static enum fit fits_part(const struct timing_model *model, const struct part *part, const struct stream *stream,
                          const uint32_t **expected)
{
    struct names *names = model->repeat->names;
    const uint32_t *words = stream->words + stream->read, *want = *expected;
    const size_t there = stream->size - stream->read, length = there < part->words ? there : part->words;
    const uint32_t *end = words + length;
    while (words < end) {
        const struct op *op = model_op(model, *words);
        if (*words++ != *want++)
            return NO;
        if (!op->has_extra)
            continue;
        const uint32_t first = *words++, count = op->kind == KIND_MEMORY ? first & LINES_COUNT : 0;
        const uint32_t sets = op->is_write ? names->write_sets : names->sets;
        if (first != *want++)
            return NO;
        for (uint32_t i = 0; i < count && !(first & LINES_SHARED); i++, want += 2)
            if (names_add(names, words[i]) != want[0] || (words[i] & sets) != want[1] || names->has_failed)
                return NO;
        words += count;
    }
    if (length == part->words && !part->has_next) {
        *expected = want;
        return YES;
    }
    if (there <= part->words)
        return stream->complete ? NO : LATER;
    *expected = want + 1;
    return *words == *want ? YES : NO;
}

/* Are lines in the same ways where that mattered? */
static bool fits_ways(const struct timing_model *model, const struct path *path)
{
    const uint8_t *now = model->repeat->ways, *then = path->ways;
    const uint32_t ways = model->p.l1d_ways;
    for (unsigned sm = 0; sm < model->sm_count; sm++)
        for (uint32_t set = 0; set < model->p.l1d_sets; set++, now += ways, then += ways)
            if (path->ties[sm] >> set % 64 & 1 && memcmp(now, then, ways) != 0)
                return false;
    return true;
}

/* Fills repeat->streams, by part. */
static enum fit fits(const struct timing_model *model, const struct path *path)
{
    struct repeat *repeat = model->repeat;
    const uint32_t *words = path->words;
    repeat->streams.count = 0;
    if (model->next_group + path->groups >= model->group_count || !fits_ways(model, path))
        return NO;
    for (uint32_t i = 0; i < path->part_count; i++) {
        const struct part *part = &path->parts[i];
        struct stream **stream = cy_vec_try_push(&repeat->streams);
        if (!stream)
            return NO;
        *stream = NULL;
        if (part->group < 0) {
            *stream = repeat_find_stream(repeat, model->next_group + (uint64_t)part->group, part->wid);
        } else {
            struct group *group = model->find_group(model->context, model->next_group + (uint64_t)part->group);
            if (!group)
                return LATER;
            *stream = &group->streams[part->wid];
            if (part->is_there != (!(*stream)->complete || (*stream)->records))
                return NO;
        }
        if (!*stream)
            return NO;
        const enum fit fit = part->is_there ? fits_part(model, part, *stream, &words) : YES;
        if (fit != YES)
            return fit;
    }
    return YES;
}

static struct path *find_path(const struct timing_model *model, const struct state *state, bool *is_later)
{
    struct names *names = model->repeat->names;
    const uint32_t count = names->count;
    *is_later = false;
    for (struct path *path = state->paths; path; path = path->next) {
        const enum fit fit = fits(model, path);
        if (fit == YES)
            return path;
        *is_later |= fit == LATER;
        names_cut(names, count);
    }
    return NULL;
}

static void add_counters(struct timing_model *model, const struct cy_timing_counters *counters)
{
    struct cy_timing_counters *sm = &model->sms[0].counters, *sum = &model->counters;
    sm->instructions += counters->instructions;
    sm->l1i_lookups += counters->l1i_lookups;
    sm->l1d_requests += counters->l1d_requests;
    sum->l1i_misses += counters->l1i_misses;
    sum->l1d_misses += counters->l1d_misses;
    sum->memory_reads += counters->memory_reads;
    sum->memory_writes += counters->memory_writes;
}

/* Where lines are in their sets: as on the path, but from where they are now. */
static void move_ways(struct timing_model *model, const struct path *path)
{
    struct repeat *repeat = model->repeat;
    const uint32_t ways = model->p.l1d_ways;
    const uint8_t *start = path->ways, *end = path->ways + repeat->way_count;
    for (size_t first = 0; first < repeat->way_count; first += ways) {
        for (uint32_t k = 0; k < ways; k++)
            repeat->moved[first + start[first + k]] = repeat->ways[first + k];
        for (uint32_t k = 0; k < ways; k++)
            repeat->ways[first + k] = repeat->moved[first + end[first + k]];
    }
}

static void use_lines(struct timing_model *model, const struct path *path, uint64_t start)
{
    const uint32_t ways = model->p.l1d_ways, size = model->p.l1d_sets * ways;
    for (uint32_t i = 0; i < path->use_count; i++) {
        const struct use *use = &path->uses[i];
        uint32_t at = use->index;
        if (use->tags & 1)
            at = at - at % ways + model->repeat->moved[use->tags / 2 * size + at];
        tags_at(model, use->tags)->used[at] = start + use->when;
    }
}

static void swap_names(struct repeat *repeat)
{
    struct names *names = repeat->names;
    repeat->names = repeat->other;
    repeat->other = names;
}

/* False: no memory, nothing has changed. */
static bool take(struct timing_model *model, const struct path *path)
{
    struct repeat *repeat = model->repeat;
    const uint64_t cycle = model->cycle, next_group = model->next_group;
    leave_path(repeat);
    for (uint32_t i = 0; i < path->part_count; i++)
        if (!follow(repeat, repeat->streams.at[i], next_group + (uint64_t)path->parts[i].group, path->parts[i].wid,
                    true))
            return false;
    for (uint32_t i = 0; i < path->part_count; i++) {
        struct stream *stream = repeat->streams.at[i];
        stream->read += path->parts[i].words;
        stream->records -= path->parts[i].records;
        stream->keep = stream->read - path->parts[i].back;
    }
    names_cut(repeat->other, 0);
    repeat->other->sets = repeat->names->sets;
    repeat->other->write_sets = repeat->names->write_sets;
    repeat->other->code_first = repeat->names->code_first;
    repeat->other->code_last = repeat->names->code_last;
    for (uint32_t i = 0; i < path->line_count; i++)
        names_add(repeat->other, repeat->names->line[path->names[i]]);
    swap_names(repeat);
    add_counters(model, &path->counters);
    model->cycle += path->cycles;
    model->next_group += path->groups;
    model->groups_left -= path->gone_count;
    move_ways(model, path);
    load(model, path->end);
    use_lines(model, path, cycle);
    leave_path(repeat);
    for (uint32_t i = 0; i < path->gone_count; i++)
        model->free_group(model->context, next_group + (uint64_t)path->gone[i]);
    sample_jumped(model, path->groups, path->counters.instructions);
    return true;
}

/* ---- checkpoints ---- */

/* NULL: too early, or it cannot be said. */
static struct state *look(struct timing_model *model)
{
    struct repeat *repeat = model->repeat;
    const uint64_t instructions = counters_of(model).instructions;
    if ((instructions - repeat->looked) * WORDS_PER_INSTRUCTION < repeat->size)
        return NULL;
    struct names *names = repeat->other;
    const struct parameters *p = &model->p;
    names_cut(names, 0);
    names->write_sets = p->l2_sets ? p->l2_sets - 1 : 0;
    names->sets = (p->l1d_sets - 1) | names->write_sets;
    names->code_first = (model->code_first > CODE_MARGIN ? model->code_first - CODE_MARGIN : 0) >> p->l2_shift;
    names->code_last = (model->code_last + CODE_MARGIN) >> p->l2_shift;
    struct tape tape = {.words = repeat->state, .capacity = STATE_WORDS, .names = names};
    const bool ok = repeat_visit(model, &tape, true);
    repeat->looked = instructions;
    repeat->size = tape.size;
    struct state *state = ok ? find_state(repeat, tape.size) : NULL;
    if (!state) {
        leave_path(repeat);
        return NULL;
    }
    finish_path(model, state);
    swap_names(repeat);
    return state;
}

bool repeat_is_waiting(const struct repeat *repeat)
{
    return repeat && repeat->at;
}

bool repeat_checkpoint(struct timing_model *model)
{
    struct repeat *repeat = model->repeat;
    if (model->is_profiled || model->next_group >= model->group_count || model->p.l1d_shift != model->p.l2_shift)
        return true;
    if (!repeat && !(repeat = model->repeat =
                         new_repeat(model->sm_count, (size_t)model->sm_count * model->p.l1d_sets * model->p.l1d_ways)))
        return true;
    struct state *state = repeat->at;
    repeat->at = NULL;
    if (!state) {
        if (!(state = look(model)))
            return true;
        start_path(model, state);
    }
    bool is_later;
    for (struct path *path; (path = find_path(model, state, &is_later)) != NULL;) {
        if (!take(model, path))
            return true;
        state = path->end;
        model->starved = model_is_starved(model);
        start_path(model, state);
    }
    repeat->looked = counters_of(model).instructions;
    if (is_later)
        repeat->at = state;
    return !is_later;
}
