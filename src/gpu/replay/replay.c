/* Runs a recorded launch the way the recorder did: workgroups one after the other, one instruction per warp in
 * round-robin order (lowest warp first), all lanes active, every workgroup at the same local and private memory.
 *
 * Unspecified behaviour of the recorder is reproduced: the ranges for local memory and for the program are mapped as a
 * whole and keep their contents from workgroup to workgroup; a warp starts with the values that the boot code left in
 * x5, x10 and x11; mstatus has the vector unit on; a prefix takes a turn of its own; of the warps that meet at a
 * barrier the last one continues at once, the others a turn later. */
#include "gpu/replay/replay.h"

#include "gpu/device/machine.h"

#include <inttypes.h>
#include <string.h>

#define BOOT_X11 0x1020u
#define MSTATUS_VECTOR 0x80000600u
#define MAX_CODE_BYTES (64u << 20)
#define OPCODE_MASK 0x7fu
#define PREFIX_OPCODE 0x200bu /* regext; the other prefixes of gen1 share its opcode */

/* The machine that recorded launches are made for, as its public RTL is. */
#define RECORDED_SMS 2
#define RECORDED_WARPS 8

struct cy_replay {
    struct cy_replay_options options;
    struct cy_memory memory;
    struct cy_symbol_table *symbols;
    CY_VEC(struct cy_recorded_buffer) buffers;
    /* of the launch that runs */
    struct replay_warp *warps;
    unsigned warp_count, lanes;
};

struct replay_warp {
    struct cy_warp warp;
    enum { RUNS, WAITS, PASSES, ENDED } state;
    bool prefix_done; /* the prefix of its next instruction has had its turn */
};

static void no_memory(void *unused)
{
    (void)unused;
    cy_mem_fail();
}

static void make_symbols(void *argument)
{
    struct cy_replay *replay = argument;
    replay->symbols = cy_symbols_create(replay->options.program);
}

struct cy_replay *cy_replay_create(const struct cy_replay_options *options, struct cy_diags *diags)
{
    struct cy_replay *replay = cy_try_alloc(sizeof(*replay));
    if (!replay)
        cy_diags_try(diags, no_memory, NULL);
    if (!replay || !cy_memory_init(&replay->memory, 0, diags)) {
        cy_free(replay);
        return NULL;
    }
    replay->options = *options;
    const uint8_t all = CY_READ | CY_WRITE | CY_EXECUTE;
    if (!cy_memory_protect(&replay->memory, CY_LDS_BASE, CY_BUFFER_BASE - CY_LDS_BASE, all)) {
        cy_diags_try(diags, no_memory, NULL);
        cy_replay_free(replay);
        return NULL;
    }
    if (options->program && !cy_diags_try(diags, make_symbols, replay)) {
        replay->symbols = NULL;
        cy_replay_free(replay);
        return NULL;
    }
    return replay;
}

static void free_warps(struct cy_replay *replay)
{
    for (unsigned i = 0; i < replay->warp_count; i++) {
        cy_free(replay->warps[i].warp.v);
        cy_free(replay->warps[i].warp.stack);
    }
    cy_free(replay->warps);
    replay->warps = NULL;
    replay->warp_count = 0;
}

void cy_replay_free(struct cy_replay *replay)
{
    free_warps(replay);
    cy_symbols_free(replay->symbols);
    cy_vec_free(&replay->buffers);
    cy_memory_destroy(&replay->memory);
    cy_free(replay);
}

size_t cy_replay_buffer_count(const struct cy_replay *replay)
{
    return replay->buffers.count;
}
struct cy_recorded_buffer cy_replay_buffer(const struct cy_replay *replay, size_t index)
{
    return replay->buffers.at[index];
}
const uint8_t *cy_replay_bytes(const struct cy_replay *replay, uint32_t address)
{
    return replay->memory.base + address;
}

/* ---- memory ---- */

static bool map_range(struct cy_replay *replay, uint64_t base, uint64_t size)
{
    const uint32_t first = (uint32_t)base & ~(CY_PAGE_SIZE - 1);
    uint64_t end = (base + size + CY_PAGE_SIZE - 1) & ~(uint64_t)(CY_PAGE_SIZE - 1);
    if (end > 1ull << 32)
        end = 1ull << 32;
    return end <= first || cy_memory_protect(&replay->memory, first, end - first, CY_READ | CY_WRITE | CY_EXECUTE);
}

static bool remember(struct cy_replay *replay, struct cy_recorded_buffer buffer)
{
    for (size_t i = 0; i < replay->buffers.count; i++) {
        if (replay->buffers.at[i].base == buffer.base) {
            replay->buffers.at[i] = buffer;
            return true;
        }
    }
    struct cy_recorded_buffer *fresh = cy_vec_try_push(&replay->buffers);
    if (fresh)
        *fresh = buffer;
    return fresh != NULL;
}

static bool load(struct cy_replay *replay, const struct cy_recording *recording)
{
    const uint32_t *words = recording->data.at;
    bool ok = true;
    if (replay->options.program) {
        const struct cy_object *program = replay->options.program;
        for (size_t i = 0; i < program->segments.count; i++)
            if (program->segments.at[i].type == 1) /* PT_LOAD */
                ok = map_range(replay, program->segments.at[i].address, program->segments.at[i].memory_size) && ok;
        if (ok)
            cy_image_copy(program, &replay->memory);
    }
    for (size_t i = 0; ok && i < recording->buffers.count; i++) {
        const struct cy_recorded_buffer *buffer = &recording->buffers.at[i];
        ok = map_range(replay, buffer->base, buffer->allocated) && remember(replay, *buffer);
        if (ok && buffer->size)
            memcpy(replay->memory.base + buffer->base, words, buffer->size);
        words += (buffer->size + 3) / 4;
    }
    uint64_t private_bytes = (uint64_t)recording->threads * recording->warps * recording->pds_bytes;
    return ok && map_range(replay, 0, replay->options.low_bytes) &&
           map_range(replay, recording->pds_base, private_bytes);
}

/* The code around the start: the buffers and segments there, without the empty range after them. */
struct building {
    const struct cy_replay *replay;
    const struct cy_recording *recording;
    struct cy_code *code; /* NULL: none */
};

static void build_code(void *argument)
{
    struct building *building = argument;
    const struct cy_replay *replay = building->replay;
    const struct cy_recording *recording = building->recording;
    uint64_t low = recording->start_pc, high = low;
    for (bool grown = true; grown;) {
        grown = false;
        const struct cy_object *program = replay->options.program;
        size_t segments = program ? program->segments.count : 0;
        for (size_t i = 0; i < replay->buffers.count + segments; i++) {
            uint64_t start, end;
            if (i < replay->buffers.count) {
                start = replay->buffers.at[i].base;
                end = start + replay->buffers.at[i].size; /* a recorder allocates the whole range for the program */
            } else {
                start = program->segments.at[i - replay->buffers.count].address;
                end = start + program->segments.at[i - replay->buffers.count].memory_size;
            }
            if (start <= high && end >= low && (start < low || end > high) && end > start) {
                low = start < low ? start : low;
                high = end > high ? end : high;
                grown = true;
            }
        }
    }
    low = (low + 3) & ~3ull;
    if (high <= low || recording->start_pc & 3)
        return;
    if (high - low > MAX_CODE_BYTES) {
        low = recording->start_pc;
        high = high - low > MAX_CODE_BYTES ? low + MAX_CODE_BYTES : high;
    }
    building->code = cy_code_build(CY_GEN1, (uint32_t)low, replay->memory.base + low, (uint32_t)(high - low) & ~3u,
                                   recording->threads, cy_level_best());
}

/* ---- observers ---- */

struct watch {
    const struct cy_observers *observers;
    const struct cy_observer *other; /* the engine's own; NULL: none */
};

static void watch_before(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    const struct watch *watch = context;
    if (watch->other && watch->other->before)
        watch->other->before(watch->other->context, warp, pc, insn);
    if (watch->observers->before) {
        struct cy_event event;
        cy_watch_event(&event, 0, warp, pc, insn);
        watch->observers->before(watch->observers->context, &event);
    }
}

static void watch_retired(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    const struct watch *watch = context;
    if (watch->other && watch->other->retired)
        watch->other->retired(watch->other->context, warp, pc, insn);
    if (watch->observers->retired) {
        struct cy_event event;
        cy_watch_event(&event, 0, warp, pc, insn);
        watch->observers->retired(watch->observers->context, &event);
    }
}

static void watch_branch(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                         uint64_t taken, uint64_t active)
{
    const struct watch *watch = context;
    if (watch->other && watch->other->branch)
        watch->other->branch(watch->other->context, warp, pc, insn, taken, active);
    if (watch->observers->branch) {
        struct cy_event event;
        cy_watch_event(&event, 0, warp, pc, insn);
        event.active = active;
        watch->observers->branch(watch->observers->context, &event, taken);
    }
}

static void watch_barrier(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    const struct watch *watch = context;
    if (watch->other && watch->other->barrier)
        watch->other->barrier(watch->other->context, warp, pc, insn);
    if (watch->observers->barrier) {
        struct cy_event event;
        cy_watch_event(&event, 0, warp, pc, insn);
        watch->observers->barrier(watch->observers->context, &event);
    }
}

static void watch_memory(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                         const struct cy_memory_access *access)
{
    const struct watch *watch = context;
    if (watch->other && watch->other->memory)
        watch->other->memory(watch->other->context, warp, pc, insn, access);
    if (watch->observers->memory) {
        struct cy_event event;
        cy_watch_event(&event, 0, warp, pc, insn);
        const struct cy_memory_event memory = {access->kind & CY_READ, access->kind & CY_WRITE, access->size,
                                               access->lanes,          access->address,         access->value};
        watch->observers->memory(watch->observers->context, &event, &memory);
    }
}

static void tell_launch(const struct cy_observers *observers, const struct cy_recording *recording)
{
    const uint32_t warps = recording->warps > RECORDED_WARPS ? recording->warps : RECORDED_WARPS;
    const struct cy_launch_shape shape = {.sms = RECORDED_SMS,
                                          .warps = warps,
                                          .threads = recording->threads,
                                          .host_sms = 1,
                                          .grid = {recording->grid[0], recording->grid[1], recording->grid[2]},
                                          .group_warps = recording->warps,
                                          .resident_groups = warps / recording->warps};
    if (observers->launch)
        observers->launch(observers->context, &shape);
}

/* ---- running ---- */

static bool make_warps(struct cy_replay *replay, const struct cy_recording *recording, unsigned stack_depth)
{
    if (replay->warp_count == recording->warps && replay->lanes == recording->threads)
        return true;
    free_warps(replay);
    replay->warps = cy_try_alloc(recording->warps * sizeof(replay->warps[0]));
    if (!replay->warps)
        return false;
    replay->warp_count = recording->warps;
    replay->lanes = recording->threads;
    for (unsigned i = 0; i < replay->warp_count; i++) {
        struct cy_warp *warp = &replay->warps[i].warp;
        warp->v = cy_try_alloc_aligned(64, cy_warp_vgpr_bytes(recording->threads));
        warp->stack = cy_try_alloc(stack_depth * sizeof(warp->stack[0]));
        if (!warp->v || !warp->stack) {
            free_warps(replay);
            return false;
        }
    }
    return true;
}

static void start_group(struct cy_replay *replay, const struct cy_recording *recording, const struct cy_run *run,
                        uint64_t number)
{
    for (unsigned wid = 0; wid < replay->warp_count; wid++) {
        struct cy_warp *warp = &replay->warps[wid].warp;
        replay->warps[wid].state = RUNS;
        replay->warps[wid].prefix_done = false;
        warp->run = run;
        cy_warp_start(warp, recording->start_pc, run->lanes == 64 ? UINT64_MAX : (1ull << run->lanes) - 1);
        warp->x[5] = recording->start_pc;
        warp->x[10] = wid;
        warp->x[11] = BOOT_X11;
        warp->mstatus = MSTATUS_VECTOR;
        warp->tid = wid * run->lanes;
        warp->numw = recording->warps;
        warp->wid = wid;
        warp->wgid = (uint32_t)number;
        warp->lds = CY_LDS_BASE;
        warp->lds_size = CY_LDS_END - CY_LDS_BASE;
        warp->pds = recording->pds_base;
        warp->pds_size = 0;
        warp->gid[0] = (uint32_t)(number % recording->grid[0]);
        warp->gid[1] = (uint32_t)(number / recording->grid[0] % recording->grid[1]);
        warp->gid[2] = (uint32_t)(number / recording->grid[0] / recording->grid[1]);
        warp->number = (uint32_t)(number * replay->warp_count + wid);
    }
}

/* Does the instruction at pc have a prefix, which takes a turn first? */
static bool takes_prefix_turn(struct cy_replay *replay, struct replay_warp *at)
{
    uint32_t word;
    struct cy_insn insn;
    if (at->prefix_done)
        return false;
    memcpy(&word, replay->memory.base + (at->warp.pc & ~3u), sizeof(word)); /* any address may be read, mapped or not */
    if ((word & OPCODE_MASK) != (PREFIX_OPCODE & OPCODE_MASK))
        return false; /* avoids decoding nearly all others */
    at->prefix_done = cy_decode_word(CY_GEN1, word, &insn) && cy_insns[insn.op].flags & CY_F_PREFIX;
    return at->prefix_done;
}

/* Once all live warps have arrived: the last one continues at once, the others spend their next turn on passing. */
static void pass_barrier(struct cy_replay *replay, struct replay_warp *last, struct cy_replay_counts *counts)
{
    bool passed = false;
    for (unsigned i = 0; i < replay->warp_count; i++)
        if (replay->warps[i].state == RUNS || replay->warps[i].state == PASSES)
            return;
    for (unsigned i = 0; i < replay->warp_count; i++)
        if (replay->warps[i].state == WAITS) {
            replay->warps[i].state = PASSES;
            passed = true;
        }
    counts->barriers += passed;
    if (last->state == PASSES)
        last->state = RUNS;
}

struct description {
    const struct cy_replay *replay;
    const struct cy_warp *warp;
    struct cy_buf *message;
};

static void describe_fault(void *argument)
{
    const struct description *fault = argument;
    cy_fault_describe(fault->message, fault->warp, &fault->warp->fault, fault->replay->symbols, CY_GEN1);
}

static void put_fault(const struct cy_replay *replay, const struct cy_warp *warp, struct cy_buf *message)
{
    const struct cy_buf before = *message;
    struct description fault = {replay, warp, message};
    if (!cy_mem_try(describe_fault, &fault)) {
        cy_buf_undo(message, before);
        cy_buf_try_printf(message, "fault: %s\n", cy_fault_text(warp->fault.kind));
    }
}

/* False: a fault, described in `message`. */
static bool step(struct cy_replay *replay, struct replay_warp *at, struct cy_buf *message)
{
    if (at->state == PASSES) {
        at->state = RUNS;
        return true;
    }
    if (takes_prefix_turn(replay, at))
        return true;
    at->prefix_done = false;
    switch (cy_warp_run(&at->warp, 1)) {
    case CY_STOP_BUDGET: break;
    case CY_STOP_BARRIER: at->state = WAITS; break;
    case CY_STOP_END: at->state = ENDED; break;
    case CY_STOP_PRINT: at->warp.print = 0; break;
    case CY_STOP_FAULT: put_fault(replay, &at->warp, message); return false;
    }
    return true;
}

static bool run_group(struct cy_replay *replay, struct cy_replay_counts *counts, struct cy_buf *message)
{
    uint64_t limit = replay->options.watchdog_instructions;
    for (unsigned live = replay->warp_count; live;) {
        live = 0;
        for (unsigned i = 0; i < replay->warp_count; i++) {
            struct replay_warp *at = &replay->warps[i];
            if (at->state == WAITS || at->state == ENDED)
                continue;
            uint64_t before = at->warp.retired;
            if (!step(replay, at, message))
                return false;
            counts->instructions += at->warp.retired - before;
            if (at->state == WAITS || at->state == ENDED)
                pass_barrier(replay, at, counts);
        }
        for (unsigned i = 0; i < replay->warp_count; i++)
            live += replay->warps[i].state != ENDED;
        if (limit && counts->instructions > limit) {
            cy_buf_try_printf(message, "fault: %s: more than %" PRIu64 " instructions\n",
                              cy_fault_text(CY_FAULT_WATCHDOG), limit);
            return false;
        }
    }
    return true;
}

bool cy_replay_run(struct cy_replay *replay, const struct cy_recording *recording, const struct cy_observer *observer,
                   struct cy_replay_counts *counts, struct cy_buf *message)
{
    *counts = (struct cy_replay_counts){0};
    if (!load(replay, recording)) {
        cy_buf_try_printf(message, "error: the host has no memory for the buffers\n");
        return false;
    }
    struct building building = {.replay = replay, .recording = recording};
    if (!cy_mem_try(build_code, &building)) {
        cy_buf_try_printf(message, "error: the host has no memory for the code\n");
        return false;
    }
    struct cy_code *code = building.code;
    if (!code) {
        cy_buf_try_printf(message, "error: no code at the start address 0x%08x\n", recording->start_pc);
        return false;
    }
    const struct cy_observers none = {0}, *observers = replay->options.observers ? replay->options.observers : &none;
    struct watch watch = {observers, observer};
    const struct cy_observer watcher = {.context = &watch,
                                        .before = watch_before,
                                        .retired = watch_retired,
                                        .memory = watch_memory,
                                        .branch = watch_branch,
                                        .barrier = watch_barrier};
    struct cy_run run = {
        .memory = &replay->memory,
        .code = code,
        .target = CY_GEN1,
        .lanes = recording->threads,
        .stack_depth = 2 * recording->threads + 64, /* the recorder's stack is unbounded */
        .knl = recording->knl,
        .mask_per_lane = replay->options.mask_per_lane,
        .scalar_atomics = replay->options.scalar_atomics,
        .checking = replay->options.checking,
        .observer = replay->options.observers ? &watcher : observer,
    };
    uint64_t groups = (uint64_t)recording->grid[0] * recording->grid[1] * recording->grid[2];
    bool ok = make_warps(replay, recording, run.stack_depth);
    if (!ok)
        cy_buf_try_printf(message, "error: the host has no memory for the warps\n");
    if (ok)
        tell_launch(observers, recording);
    for (uint64_t number = 0; ok && number < groups; number++) {
        start_group(replay, recording, &run, number);
        const uint32_t *id = replay->warps[0].warp.gid;
        if (observers->workgroup_start)
            observers->workgroup_start(observers->context, 0, id);
        ok = run_group(replay, counts, message);
        if (ok && observers->workgroup_end)
            observers->workgroup_end(observers->context, 0, id);
        counts->workgroups += ok;
    }
    cy_code_free(code);
    return ok;
}
