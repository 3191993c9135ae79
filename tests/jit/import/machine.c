#include "jit/import/machine.h"

#include "gpu/engine/eval.h"
#include "gpu/engine/levels.h"

#include <stdlib.h>
#include <string.h>

enum { PRIVATE_ROOM = 1 << 24, ALL = CY_READ | CY_WRITE | CY_EXECUTE };
static const uint64_t many = 1u << 28; /* steps */

/* ---- memory ---- */

void *machine_at(const struct machine *machine, uint64_t address)
{
    return cy_memory_host(&machine->memory, address);
}

static bool load_image(struct machine *machine, struct cy_object *program, enum cy_target target)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (size_t i = 0; i < program->segments.count; i++) {
        const struct cy_segment *segment = &program->segments.at[i];
        if (segment->type != 1 || !segment->memory_size)
            continue;
        low = segment->address < low ? segment->address : low;
        high = segment->address + segment->memory_size > high ? segment->address + segment->memory_size : high;
    }
    low &= ~(CY_PAGE_SIZE - 1);
    if (low >= high || !cy_memory_alloc_at(&machine->memory, low, high - low, ALL))
        return false;
    cy_object_copy(program, low, machine_at(machine, low), high - low);
    machine->entry = program->entry;
    machine->code =
        cy_code_build(target, low, machine_at(machine, low), (high - low) & ~3u, machine->run.lanes, cy_level_at(0));
    return machine->code != NULL;
}

static void make_warp(struct machine *machine, struct cy_warp *warp)
{
    warp->run = &machine->run;
    warp->v = cy_try_alloc_aligned(64, (cy_warp_vgpr_bytes(machine->run.lanes) + 63) & ~(size_t)63);
    warp->stack = calloc(machine->run.stack_depth, sizeof(*warp->stack));
}

bool machine_open(struct machine *machine, struct cy_object *program, enum cy_target target, unsigned threads)
{
    struct cy_diags diags = {0};
    memset(machine, 0, sizeof(*machine));
    machine->run = (struct cy_run){.memory = &machine->memory,
                                   .target = target,
                                   .lanes = threads,
                                   .stack_depth = 4 * threads,
                                   .knl = MACHINE_WORDS,
                                   .checking = true};
    if (!cy_memory_init(&machine->memory, 0, &diags) || !load_image(machine, program, target) ||
        !cy_memory_alloc_at(&machine->memory, MACHINE_WORDS, CY_PAGE_SIZE, CY_READ) ||
        !cy_memory_alloc_at(&machine->memory, MACHINE_PRIVATE, PRIVATE_ROOM, CY_READ | CY_WRITE))
        return false;
    machine->run.code = machine->code;
    machine->warps = cy_try_alloc_aligned(64, (MACHINE_WARPS + 1) * sizeof(*machine->warps));
    memset(machine->warps, 0, (MACHINE_WARPS + 1) * sizeof(*machine->warps));
    for (unsigned i = 0; i <= MACHINE_WARPS; i++)
        make_warp(machine, &machine->warps[i]);
    return true;
}

void machine_close(struct machine *machine)
{
    for (unsigned i = 0; machine->warps && i <= MACHINE_WARPS; i++) {
        cy_free(machine->warps[i].v);
        free(machine->warps[i].stack);
    }
    cy_free(machine->warps);
    if (machine->code)
        cy_code_free(machine->code);
    cy_memory_destroy(&machine->memory);
}

/* ---- workgroups ---- */

struct group {
    const struct launch *launch;
    uint32_t at[3], inside[3];
    uint32_t items, warps;
};

static bool is_inside(const struct group *group, uint32_t item)
{
    const uint32_t *local = group->launch->local;
    return item < group->items && item % local[0] < group->inside[0] && item / local[0] % local[1] < group->inside[1] &&
           item / local[0] / local[1] < group->inside[2];
}

static void set_group(struct machine *machine, struct group *group)
{
    const struct launch *launch = group->launch;
    group->items = launch->local[0] * launch->local[1] * launch->local[2];
    group->warps = (group->items + machine->run.lanes - 1) / machine->run.lanes;
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t left = launch->global[i] - group->at[i] * launch->local[i];
        group->inside[i] = left < launch->local[i] ? left : launch->local[i];
    }
    memset(machine->memory.base + MACHINE_LDS, 0, MACHINE_LDS_BYTES);
}

typedef struct ending run_group(struct machine *machine, const struct group *group, void *context);

static struct ending run_all(struct machine *machine, const struct launch *launch, run_group *run, void *context)
{
    struct ending ending = {.is_done = true};
    struct group group = {.launch = launch};
    uint32_t groups[3];
    for (unsigned i = 0; i < 3; i++)
        groups[i] = (launch->global[i] + launch->local[i] - 1) / launch->local[i];
    for (uint32_t n = 0; n < groups[0] * groups[1] * groups[2] && ending.is_done; n++) {
        group.at[0] = n % groups[0];
        group.at[1] = n / groups[0] % groups[1];
        group.at[2] = n / groups[0] / groups[1];
        set_group(machine, &group);
        ending = run(machine, &group, context);
    }
    return ending;
}

/* ---- by the interpreter ---- */

static void set_identity(struct machine *machine, const struct group *group, struct cy_warp *warp, uint32_t number)
{
    warp->numw = group->warps;
    warp->numt = machine->run.lanes;
    warp->knl = MACHINE_WORDS;
    warp->tid = number * machine->run.lanes;
    warp->wid = number;
    warp->wgid = 0;
    warp->lds = MACHINE_LDS;
    warp->pds = MACHINE_PRIVATE;
    memcpy(warp->gid, group->at, sizeof(warp->gid));
    warp->lds_size = MACHINE_LDS_BYTES;
    warp->pds_size = group->launch->private_bytes;
}

static void start_warp(struct machine *machine, const struct group *group, uint32_t number)
{
    struct cy_warp *warp = &machine->warps[number];
    const unsigned threads = machine->run.lanes;
    uint64_t exists = 0;
    for (unsigned i = 0; i < threads; i++)
        exists |= (uint64_t)is_inside(group, number * threads + i) << i;
    cy_warp_start(warp, machine->entry, exists);
    set_identity(machine, group, warp, number);
    warp->stop = exists ? CY_STOP_BARRIER : CY_STOP_END;
}

static struct ending interpret_group(struct machine *machine, const struct group *group, void *context)
{
    (void)context;
    for (uint32_t w = 0; w < group->warps; w++)
        start_warp(machine, group, w);
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (uint32_t w = 0; w < group->warps; w++) {
            struct cy_warp *warp = &machine->warps[w];
            if (warp->stop == CY_STOP_END)
                continue;
            enum cy_stop stop;
            while ((stop = cy_warp_run(warp, many)) == CY_STOP_PRINT)
                warp->print = 0;
            if (stop == CY_STOP_FAULT)
                return (struct ending){.has_faulted = true, .pc = warp->fault.pc, .why = "a fault"};
            if (stop == CY_STOP_BUDGET)
                return (struct ending){.why = "it does not end"};
            warp->stop = (uint8_t)stop;
            goes_on |= stop == CY_STOP_BARRIER;
        }
    }
    return (struct ending){.is_done = true};
}

struct ending machine_interpret(struct machine *machine, const struct launch *launch)
{
    return run_all(machine, launch, interpret_group, NULL);
}

/* ---- as strip IR ---- */

struct evaluation {
    struct machine *machine;
    const struct group *group;
    struct cy_sir_func *func;
};

static uint8_t *find(const struct evaluation *e, uint64_t address, uint64_t size, uint8_t rights)
{
    const bool is_local = address >= MACHINE_LDS && address + size <= (uint64_t)MACHINE_LDS + MACHINE_LDS_BYTES;
    if (is_local)
        return e->machine->memory.base + address;
    return cy_memory_allows(&e->machine->memory, address, size, rights) ? machine_at(e->machine, address) : NULL;
}

static bool read_bytes(void *context, uint64_t address, void *bytes, uint32_t size)
{
    const uint8_t *from = address & (size - 1) ? NULL : find(context, address, size, CY_READ);
    if (from)
        memcpy(bytes, from, size);
    return from;
}

static bool write_bytes(void *context, uint64_t address, const void *bytes, uint32_t size)
{
    uint8_t *to = address & (size - 1) ? NULL : find(context, address, size, CY_WRITE);
    if (to)
        memcpy(to, bytes, size);
    return to;
}

static bool check(void *context, uint64_t address, uint64_t size, uint32_t rights)
{
    return find(context, address, size, (uint8_t)rights);
}

static uint64_t row(void *context, uint32_t op, unsigned bits, unsigned rounding, uint64_t a, uint64_t b, uint64_t d)
{
    struct cy_eval e = {.fp = {.rm = (uint8_t)rounding}};
    (void)context;
    return cy_eval((enum cy_op)op, bits)(&e, a, b, d);
}

static bool interpret(void *context, const struct cy_sir_access *access, uint32_t *x, uint32_t *v, uint64_t mask,
                      uint32_t item)
{
    struct evaluation *e = context;
    struct cy_warp *warp = &e->machine->warps[MACHINE_WARPS];
    const unsigned threads = e->machine->run.lanes;
    const size_t bytes = 256 * threads * sizeof(*v);
    cy_warp_start(warp, access->pc, mask);
    set_identity(e->machine, e->group, warp, item / threads);
    memcpy(warp->x, x, 64 * sizeof(*x));
    memcpy(warp->v, v, bytes);
    cy_warp_refresh(warp);
    e->machine->interpreted++;
    if (cy_warp_run(warp, 1) == CY_STOP_FAULT)
        return false;
    memcpy(x, warp->x, 64 * sizeof(*x));
    memcpy(v, warp->v, bytes);
    return true;
}

static struct ending evaluate_group(struct machine *machine, const struct group *group, void *context)
{
    struct cy_sir_func *func = context;
    struct evaluation e = {machine, group, func};
    struct cy_sir_fault fault = {0};
    struct cy_sir_machine on = {.context = &e,
                                .read = read_bytes,
                                .write = write_bytes,
                                .check = check,
                                .row = row,
                                .interpret = interpret,
                                .metadata = MACHINE_WORDS,
                                .lds = MACHINE_LDS,
                                .pds = MACHINE_PRIVATE,
                                .most_steps = many,
                                .junk = 1};
    memcpy(on.group, group->at, sizeof(on.group));
    memcpy(on.inside, group->inside, sizeof(on.inside));
    const enum cy_sir_outcome outcome = cy_sir_evaluate(func, &on, &fault);
    struct ending ending = {.is_done = outcome == CY_SIR_DONE, .has_faulted = outcome == CY_SIR_FAULTED};
    ending.why = fault.why ? fault.why : outcome == CY_SIR_FAULTED ? "a fault" : "it does not end";
    if (fault.access < func->accesses.count)
        ending.pc = func->accesses.at[fault.access].pc;
    return ending;
}

/* A strip is a warp. */
struct ending machine_evaluate(struct machine *machine, const struct launch *launch, struct cy_sir_func *func)
{
    func->strip.lanes = func->strip.width = func->threads;
    func->strip.row = func->strip.items;
    return run_all(machine, launch, evaluate_group, func);
}
