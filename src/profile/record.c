/* Collecting launches, and the file by which a process passes its profile on. */
#include "profile/profile_priv.h"

#include <stdio.h>
#include <string.h>

#include "base/pack.h"

#define MAGIC "CYPROFILE"
#define VERSION 4u

void cy_profile_init(struct cy_profile *profile, const struct cy_config *config, const struct cy_timing_config *timing)
{
    *profile = (struct cy_profile){.config = *config, .is_timed = timing != NULL};
    if (timing)
        profile->timing = *timing;
}

void cy_profile_free(struct cy_profile *profile)
{
    for (size_t i = 0; i < profile->programs.count; i++) {
        cy_free(profile->programs.at[i].name);
        cy_free(profile->programs.at[i].source);
        cy_free(profile->programs.at[i].elf);
    }
    for (size_t i = 0; i < profile->kernels.count; i++) {
        cy_free(profile->kernels.at[i].name);
        cy_free(profile->kernels.at[i].block);
        profile_unshare(&profile->kernels.at[i]);
    }
    for (size_t i = 0; i < profile->commands.count; i++)
        cy_free(profile->commands.at[i].name);
    cy_vec_free(&profile->programs);
    cy_vec_free(&profile->kernels);
    cy_vec_free(&profile->commands);
    cy_vec_free(&profile->events);
    cy_vec_free(&profile->launched);
    *profile = (struct cy_profile){0};
}

static void *copy(const void *bytes, size_t size)
{
    char *block = cy_try_alloc(size + 1);
    if (block && size)
        memcpy(block, bytes, size);
    return block;
}

/* ---- programs and kernels ---- */

/* For when the process is killed. */
static void keep(const struct cy_profile_kernel *kernel)
{
    if (kernel->shared)
        *kernel->shared = *kernel;
}

/* A program whose texts belong to somebody else. */
struct loaned {
    const void *key;
    const char *name, *source;
    const unsigned char *elf;
    size_t elf_size;
    uint32_t code_base;
    size_t words;
};

static bool add_program(struct cy_profile *profile, const struct loaned *program)
{
    struct cy_profile_program fresh = {
        .key = program->key, .elf_size = program->elf_size, .code_base = program->code_base, .words = program->words};
    fresh.name = copy(program->name, strlen(program->name));
    fresh.source = program->source ? copy(program->source, strlen(program->source)) : NULL;
    fresh.elf = copy(program->elf, program->elf_size);
    struct cy_profile_program *place =
        fresh.name && fresh.elf && (fresh.source || !program->source) ? cy_vec_try_push(&profile->programs) : NULL;
    if (place) {
        *place = fresh;
        return true;
    }
    cy_free(fresh.name);
    cy_free(fresh.source);
    cy_free(fresh.elf);
    return false;
}

bool cy_profile_program(struct cy_profile *profile, const void *key, const char *name, const void *elf, size_t elf_size,
                        const char *source, const struct cy_program *program, size_t *index, bool *is_new)
{
    size_t at = 0;
    while (at < profile->programs.count && profile->programs.at[at].key != key)
        at++;
    *index = at;
    if (is_new)
        *is_new = at == profile->programs.count;
    if (at < profile->programs.count)
        return true;
    return add_program(profile, &(struct loaned){.key = key,
                                                 .name = name,
                                                 .source = source,
                                                 .elf = elf,
                                                 .elf_size = elf_size,
                                                 .code_base = cy_program_code_base(program),
                                                 .words = cy_program_count_words(program)});
}

size_t profile_block_size(size_t sms, size_t words, bool has_counts, bool has_sampled, bool has_cycles)
{
    const size_t counts = has_counts ? sms + 2 : 0, sampled = has_sampled ? 2 * sms : 0;
    return words *
           ((counts + sampled + 1) * sizeof(struct cy_insn_counts) + (has_cycles ? sizeof(struct cy_timing_pc) : 0));
}

void profile_place(struct cy_profile_kernel *kernel, unsigned char *block, size_t words, bool has_counts,
                   bool has_sampled, bool has_cycles)
{
    struct cy_insn_counts *at = (struct cy_insn_counts *)(void *)block;
    kernel->sums = at;
    at += words;
    kernel->counts = has_counts ? at : NULL;
    kernel->parts = has_counts ? at + kernel->sms * words : NULL;
    at += has_counts ? (kernel->sms + 2) * words : 0;
    kernel->sampled = has_sampled ? at : NULL;
    at += has_sampled ? 2 * kernel->sms * words : 0;
    kernel->cycles = has_cycles ? (struct cy_timing_pc *)(void *)at : NULL;
}

bool cy_profile_kernel(struct cy_profile *profile, size_t program, const char *name, const struct cy_program *code,
                       size_t *index)
{
    const size_t words = profile->programs.at[program].words;
    size_t at = 0;
    while (at < profile->kernels.count &&
           (profile->kernels.at[at].program != program || strcmp(profile->kernels.at[at].name, name) != 0))
        at++;
    *index = at;
    if (at < profile->kernels.count)
        return true;
    struct cy_profile_kernel fresh = {.program = program, .sms = profile->config.sms};
    fresh.name = copy(name, strlen(name));
    const bool is_sampled = code && !profile->is_exact && !profile->is_timed;
    fresh.is_slow = is_sampled && cy_program_is_slow_to_count(code, name);
    const size_t size = profile_block_size(fresh.sms, words, code, is_sampled, profile->is_timed);
    fresh.block = cy_try_alloc(size);
    struct cy_profile_kernel *place = fresh.name && fresh.block ? cy_vec_try_push(&profile->kernels) : NULL;
    if (!place) {
        cy_free(fresh.name);
        cy_free(fresh.block);
        return false;
    }
    profile_place(&fresh, fresh.block, words, code, is_sampled, profile->is_timed);
    profile->kernels.count--; /* it is the next one until it is whole */
    unsigned char *shared = profile->shared ? profile_share(profile, &fresh, size) : NULL;
    if (shared) {
        profile_place(&fresh, shared, words, code, is_sampled, profile->is_timed);
        cy_free(fresh.block);
        fresh.block = NULL;
    }
    profile->kernels.count++;
    *place = fresh;
    keep(place);
    return true;
}

/* ---- events ---- */

void cy_profile_begin(struct cy_profile *profile, size_t kernel, pthread_mutex_t *lock,
                      struct cy_profile_launch *launch)
{
    *launch = (struct cy_profile_launch){.profile = profile,
                                         .lock = lock,
                                         .kernel = kernel,
                                         .number = ++profile->launches,
                                         .before = profile->kernels.at[kernel].begun++};
    keep(&profile->kernels.at[kernel]);
    profile->running++;
    uint32_t *launched = profile->event_limit && profile->launched.count == launch->number - 1
                             ? cy_vec_try_push(&profile->launched)
                             : NULL;
    if (launched)
        *launched = (uint32_t)kernel;
}

/* Have warps work-items of several rows of their workgroup?  What those of a row access next to each other, those of several access
 * anywhere: a plain run has strips that are parts of warps there, and one that counts, in which strips are warps, takes up to ten times as
 * long.  Local sizes that the device chooses are one row. */
static bool has_mixed_rows(const struct cy_launch_desc *desc, uint32_t threads)
{
    uint64_t local[3], row = 1;
    for (unsigned i = 0; i < 3; i++)
        local[i] = i < desc->dimensions && desc->local[0] ? desc->local[i] : 1;
    for (unsigned i = 3; i-- > 0;)
        row = local[i] > 1 ? local[i] : row;
    return row % threads != 0 && local[0] * local[1] * local[2] > row;
}

void cy_profile_describe(struct cy_profile_launch *launch, struct cy_launch_desc *desc)
{
    const struct cy_profile_kernel *kernel = &launch->profile->kernels.at[launch->kernel];
    const size_t words = launch->profile->programs.at[kernel->program].words;
    launch->counts = launch->profile->is_timed ? cy_try_alloc(kernel->sms * words * sizeof(launch->counts[0])) : NULL;
    desc->insn_counts = launch->counts ? launch->counts : kernel->counts;
    if (kernel->sampled && (kernel->is_slow || has_mixed_rows(desc, launch->profile->config.threads)))
        desc->insn_counts_sampled = kernel->sampled + (launch->before ? kernel->sms * words : 0);
    desc->insn_counts_before = launch->before;
}

static void add_event(const struct cy_profile_launch *launch, const struct cy_timing_event *event, bool is_done)
{
    struct cy_profile *profile = launch->profile;
    if (launch->lock)
        pthread_mutex_lock(launch->lock);
    struct cy_profile_event *place =
        profile->events.count < profile->event_limit ? cy_vec_try_push(&profile->events) : NULL;
    if (place)
        *place = (struct cy_profile_event){.event = *event, .launch = launch->number, .is_done = is_done};
    else
        profile->events_left_out++;
    if (launch->lock)
        pthread_mutex_unlock(launch->lock);
}
static void on_cycles(void *context, const struct cy_timing_event *event)
{
    add_event(context, event, false);
}
static void on_done(void *context, const struct cy_timing_event *event)
{
    add_event(context, event, true);
}

struct cy_timing_events cy_profile_events(struct cy_profile_launch *launch)
{
    return launch->profile->event_limit
               ? (struct cy_timing_events){.context = launch, .cycles = on_cycles, .done = on_done}
               : (struct cy_timing_events){0};
}

bool cy_profile_command(struct cy_profile *profile, const char *name, uint32_t queue, uint64_t queued_ns,
                        uint64_t start_ns, uint64_t end_ns, uint64_t launch)
{
    char *text = copy(name, strlen(name));
    struct cy_profile_command *command = text ? cy_vec_try_push(&profile->commands) : NULL;
    if (!command) {
        cy_free(text);
        return false;
    }
    *command = (struct cy_profile_command){text, queue, queued_ns, start_ns, end_ns, launch, 0};
    return true;
}

/* ---- launches ---- */

/* Structs of 64-bit numbers, as arrays of them. */
_Static_assert(sizeof(struct cy_insn_counts) == 10 * sizeof(uint64_t), "only 64-bit numbers");
#define COUNTS_FIELDS (sizeof(struct cy_insn_counts) / sizeof(uint64_t))

static void add_cycles(const struct cy_profile_program *program, struct cy_profile_kernel *kernel,
                       const struct cy_timing *timing)
{
    struct cy_timing_pc total;
    struct cy_timing_counters counters;
    size_t count;
    const struct cy_timing_pc *rows = cy_timing_pcs(timing, &count, &total);
    for (size_t i = 0; i < count; i++) {
        const uint32_t at = (rows[i].pc + 4 - rows[i].size - program->code_base) / 4; /* where its prefix is */
        if (at >= program->words)
            continue;
        struct cy_timing_pc *sum = &kernel->cycles[at];
        for (unsigned stall = 0; stall < CY_STALL_COUNT; stall++)
            sum->cycles[stall] += rows[i].cycles[stall];
        sum->l1d_requests += rows[i].l1d_requests;
        sum->l1d_hits += rows[i].l1d_hits;
    }
    kernel->empty_cycles += total.cycles[CY_STALL_EMPTY];
    cy_timing_counters(timing, &counters);
    kernel->timing.l1i_lookups += counters.l1i_lookups;
    kernel->timing.l1i_misses += counters.l1i_misses;
    kernel->timing.l1d_requests += counters.l1d_requests;
    kernel->timing.l1d_misses += counters.l1d_misses;
    kernel->timing.memory_reads += counters.memory_reads;
    kernel->timing.memory_writes += counters.memory_writes;
}

static void add_counts(struct cy_insn_counts *sums, const struct cy_insn_counts *more, size_t words)
{
    uint64_t *to = &sums->issued;
    const uint64_t *from = &more->issued;
    for (size_t i = 0; i < words * COUNTS_FIELDS; i++)
        to[i] += from[i];
}

/* What the machine says of a launch, and what it has counted. */
static void add_launch(struct cy_profile_launch *launch, struct cy_launch *ended)
{
    struct cy_profile_kernel *kernel = &launch->profile->kernels.at[launch->kernel];
    struct cy_counters counters;
    cy_launch_counters(ended, &counters);
    struct cy_profile_part *part = launch->before ? &kernel->later : &kernel->first;
    kernel->launches++;
    kernel->workgroups += counters.workgroups;
    kernel->counted += counters.workgroups_counted + counters.workgroups_sampled;
    part->workgroups += counters.workgroups;
    part->counted += counters.workgroups_counted;
    part->sampled += counters.workgroups_sampled;
    kernel->warps += counters.warps;
    kernel->work_items += counters.work_items;
    kernel->instructions += counters.instructions;
    kernel->barriers += counters.barriers;
    kernel->seconds += counters.seconds;
    kernel->resident_workgroups = counters.resident_workgroups;
    kernel->resident_warps = counters.resident_warps;
    kernel->most_workgroups = counters.most_workgroups;
    kernel->most_warps = counters.most_warps;
    snprintf(kernel->limited_by, sizeof(kernel->limited_by), "%s", counters.limited_by);
    if (launch->counts)
        add_counts(kernel->counts, launch->counts, kernel->sms * launch->profile->programs.at[kernel->program].words);
}

static void end_launch(struct cy_profile_launch *launch)
{
    struct cy_profile_kernel *kernel = &launch->profile->kernels.at[launch->kernel];
    const size_t words = launch->profile->programs.at[kernel->program].words;
    launch->profile->running--;
    cy_free(launch->counts);
    launch->counts = NULL;
    kernel->ended++;
    if (kernel->counts && kernel->begun == 1 && !kernel->first.sampled) {
        cy_insn_counts_sum(kernel->counts, kernel->sms, words, kernel->parts);
        kernel->has_first = true;
    }
    keep(kernel);
}

bool cy_profile_add(struct cy_profile_launch *launch, struct cy_launch *ended, const struct cy_timing *timing,
                    uint64_t cycles)
{
    struct cy_profile *profile = launch->profile;
    struct cy_profile_kernel *kernel = &profile->kernels.at[launch->kernel];
    const bool has_cycles = timing && kernel->cycles;
    const bool is_known = !has_cycles || cycles != UINT64_MAX;
    add_launch(launch, ended);
    if (has_cycles && is_known) {
        kernel->total_cycles += cycles;
        add_cycles(&profile->programs.at[kernel->program], kernel, timing);
    }
    end_launch(launch);
    return is_known;
}

void cy_profile_fail(struct cy_profile_launch *launch, struct cy_launch *ended)
{
    launch->profile->kernels.at[launch->kernel].failed++;
    if (ended && !launch->profile->is_timed)
        add_launch(launch, ended);
    end_launch(launch);
}

void cy_profile_drop_cycles(struct cy_profile *profile)
{
    profile->is_timed = false;
    for (size_t i = 0; i < profile->kernels.count; i++)
        profile->kernels.at[i].cycles = NULL;
}

static uint64_t in_proportion(uint64_t count, uint64_t all, uint64_t of)
{
    return all == of ? count : (uint64_t)((double)count * ((double)all / (double)of) + 0.5);
}

/* What so many workgroups have issued, for all.  Instructions of a block stay equally often issued, and lanes in proportion to that.  What
 * was looked at is in proportion to the issues anyway (symbols.c). */
static void stretch(struct cy_insn_counts *counts, size_t words, uint64_t all, uint64_t of)
{
    for (size_t i = 0; i < words && of && all != of; i++) {
        const uint64_t issued = counts[i].issued;
        if (!issued)
            continue;
        counts[i].issued = in_proportion(issued, all, of);
        counts[i].idle_lanes = in_proportion(counts[i].idle_lanes, counts[i].issued, issued);
        counts[i].divergent = in_proportion(counts[i].divergent, counts[i].issued, issued);
    }
}

static uint64_t weighted(uint64_t first, double first_weight, uint64_t later, double later_weight)
{
    return (uint64_t)((double)first * first_weight + (double)later * later_weight + 0.5);
}

/* More of the first launch is looked at than of later ones, which may access memory in another way: each stands for its own issues.  From
 * here on the sums of both do, of which the first ones have all. */
static void weigh(struct cy_insn_counts *first, struct cy_insn_counts *later, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        struct cy_insn_counts *a = &first[i], *b = &later[i];
        if (!a->looked || !b->looked)
            continue;
        const double all = (double)(a->looked + b->looked) / (double)(a->issued + b->issued);
        const double x = all * (double)a->issued / (double)a->looked, y = all * (double)b->issued / (double)b->looked;
        a->accesses = weighted(a->accesses, x, b->accesses, y);
        a->access_lanes = weighted(a->access_lanes, x, b->access_lanes, y);
        a->lines = weighted(a->lines, x, b->lines, y);
        a->local_accesses = weighted(a->local_accesses, x, b->local_accesses, y);
        a->local_lanes = weighted(a->local_lanes, x, b->local_lanes, y);
        a->local_passes = weighted(a->local_passes, x, b->local_passes, y);
        b->accesses = b->access_lanes = b->lines = b->local_accesses = b->local_lanes = b->local_passes = 0;
    }
}

/* All launches of a kernel whose first one is known by itself. */
static void add_exact(const struct cy_profile_kernel *kernel, size_t words, struct cy_insn_counts *sums)
{
    struct cy_insn_counts *first = cy_xrealloc(NULL, 2 * words * sizeof(first[0])), *later = first + words;
    memcpy(first, kernel->parts, words * sizeof(first[0]));
    memset(later, 0, words * sizeof(later[0]));
    cy_insn_counts_sum(kernel->counts, kernel->sms, words, later);
    for (size_t i = 0; i < words * COUNTS_FIELDS; i++)
        (&later->issued)[i] -= (&first->issued)[i];
    weigh(first, later, words);
    add_counts(sums, first, words);
    add_counts(sums, later, words);
    cy_free(first);
}

/* Those that are counted only for themselves, and those of the first and of later launches that stand for the others; if of later ones
 * there are none yet, the first ones stand for these, too. */
static void add_sampled(const struct cy_profile_kernel *kernel, size_t words, struct cy_insn_counts *sums)
{
    const size_t by_sm = kernel->sms * words;
    const struct cy_profile_part *first = &kernel->first, *later = &kernel->later;
    struct cy_insn_counts *sum = kernel->parts, *part = sum + words;
    memset(sum, 0, 2 * words * sizeof(sum[0]));
    cy_insn_counts_sum(kernel->sampled, kernel->sms, words, sum);
    stretch(sum, words, first->workgroups - first->counted, first->sampled);
    cy_insn_counts_sum(kernel->counts, kernel->sms, words, sum);
    cy_insn_counts_sum(kernel->sampled + by_sm, kernel->sms, words, part);
    if (later->sampled)
        stretch(part, words, later->workgroups - later->counted, later->sampled);
    else if (later->counted < later->workgroups)
        stretch(sum, words, first->workgroups + later->workgroups, first->workgroups + later->counted);
    weigh(sum, part, words);
    add_counts(sums, sum, words);
    add_counts(sums, part, words);
}

void profile_add_counted(const struct cy_profile_kernel *kernel, size_t words, struct cy_insn_counts *sums)
{
    if (kernel->counts && kernel->has_first && kernel->begun > 1 && kernel->later.counted == kernel->later.workgroups)
        add_exact(kernel, words, sums);
    else if (kernel->counts && kernel->sampled)
        add_sampled(kernel, words, sums);
    else if (kernel->counts)
        cy_insn_counts_sum(kernel->counts, kernel->sms, words, sums);
}

void cy_profile_finish(struct cy_profile *profile)
{
    for (size_t i = 0; i < profile->kernels.count; i++) {
        struct cy_profile_kernel *kernel = &profile->kernels.at[i];
        const size_t words = profile->programs.at[kernel->program].words;
        profile_add_counted(kernel, words, kernel->sums);
        if (kernel->counts)
            memset(kernel->counts, 0, kernel->sms * words * sizeof(kernel->counts[0]));
        if (kernel->sampled)
            memset(kernel->sampled, 0, 2 * kernel->sms * words * sizeof(kernel->sampled[0]));
        kernel->first = kernel->later = (struct cy_profile_part){0};
        kernel->has_first = false;
    }
}

/* ---- files ---- */

static void put(struct cy_buf *out, uint64_t number)
{
    cy_pack(out, (uint32_t)number);
    cy_pack(out, (uint32_t)(number >> 32));
}

static uint64_t get(struct cy_unpack *in)
{
    const uint64_t low = cy_unpack(in);
    return low | (uint64_t)cy_unpack(in) << 32;
}

static void put_fields(struct cy_buf *out, const uint64_t *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(out, fields[i]);
}
static void add_fields(struct cy_unpack *in, uint64_t *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fields[i] += get(in);
}

static void save_kernel(const struct cy_profile *profile, const struct cy_profile_kernel *kernel, struct cy_buf *out)
{
    const size_t words = profile->programs.at[kernel->program].words;
    const uint64_t fields[] = {kernel->launches,     kernel->workgroups,   kernel->warps,
                               kernel->work_items,   kernel->instructions, kernel->barriers,
                               kernel->total_cycles, kernel->empty_cycles, (uint64_t)(kernel->seconds * 1e9),
                               kernel->counted,      kernel->failed};
    size_t used = 0;
    struct cy_insn_counts *sums = cy_xrealloc(NULL, (words + 1) * sizeof(sums[0]));
    memcpy(sums, kernel->sums, words * sizeof(sums[0]));
    profile_add_counted(kernel, words, sums);
    cy_pack_text(out, kernel->name);
    cy_pack(out, kernel->program);
    put_fields(out, fields, CY_COUNT(fields));
    cy_pack(out, kernel->resident_workgroups);
    cy_pack(out, kernel->resident_warps);
    cy_pack(out, kernel->most_workgroups);
    cy_pack(out, kernel->most_warps);
    cy_pack_text(out, kernel->limited_by);
    put_fields(out, &kernel->timing.instructions, sizeof(kernel->timing) / sizeof(uint64_t));
    for (size_t i = 0; i < words; i++)
        used += sums[i].issued != 0;
    cy_pack(out, used);
    for (size_t i = 0; i < words; i++) {
        if (!sums[i].issued)
            continue;
        cy_pack(out, i);
        put_fields(out, &sums[i].issued, COUNTS_FIELDS);
        if (!kernel->cycles)
            continue;
        put_fields(out, kernel->cycles[i].cycles, CY_STALL_COUNT);
        put(out, kernel->cycles[i].l1d_requests);
        put(out, kernel->cycles[i].l1d_hits);
    }
    cy_free(sums);
}

static void save_event(const struct cy_profile_event *at, struct cy_buf *out)
{
    const struct cy_timing_event *event = &at->event;
    put(out, event->begin);
    put(out, event->end);
    put(out, event->group);
    cy_pack(out, event->warp);
    cy_pack(out, event->sm);
    cy_pack(out, event->slot);
    cy_pack(out, event->pc);
    cy_pack(out, event->ordinal);
    cy_pack(out, (unsigned)event->stall);
    cy_pack(out, at->launch);
    cy_pack(out, at->is_done);
}

void cy_profile_save(const struct cy_profile *profile, struct cy_buf *out)
{
    cy_pack_text(out, MAGIC);
    cy_pack(out, VERSION);
    cy_pack(out, profile->config.sms);
    cy_pack(out, profile->config.warps);
    cy_pack(out, profile->config.threads);
    cy_pack(out, profile->is_timed);
    cy_pack(out, profile->is_partial);
    for (size_t i = 0; i < CY_TIMING_PARAMETERS_MOST; i++)
        cy_pack(out, profile->timing.value[i]);
    cy_pack(out, profile->launches);
    put(out, profile->events_left_out);
    cy_pack(out, profile->programs.count);
    for (size_t i = 0; i < profile->programs.count; i++) {
        const struct cy_profile_program *program = &profile->programs.at[i];
        cy_pack_text(out, program->name);
        cy_pack(out, program->source != NULL);
        cy_pack_text(out, program->source ? program->source : "");
        cy_pack_bytes(out, program->elf, program->elf_size);
        cy_pack(out, program->code_base);
        cy_pack(out, program->words);
    }
    cy_pack(out, profile->kernels.count);
    for (size_t i = 0; i < profile->kernels.count; i++)
        save_kernel(profile, &profile->kernels.at[i], out);
    cy_pack(out, profile->launched.count);
    for (size_t i = 0; i < profile->launched.count; i++)
        cy_pack(out, profile->launched.at[i]);
    cy_pack(out, profile->commands.count);
    for (size_t i = 0; i < profile->commands.count; i++) {
        const struct cy_profile_command *command = &profile->commands.at[i];
        cy_pack_text(out, command->name);
        cy_pack(out, command->queue);
        put(out, command->queued_ns);
        put(out, command->start_ns);
        put(out, command->end_ns);
        put(out, command->launch);
    }
    cy_pack(out, profile->events.count);
    for (size_t i = 0; i < profile->events.count; i++)
        save_event(&profile->events.at[i], out);
}

/* ---- reading them ---- */

static bool load_program(struct cy_profile *profile, struct cy_unpack *in, size_t *index)
{
    struct loaned fresh = {.name = cy_unpack_text(in)};
    const bool has_source = cy_unpack_bool(in);
    const char *source = cy_unpack_text(in);
    fresh.source = has_source ? source : NULL;
    fresh.elf = cy_unpack_bytes(in, &fresh.elf_size);
    fresh.code_base = cy_unpack(in);
    fresh.words = cy_unpack_at_most(in, 1u << 28);
    if (in->failed)
        return false;
    for (*index = 0; *index < profile->programs.count; ++*index) {
        const struct cy_profile_program *known = &profile->programs.at[*index];
        if (known->elf_size == fresh.elf_size && memcmp(known->elf, fresh.elf, fresh.elf_size) == 0 &&
            strcmp(known->name, fresh.name) == 0)
            return true;
    }
    return fresh.words <= fresh.elf_size / 4 + 2 && add_program(profile, &fresh); /* the code is in the file */
}

static bool load_kernel(struct cy_profile *profile, struct cy_unpack *in, const size_t *programs, size_t program_count,
                        uint32_t *place)
{
    uint64_t fields[11] = {0};
    size_t index;
    const char *name = cy_unpack_text(in);
    const size_t number = cy_unpack(in);
    if (in->failed || number >= program_count || !cy_profile_kernel(profile, programs[number], name, NULL, &index))
        return false;
    *place = (uint32_t)index;
    struct cy_profile_kernel *kernel = &profile->kernels.at[index];
    const size_t words = profile->programs.at[kernel->program].words;
    add_fields(in, fields, CY_COUNT(fields));
    kernel->launches += fields[0];
    kernel->workgroups += fields[1];
    kernel->warps += fields[2];
    kernel->work_items += fields[3];
    kernel->instructions += fields[4];
    kernel->barriers += fields[5];
    kernel->total_cycles += fields[6];
    kernel->empty_cycles += fields[7];
    kernel->seconds += (double)fields[8] * 1e-9;
    kernel->counted += fields[9];
    kernel->failed += fields[10];
    kernel->resident_workgroups = cy_unpack(in);
    kernel->resident_warps = cy_unpack(in);
    kernel->most_workgroups = cy_unpack(in);
    kernel->most_warps = cy_unpack(in);
    snprintf(kernel->limited_by, sizeof(kernel->limited_by), "%s", cy_unpack_text(in));
    add_fields(in, &kernel->timing.instructions, sizeof(kernel->timing) / sizeof(uint64_t));
    for (size_t left = cy_unpack_count(in, 4); left && !in->failed; left--) {
        const size_t word = cy_unpack(in);
        if (word >= words)
            return false;
        add_fields(in, &kernel->sums[word].issued, COUNTS_FIELDS);
        if (!kernel->cycles)
            continue;
        add_fields(in, kernel->cycles[word].cycles, CY_STALL_COUNT);
        add_fields(in, &kernel->cycles[word].l1d_requests, 1);
        add_fields(in, &kernel->cycles[word].l1d_hits, 1);
    }
    return !in->failed;
}

static struct cy_profile_event load_event(const struct cy_profile *profile, struct cy_unpack *in, uint32_t first_launch,
                                          uint32_t launches)
{
    struct cy_profile_event at = {.device = profile->devices};
    at.event.begin = get(in);
    at.event.end = get(in);
    at.event.group = get(in);
    at.event.warp = cy_unpack(in);
    at.event.sm = cy_unpack(in);
    at.event.slot = cy_unpack(in);
    at.event.pc = cy_unpack(in);
    at.event.ordinal = cy_unpack(in);
    at.event.stall = (enum cy_stall)cy_unpack_at_most(in, CY_STALL_COUNT - 1);
    at.launch = cy_unpack_at_most(in, launches) + first_launch;
    at.is_done = cy_unpack_bool(in);
    return at;
}

static bool load_rest(struct cy_profile *profile, struct cy_unpack *in)
{
    const uint32_t first_launch = profile->launches, launches = cy_unpack_at_most(in, UINT32_MAX - 2 - first_launch);
    profile->launches += launches;
    profile->events_left_out += get(in);
    const size_t program_count = cy_unpack_count(in, 4);
    size_t *programs = cy_xrealloc(NULL, (program_count + 1) * sizeof(programs[0]));
    CY_VEC(uint32_t) kernels = {0};
    bool ok = true;
    for (size_t i = 0; ok && i < program_count; i++)
        ok = load_program(profile, in, &programs[i]);
    for (size_t left = ok ? cy_unpack_count(in, 4) : 0; ok && left && !in->failed; left--)
        ok = load_kernel(profile, in, programs, program_count, cy_vec_push(&kernels));
    for (size_t left = ok ? cy_unpack_count(in, 4) : 0; ok && left && !in->failed; left--) {
        const uint32_t number = cy_unpack(in);
        ok = number < kernels.count;
        if (ok)
            *cy_vec_push(&profile->launched) = kernels.at[number];
    }
    while (ok && !in->failed && profile->launched.count && profile->launched.count < profile->launches)
        *cy_vec_push(&profile->launched) = UINT32_MAX; /* the host had no memory for it */
    cy_free(programs);
    cy_vec_free(&kernels);
    if (!ok)
        return false;
    for (size_t left = cy_unpack_count(in, 4); left && !in->failed; left--) {
        const char *name = cy_unpack_text(in);
        const uint32_t queue = cy_unpack(in);
        const uint64_t queued_ns = get(in), start_ns = get(in), end_ns = get(in), launch = get(in);
        if (!cy_profile_command(profile, name, queue, queued_ns, start_ns, end_ns, launch ? launch + first_launch : 0))
            return false;
        profile->commands.at[profile->commands.count - 1].device = profile->devices;
    }
    for (size_t left = cy_unpack_count(in, 4); left && !in->failed; left--)
        *cy_vec_push(&profile->events) = load_event(profile, in, first_launch, launches);
    profile->devices++;
    return !in->failed && in->at == in->end;
}

bool cy_profile_load(struct cy_profile *profile, const char *name, const void *bytes, size_t size,
                     struct cy_diags *diags)
{
    struct cy_unpack in = {bytes, (const unsigned char *)bytes + size, false};
    if (!size || strcmp(cy_unpack_text(&in), MAGIC) != 0 || in.failed) {
        cy_diag_file(diags, CY_ERROR, name, "not a recorded profile");
        return false;
    }
    const uint32_t version = cy_unpack(&in);
    if (version != VERSION) {
        cy_diag_file(diags, CY_ERROR, name, "a profile of version %u; this program reads version %u", version, VERSION);
        return false;
    }
    const bool is_first = profile->programs.count == 0;
    const uint32_t sms = cy_unpack_at_most(&in, 1u << 16), warps = cy_unpack(&in), threads = cy_unpack_at_most(&in, 64);
    const bool is_timed = cy_unpack_bool(&in);
    profile->is_partial |= cy_unpack_bool(&in);
    if (is_first) {
        profile->config.sms = sms;
        profile->config.warps = warps;
        profile->config.threads = threads;
        profile->is_timed = is_timed;
    }
    profile->is_mixed |=
        sms != profile->config.sms || warps != profile->config.warps || threads != profile->config.threads;
    for (size_t i = 0; i < CY_TIMING_PARAMETERS_MOST; i++)
        profile->timing.value[i] = cy_unpack(&in);
    bool ok = !in.failed && threads && is_timed == profile->is_timed && load_rest(profile, &in);
    if (!ok)
        cy_diag_file(diags, CY_ERROR, name, "the profile is damaged or incomplete at byte %zu",
                     (size_t)(in.at - (const unsigned char *)bytes));
    return ok;
}
