/* A streaming multiprocessor: its resident workgroups and the scheduling of their warps.
 *
 * While a launch runs, an SM belongs to one host thread; only faults and prints take a lock. */
#include "gpu/device/machine.h"
#include "gpu/device/translated.h"

#include <assert.h>
#include <string.h>

/* ---- life ---- */

static bool pool_init(struct cy_pool *pool, uint32_t size, uint32_t granule, uint32_t slots)
{
    pool->size = size / granule * granule;
    pool->granule = granule;
    pool->used = cy_try_alloc((slots + 1) * sizeof(pool->used[0]));
    return pool->used != NULL;
}

bool cy_sm_init(struct cy_sm *sm, struct cy_device *device, unsigned index)
{
    const struct cy_config *config = &device->config;
    memset(sm, 0, sizeof(*sm));
    sm->device = device;
    sm->index = index;
    sm->slots = cy_try_alloc(config->warps * sizeof(sm->slots[0]));
    sm->groups = cy_try_alloc(config->workgroups * sizeof(sm->groups[0]));
    if (!sm->slots || !sm->groups)
        return false;
    for (unsigned i = 0; i < config->warps; i++) {
        sm->slots[i].sm = sm;
        sm->slots[i].index = i;
    }
    for (unsigned i = 0; i < config->workgroups; i++)
        sm->groups[i].slot = i;
    return pool_init(&sm->lds, config->lds_bytes, CY_LDS_GRANULE, config->workgroups);
}

void cy_sm_destroy(struct cy_sm *sm)
{
    for (unsigned i = 0; i < sm->stored; i++) {
        cy_free(sm->slots[i].warp.v);
        cy_free(sm->slots[i].warp.stack);
        cy_paths_destroy(&sm->slots[i]);
    }
    cy_free(sm->slots);
    cy_free(sm->groups);
    cy_free(sm->lds.used);
    cy_translated_leave(sm);
    if (sm->tlb)
        cy_tlb_free(sm->tlb);
}

/* A new warp takes the lowest free slot, so that only the first slots ever need storage. */
static bool give_storage(struct cy_sm *sm, unsigned warps)
{
    const struct cy_config *config = &sm->device->config;
    for (; sm->stored < warps; sm->stored++) {
        struct cy_warp *warp = &sm->slots[sm->stored].warp;
        warp->v = cy_try_alloc_aligned(64, cy_warp_vgpr_bytes(config->threads));
        warp->stack = cy_try_alloc(config->stack_depth * sizeof(warp->stack[0]));
        if (!warp->v || !warp->stack) {
            cy_free(warp->v);
            cy_free(warp->stack);
            warp->v = NULL;
            warp->stack = NULL;
            return false;
        }
    }
    return true;
}

/* What all warps of a launch in this slot have in common. */
static void prepare_slot(struct cy_warp_slot *slot, struct cy_launch *launch)
{
    const struct cy_sm *sm = slot->sm;
    struct cy_warp *warp = &slot->warp;
    warp->run = &launch->run;
    warp->tlb = launch->run.ptbr ? sm->tlb : NULL;
    warp->counts = NULL;
    warp->looks = false;
    warp->owner = slot;
    cy_warp_prepare(warp);
    warp->numw = launch->warps;
    warp->lds_size = launch->needs.of[CY_RES_LDS];
    warp->pds_size = launch->pds_bytes;
    cy_paths_clear(slot);
    if (launch->run.keeps_scalars)
        cy_paths_give(warp);
}

/* The first slots become those of a launch. */
static bool prepare_slots(struct cy_sm *sm, struct cy_launch *launch, unsigned warps)
{
    const struct cy_config *config = &sm->device->config;
    const unsigned most = warps < config->warps ? warps : config->warps;
    if (!give_storage(sm, most))
        return false;
    for (; sm->prepared < most; sm->prepared++)
        prepare_slot(&sm->slots[sm->prepared], launch);
    return true;
}

bool cy_sm_reset(struct cy_sm *sm, struct cy_launch *launch, unsigned warps)
{
    const struct cy_config *config = &sm->device->config;
    sm->prepared = 0;
    if (!prepare_slots(sm, launch, warps))
        return false;
    for (unsigned i = 0; i < config->workgroups; i++)
        sm->groups[i].live = false;
    sm->live_groups = sm->live_warps = 0;
    sm->occupied = sm->ready = 0;
    sm->lds.used_count = 0;
    sm->fresh = (struct cy_figures){0};
    sm->quiet_turns = 0;
    sm->most_groups = sm->most_warps = 0;
    sm->next_slot = 0;
    sm->chosen = 0;
    sm->is_waiting = false;
    sm->at_once = 0;
    sm->counter = NULL;
    if (sm->tlb)
        cy_tlb_flush(sm->tlb);
    return true;
}

/* ---- workgroups ---- */

struct cy_workgroup *cy_sm_reserve(struct cy_sm *sm, const struct cy_launch *launch)
{
    const struct cy_config *config = &sm->device->config;
    const uint32_t *need = launch->needs.of;
    if (sm->live_warps + need[CY_RES_WARPS] > config->warps || sm->live_groups >= launch->slots_per_sm)
        return NULL;
    struct cy_workgroup *group = sm->groups;
    while (group->live)
        group++; /* slots_per_sm <= config.workgroups, so one is free */
    /* Ranges of registers need no list: all workgroups here need the same, so that no hole is too small, and slots_per_sm of
     * them fit. */
    if (!cy_pool_take(&sm->lds, need[CY_RES_LDS], &group->lds))
        return NULL;
    group->live = true;
    sm->live_groups++;
    return group;
}

void cy_sm_release(struct cy_sm *sm, const struct cy_launch *launch, struct cy_workgroup *group)
{
    cy_pool_give(&sm->lds, group->lds, launch->needs.of[CY_RES_LDS]);
    group->live = false;
    sm->live_groups--;
}

/* How much of a workgroup is inside the NDRange; false: not all of it. */
static bool is_whole(const struct cy_launch *launch, const struct cy_workgroup *group, uint32_t inside[3])
{
    bool whole = true;
    for (unsigned i = 0; i < 3; i++) {
        uint64_t left = launch->global[i] - (uint64_t)group->id[i] * launch->local[i];
        inside[i] = left < launch->local[i] ? (uint32_t)left : launch->local[i];
        whole &= inside[i] == launch->local[i];
    }
    return whole;
}

/* Which of the `count` lanes of a warp from work-item `first` on are work-items of the NDRange, in a workgroup at its border of which
 * `inside` is left.  Local ids follow from the uniform local size, so the missing work-items are holes, not a shorter numbering. */
static uint64_t lanes_inside(const uint32_t *local, uint64_t first, unsigned count, const uint32_t *inside)
{
    uint64_t mask = 0;
    for (unsigned lane = 0; lane < count; lane++) {
        uint64_t item = first + lane;
        uint32_t x = (uint32_t)(item % local[0]), y = (uint32_t)(item / local[0] % local[1]);
        uint32_t z = (uint32_t)(item / local[0] / local[1]);
        if (x < inside[0] && y < inside[1] && z < inside[2])
            mask |= 1ull << lane;
    }
    return mask;
}

void cy_sm_write_view(const struct cy_launch *launch, const struct cy_memory *memory, uint32_t view, uint32_t print,
                      uint32_t lds)
{
    uint32_t *metadata = (uint32_t *)(void *)(memory->base + view);
    metadata[CY_KNL_ARG_BASE / 4] = view + CY_METADATA_BYTES;
    metadata[CY_KNL_PRINT_ADDR / 4] = print;
    uint32_t local = lds + launch->locals_offset;
    for (size_t i = 0; i < launch->arguments.locals.count; i++) {
        const struct cy_local_argument *argument = &launch->arguments.locals.at[i];
        memcpy(memory->base + view + CY_METADATA_BYTES + argument->offset, &local, sizeof(local));
        local += (argument->size + CY_LDS_GRANULE - 1) & ~(CY_LDS_GRANULE - 1u);
    }
}

/* This warp's own metadata and arguments, when they differ from warp to warp. */
static void write_view(const struct cy_launch *launch, struct cy_warp_slot *slot, uint32_t lds)
{
    const struct cy_device *device = slot->sm->device;
    slot->warp.knl = launch->constants + (slot->sm->index * device->config.warps + slot->index) * launch->view_bytes;
    cy_sm_write_view(launch, launch->memory, slot->warp.knl, launch->print_bytes ? cy_print_buffer(launch, slot) : 0,
                     lds);
}

/* What the warps of a workgroup have in common. */
struct group_start {
    uint32_t first_warp;           /* the number of its first warp in the launch */
    struct cy_insn_counts *counts; /* NULL: not counted */
    bool looks;
    uint32_t entry, lds, pds;
};

/* Starts a warp in the lowest free slot and returns the slot as a bit. */
static uint64_t start_warp(struct cy_sm *sm, struct cy_launch *launch, struct cy_workgroup *group,
                           const struct group_start *start, unsigned wid, uint64_t mask)
{
    struct cy_warp_slot *slot = &sm->slots[__builtin_ctzll(~sm->occupied)];
    struct cy_warp *warp = &slot->warp;
    assert(slot->index < sm->stored && "cy_sm_reset was told how many warps there can be");
    slot->group = group;
    slot->waited = 0;
    sm->occupied |= 1ull << slot->index;
    if (launch->controller) /* it may have changed what they have in common */
        prepare_slot(slot, launch);
    warp->counts = start->counts;
    warp->looks = start->looks;
    if (launch->views)
        write_view(launch, slot, start->lds);
    warp->tid = wid * launch->run.lanes;
    warp->wid = wid;
    warp->wgid = group->slot;
    warp->lds = start->lds;
    warp->pds = start->pds;
    memcpy(warp->gid, group->id, sizeof(warp->gid));
    warp->number = start->first_warp + wid;
    warp->run = &launch->run;
    cy_warp_begin(warp, start->entry, mask);
    return 1ull << slot->index;
}

/* The workgroup's position in the grid.  On some processors a 64-bit division takes as long as a dozen guest
 * instructions: most grids need none. */
void cy_sm_locate(const uint32_t grid[3], uint64_t number, uint32_t id[3])
{
    uint64_t row = 0, slice = 0;
    if (number < grid[0]) {
        /* the first row: the whole of a one-dimensional grid */
    } else if (number <= UINT32_MAX) {
        row = (uint32_t)number / grid[0];
        slice = (uint32_t)row / grid[1];
    } else {
        row = number / grid[0];
        slice = row / grid[1];
    }
    id[0] = (uint32_t)(number - row * grid[0]);
    id[1] = (uint32_t)(row - slice * grid[1]);
    id[2] = (uint32_t)slice;
}

/* Clears its local memory.  The stacks at its start are not cleared: nothing reads them before writing. */
static uint32_t give_local_memory(struct cy_sm *sm, const struct cy_launch *launch, const struct cy_workgroup *group)
{
    const uint32_t stacks = launch->stack_bytes * launch->warps, rest = launch->needs.of[CY_RES_LDS] - stacks;
    const uint32_t lds = CY_LDS_BASE + sm->index * cy_config_lds_slice(&sm->device->config) + group->lds;
    if (rest)
        memset(launch->memory->base + lds + stacks, 0, rest);
    return lds;
}

void cy_sm_start(struct cy_sm *sm, struct cy_launch *launch, struct cy_workgroup *group, uint64_t number)
{
    const unsigned threads = launch->run.lanes, warps = launch->warps;
    bool is_sample = false;
    cy_sm_locate(launch->grid, number, group->id);
    const struct group_start start = {
        .first_warp = (uint32_t)(number * warps),
        .counts = launch->counts ? cy_sm_counts(sm, launch, number, &is_sample) : NULL,
        .looks = launch->counts && cy_sm_next_looked(launch, number) == number,
        .entry = launch->program->object.entry,
        .lds = give_local_memory(sm, launch, group),
        .pds = launch->pds + (sm->index * launch->slots_per_sm + group->slot) * warps * threads * launch->pds_bytes,
    };
    if (launch->observers.workgroup_start)
        launch->observers.workgroup_start(launch->observers.context, sm->index, group->id);
    uint32_t inside[3];
    const uint32_t *local = launch->local;
    const bool whole = is_whole(launch, group, inside);
    const uint64_t items = (uint64_t)local[0] * local[1] * local[2];
    uint64_t members = 0, inside_count = 0;
    for (unsigned wid = 0; wid < warps; wid++) {
        const uint64_t first = (uint64_t)wid * threads, left = items - first;
        const unsigned count = (unsigned)(left < threads ? left : threads);
        uint64_t mask = UINT64_MAX >> (64 - count);
        if (!whole) {
            mask = lanes_inside(local, first, count, inside);
            inside_count += (unsigned)__builtin_popcountll(mask);
        }
        if (mask) /* a warp without work-items counts as ended */
            members |= start_warp(sm, launch, group, &start, wid, mask);
    }
    group->members = members;
    group->warps = (unsigned)__builtin_popcountll(members);
    group->waiting = 0;
    group->scattered = false;
    group->passed = false;
    group->retired = 0;
    sm->ready |= members;
    sm->fresh.counted += start.counts && !is_sample;
    sm->fresh.sampled += is_sample;
    sm->live_warps += group->warps;
    sm->fresh.warps += group->warps;
    sm->fresh.items += whole ? items : inside_count;
    if (sm->live_groups > sm->most_groups)
        sm->most_groups = sm->live_groups;
    if (sm->live_warps > sm->most_warps)
        sm->most_warps = sm->live_warps;
}

/* ---- barriers and termination ---- */

/* Releases the barrier once every live warp has arrived. */
static void check_barrier(struct cy_sm *sm, struct cy_launch *launch, struct cy_workgroup *group)
{
    if (!group->waiting || group->waiting < group->warps)
        return;
    if (group->scattered && launch->run.checking) {
        cy_report_deadlock(launch, sm, group);
        return;
    }
    atomic_thread_fence(memory_order_seq_cst); /* for readers on other SMs; the warps of this one share a host thread */
    sm->ready |= group->members;
    group->waiting = 0;
    group->scattered = false;
    sm->fresh.barriers++;
}

/* `is_scattered`: the lanes of the warp are at different ones. */
static inline void wait_at_barrier(struct cy_sm *sm, struct cy_launch *launch, struct cy_warp_slot *slot,
                                   bool is_scattered)
{
    struct cy_workgroup *group = slot->group;
    sm->ready &= ~(1ull << slot->index);
    slot->barrier_pc = slot->warp.pc - 4;
    group->scattered |= is_scattered;
    group->scattered |= group->waiting && group->barrier_pc != slot->barrier_pc;
    group->barrier_pc = slot->barrier_pc;
    group->waiting++;
    check_barrier(sm, launch, group);
}

static void add_lanes(struct cy_lane_counters *sum, const struct cy_lane_counters *more)
{
    sum->vectors += more->vectors;
    sum->partial += more->partial;
    sum->active += more->active;
    sum->branches += more->branches;
    sum->splits += more->splits;
}

static inline void end_warp(struct cy_sm *sm, struct cy_launch *launch, struct cy_warp_slot *slot)
{
    struct cy_workgroup *group = slot->group;
    if (launch->print_bytes)
        cy_print_drain(launch, slot);
    if (launch->run.counting)
        add_lanes(&sm->fresh.lanes, &slot->warp.lanes);
    sm->occupied &= ~(1ull << slot->index);
    sm->ready &= ~(1ull << slot->index);
    group->members &= ~(1ull << slot->index);
    group->warps--;
    group->retired += slot->warp.retired;
    sm->live_warps--;
    if (group->warps) {
        check_barrier(sm, launch, group);
        return;
    }
    if (group->passed && launch->observers.passed)
        launch->observers.passed(launch->observers.context, group->id, group->retired);
    if (launch->observers.workgroup_end)
        launch->observers.workgroup_end(launch->observers.context, sm->index, group->id);
    cy_sm_release(sm, launch, group);
    sm->fresh.groups++;
}

/* ---- turns ---- */

bool cy_sm_is_alone(const struct cy_launch *launch)
{
    return !launch->print_bytes && !launch->controller && !launch->run.observer && !launch->observers.workgroup_end &&
           !launch->observers.fault;
}

/* What happens a few times for every warp of a small kernel is one function. */
#define ALWAYS_INLINE static inline __attribute__((always_inline))

ALWAYS_INLINE enum cy_stop run_warp(const struct cy_launch *launch, struct cy_warp *warp, uint64_t budget)
{
    if (launch->run.start)
        return cy_warp_run_plain(warp, budget);
    return launch->alone ? cy_warp_run_inside(warp, budget) : cy_warp_run(warp, budget);
}

/* The warp has paths, or has not just come to a barrier or its end: a function of its own, so that the usual way saves no registers for
 * it. */
static __attribute__((noinline)) void stop_otherwise(struct cy_sm *sm, struct cy_launch *launch,
                                                     struct cy_warp_slot *slot, enum cy_stop stop, uint64_t ran)
{
    bool is_scattered = false;
    switch (stop) {
    case CY_STOP_BUDGET: cy_paths_ran(launch, slot, ran); break;
    case CY_STOP_BARRIER:
        if (cy_paths_arrive(launch, slot, &is_scattered))
            wait_at_barrier(sm, launch, slot, is_scattered);
        break;
    case CY_STOP_END:
        switch (cy_paths_end(launch, slot, &is_scattered)) {
        case CY_PATH_LAST: end_warp(sm, launch, slot); break;
        case CY_PATH_BARRIER: wait_at_barrier(sm, launch, slot, is_scattered); break;
        case CY_PATH_NEXT: break;
        }
        break;
    case CY_STOP_FAULT:
        if (slot->warp.fault.kind != CY_FAULT_PAUSED)
            cy_report_fault(launch, sm, slot, &slot->warp.fault);
        break;
    case CY_STOP_PRINT:
        if (launch->print_bytes)
            cy_print_drain(launch, slot);
        slot->warp.print = 0;
        break;
    }
}

ALWAYS_INLINE void run_slice(struct cy_sm *sm, struct cy_launch *launch, struct cy_warp_slot *slot, uint64_t budget)
{
    struct cy_warp *warp = &slot->warp;
    enum cy_stop stop;
    do {
        const uint64_t before = warp->retired;
        stop = run_warp(launch, warp, budget);
        const uint64_t ran = warp->retired - before;
        sm->fresh.instructions += ran;
        budget -= ran < budget ? ran : budget;
        if (stop == CY_STOP_BARRIER && !slot->path_count)
            wait_at_barrier(sm, launch, slot, false);
        else if (stop == CY_STOP_END && !slot->path_count)
            end_warp(sm, launch, slot);
        else
            stop_otherwise(sm, launch, slot, stop, ran);
    } while (stop == CY_STOP_PRINT && budget);
}

void cy_sm_step(struct cy_sm *sm, struct cy_launch *launch, struct cy_warp_slot *slot)
{
    run_slice(sm, launch, slot, 1);
}

static bool is_stopped(const struct cy_launch *launch)
{
    return atomic_load_explicit(&launch->stop, memory_order_relaxed);
}

/* Adds the SM's counters to the launch's. */
static uint64_t account(struct cy_sm *sm, struct cy_launch *launch)
{
    const struct cy_figures fresh = sm->fresh;
    sm->fresh = (struct cy_figures){0};
    if (launch->run.counting) {
        pthread_mutex_lock(&launch->lock);
        add_lanes(&launch->lanes, &fresh.lanes);
        pthread_mutex_unlock(&launch->lock);
    }
    atomic_fetch_add_explicit(&launch->groups_done, fresh.groups, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->warps_done, fresh.warps, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->items_done, fresh.items, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->items_translated, fresh.translated, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->barriers, fresh.barriers, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->splits, fresh.splits, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->groups_counted, fresh.counted, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->groups_sampled, fresh.sampled, memory_order_relaxed);
    atomic_fetch_add_explicit(&launch->instructions_translated, fresh.instructions_translated, memory_order_relaxed);
    return atomic_fetch_add_explicit(&launch->instructions, fresh.instructions, memory_order_relaxed) +
           fresh.instructions;
}

static bool makes_way(const struct cy_launch *launch)
{
    return atomic_load_explicit(&launch->makes_way, memory_order_relaxed);
}

static bool is_waited_for(const struct cy_launch *launch)
{
    return launch->independent && atomic_load_explicit(&launch->device->other_waits, memory_order_relaxed);
}

/* The watchdog counts the time for which the launch had the device. */
static void look_at_clock(struct cy_sm *sm, struct cy_launch *launch)
{
    const uint64_t limit_ns = sm->device->config.watchdog_seconds * 1000000000ull;
    bool waited_for = is_waited_for(launch);
    if (!limit_ns && !waited_for)
        return;
    uint64_t turn_ns = cy_now_ns() - launch->turn_start_ns;
    if (limit_ns && launch->ran_ns + turn_ns > limit_ns)
        cy_report_watchdog(launch, sm, true);
    else if (waited_for && cy_turns_is_over(launch, turn_ns))
        atomic_store_explicit(&launch->makes_way, true, memory_order_relaxed);
}

/* Accounts, and polls the watchdog and cancellation: not in every turn, which may be as short as one workgroup of a
 * small kernel, but about once a millisecond. */
static void poll_watchdog(struct cy_sm *sm, struct cy_launch *launch)
{
    enum { MANY_TURNS = 64, MANY_INSTRUCTIONS = 100000 };
    const struct cy_config *config = &sm->device->config;
    if (++sm->quiet_turns < MANY_TURNS && sm->fresh.instructions < MANY_INSTRUCTIONS && !config->watchdog_instructions)
        return;
    sm->quiet_turns = 0;
    uint64_t total = account(sm, launch);
    if (atomic_load_explicit(&launch->cancel, memory_order_relaxed))
        atomic_store_explicit(&launch->stop, true, memory_order_relaxed);
    if (is_stopped(launch) || !sm->live_warps)
        return;
    if (config->watchdog_instructions && total > config->watchdog_instructions)
        cy_report_watchdog(launch, sm, false);
    else
        look_at_clock(sm, launch);
}

/* An observer that has seen enough of a workgroup lets the rest of it run as fast as without one. */
static void ask_observer(const struct cy_launch *launch, struct cy_warp_slot *slot)
{
    struct cy_workgroup *group = slot->group;
    group->passed = group->passed || launch->observers.passes(launch->observers.context, group->id);
    if (group->passed)
        slot->warp.run = &launch->unobserved;
}

static void run_warps(struct cy_sm *sm, struct cy_launch *launch)
{
    const struct cy_config *config = &sm->device->config;
    uint64_t budget = config->slice_instructions;
    if (config->watchdog_instructions && config->watchdog_instructions < budget)
        budget = config->watchdog_instructions;
    const bool may_yield = launch->independent && !config->deterministic;
    uint64_t later = sm->next_slot < 64 ? UINT64_MAX << sm->next_slot : 0, ready; /* as bit sets of slots */
    sm->next_slot = 0;
    /* A launch yields after a slice, and resumes with the next one; on a deterministic device only after a turn, when
     * workgroups are dispatched. */
    while ((ready = sm->ready & later) != 0 && !is_stopped(launch)) {
        const bool is_plain = !launch->order;
        const unsigned slot = is_plain ? (unsigned)__builtin_ctzll(ready) : cy_order_warp(launch, sm, ready);
        later = is_plain ? ~1ull << slot : later & ~(1ull << slot);
        if (launch->observers.passes)
            ask_observer(launch, &sm->slots[slot]);
        uint64_t slice = sm->is_waiting && budget > CY_SHORT_TURN ? CY_SHORT_TURN : budget;
        run_slice(sm, launch, &sm->slots[slot], is_plain ? slice : cy_order_budget(launch, sm, slice));
        if (!may_yield || !is_waited_for(launch))
            continue;
        look_at_clock(sm, launch);
        if (makes_way(launch)) {
            sm->next_slot = is_plain ? slot + 1 : 0;
            return;
        }
    }
}

bool cy_sm_interpret(struct cy_sm *sm, struct cy_launch *launch, uint64_t number)
{
    if (!prepare_slots(sm, launch, launch->warps)) {
        cy_launch_no_memory(launch);
        return false;
    }
    struct cy_workgroup *group = cy_sm_reserve(sm, launch);
    assert(group && "it is the only one on the SM");
    cy_sm_start(sm, launch, group, number);
    while (sm->live_warps && !is_stopped(launch)) {
        run_warps(sm, launch);
        poll_watchdog(sm, launch);
    }
    return !is_stopped(launch);
}

/* The same for a launch that runs translated: workgroups begin and end in one turn. */
static bool turn_translated(struct cy_sm *sm, struct cy_launch *launch)
{
    if (is_stopped(launch) || cy_dispatch_empty(launch) || !cy_translated_turn(sm, launch)) {
        account(sm, launch);
        return false;
    }
    if (atomic_load_explicit(&launch->cancel, memory_order_relaxed))
        atomic_store_explicit(&launch->stop, true, memory_order_relaxed);
    else if (!cy_dispatch_empty(launch))
        look_at_clock(sm, launch);
    return true;
}

void cy_sm_deliver(struct cy_sm *sm, struct cy_launch *launch)
{
    cy_translated_tally(sm, launch);
    account(sm, launch);
}

bool cy_sm_turn(struct cy_sm *sm, struct cy_launch *launch)
{
    const bool late = launch->awaited && cy_translated_arrived(launch, sm->fresh.instructions);
    if (launch->translated || (late && !sm->live_warps)) /* workgroups that the interpreter has begun stay with it */
        return turn_translated(sm, launch);
    if (!is_stopped(launch) && !sm->device->config.deterministic && !late)
        cy_dispatch_to(launch, sm);
    if (is_stopped(launch) || !sm->live_warps) {
        account(sm, launch);
        return false;
    }
    run_warps(sm, launch);
    poll_watchdog(sm, launch);
    return true;
}
