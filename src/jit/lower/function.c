/* The function that runs a workgroup: its phases, the strips of each, blocks, and where they go. */
#include "jit/lower/lower.h"

#include "base/graph.h"

#include <string.h>

enum { ENDED = -1, STATE_BYTES = 64 };

/* ---- phis ---- */

static LLVMTypeRef lower_phi_type(const struct lower *l, const struct cy_sir_insn *phi, bool is_vector)
{
    LLVMTypeRef type = lower_type(l, (enum cy_sir_type)phi->type);
    return is_vector ? LLVMVectorType(type, l->t->w) : type;
}

/* What the phi gets from its nth predecessor, made at that one's end; the same for each edge from there. */
static LLVMValueRef incoming(struct lower *l, cy_sir_value phi, const struct cy_sir_block *block, size_t nth)
{
    const cy_sir_value value = l->func->phi_args.at[cy_sir_at(l->func, phi)->args[0] + nth];
    const uint32_t pred = block->preds.at[nth];
    const bool has_many = cy_sir_succ_count(&l->func->blocks.at[pred]) > 1;
    for (unsigned i = 0; has_many && i < LLVMCountIncoming(l->values[phi]); i++)
        if (LLVMGetIncomingBlock(l->values[phi], i) == l->ends[pred])
            return LLVMGetIncomingValue(l->values[phi], i);
    LLVMPositionBuilderBefore(l->t->builder, LLVMGetBasicBlockTerminator(l->ends[pred]));
    return lower_as(l, value, &l->shapes.value[phi]);
}

/* Of predecessors that are lowered in this phase. */
static void give_phis(struct lower *l, uint32_t number)
{
    const struct cy_sir_block *block = &l->func->blocks.at[number];
    for (size_t i = 0; i < block->list.count && cy_sir_at(l->func, block->list.at[i])->op == CY_SIR_PHI; i++)
        for (size_t k = 0; k < block->preds.count; k++) {
            LLVMBasicBlockRef from = l->ends[block->preds.at[k]];
            if (!from)
                continue;
            LLVMValueRef value = incoming(l, block->list.at[i], block, k);
            LLVMAddIncoming(l->values[block->list.at[i]], &value, &from, 1);
        }
}

/* ---- instructions ---- */

/* Iterations whose number is known before the loop need not be counted. */
static void poll(struct lower *l)
{
    struct translator *t = l->t;
    LLVMBasicBlockRef count = new_block(t, "count"), ask = new_block(t, "poll"), on = new_block(t, "iteration");
    LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i32, t->polls, "");
    LLVMBuildCondBr(t->builder, loop_poll(t, before), on, count);
    LLVMPositionBuilderAtEnd(t->builder, count);
    LLVMValueRef left = LLVMBuildSub(t->builder, before, number32(t, 1), "");
    LLVMBuildStore(t->builder, left, t->polls);
    make_rare(t, LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntSLT, left, number32(t, 0), ""), ask, on),
              true);
    LLVMPositionBuilderAtEnd(t->builder, ask);
    stop_if(t, call_rare_helper(t, offsetof(struct cy_jit_helpers, poll), &t->frame, 1));
    LLVMBuildStore(t->builder, number32(t, CY_JIT_POLL), t->polls);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

/* A row of the image's table that names the place. */
static uint32_t place_of_trap(struct lower *l, const struct cy_sir_insn *insn)
{
    if (insn->access != CY_SIR_NOTHING)
        return l->accesses[insn->access];
    *cy_vec_push(&l->t->accesses) = (struct cy_jit_access){.pc = insn->pc, .op = CY_OP_endprg, .size = 4, .words = 1};
    return (uint32_t)l->t->accesses.count - 1;
}

static void trap_lanes(struct lower *l, const struct cy_sir_insn *insn)
{
    struct translator *t = l->t;
    LLVMBasicBlockRef traps = new_block(t, "trap"), on = new_block(t, "on");
    LLVMValueRef bits = lower_bits(l, insn->mask);
    make_rare(t, LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, bits, number32(t, 0), ""), traps, on),
              true);
    LLVMPositionBuilderAtEnd(t->builder, traps);
    trap(t, place_of_trap(l, insn), (enum cy_jit_trap)insn->imm, bits);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

static LLVMValueRef lower_insn(struct lower *l, const struct cy_sir_insn *insn, bool is_vector)
{
    switch (insn->op) {
    case CY_SIR_PHI: return LLVMBuildPhi(l->t->builder, lower_phi_type(l, insn, is_vector), "");
    case CY_SIR_LOAD: return lower_load(l, insn, is_vector);
    case CY_SIR_STORE: lower_store(l, insn); return NULL;
    case CY_SIR_CHECK: lower_check(l, insn); return NULL;
    case CY_SIR_ATOMIC:
    case CY_SIR_CAS: return lower_atomic_op(l, insn);
    case CY_SIR_LR: return lower_reserve(l, insn);
    case CY_SIR_SC: return lower_store_reserved(l, insn);
    case CY_SIR_FENCE: lower_fence(l, insn); return NULL;
    case CY_SIR_ANY:
    case CY_SIR_ALL:
    case CY_SIR_POPCOUNT:
    case CY_SIR_FIRST:
    case CY_SIR_EXTRACT:
    case CY_SIR_INSERT:
    case CY_SIR_LAST: return lower_lanes(l, insn);
    case CY_SIR_GET:
    case CY_SIR_SET:
    case CY_SIR_SAVE:
    case CY_SIR_RESTORE:
    case CY_SIR_PUT_X:
    case CY_SIR_PUT_V:
    case CY_SIR_GET_X:
    case CY_SIR_GET_V:
    case CY_SIR_INTERPRET: return lower_cell(l, insn, is_vector);
    case CY_SIR_COUNT: lower_count(l, insn); return NULL;
    case CY_SIR_POLL: poll(l); return NULL;
    case CY_SIR_TRAP: trap_lanes(l, insn); return NULL;
    case CY_SIR_BARRIERSUB: /* lanes of a strip are together */
    case CY_SIR_PREFETCH: return NULL;
    default: return lower_pure(l, insn, is_vector);
    }
}

/* ---- where blocks go ---- */

/* Strips that wait must wait for the same phase. */
static void end_phase(struct lower *l, const struct cy_sir_block *block)
{
    struct translator *t = l->t;
    LLVMValueRef own = number32(t, block->phase);
    if (!l->outcome->differs) {
        LLVMBuildStore(t->builder, own, t->next);
        LLVMBuildBr(t->builder, l->strip_end);
        return;
    }
    LLVMBasicBlockRef mixed = new_block(t, "mixed"), agreed = new_block(t, "agreed");
    LLVMValueRef next = LLVMBuildLoad2(t->builder, t->i32, t->next, "");
    LLVMValueRef is_first = LLVMBuildICmp(t->builder, LLVMIntEQ, next, number32(t, (uint32_t)ENDED), "");
    LLVMValueRef is_same = LLVMBuildICmp(t->builder, LLVMIntEQ, next, own, "");
    make_rare(t, LLVMBuildCondBr(t->builder, LLVMBuildOr(t->builder, is_first, is_same, ""), agreed, mixed), false);
    LLVMPositionBuilderAtEnd(t->builder, mixed);
    *cy_vec_push(&t->accesses) = (struct cy_jit_access){
        .pc = l->func->blocks.at[l->func->phases.at[block->phase]].pc, .op = CY_OP_barrier, .size = 4, .words = 1};
    trap(t, (uint32_t)t->accesses.count - 1, CY_JIT_MIXED_BARRIERS, number32(t, 0));
    LLVMPositionBuilderAtEnd(t->builder, agreed);
    LLVMBuildStore(t->builder, own, t->next);
    LLVMBuildBr(t->builder, l->strip_end);
}

static void leave(struct lower *l, const struct cy_sir_block *block)
{
    LLVMBuilderRef b = l->t->builder;
    switch (block->terminator) {
    case CY_SIR_JUMP: LLVMBuildBr(b, l->blocks[block->succ[0]]); break;
    case CY_SIR_BRANCH: {
        LLVMValueRef condition = lower_number(l, block->condition);
        LLVMBuildCondBr(b, condition, l->blocks[block->succ[0]], l->blocks[block->succ[1]]);
        break;
    }
    case CY_SIR_SWITCH: {
        const size_t last = block->cases.count - 1;
        LLVMValueRef number = lower_number(l, block->condition);
        LLVMValueRef choice = LLVMBuildSwitch(b, number, l->blocks[block->cases.at[last].block], (unsigned)last);
        for (size_t i = 0; i < last; i++)
            LLVMAddCase(choice, LLVMConstInt(LLVMTypeOf(number), block->cases.at[i].value, false),
                        l->blocks[block->cases.at[i].block]);
        break;
    }
    case CY_SIR_PHASE: end_phase(l, block); break;
    case CY_SIR_END:
        if (l->ends_early)
            LLVMBuildStore(b, number32(l->t, 1), l->t->record);
        LLVMBuildBr(b, l->strip_end);
        break;
    default: LLVMBuildUnreachable(b);
    }
}

static void lower_block(struct lower *l, uint32_t number)
{
    const struct cy_sir_block *block = &l->func->blocks.at[number];
    LLVMPositionBuilderAtEnd(l->t->builder, l->blocks[number]);
    l->block = number;
    forget_chunks(l->t);
    for (size_t i = 0; i < block->list.count; i++) {
        const cy_sir_value value = block->list.at[i];
        if (cy_sir_ops[cy_sir_at(l->func, value)->op].flags & CY_SIR_WRITES)
            forget_chunks(l->t);
        lower_line(l, cy_sir_at(l->func, value)->pc);
        l->values[value] = lower_insn(l, cy_sir_at(l->func, value), l->shapes.value[value].kind == CY_SIR_SHAPE_LANES);
    }
    l->ends[number] = LLVMGetInsertBlock(l->t->builder);
    leave(l, block);
    lower_line(l, 0);
}

/* ---- strips ---- */

/* Lanes of the strip that are work-items; to `none` if there are none. */
static void find_lanes(struct lower *l, LLVMBasicBlockRef none)
{
    struct translator *t = l->t;
    LLVMValueRef all = LLVMBuildTrunc(t->builder, strip_mask(t), t->vi1, "");
    LLVMBuildStore(t->builder, all, l->exists);
    if (t->all_whole)
        return;
    LLVMBasicBlockRef partial = new_block(t, "partial"), some = new_block(t, "some"), on = new_block(t, "lanes");
    LLVMValueRef strip = LLVMBuildLoad2(t->builder, t->i32, t->strip, "");
    LLVMValueRef whole =
        LLVMBuildICmp(t->builder, LLVMIntULT, strip, frame_word(t, offsetof(struct cy_jit_frame, whole_strips)), "");
    if (t->row % t->lanes) /* rows end with a shorter strip */
        whole = LLVMConstInt(t->i1, 0, false);
    LLVMBuildCondBr(t->builder, whole, on, partial);
    LLVMPositionBuilderAtEnd(t->builder, partial);
    LLVMValueRef args[] = {t->frame, t->item};
    LLVMValueRef bits = call_helper(t, offsetof(struct cy_jit_helpers, lanes), t->i32, args, 2);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, bits, number32(t, 0), ""), some, none);
    LLVMPositionBuilderAtEnd(t->builder, some);
    LLVMBuildStore(t->builder, LLVMBuildTrunc(t->builder, mask_of(t, bits), t->vi1, ""), l->exists);
    LLVMBuildBr(t->builder, on);
    LLVMPositionBuilderAtEnd(t->builder, on);
}

/* A strip starts, or goes on if it has not ended. */
static void begin_strip(struct lower *l, uint32_t phase)
{
    struct translator *t = l->t;
    LLVMValueRef strip = LLVMBuildLoad2(t->builder, t->i32, t->strip, "");
    t->item = first_item(t, strip);
    LLVMValueRef offset = LLVMBuildMul(t->builder, strip, number32(t, t->record_bytes), "");
    offset = LLVMBuildZExt(t->builder, offset, t->i64, "");
    t->record = LLVMBuildGEP2(t->builder, t->i8, t->records, &offset, 1, "record");
    find_lanes(l, l->strip_end);
    if (phase && l->ends_early) {
        LLVMBasicBlockRef lives = new_block(t, "lives");
        LLVMValueRef state = LLVMBuildLoad2(t->builder, t->i32, t->record, "");
        LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, state, number32(t, 0), ""), lives,
                        l->strip_end);
        LLVMPositionBuilderAtEnd(t->builder, lives);
    } else if (l->ends_early) {
        LLVMBuildStore(t->builder, number32(t, 0), t->record);
    }
    for (size_t i = 0; i < l->func->cells.count; i++)
        LLVMBuildStore(t->builder, LLVMConstNull(LLVMGetAllocatedType(l->cells[i])), l->cells[i]);
    begin_reservations(l);
}

/* ---- phases ---- */

static struct cy_graph graph_of(struct cy_arena *arena, const struct cy_sir_func *func)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t i = 0; i < cy_sir_succ_count(&func->blocks.at[b]); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(&func->blocks.at[b], i)};
    const struct cy_graph graph = cy_graph_make(arena, (uint32_t)func->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
    return graph;
}

static struct outcome outcome_of(const struct lower *l, const struct cy_walk *walk)
{
    struct outcome outcome = {0};
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct cy_sir_block *block = &l->func->blocks.at[walk->rpo[i]];
        outcome.ends |= block->terminator == CY_SIR_END;
        if (block->terminator != CY_SIR_PHASE)
            continue;
        outcome.differs |= outcome.waits && outcome.phase != block->phase;
        outcome.waits = true;
        outcome.phase = block->phase;
    }
    return outcome;
}

static void find_outcomes(struct lower *l, const struct cy_graph *graph)
{
    l->outcomes = cy_arena_alloc(&l->t->arena, (l->func->phases.count + 1) * sizeof(*l->outcomes));
    for (uint32_t i = 0; i < l->func->phases.count; i++) {
        const struct cy_walk walk = cy_graph_walk(&l->t->arena, graph, l->func->phases.at[i]);
        l->outcomes[i] = outcome_of(l, &walk);
        l->ends_early |= l->outcomes[i].ends && l->outcomes[i].waits;
    }
}

/* The workgroup has passed a barrier. */
static void pass(struct lower *l, uint32_t phase)
{
    struct translator *t = l->t;
    LLVMValueRef at = at_offset(t, t->frame, (int64_t)offsetof(struct cy_jit_frame, barriers));
    LLVMValueRef passed = LLVMBuildLoad2(t->builder, t->i32, at, "");
    LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, passed, number32(t, 1), ""), at);
    LLVMBuildBr(t->builder, l->phases[phase]);
}

/* All strips have come to the end of the phase. */
static void after_strips(struct lower *l, LLVMBasicBlockRef done)
{
    struct translator *t = l->t;
    const struct outcome *outcome = l->outcome;
    if (!outcome->waits)
        LLVMBuildBr(t->builder, done);
    else if (!outcome->ends && !outcome->differs)
        pass(l, outcome->phase);
    if (!outcome->waits || (!outcome->ends && !outcome->differs))
        return;
    LLVMValueRef choice = LLVMBuildSwitch(t->builder, LLVMBuildLoad2(t->builder, t->i32, t->next, ""), done,
                                          (unsigned)l->func->phases.count);
    for (uint32_t i = 1; i < l->func->phases.count; i++) {
        LLVMBasicBlockRef passing = new_block(t, "pass");
        LLVMAddCase(choice, number32(t, i), passing);
        LLVMPositionBuilderAtEnd(t->builder, passing);
        pass(l, i);
    }
}

/* The blocks that strips reach in a phase: those of several phases are lowered once for each.  Definitions come before uses. */
static void lower_blocks(struct lower *l, const struct cy_walk *walk)
{
    for (uint32_t i = 0; i < walk->count; i++)
        l->blocks[walk->rpo[i]] = new_block(l->t, "b");
    LLVMBuildBr(l->t->builder, l->blocks[walk->rpo[0]]);
    memset(l->ends, 0, l->func->blocks.count * sizeof(LLVMBasicBlockRef));
    for (uint32_t i = 0; i < walk->count; i++)
        lower_block(l, walk->rpo[i]);
    for (uint32_t i = 0; i < walk->count; i++)
        give_phis(l, walk->rpo[i]);
}

static void lower_phase(struct lower *l, const struct cy_graph *graph, uint32_t phase, LLVMBasicBlockRef done)
{
    struct translator *t = l->t;
    const struct cy_walk walk = cy_graph_walk(&t->arena, graph, l->func->phases.at[phase]);
    LLVMBasicBlockRef loop = new_block(t, "strip"), after = new_block(t, "after");
    l->outcome = &l->outcomes[phase];
    l->strip_end = new_block(t, "strip_end");
    LLVMPositionBuilderAtEnd(t->builder, l->phases[phase]);
    LLVMBuildStore(t->builder, number32(t, 0), t->strip);
    LLVMBuildStore(t->builder, number32(t, (uint32_t)ENDED), t->next);
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, loop);
    begin_strip(l, phase);
    lower_blocks(l, &walk);
    LLVMPositionBuilderAtEnd(t->builder, l->strip_end);
    LLVMValueRef next = LLVMBuildAdd(t->builder, LLVMBuildLoad2(t->builder, t->i32, t->strip, ""), number32(t, 1), "");
    LLVMBuildStore(t->builder, next, t->strip);
    LLVMValueRef count = number32(t, cy_jit_strip_count(t->items, t->row, t->lanes));
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntULT, next, count, ""), loop, after);
    LLVMPositionBuilderAtEnd(t->builder, after);
    after_strips(l, done);
}

static void lower_phases(struct lower *l, LLVMBasicBlockRef done)
{
    const struct cy_graph graph = graph_of(&l->t->arena, l->func);
    find_outcomes(l, &graph);
    for (uint32_t i = 0; i < l->func->phases.count; i++)
        l->phases[i] = new_block(l->t, "phase");
    LLVMBuildBr(l->t->builder, l->phases[0]);
    for (uint32_t i = 0; i < l->func->phases.count; i++)
        lower_phase(l, &graph, i, done);
}

/* ---- the function ---- */

/* Bytes of each slot: a number takes eight, a condition is kept as bytes. */
static void find_slot_sizes(const struct lower *l, uint32_t *sizes)
{
    const struct cy_sir_func *func = l->func;
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(func, func->blocks.at[b].list.at[i]);
            if (insn->op != CY_SIR_SAVE)
                continue;
            const unsigned bits = cy_sir_bits((enum cy_sir_type)cy_sir_at(func, insn->args[0])->type);
            const bool is_vector = l->shapes.slot[insn->imm].kind == CY_SIR_SHAPE_LANES;
            sizes[insn->imm] = is_vector ? (bits + 7) / 8 * l->t->w : 8;
        }
}

/* Rows of lanes first, so that they are aligned. */
static void place_slots(struct lower *l)
{
    enum { ROW = 16 };
    const uint32_t count = l->func->slots;
    uint32_t *sizes =
        memset(cy_arena_alloc(&l->t->arena, (count + 1) * sizeof(*sizes)), 0, (count + 1) * sizeof(*sizes));
    l->slots = cy_arena_alloc(&l->t->arena, (count + 1) * sizeof(*l->slots));
    l->t->record_bytes = STATE_BYTES;
    find_slot_sizes(l, sizes);
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < count; i++) {
            if ((sizes[i] >= ROW) == pass)
                continue;
            l->slots[i] = l->t->record_bytes;
            l->t->record_bytes += (sizes[i] + 7) & ~7u;
        }
    l->t->record_bytes = (l->t->record_bytes + 63) & ~63u;
}

static void make_places(struct lower *l)
{
    struct translator *t = l->t;
    t->polls = LLVMBuildAlloca(t->allocas, t->i32, "polls");
    t->next = LLVMBuildAlloca(t->allocas, t->i32, "next");
    t->strip = LLVMBuildAlloca(t->allocas, t->i32, "strip");
    l->exists = LLVMBuildAlloca(t->allocas, t->vi1, "exists");
    l->addresses = LLVMBuildAlloca(t->allocas, LLVMArrayType2(t->i64, CY_JIT_MAX_STRIP), "addresses");
    t->far_buffers[0] = l->addresses;
    t->mask = LLVMBuildAlloca(t->allocas, t->vi32, "mask");
    for (unsigned i = 0; i < CY_COUNT(t->buffers); i++)
        t->buffers[i] = LLVMBuildAlloca(t->allocas, t->vi32, "buffer");
    l->data = LLVMBuildAlloca(t->allocas, LLVMArrayType2(t->i64, 2 * CY_JIT_MAX_STRIP), "data");
    LLVMSetAlignment(l->addresses, 8 * CY_JIT_MAX_STRIP);
    LLVMSetAlignment(l->data, 8 * CY_JIT_MAX_STRIP);
    t->far_buffers[1] = l->data;
    make_cells(l);
    make_reservations(l);
}

static void find_uses(struct lower *l)
{
    const struct cy_sir_func *func = l->func;
    const size_t size = func->insns.count + 1;
    l->are_used = memset(cy_arena_alloc(&l->t->arena, size), false, size);
    for (size_t i = 0; i < func->phi_args.count; i++)
        l->are_used[func->phi_args.at[i]] = true;
    for (size_t b = 0; b < func->blocks.count; b++) {
        l->are_used[func->blocks.at[b].condition] = true;
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const struct cy_sir_insn *insn = cy_sir_at(func, func->blocks.at[b].list.at[i]);
            for (unsigned k = 0; k < CY_COUNT(insn->args) && insn->op != CY_SIR_PHI; k++)
                l->are_used[insn->args[k]] = true;
        }
    }
}

/* What the translator's functions keep of each group. */
static void make_group_places(struct translator *t, size_t groups)
{
    const size_t size = (groups + 1) * sizeof(void *);
    t->group_pointer = memset(cy_arena_alloc(&t->arena, size), 0, size);
    t->group_kind = memset(cy_arena_alloc(&t->arena, size), 0, size);
    t->group_inside = memset(cy_arena_alloc(&t->arena, size), 0, size);
    t->group_bias = memset(cy_arena_alloc(&t->arena, size), 0, size);
    t->group_is_straight = memset(cy_arena_alloc(&t->arena, size), 0, size);
    t->group_numbers = memset(cy_arena_alloc(&t->arena, size), 0, size);
    t->varying = memset(cy_arena_alloc(&t->arena, t->count + 1), 0, t->count + 1);
}

static LLVMValueRef make_body(struct lower *l, const char *name, bool is_whole)
{
    struct translator *t = l->t;
    LLVMBasicBlockRef begin, done, entry;
    LLVMValueRef body = open_body(t, name, &entry, &begin);
    done = new_block(t, "done");
    t->is_whole = is_whole;
    t->all_whole |= is_whole;
    LLVMPositionBuilderAtEnd(t->allocas, entry);
    LLVMPositionBuilderAtEnd(t->builder, begin);
    make_places(l);
    list_counters(l);
    LLVMBuildStore(t->builder, number32(t, CY_JIT_POLL), t->polls);
    lower_lines_begin(l, body);
    lower_phases(l, done);
    LLVMPositionBuilderAtEnd(t->builder, done);
    LLVMBuildRet(t->builder, number32(t, 0));
    LLVMPositionBuilderAtEnd(t->builder, t->exit);
    LLVMBuildRet(t->builder, number32(t, CY_JIT_STOPPED));
    LLVMBuildBr(t->allocas, begin);
    return body;
}

/* A short kernel, for which it is worth to ask once for all strips of a workgroup without missing work-items, if they are all full. */
static bool is_short(const struct translator *t)
{
    enum { SHORT = 64 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->count; i++)
        count += t->insts[i].reachable;
    return count <= SHORT && t->lanes > 1 && t->row % t->lanes == 0 && !t->in_lockstep && !t->request->counts &&
           !t->wants_lines;
}

bool lower_function(struct translator *t, const struct cy_sir_func *func)
{
    enum { FEW = 12 }; /* sites that fit into registers */
    struct lower l = {.t = t, .func = func, .shapes = cy_sir_find_shapes(&t->arena, func)};
    l.values = cy_arena_alloc(&t->arena, (func->insns.count + 1) * sizeof(*l.values));
    l.blocks = cy_arena_alloc(&t->arena, (func->blocks.count + 1) * sizeof(LLVMBasicBlockRef));
    l.ends = cy_arena_alloc(&t->arena, (func->blocks.count + 1) * sizeof(LLVMBasicBlockRef));
    l.phases = cy_arena_alloc(&t->arena, (func->phases.count + 1) * sizeof(LLVMBasicBlockRef));
    list_accesses(&l);
    make_group_places(t, func->groups.count);
    find_uses(&l);
    place_slots(&l);
    t->keeps_sites = func->groups.count <= FEW;
    LLVMValueRef any = make_body(&l, "any", false), whole = any;
    if (is_short(t))
        whole = t->whole = make_body(&l, "whole", true);
    make_entry(t, any, whole);
    lower_lines_end(&l, any);
    cy_sir_free_shapes(&l.shapes);
    return !t->failed;
}
