/* Control flow of lanes: jump, branch, call, ret, sync, exit. */
#include "epic/epic_priv.h"

const struct insn *cy_exec_epic_jump(struct core *core, const struct insn *insn)
{
    if (!insn->target)
        return cy_epic_fault(core, insn, CY_EPIC_FAULT_BAD_TARGET, lowest_lane(core->active), insn->pc + insn->imm);
    return insn->target;
}

/* The active lanes diverge. */
static const struct insn *split(struct core *core, uint64_t taken, const struct insn *target, const struct insn *next)
{
    for (uint64_t lanes = core->active; lanes; lanes &= lanes - 1) {
        unsigned lane = lowest_lane(lanes);
        core->at[lane] = taken >> lane & 1 ? target : next;
    }
    return core->end;
}

const struct insn *cy_exec_epic_branch(struct core *core, const struct insn *insn)
{
    const uint32_t *const pred = core_row(core, ROW_PRED), *const active = core_row(core, ROW_ACTIVE);
    const size_t lanes = core->stride / CHUNK * CHUNK;
    uint32_t any = 0, all = UINT32_MAX;
    for (size_t i = 0; i < lanes; i++) {
        any |= pred[i] & active[i];
        all &= pred[i] | ~active[i];
    }
    if (!any)
        return insn + 1;
    uint64_t taken = all ? core->active : core->active & cy_epic_predicates(core);
    if (!insn->target)
        return cy_epic_fault(core, insn, CY_EPIC_FAULT_BAD_TARGET, lowest_lane(taken), insn->pc + insn->imm);
    return all ? insn->target : split(core, taken, insn->target, insn + 1);
}

/* Every active lane jumps to its own rs1 plus the immediate. */
static const struct insn *go_to_register(struct core *core, const struct insn *insn)
{
    const uint32_t *const bases = core->rows + insn->rs1;
    const uint32_t first = bases[lowest_lane(core->active)];
    bool same = true;
    for (uint64_t lanes = core->active; lanes; lanes &= lanes - 1) {
        unsigned lane = lowest_lane(lanes);
        core->at[lane] = cy_epic_image_find(core->image, bases[lane] + insn->imm);
        if (!core->at[lane])
            return cy_epic_fault(core, insn, CY_EPIC_FAULT_BAD_TARGET, lane, bases[lane] + insn->imm);
        same &= bases[lane] == first;
    }
    return same ? core->at[lowest_lane(core->active)] : core->end;
}

const struct insn *cy_exec_epic_call(struct core *core, const struct insn *insn)
{
    const struct insn *next = go_to_register(core, insn);
    if (core->fault.kind != CY_EPIC_FAULT_NONE)
        return next;
    uint32_t *const rd = core->rows + insn->rd;
    const uint32_t *const active = core_row(core, ROW_ACTIVE);
    for (uint32_t i = 0; i < core->stride; i++)
        rd[i] = active[i] ? insn->pc + 4 : rd[i];
    return next;
}

const struct insn *cy_exec_epic_ret(struct core *core, const struct insn *insn)
{
    return go_to_register(core, insn);
}

/* Lanes may wait at different syncs: the barrier is released once every live lane of the core has reached one.  So a
 * barrier never waits forever for a lane that took another path, and lanes that have ended count as arrived.  Stores
 * complete with their instruction, so there is nothing else to wait for. */
const struct insn *cy_exec_epic_sync(struct core *core, const struct insn *insn)
{
    if (core->active == core->live)
        return insn + 1;
    core->waiting |= core->active;
    return split(core, 0, NULL, insn + 1);
}

const struct insn *cy_exec_epic_exit(struct core *core, const struct insn *insn)
{
    (void)insn;
    core->live &= ~core->active;
    return core->end;
}
