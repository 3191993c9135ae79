/* Short branches without memory accesses: chains of ?:, clamping, ranges of letters.  All of their code is executed for all lanes, and
 * each instruction's result is kept in those lanes that would execute it; there are no jumps, and nothing is asked about the lanes. */
#include "jit/translate/translator.h"

enum {
    LONGEST = 96,
    PER_BRANCH = 8
}; /* instructions between a branch and its join; of these, those that compute, on average */

/* Does it compute with integers, lane by lane?  Floats may be denormals in lanes that would not be active, which take long. */
static bool is_plain(const struct inst *inst)
{
    const struct cy_insn_info *row = row_of(inst);
    const struct cy_effects *effects = &inst->effects;
    return effects->expr && (row->sched == CY_SCHED_valu || row->sched == CY_SCHED_vmul) && effects->is_lanes &&
           !effects->is_float && (effects->result == CY_RESULT_ELEMENT || effects->result == CY_RESULT_BIT) &&
           !inst->is_wide && !inst->pairs && !inst->moves_pair && !inst->abs && !inst->neg &&
           inst->insn.op != CY_OP_vmv_s_x && row->format != CY_FORMAT_V1 && !effects->reads_mask && !effects->is_masked;
}

static bool is_scalar(const struct inst *inst)
{
    const struct cy_insn_info *row = row_of(inst);
    return (row->is_expression && row->sched == CY_SCHED_salu) || row->format == CY_FORMAT_U ||
           row->format == CY_FORMAT_SETRPC;
}

static bool stays(uint32_t to, uint32_t after, uint32_t join)
{
    return to != NONE && to > after && to <= join;
}

/* Does code that may be executed without this instruction use the sGPR? */
static bool changes_others(const struct translator *t, uint32_t number, uint32_t head, uint32_t join)
{
    const uint64_t changed = t->insts[number].defs.x;
    for (uint32_t i = head; i < join; i++) {
        const uint32_t to = t->insts[i].reachable ? t->insts[i].target : NONE;
        if (to != NONE && to > number && changed & t->insts[to].live.x)
            return true;
    }
    return changed & t->insts[join].live.x;
}

/* All ways from the branch lead forwards and to its join, through code that qualifies. */
static bool is_inside_flat(const struct translator *t, uint32_t head, uint32_t join)
{
    unsigned branches = 0, computing = 0;
    for (uint32_t i = head; i < join; i++) {
        const struct inst *inst = &t->insts[i];
        if (!inst->reachable)
            continue;
        if (inst->is_interpreted || inst->store != NONE || inst->is_return)
            return false;
        if (is_vector_branch(inst)) {
            branches++;
            if (inst->is_done || inst->by_lane || !stays(inst->target, i, join) || !stays(inst->next, i, join) ||
                !stays(inst->rpc, i, join))
                return false;
        } else if (row_of(inst)->format == CY_FORMAT_JAL) {
            if (field(inst, CY_FIELD_rd) != 0 || !stays(inst->target, i, join))
                return false;
        } else if (!stays(inst->next, i, join)) {
            return false;
        } else if (is_plain(inst)) {
            computing++;
        } else if (row_of(inst)->format != CY_FORMAT_JOIN && (!is_scalar(inst) || changes_others(t, i, head, join))) {
            return false;
        }
    }
    return computing <= PER_BRANCH * branches;
}

/* Nothing else leads into it. */
static bool is_entered(const struct translator *t, uint32_t head, uint32_t join)
{
    for (size_t i = 0; i < t->returns.count; i++)
        if (t->returns.at[i] > head && t->returns.at[i] < join)
            return true;
    for (uint32_t i = 0; i < t->count; i++) {
        const uint32_t target = t->insts[i].reachable && (i < head || i >= join) ? t->insts[i].target : NONE;
        if (target != NONE && target > head && target < join)
            return true;
    }
    return false;
}

static bool is_join(const struct translator *t, uint32_t number)
{
    return row_of(&t->insts[number])->format == CY_FORMAT_JOIN;
}

/* Ways that meet elsewhere than at their branch's join: the machine executes what follows for each of them, which shows where that is
 * counted. */
static bool meets_early(const struct translator *t, uint32_t head, uint32_t join)
{
    uint8_t ways[LONGEST + 1] = {0};
    for (uint32_t i = head; i < join; i++) {
        const struct inst *inst = &t->insts[i];
        const uint32_t to[] = {inst->next, inst->target};
        for (size_t k = 0; inst->reachable && k < CY_COUNT(to); k++) {
            if (to[k] == NONE)
                continue;
            if (is_join(t, to[k]) ? is_vector_branch(inst) && to[k] != inst->rpc : ways[to[k] - head]++)
                return true;
        }
    }
    return false;
}

bool is_flat(const struct translator *t, const struct inst *inst)
{
    const uint32_t head = (uint32_t)(inst - t->insts), join = inst->rpc;
    if (join == NONE || join <= head || join - head > LONGEST || !is_inside_flat(t, head, join) ||
        is_entered(t, head, join))
        return false;
    if (!t->request->counts)
        return true;
    return t->request->counts == CY_JIT_COUNT_INSNS && !meets_early(t, head, join);
}

/* Registers that the code up to the join may change if the branch is flat: its blocks are not reached as blocks. */
void add_flat_changes(const struct translator *t, const struct inst *branch, struct regs *changed)
{
    const uint32_t head = (uint32_t)(branch - t->insts), join = branch->rpc;
    for (uint32_t i = head; join != NONE && join > head && join - head <= LONGEST && i < join; i++)
        if (t->insts[i].reachable)
            unite(changed, &t->insts[i].defs);
}

/* Lanes, <W x i1>, and where they are counted how many of them are active: of those that are elsewhere, less is to be asked. */
struct lanes {
    LLVMValueRef bits, count;
};

/* Lanes on their way, by instruction. */
struct ways {
    bool some[LONGEST + 1];
    struct lanes lanes[LONGEST + 1];
};

static void add_way(struct translator *t, struct ways *ways, uint32_t to, struct lanes lanes)
{
    struct lanes *there = &ways->lanes[to];
    if (t->emit && ways->some[to]) {
        lanes.bits = LLVMBuildOr(t->builder, there->bits, lanes.bits, "");
        lanes.count = lanes.count ? LLVMBuildAdd(t->builder, there->count, lanes.count, "") : NULL;
    }
    *there = lanes;
    ways->some[to] = true;
}

/* Of these lanes, those that take a branch, and the others. */
static struct lanes part(struct translator *t, struct lanes lanes, LLVMValueRef takes, struct lanes *others)
{
    struct lanes taken = {NULL, NULL};
    *others = taken;
    if (!t->emit)
        return taken;
    taken.bits = LLVMBuildAnd(t->builder, lanes.bits, takes, "");
    others->bits = LLVMBuildAnd(t->builder, lanes.bits, LLVMBuildNot(t->builder, takes, ""), "");
    if (lanes.count) {
        taken.count = flat_lane_count(t, taken.bits);
        others->count = LLVMBuildSub(t->builder, lanes.count, taken.count, "");
    }
    return taken;
}

/* Do lanes that are elsewhere need what is in the register? */
static bool is_needed(const struct translator *t, const struct ways *ways, uint32_t head, uint32_t from, uint32_t join,
                      unsigned number)
{
    for (uint32_t i = from; i <= join; i++)
        if (ways->some[i - head] && in_v(&t->insts[i].live, number))
            return true;
    return false;
}

/* The result is kept in `lanes` only. */
static bool lower_for(struct translator *t, struct inst *inst, LLVMValueRef lanes)
{
    const unsigned number = (unsigned)field(inst, CY_FIELD_vd);
    LLVMValueRef before = vector_of(t, read_v(t, number));
    if (!lower(t, inst))
        return false;
    LLVMValueRef after = vector_of(t, read_v(t, number));
    write_v(t, number, vector(t, t->emit ? LLVMBuildSelect(t->builder, lanes, after, before, "") : NULL));
    return true;
}

bool lower_flat(struct translator *t, struct inst *branch, struct value condition)
{
    const uint32_t head = t->at, join = branch->rpc;
    struct ways ways = {0};
    struct lanes lanes = {NULL, NULL};
    bool some = true;
    if (t->emit)
        lanes.bits = splat(t, LLVMConstInt(t->i1, 1, false));
    if (t->emit && t->request->counts)
        lanes.count = flat_lane_count(t, lanes.bits);
    for (uint32_t i = head; i < join; i++) {
        struct inst *inst = &t->insts[i];
        if (ways.some[i - head]) {
            if (some)
                add_way(t, &ways, i - head, lanes);
            lanes = ways.lanes[i - head];
            some = true;
            ways.some[i - head] = false;
        }
        if (!inst->reachable || !some)
            continue;
        t->at = i;
        if (i != head)
            tally_flat(t, lanes.count);
        if (is_vector_branch(inst)) {
            LLVMValueRef takes = bits_of(t, i == head ? condition : evaluate(t, inst));
            struct lanes on, taken = part(t, lanes, takes, &on);
            tally_flat_sides(t, taken.count, on.count);
            add_way(t, &ways, inst->target - head, taken);
            add_way(t, &ways, inst->next - head, on);
            some = false;
        } else if (row_of(inst)->format == CY_FORMAT_JAL) {
            add_way(t, &ways, inst->target - head, lanes);
            some = false;
        } else {
            const int32_t number = field(inst, CY_FIELD_vd);
            const bool joins = is_join(t, i);
            const bool keeps = !joins && number >= 0 && is_needed(t, &ways, head, i + 1, join, (unsigned)number);
            if (keeps ? !lower_for(t, inst, lanes.bits) : !joins && !lower(t, inst))
                return false;
            add_way(t, &ways, inst->next - head, lanes);
            some = false;
        }
    }
    t->at = head;
    go_to(t, t->version, join);
    return true;
}
