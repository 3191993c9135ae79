/* Runs the warps of a launch until something stops them: a breakpoint, the end of a step, a watchpoint, a fault, Ctrl-C.
 *
 * The warp is the unit of motion: a step moves all its active lanes, and masked ones stay where they wait.  Warps are
 * stepped one instruction at a time on one host thread, in an order that does not depend on the host. */
#include "debug/debug_priv.h"

#include <string.h>

enum {
    SLICE = 1000,        /* instructions of a warp before the next one runs */
    POLL_EVERY = 2000,   /* instructions between two looks at the connection */
    STEP_ALONE = 100000, /* instructions of a step before other warps get a slice: it may wait for them */
    SIGNAL_INT = 2,
    SIGNAL_TRAP = 5,
    SIGNAL_SEGV = 11,
};

struct run {
    struct cy_debugger *debugger;
    struct cy_launch *launch;
    uint64_t executed; /* instructions since the last look at the connection */
    uint64_t total;    /* before that */
    uint64_t alone;    /* of a step */
    unsigned next;     /* the warp slot to look at next */
};

static bool is_ready(const struct cy_warp_slot *slot)
{
    return slot->sm->ready >> slot->index & 1;
}

static void stop_at(struct cy_debugger *debugger, enum debug_reason reason, unsigned signal, uint64_t thread)
{
    debugger->stop = (struct debug_stop){.reason = reason, .signal = signal, .thread = thread};
}

/* The work-item that GDB should look at: the one it looked at before, if it is still there, or the first. */
static uint64_t any_thread(const struct cy_debugger *debugger)
{
    struct debug_item item;
    const uint64_t wanted[] = {debugger->resume.thread, debugger->general, debugger->stop.thread};
    for (size_t i = 0; i < CY_COUNT(wanted); i++)
        if (wanted[i] && debug_find(debugger, wanted[i], &item))
            return wanted[i];
    item = (struct debug_item){0};
    return debug_next(debugger, &item) ? debug_thread(debugger, item.slot, item.lane) : 0;
}

/* ---- breakpoints ---- */

/* Of several lanes at a breakpoint, the one that GDB steps or looks at is reported: it would take another one's stop for
 * an accident. */
static unsigned choose_lane(const struct cy_debugger *debugger, const struct cy_warp_slot *slot, uint64_t lanes)
{
    const uint64_t first = debug_thread(debugger, slot, 0);
    const uint64_t wanted[] = {debugger->resume.thread, debugger->general, debugger->stop.thread};
    for (size_t i = 0; i < CY_COUNT(wanted); i++)
        if (wanted[i] >= first && wanted[i] - first < slot->warp.numt && lanes >> (wanted[i] - first) & 1)
            return (unsigned)(wanted[i] - first);
    return (unsigned)__builtin_ctzll(lanes);
}

static bool is_reported(const struct cy_debugger *debugger, const struct cy_warp_slot *slot)
{
    return debugger->hit_slot == slot && debugger->hit_retired == slot->warp.retired;
}

/* Has the warp arrived at a breakpoint?  It is reported once, for one lane. */
static bool breaks(struct cy_debugger *debugger, struct cy_warp_slot *slot)
{
    if (is_reported(debugger, slot))
        return false;
    const uint64_t lanes = debug_lanes_at_break(debugger, slot);
    if (!lanes)
        return false;
    const unsigned lane = choose_lane(debugger, slot, lanes);
    debugger->hit_slot = slot;
    debugger->hit_retired = slot->warp.retired;
    debugger->hit_lanes = lanes & ~(1ull << lane);
    debugger->shadows = 0;
    debugger->is_presented = false;
    stop_at(debugger, STOP_BREAK, SIGNAL_TRAP, debug_thread(debugger, slot, lane));
    return true;
}

/* GDB resumed without showing the stop to its user: a condition that it evaluates itself was false for that lane, or the
 * breakpoint was one of its own, for another thread.  Then it hears of the other lanes, one by one, before the warp moves;
 * when it steps a lane off the breakpoint, it is told that the lane has moved.  True: there is a stop. */
static bool offer_next_lane(struct cy_debugger *debugger)
{
    struct debug_item item;
    const struct cy_warp_slot *slot = debugger->hit_slot;
    if (!slot || debugger->is_presented || !debugger->hit_lanes || !is_reported(debugger, slot))
        return false;
    if (debugger->resume.steps) {
        const bool is_here = debug_find(debugger, debugger->resume.thread, &item) && item.slot == slot;
        if (!is_here || debugger->resume.others || debugger->shadows >> item.lane & 1) {
            debugger->hit_lanes = debugger->shadows = 0; /* not off a breakpoint: the step of a user */
            return false;
        }
        debugger->shadows |= 1ull << item.lane;
        stop_at(debugger, STOP_SIGNAL, SIGNAL_TRAP, debugger->resume.thread);
        return true;
    }
    const unsigned lane = choose_lane(debugger, slot, debugger->hit_lanes);
    debugger->hit_lanes &= ~(1ull << lane);
    stop_at(debugger, STOP_BREAK, SIGNAL_TRAP, debug_thread(debugger, slot, lane));
    return true;
}

/* The step over an instruction that touched a watchpoint: it only has to be shown.  True: there is a stop. */
static bool shows_late_step(struct cy_debugger *debugger)
{
    struct debug_item item;
    const struct cy_warp_slot *slot = debugger->late_slot;
    debugger->late_slot = NULL;
    if (!slot || !debugger->resume.steps || !debug_find(debugger, debugger->resume.thread, &item) ||
        item.slot != slot || debugger->late_retired != slot->warp.retired)
        return false;
    stop_at(debugger, STOP_SIGNAL, SIGNAL_TRAP, debugger->resume.thread);
    return true;
}

/* ---- steps ---- */

/* A fault, or a report of the checker, after which the warp can go on. */
static bool fault_stops(struct run *run, struct cy_warp_slot *slot)
{
    struct cy_debugger *debugger = run->debugger;
    const bool paused = slot->warp.fault.kind == CY_FAULT_PAUSED;
    const int lane = paused ? slot->warp.fault.lane : run->launch->fault.lane;
    if (!run->launch->faulted && !(paused && link_is_open(&debugger->link)))
        return false;
    struct debug_item item = {slot, 0};
    const bool is_here = run->launch->sms[slot->sm->index].occupied >> slot->index & 1;
    const uint64_t lanes = lane >= 0 ? 1ull << lane : slot->warp.mask;
    item.lane = lanes ? (unsigned)__builtin_ctzll(lanes) : 0;
    stop_at(debugger, STOP_SIGNAL, SIGNAL_SEGV,
            is_here ? debug_thread(debugger, slot, item.lane) : any_thread(debugger));
    return true;
}

/* One instruction.  True: it, or what is next, stops the program. */
static bool execute(struct run *run, struct cy_warp_slot *slot)
{
    struct cy_debugger *debugger = run->debugger;
    if (breaks(debugger, slot))
        return true;
    const uint32_t pc = slot->warp.pc;
    debugger->touched.reason = STOP_NONE;
    cy_sm_step(slot->sm, run->launch, slot);
    run->executed++;
    if (fault_stops(run, slot))
        return true;
    if (debugger->touched.reason != STOP_NONE) {
        debugger->stop = debugger->touched;
        debugger->late_slot = slot;
        debugger->late_retired = slot->warp.retired;
        debugger->late_pc = pc;
        return true;
    }
    return false;
}

static bool run_slice(struct run *run, struct cy_warp_slot *slot)
{
    const uint32_t number = slot->warp.number;
    for (unsigned i = 0; i < SLICE; i++) {
        const bool is_same = slot->sm->occupied >> slot->index & 1 && slot->warp.number == number;
        if (!is_same || !is_ready(slot))
            return false;
        if (execute(run, slot))
            return true;
    }
    return false;
}

/* A slice for the next warp that is ready, other than `except`. */
static bool run_other(struct run *run, const struct cy_warp_slot *except)
{
    const unsigned warps = run->launch->device->config.warps, count = run->launch->sm_count * warps;
    for (unsigned i = 0; i < count; i++) {
        const unsigned at = (run->next + i) % count;
        struct cy_warp_slot *slot = &run->launch->sms[at / warps].slots[at % warps];
        if (slot == except || !(slot->sm->ready >> slot->index & 1))
            continue;
        run->next = at + 1;
        return run_slice(run, slot);
    }
    return false;
}

/* One instruction of the warp of the thread that steps.  True: a stop, or the end of the step. */
static bool step_thread(struct run *run, struct debug_item *item)
{
    struct cy_debugger *debugger = run->debugger;
    const struct debug_resume *resume = &debugger->resume;
    const bool was_active = debug_is_active(item);
    if (execute(run, item->slot))
        return true;
    run->alone++;
    if (!debug_find(debugger, resume->thread, item) || !debug_is_active(item) || !was_active)
        return false;
    const uint32_t pc = debug_pc(debugger, item);
    if (pc >= resume->start && pc < resume->end)
        return false;
    stop_at(debugger, STOP_SIGNAL, SIGNAL_TRAP, resume->thread);
    if (debug_lanes_at_break(debugger, item->slot) >> item->lane & 1)
        return false; /* the breakpoint is reported, by the next execute */
    return true;
}

static bool advance(struct run *run)
{
    struct cy_debugger *debugger = run->debugger;
    struct debug_resume *resume = &debugger->resume;
    struct debug_item item = {0};
    if (resume->thread && !debug_find(debugger, resume->thread, &item)) {
        *resume = (struct debug_resume){0}; /* it has ended: the others go on */
        item.slot = NULL;
    }
    if (!item.slot)
        return run_other(run, NULL);
    if (is_ready(item.slot) && run->alone < STEP_ALONE)
        return resume->steps ? step_thread(run, &item) : run_slice(run, item.slot);
    run->alone = 0;
    return run_other(run, item.slot);
}

/* ---- the launch ---- */

static bool has_work(struct cy_launch *launch)
{
    if (atomic_load(&launch->cancel))
        atomic_store(&launch->stop, true);
    if (atomic_load(&launch->stop))
        return false;
    cy_dispatch_all(launch);
    for (unsigned i = 0; i < launch->sm_count; i++)
        if (launch->sms[i].live_warps)
            return true;
    return false;
}

/* Ctrl-C, or a GDB that connects to a program which runs without one. */
static bool is_interrupted(struct run *run)
{
    struct cy_debugger *debugger = run->debugger;
    if (run->executed < POLL_EVERY)
        return false;
    run->total += run->executed;
    run->executed = 0;
    const uint64_t limit = run->launch->device->config.watchdog_instructions;
    if (limit && run->total > limit) {
        cy_report_watchdog(run->launch, &run->launch->sms[0], false);
        return false;
    }
    if (!link_is_open(&debugger->link)) {
        if (!link_accept(&debugger->link, 0))
            return false;
        debugger->stop.reason = STOP_NONE; /* GDB asks */
    } else if (link_wants_stop(&debugger->link)) {
        stop_at(debugger, STOP_SIGNAL, SIGNAL_INT, any_thread(debugger));
        return true;
    } else {
        return false;
    }
    stop_at(debugger, STOP_NONE, SIGNAL_TRAP, any_thread(debugger));
    return true;
}

/* Runs until a stop: true.  False: the launch has ended. */
static bool run_until_stop(struct run *run)
{
    struct cy_debugger *debugger = run->debugger;
    struct debug_item item;
    run->alone = 0;
    if (offer_next_lane(debugger) || shows_late_step(debugger))
        return true;
    if (debug_find(debugger, debugger->general, &item)) /* the warp that the user looks at goes first */
        run->next = item.slot->sm->index * run->launch->device->config.warps + item.slot->index;
    while (has_work(run->launch)) {
        if (is_interrupted(run) || advance(run))
            return true;
    }
    return false;
}

static bool is_gone(const struct cy_debugger *debugger, const struct cy_launch *launch)
{
    return debugger->killed || atomic_load(&launch->cancel);
}

/* Before the first instruction: waits for GDB in the first launch, and tells it about a new program. */
static bool stops_at_start(struct run *run)
{
    struct cy_debugger *debugger = run->debugger;
    const bool is_new = debugger->program != run->launch->program;
    if (is_new) {
        cy_program_release(debugger->program);
        atomic_fetch_add(&run->launch->program->references, 1);
        debugger->program = run->launch->program;
        debugger->programs++;
    }
    debug_mark_begin(debugger);
    debug_watch_begin(debugger);
    enum { PATIENCE_MS = 100 };
    while (!debugger->met && !link_is_open(&debugger->link) && !is_gone(debugger, run->launch))
        link_accept(&debugger->link, PATIENCE_MS);
    const bool is_first = !debugger->met && link_is_open(&debugger->link);
    debugger->met = true;
    if (!link_is_open(&debugger->link) || (!is_first && !is_new))
        return false;
    stop_at(debugger, is_first ? STOP_NONE : STOP_LIBRARY, SIGNAL_TRAP, any_thread(debugger));
    return true;
}

void debug_control(void *context, struct cy_launch *launch)
{
    struct cy_debugger *debugger = context;
    struct run run = {.debugger = debugger, .launch = launch};
    pthread_mutex_lock(&debugger->turn);
    debugger->launch = launch;
    debugger->hit_slot = debugger->late_slot = NULL;
    debugger->resume.thread = 0;
    debugger->resume.steps = false;
    bool stopped = has_work(launch) && stops_at_start(&run);
    for (;;) {
        if (stopped) {
            debug_report_stop(debugger);
            debug_serve(debugger);
        }
        if (debugger->killed)
            atomic_store(&launch->cancel, true);
        if (!has_work(launch))
            break;
        stopped = run_until_stop(&run);
        if (!stopped)
            break;
    }
    debugger->first_thread += launch->group_count * launch->warps * launch->run.lanes;
    debugger->launch = NULL;
    debugger->hit_slot = debugger->late_slot = NULL;
    pthread_mutex_unlock(&debugger->turn);
}
