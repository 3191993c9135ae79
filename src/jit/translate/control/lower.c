/* One instruction, and the edges between blocks. */
#include "jit/translate/translator.h"

#include <string.h>

/* ---- states ---- */

void unblend(struct state *state)
{
    for (unsigned i = 0; i < 256; i++)
        if (state->v[i].is_blended || state->v[i].is_line || state->v[i].is_known)
            state->v[i] = (struct class){.kind = VECTOR};
    unblend_pairs(state);
}

bool is_equal_class(const struct class *a, const struct class *b)
{
    return a->kind == b->kind && a->pointer == b->pointer && a->is_const == b->is_const && a->in_group == b->in_group &&
           a->is_blended == b->is_blended && a->is_line == b->is_line && a->is_computed == b->is_computed &&
           a->is_item == b->is_item && a->is_bool == b->is_bool && a->is_known == b->is_known && a->align == b->align &&
           a->constant == b->constant && a->stride == b->stride && a->item_factor == b->item_factor &&
           a->lane_factor == b->lane_factor && a->group_align == b->group_align && a->table == b->table &&
           a->origin == b->origin && a->dimension == b->dimension;
}

struct class merged_class(const struct class *a, const struct class *b, bool meeting)
{
    if (is_equal_class(a, b))
        return *a;
    if (a->kind == VECTOR || b->kind == VECTOR || a->stride != b->stride)
        return (struct class){.kind = VECTOR,
                              .is_line = a->is_line && b->is_line,
                              .is_computed = is_from_ids(a) && is_from_ids(b),
                              .is_bool = is_boolean(a) && is_boolean(b),
                              .is_known = a->is_known && b->is_known};
    struct class both = {.kind = a->kind, .stride = a->stride, .is_bool = is_boolean(a) && is_boolean(b)};
    both.is_blended = a->is_blended || b->is_blended;
    both.align = a->align < b->align ? a->align : b->align;
    if (a->is_const && b->is_const && a->constant == b->constant) {
        both.is_const = both.in_group = true;
        both.constant = a->constant;
    } else {
        both.in_group = a->in_group && b->in_group && a->item_factor == b->item_factor &&
                        a->lane_factor == b->lane_factor && !meeting;
        both.group_align = a->group_align < b->group_align ? a->group_align : b->group_align;
        both.item_factor = both.in_group ? a->item_factor : 0;
        both.lane_factor = both.in_group ? a->lane_factor : 0;
    }
    return both;
}

static bool merge_class(struct class *into, const struct class *from, bool meeting)
{
    const struct class both = merged_class(into, from, meeting);
    const bool changed = !is_equal_class(&both, into);
    *into = both;
    return changed;
}

bool merge_states(struct translator *t, struct state **into, const struct state *from, const struct regs *live,
                  bool meeting)
{
    const struct class none = {.kind = UNIFORM, .is_const = true, .in_group = true};
    bool changed = false;
    if (!*into) {
        *into = cy_arena_alloc(&t->arena, sizeof(**into));
        **into = *from;
        merge_pairs(t, *into, from, live, meeting, true);
        for (unsigned i = 0; i < 64; i++) /* dead */
            if (!in_x(live, i))
                (*into)->x[i] = none;
        for (unsigned i = 0; i < 256; i++)
            if (!in_v(live, i))
                (*into)->v[i] = none;
        return true;
    }
    changed = merge_pairs(t, *into, from, live, meeting, false);
    for (unsigned i = 0; i < 64; i++)
        if (in_x(live, i))
            changed |= merge_class(&(*into)->x[i], &from->x[i], meeting);
    for (unsigned i = 0; i < 256; i++)
        if (in_v(live, i) && !(*into)->is_pair[i / 2] && !from->is_pair[i / 2])
            changed |= merge_class(&(*into)->v[i], &from->v[i], meeting);
    return changed;
}

/* ---- strips that diverge from each other ---- */

static void reach(struct translator *t, uint32_t from, uint32_t end)
{
    CY_VEC(uint32_t) work = {0};
    bool *seen = cy_arena_alloc(&t->arena, t->count);
    memset(seen, 0, t->count);
    *cy_vec_push(&work) = from;
    while (work.count) {
        const struct inst *inst = &t->insts[work.at[--work.count]];
        uint32_t to[2] = {inst->next, inst->target};
        const size_t returns = inst->is_return ? t->returns.count : 0;
        for (size_t i = 0; i < 2 + returns; i++) {
            const uint32_t number = i < 2 ? to[i] : t->returns.at[i - 2];
            if (number == NONE || number == end || seen[number])
                continue;
            seen[number] = true;
            t->varies_more |= !t->varying[number];
            t->varying[number] = t->meeting[number] = true;
            *cy_vec_push(&work) = number;
        }
    }
    cy_vec_free(&work);
}

void strips_vary(struct translator *t, uint32_t from, uint32_t end)
{
    if (t->emit)
        return;
    if (end != NONE) {
        t->varies_more |= !t->meeting[end];
        t->meeting[end] = true;
    }
    reach(t, from, end);
}

/* ---- ways ---- */

LLVMBasicBlockRef new_block(struct translator *t, const char *name)
{
    return t->emit ? LLVMAppendBasicBlockInContext(t->context, t->function, name) : NULL;
}

void branch(struct translator *t, LLVMValueRef condition, LLVMBasicBlockRef then, LLVMBasicBlockRef otherwise)
{
    if (t->emit)
        LLVMBuildCondBr(t->builder, condition, then, otherwise);
}

void work_on(struct translator *t, uint32_t node)
{
    if (!t->nodes[node].queued)
        *cy_vec_push(&t->work) = node;
    t->nodes[node].queued = true;
}

/* Converts the registers to the form the block expects. */
static void convert(struct translator *t, const struct state *to, const struct regs *live)
{
    const struct state before = t->now;
    convert_pairs(t, to, live);
    for (unsigned i = 0; i < 256; i++) {
        const struct class *have = &t->now.v[i], *want = &to->v[i];
        if (!in_v(live, i) || have->kind == VECTOR || have->is_blended || to->is_pair[i / 2])
            continue;
        if (want->kind == VECTOR || want->is_blended)
            LLVMBuildStore(t->builder, vector_of(t, read_v(t, i)), t->vv[i]);
    }
    t->now = before;
}

/* A loop: the launch may have been stopped meanwhile. */
static void poll(struct translator *t)
{
    LLVMBasicBlockRef count = new_block(t, "count"), ask = new_block(t, "poll"), on = new_block(t, "turn");
    LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i32, t->polls, "");
    LLVMBuildCondBr(t->builder, loop_poll(t, before), on, count);
    LLVMPositionBuilderAtEnd(t->builder, count);
    LLVMValueRef left = LLVMBuildSub(t->builder, before, number32(t, 1), "");
    LLVMBuildStore(t->builder, left, t->polls);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntSLT, left, number32(t, 0), ""), ask, on);
    LLVMPositionBuilderAtEnd(t->builder, ask);
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, poll), &t->frame, 1));
    LLVMBuildStore(t->builder, number32(t, CY_JIT_POLL), t->polls);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

struct regs needed_at(const struct translator *t, enum version version, uint32_t number)
{
    const struct inst *inst = &t->insts[number];
    struct regs needed = inst->live;
    if (version == MASKED)
        unite(&needed, &inst->keep);
    return needed;
}

LLVMBasicBlockRef way_to(struct translator *t, enum version version, uint32_t number)
{
    const struct regs needed = needed_at(t, version, number);
    const struct inst *inst = &t->insts[number];
    const uint32_t index = (t->phase * VERSIONS + version) * (uint32_t)t->blocks.count + inst->block;
    struct node *node = &t->nodes[index];
    if (!t->emit) {
        const bool has_opened = version != FULL && merge_open(t, node);
        if (merge_states(t, &node->in, &t->now, &needed, t->meeting[number]) || !node->reached || has_opened)
            work_on(t, index);
        node->reached = true;
        return NULL;
    }
    LLVMBasicBlockRef from = LLVMGetInsertBlock(t->builder), way = new_block(t, "way");
    LLVMPositionBuilderAtEnd(t->builder, way);
    convert(t, node->in, &needed);
    clear_unopened(t, node);
    if (number <= t->at)
        poll(t);
    LLVMBuildBr(t->builder, node->block);
    LLVMPositionBuilderAtEnd(t->builder, from);
    return way;
}

void go_to(struct translator *t, enum version version, uint32_t number)
{
    LLVMBasicBlockRef way = way_to(t, version, number);
    if (t->emit)
        LLVMBuildBr(t->builder, way);
}

/* ---- scalar jumps ---- */

/* Where two registers are equal, what is known about one holds for the other. */
static LLVMBasicBlockRef way_if_equal(struct translator *t, const struct inst *inst, uint32_t to)
{
    const unsigned a = (unsigned)field(inst, CY_FIELD_rs1), b = (unsigned)field(inst, CY_FIELD_rs2);
    const struct class first = read_x(t, a).class, second = read_x(t, b).class;
    const struct class before[] = {t->now.x[a], t->now.x[b]};
    if (a && second.is_const && !second.pointer)
        t->now.x[a] = second;
    else if (b && first.is_const && !first.pointer)
        t->now.x[b] = first;
    LLVMBasicBlockRef way = way_to(t, t->version, to);
    t->now.x[a] = before[0];
    t->now.x[b] = before[1];
    return way;
}

static bool lower_branch(struct translator *t, struct inst *inst)
{
    struct value condition = evaluate(t, inst);
    if (condition.class.is_const) {
        go_to(t, t->version, condition.class.constant ? inst->target : inst->next);
        return true;
    }
    if (!is_shared(&condition.class))
        strips_vary(t, t->at, NONE);
    const enum cy_op op = inst->insn.op;
    LLVMBasicBlockRef target =
        op == CY_OP_beq ? way_if_equal(t, inst, inst->target) : way_to(t, t->version, inst->target);
    LLVMBasicBlockRef next = op == CY_OP_bne ? way_if_equal(t, inst, inst->next) : way_to(t, t->version, inst->next);
    branch(t, condition.scalar, target, next);
    return true;
}

static bool lower_jump(struct translator *t, struct inst *inst)
{
    struct value to = inst->is_return ? read_x(t, (unsigned)field(inst, CY_FIELD_rs1)) : constant(t, 0);
    write_x(t, (unsigned)field(inst, CY_FIELD_rd), constant(t, inst->pc + inst->insn.size));
    if (!inst->is_return) {
        go_to(t, t->version, inst->target);
        return true;
    }
    if (!is_shared(&to.class))
        strips_vary(t, t->at, NONE);
    for (size_t i = 0; i < t->returns.count; i++) {
        const uint32_t site = t->returns.at[i];
        LLVMBasicBlockRef way = way_to(t, t->version, site), other = new_block(t, "elsewhere");
        if (!t->emit)
            continue;
        LLVMValueRef is_it = LLVMBuildICmp(t->builder, LLVMIntEQ, to.scalar, number32(t, t->insts[site].pc), "");
        LLVMBuildCondBr(t->builder, is_it, way, other);
        LLVMPositionBuilderAtEnd(t->builder, other);
    }
    if (t->emit)
        trap(t, inst->access, CY_JIT_TRAP, active_bits(t));
    return true;
}

/* ---- control registers ---- */

static struct value frame_value(struct translator *t, size_t offset)
{
    return uniform(t, frame_word(t, offset), true);
}

static bool lower_csr(struct translator *t, struct inst *inst)
{
    const uint32_t csr = (uint32_t)field(inst, CY_FIELD_csr), threads = t->request->threads;
    const unsigned rd = (unsigned)field(inst, CY_FIELD_rd), rs1 = (unsigned)cy_insn_field(&inst->insn, CY_FIELD_rs1, 1);
    const unsigned warp_bits = (unsigned)__builtin_ctz(threads);
    struct value value;
    if (inst->insn.op == CY_OP_csrrw && csr == CY_CSR_UNIMP && !rd && !rs1) {
        if (t->emit) {
            trap(t, inst->access, CY_JIT_TRAP, active_bits(t));
            LLVMPositionBuilderAtEnd(t->builder, new_block(t, "never"));
        }
        return true;
    }
    if (inst->insn.op != CY_OP_csrrs || rs1)
        return cannot(t, "%s of a CSR", row_of(inst)->mnemonic);
    switch (csr) {
    case CY_CSR_KNL:
        value = frame_value(t, offsetof(struct cy_jit_frame, metadata));
        value.class.pointer = TO_METADATA;
        break;
    case CY_CSR_TID:
        value = affine(t, t->emit ? LLVMBuildAnd(t->builder, t->item, number32(t, ~(threads - 1)), "") : NULL, 0,
                       warp_bits, true);
        value.class.item_factor = 1;
        value.class.lane_factor = t->lanes == threads ? 0 : UINT32_MAX;
        value.class.is_item = true;
        value.class.group_align = 31;
        break;
    case CY_CSR_WID:
        value = uniform(t, t->emit ? LLVMBuildLShr(t->builder, t->item, number32(t, warp_bits), "") : NULL, false);
        break;
    case CY_CSR_NUMW: value = constant(t, t->request->warps); break;
    case CY_CSR_NUMT: value = constant(t, threads); break;
    case CY_CSR_WGID: value = frame_value(t, offsetof(struct cy_jit_frame, workgroup)); break;
    case CY_CSR_LDS: value = frame_value(t, offsetof(struct cy_jit_frame, lds)); break;
    case CY_CSR_PDS: value = frame_value(t, offsetof(struct cy_jit_frame, pds)); break;
    case CY_CSR_GIDX: value = frame_value(t, offsetof(struct cy_jit_frame, group[0])); break;
    case CY_CSR_GIDY: value = frame_value(t, offsetof(struct cy_jit_frame, group[1])); break;
    case CY_CSR_GIDZ: value = frame_value(t, offsetof(struct cy_jit_frame, group[2])); break;
    default: return cannot(t, "CSR 0x%x", csr);
    }
    if (csr >= CY_CSR_GIDX && csr <= CY_CSR_GIDZ) {
        value.class.origin = GROUP_NUMBER;
        value.class.dimension = (uint8_t)(csr - CY_CSR_GIDX);
    }
    write_x(t, rd, value);
    return true;
}

/* ---- everything else ---- */

static bool lower_vsetvli(struct translator *t, struct inst *inst)
{
    const uint32_t vtype = (uint32_t)field(inst, CY_FIELD_vtype11);
    if (inst->insn.op != CY_OP_vsetvli || field(inst, CY_FIELD_rs1) || (vtype & ~0xc0u) != 2 << 3)
        return cannot(t, "another vtype than e32, m1");
    write_x(t, (unsigned)field(inst, CY_FIELD_rd), constant(t, t->request->threads));
    return true;
}

static void lower_vid(struct translator *t, struct inst *inst)
{
    const uint32_t threads = t->request->threads;
    LLVMValueRef lane = t->emit ? LLVMBuildAnd(t->builder, t->item, number32(t, threads - 1), "") : NULL;
    struct value id = affine(t, lane, 1, item_align(t), true);
    uint32_t numbers[CY_JIT_MAX_STRIP];
    for (uint32_t i = 0; i < t->w; i++)
        numbers[i] = i;
    id.class.lane_factor = 1;
    id.class.is_item = true;
    id.class.group_align = 31;
    if (t->version == ALONE)
        id = uniform(t, t->emit ? LLVMBuildAdd(t->builder, lane, lane_number(t), "") : NULL, false);
    else if (t->lanes == threads && threads > 1) {
        id = table_value(t, numbers);
        id.class.is_item = true;
    }
    write_v(t, (unsigned)field(inst, CY_FIELD_vd), id);
}

/* The value of the last active lane. */
static void lower_read_lane(struct translator *t, struct inst *inst)
{
    struct value from = read_v(t, (unsigned)field(inst, CY_FIELD_vs2));
    LLVMValueRef word = NULL;
    if (from.class.kind != UNIFORM) {
        if (t->emit) {
            LLVMValueRef bits = active_bits(t), zero = LLVMConstInt(t->i1, 0, false), args[] = {bits, zero};
            LLVMValueRef last =
                LLVMBuildSub(t->builder, number32(t, 31), intrinsic(t, "llvm.ctlz", t->i32, args, 2), "");
            word = LLVMBuildExtractElement(t->builder, vector_of(t, from), last, "");
        }
        from = uniform(t, word, false);
    }
    write_x(t, (unsigned)field(inst, CY_FIELD_rd), from);
}

static bool uses_ids_only(const struct translator *t, const struct inst *inst)
{
    for (unsigned r = 0; r < 256; r++)
        if (in_v(&inst->uses, r) && (t->now.is_pair[r / 2] || !is_from_ids(&t->now.v[r])))
            return false;
    return true;
}

static bool lower_expression(struct translator *t, struct inst *inst)
{
    const int32_t rd = field(inst, CY_FIELD_rd), vd = field(inst, CY_FIELD_vd);
    const int32_t rounding = cy_insn_field(&inst->insn, CY_FIELD_rm, 7);
    if (inst->effects.is_masked)
        return cannot(t, "masks in v0");
    if (inst->is_wide)
        return rounding == 0 || rounding == 7 ? lower_wide(t, inst) : cannot(t, "rounding modes");
    if (rounding == 1 && (inst->insn.op == CY_OP_fcvt_w_s || inst->insn.op == CY_OP_fcvt_wu_s)) {
        struct value from = read_x(t, (unsigned)field(inst, CY_FIELD_rs1));
        write_x(t, (unsigned)rd, convert_towards_zero(t, from, inst->insn.op == CY_OP_fcvt_w_s));
        return true;
    }
    if (rounding != 0 && rounding != 7)
        return cannot(t, "rounding modes");
    /* bits, or parts of elements, that are in other lanes' registers */
    if (inst->effects.crosses_lanes || row_of(inst)->format == CY_FORMAT_V1)
        return cannot(t, "%s", row_of(inst)->mnemonic);
    if (inst->moves_pair && t->now.is_pair[field(inst, CY_FIELD_vs1) / 2] && t->pairs[vd / 2].is_used) {
        write_pair(t, (unsigned)vd, read_active_pair(t, (unsigned)field(inst, CY_FIELD_vs1)));
        t->is_moved = true;
        return true;
    }
    if (inst->tagged)
        check_tag(t, inst);
    struct value value = evaluate(t, inst);
    value.class.is_computed = value.class.kind == VECTOR && uses_ids_only(t, inst);
    if (rd >= 0)
        write_x(t, (unsigned)rd, value);
    else
        write_v(t, (unsigned)vd, value);
    return !t->failed;
}

/* Hosts order all but loads after stores at little or no cost. */
static void lower_fence(struct translator *t, const struct inst *inst)
{
    enum { WRITES = 5, READS = 10 }; /* iorw */
    const int32_t before = field(inst, CY_FIELD_pred), after = field(inst, CY_FIELD_succ);
    LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
    if (inst->insn.op == CY_OP_fence_tso)
        order = LLVMAtomicOrderingAcquireRelease;
    else if (!(before & WRITES))
        order = LLVMAtomicOrderingAcquire;
    else if (!(after & READS))
        order = LLVMAtomicOrderingRelease;
    forget_chunks(t);
    LLVMBuildFence(t->builder, order, false, "");
}

bool lower(struct translator *t, struct inst *inst)
{
    const uint32_t own = inst->pc + inst->insn.size - 4;
    const uint32_t upper = (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm20, 0) << 12;
    if (t->is_moved) {
        t->is_moved = false;
        return true;
    }
    if (inst->is_interpreted) {
        lower_interpreted(t, inst);
        return true;
    }
    if (is_access(inst))
        return lower_access(t, inst);
    if (row_of(inst)->flags & CY_F_ATOMIC)
        return lower_atomic(t, inst);
    switch (row_of(inst)->format) {
    case CY_FORMAT_U:
        write_x(t, (unsigned)field(inst, CY_FIELD_rd), constant(t, inst->insn.op == CY_OP_lui ? upper : own + upper));
        return true;
    case CY_FORMAT_SETRPC: {
        struct value base = read_x(t, (unsigned)field(inst, CY_FIELD_rs1));
        write_x(t, (unsigned)field(inst, CY_FIELD_rd),
                binary(t, ADD, base, constant(t, (uint32_t)field(inst, CY_FIELD_imm12))));
        return true;
    }
    case CY_FORMAT_BRANCH: return lower_branch(t, inst);
    case CY_FORMAT_JAL:
    case CY_FORMAT_JALR: return lower_jump(t, inst);
    case CY_FORMAT_VB:
        if (!inst->is_done)
            return lower_vector_branch(t, inst);
        go_to(t, t->version, inst->next);
        return true;
    case CY_FORMAT_JOIN: return lower_join(t, inst);
    case CY_FORMAT_ENDPRG: return lower_end(t, inst);
    case CY_FORMAT_BARRIER: return lower_barrier(t, inst);
    case CY_FORMAT_CSRR:
    case CY_FORMAT_CSRI: return lower_csr(t, inst);
    case CY_FORMAT_VSETVLI:
    case CY_FORMAT_VSETIVLI:
    case CY_FORMAT_VSETVL: return lower_vsetvli(t, inst);
    case CY_FORMAT_VID:
        if (cy_insn_field(&inst->insn, CY_FIELD_vm, 1) == 0)
            return cannot(t, "masks in v0");
        lower_vid(t, inst);
        return true;
    case CY_FORMAT_MVXS: lower_read_lane(t, inst); return true;
    case CY_FORMAT_FENCE:
    case CY_FORMAT_FIXED: /* fence.tso */
        if (t->emit)
            lower_fence(t, inst);
        return true;
    default:
        if (!row_of(inst)->is_expression)
            return cannot(t, "%s", row_of(inst)->mnemonic);
        return lower_expression(t, inst);
    }
}
