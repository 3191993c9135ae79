/* The function: for every phase, from the start or a barrier to the next barriers, all strips of the workgroup one
 * after the other.  Registers that are live across a barrier are saved per strip, or once if they are uniform in the
 * whole workgroup. */
#include "jit/translate/translator.h"

#include <string.h>

/* ---- phases ---- */

static unsigned phase_at(struct translator *t, uint32_t entry)
{
    unsigned i = 0;
    while (i < t->phase_count && t->phases[i].entry != entry)
        i++;
    if (i == t->phase_count && i < MAX_PHASES)
        t->phases[t->phase_count++] = (struct phase){.entry = entry};
    return i;
}

static uint32_t entry_node(const struct translator *t, unsigned phase, enum version version)
{
    return (phase * VERSIONS + version) * (uint32_t)t->blocks.count + t->insts[t->phases[phase].entry].block;
}

/* A phase starts in either version, with the same registers; MASKED only if some strips are not full. */
static void begin_phase(struct translator *t, unsigned number)
{
    struct phase *phase = &t->phases[number];
    for (int version = FULL; version <= (t->all_whole || t->lanes == 1 ? FULL : MASKED); version++) {
        const uint32_t index = entry_node(t, number, (enum version)version);
        const struct regs needed = needed_at(t, (enum version)version, phase->entry);
        struct node *node = &t->nodes[index];
        if (merge_states(t, &node->in, phase->in, &needed, t->meeting[phase->entry]) || !node->reached)
            work_on(t, index);
        node->reached = true;
        if (version == MASKED)
            add_partial(t, node);
    }
    phase->reached = true;
}

static unsigned count_outcomes(const struct phase *phase)
{
    unsigned count = 0;
    for (unsigned i = 0; i < MAX_PHASES; i++)
        count += phase->outcomes[i];
    return count;
}

static bool has_choice(const struct phase *phase)
{
    return count_outcomes(phase) + phase->can_end > 1;
}

/* ---- registers across barriers ---- */

static void give_places(struct translator *t)
{
    t->record_bytes = 64; /* the strip's state */
    for (unsigned i = 1; i < t->phase_count; i++) {
        const struct phase *phase = &t->phases[i];
        const struct regs *live = &t->insts[phase->entry].live;
        if (!phase->reached)
            continue;
        for (unsigned r = 0; r < 64; r++)
            if (in_x(live, r) && !phase->in->x[r].in_group && !t->record_x[r])
                t->record_x[r] = t->record_bytes, t->record_bytes += 4;
        for (unsigned r = 0; r < 256; r++)
            if (in_v(live, r) && !phase->in->is_pair[r / 2] && !phase->in->v[r].in_group && !t->record_v[r]) {
                t->record_bytes = (t->record_bytes + 15) & ~15u;
                t->record_v[r] = t->record_bytes;
                t->record_bytes += 4 * t->w;
            }
        give_pair_places(t, phase);
    }
    t->record_bytes = (t->record_bytes + 63) & ~63u;
}

LLVMValueRef in_record(struct translator *t, uint32_t offset)
{
    LLVMValueRef index = LLVMConstInt(t->i64, offset, false);
    return LLVMBuildGEP2(t->builder, t->i8, t->record, &index, 1, "");
}

/* The part of a workgroup-uniform value that differs from strip to strip. */
static LLVMValueRef own_part(struct translator *t, const struct class *class)
{
    LLVMValueRef lane = LLVMBuildAnd(t->builder, t->item, number32(t, t->request->threads - 1), "");
    LLVMValueRef by_item = LLVMBuildMul(t->builder, t->item, number32(t, class->item_factor), "");
    LLVMValueRef by_lane = LLVMBuildMul(t->builder, lane, number32(t, class->lane_factor), "");
    return LLVMBuildAdd(t->builder, by_item, by_lane, "");
}

void save_value(struct translator *t, struct value value, const struct class *as, LLVMValueRef shared, uint32_t place)
{
    LLVMValueRef what = as->kind == VECTOR ? vector_of(t, value) : value.scalar;
    if (as->kind != VECTOR && as->in_group)
        LLVMBuildStore(t->builder, LLVMBuildSub(t->builder, what, own_part(t, as), ""), shared);
    else
        LLVMSetAlignment(LLVMBuildStore(t->builder, what, in_record(t, place)), as->kind == VECTOR ? 16 : 4);
}

/* Registers that the phase's code may change. */
static struct regs changed_in(const struct translator *t, unsigned number)
{
    const uint32_t blocks = (uint32_t)t->blocks.count, first = number * VERSIONS * blocks;
    struct regs changed = {0};
    for (uint32_t i = first; i < first + VERSIONS * blocks; i++) {
        const struct block *block = &t->blocks.at[i % blocks];
        for (uint32_t k = block->first; t->nodes[i].reached; k = t->insts[k].next) {
            unite(&changed, &t->insts[k].defs);
            if (is_vector_branch(&t->insts[k]))
                add_flat_changes(t, &t->insts[k], &changed);
            if (k == block->last)
                break;
        }
    }
    return changed;
}

static bool is_saved_alike(const struct class *a, const struct class *b)
{
    return (a->kind == VECTOR && b->kind == VECTOR) || is_equal_class(a, b);
}

/* Registers whose value was saved before the phase, as the next one expects it, and is the same still. */
static struct regs kept_since(const struct translator *t, const struct phase *own, const struct phase *next)
{
    struct regs kept = {0};
    if (own == &t->phases[0]) /* its registers have not been saved */
        return kept;
    for (unsigned r = 0; r < 64; r++)
        if (!in_x(&own->changed, r) && is_equal_class(&own->in->x[r], &next->in->x[r]))
            kept.x |= 1ull << r;
    for (unsigned r = 0; r < 256; r++) {
        const bool is_pair = own->in->is_pair[r / 2];
        if ((!in_v(&own->changed, r) || cy_jit_broken(SAVE)) && is_pair == next->in->is_pair[r / 2] &&
            (is_pair ? is_equal_wide(&own->in->w[r / 2], &next->in->w[r / 2])
                     : is_saved_alike(&own->in->v[r], &next->in->v[r])))
            kept.v[r >> 6] |= 1ull << (r & 63);
    }
    return kept;
}

static void save_registers(struct translator *t, const struct phase *next)
{
    const struct regs *live = &t->insts[next->entry].live;
    const struct regs kept = kept_since(t, &t->phases[t->phase], next);
    for (unsigned r = 1; r < 64; r++)
        if (in_x(live, r) && !in_x(&kept, r))
            save_value(t, read_x(t, r), &next->in->x[r], t->group_x[r], t->record_x[r]);
    for (unsigned r = 0; r < 256; r++)
        if (in_v(live, r) && !next->in->is_pair[r / 2] && !in_v(&kept, r))
            save_value(t, read_v(t, r), &next->in->v[r], t->group_v[r], t->record_v[r]);
    save_pairs(t, next, &kept);
}

LLVMValueRef saved_value(struct translator *t, const struct class *as, LLVMValueRef shared, uint32_t place)
{
    if (as->is_const)
        return number32(t, as->constant);
    if (as->in_group)
        return LLVMBuildAdd(t->builder, shared, own_part(t, as), "");
    return LLVMBuildLoad2(t->builder, t->i32, in_record(t, place), "");
}

/* The workgroup-uniform values as they were when the phase began: its strips leave other values for the next one. */
static void read_shared(struct translator *t, const struct phase *phase)
{
    const struct regs *live = &t->insts[phase->entry].live;
    for (unsigned r = 1; r < 64; r++)
        if (in_x(live, r) && phase->in->x[r].in_group)
            t->shared_x[r] = LLVMBuildLoad2(t->builder, t->i32, t->group_x[r], "");
    for (unsigned r = 0; r < 256; r++)
        if (in_v(live, r) && !phase->in->is_pair[r / 2] && phase->in->v[r].in_group)
            t->shared_v[r] = LLVMBuildLoad2(t->builder, t->i32, t->group_v[r], "");
    read_shared_pairs(t, phase);
}

static void restore_registers(struct translator *t, const struct phase *phase)
{
    const struct regs *live = &t->insts[phase->entry].live;
    for (unsigned r = 1; r < 64; r++)
        if (in_x(live, r))
            LLVMBuildStore(t->builder, saved_value(t, &phase->in->x[r], t->shared_x[r], t->record_x[r]), t->x[r]);
    for (unsigned r = 0; r < 256; r++) {
        const struct class *class = &phase->in->v[r];
        if (phase->in->is_pair[r / 2])
            continue;
        if (in_v(live, r) && class->kind == VECTOR) {
            LLVMValueRef row = LLVMBuildLoad2(t->builder, t->vi32, in_record(t, t->record_v[r]), "");
            LLVMSetAlignment(row, 16);
            LLVMBuildStore(t->builder, row, t->vv[r]);
        } else if (in_v(live, r))
            LLVMBuildStore(t->builder, saved_value(t, class, t->shared_v[r], t->record_v[r]), t->vs[r]);
    }
    restore_pairs(t, phase);
}

static void forget_one(struct translator *t, LLVMTypeRef type, LLVMValueRef place)
{
    if (place)
        LLVMBuildStore(t->builder, LLVMGetUndef(type), place);
}

/* A strip starts with nothing but the registers that are live: otherwise LLVM would keep what the strip before it left. */
static void forget_registers(struct translator *t)
{
    for (unsigned r = 0; r < 64; r++) {
        forget_one(t, t->i32, t->x[r]);
        forget_one(t, t->i32, t->before[r]);
    }
    for (unsigned r = 0; r < 256; r++) {
        forget_one(t, t->i32, t->vs[r]);
        forget_one(t, t->i32, t->vstep[r]);
        forget_one(t, t->i1, t->vall[r]);
        forget_one(t, t->i1, t->vnone[r]);
        forget_one(t, t->vi32, t->vv[r]);
        forget_one(t, t->i32, t->alone[r]);
        forget_one(t, t->vi32, t->rows[r]);
    }
    for (size_t i = 0; i < t->joins.count; i++)
        forget_one(t, t->vi32, t->waiting[i]);
    for (size_t i = 0; i < t->pendings.count; i++)
        forget_one(t, t->vi32, t->pendings.at[i].mask);
    forget_one(t, t->vi32, t->mask);
    forget_one(t, t->vi32, t->full);
    forget_one(t, t->i32, t->lane);
    forget_one(t, t->i32, t->lanes_left);
    forget_one(t, t->i32, t->jumping);
    forget_one(t, t->i32, t->detour);
    forget_pairs(t);
}

/* ---- ends of phases ---- */

enum { ENDED = -1 };

/* All lanes of the strip must be here; otherwise a fault, as in the interpreter. */
static void check_converged(struct translator *t, const struct inst *inst)
{
    if (!t->emit || t->version == FULL)
        return;
    LLVMBasicBlockRef bad = new_block(t, "diverged"), good = new_block(t, "together");
    LLVMValueRef mask = LLVMBuildLoad2(t->builder, t->vi32, t->mask, "");
    LLVMValueRef full = LLVMBuildLoad2(t->builder, t->vi32, t->full, "");
    LLVMValueRef missing = LLVMBuildXor(t->builder, mask, full, "");
    LLVMBuildCondBr(t->builder, any_lane(t, missing), bad, good);
    LLVMPositionBuilderAtEnd(t->builder, bad);
    trap(t, inst->access, CY_JIT_DIVERGED, active_bits(t));
    LLVMPositionBuilderAtEnd(t->builder, good);
}

/* The strip is a warp, in lockstep: only the fence is left. */
static bool lower_warp_barrier(struct translator *t, struct inst *inst)
{
    check_converged(t, inst);
    if (t->emit)
        LLVMBuildFence(t->builder, LLVMAtomicOrderingAcquireRelease, false, "");
    go_to(t, t->version, inst->next);
    return true;
}

bool lower_barrier(struct translator *t, struct inst *inst)
{
    if (inst->insn.op == CY_OP_barriersub)
        return lower_warp_barrier(t, inst);
    if (inst->insn.op != CY_OP_barrier)
        return cannot(t, "%s", row_of(inst)->mnemonic);
    const unsigned number = phase_at(t, inst->next);
    if (number == MAX_PHASES)
        return cannot(t, "more than %d barriers", MAX_PHASES - 1);
    struct phase *own = &t->phases[t->phase], *next = &t->phases[number];
    unblend(&t->now);
    if (!t->emit) {
        own->outcomes[number] = true;
        if (merge_states(t, &next->in, &t->now, &t->insts[inst->next].live, t->meeting[inst->next]) || !next->reached)
            begin_phase(t, number);
        return true;
    }
    check_converged(t, inst);
    save_registers(t, next);
    if (has_choice(own)) {
        LLVMBasicBlockRef first = new_block(t, "first"), other = new_block(t, "other"), bad = new_block(t, "mixed");
        LLVMValueRef before = LLVMBuildLoad2(t->builder, t->i32, t->next, "");
        LLVMValueRef same = LLVMBuildICmp(t->builder, LLVMIntEQ, before, number32(t, number), "");
        LLVMBuildCondBr(t->builder, same, first, other);
        LLVMPositionBuilderAtEnd(t->builder, other);
        LLVMValueRef none = LLVMBuildICmp(t->builder, LLVMIntEQ, before, number32(t, (uint32_t)ENDED), "");
        LLVMBuildCondBr(t->builder, none, first, bad);
        LLVMPositionBuilderAtEnd(t->builder, bad);
        trap(t, inst->access, CY_JIT_MIXED_BARRIERS, active_bits(t));
        LLVMPositionBuilderAtEnd(t->builder, first);
        LLVMBuildStore(t->builder, number32(t, number), t->next);
    }
    if (t->may_end_early)
        LLVMBuildStore(t->builder, number32(t, 0), t->record);
    LLVMBuildBr(t->builder, own->strip_end);
    return true;
}

bool lower_end(struct translator *t, struct inst *inst)
{
    t->phases[t->phase].can_end = true;
    if (!t->emit)
        return true;
    check_converged(t, inst);
    if (t->may_end_early)
        LLVMBuildStore(t->builder, number32(t, 1), t->record);
    LLVMBuildBr(t->builder, t->phases[t->phase].strip_end);
    return true;
}

/* ---- classes ---- */

static bool run_node(struct translator *t, uint32_t index)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    const struct block *block = &t->blocks.at[index % blocks];
    t->phase = index / blocks / VERSIONS;
    t->version = (enum version)(index / blocks % VERSIONS);
    t->now = *t->nodes[index].in;
    open_as_in(t, &t->nodes[index]);
    t->exchange.is_valid = false;
    forget_chunks(t);
    memset(t->unblended, 0, sizeof(t->unblended));
    memset(t->unblended_pairs, 0, sizeof(t->unblended_pairs));
    count_block(t, block);
    for (uint32_t i = block->first;; i = t->insts[i].next) {
        t->at = i;
        if (!lower(t, &t->insts[i]))
            return false;
        if (i == block->last)
            break;
    }
    switch (row_of(&t->insts[block->last])->format) {
    case CY_FORMAT_VB:
    case CY_FORMAT_BRANCH:
    case CY_FORMAT_JAL:
    case CY_FORMAT_JALR:
    case CY_FORMAT_JOIN:
    case CY_FORMAT_BARRIER:
    case CY_FORMAT_ENDPRG: break;
    default:
        if (!enter_tagged_loop(t, t->insts[block->last].next))
            go_to(t, t->version, t->insts[block->last].next);
        break;
    }
    return !t->failed;
}

/* Registers are zero when a warp starts. */
static void start_state(struct state *state)
{
    const struct class zero = {.kind = UNIFORM, .is_const = true, .in_group = true, .align = 31};
    memset(state, 0, sizeof(*state));
    for (unsigned i = 0; i < 64; i++)
        state->x[i] = zero;
    for (unsigned i = 0; i < 256; i++)
        state->v[i] = zero;
}

static bool find_classes(struct translator *t)
{
    const size_t count = MAX_PHASES * VERSIONS * t->blocks.count;
    struct state start;
    start_state(&start);
    t->nodes = cy_arena_alloc(&t->arena, count * sizeof(*t->nodes));
    make_open(t);
    do {
        memset(t->nodes, 0, count * sizeof(*t->nodes));
        memset(t->phases, 0, sizeof(t->phases));
        t->varies_more = false;
        t->phase_count = 0;
        t->work.count = 0;
        phase_at(t, t->start);
        merge_states(t, &t->phases[0].in, &start, &t->insts[t->start].live, false);
        begin_phase(t, 0);
        while (t->work.count) {
            const uint32_t index = t->work.at[--t->work.count];
            t->nodes[index].queued = false;
            if (!run_node(t, index))
                return false;
        }
    } while (t->varies_more);
    for (unsigned i = 0; i < t->phase_count; i++)
        t->may_end_early |= t->phases[i].can_end && count_outcomes(&t->phases[i]);
    return true;
}

/* ---- emission ---- */

static LLVMValueRef frame_pointer(struct translator *t, size_t offset)
{
    LLVMValueRef index = LLVMConstInt(t->i64, offset, false);
    LLVMValueRef at = LLVMBuildGEP2(t->builder, t->i8, t->frame, &index, 1, "");
    LLVMValueRef load = LLVMBuildLoad2(t->builder, t->ptr, at, "");
    const unsigned kind = LLVMGetMDKindIDInContext(t->context, "invariant.load", 14);
    LLVMSetMetadata(load, kind, LLVMMetadataAsValue(t->context, LLVMMDNodeInContext2(t->context, NULL, 0)));
    return load;
}

static void make_allocas(struct translator *t)
{
    struct regs used = {0};
    for (uint32_t i = 0; i < t->count; i++) {
        used.x |= t->insts[i].uses.x | t->insts[i].defs.x;
        for (int k = 0; k < 4; k++)
            used.v[k] |= t->insts[i].uses.v[k] | t->insts[i].defs.v[k];
    }
    for (unsigned r = 0; r < 64; r++)
        if (in_x(&used, r)) {
            t->x[r] = LLVMBuildAlloca(t->allocas, t->i32, "x");
            t->group_x[r] = LLVMBuildAlloca(t->allocas, t->i32, "gx");
        }
    for (unsigned r = 0; r < 256; r++)
        if (in_v(&used, r)) {
            t->vs[r] = LLVMBuildAlloca(t->allocas, t->i32, "s");
            t->vstep[r] = LLVMBuildAlloca(t->allocas, t->i32, "step");
            t->vall[r] = LLVMBuildAlloca(t->allocas, t->i1, "all");
            t->vnone[r] = LLVMBuildAlloca(t->allocas, t->i1, "none");
            t->vv[r] = LLVMBuildAlloca(t->allocas, t->vi32, "v");
            t->group_v[r] = LLVMBuildAlloca(t->allocas, t->i32, "gv");
        }
    t->mask = LLVMBuildAlloca(t->allocas, t->vi32, "mask");
    t->full = LLVMBuildAlloca(t->allocas, t->vi32, "full");
    t->polls = LLVMBuildAlloca(t->allocas, t->i32, "polls");
    t->next = LLVMBuildAlloca(t->allocas, t->i32, "next");
    t->strip = LLVMBuildAlloca(t->allocas, t->i32, "strip");
    for (int i = 0; i < 3; i++)
        t->buffers[i] = LLVMBuildAlloca(t->allocas, t->vi64, "buffer"); /* of words or pairs */
    t->far_buffers[0] = LLVMBuildAlloca(t->allocas, t->vi64, "buffer");
    t->far_buffers[1] = LLVMBuildAlloca(t->allocas, LLVMArrayType2(t->i32, 4 * CY_JIT_MAX_STRIP), "buffer");
    LLVMSetAlignment(t->far_buffers[1], 8 * CY_JIT_MAX_STRIP); /* its rows, or pairs of them, are accessed as vectors */
    make_pair_allocas(t);
    make_masks(t);
    make_lane_allocas(t, &used);
    make_tally_allocas(t);
}

static void start_masked(struct translator *t, const struct node *masked, LLVMValueRef mask)
{
    open_as_in(t, &(struct node){0});
    clear_unopened(t, masked);
    LLVMBuildStore(t->builder, mask, t->mask);
    LLVMBuildStore(t->builder, mask, t->full);
}

/* To the version of this strip's lanes, which all exist, unless the row ends. */
static void choose_by_row(struct translator *t, LLVMBasicBlockRef full, const struct node *masked, LLVMValueRef strip)
{
    const uint32_t strips = strips_of_row(t), rest = t->row % t->lanes;
    LLVMBuildStore(t->builder, strip_mask(t), t->full);
    if (!rest) {
        LLVMBuildBr(t->builder, full);
        return;
    }
    LLVMBasicBlockRef last = new_block(t, "last");
    strip = LLVMBuildURem(t->builder, strip, number32(t, strips), "");
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, strip, number32(t, strips - 1), ""), last, full);
    LLVMPositionBuilderAtEnd(t->builder, last);
    start_masked(t, masked, mask_of(t, number32(t, (1u << (rest - (cy_jit_broken(PARTIAL_ROW) && rest > 1))) - 1)));
    LLVMBuildBr(t->builder, masked->block);
}

/* Which lanes of the strip exist: all, unless the row ends or the workgroup is cut off at the border. */
static void choose_version(struct translator *t, const struct phase *phase, unsigned number)
{
    const struct node *masked = &t->nodes[entry_node(t, number, MASKED)];
    LLVMBasicBlockRef full = t->nodes[entry_node(t, number, FULL)].block;
    LLVMValueRef strip = LLVMBuildLoad2(t->builder, t->i32, t->strip, "");
    if (t->request->whole || t->is_whole) {
        choose_by_row(t, full, masked, strip);
        return;
    }
    LLVMBasicBlockRef partial = new_block(t, "partial"), some = new_block(t, "some"), whole = new_block(t, "whole");
    LLVMValueRef is_whole =
        LLVMBuildICmp(t->builder, LLVMIntULT, strip, frame_word(t, offsetof(struct cy_jit_frame, whole_strips)), "");
    LLVMBuildCondBr(t->builder, is_whole, whole, partial);
    LLVMPositionBuilderAtEnd(t->builder, whole);
    choose_by_row(t, full, masked, strip);
    LLVMPositionBuilderAtEnd(t->builder, partial);
    LLVMValueRef args[] = {t->frame, t->item};
    LLVMValueRef bits = call_helper(t, offsetof(struct cy_jit_helpers, lanes), t->i32, args, 2);
    if (cy_jit_broken(PARTIAL_GROUP))
        bits = LLVMBuildAnd(t->builder, bits, LLVMBuildSub(t->builder, bits, number32(t, 1), ""), "");
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, bits, number32(t, 0), ""), some, phase->strip_end);
    LLVMPositionBuilderAtEnd(t->builder, some);
    LLVMValueRef mask = mask_of(t, bits);
    start_masked(t, masked, mask);
    if (t->lanes == 1)
        LLVMBuildBr(t->builder, full);
    else
        LLVMBuildCondBr(t->builder, each_lane(t, mask), full, masked->block);
}

static void after_strips(struct translator *t, const struct phase *phase, LLVMBasicBlockRef done)
{
    if (!count_outcomes(phase)) {
        LLVMBuildBr(t->builder, done);
        return;
    }
    LLVMValueRef next = LLVMBuildLoad2(t->builder, t->i32, t->next, "");
    LLVMValueRef which = has_choice(phase) ? LLVMBuildSwitch(t->builder, next, done, 4) : NULL;
    for (unsigned i = 0; i < t->phase_count; i++) {
        if (!phase->outcomes[i])
            continue;
        LLVMBasicBlockRef pass = new_block(t, "pass");
        if (which)
            LLVMAddCase(which, number32(t, i), pass);
        else
            LLVMBuildBr(t->builder, pass);
        LLVMPositionBuilderAtEnd(t->builder, pass);
        LLVMValueRef offset = LLVMConstInt(t->i64, offsetof(struct cy_jit_frame, barriers), false);
        LLVMValueRef at = LLVMBuildGEP2(t->builder, t->i8, t->frame, &offset, 1, "");
        LLVMValueRef passed = LLVMBuildLoad2(t->builder, t->i32, at, "");
        LLVMBuildStore(t->builder, LLVMBuildAdd(t->builder, passed, number32(t, 1), ""), at);
        LLVMBuildBr(t->builder, t->phases[i].begin);
    }
}

static void claim_phase(struct translator *t, unsigned number)
{
    const uint32_t nodes = t->phase_count * VERSIONS * (uint32_t)t->blocks.count;
    claim_blocks(t, number, t->insts[t->phases[number].entry].block, nodes + number);
}

static void claim_node(struct translator *t, uint32_t index)
{
    const uint32_t blocks = (uint32_t)t->blocks.count;
    claim_blocks(t, index / blocks / VERSIONS, index % blocks, index);
}

static bool emit_phase(struct translator *t, unsigned number, LLVMBasicBlockRef done)
{
    struct phase *phase = &t->phases[number];
    LLVMBasicBlockRef loop = new_block(t, "strip"), after = new_block(t, "after");
    LLVMPositionBuilderAtEnd(t->builder, phase->begin);
    LLVMBuildStore(t->builder, number32(t, 0), t->strip);
    LLVMBuildStore(t->builder, number32(t, (uint32_t)ENDED), t->next);
    read_shared(t, phase);
    phase->changed = changed_in(t, number);
    LLVMBuildBr(t->builder, loop);

    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef strip = LLVMBuildLoad2(t->builder, t->i32, t->strip, "");
    t->item = first_item(t, strip);
    LLVMValueRef offset =
        LLVMBuildZExt(t->builder, LLVMBuildMul(t->builder, strip, number32(t, t->record_bytes), ""), t->i64, "");
    t->record = LLVMBuildGEP2(t->builder, t->i8, t->records, &offset, 1, "record");
    t->at = phase->entry;
    begin_tallies(t, number);
    if (number && t->may_end_early) {
        LLVMBasicBlockRef lives = new_block(t, "lives");
        LLVMValueRef state = LLVMBuildLoad2(t->builder, t->i32, t->record, "");
        LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, state, number32(t, 0), ""), lives,
                        phase->strip_end);
        LLVMPositionBuilderAtEnd(t->builder, lives);
    }
    forget_registers(t);
    restore_registers(t, phase);
    choose_version(t, phase, number);
    claim_phase(t, number);

    const uint32_t blocks = (uint32_t)t->blocks.count, first = number * VERSIONS * blocks;
    t->detours.count = 0;
    for (uint32_t i = first; i < first + VERSIONS * blocks; i++)
        if (t->nodes[i].reached) {
            LLVMPositionBuilderAtEnd(t->builder, t->nodes[i].block);
            if (!run_node(t, i))
                return false;
            claim_node(t, i);
        }

    LLVMPositionBuilderAtEnd(t->builder, phase->strip_end);
    end_tallies(t, number);
    LLVMValueRef following =
        LLVMBuildAdd(t->builder, LLVMBuildLoad2(t->builder, t->i32, t->strip, ""), number32(t, 1), "");
    LLVMBuildStore(t->builder, following, t->strip);
    const uint32_t strips = cy_jit_strip_count(t->items, t->row, t->lanes);
    LLVMValueRef more = LLVMBuildICmp(t->builder, LLVMIntULT, following, number32(t, strips), "");
    LLVMBuildCondBr(t->builder, more, loop, after);
    LLVMPositionBuilderAtEnd(t->builder, after);
    after_strips(t, phase, done);
    claim_phase(t, number);
    return true;
}

void add_enum_attribute(struct translator *t, LLVMValueRef function, LLVMAttributeIndex index, const char *name)
{
    const unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, index, LLVMCreateEnumAttribute(t->context, kind, 0));
}

/* Functions with the parameters of a workgroup's. */
void set_body_attributes(struct translator *t, LLVMValueRef function)
{
    static const char name[] = "no-jump-tables", value[] = "true";
    const LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMSetLinkage(function, LLVMInternalLinkage);
    for (unsigned i = 0; i < 5; i++)
        if (i != 2) /* helpers change sites */
            add_enum_attribute(t, function, i + 1, "noalias");
    add_enum_attribute(t, function, index, "nounwind");
    add_enum_attribute(t, function, index, "noinline");
    LLVMAddAttributeAtIndex(function, index,
                            LLVMCreateStringAttribute(t->context, name, sizeof(name) - 1, value, sizeof(value) - 1));
}

static LLVMValueRef make_function(struct translator *t, const char *name, LLVMTypeRef *types, unsigned count)
{
    return LLVMAddFunction(t->module, name, LLVMFunctionType(t->i32, types, count, false));
}

static LLVMValueRef frame_field(struct translator *t, size_t offset)
{
    LLVMValueRef index = LLVMConstInt(t->i64, offset, false);
    return LLVMBuildGEP2(t->builder, t->i8, t->frame, &index, 1, "");
}

static LLVMValueRef add_to_frame(struct translator *t, size_t offset, uint32_t amount)
{
    LLVMValueRef at = frame_field(t, offset);
    LLVMValueRef sum = LLVMBuildAdd(t->builder, LLVMBuildLoad2(t->builder, t->i32, at, ""), number32(t, amount), "");
    LLVMBuildStore(t->builder, sum, at);
    return sum;
}

/* The next workgroup: in x, else in y, else in z. */
static void step_group(struct translator *t)
{
    LLVMValueRef carry = number32(t, 1);
    for (size_t i = 0; i < 3; i++) {
        LLVMValueRef at = frame_field(t, offsetof(struct cy_jit_frame, group) + i * sizeof(uint32_t));
        LLVMValueRef number = LLVMBuildAdd(t->builder, LLVMBuildLoad2(t->builder, t->i32, at, ""), carry, "");
        if (i < 2) {
            LLVMValueRef size = frame_field(t, offsetof(struct cy_jit_frame, grid) + i * sizeof(uint32_t));
            size = LLVMBuildLoad2(t->builder, t->i32, size, "");
            LLVMValueRef is_last = LLVMBuildICmp(t->builder, LLVMIntEQ, number, size, "");
            number = LLVMBuildSelect(t->builder, is_last, number32(t, 0), number, "");
            carry = LLVMBuildZExt(t->builder, is_last, t->i32, "");
        }
        LLVMBuildStore(t->builder, number, at);
    }
}

/* `run` unpacks the frame and calls a body for each workgroup, whose parameters LLVM may assume not to alias. */
void make_entry(struct translator *t, LLVMValueRef any, LLVMValueRef whole)
{
    LLVMTypeRef type = LLVMGlobalGetValueType(any);
    t->function = make_function(t, "run", &t->ptr, 1);
    add_enum_attribute(t, t->function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, "nounwind");
    t->frame = LLVMGetParam(t->function, 0);
    LLVMBasicBlockRef loop, next, end;
    LLVMPositionBuilderAtEnd(t->builder, new_block(t, "entry"));
    loop = new_block(t, "group");
    next = new_block(t, "next");
    end = new_block(t, "end");
    static const size_t fields[] = {offsetof(struct cy_jit_frame, memory), offsetof(struct cy_jit_frame, sites),
                                    offsetof(struct cy_jit_frame, records), offsetof(struct cy_jit_frame, helpers)};
    LLVMValueRef args[5] = {t->frame};
    for (size_t i = 0; i < CY_COUNT(fields); i++)
        args[1 + i] = frame_pointer(t, fields[i]);
    LLVMValueRef body = any;
    if (whole != any) {
        LLVMValueRef at = LLVMConstInt(t->i64, offsetof(struct cy_jit_frame, whole), false);
        at = LLVMBuildGEP2(t->builder, t->i8, t->frame, &at, 1, "");
        LLVMValueRef is_whole = LLVMBuildLoad2(t->builder, t->i32, at, "");
        is_whole = LLVMBuildICmp(t->builder, LLVMIntNE, is_whole, number32(t, 0), "");
        body = LLVMBuildSelect(t->builder, is_whole, whole, any, "");
    }
    LLVMBuildBr(t->builder, loop);
    LLVMPositionBuilderAtEnd(t->builder, loop);
    LLVMValueRef stopped = LLVMBuildCall2(t->builder, type, body, args, 5, "");
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntEQ, stopped, number32(t, 0), ""), next, end);
    LLVMPositionBuilderAtEnd(t->builder, next);
    LLVMValueRef left = add_to_frame(t, offsetof(struct cy_jit_frame, groups), UINT32_MAX);
    step_group(t);
    LLVMBuildCondBr(t->builder, LLVMBuildICmp(t->builder, LLVMIntNE, left, number32(t, 0), ""), loop, end);
    LLVMPositionBuilderAtEnd(t->builder, end);
    LLVMBuildRet(t->builder, stopped);
}

/* The function that runs one workgroup, with what its parameters are. */
LLVMValueRef open_body(struct translator *t, const char *name, LLVMBasicBlockRef *entry, LLVMBasicBlockRef *begin)
{
    LLVMTypeRef types[] = {t->ptr, t->ptr, t->ptr, t->ptr, t->ptr};
    t->function = make_function(t, name, types, 5);
    t->earlies.count = 0;
    LLVMValueRef *parameters[] = {&t->frame, &t->memory, &t->sites, &t->records, &t->helpers};
    for (unsigned i = 0; i < CY_COUNT(parameters); i++)
        *parameters[i] = LLVMGetParam(t->function, i);
    set_body_attributes(t, t->function);
    *entry = new_block(t, "entry");
    *begin = new_block(t, "begin");
    t->exit = new_block(t, "exit");
    LLVMPositionBuilderAtEnd(t->allocas, *entry);
    LLVMPositionBuilderAtEnd(t->builder, *begin);
    return t->function;
}

static LLVMValueRef make_body(struct translator *t, const char *name, bool is_whole)
{
    LLVMBasicBlockRef entry, begin;
    LLVMValueRef body = open_body(t, name, &entry, &begin);
    LLVMBasicBlockRef done = new_block(t, "done");
    t->is_whole = is_whole;
    t->claims.count = 0;
    make_allocas(t);
    claim_phase(t, 0);
    LLVMBuildStore(t->builder, number32(t, CY_JIT_POLL), t->polls);
    if (t->tallies.count)
        t->tally_array = frame_pointer(t, offsetof(struct cy_jit_frame, counters));
    for (unsigned i = 0; i < t->phase_count; i++) {
        t->phases[i].begin = new_block(t, "phase");
        t->phases[i].strip_end = new_block(t, "strip_end");
        claim_phase(t, i);
    }
    static const char *const names[] = {"full", "masked", "alone"};
    for (uint32_t i = 0; i < t->phase_count * VERSIONS * t->blocks.count; i++)
        if (t->nodes[i].reached) {
            t->nodes[i].block = new_block(t, names[i / t->blocks.count % VERSIONS]);
            claim_node(t, i);
        }
    LLVMBuildBr(t->builder, t->phases[0].begin);
    for (unsigned i = 0; i < t->phase_count; i++)
        if (!emit_phase(t, i, done))
            return NULL;
    LLVMPositionBuilderAtEnd(t->builder, done);
    LLVMBuildRet(t->builder, number32(t, 0));
    LLVMPositionBuilderAtEnd(t->builder, t->exit);
    LLVMBuildRet(t->builder, number32(t, CY_JIT_STOPPED));
    LLVMBuildBr(t->allocas, begin);
    return body;
}

/* How many instructions will be emitted, in all versions. */
static uint32_t emitted_count(const struct translator *t)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < t->phase_count * VERSIONS * t->blocks.count; i++) {
        const struct block *block = &t->blocks.at[i % t->blocks.count];
        for (uint32_t k = block->first; t->nodes[i].reached; k = t->insts[k].next) {
            count++;
            if (k == block->last)
                break;
        }
    }
    return count;
}

bool build_function(struct translator *t)
{
    enum { FEW = 12 };         /* sites that fit into registers */
    enum { TOO_MANY = 16000 }; /* instructions for strips of a whole warp */
    t->varying = cy_arena_alloc(&t->arena, t->count);
    t->meeting = cy_arena_alloc(&t->arena, t->count);
    find_pairs(t);
    memset(t->varying, 0, t->count);
    memset(t->meeting, 0, t->count);
    if (!find_classes(t) || (choose_detours(t) && !find_classes(t)))
        return false;
    if (t->lanes > 1 && !t->request->is_fixed && is_better_by_item(t)) {
        t->attempt.by_item = true;
        return cannot(t, "strips of several work-items");
    }
    if (!t->attempt.is_doubled && !t->request->is_fixed && is_better_doubled(t)) {
        t->attempt.is_doubled = true;
        return cannot(t, "strips of one register");
    }
    if (t->level->for_gathers && gathers_much(t)) {
        t->attempt.gathers_much = true;
        return cannot(t, "gathers");
    }
    plan_tallies(t);
    give_places(t);
    if (t->in_lockstep && emitted_count(t) > TOO_MANY)
        return cannot(t, "a kernel of %u instructions whose warps stay in lockstep", emitted_count(t));

    t->emit = true;
    t->keeps_sites = t->groups.count <= FEW;
    t->group_pointer = cy_arena_alloc(&t->arena, (t->groups.count + 1) * sizeof(*t->group_pointer));
    t->group_numbers = cy_arena_alloc(&t->arena, (t->groups.count + 1) * sizeof(*t->group_numbers));
    memset(t->group_numbers, 0, (t->groups.count + 1) * sizeof(*t->group_numbers));
    t->group_kind = cy_arena_alloc(&t->arena, (t->groups.count + 1) * sizeof(*t->group_kind));
    t->group_is_straight = cy_arena_alloc(&t->arena, (t->groups.count + 1) * sizeof(*t->group_is_straight));
    t->group_inside = cy_arena_alloc(&t->arena, (t->groups.count + 1) * sizeof(*t->group_inside));
    t->group_bias = cy_arena_alloc(&t->arena, (t->groups.count + 1) * sizeof(*t->group_bias));
    LLVMValueRef any = make_body(t, "any", false), whole = any;
    if (any && t->is_short)
        whole = t->whole = make_body(t, "whole", true);
    if (!any || !whole)
        return false;
    if (whole == any)
        split_function(t, any);
    make_entry(t, any, whole);
    return true;
}
