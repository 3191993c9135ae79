/* A core runs a block.
 *
 * Every lane has its own pc; the lanes at the lowest pc run next.  Those lanes form a group: its instructions run one
 * after the other, without regard to the other lanes, until it reaches (or jumps past) the lowest pc of a lane outside
 * it.  In uniform code there is no such lane, and the cost is one indirect call per instruction. */
#include "epic/epic_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool cy_epic_core_init(struct core *core, struct cy_epic *device)
{
    const struct cy_epic_config *config = &device->config;
    *core = (struct core){.device = device, .memory_words = config->memory_bytes / 4};
    core->stride = (config->lanes + CHUNK - 1) / CHUNK * CHUNK;
    core->all = UINT64_MAX >> (64 - config->lanes);
    core->memory = device->memory;
    core->depth = device->depth;
    core->rows = calloc((size_t)ROWS * core->stride, sizeof(uint32_t));
    return core->rows != NULL;
}

void cy_epic_core_free(struct core *core)
{
    free(core->rows);
    core->rows = NULL;
}

uint64_t cy_epic_predicates(const struct core *core)
{
    const uint32_t *const pred = core_row(core, ROW_PRED);
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < core->stride; i++)
        lanes |= (uint64_t)(pred[i] & 1) << i;
    return lanes;
}

uint64_t cy_epic_enabled(const struct core *core, const struct insn *insn)
{
    return insn->always ? core->active : core->active & cy_epic_predicates(core);
}

static void start_block(struct core *core, const struct insn *start, uint32_t block)
{
    for (size_t i = 0; i < (size_t)ROWS * core->stride; i++)
        core->rows[i] = 0;
    for (uint32_t lane = 0; lane < core->stride; lane++) {
        core_row(core, 1)[lane] = block;
        core_row(core, 2)[lane] = core->device->config.lanes;
        core_row(core, 3)[lane] = lane;
    }
    for (unsigned lane = 0; lane < core->device->config.lanes; lane++)
        core->at[lane] = start;
    core->block = block;
    core->live = core->all;
    core->waiting = core->active = 0;
    core->abandoned = core->again = false;
    core->fault.kind = CY_EPIC_FAULT_NONE;
    core->counters = (struct cy_epic_counters){.blocks = 1};
}

static void activate(struct core *core, uint64_t lanes)
{
    if (lanes == core->active)
        return;
    uint32_t *const row = core_row(core, ROW_ACTIVE);
    for (uint32_t i = 0; i < core->stride; i++)
        row[i] = 0u - (uint32_t)(lanes >> i & 1);
    core->active = lanes;
}

/* The lanes at the lowest pc become active.  *limit is the lowest pc of the others, or the end. */
static const struct insn *pick(struct core *core, const struct insn **limit)
{
    uint64_t runnable = core->live & ~core->waiting, group = 0;
    if (!runnable) { /* the last lane has reached a sync, or has ended */
        core->waiting = 0;
        runnable = core->live;
    }
    const struct insn *lowest = core->end, *second = core->end;
    for (; runnable; runnable &= runnable - 1) {
        const struct insn *at = core->at[lowest_lane(runnable)];
        const uint64_t bit = runnable & (0 - runnable);
        if (at == lowest) {
            group |= bit;
        } else if (at < lowest) {
            second = lowest;
            lowest = at;
            group = bit;
        } else if (at < second) {
            second = at;
        }
    }
    activate(core, group);
    *limit = second;
    return lowest;
}

static void keep_pcs(struct core *core, const struct insn *insn)
{
    for (uint64_t lanes = core->active; lanes; lanes &= lanes - 1)
        core->at[lowest_lane(lanes)] = insn;
}

/* ---- the loops: they end at the limit, or when the budget (at least 1) is used up ---- */

static const struct insn *run_full(struct core *core, const struct insn *insn, const struct insn *limit,
                                   uint64_t *budget)
{
    uint64_t left = *budget;
    do {
        insn = insn->full(core, insn);
        left--;
    } while (insn < limit && left);
    *budget = left;
    return insn;
}

static const struct insn *run_masked(struct core *core, const struct insn *insn, const struct insn *limit,
                                     uint64_t *budget)
{
    uint64_t left = *budget;
    do {
        insn = insn->masked(core, insn);
        left--;
    } while (insn < limit && left);
    *budget = left;
    return insn;
}

static uint64_t count_lanes(uint64_t lanes)
{
    return (uint64_t)__builtin_popcountll(lanes);
}

static void count(struct core *core, const struct insn *insn, uint64_t enabled)
{
    _Static_assert(CY_SCHED_ecmd - CY_SCHED_ealu == CY_EPIC_CLASSES, "one counter for each class that lanes run");
    struct cy_epic_counters *counters = &core->counters;
    const struct cy_insn_info *row = &cy_insns[insn->op];
    const uint64_t lanes = count_lanes(enabled);
    counters->lane_slots += core->device->config.lanes;
    counters->predicated_off += count_lanes(core->active) - lanes;
    if (insn->op == CY_OP_INVALID) /* predicated off, or it would have faulted */
        return;
    counters->by_class[row->sched - CY_SCHED_ealu].issued++;
    counters->by_class[row->sched - CY_SCHED_ealu].lanes += lanes;
    if (row->flags & CY_F_LOAD)
        counters->loads += lanes;
    if ((row->flags & CY_F_STORE) && (row->flags & CY_F_SETP)) { /* a depth test */
        const uint64_t passed = count_lanes(enabled & cy_epic_predicates(core));
        counters->depth_passed += passed;
        counters->depth_rejected += lanes - passed;
    } else if (row->flags & CY_F_STORE) {
        counters->stores += lanes;
    }
}

static bool report_step(struct core *core, const struct insn *insn, uint64_t enabled)
{
    struct cy_epic *device = core->device;
    struct cy_epic_step step = {
        .block = core->block,
        .core = core->block % device->config.cores,
        .pc = insn->pc,
        .word = insn->word,
        .active = core->active,
        .enabled = enabled,
    };
    struct cy_insn decoded;
    if (cy_decode_word(device->target, insn->word, &decoded))
        step.rd = (uint32_t)cy_insn_field(&decoded, CY_FIELD_erd, 0);
    step.result = step.rd ? core_row(core, step.rd) : NULL;
    cy_epic_disassemble(device, insn->word, insn->pc, step.text, sizeof(step.text));
    return device->on_step(device->step_user, &step);
}

static const struct insn *run_observed(struct core *core, const struct insn *insn, const struct insn *limit,
                                       uint64_t *budget)
{
    const bool full = core->active == core->live;
    do {
        const struct insn *const now = insn;
        const uint64_t enabled = cy_epic_enabled(core, now);
        insn = full ? now->full(core, now) : now->masked(core, now);
        --*budget;
        if (core->fault.kind != CY_EPIC_FAULT_NONE || core->abandoned)
            break;
        if (core->device->config.counters)
            count(core, now, enabled);
        if (core->device->on_step && !report_step(core, now, enabled)) {
            core->launch->stopped = true; /* there is only this thread */
            core->abandoned = true;
            return core->end;
        }
    } while (insn < limit && *budget);
    return insn;
}

/* ---- a block ---- */

/* Reports the lanes that wait at a sync while another one runs forever. */
static void watchdog_fault(struct core *core, const struct insn *insn, bool time)
{
    cy_epic_fault(core, insn, CY_EPIC_FAULT_WATCHDOG, lowest_lane(core->active), 0);
    const struct cy_epic_config *config = &core->device->config;
    char *text = core->fault.text;
    const size_t size = sizeof(core->fault.text);
    int length =
        time ? snprintf(text, size, "the launch took more than %g seconds", config->watchdog_seconds)
             : snprintf(text, size, "issued %" PRIu64 " instructions and has not ended", config->watchdog_instructions);
    const uint64_t waiting = core->waiting & core->all;
    if (waiting)
        snprintf(text + length, size - (size_t)length, "; %u lane%s wait%s at a sync", (unsigned)count_lanes(waiting),
                 count_lanes(waiting) == 1 ? "" : "s", count_lanes(waiting) == 1 ? "s" : "");
}

/* Is this block still needed, and is there time for it? */
static bool may_go_on(struct core *core, const struct insn *insn)
{
    if (atomic_load(&core->launch->stop_from) <= core->block) {
        core->abandoned = true;
        return false;
    }
    if (core->log && cy_epic_is_turn(core) &&
        !cy_epic_take_turn(core)) /* it may have gone astray: better now than later */
        return false;
    if (cy_epic_past_deadline(core->launch)) {
        watchdog_fault(core, insn, true);
        return false;
    }
    return true;
}

bool cy_epic_core_run(struct core *core, const struct insn *start, uint32_t block)
{
    const struct cy_epic_config *config = &core->device->config;
    const bool observed = config->counters || core->device->on_step;
    const bool endless = config->watchdog_instructions == UINT64_MAX;
    uint64_t left = config->watchdog_instructions, unchecked = SLICE;
    start_block(core, start, block);
    while (core->live) {
        const struct insn *limit, *insn = pick(core, &limit);
        if (unchecked >= SLICE) {
            if (!may_go_on(core, insn))
                return false;
            unchecked = 0;
        }
        if (left == 0) {
            watchdog_fault(core, insn, false);
            return false;
        }
        const uint64_t slice = left < SLICE ? left : SLICE;
        uint64_t budget = slice;
        if (observed)
            insn = run_observed(core, insn, limit, &budget);
        else if (core->active == core->live)
            insn = run_full(core, insn, limit, &budget);
        else
            insn = run_masked(core, insn, limit, &budget);
        const uint64_t used = slice - budget;
        core->counters.issued += used;
        core->counters.lane_instructions += used * count_lanes(core->active);
        unchecked += used;
        left -= endless ? 0 : used;
        if (core->fault.kind != CY_EPIC_FAULT_NONE || core->abandoned)
            return false;
        if (insn != core->end)
            keep_pcs(core, insn);
    }
    return true;
}
