/* The model's clock: dispatches workgroups to SMs, in order and as soon as there is room, and ends the launch.
 *
 * Nothing here or below depends on the host: if a workgroup or an instruction that the model needs has not been
 * recorded yet, the clock stops until it has. */
#include "timing/model.h"

static unsigned warps_of_sm(const struct timing_model *model)
{
    return model->shape.warps < MOST_WARPS ? model->shape.warps : MOST_WARPS;
}

static uint64_t all(unsigned count)
{
    return count < 64 ? (1ull << count) - 1 : UINT64_MAX;
}

static void free_sms(struct timing_model *model)
{
    for (unsigned i = 0; i < model->sm_count; i++) {
        memo_free(model->sms[i].memo);
        tags_free(&model->sms[i].l1i);
        tags_free(&model->sms[i].l1d);
    }
    cy_free(model->sms);
    cy_free(model->due);
    repeat_free(model->repeat);
    model->repeat = NULL;
    sample_free(model->sample);
    model->sample = NULL;
    model->sms = NULL;
    model->due = NULL;
    model->sm_count = 0;
}

void model_end(struct timing_model *model)
{
    free_sms(model);
    l2_free(model);
    model->l2 = (struct l2){0};
}

/* What the L2 does in a cycle reaches an SM some cycles later, and so does the end of a workgroup.  In a window of so many cycles
 * the SMs run one after the other, and then the L2 with what they sent. */
static uint64_t window_of(const struct parameters *p)
{
    uint64_t window = p->l2_response;
    if (p->l2_sets && p->l2_request < window)
        window = p->l2_request;
    const uint64_t write = p->l1d_write_free - 1, fill = p->l1i_fill;
    window += write < 1 ? write : fill < 1 ? fill : 1;
    return window < p->group_end_cycles ? window : p->group_end_cycles;
}

bool model_begin(struct timing_model *model)
{
    const struct parameters *p = &model->p;
    model->sms = cy_try_alloc(model->shape.sms * sizeof(model->sms[0]));
    model->due = cy_try_alloc(model->shape.sms * sizeof(model->due[0]));
    if (!model->sms || !model->due) {
        free_sms(model);
        return false;
    }
    model->sm_count = model->shape.sms;
    bool ok = l2_init(model) && sample_begin(model);
    for (unsigned i = 0; i < model->sm_count; i++) {
        struct sm *sm = &model->sms[i];
        sm->model = model;
        sm->p = *p;
        sm->index = i;
        sm->lsu_current = sm->lsu_input = -1;
        sm->all_words = (uint16_t)((1u << p->fetch_bytes / 4) - 1);
        sm->units_all = (1u << p->collector_units) - 1;
        sm->writes_all = all(p->l1d_write_entries);
        sm->mshrs_all = all(p->l1d_mshrs);
        sm->next_writeback = sm->next_release = UINT64_MAX;
        sm->lsu_due = sm->answer_due = sm->send_due = sm->mshr_due = sm->l1i_due = sm->caches_due = UINT64_MAX;
        sm->pipeline_due = sm->memory_due = model->due[i] = UINT64_MAX;
        sm->l1d_busy = UINT64_MAX;
        sm->issue_after = UINT64_MAX;
        for (unsigned bank = 0; bank < CY_COUNT(sm->bank_after); bank++)
            sm->bank_after[bank] = UINT64_MAX;
        sm->is_narrow = p->collector_ports == 1 && p->collector_units <= NARROW_UNITS &&
                        2 * p->register_banks <= NARROW_BANKS &&
                        !model->is_profiled; /* the other way checks this one */
        for (unsigned bank = 0; bank < CY_COUNT(sm->narrow.after); bank++)
            sm->narrow.after[bank] = UINT32_MAX;
        for (unsigned unit = 0; unit < MOST_UNITS; unit++)
            sm->units[unit] = &sm->unit_pool[unit];
        for (unsigned unit = 0; unit < CY_COUNT(sm->staged); unit++)
            sm->staged[unit] = &sm->unit_pool[MOST_UNITS + unit];
        for (unsigned access = 0; access < MOST_ACCESSES; access++)
            sm->free_accesses[access] = (uint8_t)access;
        sm->free_access_count = MOST_ACCESSES;
        ok = tags_init(&sm->l1i, p->l1i_sets, p->l1i_ways) && tags_init(&sm->l1d, p->l1d_sets, p->l1d_ways) && ok;
    }
    model->cycle = model->next_dispatch = model->next_group = model->end_cycle = model->last_issue = 0;
    model->next_dispatch = 0;
    model->group_count = model->groups_left =
        (uint64_t)model->shape.grid[0] * model->shape.grid[1] * model->shape.grid[2];
    model->next_sm = 0;
    model->window = window_of(p);
    model->is_plain = p->issue_width == 1 && p->collector_out == 1 && model->sms[0].is_narrow;
    model->longest_wait = 10000000 + 10000 * (uint64_t)p->memory_latency;
    model->phase = RUNS;
    model->code_first = UINT32_MAX;
    model->code_last = 0;
    model->failed = false;
    model->counters = (struct cy_timing_counters){0};
    if (!ok)
        model_end(model);
    return ok;
}

/* ---- workgroups ---- */

static struct resident *find_room(const struct timing_model *model, struct sm *sm)
{
    if ((unsigned)__builtin_popcountll(sm->residents_used) >= model->shape.resident_groups ||
        (unsigned)__builtin_popcountll(all(warps_of_sm(model)) & ~sm->occupied) < model->shape.group_warps)
        return NULL;
    return ~sm->residents_used ? &sm->residents[__builtin_ctzll(~sm->residents_used)] : NULL;
}

/* Hardware warps are allocated from the lowest, the workgroup's highest warp first. */
static void place(struct timing_model *model, struct sm *sm, struct resident *resident, struct group *group)
{
    uint64_t start = model->cycle + model->p.launch_cycles;
    *resident = (struct resident){.number = model->next_group, .release_at = UINT64_MAX};
    sm->residents_used |= 1ull << (resident - sm->residents);
    for (unsigned wid = model->shape.group_warps; wid-- > 0;) {
        struct stream *stream = &group->streams[wid];
        if (stream->complete && !stream->records)
            continue;
        const unsigned slot = (unsigned)__builtin_ctzll(~sm->occupied);
        sm_start_warp(sm, slot, resident, stream, start);
        sm->warps[slot].wid = (uint8_t)wid;
        resident->slots |= 1ull << slot;
        resident->live++;
        start += model->p.warp_start_interval;
    }
}

/* False: the next workgroup must be placed now and has not been recorded far enough. */
static bool dispatch(struct timing_model *model)
{
    for (unsigned i = 0; i < model->sm_count; i++) {
        struct sm *sm = &model->sms[(model->next_sm + i) % model->sm_count];
        struct resident *room = find_room(model, sm);
        if (!room)
            continue;
        if (!sample_dispatch(model))
            return false;
        struct group *group = model->find_group(model->context, model->next_group);
        if (!group)
            return false;
        place(model, sm, room, group);
        repeat_placed(model, model->next_group, group);
        sample_placed(model, model->next_group);
        model->next_sm = (sm->index + 1) % model->sm_count;
        model->next_group++;
        model->next_dispatch =
            model->next_group < model->group_count ? model->cycle + model->p.dispatch_interval : UINT64_MAX;
        return repeat_checkpoint(model);
    }
    model->next_dispatch = UINT64_MAX; /* until a workgroup ends */
    return true;
}

static void release_groups(struct timing_model *model, struct sm *sm)
{
    sm->next_release = UINT64_MAX;
    for (uint64_t set = sm->residents_used; set; set &= set - 1) {
        const unsigned at = (unsigned)__builtin_ctzll(set);
        const struct resident *resident = &sm->residents[at];
        if (resident->release_at > model->cycle) {
            sm->next_release = resident->release_at < sm->next_release ? resident->release_at : sm->next_release;
            continue;
        }
        sm->residents_used &= ~(1ull << at);
        repeat_released(model, resident->number);
        if (model->sample)
            sample_released(model, resident->number, model->group_work(model->context, resident->number));
        model->free_group(model->context, resident->number);
        model->groups_left--;
        model->end_cycle = model->cycle;
        if (model->next_group < model->group_count && model->next_dispatch == UINT64_MAX)
            model->next_dispatch = model->cycle;
    }
}

/* ---- the end: the data caches are written back, then the L2 is flushed ---- */

static bool are_idle(const struct timing_model *model)
{
    for (unsigned i = 0; i < model->sm_count; i++)
        if (!l1d_is_idle(&model->sms[i]))
            return false;
    return true;
}

/* Puts dirty lines into the queues of the L1Ds; true: all of them are there or have gone. */
static bool flush_all(struct timing_model *model)
{
    bool done = true;
    for (unsigned i = 0; i < model->sm_count; i++) {
        struct sm *sm = &model->sms[i];
        const uint32_t before = sm->flushed;
        sm->now = model->cycle;
        done = l1d_flush(sm) && done;
        if (sm->flushed != before) {
            memory_wake(sm, model->cycle + 1);
            model->due[i] = model->cycle + 1;
        }
    }
    return done;
}

static void finish(struct timing_model *model)
{
    if (model->phase == RUNS && !model->groups_left)
        model->phase = FLUSHES;
    if (model->phase == FLUSHES && are_idle(model))
        model->phase = DRAINS;
    if (model->phase == DRAINS && !flush_all(model))
        return;
    if (model->phase == DRAINS && are_idle(model)) {
        l2_settle(model);
        model->counters.cycles = model->cycle + model->p.end_flush_cycles;
        for (unsigned i = 0; i < model->sm_count; i++) {
            model->counters.instructions += model->sms[i].counters.instructions;
            model->counters.l1i_lookups += model->sms[i].counters.l1i_lookups;
            model->counters.l1d_requests += model->sms[i].counters.l1d_requests;
        }
        sample_finish(model);
        model->phase = ENDED;
    }
}

/* ---- the clock ---- */

bool model_is_starved(const struct timing_model *model)
{
    for (unsigned i = 0; i < model->sm_count; i++) {
        const struct sm *sm = &model->sms[i];
        for (uint64_t set = sm->occupied & ~sm->at_barrier; set; set &= set - 1)
            if (stream_is_short(sm->warps[__builtin_ctzll(set)].stream))
                return true;
    }
    return false;
}

/* What is due at model->cycle: first the L2, then the SMs in order. */
static void run_cycle(struct timing_model *model)
{
    const uint64_t cycle = model->cycle;
    if (model->l2.due <= cycle)
        l2_cycle(model);
    for (unsigned i = 0; i < model->sm_count; i++) {
        if (model->due[i] > cycle)
            continue;
        struct sm *sm = &model->sms[i];
        sm->now = cycle;
        sm_cycle(sm);
        if (sm->next_release <= cycle) {
            release_groups(model, sm);
            sm_wake(sm, UINT64_MAX);
        }
    }
    if (!model->groups_left)
        finish(model);
}

/* May the SM run ahead of the rest of the device?  Profiles get their events in the order of the cycles. */
static bool can_run_ahead(const struct timing_model *model, struct sm *sm)
{
    return !model->is_profiled && sm_is_detached(sm) &&
           (model->next_group == model->group_count || !find_room(model, sm));
}

static uint64_t window_end(struct timing_model *model, uint64_t first)
{
    const struct parameters *p = &model->p;
    uint64_t end = first + model->window;
    if (model->is_profiled || !model->groups_left)
        return first;
    if (!p->l2_sets) { /* nothing reaches the SMs but what memory answers, and it answers in order */
        const uint64_t group_end = first + p->group_end_cycles;
        end = l2_next_answer(model, first) + model->window;
        end = group_end < end ? group_end : end;
    }
    end = model->next_dispatch < end ? model->next_dispatch : end;
    for (unsigned i = 0; i < model->sm_count; i++)
        end = model->sms[i].next_release < end ? model->sms[i].next_release : end;
    return end;
}

static void run_window(struct timing_model *model, uint64_t end)
{
    for (unsigned i = 0; i < model->sm_count; i++)
        if (model->due[i] < end)
            sm_run(&model->sms[i], end, IN_WINDOW);
    if (model->starved) /* the SMs go on from where they stopped */
        return;
    l2_run(model, end);
    model->cycle = end - 1;
}

/* Advances to the next cycle in which anything can happen.  An SM that nothing else can be due with, or that has nothing to do
 * with anything else, runs on by itself. */
static void advance(struct timing_model *model)
{
    enum { STRETCH = 1 << 16 }; /* how often the model looks whether it has come to a halt */
    uint64_t first = UINT64_MAX, second = UINT64_MAX;
    unsigned at = 0;
    for (unsigned i = 0; i < model->sm_count; i++) {
        const uint64_t due = model->due[i];
        if (due < first) {
            second = first;
            first = due;
            at = i;
        } else if (due < second) {
            second = due;
        }
    }
    uint64_t others = second < model->l2.due ? second : model->l2.due;
    others = model->next_dispatch < others ? model->next_dispatch : others;
    if (model->groups_left && first <= others && first != UINT64_MAX && can_run_ahead(model, &model->sms[at])) {
        sm_run(&model->sms[at], (first / STRETCH + 1) * STRETCH, DETACHED); /* no matter where it was starved */
        return;
    }
    if (first < others && model->groups_left && first != model->sms[at].next_release) {
        sm_run(&model->sms[at], others < first + STRETCH ? others : first + STRETCH, ALONE);
        return;
    }
    const uint64_t next = first < others ? first : others;
    if (next == UINT64_MAX) {
        model->failed = true;
        return;
    }
    const uint64_t end = window_end(model, next);
    if (end > next + 1) {
        run_window(model, end);
        return;
    }
    model->cycle = next;
    run_cycle(model);
}

void model_run(struct timing_model *model)
{
    if (!model->sms || model->failed)
        return;
    if (repeat_is_waiting(model->repeat) && !repeat_checkpoint(model))
        return;
    model->starved = model_is_starved(model);
    while (!model->starved && model->phase != ENDED && (model->cycle < model->next_dispatch || dispatch(model))) {
        advance(model);
        model->failed |= model->cycle > model->last_issue + model->longest_wait;
        if (model->failed)
            return;
    }
}
