#include "gpu/device/verify.h"
#include "gpu/device/translated.h"

#include "jit/run/run.h"

#include <string.h>

/* Runs of the interpreter that are tried when the first one differs from the translated code: other orders, and one workgroup of an SM at
 * a time, as translated code has it. */
static const struct attempt {
    uint32_t order;
    bool is_single;
} attempts[] = {{0, true}, {1, true}, {1, false}, {2, false}, {3, false}, {4, false}};

/* ---- which launches ---- */

/* Of the launches that run translated code the first with each translation, and every Nth. */
static bool is_due(struct cy_launch *launch)
{
    struct cy_device_verify *verify = &launch->device->verify;
    if (!launch->translated) {
        atomic_fetch_add(&verify->sums.interpreted, 1);
        return false;
    }
    const uint64_t number = atomic_fetch_add(&verify->sums.translated, 1);
    const bool is_first = cy_translated_is_first(launch);
    if (!is_first && number % launch->device->config.verify_every) {
        atomic_fetch_add(&verify->sums.skipped, 1);
        return false;
    }
    return true;
}

/* ---- runs ---- */

static void collect(void *context, const char *text, size_t size)
{
    struct cy_launch *launch = context;
    struct cy_verification *verification = launch->verification;
    const enum cy_verify_phase phase = verification->phase;
    struct cy_run_result *result = &verification->results[phase < CY_VERIFY_ORDERED ? phase : CY_VERIFY_ORDERED];
    if (!cy_buf_try_append(&result->text, text, size))
        launch->no_memory = true;
}

/* The view that a phase runs on, as the device's memory is now. */
static bool take_view(struct cy_launch *launch, enum cy_verify_phase phase)
{
    struct cy_device *device = launch->device;
    struct cy_snapshot *view = &device->verify.views[phase < CY_VERIFY_ORDERED ? phase : CY_VERIFY_ORDERED];
    if (!cy_snapshot_take(view, &device->memory))
        return false;
    launch->memory = launch->run.memory = &view->memory;
    return true;
}

static struct cy_insn_counts *give_counts(const struct cy_launch *launch, bool wanted)
{
    const size_t count = launch->count_words * launch->device->config.sms;
    return wanted ? cy_try_alloc(count * sizeof(struct cy_insn_counts)) : NULL;
}

static void free_result(struct cy_run_result *result)
{
    cy_buf_free(&result->message);
    cy_buf_free(&result->text);
    cy_free(result->counts);
    *result = (struct cy_run_result){0};
}

/* What the run that is over gave. */
static void keep(struct cy_launch *launch, struct cy_run_result *result)
{
    pthread_mutex_lock(&launch->lock);
    result->faulted = launch->faulted;
    result->fault = launch->fault;
    result->no_memory = launch->no_memory;
    result->message = launch->message;
    result->prints = launch->prints_done;
    result->prints_dropped = launch->prints_dropped;
    result->instructions = atomic_load(&launch->instructions);
    result->barriers = atomic_load(&launch->barriers);
    result->lanes = launch->lanes;
    launch->message = (struct cy_buf){0};
    pthread_mutex_unlock(&launch->lock);
}

/* Everything that a run changes in a launch is as before the first. */
static void reset(struct cy_launch *launch)
{
    pthread_mutex_lock(&launch->lock);
    atomic_store(&launch->next_group, 0);
    atomic_store(&launch->stop, false);
    launch->begun = false;
    launch->ranges = 0;
    launch->last_sm = launch->sm_count - 1;
    launch->faulted = launch->no_memory = false;
    launch->prints_done = launch->prints_dropped = 0;
    launch->lanes = (struct cy_lane_counters){0};
    atomic_ullong *const counters[] = {
        &launch->instructions,     &launch->groups_done,   &launch->warps_done, &launch->items_done,
        &launch->items_translated, &launch->barriers,      &launch->splits,     &launch->instructions_translated,
        &launch->groups_counted,   &launch->groups_sampled};
    for (size_t i = 0; i < CY_COUNT(counters); i++)
        atomic_store(counters[i], 0);
    launch->ran_ns = 0;
    launch->turn_start_ns = cy_now_ns();
    pthread_mutex_unlock(&launch->lock);
}

/* The launch is set up for one more run, by the interpreter, in this order. */
static bool prepare(struct cy_launch *launch, enum cy_verify_phase phase)
{
    struct cy_device *device = launch->device;
    launch->verification->phase = phase;
    launch->translated = NULL;
    cy_start_free(launch->start);
    launch->run.start = launch->start = NULL;
    launch->run.observer = NULL;
    launch->run.watch = NULL;
    cy_code_free(launch->watched);
    launch->watched = NULL;
    launch->run.code = launch->program->code;
    reset(launch);
    if (launch->engine_observer) {
        if (launch->engine_observer->check &&
            !(launch->watched = cy_code_watch(launch->run.code, launch->engine_observer)))
            return false;
        cy_watch_init(launch);
    }
    launch->alone = cy_sm_is_alone(launch);
    if (!take_view(launch, phase))
        return false;
    bool ok = true;
    for (unsigned i = 0; ok && i < launch->sm_count; i++)
        ok = cy_sm_reset(&device->sms[i], launch, launch->slots_per_sm * launch->warps);
    return ok;
}

/* ---- the first run ---- */

static bool begin(struct cy_launch *launch, struct cy_verification *verification)
{
    const bool counts = launch->counts && !launch->sampled; /* samples are those of one engine */
    struct cy_insn_counts *own = give_counts(launch, counts);
    verification->results[CY_VERIFY_TRANSLATED].counts = own;
    verification->print = launch->print;
    verification->print_context = launch->print_context;
    verification->counts = launch->counts;
    verification->sampled = launch->sampled;
    verification->translated = launch->translated;
    verification->interpreted_parts = launch->interpreted;
    verification->order = launch->order;
    verification->sm_count = launch->sm_count;
    verification->slots_per_sm = launch->slots_per_sm;
    if ((counts && !own) || !take_view(launch, CY_VERIFY_TRANSLATED))
        return false;
    launch->verification = verification;
    launch->counts = counts ? own : launch->counts;
    launch->print = collect;
    launch->print_context = launch;
    launch->independent = false; /* it has the device until all its runs are over */
    return true;
}

void cy_verify_begin(struct cy_launch *launch)
{
    if (launch->device->config.engine != CY_ENGINE_VERIFY || !is_due(launch))
        return;
    struct cy_verification *verification = cy_try_alloc(sizeof(*verification));
    if (verification && begin(launch, verification))
        return;
    cy_verify_free(verification);
    atomic_fetch_add(&launch->device->verify.sums.unfit, 1);
    launch->translated = NULL;
    launch->not_translated = "no memory to verify it";
}

static void end_translated(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    keep(launch, &verification->results[CY_VERIFY_TRANSLATED]);
    verification->items_translated = atomic_load(&launch->items_translated);
    verification->instructions_translated = atomic_load(&launch->instructions_translated);
}

static bool begin_interpreted(struct cy_launch *launch)
{
    struct cy_run_result *result = &launch->verification->results[CY_VERIFY_INTERPRETED];
    const bool counts = launch->counts && !launch->sampled;
    result->counts = give_counts(launch, counts);
    launch->counts = result->counts;
    launch->sampled = NULL;
    launch->verification->phase = CY_VERIFY_INTERPRETED;
    return (result->counts || !counts) && prepare(launch, CY_VERIFY_INTERPRETED);
}

/* ---- why they differ ---- */

static bool next_order(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    const struct attempt *attempt = &attempts[verification->attempt++];
    struct cy_run_result *result = &verification->results[CY_VERIFY_ORDERED];
    const bool counts = verification->results[CY_VERIFY_INTERPRETED].counts != NULL;
    free_result(result);
    result->counts = give_counts(launch, counts);
    launch->counts = result->counts;
    launch->order = cy_translated_follows(launch) ? 0 : attempt->order;
    launch->sm_count = 1;
    launch->slots_per_sm = attempt->is_single ? 1 : verification->slots_per_sm;
    return (result->counts || !counts) && prepare(launch, CY_VERIFY_ORDERED);
}

/* Does it write a byte that differs? */
static bool writes_difference(const struct cy_difference *difference, uint64_t address, unsigned size)
{
    const uint32_t bits = difference->translated ^ difference->interpreted;
    for (unsigned i = 0; i < 4; i++)
        if (bits >> 8 * i & 0xff && difference->address + i >= address && difference->address + i < address + size)
            return true;
    return false;
}

static void see_write(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      const struct cy_memory_access *access)
{
    const struct cy_launch *launch = context;
    struct cy_difference *difference = &launch->verification->difference;
    (void)insn;
    if (!(access->kind & CY_WRITE))
        return;
    for (uint64_t lanes = access->lanes; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        const uint64_t address = access->address[lane];
        if (!writes_difference(difference, address, access->size))
            continue;
        const uint64_t item = warp->tid + lane;
        const uint64_t at[3] = {item % launch->local[0], item / launch->local[0] % launch->local[1],
                                item / launch->local[0] / launch->local[1]};
        for (unsigned i = 0; i < 3; i++)
            difference->item[i] = at[i] + (uint64_t)warp->gid[i] * launch->local[i] + launch->offset[i];
        difference->is_written = true;
        difference->pc = pc;
    }
}

/* Runs the interpreter as it was, watched by an observer. */
static bool watch(struct cy_launch *launch, enum cy_verify_phase phase, const struct cy_observer *observer)
{
    struct cy_verification *verification = launch->verification;
    free_result(&verification->results[CY_VERIFY_ORDERED]);
    launch->order = verification->order;
    launch->counts = NULL;
    launch->sm_count = 1;
    launch->slots_per_sm = verification->slots_per_sm;
    launch->engine_observer = observer;
    return prepare(launch, phase);
}

static bool is_explained(const struct cy_verification *verification)
{
    return !verification->word_count && !verification->end_differs && !verification->text_differs &&
           !verification->counts_differ;
}

static bool find_writer(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    verification->writer = (struct cy_observer){.context = launch, .memory = see_write};
    return watch(launch, CY_VERIFY_WRITER, &verification->writer);
}

static bool ask_verifier(struct cy_launch *launch)
{
    const struct cy_verifier *verifier = &launch->device->verify.verifier;
    const struct cy_observer *observer = verifier->watch ? verifier->watch(verifier->context, launch) : NULL;
    if (observer && watch(launch, CY_VERIFY_WATCHED, observer))
        return true;
    if (observer)
        verifier->watched(verifier->context, launch, &launch->verification->difference);
    return false;
}

/* ---- the end ---- */

static void tell(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    struct cy_difference *difference = &verification->difference;
    const struct cy_verifier *verifier = &launch->device->verify.verifier;
    struct cy_buf path = {0};
    if (difference->is_written) {
        difference->line = cy_symbols_line(launch->program->symbols, difference->pc, &path);
        difference->file = path.size ? path.data : "";
    }
    atomic_fetch_add(difference->depends_on_order ? &launch->device->verify.sums.ordered
                                                  : &launch->device->verify.sums.different,
                     1);
    if (verifier->differs)
        verifier->differs(verifier->context, launch, difference);
    cy_buf_free(&path);
}

/* The launch is as if the interpreter alone had run it. */
static void restore(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    struct cy_run_result *result = &verification->results[CY_VERIFY_INTERPRETED];
    reset(launch);
    cy_buf_free(&launch->message);
    pthread_mutex_lock(&launch->lock);
    launch->faulted = result->faulted;
    launch->fault = result->fault;
    launch->no_memory = result->no_memory;
    launch->message = result->message;
    result->message = (struct cy_buf){0};
    launch->prints_done = result->prints;
    launch->prints_dropped = result->prints_dropped;
    launch->lanes = result->lanes;
    atomic_store(&launch->instructions, result->instructions);
    atomic_store(&launch->barriers, result->barriers);
    atomic_store(&launch->groups_done, result->faulted ? 0 : launch->group_count);
    atomic_store(&launch->warps_done, launch->group_count * launch->warps);
    atomic_store(&launch->items_done, launch->global[0] * launch->global[1] * launch->global[2]);
    atomic_store(&launch->items_translated, verification->items_translated);
    atomic_store(&launch->instructions_translated, verification->instructions_translated);
    launch->translated = verification->translated;
    launch->interpreted = verification->interpreted_parts;
    launch->sm_count = verification->sm_count;
    launch->slots_per_sm = verification->slots_per_sm;
    launch->order = verification->order;
    launch->memory = &launch->device->memory;
    launch->print = verification->print;
    launch->print_context = verification->print_context;
    launch->counts = verification->counts;
    launch->sampled = verification->sampled;
    launch->engine_observer = NULL;
    atomic_store(&launch->next_group, launch->group_count);
    pthread_mutex_unlock(&launch->lock);
    if (result->counts && launch->counts && !launch->sampled) {
        const size_t count = launch->count_words * launch->device->config.sms * sizeof(struct cy_insn_counts);
        uint64_t *to = (uint64_t *)(void *)launch->counts;
        const uint64_t *from = (const uint64_t *)(const void *)result->counts;
        for (size_t i = 0; i < count / sizeof(*to); i++)
            to[i] += from[i];
        atomic_store(&launch->groups_counted, launch->group_count);
    }
    if (result->text.size && launch->print)
        launch->print(launch->print_context, result->text.data, result->text.size);
}

static bool end(struct cy_launch *launch)
{
    restore(launch);
    if (launch->verification->difference.kind != CY_DIFFERENT_NOTHING)
        tell(launch);
    cy_snapshot_commit(&launch->device->verify.views[CY_VERIFY_INTERPRETED]);
    return false;
}

void cy_verify_abandon(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    atomic_fetch_add(&launch->device->verify.sums.unfit, 1);
    launch->memory = &launch->device->memory;
    launch->print = verification->print;
    launch->print_context = verification->print_context;
    launch->counts = verification->counts;
    launch->sampled = verification->sampled;
    launch->engine_observer = NULL;
}

/* ---- from one run to the next ---- */

/* The host, not the program, ended it. */
static bool is_unfit(const struct cy_run_result *result)
{
    return result->no_memory || (result->faulted && strcmp(result->fault.kind, cy_fault_name(CY_FAULT_WATCHDOG)) == 0);
}

static bool after_interpreted(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    struct cy_device_verify *verify = &launch->device->verify;
    bool differs = false;
    keep(launch, &verification->results[CY_VERIFY_INTERPRETED]);
    if (is_unfit(&verification->results[CY_VERIFY_TRANSLATED]) ||
        is_unfit(&verification->results[CY_VERIFY_INTERPRETED]) || !cy_verify_compare(launch, &differs)) {
        atomic_fetch_add(&verify->sums.unfit, 1);
        return end(launch);
    }
    atomic_fetch_add(&verify->sums.verified, 1);
    if (!differs)
        return end(launch);
    verification->difference.kernel = launch->kernel.name;
    verification->difference.launch = atomic_load(&verify->sums.translated) + atomic_load(&verify->sums.interpreted);
    verification->difference.level = cy_code_level(launch->program->code)->name;
    verification->difference.strip = cy_jit_header(verification->translated)->strip;
    cy_verify_describe(launch);
    return next_order(launch) || end(launch);
}

/* It is known which word is told. */
static bool after_reasons(struct cy_launch *launch)
{
    return (launch->verification->difference.kind == CY_DIFFERENT_WORDS && find_writer(launch)) || end(launch);
}

static bool after_order(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    keep(launch, &verification->results[CY_VERIFY_ORDERED]);
    cy_verify_explain(launch);
    if (is_explained(verification)) { /* two runs of the interpreter differ in all of it: it is the program */
        verification->difference.depends_on_order = true;
    } else {
        cy_verify_describe(launch);
        if (verification->attempt < CY_COUNT(attempts))
            return next_order(launch) || end(launch);
    }
    return (!verification->difference.depends_on_order && ask_verifier(launch)) || after_reasons(launch);
}

static bool after_watched(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    const struct cy_verifier *verifier = &launch->device->verify.verifier;
    const bool has_race = verifier->watched(verifier->context, launch, &verification->difference);
    cy_verify_excuse_races(launch);
    if (has_race && !verification->word_count) /* what was printed, and faults, may come from it */
        verification->difference.depends_on_order = true;
    else
        cy_verify_describe(launch);
    return after_reasons(launch);
}

bool cy_verify_next(struct cy_launch *launch)
{
    struct cy_verification *verification = launch->verification;
    if (atomic_load(&launch->cancel)) {
        cy_verify_abandon(launch);
        return false;
    }
    switch (verification->phase) {
    case CY_VERIFY_TRANSLATED:
        end_translated(launch);
        if (begin_interpreted(launch))
            return true;
        cy_launch_no_memory(launch);
        cy_verify_abandon(launch);
        return false;
    case CY_VERIFY_INTERPRETED: return after_interpreted(launch);
    case CY_VERIFY_ORDERED: return after_order(launch);
    case CY_VERIFY_WRITER: return end(launch);
    case CY_VERIFY_WATCHED: return after_watched(launch);
    }
    return false;
}

/* ---- life ---- */

const struct cy_memory *cy_launch_interpreted(const struct cy_launch *launch)
{
    return &launch->device->verify.views[CY_VERIFY_INTERPRETED].memory;
}

void cy_verify_free(struct cy_verification *verification)
{
    if (!verification)
        return;
    for (size_t i = 0; i < CY_COUNT(verification->results); i++)
        free_result(&verification->results[i]);
    cy_free(verification->words);
    cy_free(verification);
}

void cy_verify_leave(struct cy_device *device)
{
    for (size_t i = 0; i < CY_COUNT(device->verify.views); i++)
        cy_snapshot_free(&device->verify.views[i]);
}

void cy_device_set_verifier(struct cy_device *device, const struct cy_verifier *verifier)
{
    device->verify.verifier = *verifier;
}

void cy_device_verified(struct cy_device *device, struct cy_verified *sums)
{
    const struct cy_verify_sums *own = &device->verify.sums;
    *sums = (struct cy_verified){
        .verified = atomic_load(&own->verified),
        .different = atomic_load(&own->different),
        .ordered = atomic_load(&own->ordered),
        .skipped = atomic_load(&own->skipped),
        .unfit = atomic_load(&own->unfit),
        .interpreted = atomic_load(&own->interpreted),
    };
}
