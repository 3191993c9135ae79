/* Recording launches: the observers of the machine and of the cycle model, and the chunks that they fill.
 *
 * Memory is bounded: a warp that runs and a warp slot of the model each have a chunk, which goes to the file when it is full.  Each
 * chunk is complete in itself: it begins from an empty state.  The only thing that grows is the number of instructions of each
 * warp, four bytes, until the limit is reached. */
#include "view/view_priv.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "abi/abi.h"
#include "base/json.h"

enum { CHUNK_BYTES = 6144, CHUNK_RECORDS = 8192 }; /* a chunk goes out when it reaches one of them */

struct chunk {
    struct cy_buf body;
    uint32_t records;
};
struct recorder { /* a warp that the machine runs */
    bool is_used;
    uint32_t number, warp, sm;
    uint64_t group;
    uint64_t first, count; /* instructions: before the chunk, so far */
    struct chunk chunk;
    size_t current; /* where the last instruction's flags are; SIZE_MAX: none */
    size_t access;  /* the same of its last access */
    /* what the last record left */
    uint32_t next_pc, rpc;
    uint64_t active, base;
    uint32_t depth;
    struct cy_simt_entry *stack;
};
struct slot { /* a warp slot of the model */
    bool is_used;
    uint64_t group, begin, end; /* of the chunk: first and next cycle */
    uint32_t warp;
    uint64_t first, ordinal; /* before the chunk, of the last stretch */
    struct chunk chunk;
};

struct cy_view_writer {
    pthread_mutex_t lock;
    FILE *file;
    int error; /* of writing; -1: no memory */
    uint64_t limit, instructions, left_out;
    uint32_t launches;
    CY_VEC(const void *) programs; /* keys */
    struct cy_buf scratch;
};

struct cy_view_launch {
    struct cy_view_writer *writer;
    uint32_t number, program;
    char *kernel;
    struct cy_view_info info; /* sizes only */
    struct cy_buf buffers;    /* JSON */
    struct cy_launch_shape shape;
    struct recorder *recorders; /* by SM and place */
    struct recorder **current;  /* by SM */
    struct slot *slots;         /* by SM and slot */
    CY_VEC(uint32_t) counts;    /* instructions recorded, by number of the warp: workgroup * warps + warp */
    uint64_t instructions;
    struct cy_observers others;
    struct cy_timing_events also;
    bool stopped; /* no memory: nothing more is recorded */
};

/* ---- the file ---- */

uint32_t view_crc(uint32_t crc, const void *bytes, size_t size)
{
    static const uint32_t nibbles[16] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
                                         0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                         0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    const unsigned char *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        crc = crc >> 4 ^ nibbles[crc & 15];
        crc = crc >> 4 ^ nibbles[crc & 15];
    }
    return ~crc;
}

static void put(struct cy_view_writer *writer, const void *bytes, size_t size)
{
    if (!writer->error && fwrite(bytes, 1, size, writer->file) != size)
        writer->error = errno ? errno : EIO;
}

/* A chunk of two pieces. */
static void put_chunk(struct cy_view_writer *writer, const char *type, const struct cy_buf *head,
                      const struct cy_buf *body)
{
    unsigned char frame[VIEW_CHUNK];
    memcpy(frame, type, 4);
    view_put32(frame + 4, (uint32_t)(head->size + (body ? body->size : 0)));
    uint32_t crc = view_crc(0, frame, 8);
    crc = view_crc(crc, head->data, head->size);
    if (body)
        crc = view_crc(crc, body->data, body->size);
    view_put32(frame + 8, crc);
    put(writer, frame, sizeof(frame));
    put(writer, head->data, head->size);
    if (body)
        put(writer, body->data, body->size);
}

static void no_memory(struct cy_view_writer *writer)
{
    writer->error = writer->error ? writer->error : -1;
}

/* ---- numbers ---- */

static size_t encode(unsigned char bytes[10], uint64_t value)
{
    size_t count = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[count++] = (unsigned char)(value | 0x80);
    bytes[count++] = (unsigned char)value;
    return count;
}

/* The caller has reserved the room. */
static void number(struct cy_buf *out, uint64_t value)
{
    out->size += encode((unsigned char *)out->data + out->size, value);
}
static void byte(struct cy_buf *out, unsigned value)
{
    out->data[out->size++] = (char)value;
}
/* Distances of code are multiples of 4. */
static void distance(struct cy_buf *out, uint32_t to, uint32_t from)
{
    number(out, view_zigzag((int32_t)(to - from) / 4));
}

/* ---- instructions ---- */

static void flush_recorder(struct cy_view_launch *launch, struct recorder *recorder)
{
    struct cy_view_writer *writer = launch->writer;
    struct cy_buf *head = &writer->scratch;
    if (recorder->chunk.records) {
        head->size = 0;
        if (cy_buf_try_reserve(head, 64)) {
            number(head, launch->number);
            number(head, recorder->group);
            number(head, recorder->warp);
            number(head, recorder->sm);
            number(head, recorder->first);
            number(head, recorder->chunk.records);
            put_chunk(writer, "WARP", head, &recorder->chunk.body);
        } else {
            no_memory(writer);
        }
    }
    recorder->first = recorder->count;
    recorder->chunk.body.size = recorder->chunk.records = 0;
    recorder->current = recorder->access = SIZE_MAX;
    recorder->next_pc = recorder->rpc = recorder->depth = 0;
    recorder->active = recorder->base = 0;
}

static uint64_t group_number(const struct cy_launch_shape *shape, const uint32_t id[3])
{
    return id[0] + (uint64_t)shape->grid[0] * (id[1] + (uint64_t)shape->grid[1] * id[2]);
}

/* The place of a warp's count, made if it is new; NULL: no memory. */
static uint32_t *count_of(struct cy_view_launch *launch, uint64_t group, uint32_t warp)
{
    const uint64_t index = group * launch->shape.group_warps + warp;
    while (launch->counts.count <= index) {
        uint32_t *count = cy_vec_try_push(&launch->counts);
        if (!count)
            return NULL;
        *count = 0;
    }
    return &launch->counts.at[index];
}

static struct recorder *find_recorder(struct cy_view_launch *launch, const struct cy_event *event)
{
    struct recorder *free_one = NULL, *row = launch->recorders + (size_t)event->sm * launch->shape.warps;
    for (uint32_t i = 0; i < launch->shape.warps; i++) {
        if (row[i].is_used && row[i].number == event->number)
            return &row[i];
        if (!row[i].is_used && !free_one)
            free_one = &row[i];
    }
    if (!free_one)
        return NULL;
    const struct recorder kept = *free_one;
    *free_one = (struct recorder){.is_used = true,
                                  .number = event->number,
                                  .warp = event->warp,
                                  .sm = event->sm,
                                  .group = group_number(&launch->shape, event->workgroup),
                                  .chunk.body = kept.chunk.body,
                                  .stack = kept.stack};
    free_one->chunk.body.size = 0;
    free_one->current = free_one->access = SIZE_MAX;
    return free_one;
}

static void put_stack(struct recorder *recorder, uint32_t pc, const struct cy_event *event)
{
    struct cy_buf *out = &recorder->chunk.body;
    uint32_t keep = 0;
    while (keep < recorder->depth && keep < event->depth &&
           !memcmp(&recorder->stack[keep], &event->stack[keep], sizeof(event->stack[0])))
        keep++;
    number(out, keep);
    number(out, event->depth - keep);
    for (uint32_t i = keep; i < event->depth; i++) {
        distance(out, event->stack[i].rpc, pc);
        distance(out, event->stack[i].pc, pc);
        number(out, event->stack[i].mask);
        recorder->stack[i] = event->stack[i];
    }
    recorder->depth = event->depth;
}

static bool is_same_stack(const struct recorder *recorder, const struct cy_event *event)
{
    return recorder->depth == event->depth &&
           (!event->depth || !memcmp(recorder->stack, event->stack, event->depth * sizeof(event->stack[0])));
}

static bool record(struct recorder *recorder, const struct cy_event *event)
{
    struct cy_buf *out = &recorder->chunk.body;
    const bool wide = event->prefix != 0;
    const uint32_t pc = event->pc - (wide ? 4 : 0);
    const bool stack = !is_same_stack(recorder, event);
    if (!cy_buf_try_reserve(out, 64 + (stack ? 32 * (size_t)event->depth : 0)))
        return false;
    if (stack && event->depth > recorder->depth) {
        struct cy_simt_entry *bigger = cy_try_realloc(recorder->stack, event->depth * sizeof(bigger[0]));
        if (!bigger)
            return false;
        recorder->stack = bigger;
    }
    recorder->current = out->size;
    recorder->access = SIZE_MAX;
    byte(out, (pc != recorder->next_pc ? INSN_JUMP : 0) | (event->active != recorder->active ? INSN_MASK : 0) |
                  (stack ? INSN_STACK : 0) | (wide ? INSN_WIDE : 0) | (event->rpc != recorder->rpc ? INSN_RPC : 0));
    if (pc != recorder->next_pc)
        distance(out, pc, recorder->next_pc);
    if (event->active != recorder->active)
        number(out, event->active ^ recorder->active);
    if (event->rpc != recorder->rpc)
        distance(out, event->rpc, pc);
    if (stack)
        put_stack(recorder, pc, event);
    recorder->next_pc = pc + (wide ? 8 : 4);
    recorder->active = event->active;
    recorder->rpc = event->rpc;
    recorder->chunk.records++;
    recorder->count++;
    return true;
}

static struct recorder *recorder_of(struct cy_view_launch *launch, const struct cy_event *event)
{
    if (event->sm >= launch->shape.host_sms || launch->stopped)
        return NULL;
    struct recorder **current = &launch->current[event->sm];
    if (!*current || (*current)->number != event->number || !(*current)->is_used)
        *current = find_recorder(launch, event);
    return *current;
}

static void take_before(struct cy_view_launch *launch, const struct cy_event *event)
{
    struct cy_view_writer *writer = launch->writer;
    pthread_mutex_lock(&writer->lock);
    struct recorder *recorder = recorder_of(launch, event);
    if (recorder && writer->instructions >= writer->limit) {
        recorder->current = SIZE_MAX;
        writer->left_out++;
    } else if (recorder) {
        uint32_t *count = count_of(launch, recorder->group, recorder->warp);
        if (recorder->chunk.body.size >= CHUNK_BYTES || recorder->chunk.records >= CHUNK_RECORDS)
            flush_recorder(launch, recorder);
        if (count && record(recorder, event)) {
            ++*count;
            launch->instructions++;
            writer->instructions++;
        } else {
            launch->stopped = true;
            no_memory(writer);
        }
    }
    pthread_mutex_unlock(&writer->lock);
}

/* ---- accesses ---- */

/* Is there one distance from each lane to the next? */
static bool find_stride(const struct cy_memory_event *access, int64_t *stride)
{
    const unsigned first = (unsigned)__builtin_ctzll(access->lanes);
    const uint64_t rest = access->lanes & (access->lanes - 1);
    *stride = 0;
    if (!rest)
        return true;
    const unsigned second = (unsigned)__builtin_ctzll(rest);
    const int64_t whole = (int64_t)(access->address[second] - access->address[first]);
    if (whole % (int64_t)(second - first))
        return false;
    *stride = whole / (int64_t)(second - first);
    for (uint64_t lanes = rest; lanes; lanes &= lanes - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(lanes);
        if (access->address[lane] != access->address[first] + (uint64_t)(*stride * (int64_t)(lane - first)))
            return false;
    }
    return true;
}

static bool record_access(struct recorder *recorder, const struct cy_memory_event *access)
{
    struct cy_buf *out = &recorder->chunk.body;
    int64_t stride;
    if (!cy_buf_try_reserve(out, 64 + 10 * VIEW_MOST_LANES))
        return false;
    const bool regular = find_stride(access, &stride);
    const unsigned pattern = !regular ? PATTERN_ANY
                             : stride ? PATTERN_STRIDE
                                      : PATTERN_SAME,
                   first = (unsigned)__builtin_ctzll(access->lanes);
    unsigned size = 0;
    while (size < 3 && 1u << size < access->size)
        size++;
    if (recorder->access == SIZE_MAX)
        out->data[recorder->current] = (char)(out->data[recorder->current] | INSN_MEMORY);
    else
        out->data[recorder->access] = (char)(out->data[recorder->access] | ACCESS_MORE);
    recorder->access = out->size;
    byte(out, (access->read ? ACCESS_READ : 0) | (access->write ? ACCESS_WRITE : 0) |
                  (access->lanes != recorder->active ? ACCESS_LANES : 0) | size << 4 | pattern << 6);
    if (access->lanes != recorder->active)
        number(out, access->lanes);
    number(out, view_zigzag((int64_t)(access->address[first] - recorder->base)));
    recorder->base = access->address[first];
    if (pattern == PATTERN_STRIDE)
        number(out, view_zigzag(stride));
    uint64_t last = access->address[first];
    for (uint64_t lanes = access->lanes & (access->lanes - 1); pattern == PATTERN_ANY && lanes; lanes &= lanes - 1) {
        const uint64_t address = access->address[__builtin_ctzll(lanes)];
        number(out, view_zigzag((int64_t)(address - last)));
        last = address;
    }
    return true;
}

static void take_memory(struct cy_view_launch *launch, const struct cy_event *event,
                        const struct cy_memory_event *access)
{
    pthread_mutex_lock(&launch->writer->lock);
    struct recorder *recorder = recorder_of(launch, event);
    if (recorder && recorder->current != SIZE_MAX && access->lanes && !record_access(recorder, access)) {
        launch->stopped = true;
        no_memory(launch->writer);
    }
    pthread_mutex_unlock(&launch->writer->lock);
}

/* ---- cycles ---- */

static void flush_slot(struct cy_view_launch *launch, struct slot *slot)
{
    struct cy_view_writer *writer = launch->writer;
    struct cy_buf *head = &writer->scratch;
    const size_t place = (size_t)(slot - launch->slots);
    if (slot->chunk.records) {
        head->size = 0;
        if (cy_buf_try_reserve(head, 96)) {
            number(head, launch->number);
            number(head, slot->group);
            number(head, slot->warp);
            number(head, place / launch->shape.warps);
            number(head, place % launch->shape.warps);
            number(head, slot->begin);
            number(head, slot->first);
            number(head, slot->chunk.records);
            put_chunk(writer, "TIME", head, &slot->chunk.body);
        } else {
            no_memory(writer);
        }
    }
    slot->chunk.body.size = slot->chunk.records = 0;
    slot->is_used = false;
}

static bool is_recorded(const struct cy_view_launch *launch, const struct cy_timing_event *event)
{
    const uint64_t index = event->group * launch->shape.group_warps + event->warp;
    return index < launch->counts.count && event->ordinal < launch->counts.at[index];
}

static void add_stretch(struct cy_view_launch *launch, const struct cy_timing_event *event)
{
    struct slot *slot = &launch->slots[(size_t)event->sm * launch->shape.warps + event->slot];
    if (slot->is_used && (slot->group != event->group || slot->warp != event->warp || slot->end != event->begin ||
                          slot->chunk.body.size >= CHUNK_BYTES || slot->chunk.records >= CHUNK_RECORDS))
        flush_slot(launch, slot);
    if (!is_recorded(launch, event))
        return;
    if (!cy_buf_try_reserve(&slot->chunk.body, 32)) {
        no_memory(launch->writer);
        return;
    }
    if (!slot->is_used) {
        slot->is_used = true;
        slot->group = event->group;
        slot->warp = event->warp;
        slot->begin = event->begin;
        slot->first = slot->ordinal = event->ordinal;
    }
    const int64_t step = (int64_t)(event->ordinal - slot->ordinal);
    const uint64_t length = event->end - event->begin;
    const unsigned code = step == 0 ? STEP_NONE : step == 1 ? STEP_NEXT : step == -1 ? STEP_BACK : STEP_ANY;
    byte(&slot->chunk.body, (unsigned)event->stall | code << 4 | (length < 4 ? (unsigned)length : 0) << 6);
    if (code == STEP_ANY)
        number(&slot->chunk.body, view_zigzag(step));
    if (length >= 4)
        number(&slot->chunk.body, length);
    slot->chunk.records++;
    slot->ordinal = event->ordinal;
    slot->end = event->end;
}

static void on_cycles(void *context, const struct cy_timing_event *event)
{
    struct cy_view_launch *launch = context;
    pthread_mutex_lock(&launch->writer->lock);
    if (!launch->stopped && event->sm < launch->shape.sms && event->slot < launch->shape.warps)
        add_stretch(launch, event);
    pthread_mutex_unlock(&launch->writer->lock);
    if (launch->also.cycles)
        launch->also.cycles(launch->also.context, event);
}
static void on_done(void *context, const struct cy_timing_event *event)
{
    const struct cy_view_launch *launch = context;
    launch->also.done(launch->also.context, event);
}

struct cy_timing_events cy_view_events(struct cy_view_launch *launch, const struct cy_timing_events *also)
{
    if (also)
        launch->also = *also;
    return (struct cy_timing_events){
        .context = launch, .cycles = on_cycles, .done = launch->also.done ? on_done : NULL};
}

/* ---- launches ---- */

struct text_job {
    struct cy_buf out;
    const struct cy_view_writer *writer;
    const struct cy_view_launch *launch;
    const struct cy_view_info *info;
    const struct cy_config *config;
    const struct cy_timing_config *timing;
    uint64_t cycles;
    const char *message;
};

/* Writes what `run` leaves in its job, as a chunk. */
static void put_json(struct cy_view_writer *writer, const char *type, void (*run)(void *job), struct text_job *job)
{
    if (!cy_mem_try(run, job)) { /* which has freed the text */
        no_memory(writer);
        return;
    }
    put_chunk(writer, type, &job->out, NULL);
    cy_buf_free(&job->out);
}

static void member(struct cy_json *json, const char *key, uint64_t value)
{
    cy_json_key(json, key);
    cy_json_uint(json, value);
}
static void members(struct cy_json *json, const char *key, const uint32_t *values, unsigned count)
{
    cy_json_key(json, key);
    cy_json_begin(json, '[');
    for (unsigned i = 0; i < count; i++)
        cy_json_uint(json, values[i]);
    cy_json_end(json);
}

static void machine_text(void *argument)
{
    struct text_job *job = argument;
    struct cy_json json = {.out = &job->out};
    cy_json_begin(&json, '{');
    member(&json, "sms", job->config->sms);
    member(&json, "warps", job->config->warps);
    member(&json, "threads", job->config->threads);
    member(&json, "local_base", CY_LDS_BASE);
    member(&json, "local_end", CY_LDS_END);
    if (job->timing) {
        struct cy_timing_parameter row;
        cy_json_key(&json, "timing");
        cy_json_begin(&json, '{');
        for (size_t i = 0; cy_timing_parameter(job->timing, i, &row); i++)
            member(&json, row.name, row.value);
        cy_json_end(&json);
    }
    cy_json_end(&json);
}

static void program_text(void *argument)
{
    struct text_job *job = argument;
    view_program(&job->out, job->info);
}

static void buffers_text(void *argument)
{
    struct text_job *job = argument;
    struct cy_json json = {.out = &job->out};
    cy_json_begin(&json, '[');
    for (size_t i = 0; i < job->info->buffer_count; i++) {
        cy_json_begin(&json, '{');
        cy_json_key(&json, "name");
        cy_json_string(&json, job->info->buffers[i].name ? job->info->buffers[i].name : "");
        member(&json, "address", job->info->buffers[i].address);
        member(&json, "size", job->info->buffers[i].size);
        cy_json_end(&json);
    }
    cy_json_end(&json);
}

static void launch_text(void *argument)
{
    struct text_job *job = argument;
    const struct cy_view_launch *launch = job->launch;
    struct cy_json json = {.out = &job->out};
    cy_json_begin(&json, '{');
    member(&json, "launch", launch->number);
    member(&json, "program", launch->program);
    cy_json_key(&json, "kernel");
    cy_json_string(&json, launch->kernel);
    members(&json, "global", launch->info.global, 3);
    members(&json, "local", launch->info.local, 3);
    members(&json, "grid", launch->shape.grid, 3);
    member(&json, "group_warps", launch->shape.group_warps);
    member(&json, "resident_groups", launch->shape.resident_groups);
    member(&json, "sms", launch->shape.sms);
    member(&json, "warps", launch->shape.warps);
    member(&json, "threads", launch->shape.threads);
    cy_json_key(&json, "buffers");
    cy_buf_append(&job->out, launch->buffers.data, launch->buffers.size);
    cy_buf_puts(&job->out, "}");
}

static void done_text(void *argument)
{
    struct text_job *job = argument;
    struct cy_json json = {.out = &job->out};
    cy_json_begin(&json, '{');
    member(&json, "launch", job->launch->number);
    member(&json, "instructions", job->launch->instructions);
    cy_json_key(&json, "cycles");
    if (job->cycles == UINT64_MAX)
        cy_json_null(&json);
    else
        cy_json_uint(&json, job->cycles);
    cy_json_key(&json, "message");
    cy_json_string(&json, job->message ? job->message : "");
    cy_json_end(&json);
}

static void end_text(void *argument)
{
    struct text_job *job = argument;
    struct cy_json json = {.out = &job->out};
    cy_json_begin(&json, '{');
    member(&json, "launches", job->writer->launches);
    member(&json, "instructions", job->writer->instructions);
    member(&json, "left_out", job->writer->left_out);
    cy_json_end(&json);
}

static bool take_shape(struct cy_view_launch *launch, const struct cy_launch_shape *shape)
{
    launch->shape = *shape;
    launch->recorders = cy_try_alloc((size_t)shape->host_sms * shape->warps * sizeof(launch->recorders[0]));
    launch->current = cy_try_alloc(shape->host_sms * sizeof(launch->current[0]));
    launch->slots = cy_try_alloc((size_t)shape->sms * shape->warps * sizeof(launch->slots[0]));
    return launch->recorders && launch->current && launch->slots;
}

/* Launches are numbered as they appear in the file: of several queues' launches, one that was enqueued later may start first. */
static void put_launch(struct cy_view_launch *launch)
{
    launch->number = launch->writer->launches++;
    put_json(launch->writer, "LNCH", launch_text, &(struct text_job){.launch = launch});
}

static void take_launch(struct cy_view_launch *launch, const struct cy_launch_shape *shape)
{
    struct cy_view_writer *writer = launch->writer;
    pthread_mutex_lock(&writer->lock);
    launch->stopped = !take_shape(launch, shape);
    if (launch->stopped)
        no_memory(writer);
    put_launch(launch);
    pthread_mutex_unlock(&writer->lock);
}

static void take_group_end(struct cy_view_launch *launch, uint32_t sm, const uint32_t id[3])
{
    pthread_mutex_lock(&launch->writer->lock);
    const uint64_t group = group_number(&launch->shape, id);
    for (uint32_t i = 0; !launch->stopped && sm < launch->shape.host_sms && i < launch->shape.warps; i++) {
        struct recorder *recorder = &launch->recorders[(size_t)sm * launch->shape.warps + i];
        if (!recorder->is_used || recorder->group != group)
            continue;
        flush_recorder(launch, recorder);
        recorder->is_used = false;
    }
    pthread_mutex_unlock(&launch->writer->lock);
}

/* ---- observers: ours, then the others ---- */

#define OTHERS(function, ...)                                                                                          \
    do {                                                                                                               \
        const struct cy_observers *others = &((const struct cy_view_launch *)context)->others;                         \
        if (others->function)                                                                                          \
            others->function(others->context, __VA_ARGS__);                                                            \
    } while (0)

static void watch_launch(void *context, const struct cy_launch_shape *shape)
{
    take_launch(context, shape);
    OTHERS(launch, shape);
}
static void watch_before(void *context, const struct cy_event *event)
{
    take_before(context, event);
    OTHERS(before, event);
}
static void watch_memory(void *context, const struct cy_event *event, const struct cy_memory_event *access)
{
    take_memory(context, event, access);
    OTHERS(memory, event, access);
}
static void watch_group_end(void *context, uint32_t sm, const uint32_t id[3])
{
    take_group_end(context, sm, id);
    OTHERS(workgroup_end, sm, id);
}
static void watch_group_start(void *context, uint32_t sm, const uint32_t id[3])
{
    OTHERS(workgroup_start, sm, id);
}
static void watch_retired(void *context, const struct cy_event *event)
{
    OTHERS(retired, event);
}
static void watch_branch(void *context, const struct cy_event *event, uint64_t taken)
{
    OTHERS(branch, event, taken);
}
static void watch_barrier(void *context, const struct cy_event *event)
{
    OTHERS(barrier, event);
}
static void watch_fault(void *context, const struct cy_fault_info *fault)
{
    OTHERS(fault, fault);
}

struct cy_observers cy_view_observers(struct cy_view_launch *launch, const struct cy_observers *also)
{
    if (also)
        launch->others = *also;
    return (struct cy_observers){.context = launch,
                                 .launch = watch_launch,
                                 .before = watch_before,
                                 .retired = launch->others.retired ? watch_retired : NULL,
                                 .memory = watch_memory,
                                 .branch = launch->others.branch ? watch_branch : NULL,
                                 .barrier = launch->others.barrier ? watch_barrier : NULL,
                                 .workgroup_start = watch_group_start,
                                 .workgroup_end = watch_group_end,
                                 .fault = launch->others.fault ? watch_fault : NULL};
}

static void free_launch(struct cy_view_launch *launch)
{
    for (size_t i = 0; launch->recorders && i < (size_t)launch->shape.host_sms * launch->shape.warps; i++) {
        cy_buf_free(&launch->recorders[i].chunk.body);
        cy_free(launch->recorders[i].stack);
    }
    for (size_t i = 0; launch->slots && i < (size_t)launch->shape.sms * launch->shape.warps; i++)
        cy_buf_free(&launch->slots[i].chunk.body);
    cy_free(launch->recorders);
    cy_free(launch->current);
    cy_free(launch->slots);
    cy_free(launch->kernel);
    cy_buf_free(&launch->buffers);
    cy_vec_free(&launch->counts);
    cy_free(launch);
}

bool cy_view_knows(const struct cy_view_writer *writer, const void *key)
{
    for (size_t i = 0; i < writer->programs.count; i++)
        if (writer->programs.at[i] == key)
            return true;
    return false;
}

/* The program's number; it is written if it is new. */
static bool find_program(struct cy_view_writer *writer, const struct cy_view_info *info, uint32_t *index)
{
    for (*index = 0; *index < writer->programs.count; ++*index)
        if (writer->programs.at[*index] == info->key)
            return true;
    const void **key = cy_vec_try_push(&writer->programs);
    if (!key)
        return false;
    *key = info->key;
    put_json(writer, "PROG", program_text, &(struct text_job){.info = info});
    return true;
}

struct cy_view_launch *cy_view_begin(struct cy_view_writer *writer, const struct cy_view_info *info)
{
    struct cy_view_launch *launch = cy_try_alloc(sizeof(*launch));
    const size_t length = strlen(info->kernel);
    struct text_job buffers = {.info = info};
    pthread_mutex_lock(&writer->lock);
    bool ok = launch && (launch->kernel = cy_try_alloc(length + 1)) && find_program(writer, info, &launch->program) &&
              cy_mem_try(buffers_text, &buffers);
    if (ok) {
        memcpy(launch->kernel, info->kernel, length);
        memcpy(launch->info.global, info->global, sizeof(info->global));
        memcpy(launch->info.local, info->local, sizeof(info->local));
        launch->buffers = buffers.out;
        launch->writer = writer;
    } else {
        no_memory(writer);
        if (launch)
            free_launch(launch);
        launch = NULL;
    }
    pthread_mutex_unlock(&writer->lock);
    return launch;
}

void cy_view_end(struct cy_view_launch *launch, uint64_t cycles, const char *message)
{
    struct cy_view_writer *writer = launch->writer;
    pthread_mutex_lock(&writer->lock);
    for (size_t i = 0;
         !launch->stopped && launch->recorders && i < (size_t)launch->shape.host_sms * launch->shape.warps; i++)
        if (launch->recorders[i].is_used)
            flush_recorder(launch, &launch->recorders[i]);
    for (size_t i = 0; !launch->stopped && launch->slots && i < (size_t)launch->shape.sms * launch->shape.warps; i++)
        flush_slot(launch, &launch->slots[i]);
    if (!launch->shape.sms) /* it did not start */
        put_launch(launch);
    put_json(writer, "DONE", done_text, &(struct text_job){.launch = launch, .cycles = cycles, .message = message});
    free_launch(launch);
    pthread_mutex_unlock(&writer->lock);
}

/* ---- the writer ---- */

struct cy_view_writer *cy_view_open(FILE *file, const struct cy_config *config, const struct cy_timing_config *timing,
                                    uint64_t limit)
{
    struct cy_view_writer *writer = cy_try_alloc(sizeof(*writer));
    unsigned char version[4];
    if (!writer)
        return NULL;
    pthread_mutex_init(&writer->lock, NULL);
    writer->file = file;
    writer->limit = limit;
    view_put32(version, VIEW_VERSION);
    put(writer, VIEW_MAGIC, sizeof(VIEW_MAGIC) - 1);
    put(writer, version, sizeof(version));
    put_json(writer, "MACH", machine_text, &(struct text_job){.config = config, .timing = timing});
    return writer;
}

uint64_t cy_view_left_out(const struct cy_view_writer *writer)
{
    return writer->left_out;
}

bool cy_view_close(struct cy_view_writer *writer)
{
    put_json(writer, "END ", end_text, &(struct text_job){.writer = writer});
    if (!writer->error && fflush(writer->file) != 0)
        writer->error = errno ? errno : EIO;
    const int error = writer->error;
    cy_vec_free(&writer->programs);
    cy_buf_free(&writer->scratch);
    pthread_mutex_destroy(&writer->lock);
    cy_free(writer);
    errno = error < 0 ? 0 : error;
    return !error;
}
