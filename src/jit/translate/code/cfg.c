/* The code that a launch can reach, and what is known about each instruction before its values are analysed.
 *
 * Jumps through registers and the CSR rpc are resolved by following constants in sGPRs: start-up code jumps to the
 * kernel through the metadata, whose first word is part of the request, and setrpc takes an address from auipc. */
#include "base/graph.h"
#include "jit/translate/translator.h"

#include <stdarg.h>
#include <string.h>

bool cannot(struct translator *t, const char *format, ...)
{
    va_list args;
    if (t->failed)
        return false;
    t->failed = true;
    va_start(args, format);
    cy_buf_vprintf(t->why, format, args);
    va_end(args);
    return false;
}

bool is_vector_branch(const struct inst *inst)
{
    return inst->effects.flow == CY_FLOW_VECTOR_BRANCH && !inst->is_done;
}

/* ---- constants in sGPRs ---- */

enum fact { UNSEEN, KNOWN, METADATA, UNKNOWN }; /* METADATA: its address, plus the value */
struct known {
    uint8_t fact;
    uint32_t value;
};
struct facts {
    struct known x[64];
    struct known rpc;
    uint64_t others[4]; /* vGPRs that a lane may have changed from 0, which they are at the start */
};

static bool merge(struct known *into, struct known other)
{
    if (other.fact == UNSEEN || (into->fact == other.fact && (into->fact == UNKNOWN || into->value == other.value)))
        return false;
    if (into->fact == UNKNOWN)
        return false;
    *into = into->fact == UNSEEN ? other : (struct known){UNKNOWN, 0};
    return true;
}

static bool merge_facts(struct facts *into, const struct facts *other)
{
    bool changed = merge(&into->rpc, other->rpc);
    for (unsigned i = 0; i < 64; i++)
        changed |= merge(&into->x[i], other->x[i]);
    for (unsigned i = 0; i < 4; i++) {
        changed |= (other->others[i] & ~into->others[i]) != 0;
        into->others[i] |= other->others[i];
    }
    return changed;
}

static struct known plus(struct known a, uint32_t b)
{
    a.value += a.fact == KNOWN || a.fact == METADATA ? b : 0;
    return a;
}

/* The instruction's effect on sGPRs, as far as it computes code addresses. */
static void follow(const struct translator *t, const struct inst *inst, struct facts *facts)
{
    const struct cy_jit_request *request = t->request;
    const int32_t rd = field(inst, CY_FIELD_rd), rs1 = cy_insn_field(&inst->insn, CY_FIELD_rs1, 0);
    const uint32_t own = inst->pc + inst->insn.size - 4, imm = (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm12, 0);
    const uint32_t upper = (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm20, 0) << 12;
    const struct known base = facts->x[rs1];
    struct known result = {UNKNOWN, 0};
    switch (inst->insn.op) {
    case CY_OP_lui: result = (struct known){KNOWN, upper}; break;
    case CY_OP_auipc: result = (struct known){KNOWN, own + upper}; break;
    case CY_OP_jal:
    case CY_OP_jalr: result = (struct known){KNOWN, own + 4}; break;
    case CY_OP_addi: result = plus(base, imm); break;
    case CY_OP_setrpc: result = facts->rpc = plus(base, imm); break;
    case CY_OP_csrrs:
        if (field(inst, CY_FIELD_csr) == CY_CSR_KNL && !rs1)
            result = (struct known){METADATA, 0};
        break;
    case CY_OP_lw:
        if (base.fact == METADATA && !((base.value + imm) & 3) && (base.value + imm) / 4 < CY_JIT_METADATA_WORDS &&
            request->known >> (base.value + imm) / 4 & 1)
            result = (struct known){KNOWN, request->metadata[(base.value + imm) / 4]};
        break;
    default: break;
    }
    for (unsigned i = 0; rd > 0 && i < register_count(inst, CY_FIELD_rd); i++)
        facts->x[(unsigned)rd + i] = i || inst->is_wide ? (struct known){UNKNOWN, 0} : result;
    const bool is_zero = !inst->pairs && inst->insn.op == CY_OP_vmv_v_i && !field(inst, CY_FIELD_simm5);
    for (unsigned i = 0; i < 4; i++)
        facts->others[i] = is_zero ? facts->others[i] & ~inst->defs.v[i] : facts->others[i] | inst->defs.v[i];
}

static bool is_zero(const struct facts *facts, int32_t number)
{
    return !(facts->others[number >> 6] >> (number & 63) & 1);
}

/* ---- decoding ---- */

static uint32_t index_of(const struct translator *t, uint32_t pc)
{
    const uint32_t offset = pc - t->request->code_base;
    return offset & 3 || offset / 4 >= t->count ? NONE : offset / 4;
}

static struct regs regs_of(const struct cy_regs *set)
{
    return (struct regs){.x = set->x, .v = {set->v[0], set->v[1], set->v[2], set->v[3]}};
}

static bool decode(struct translator *t, uint32_t number)
{
    struct inst *inst = &t->insts[number];
    if (inst->reachable)
        return true;
    inst->reachable = true;
    inst->pc = t->request->code_base + 4 * number;
    inst->next = inst->target = inst->rpc = inst->group = inst->access = inst->store = NONE;
    if (cy_decode((enum cy_target)t->request->target, t->words + number, t->count - number, &inst->insn) !=
        CY_DECODE_OK)
        return cannot(t, "no instruction at 0x%x", inst->pc);
    if (!find_shape(t, inst))
        return false;
    inst->uses = regs_of(&inst->effects.reads);
    inst->defs = regs_of(&inst->effects.writes);
    return true;
}

/* ---- reaching ---- */

struct search {
    struct translator *t;
    struct facts *in;
    CY_VEC(uint32_t) work;
};

static bool reach(struct search *search, uint32_t number, const struct facts *facts)
{
    struct translator *t = search->t;
    if (number >= t->count)
        return cannot(t, "code runs out of its segment");
    const bool is_new = !t->insts[number].reachable;
    if (!decode(t, number))
        return false;
    if (merge_facts(&search->in[number], facts) || is_new)
        *cy_vec_push(&search->work) = number;
    return true;
}

static bool add_return(struct search *search, uint32_t number)
{
    struct translator *t = search->t;
    for (size_t i = 0; i < t->returns.count; i++)
        if (t->returns.at[i] == number)
            return true;
    *cy_vec_push(&t->returns) = number;
    for (uint32_t i = 0; i < t->count; i++) /* it is where every return can go */
        if (t->insts[i].reachable && t->insts[i].is_return)
            *cy_vec_push(&search->work) = i;
    return true;
}

static bool leave_indirectly(struct search *search, uint32_t number, uint32_t after, const struct facts *out)
{
    struct translator *t = search->t;
    struct inst *inst = &t->insts[number];
    const struct cy_operand *base = cy_effects_operand(&inst->effects, CY_ROLE_BASE),
                            *offset = cy_effects_operand(&inst->effects, CY_ROLE_OFFSET);
    const struct known from = search->in[number].x[base->value];
    if (inst->effects.is_call && !add_return(search, after))
        return false;
    if (from.fact == KNOWN && !inst->is_return) {
        inst->target = index_of(t, (from.value + (uint32_t)offset->value) & ~1u);
        return reach(search, inst->target, out);
    }
    if (!inst->effects.is_return)
        return cannot(t, "an indirect jump");
    inst->is_return = true;
    inst->target = NONE;
    for (size_t i = 0; i < t->returns.count; i++)
        if (!reach(search, t->returns.at[i], out))
            return false;
    return true;
}

static bool find_join(struct translator *t, struct inst *inst, const struct facts *out)
{
    if (out->rpc.fact != KNOWN)
        return cannot(t, "a reconvergence point that is not known");
    inst->rpc = index_of(t, out->rpc.value);
    if (inst->rpc >= t->count)
        return cannot(t, "a reconvergence point outside the code");
    inst->is_zero = (uint8_t)(is_zero(out, field(inst, CY_FIELD_vs1)) | is_zero(out, field(inst, CY_FIELD_vs2)) << 1);
    return true;
}

static bool leave(struct search *search, uint32_t number)
{
    struct translator *t = search->t;
    struct inst *inst = &t->insts[number];
    struct facts out = search->in[number];
    const uint32_t after = number + inst->insn.size / 4;
    const uint32_t target = index_of(t, cy_effects_target(&inst->effects, &inst->insn, inst->pc));
    const enum cy_flow_kind flow = (enum cy_flow_kind)inst->effects.flow;
    follow(t, inst, &out);
    switch (flow) {
    case CY_FLOW_END: return true;
    case CY_FLOW_JUMP:
        inst->target = target;
        return (!inst->effects.is_call || add_return(search, after)) && reach(search, inst->target, &out);
    case CY_FLOW_INDIRECT: return leave_indirectly(search, number, after, &out);
    case CY_FLOW_VECTOR_BRANCH:
        if (out.rpc.fact == UNSEEN)
            return true;
        if (!find_join(t, inst, &out))
            return false;
        /* fall through */
    case CY_FLOW_BRANCH:
        inst->target = target;
        inst->next = after;
        return reach(search, after, &out) && reach(search, inst->target, &out) &&
               (flow != CY_FLOW_VECTOR_BRANCH || reach(search, inst->rpc, &out));
    default: inst->next = after; return reach(search, after, &out);
    }
}

static bool find_reachable(struct translator *t)
{
    struct search search = {.t = t};
    struct facts start = {.rpc = {UNKNOWN, 0}};
    for (unsigned i = 0; i < 64; i++)
        start.x[i] = (struct known){KNOWN, 0};
    search.in = cy_arena_alloc(&t->arena, ((size_t)t->count + 1) * sizeof(*search.in));
    memset(search.in, 0, ((size_t)t->count + 1) * sizeof(*search.in));
    bool ok = reach(&search, t->start, &start);
    while (ok && search.work.count)
        ok = leave(&search, search.work.at[--search.work.count]);
    cy_vec_free(&search.work);
    return ok;
}

/* ---- blocks ---- */

static void mark_leader(struct translator *t, uint32_t number)
{
    if (number != NONE)
        t->insts[number].is_leader = true;
}

static bool ends_block(const struct inst *inst)
{
    return inst->effects.flow != CY_FLOW_NEXT;
}

static void make_blocks(struct translator *t)
{
    mark_leader(t, t->start);
    for (size_t i = 0; i < t->returns.count; i++)
        mark_leader(t, t->returns.at[i]);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].reachable && ends_block(&t->insts[i])) {
            mark_leader(t, t->insts[i].next);
            mark_leader(t, t->insts[i].target);
            mark_leader(t, t->insts[i].rpc);
        }
    for (uint32_t i = 0; i < t->count; i++) {
        if (!t->insts[i].reachable || !t->insts[i].is_leader)
            continue;
        uint32_t last = i;
        while (!ends_block(&t->insts[last]) && !t->insts[t->insts[last].next].is_leader)
            last = t->insts[last].next;
        for (uint32_t k = i; k != last; k = t->insts[k].next)
            t->insts[k].block = (uint32_t)t->blocks.count;
        t->insts[last].block = (uint32_t)t->blocks.count;
        *cy_vec_push(&t->blocks) = (struct block){i, last};
    }
}

/* ---- liveness ---- */

void unite(struct regs *into, const struct regs *other)
{
    into->x |= other->x;
    for (unsigned i = 0; i < 4; i++)
        into->v[i] |= other->v[i];
}

/* Where a lane goes that executes an instruction: a node for each instruction, and one, t->count, from which returns go
 * to all return sites. */
static struct cy_graph lanes_graph(const struct translator *t, struct cy_arena *arena)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        const struct inst *inst = &t->insts[i];
        if (!inst->reachable)
            continue;
        if (inst->next != NONE)
            *cy_vec_push(&edges) = (struct cy_edge){i, inst->next};
        if (inst->target != NONE)
            *cy_vec_push(&edges) = (struct cy_edge){i, inst->target};
        if (inst->is_return)
            *cy_vec_push(&edges) = (struct cy_edge){i, t->count};
    }
    for (size_t i = 0; i < t->returns.count; i++)
        *cy_vec_push(&edges) = (struct cy_edge){t->count, t->returns.at[i]};
    const struct cy_graph graph = cy_graph_make(arena, t->count + 1, edges.at, edges.count);
    cy_vec_free(&edges);
    return graph;
}

static void find_live(struct translator *t)
{
    struct cy_arena scratch = {0};
    const struct cy_graph graph = lanes_graph(t, &scratch);
    const size_t bytes = ((size_t)t->count + 1) * sizeof(struct regs);
    struct regs *live = cy_arena_alloc(&scratch, bytes), *kill = cy_arena_alloc(&scratch, bytes);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].reachable) {
            live[i] = t->insts[i].uses;
            kill[i] = t->insts[i].defs;
        }
    cy_graph_flow_back(&graph, &(struct cy_flow){.words = sizeof(struct regs) / sizeof(uint64_t),
                                                 .in = (uint64_t *)live,
                                                 .out = cy_arena_alloc(&scratch, bytes),
                                                 .kill = (uint64_t *)kill});
    for (uint32_t i = 0; i < t->count; i++)
        t->insts[i].live = live[i];
    cy_arena_free(&scratch);
}

/* Between vector branches and the join where they reconverge, lanes may wait there or at the target of any of these
 * branches.  The registers that they need must survive. */
static void find_kept(struct translator *t)
{
    struct cy_arena scratch = {0};
    const struct cy_graph graph = lanes_graph(t, &scratch);
    struct cy_graph_region region = cy_graph_region(&scratch, &graph);
    for (size_t k = 0; k < t->joins.count; k++) {
        const uint32_t number = t->joins.at[k];
        struct inst *join = &t->insts[number];
        struct regs keep = join->live;
        cy_graph_region_begin(&region, number);
        for (uint32_t i = 0; i < t->count; i++) {
            const struct inst *inst = &t->insts[i];
            if (!inst->reachable || !is_vector_branch(inst) || inst->rpc != number)
                continue;
            unite(&keep, &t->insts[inst->target].live);
            if ((t->in_order || inst->is_target_first) && inst->next != NONE)
                unite(&keep, &t->insts[inst->next].live);
            for (uint32_t s = graph.succ_start[i]; s < graph.succ_start[i + 1]; s++)
                cy_graph_region_add(&region, graph.succ[s]);
        }
        unite(&join->keep, &keep); /* from where they are sent off */
        for (uint32_t i = 0; i < region.count; i++)
            if (region.node[i] != t->count)
                unite(&t->insts[region.node[i]].keep, &keep);
        for (uint32_t i = 0; i < t->count; i++)
            if (t->insts[i].reachable && is_vector_branch(&t->insts[i]) && t->insts[i].rpc == number)
                t->insts[i].is_inside = cy_graph_region_has(&region, i);
    }
    cy_arena_free(&scratch);
}

/* ---- joins ---- */

static void add_pending(struct translator *t, uint32_t join, uint32_t target)
{
    for (size_t i = 0; i < t->pendings.count; i++)
        if (t->pendings.at[i].join == join && t->pendings.at[i].target == target)
            return;
    *cy_vec_push(&t->pendings) = (struct pending){join, target, NULL};
}

static bool add_join(struct translator *t, const struct inst *inst)
{
    bool known = false;
    if (t->insts[inst->rpc].insn.op != CY_OP_join)
        return cannot(t, "lanes that meet at no join");
    for (size_t i = 0; i < t->joins.count; i++)
        known |= t->joins.at[i] == inst->rpc;
    if (!known)
        *cy_vec_push(&t->joins) = inst->rpc;
    if (inst->target == inst->rpc || inst->next == inst->rpc)
        return true;
    if (!inst->is_target_first)
        add_pending(t, inst->rpc, inst->target);
    if (t->in_order || inst->is_target_first)
        add_pending(t, inst->rpc, inst->next);
    return true;
}

bool find_code(struct translator *t)
{
    t->count = t->request->code_bytes / 4;
    t->insts = cy_arena_alloc(&t->arena, ((size_t)t->count + 2) * sizeof(*t->insts));
    memset(t->insts, 0, ((size_t)t->count + 2) * sizeof(*t->insts));
    t->start = index_of(t, t->request->start);
    if (t->start == NONE)
        return cannot(t, "a start outside the code");
    if (!find_reachable(t))
        return false;
    t->in_lockstep = t->request->exchanges;
    if (!t->request->exchanges) { /* the lanes' order would show: LR and SC are executed one by one */
        find_live(t);
        find_compare_exchanges(t);
    }
    leave_to_interpreter(t);
    choose_first_sides(t);
    for (uint32_t i = 0; i < t->count; i++) {
        struct inst *inst = &t->insts[i];
        if (!inst->reachable || !is_vector_branch(inst))
            continue;
        if (inst->rpc == NONE)
            return cannot(t, "a vector branch without setrpc");
        if (!add_join(t, inst))
            return false;
    }
    make_blocks(t);
    find_live(t);
    find_kept(t);
    keep_what_others_see(t);
    return true;
}

/* ---- strips across warps ---- */

struct parts { /* registers that hold the number of a warp's first thread, and of a lane */
    uint64_t first;
    struct regs lane;
};

static bool has_parts(const struct parts *parts, const struct regs *in)
{
    bool found = (parts->first & in->x) != 0;
    for (unsigned i = 0; i < 4; i++)
        found |= (parts->lane.v[i] & in->v[i]) != 0;
    return found;
}

static bool follow_parts(const struct inst *inst, struct parts *parts)
{
    const bool reads_csr = inst->insn.op == CY_OP_csrrs;
    const int32_t csr = reads_csr ? field(inst, CY_FIELD_csr) : -1;
    const bool is_sum = inst->insn.op == CY_OP_vadd_vx && parts->first >> field(inst, CY_FIELD_rs1) & 1 &&
                        in_v(&parts->lane, (unsigned)field(inst, CY_FIELD_vs2));
    if ((!is_sum && has_parts(parts, &inst->uses)) || csr == CY_CSR_WID ||
        inst->effects.access.addressing == CY_ADDRESS_UNIT)
        return false;
    parts->first &= ~inst->defs.x;
    for (unsigned i = 0; i < 4; i++)
        parts->lane.v[i] &= ~inst->defs.v[i];
    if (csr == CY_CSR_TID)
        parts->first |= inst->defs.x;
    if (inst->insn.op == CY_OP_vid_v)
        unite(&parts->lane, &(struct regs){.v = {inst->defs.v[0], inst->defs.v[1], inst->defs.v[2], inst->defs.v[3]}});
    return true;
}

/* The number of a lane or of a warp is used only in the sum that is the work-item's number. */
bool may_straddle_warps(const struct translator *t)
{
    for (size_t i = 0; i < t->blocks.count; i++) {
        const struct block *block = &t->blocks.at[i];
        struct parts parts = {0};
        for (uint32_t k = block->first;; k = t->insts[k].next) {
            if (!follow_parts(&t->insts[k], &parts))
                return false;
            if (k == block->last)
                break;
        }
        const struct inst *last = &t->insts[block->last];
        const uint32_t ways[] = {last->next, last->target};
        for (size_t k = 0; k < CY_COUNT(ways); k++)
            if (ways[k] != NONE && has_parts(&parts, &t->insts[ways[k]].live))
                return false;
        if (last->is_return && has_parts(&parts, &(struct regs){.x = ~0ull, .v = {~0ull, ~0ull, ~0ull, ~0ull}}))
            return false;
    }
    return true;
}
