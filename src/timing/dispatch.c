/* The model's clock: dispatches workgroups to SMs, in order and as soon as there is room, and ends the launch.
 *
 * Nothing here or below depends on the host: if a workgroup or an instruction that the model needs has not been
 * recorded yet, the clock stops until it has. */
#include "timing/model.h"

static unsigned warps_of_sm(const struct timing_model *model)
{
    return model->shape.warps < MOST_WARPS ? model->shape.warps : MOST_WARPS;
}

static void free_sms(struct timing_model *model)
{
    for (unsigned i = 0; i < model->sm_count; i++) {
        tags_free(&model->sms[i].l1i);
        tags_free(&model->sms[i].l1d);
    }
    cy_free(model->sms);
    model->sms = NULL;
    model->sm_count = 0;
}

void model_end(struct timing_model *model)
{
    free_sms(model);
    l2_free(model);
    model->l2 = (struct l2){0};
}

bool model_begin(struct timing_model *model)
{
    const struct parameters *p = &model->p;
    model->sms = cy_try_alloc(model->shape.sms * sizeof(model->sms[0]));
    if (!model->sms)
        return false;
    model->sm_count = model->shape.sms;
    bool ok = l2_init(model);
    for (unsigned i = 0; i < model->sm_count; i++) {
        struct sm *sm = &model->sms[i];
        sm->model = model;
        sm->p = *p;
        sm->index = i;
        sm->lsu_current = -1;
        sm->units_all = (1u << p->collector_units) - 1;
        sm->writes_all = p->l1d_write_entries < 64 ? (1ull << p->l1d_write_entries) - 1 : UINT64_MAX;
        sm->next_writeback = sm->next_mshr_free = sm->next_release = UINT64_MAX;
        sm->l1d_busy = UINT64_MAX;
        ok = tags_init(&sm->l1i, p->l1i_sets, p->l1i_ways) && tags_init(&sm->l1d, p->l1d_sets, p->l1d_ways) && ok;
    }
    model->cycle = model->next_dispatch = model->next_group = model->end_cycle = model->last_issue = 0;
    model->next_dispatch = 0;
    model->group_count = model->groups_left =
        (uint64_t)model->shape.grid[0] * model->shape.grid[1] * model->shape.grid[2];
    model->next_sm = 0;
    model->longest_wait = 10000000 + 10000 * (uint64_t)p->memory_latency;
    model->phase = RUNS;
    model->failed = false;
    model->counters = (struct cy_timing_counters){0};
    if (!ok)
        model_end(model);
    return ok;
}

/* ---- workgroups ---- */

static struct resident *find_room(const struct timing_model *model, struct sm *sm)
{
    const unsigned warps = warps_of_sm(model);
    const uint64_t all = warps == 64 ? UINT64_MAX : (1ull << warps) - 1;
    if ((unsigned)__builtin_popcountll(sm->residents_used) >= model->shape.resident_groups ||
        (unsigned)__builtin_popcountll(all & ~sm->occupied) < model->shape.group_warps)
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
        sm->warps[slot].wid = wid;
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
        struct group *group = model->find_group(model->context, model->next_group);
        if (!group)
            return false;
        place(model, sm, room, group);
        model->next_sm = (sm->index + 1) % model->sm_count;
        model->next_group++;
        model->next_dispatch =
            model->next_group < model->group_count ? model->cycle + model->p.dispatch_interval : UINT64_MAX;
        model->activity = true;
        return true;
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
        model->free_group(model->context, resident->number);
        model->groups_left--;
        model->end_cycle = model->cycle;
        if (model->next_group < model->group_count && model->next_dispatch == UINT64_MAX)
            model->next_dispatch = model->cycle;
        model->activity = true;
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
        done = l1d_flush(sm) && done;
        if (sm->flushed != before)
            sm->sleep_until = 0;
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
        model->counters.cycles = model->cycle + model->p.end_flush_cycles;
        model->phase = ENDED;
    }
}

/* ---- the clock ---- */

static uint64_t next_event(const struct timing_model *model)
{
    uint64_t next = l2_next_event(model);
    next = earliest(next, model->next_dispatch, model->cycle);
    for (unsigned i = 0; i < model->sm_count; i++) {
        const struct sm *sm = &model->sms[i];
        next = earliest(next, sm->sleep_until, model->cycle);
        next = earliest(next, sm->next_release, model->cycle);
    }
    return next;
}

static bool is_starved(const struct timing_model *model)
{
    for (unsigned i = 0; i < model->sm_count; i++) {
        const struct sm *sm = &model->sms[i];
        for (uint64_t set = sm->occupied & ~sm->at_barrier; set; set &= set - 1)
            if (stream_is_short(sm->warps[__builtin_ctzll(set)].stream))
                return true;
    }
    return false;
}

/* An SM in which nothing happened sleeps until something is due. */
static void run_sm(struct timing_model *model, struct sm *sm)
{
    sm->activity = false;
    sm_cycle(sm);
    if (!sm->activity)
        sm->sleep_until = sm_next_event(sm);
    if (model->is_profiled)
        probe_cycle(sm);
    model->activity |= sm->activity;
}

/* While one SM is awake and nothing is under way in the L2, its cycles are the model's: most launches of the RTL's size are like
 * that most of the time.  Stops when anything else could happen in the next cycle. */
static void run_alone(struct timing_model *model, struct sm *sm, uint64_t until)
{
    while (model->cycle + 1 < until && sm->sleep_until <= model->cycle + 1 && !model->starved && !model->l2.work &&
           sm->next_release > model->cycle + 1) {
        sm->now = ++model->cycle;
        sm->activity = false;
        sm_cycle(sm);
        if (!sm->activity)
            sm->sleep_until = sm_next_event(sm);
    }
}

/* The only SM that is awake, and until when that is so; NULL: there are several, or none, or each cycle counts. */
static struct sm *find_alone(const struct timing_model *model, uint64_t *until)
{
    enum { STRETCH = 4096 }; /* how often the model looks whether it has come to a halt */
    struct sm *alone = NULL;
    if (model->is_profiled || !model->groups_left || !model->p.group_end_cycles)
        return NULL;
    *until = earliest(model->cycle + STRETCH, model->next_dispatch, 0);
    for (unsigned i = 0; i < model->sm_count; i++) {
        struct sm *sm = &model->sms[i];
        if (sm->sleep_until <= model->cycle + 1) {
            if (alone)
                return NULL;
            alone = sm;
        } else {
            *until = earliest(*until, sm->sleep_until, 0);
            *until = earliest(*until, sm->next_release, 0);
        }
    }
    return alone;
}

void model_run(struct timing_model *model)
{
    if (!model->sms || model->failed)
        return;
    model->starved = is_starved(model);
    while (!model->starved && model->phase != ENDED && (model->cycle < model->next_dispatch || dispatch(model))) {
        model->cycle++;
        model->activity = false;
        if (model->l2.work)
            l2_cycle(model);
        for (unsigned i = 0; i < model->sm_count; i++) {
            struct sm *sm = &model->sms[i];
            sm->now = model->cycle;
            if (sm->sleep_until <= model->cycle)
                run_sm(model, sm);
            if (sm->next_release <= model->cycle)
                release_groups(model, sm);
        }
        if (!model->groups_left)
            finish(model);
        if (!model->activity && model->phase != ENDED) {
            const uint64_t next = next_event(model);
            model->failed = next == UINT64_MAX;
            model->cycle = next - 1;
        }
        uint64_t until;
        struct sm *alone = model->l2.work || model->failed ? NULL : find_alone(model, &until);
        if (alone)
            run_alone(model, alone, until);
        if (model->failed || model->cycle - model->last_issue > model->longest_wait) {
            model->failed = true;
            return;
        }
    }
}
