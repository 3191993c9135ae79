/* The observer: records what each warp does, on the thread that runs it, and passes it to the model in pieces. */
#include "timing/model.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "abi/abi.h"

#define RECORDER_WORDS 4096
#define LONGEST_RECORD (2 + MOST_LINES)
#define CODE_PAGE 4096
#define LONGEST_MARKED (1u << 18) /* words that are kept for repeat.c */

typedef _Atomic(struct op *) op_slot;

struct cy_timing {
    struct timing_model model;
    pthread_mutex_t lock;  /* protects everything below and the model */
    struct group **groups; /* from group_base on */
    uint64_t group_base;
    size_t group_capacity;
    uint32_t op_count;
    size_t op_chunks;
    size_t handed_over;       /* words since the model last ran */
    CY_VEC(uint32_t *) spare; /* words of recorders whose workgroups are gone: a new one need not be cleared */
    bool failed;              /* no memory */
    /* used without the lock */
    _Atomic(op_slot *) *code;        /* by pc / CODE_PAGE */
    CY_VEC(uint32_t) pages;          /* of it that are used; with the lock */
    struct recorder **current;       /* by SM of the host's machine: whose turn it is */
    CY_VEC(struct cy_timing_pc) pcs; /* of the last launch */
    struct cy_timing_pc total;
    struct cy_timing_config config;
};

/* ---- code ---- */

static struct op *add_op(struct cy_timing *timing, const struct cy_event *event)
{
    const uint32_t index = timing->op_count;
    struct timing_model *model = &timing->model;
    if (index / OPS_CHUNK == timing->op_chunks) {
        struct op **chunks = cy_try_realloc(model->ops, (timing->op_chunks + 1) * sizeof(chunks[0]));
        if (!chunks)
            return NULL;
        model->ops = chunks;
        if (!(chunks[timing->op_chunks] = cy_try_alloc(OPS_CHUNK * sizeof(struct op))))
            return NULL;
        timing->op_chunks++;
    }
    struct op *op = &model->ops[index / OPS_CHUNK][index % OPS_CHUNK];
    timing_decode(&model->p, event->pc, event->word, event->prefix, op);
    op->index = index;
    op->counts = NULL;
    model->code_first = op->start < model->code_first ? op->start : model->code_first;
    model->code_last = op->pc > model->code_last ? op->pc : model->code_last;
    if (model->is_profiled && !(op->counts = cy_try_alloc(sizeof(*op->counts))))
        return NULL;
    timing->op_count++;
    return op;
}

static op_slot *add_page(struct cy_timing *timing, uint32_t number)
{
    uint32_t *used = cy_vec_try_push(&timing->pages);
    if (!used)
        return NULL;
    op_slot *page = cy_try_alloc(CODE_PAGE / 4 * sizeof(page[0]));
    if (!page) {
        timing->pages.count--;
        return NULL;
    }
    *used = number;
    atomic_store(&timing->code[number], page);
    return page;
}

static __attribute__((noinline)) struct op *learn_op(struct cy_timing *timing, const struct cy_event *event)
{
    struct op *op = NULL;
    pthread_mutex_lock(&timing->lock);
    op_slot *page = atomic_load(&timing->code[event->pc / CODE_PAGE]);
    if (!page)
        page = add_page(timing, event->pc / CODE_PAGE);
    if (page && !(op = atomic_load(&page[event->pc % CODE_PAGE / 4])) && (op = add_op(timing, event)))
        atomic_store(&page[event->pc % CODE_PAGE / 4], op);
    timing->failed |= !op;
    pthread_mutex_unlock(&timing->lock);
    return op;
}

static inline struct op *find_op(struct cy_timing *timing, const struct cy_event *event)
{
    op_slot *page = atomic_load_explicit(&timing->code[event->pc / CODE_PAGE], memory_order_acquire);
    struct op *op = page ? atomic_load_explicit(&page[event->pc % CODE_PAGE / 4], memory_order_acquire) : NULL;
    return op ? op : learn_op(timing, event);
}

static void forget_code(struct cy_timing *timing)
{
    for (size_t i = 0; i < timing->pages.count; i++) {
        cy_free(atomic_load(&timing->code[timing->pages.at[i]]));
        atomic_store(&timing->code[timing->pages.at[i]], NULL);
    }
    for (uint32_t i = 0; i < timing->op_count; i++)
        cy_free(model_op(&timing->model, i)->counts);
    timing->pages.count = 0;
    timing->op_count = 0;
}

/* ---- workgroups ---- */

static void free_words(struct cy_timing *timing, uint32_t *words)
{
    enum { MOST_SPARE = 256 };
    uint32_t **spare = words && timing->spare.count < MOST_SPARE ? cy_vec_try_push(&timing->spare) : NULL;
    if (spare)
        *spare = words;
    else
        cy_free(words);
}

static uint32_t *new_words(struct cy_timing *timing)
{
    return timing->spare.count ? timing->spare.at[--timing->spare.count]
                               : cy_try_alloc(RECORDER_WORDS * sizeof(uint32_t));
}

static void free_group(struct cy_timing *timing, struct group *group)
{
    if (!group)
        return;
    for (unsigned i = 0; i < timing->model.shape.group_warps; i++) {
        free_words(timing, group->recorders[i].words);
        cy_free(group->streams[i].words);
    }
    cy_free(group->recorders);
    cy_free(group->streams);
    cy_free(group);
}

static struct group *new_group(unsigned warps)
{
    struct group *group = cy_try_alloc(sizeof(*group));
    if (!group)
        return NULL;
    group->recorders = cy_try_alloc(warps * sizeof(group->recorders[0]));
    group->streams = cy_try_alloc(warps * sizeof(group->streams[0]));
    if (group->recorders && group->streams)
        return group;
    cy_free(group->recorders);
    cy_free(group->streams);
    cy_free(group);
    return NULL;
}

/* The slot of a workgroup in the window; NULL: no memory, or it has ended. */
static struct group **group_place(struct cy_timing *timing, uint64_t number)
{
    if (number < timing->group_base)
        return NULL;
    const uint64_t at = number - timing->group_base;
    if (at >= timing->group_capacity) {
        const size_t capacity = (size_t)(2 * at + 64);
        struct group **groups = cy_try_realloc(timing->groups, capacity * sizeof(groups[0]));
        if (!groups)
            return NULL;
        memset(groups + timing->group_capacity, 0, (capacity - timing->group_capacity) * sizeof(groups[0]));
        timing->groups = groups;
        timing->group_capacity = capacity;
    }
    return &timing->groups[at];
}

static struct group *find_group(void *context, uint64_t number)
{
    struct cy_timing *timing = context;
    struct group **place = group_place(timing, number);
    if (!place || !*place)
        return NULL;
    for (unsigned i = 0; i < timing->model.shape.group_warps; i++)
        if (!(*place)->ended && !(*place)->streams[i].records)
            return NULL;
    return *place;
}

static void drop_group(void *context, uint64_t number)
{
    struct cy_timing *timing = context;
    struct group **place = group_place(timing, number);
    size_t gone = 0;
    if (!place)
        return;
    free_group(timing, *place);
    *place = NULL;
    while (gone < timing->group_capacity && !timing->groups[gone] && timing->group_base + gone <= number)
        gone++;
    if (gone < 64)
        return;
    memmove(timing->groups, timing->groups + gone, (timing->group_capacity - gone) * sizeof(timing->groups[0]));
    memset(timing->groups + timing->group_capacity - gone, 0, gone * sizeof(timing->groups[0]));
    timing->group_base += gone;
}

/* Its instructions, when it has been recorded. */
static uint64_t group_work(void *context, uint64_t number)
{
    struct cy_timing *timing = context;
    struct group **place = group_place(timing, number);
    uint64_t work = 0;
    for (unsigned i = 0; place && *place && i < timing->model.shape.group_warps; i++)
        work += (*place)->streams[i].total;
    return work;
}

static uint64_t group_number(const struct cy_launch_shape *shape, const uint32_t id[3])
{
    return id[0] + (uint64_t)shape->grid[0] * (id[1] + (uint64_t)shape->grid[1] * id[2]);
}

/* ---- passing records to the model ---- */

static bool append(struct stream *stream, const uint32_t *words, size_t count)
{
    if (stream->is_marked && stream->keep > stream->mark + LONGEST_MARKED)
        stream->is_marked = false;
    const size_t past = stream->is_marked && stream->mark < stream->keep ? stream->mark : stream->keep;
    if (stream->size + count > stream->capacity && past) {
        memmove(stream->words, stream->words + past, (stream->size - past) * sizeof(words[0]));
        stream->size -= past;
        stream->read -= past;
        stream->keep -= past;
        stream->mark -= stream->is_marked ? past : 0;
        stream->dropped += past;
    }
    if (!count) /* perhaps there are no words yet at all */
        return true;
    if (stream->size + count > stream->capacity) {
        const size_t capacity = 2 * (stream->size + count);
        uint32_t *bigger = cy_try_realloc(stream->words, capacity * sizeof(words[0]));
        if (!bigger)
            return false;
        stream->words = bigger;
        stream->capacity = capacity;
    }
    memcpy(stream->words + stream->size, words, count * sizeof(words[0]));
    stream->size += count;
    return true;
}

/* With the lock. */
static void hand_over(struct cy_timing *timing, struct recorder *recorder)
{
    struct stream *stream = recorder->stream;
    stream->total += recorder->records;
    if (recorder->group->is_skipped) {
        recorder->size = recorder->records = recorder->memory_at = 0;
        return;
    }
    if (!append(stream, recorder->words, recorder->size))
        timing->failed = true;
    stream->records += recorder->records;
    timing->handed_over += recorder->size;
    stream->ends_at_barrier = recorder->at_barrier;
    stream->complete |= recorder->ended;
    recorder->size = recorder->records = recorder->memory_at = 0;
}

/* A workgroup that the model does not need has ended. */
static void skip_group(struct cy_timing *timing, uint64_t number)
{
    struct group **place = group_place(timing, number);
    const uint64_t executed = (*place)->executed;
    sample_executed(&timing->model, number, executed ? executed : group_work(timing, number));
    free_group(timing, *place);
    *place = NULL;
}

/* The model has decided which it does not need: some of them may have begun, or even ended. */
static void skip_groups(struct cy_timing *timing)
{
    for (uint64_t i = 0; i < timing->group_capacity; i++) {
        struct group *group = timing->groups[i];
        if (!group || group->is_skipped || !sample_skips(&timing->model, timing->group_base + i))
            continue;
        group->is_skipped = true;
        if (group->ended)
            skip_group(timing, timing->group_base + i);
    }
}

static void run_far(struct cy_timing *timing)
{
    do {
        model_run(&timing->model);
        if (sample_is_waiting(&timing->model))
            skip_groups(timing);
        else
            return;
    } while (!sample_is_waiting(&timing->model));
}

/* With the lock.  Barriers and ends hand over a few words each: the model runs when there is enough to do. */
static void run_model(struct cy_timing *timing)
{
    if (timing->failed || timing->handed_over < RECORDER_WORDS)
        return;
    timing->handed_over = 0;
    run_far(timing);
}

static __attribute__((noinline)) void flush(struct cy_timing *timing, struct recorder *recorder)
{
    pthread_mutex_lock(&timing->lock);
    hand_over(timing, recorder);
    run_model(timing);
    pthread_mutex_unlock(&timing->lock);
}

/* ---- what is observed ---- */

static __attribute__((noinline)) struct recorder *find_recorder(struct cy_timing *timing, const struct cy_event *event)
{
    const struct cy_launch_shape *shape = &timing->model.shape;
    struct recorder *recorder = NULL;
    pthread_mutex_lock(&timing->lock);
    struct group **place = group_place(timing, group_number(shape, event->workgroup));
    if (place && *place && event->warp < shape->group_warps) {
        recorder = &(*place)->recorders[event->warp];
        recorder->number = event->number;
        recorder->stream = &(*place)->streams[event->warp];
        recorder->group = *place;
        if (!recorder->words && !(recorder->words = new_words(timing)))
            recorder = NULL;
    }
    timing->failed |= !recorder;
    pthread_mutex_unlock(&timing->lock);
    if (event->sm < shape->host_sms)
        timing->current[event->sm] = recorder;
    return recorder;
}

static inline struct recorder *recorder_of(struct cy_timing *timing, const struct cy_event *event)
{
    struct recorder *recorder = event->sm < timing->model.shape.host_sms ? timing->current[event->sm] : NULL;
    return recorder && recorder->number == event->number ? recorder : find_recorder(timing, event);
}

static uint32_t bits(uint32_t value)
{
    return value ? 32 - (uint32_t)__builtin_clz(value) : 0;
}

static uint32_t operand(const struct cy_event *event, uint16_t reg, uint32_t lane)
{
    return reg < VECTOR_REGISTER ? event->x[reg] : event->v[(reg - VECTOR_REGISTER) * event->lanes + lane];
}

/* A radix-2 divider: a cycle per bit of the quotient, none for those that are known to be 0. */
static uint32_t division_cycles(const struct parameters *p, const struct op *op, const struct cy_event *event,
                                uint32_t lane)
{
    uint32_t a = operand(event, op->dividend, lane), d = operand(event, op->divisor, lane);
    if (d == 0 || (op->is_signed && a == 0x80000000 && d == UINT32_MAX))
        return p->sfu_int_special;
    if (op->is_signed) {
        a = a >> 31 ? -a : a;
        d = d >> 31 ? -d : d;
    }
    return a < d ? p->sfu_int_special + 1 : p->sfu_int_step + bits(a) - bits(d);
}

/* A warp's lanes use the special-function units in steps; a step takes as long as its longest lane, a step without
 * lanes is skipped. */
static uint32_t sfu_cycles(const struct parameters *p, const struct op *op, const struct cy_event *event)
{
    const uint32_t steps = op->is_vector ? 1u << p->sfu_units_shift : 1, width = (event->lanes + steps - 1) / steps;
    uint32_t sum = p->sfu_overhead;
    if (op->sfu == SFU_FP && op->is_vector) { /* all lanes take as long */
        const uint64_t lanes = width < 64 ? (1ull << width) - 1 : UINT64_MAX;
        for (uint32_t lane = 0; lane < event->lanes; lane += width)
            sum += event->active >> lane & lanes ? p->sfu_fp_step : 0;
        return sum;
    }
    for (uint32_t step = 0; step < steps; step++) {
        uint32_t most = 0;
        for (uint32_t lane = step * width; lane < (step + 1) * width && lane < event->lanes; lane++) {
            if (op->is_vector ? !(event->active >> lane & 1) : lane > 0)
                continue;
            const uint32_t cycles = op->sfu == SFU_FP ? p->sfu_fp_step : division_cycles(p, op, event, lane);
            most = cycles > most ? cycles : most;
        }
        sum += most;
    }
    return sum;
}

/* Only for branches to the next instruction, whose path does not show it. */
static bool is_taken(const struct op *op, const struct cy_event *event)
{
    const uint32_t a = event->x[op->source[0] & 63], b = event->x[op->source[1] & 63];
    switch (op->branch) {
    case CY_OP_beq: return a == b;
    case CY_OP_bne: return a != b;
    case CY_OP_blt: return (int32_t)a < (int32_t)b;
    case CY_OP_bge: return (int32_t)a >= (int32_t)b;
    case CY_OP_bltu: return a < b;
    default: return a >= b;
    }
}

/* Accesses to the same bank of shared memory are serialised. */
static uint32_t shared_passes(const struct parameters *p, const uint32_t *address, uint32_t n)
{
    uint8_t counts[64] = {0};
    uint32_t seen[64], count = 0, most = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t word = address[k] / 4, bank = word & (p->shared_banks - 1);
        uint32_t i = 0;
        while (i < count && seen[i] != word)
            i++;
        if (i < count)
            continue;
        seen[count++] = word;
        most = ++counts[bank] > most ? counts[bank] : most;
    }
    return most;
}

static bool is_shared(const struct parameters *p, const uint32_t *address, uint32_t n)
{
    const uint32_t base = p->shared_window ? CY_LDS_BASE : 0;
    const uint32_t size = p->shared_window ? CY_LDS_END - CY_LDS_BASE : p->shared_size;
    for (uint32_t i = 0; i < n; i++) /* most often the first one tells */
        if (address[i] - base >= size)
            return false;
    return true;
}

/* The place of a line; `likely`: a place where it may be; `count`: it is not there. */
static uint32_t place_of(const uint32_t *lines, uint32_t count, uint32_t line, uint32_t likely)
{
    uint32_t i = likely < count && lines[likely] == line ? likely : 0;
    while (i < count && lines[i] != line)
        i++;
    return i;
}

/* Adds lines that are new, in the order of the lanes.  Most lanes are in the line of the one before, or in one that none before was near,
 * modulo 64; or several lanes in a row are in the same lines as a row before. */
static uint32_t add_lines(uint32_t *lines, uint32_t count, const uint32_t *address, uint32_t n, uint32_t shift)
{
    uint32_t last = count ? lines[count - 1] : ~(address[0] >> shift), again = 0;
    uint64_t near = 0;
    for (uint32_t i = 0; i < count; i++)
        near |= 1ull << lines[i] % 64;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t line = address[k] >> shift;
        if (line == last)
            continue;
        last = line;
        if (near >> line % 64 & 1) {
            const uint32_t place = place_of(lines, count, line, again);
            again = place + 1;
            if (place < count)
                continue;
        }
        near |= 1ull << line % 64;
        if (count < MOST_LINES)
            lines[count++] = line;
    }
    return count;
}

/* `n`: at least one lane. */
static void record_access(const struct parameters *p, struct recorder *recorder, const uint32_t *address, uint32_t n)
{
    uint32_t *words = recorder->words + recorder->memory_at, count = words[0] & LINES_COUNT;
    if (is_shared(p, address, n)) {
        const uint32_t passes = shared_passes(p, address, n);
        for (; count < passes && count < MOST_LINES; count++)
            words[1 + count] = 0;
        words[0] = count | LINES_SHARED;
    } else {
        count = add_lines(words + 1, count, address, n, p->l1d_shift);
        words[0] = count;
    }
    recorder->size = recorder->memory_at + 1 + count;
}

/* What has to be said about the instruction that was recorded last. */
static __attribute__((noinline)) void record_more(struct cy_timing *timing, struct recorder *recorder,
                                                  const struct op *op, const struct cy_event *event)
{
    recorder->at_barrier = op->kind == KIND_BARRIER;
    recorder->ended = op->kind == KIND_END;
    if (op->branch && is_taken(op, event))
        recorder->words[recorder->size - 1] |= RECORD_TAKEN;
    if (op->kind == KIND_MEMORY) {
        recorder->memory_at = recorder->size;
        recorder->words[recorder->size++] = 0;
        if (event->ahead && event->ahead_count)
            record_access(&timing->model.p, recorder, event->ahead, event->ahead_count);
    } else if (op->kind == KIND_SFU) {
        recorder->words[recorder->size++] = sfu_cycles(&timing->model.p, op, event);
    } else if (recorder->at_barrier || recorder->ended) {
        flush(timing, recorder);
    }
}

static void watch_before(void *context, const struct cy_event *event)
{
    struct cy_timing *timing = context;
    struct recorder *recorder = recorder_of(timing, event);
    const struct op *op = find_op(timing, event);
    if (!recorder || !op)
        return;
    if (recorder->size + LONGEST_RECORD > RECORDER_WORDS)
        flush(timing, recorder);
    recorder->at_barrier = recorder->ended = false;
    recorder->memory_at = 0;
    recorder->words[recorder->size++] = op->index;
    recorder->records++;
    if (op->has_more)
        record_more(timing, recorder, op, event);
}

/* Accesses that were not told ahead. */
static void watch_memory(void *context, const struct cy_event *event, const struct cy_memory_event *access)
{
    struct cy_timing *timing = context;
    struct recorder *recorder = recorder_of(timing, event);
    uint32_t address[64], n = 0;
    for (uint64_t lanes = access->lanes; lanes; lanes &= lanes - 1)
        address[n++] = (uint32_t)access->address[__builtin_ctzll(lanes)];
    if (recorder && recorder->memory_at && n)
        record_access(&timing->model.p, recorder, address, n);
}

static void watch_group_start(void *context, uint32_t sm, const uint32_t id[3])
{
    struct cy_timing *timing = context;
    (void)sm;
    pthread_mutex_lock(&timing->lock);
    const uint64_t number = group_number(&timing->model.shape, id);
    struct group **place = group_place(timing, number);
    if (!place || !(*place = new_group(timing->model.shape.group_warps)))
        timing->failed = true;
    else
        (*place)->is_skipped = sample_skips(&timing->model, number);
    pthread_mutex_unlock(&timing->lock);
}

/* True: nothing of the workgroup that is still to be executed is needed. */
static bool watch_passes(void *context, const uint32_t id[3])
{
    struct cy_timing *timing = context;
    pthread_mutex_lock(&timing->lock);
    struct group **place = group_place(timing, group_number(&timing->model.shape, id));
    const bool passes = place && *place && (*place)->is_skipped;
    pthread_mutex_unlock(&timing->lock);
    return passes;
}

static void watch_passed(void *context, const uint32_t id[3], uint64_t instructions)
{
    struct cy_timing *timing = context;
    pthread_mutex_lock(&timing->lock);
    struct group **place = group_place(timing, group_number(&timing->model.shape, id));
    if (place && *place)
        (*place)->executed = instructions;
    pthread_mutex_unlock(&timing->lock);
}

static void watch_group_end(void *context, uint32_t sm, const uint32_t id[3])
{
    struct cy_timing *timing = context;
    const struct cy_launch_shape *shape = &timing->model.shape;
    pthread_mutex_lock(&timing->lock);
    const uint64_t number = group_number(shape, id);
    struct group **place = group_place(timing, number);
    if (place && *place) {
        for (unsigned i = 0; i < shape->group_warps; i++) {
            struct recorder *recorder = &(*place)->recorders[i];
            if (recorder->stream)
                hand_over(timing, recorder);
            (*place)->streams[i].complete = true;
        }
        (*place)->ended = true;
        if ((*place)->is_skipped) {
            skip_group(timing, number);
            timing->handed_over = RECORDER_WORDS; /* the model may have waited for it */
        }
    }
    if (sm < shape->host_sms)
        timing->current[sm] = NULL;
    run_model(timing);
    pthread_mutex_unlock(&timing->lock);
}

/* ---- a launch ---- */

static void forget_launch(struct cy_timing *timing)
{
    for (size_t i = 0; i < timing->group_capacity; i++)
        free_group(timing, timing->groups[i]);
    cy_free(timing->groups);
    timing->groups = NULL;
    timing->group_capacity = 0;
    timing->group_base = 0;
    cy_free(timing->current);
    timing->current = NULL;
    model_end(&timing->model);
    forget_code(timing);
}

static void watch_launch(void *context, const struct cy_launch_shape *shape)
{
    struct cy_timing *timing = context;
    pthread_mutex_lock(&timing->lock);
    forget_launch(timing);
    timing->model.shape = *shape;
    timing->current = cy_try_alloc(shape->host_sms * sizeof(timing->current[0]));
    if (!timing->current)
        timing->model.shape.host_sms = 0; /* nothing is looked up there */
    timing->failed = !timing->current || !model_begin(&timing->model);
    pthread_mutex_unlock(&timing->lock);
}

struct cy_observers cy_timing_observers(struct cy_timing *timing)
{
    return (struct cy_observers){.context = timing,
                                 .wants_addresses = true,
                                 .launch = watch_launch,
                                 .before = watch_before,
                                 .ran = watch_before,
                                 .memory = watch_memory,
                                 .workgroup_start = watch_group_start,
                                 .workgroup_end = watch_group_end,
                                 .passes = watch_passes,
                                 .passed = watch_passed};
}

/* The profile of a launch that has ended.  False: no memory. */
static bool keep_pcs(struct cy_timing *timing)
{
    const struct timing_model *model = &timing->model;
    struct cy_timing_pc total = {0};
    uint64_t resident = 0;
    timing->pcs.count = 0;
    for (uint32_t i = 0; model->is_profiled && i < timing->op_count; i++) {
        const struct op *op = model_op(model, i);
        struct cy_timing_pc *row = cy_vec_try_push(&timing->pcs);
        if (!row)
            return false;
        *row = (struct cy_timing_pc){.pc = op->pc,
                                     .size = op->pc + 4 - op->start,
                                     .l1d_requests = op->counts->l1d_requests,
                                     .l1d_hits = op->counts->l1d_hits};
        memcpy(row->cycles, op->counts->cycles, sizeof(row->cycles));
        for (unsigned stall = 0; stall < CY_STALL_COUNT; stall++) {
            total.cycles[stall] += row->cycles[stall];
            resident += row->cycles[stall];
        }
        total.l1d_requests += row->l1d_requests;
        total.l1d_hits += row->l1d_hits;
    }
    const uint64_t slots = (uint64_t)model->sm_count * model->shape.warps;
    total.cycles[CY_STALL_EMPTY] = slots * model->counters.cycles - resident;
    timing->total = total;
    return true;
}

uint64_t cy_timing_finish(struct cy_timing *timing)
{
    pthread_mutex_lock(&timing->lock);
    if (!timing->failed)
        run_far(timing);
    const bool ok = !timing->failed && timing->model.phase == ENDED;
    const uint64_t cycles = ok ? timing->model.counters.cycles : UINT64_MAX;
    const bool kept = !ok || keep_pcs(timing);
    forget_launch(timing);
    pthread_mutex_unlock(&timing->lock);
    return kept ? cycles : UINT64_MAX;
}

void cy_timing_profile(struct cy_timing *timing, const struct cy_timing_events *events)
{
    timing->model.is_profiled = true;
    timing->model.events = events ? *events : (struct cy_timing_events){0};
}

const struct cy_timing_pc *cy_timing_pcs(const struct cy_timing *timing, size_t *count, struct cy_timing_pc *total)
{
    *count = timing->pcs.count;
    if (total)
        *total = timing->total;
    return timing->pcs.at;
}

void cy_timing_sampled(const struct cy_timing *timing, struct cy_timing_sampled *sampled)
{
    *sampled = timing->model.sampled;
}

void cy_timing_describe(const struct cy_timing *timing, char *text, size_t size)
{
    const struct cy_launch_shape *shape = &timing->model.shape;
    char preset[192];
    cy_timing_config_describe(&timing->config, preset, sizeof(preset));
    snprintf(text, size, "%u SM%s x %u warps x %u threads, %s", shape->sms, shape->sms == 1 ? "" : "s", shape->warps,
             shape->threads, preset);
}

bool cy_timing_note(const struct cy_timing *timing, char *text, size_t size)
{
    return sample_note(&timing->model.sampled, text, size);
}

void cy_timing_counters(const struct cy_timing *timing, struct cy_timing_counters *counters)
{
    *counters = timing->model.counters;
}

struct cy_timing *cy_timing_create(const struct cy_timing_config *config)
{
    struct cy_timing *timing = cy_try_alloc(sizeof(*timing));
    if (!timing)
        return NULL;
    timing->code = cy_try_alloc((UINT32_MAX / CODE_PAGE + 1u) * sizeof(timing->code[0]));
    if (!timing->code) {
        cy_free(timing);
        return NULL;
    }
    pthread_mutex_init(&timing->lock, NULL);
    parameters_of(config, &timing->model.p);
    timing->config = *config;
    timing->model.context = timing;
    timing->model.find_group = find_group;
    timing->model.free_group = drop_group;
    timing->model.group_work = group_work;
    return timing;
}

void cy_timing_destroy(struct cy_timing *timing)
{
    if (!timing)
        return;
    forget_launch(timing);
    for (size_t i = 0; i < timing->op_chunks; i++)
        cy_free(timing->model.ops[i]);
    cy_free(timing->model.ops);
    cy_free(timing->code);
    for (size_t i = 0; i < timing->spare.count; i++)
        cy_free(timing->spare.at[i]);
    cy_vec_free(&timing->spare);
    cy_vec_free(&timing->pages);
    cy_vec_free(&timing->pcs);
    pthread_mutex_destroy(&timing->lock);
    cy_free(timing);
}
