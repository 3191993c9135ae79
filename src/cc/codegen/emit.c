/* Emission: pseudo-instructions become rows, blocks are laid out and branches relaxed. */
#include "cc/codegen/emit_priv.h"

#include <assert.h>
#include <string.h>

/* ---- skipping empty blocks ---- */

static bool is_empty(const struct mir_func *func, uint32_t b)
{
    const struct mir_block *block = &func->blocks.at[b];
    if (block->kind != MIR_JUMP || block->has_join || block->succ[0] == b)
        return false;
    for (size_t k = 0; k < block->insns.count; k++)
        if (!mir_is_identity(func, &block->insns.at[k]) && block->insns.at[k].op != MIR_DEBUG)
            return false;
    return true;
}

static uint32_t final_target(const struct mir_func *func, uint32_t b)
{
    for (size_t steps = 0; steps < func->blocks.count && is_empty(func, b); steps++)
        b = func->blocks.at[b].succ[0];
    return b;
}

static void lay_out(struct emitter *e)
{
    struct mir_func *func = e->func;
    for (size_t i = 0; i < func->order.count; i++) {
        struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (uint32_t s = 0; s < block->succ_count; s++)
            block->succ[s] = final_target(func, block->succ[s]);
        if (block->succ_count == 2 && block->succ[0] == block->succ[1]) {
            block->kind = MIR_JUMP;
            block->succ_count = 1;
        }
    }
    mir_set_order(func);
    mir_set_preds(func);
    e->layout.count = 0;
    for (size_t i = 0; i < func->order.count; i++)
        *cy_vec_push(&e->layout) = func->order.at[i];
}

/* ---- instructions ---- */

struct item *emit_put(struct emitter *e, unsigned op, unsigned count, const int32_t *operands)
{
    struct mir_insn full = mir_make(op, count, operands);
    struct item *item = cy_vec_push(&e->items);
    *item = (struct item){.insn = {.op = (enum cy_op)op}, .line = e->line, .target = NONE};
    memcpy(item->insn.operand, full.operand, sizeof(item->insn.operand));
    const char *error = cy_encode(e->func->target->isa, &item->insn, NULL);
    if (error && !e->failed) {
        cy_diag_file(e->diags, CY_ERROR, e->func->name, "internal error: %s: %s", cy_insns[op].mnemonic, error);
        e->failed = true;
    }
    return item;
}

/* Every kind of prefix also has the bits of registers above v31, in the same place. */
static void put_prefixed(struct emitter *e, uint32_t prefix, unsigned op, unsigned count, const int32_t *operands)
{
    struct cy_insn *put = &emit_put(e, op, count, operands)->insn;
    if (!prefix)
        return;
    assert((!put->prefix || (put->prefix & 0xfffff) == cy_insns[CY_OP_regext].match) && "an immediate needs a prefix");
    put->prefix = prefix | (put->prefix & 0xfff00000);
    put->size = 8;
}

/* A row, by the first register of what is in several. */
static void put_row(struct emitter *e, const struct mir_insn *insn, const int32_t *operands)
{
    int32_t own[CY_MAX_OPERANDS];
    unsigned count = 0;
    for (unsigned o = 0; o < insn->operand_count; o++)
        if (mir_half_of(insn, o) != MIR_HIGH && (!o || o >= insn->words))
            own[count++] = operands[o];
    put_prefixed(e,
                 cc_prefix_word(e->func->target, insn->prefix, insn->words) |
                     cc_sign_word(e->func->target, insn->op, insn->absolute, insn->negated),
                 insn->op, count, own);
}

void emit_put_private(struct emitter *e, bool is_store, int32_t data, int32_t offset, int32_t base)
{
    const struct cc_memory_rows *rows = &e->func->target->private;
    put_prefixed(e, cc_prefix_word(e->func->target, rows->prefix, 1), is_store ? rows->store[2] : rows->load[2][0], 3,
                 (int32_t[]){data, offset, base});
}

void emit_li(struct emitter *e, int32_t d, int32_t value)
{
    int32_t low = (int32_t)((uint32_t)value << 20) >> 20;
    uint32_t high = ((uint32_t)value - (uint32_t)low) >> 12;
    if (high)
        PUT(e, CY_OP_lui, d, (int32_t)high);
    if (low || !high)
        PUT(e, CY_OP_addi, d, high ? d : 0, low);
}

/* auipc d, ...; then `op` adds the low part. */
static void put_address(struct emitter *e, unsigned op, int32_t d, int32_t destination, enum fix fix, uint32_t target,
                        int32_t addend)
{
    uint32_t high = (uint32_t)e->items.count;
    struct item *item = PUT(e, CY_OP_auipc, d, 0);
    item->fix = (uint8_t)fix;
    item->target = target;
    item->addend = addend;
    item = PUT(e, op, destination, d, 0);
    item->fix = (uint8_t)(fix + 1);
    item->high = high;
}

static void put_copy(struct emitter *e, const struct mir_insn *insn)
{
    bool to_v = mir_class_of(e->func, insn->operand[0]) == MIR_V,
         from_v = mir_class_of(e->func, insn->operand[1]) == MIR_V;
    int32_t d = (int32_t)mir_location(e->func, insn->operand[0]), s = (int32_t)mir_location(e->func, insn->operand[1]);
    if (mir_is_identity(e->func, insn))
        return;
    if (to_v && !from_v && s == 0)
        PUT(e, CY_OP_vmv_v_i, d, 0);
    else if (to_v)
        PUT(e, from_v ? CY_OP_vmv_v_v : CY_OP_vmv_v_x, d, s);
    else if (from_v)
        PUT(e, CY_OP_vmv_x_s, d, s);
    else
        PUT(e, CY_OP_addi, d, s, 0);
}

static void put_call(struct emitter *e, uint32_t callee)
{
    struct item *item = e->has_far_calls ? PUT(e, CY_OP_auipc, MIR_RA, 0) : PUT(e, CY_OP_jal, MIR_RA, 0);
    item->fix = e->has_far_calls ? FIX_CALL_HI : FIX_CALL;
    item->target = callee;
    if (!e->has_far_calls)
        return;
    uint32_t high = (uint32_t)e->items.count - 1;
    item = PUT(e, CY_OP_jalr, MIR_RA, 0, MIR_RA);
    item->fix = FIX_CALL_LO;
    item->high = high;
}

static int32_t slot_offset(int32_t slot)
{
    return 4 * (slot % MIR_SLOTS_PER_BASE) - MIR_SLOT_BIAS;
}

static void put_insn(struct emitter *e, const struct mir_insn *insn)
{
    enum mir_role roles[MIR_MAX_OPERANDS];
    int32_t operands[MIR_MAX_OPERANDS];
    if (insn->op == MIR_DEBUG)
        return;
    unsigned count = mir_roles(insn, roles);
    for (unsigned o = 0; o < count; o++)
        operands[o] = roles[o] == MIR_IMM ? insn->operand[o] : (int32_t)mir_location(e->func, insn->operand[o]);
    e->line = insn->line;
    switch (insn->op) {
    case MIR_COPY: put_copy(e, insn); break;
    case MIR_LI: emit_li(e, operands[0], operands[1]); break;
    case MIR_LA:
        put_address(e, CY_OP_addi, operands[0], operands[0], FIX_SYMBOL_HI, (uint32_t)operands[1], operands[2]);
        break;
    case MIR_LABEL: put_address(e, CY_OP_addi, operands[0], operands[0], FIX_LABEL_HI, (uint32_t)operands[1], 0); break;
    case MIR_SETRPC: put_address(e, CY_OP_setrpc, operands[0], 0, FIX_LABEL_HI, (uint32_t)operands[1], 0); break;
    case MIR_CALL: put_call(e, (uint32_t)operands[0]); break;
    case MIR_USES:
    case MIR_DEFS:
    case MIR_ASM_USES:
    case MIR_ASM_DEFS:
    case MIR_ASM_EARLY: break;
    case MIR_FRAME: emit_frame_address(e, operands[0], operands[1]); break;
    case MIR_SPILL: emit_put_private(e, true, operands[1], slot_offset(operands[0]), operands[2]); break;
    case MIR_RELOAD: emit_put_private(e, false, operands[0], slot_offset(operands[1]), operands[2]); break;
    default: put_row(e, insn, operands); break;
    }
}

/* ---- ends of blocks ---- */

static unsigned opposite(unsigned op)
{
    static const uint16_t pairs[][2] = {
        {CY_OP_beq, CY_OP_bne},   {CY_OP_blt, CY_OP_bge},   {CY_OP_bltu, CY_OP_bgeu},
        {CY_OP_vbeq, CY_OP_vbne}, {CY_OP_vblt, CY_OP_vbge}, {CY_OP_vbltu, CY_OP_vbgeu},
    };
    for (size_t i = 0; i < CY_COUNT(pairs); i++)
        for (int k = 0; k < 2; k++)
            if (pairs[i][k] == op)
                return pairs[i][!k];
    assert(!"not a branch");
    return op;
}

static void put_jump(struct emitter *e, uint32_t target)
{
    struct item *item = PUT(e, CY_OP_jal, 0, 0);
    item->fix = FIX_BRANCH;
    item->target = target;
}

static void put_branch(struct emitter *e, unsigned op, const struct mir_block *block, uint32_t target, uint32_t skip)
{
    struct item *item =
        PUT(e, op, (int32_t)mir_location(e->func, block->a), (int32_t)mir_location(e->func, block->b), 0);
    item->fix = FIX_BRANCH;
    item->target = target;
    item->skip = skip;
}

static void put_end(struct emitter *e, uint32_t b, uint32_t next)
{
    const struct mir_block *block = &e->func->blocks.at[b];
    uint32_t taken = block->succ[0], other = block->succ[1];
    unsigned op = block->branch_op;
    if (block->line)
        e->line = block->line;
    if (block->kind == MIR_RETURN) {
        emit_epilogue(e);
        if (e->ir->is_function)
            PUT(e, CY_OP_jalr, 0, 0, MIR_RA);
        else
            PUT(e, CY_OP_endprg, 0, 0, 0);
        return;
    }
    if (block->kind == MIR_JUMP) {
        if (taken != next)
            put_jump(e, taken);
        return;
    }
    bool both_far = taken != next && other != next, /* then the more frequent path takes no jump */
        other_is_hot = e->func->blocks.at[other].loop_depth > e->func->blocks.at[taken].loop_depth;
    if (taken == next || (both_far && other_is_hot)) {
        taken = block->succ[1];
        other = block->succ[0];
        op = opposite(op);
    }
    if (!e->is_long[b]) {
        put_branch(e, op, block, taken, 0);
        if (other != next)
            put_jump(e, other);
    } else if (block->kind == MIR_BRANCH) { /* the inverted branch skips a jump */
        put_branch(e, opposite(op), block, NONE, 2);
        put_jump(e, taken);
        if (other != next)
            put_jump(e, other);
    } else { /* both sides need a jump */
        put_branch(e, op, block, NONE, 2);
        put_jump(e, other);
        put_jump(e, taken);
    }
}

static void mark(struct emitter *e, uint32_t block, uint32_t insn)
{
    if (mir_wants_debug(e->func))
        *cy_vec_push(&e->marks) = (struct mark){(uint32_t)e->items.count, block, insn};
}

static void put_blocks(struct emitter *e)
{
    e->items.count = e->marks.count = e->asm_relocs.count = e->asm_count = 0;
    for (size_t i = 0; i < e->layout.count; i++) {
        uint32_t b = e->layout.at[i];
        const struct mir_block *block = &e->func->blocks.at[b];
        e->first[b] = (uint32_t)e->items.count;
        size_t head = 0;
        while (head < block->insns.count && block->insns.at[head].op == MIR_DEBUG)
            head++;
        e->line = head < block->insns.count ? block->insns.at[head].line : block->line;
        if (i == 0)
            emit_prologue(e);
        if (block->has_join)
            PUT(e, CY_OP_join, 0, 0, 0);
        mark(e, b, NONE);
        for (size_t k = 0; k < block->insns.count; k++) {
            mark(e, b, (uint32_t)k);
            if (block->insns.at[k].op == MIR_ASM)
                emit_asm(e, block, k);
            else
                put_insn(e, &block->insns.at[k]);
        }
        mark(e, b, (uint32_t)block->insns.count);
        put_end(e, b, i + 1 < e->layout.count ? e->layout.at[i + 1] : NONE);
    }
}

/* ---- distances ---- */

static uint32_t target_offset(const struct emitter *e, uint32_t index)
{
    const struct item *item = &e->items.at[index];
    if (item->fix == FIX_CALL || item->fix == FIX_CALL_HI)
        return e->func->module->funcs.at[item->target].code_offset - e->base;
    return item->target == NONE ? e->items.at[index + item->skip].offset : e->offset[item->target];
}

static int32_t distance_to(const struct emitter *e, uint32_t index)
{
    return (int32_t)(target_offset(e, index) - own_offset(&e->items.at[index]));
}

static void measure(struct emitter *e)
{
    uint32_t at = 0;
    for (size_t i = 0; i < e->items.count; i++) {
        e->items.at[i].offset = at;
        at += e->items.at[i].insn.size;
    }
    for (size_t i = 0; i < e->layout.count; i++) {
        uint32_t item = e->first[e->layout.at[i]];
        e->offset[e->layout.at[i]] = item < e->items.count ? e->items.at[item].offset : at;
    }
    e->size = at;
}

/* Marks the blocks whose branches are out of range; false: none is. */
static bool find_long(struct emitter *e)
{
    bool any = false;
    for (size_t i = 0; i < e->layout.count; i++) {
        uint32_t b = e->layout.at[i],
                 end = i + 1 < e->layout.count ? e->first[e->layout.at[i + 1]] : (uint32_t)e->items.count;
        for (uint32_t k = e->first[b]; k < end; k++) {
            const struct item *item = &e->items.at[k];
            bool is_jump = item->insn.op == CY_OP_jal;
            if ((item->fix != FIX_BRANCH && item->fix != FIX_CALL) ||
                cy_field_fits(is_jump ? CY_FIELD_joff : CY_FIELD_boff, distance_to(e, k), NULL, NULL, NULL))
                continue;
            if (item->fix == FIX_CALL) {
                e->has_far_calls = any = true;
                continue;
            }
            if (is_jump) {
                if (!e->failed)
                    cy_diag_file(e->diags, CY_ERROR, e->func->name,
                                 "the kernel is too big: a jump spans more than 1 MiB");
                e->failed = true;
                return false;
            }
            e->is_long[b] = 1;
            any = true;
        }
    }
    return any;
}

static void resolve(struct emitter *e)
{
    for (uint32_t i = 0; i < e->items.count; i++) {
        struct item *item = &e->items.at[i];
        if (item->is_raw || !item->insn.operand_count)
            continue;
        int32_t *last = &item->insn.operand[item->insn.operand_count - 1];
        if (item->fix == FIX_BRANCH || item->fix == FIX_CALL) {
            *last = distance_to(e, i);
        } else if (item->fix == FIX_LABEL_HI || item->fix == FIX_CALL_HI) {
            *last = (int32_t)(((uint32_t)distance_to(e, i) + 0x800) >> 12);
        } else if (item->fix == FIX_CALL_LO) { /* jalr ra, low(ra) */
            item->insn.operand[1] = (int32_t)((uint32_t)distance_to(e, item->high) << 20) >> 20;
        } else if (item->fix == FIX_LABEL_LO) {
            *last = (int32_t)((uint32_t)distance_to(e, item->high) << 20) >> 20;
        } else {
            continue;
        }
        unsigned size = item->insn.size;
        const char *error = cy_encode(e->func->target->isa, &item->insn, NULL);
        assert(!error && item->insn.size == size && "a displacement changed an instruction's size");
        (void)error, (void)size;
    }
}

void cy_backend_stats_free(struct backend_stats *stats)
{
    cy_vec_free(&stats->lines);
    cy_vec_free(&stats->callsites);
    cy_vec_free(&stats->places);
    cy_buf_free(&stats->expressions);
}

static unsigned granules(unsigned registers)
{
    return (registers + CY_REGISTER_GRANULE - 1) / CY_REGISTER_GRANULE * CY_REGISTER_GRANULE;
}

static void count(const struct emitter *e, struct backend_stats *stats)
{
    for (size_t i = 0; i < e->items.count; i++) {
        enum cy_sched class = cy_insns[e->items.at[i].insn.op].sched;
        if (cy_insns[e->items.at[i].insn.op].flags & CY_F_PREFIX) /* only in assembly is it a word of its own */
            continue;
        stats->calls += e->items.at[i].fix == FIX_CALL || e->items.at[i].fix == FIX_CALL_HI;
        stats->instructions++;
        stats->scalar += class == CY_SCHED_salu || class == CY_SCHED_smul || class == CY_SCHED_sdiv ||
                         class == CY_SCHED_sfpu || class == CY_SCHED_sfdiv || class == CY_SCHED_branch ||
                         class == CY_SCHED_csr || class == CY_SCHED_slsu;
    }
    stats->uniform_percent = stats->instructions ? 100 * stats->scalar / stats->instructions : 0;
    stats->vgprs = granules(e->func->vgprs ? e->func->vgprs : 1);
    stats->sgprs = granules(e->func->sgprs > CY_STARTUP_SGPRS ? e->func->sgprs : CY_STARTUP_SGPRS);
    stats->spills = e->func->spills;
    stats->spill_bytes = 4 * e->func->spill_slots;
}

/* Includes the callees: registers are shared, private memory and stacks are consecutive. */
static void sum_up(const struct emitter *e, struct ir_func *ir, const struct backend_stats *stats)
{
    struct ir_needs needs = {.vgprs = stats->vgprs, .sgprs = stats->sgprs};
    for (size_t i = 0; i < ir->callees.count; i++) {
        const struct ir_needs *callee = &e->func->module->funcs.at[ir->callees.at[i]].needs;
        needs.vgprs = callee->vgprs > needs.vgprs ? callee->vgprs : needs.vgprs;
        needs.sgprs = callee->sgprs > needs.sgprs ? callee->sgprs : needs.sgprs;
        needs.private_bytes = callee->private_bytes > needs.private_bytes ? callee->private_bytes : needs.private_bytes;
        needs.stack_bytes = callee->stack_bytes > needs.stack_bytes ? callee->stack_bytes : needs.stack_bytes;
        ir->exchanges_lanes |= e->func->module->funcs.at[ir->callees.at[i]].exchanges_lanes;
    }
    needs.private_bytes += e->frame.private_bytes;
    needs.stack_bytes += 4 * e->frame.scalar_count;
    ir->needs = needs;
    ir->code_offset = e->base;
}

bool mir_emit(struct mir_func *func, struct ir_func *ir, struct cy_object *object, struct backend_stats *stats,
              struct cy_buf *assembly, struct cy_diags *diags)
{
    struct emitter e = {.func = func, .ir = ir, .object = object, .diags = diags, .base = emit_text_size(object)};
    size_t blocks = func->blocks.count;
    e.first = cy_xrealloc(NULL, blocks * sizeof(*e.first));
    e.offset = cy_xrealloc(NULL, blocks * sizeof(*e.offset));
    e.is_long = cy_xrealloc(NULL, blocks);
    memset(e.is_long, 0, blocks);
    struct values *values = mir_wants_debug(func) ? emit_find_values(func) : NULL;
    lay_out(&e);
    emit_plan_frame(&e);
    do {
        put_blocks(&e);
        measure(&e);
    } while (find_long(&e));
    if (!e.failed) {
        resolve(&e);
        count(&e, stats);
        sum_up(&e, ir, stats);
        emit_object(&e, stats);
        if (values)
            emit_places(&e, values, stats);
        e.failed = !ir->is_function && !emit_resources(&e);
    }
    if (!e.failed && assembly)
        emit_assembly(&e, assembly);
    cy_free(e.first);
    cy_free(e.offset);
    cy_free(e.is_long);
    cy_vec_free(&e.items);
    cy_vec_free(&e.marks);
    cy_vec_free(&e.asm_relocs);
    cy_arena_free(&e.arena);
    emit_free_values(values);
    cy_vec_free(&e.layout);
    return !e.failed;
}
