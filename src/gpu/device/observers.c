/* Adapts the public observers to the engine's observer interface. */
#include "gpu/device/machine.h"

#include <string.h>

void cy_watch_event(struct cy_event *event, uint32_t sm, const struct cy_warp *warp, uint32_t pc,
                    const struct cy_insn *insn)
{
    *event = (struct cy_event){
        .sm = sm,
        .workgroup = {warp->gid[0], warp->gid[1], warp->gid[2]},
        .warp = warp->wid,
        .number = warp->number,
        .lanes = warp->numt,
        .pc = pc + insn->size - 4,
        .word = insn->word,
        .prefix = insn->prefix,
        .mnemonic = cy_insns[insn->op].mnemonic,
        .unit = cy_scheds[cy_insns[insn->op].sched].name,
        .active = warp->active,
        .x = warp->x,
        .v = warp->v,
        .rpc = warp->rpc,
        .depth = warp->depth,
        .stack = warp->stack,
        .ahead = warp->ahead,
        .ahead_count = warp->ahead_count,
    };
}

static void fill(struct cy_event *event, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    const struct cy_warp_slot *slot = warp->owner;
    cy_watch_event(event, slot->sm->index, warp, pc, insn);
}

static void watch_before(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    const struct cy_launch *launch = context;
    const struct cy_observer *other = launch->engine_observer;
    if (other && other->before)
        other->before(other->context, warp, pc, insn);
    if (launch->observers.before) {
        struct cy_event event;
        fill(&event, warp, pc, insn);
        launch->observers.before(launch->observers.context, &event);
    }
}

static void watch_ran(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      uint64_t active, uint64_t count)
{
    const struct cy_launch *launch = context;
    const struct cy_warp_slot *slot = warp->owner;
    struct cy_event event = {.sm = slot->sm->index,
                             .workgroup = {warp->gid[0], warp->gid[1], warp->gid[2]},
                             .warp = warp->wid,
                             .number = warp->number,
                             .lanes = warp->numt,
                             .active = active};
    for (; count; count--) {
        pc += insn->size;
        insn += insn->size / 4;
        event.pc = pc + insn->size - 4;
        event.word = insn->word;
        event.prefix = insn->prefix;
        launch->observers.ran(launch->observers.context, &event);
    }
}

static void watch_retired(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    const struct cy_launch *launch = context;
    const struct cy_observer *other = launch->engine_observer;
    if (other && other->retired)
        other->retired(other->context, warp, pc, insn);
    if (launch->observers.retired) {
        struct cy_event event;
        fill(&event, warp, pc, insn);
        launch->observers.retired(launch->observers.context, &event);
    }
}

static void watch_memory(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                         const struct cy_memory_access *access)
{
    const struct cy_launch *launch = context;
    const struct cy_observer *other = launch->engine_observer;
    if (other && other->memory)
        other->memory(other->context, warp, pc, insn, access);
    if (launch->observers.memory) {
        struct cy_event event;
        fill(&event, warp, pc, insn);
        struct cy_memory_event memory = {access->kind & CY_READ, access->kind & CY_WRITE, access->size,
                                         access->lanes,          access->address,         access->value};
        launch->observers.memory(launch->observers.context, &event, &memory);
    }
}

static void watch_branch(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                         uint64_t taken, uint64_t active)
{
    const struct cy_launch *launch = context;
    const struct cy_observer *other = launch->engine_observer;
    if (other && other->branch)
        other->branch(other->context, warp, pc, insn, taken, active);
    if (launch->observers.branch) {
        struct cy_event event;
        fill(&event, warp, pc, insn);
        event.active = active;
        launch->observers.branch(launch->observers.context, &event, taken);
    }
}

static void watch_barrier(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    const struct cy_launch *launch = context;
    const struct cy_observer *other = launch->engine_observer;
    if (other && other->barrier)
        other->barrier(other->context, warp, pc, insn);
    if (launch->observers.barrier) {
        struct cy_event event;
        fill(&event, warp, pc, insn);
        launch->observers.barrier(launch->observers.context, &event);
    }
}

void cy_watch_init(struct cy_launch *launch)
{
    const struct cy_observers *observers = &launch->observers;
    const struct cy_observer *other = launch->engine_observer;
    if (other && other->check) { /* a checker: the code calls it, so that the engine runs as without an observer */
        launch->run.watch = other;
        launch->run.code = launch->watched;
        other = NULL;
    }
    launch->run.observer = other;
    if (observers->launch) {
        const struct cy_config *config = &launch->device->config;
        const struct cy_launch_shape shape = {.sms = config->sms,
                                              .warps = config->warps,
                                              .threads = config->threads,
                                              .host_sms = config->sms,
                                              .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
                                              .group_warps = launch->warps,
                                              .resident_groups = launch->slots_per_sm};
        observers->launch(observers->context, &shape);
    }
    if (!observers->before && !observers->retired && !observers->memory && !observers->branch && !observers->barrier) {
        launch->observers.passes = NULL;
        return;
    }
    launch->watcher = (struct cy_observer){
        .context = launch,
        .wants_addresses = observers->wants_addresses && !(other && other->memory),
        .before = observers->before || (other && other->before) ? watch_before : NULL,
        .retired = observers->retired || (other && other->retired) ? watch_retired : NULL,
        .ran = observers->ran && observers->wants_addresses && !observers->retired && !other ? watch_ran : NULL,
        .memory = observers->memory || (other && other->memory) ? watch_memory : NULL,
        .branch = observers->branch || (other && other->branch) ? watch_branch : NULL,
        .barrier = observers->barrier || (other && other->barrier) ? watch_barrier : NULL,
    };
    launch->run.observer = &launch->watcher;
    if (other) /* it wants to see everything */
        launch->observers.passes = NULL;
    launch->unobserved = launch->run;
    launch->unobserved.observer = NULL;
}
