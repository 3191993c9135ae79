/* Instruction selection: the walk, registers of values, phis, terminators.  See isel_priv.h. */
#include "cc/codegen/isel_priv.h"

#include <assert.h>
#include <string.h>

/* ---- emitting ---- */

void isel_emit(struct isel *s, unsigned op, unsigned count, const int32_t *operands)
{
    struct mir_insn insn = mir_make(op, count, operands);
    insn.line = s->line;
    *cy_vec_push(&s->sequence) = insn;
}

void isel_emit_wide(struct isel *s, unsigned op, unsigned wide, unsigned count, const int32_t *operands)
{
    struct mir_insn insn = mir_make_wide(op, wide, count, operands);
    insn.line = s->line;
    *cy_vec_push(&s->sequence) = insn;
}

/* Appends the sequence to the block, last instruction first. */
void isel_flush(struct isel *s)
{
    while (s->sequence.count)
        *cy_vec_push(&s->mir->blocks.at[s->out].insns) = s->sequence.at[--s->sequence.count];
}

uint32_t isel_new_block(struct isel *s)
{
    uint32_t block = mir_new_block(s->mir, s->ir->blocks.at[s->block].loop_depth);
    while (block >= s->next_capacity)
        s->next_piece = cy_vec_grow(s->next_piece, &s->next_capacity, block + 1, sizeof(*s->next_piece));
    s->next_piece[block] = NONE;
    return block;
}

uint32_t isel_split(struct isel *s)
{
    uint32_t rest = isel_new_block(s);
    struct mir_block *from = &s->mir->blocks.at[s->out], *to = &s->mir->blocks.at[rest];
    struct mir_block empty = {.loop_depth = from->loop_depth, .rpc = NONE, .has_join = from->has_join};
    isel_flush(s);
    *to = *from;
    to->has_join = true;
    *from = empty;
    s->next_piece[rest] = s->next_piece[s->out];
    if (s->tail[s->block] == s->out)
        s->tail[s->block] = rest;
    return rest;
}

bool isel_fits(unsigned op, unsigned index, int64_t value)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    return op && index < cy_format_operands(cy_insns[op].format, fields) &&
           cy_field_fits(fields[index], value, NULL, NULL, NULL);
}

/* ---- registers of values ---- */

mir_reg isel_temp(struct isel *s, enum mir_class class)
{
    return mir_new_reg(s->mir, class);
}

/* The words of a wide value are the halves of its pair. */
static bool is_half(const struct ir_insn *insn)
{
    return insn->op == IR_LOW || insn->op == IR_HIGH;
}

mir_reg isel_own(struct isel *s, ir_value value)
{
    const struct ir_insn *insn = isel_at(s, value);
    if (is_half(insn))
        return isel_own(s, insn->args[0]) + (insn->op == IR_HIGH);
    enum mir_class class = isel_is_v(s, value) || ir_is_wide(insn->op) ? MIR_V : MIR_S;
    if (!s->reg[value])
        s->reg[value] =
            ir_is_wide(insn->op) || ir_is_pair(insn->op) ? mir_new_pair(s->mir, class) : mir_new_reg(s->mir, class);
    return s->reg[value];
}

mir_reg isel_s(struct isel *s, ir_value value)
{
    const struct ir_insn *insn = isel_at(s, value);
    assert(!insn->is_divergent && "a scalar register for a divergent value");
    if (insn->op == IR_CONST)
        return isel_const(s, insn->imm);
    if (insn->op == IR_SYMBOL)
        return isel_make(s, MATERIALIZE_SYMBOL, insn->imm, insn->extra, s->block);
    s->needed[value] = 1;
    return isel_own(s, value);
}

mir_reg isel_v(struct isel *s, ir_value value)
{
    const struct ir_insn *insn = isel_at(s, value);
    if (!insn->is_divergent) {
        if (insn->op == IR_CONST)
            return isel_splat_const(s, insn->imm);
        if (insn->op != IR_SYMBOL) {
            s->needed[value] = 1;
            isel_own(s, value);
        }
        return isel_make(s, MATERIALIZE_SPLAT, (int32_t)value, 0, s->block);
    }
    s->needed[value] = 1;
    if (is_half(insn))
        s->needed[insn->args[0]] = 1;
    return isel_own(s, value);
}

void isel_move(struct isel *s, mir_reg to, ir_value value)
{
    const struct ir_insn *insn = isel_at(s, value);
    if (mir_class_of(s->mir, to) == MIR_S) {
        if (insn->op == IR_CONST)
            EMIT(s, MIR_LI, to, insn->imm);
        else
            EMIT(s, MIR_COPY, to, isel_s(s, value));
    } else if (insn->is_divergent) {
        EMIT(s, MIR_COPY, to, isel_v(s, value));
    } else if (insn->op == IR_CONST && insn->imm >= -1024 && insn->imm < 1024) {
        EMIT(s, CY_OP_vmv_v_i, to, insn->imm);
    } else {
        EMIT(s, MIR_COPY, to, isel_s(s, value));
    }
}

bool isel_in_loop_of(const struct isel *s, ir_value value)
{
    uint32_t header = s->ir->blocks.at[s->block].loop_header;
    return header == NONE || ir_in_loop(s->ir, isel_at(s, value)->block, header);
}

bool isel_dies(const struct isel *s, ir_value value)
{
    return isel_is_v(s, value) && !s->needed[value] && isel_in_loop_of(s, value);
}

bool isel_may_look_through(const struct isel *s, ir_value value)
{
    const struct ir_insn *insn = isel_at(s, value);
    for (unsigned i = 0; i < ir_ops[insn->op].arguments && insn->block != s->block; i++) {
        const struct ir_insn *arg = isel_at(s, insn->args[i]);
        if (!arg->is_divergent && arg->op != IR_CONST && s->ir->blocks.at[arg->block].loop_header != NONE)
            return false;
    }
    return true;
}

/* ---- phis ---- */

static uint32_t pred_index(const struct ir_block *block, uint32_t pred)
{
    for (uint32_t p = 0; p < block->preds.count; p++)
        if (block->preds.at[p] == pred)
            return p;
    assert(!"an edge that its target does not list");
    return 0;
}

static bool has_phis(const struct isel *s, uint32_t block)
{
    const struct ir_block *b = &s->ir->blocks.at[block];
    return b->list.count && isel_at(s, b->list.at[0])->op == IR_PHI;
}

/* Predecessors write the phi's temporary and its block copies from it, so no value is overwritten before it is read, in
 * any order. */
static mir_reg phi_temp(struct isel *s, ir_value phi)
{
    if (!s->phi_temp[phi])
        s->phi_temp[phi] = mir_new_reg(s->mir, isel_is_v(s, phi) ? MIR_V : MIR_S);
    return s->phi_temp[phi];
}

/* The copies of one edge. */
struct edge_copies {
    const struct ir_block *target;
    uint32_t pred;
    const mir_reg *splats;
    uint8_t *done;
    size_t *reader, *next; /* by phi: the first phi that reads it, and the next one that reads the same; 0: none */
};

static ir_value phi_arg(const struct isel *s, const struct edge_copies *edge, size_t i)
{
    return s->ir->phi_args.at[isel_at(s, edge->target->list.at[i])->args[0] + edge->pred];
}

/* The value's index among the first `count` values of a block, or `count`.  Phi numbers within a block mostly
 * ascend. */
static size_t phi_index(const struct ir_block *block, size_t count, ir_value value, bool ascend)
{
    size_t low = 0, high = count;
    while (ascend && low < high) {
        size_t middle = low + (high - low) / 2;
        if (block->list.at[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    while (!ascend && low < count && block->list.at[low] != value)
        low++;
    return low < count && block->list.at[low] == value ? low : count;
}

static void phi_copy(struct isel *s, const struct edge_copies *edge, size_t i)
{
    ir_value phi = edge->target->list.at[i];
    edge->done[i] = 1;
    for (size_t k = edge->reader[i]; k; k = edge->next[k - 1])
        if (!edge->done[k - 1])
            phi_copy(s, edge, k - 1);
    if (edge->splats && edge->splats[i])
        EMIT(s, MIR_COPY, phi_temp(s, phi), edge->splats[i]);
    else
        isel_move(s, phi_temp(s, phi), phi_arg(s, edge, i));
}

/* The copies on the edge from the current block to `to`.  `splats`: registers into which the scalar arguments of
 * divergent phis were read before a divergent branch (0: not one).  A phi that is another phi's argument is read before
 * its temporary is written, so that both can share a register. */
static void phi_copies(struct isel *s, uint32_t to, const mir_reg *splats)
{
    const struct ir_block *target = &s->ir->blocks.at[to];
    struct edge_copies edge = {.target = target, .pred = pred_index(target, s->block), .splats = splats};
    size_t count = 0;
    bool ascend = true;
    for (; count < target->list.count && isel_at(s, target->list.at[count])->op == IR_PHI; count++)
        ascend &= !count || target->list.at[count - 1] < target->list.at[count];
    edge.done = cy_xrealloc(NULL, count + 1);
    edge.reader = cy_xrealloc(NULL, (2 * count + 1) * sizeof(*edge.reader));
    edge.next = edge.reader + count;
    memset(edge.done, 0, count + 1);
    memset(edge.reader, 0, (2 * count + 1) * sizeof(*edge.reader));
    for (size_t k = count; k-- > 0;) {
        size_t i = phi_index(target, count, phi_arg(s, &edge, k), ascend);
        if (i < count && i != k) {
            edge.next[k] = edge.reader[i];
            edge.reader[i] = k + 1;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (!edge.done[i])
            phi_copy(s, &edge, i);
    cy_free(edge.done);
    cy_free(edge.reader);
}

/* Before a divergent branch: reads the scalar arguments of divergent phis of a successor.  The lanes that go there may
 * have to wait while the others change the scalar. */
static mir_reg *phi_splats(struct isel *s, uint32_t to)
{
    const struct ir_block *target = &s->ir->blocks.at[to];
    mir_reg *splats = cy_xrealloc(NULL, (target->list.count + 1) * sizeof(*splats));
    uint32_t p = pred_index(target, s->block);
    for (size_t i = 0; i < target->list.count; i++) {
        ir_value phi = target->list.at[i];
        splats[i] = 0;
        if (isel_at(s, phi)->op != IR_PHI)
            break;
        ir_value arg = s->ir->phi_args.at[isel_at(s, phi)->args[0] + p];
        if (isel_is_v(s, phi) && !isel_is_v(s, arg) && isel_at(s, arg)->op != IR_CONST &&
            isel_at(s, arg)->op != IR_SYMBOL) {
            splats[i] = isel_temp(s, MIR_V);
            isel_move(s, splats[i], arg);
        }
    }
    return splats;
}

/* ---- terminators ---- */

static const struct {
    uint16_t op, scalar, vector;
} branches[] = {
    {IR_EQ, CY_OP_beq, CY_OP_vbeq},  {IR_NE, CY_OP_bne, CY_OP_vbne},    {IR_LTS, CY_OP_blt, CY_OP_vblt},
    {IR_GES, CY_OP_bge, CY_OP_vbge}, {IR_LTU, CY_OP_bltu, CY_OP_vbltu}, {IR_GEU, CY_OP_bgeu, CY_OP_vbgeu},
};

/* A branch condition: a compare in the same block is folded into the branch. */
static void select_condition(struct isel *s, ir_value condition, bool vector, struct mir_block *end)
{
    const struct ir_insn *insn = isel_at(s, condition);
    mir_reg (*get)(struct isel *, ir_value) = vector ? isel_v : isel_s;
    for (size_t i = 0; i < CY_COUNT(branches) && insn->block == s->block; i++)
        if (branches[i].op == insn->op && insn->is_divergent == vector) {
            end->branch_op = vector ? branches[i].vector : branches[i].scalar;
            end->a = get(s, insn->args[0]);
            end->b = get(s, insn->args[1]);
            return;
        }
    end->branch_op = vector ? CY_OP_vbne : CY_OP_bne;
    end->a = get(s, condition);
    end->b = vector ? isel_splat_const(s, 0) : MIR_X0;
}

/* Where an edge of a two-way branch leads: straight to the block, or through a block with the copies. */
static uint32_t select_edge(struct isel *s, uint32_t to, const mir_reg *splats)
{
    uint32_t block = s->out;
    if (!has_phis(s, to))
        return s->head[to];
    uint32_t edge = isel_new_block(s);
    const struct ir_block *target = &s->ir->blocks.at[to];
    struct mir_block *e = &s->mir->blocks.at[edge];
    e->kind = MIR_JUMP;
    e->succ[0] = s->head[to];
    e->succ_count = 1;
    if (target->loop_depth < e->loop_depth)
        e->loop_depth = target->loop_depth;
    s->out = edge;
    phi_copies(s, to, splats);
    isel_flush(s);
    s->out = block;
    return edge;
}

/* ---- loops with a single reconvergence point ---- */

static uint32_t rpc_of(const struct isel *s, const struct ir_block *branch)
{
    return branch->ipdom == NONE ? s->mir->exit : s->head[branch->ipdom];
}

/* The loop's preheader: its only predecessor outside, with the header as only successor; NONE: there is none. */
static uint32_t preheader(const struct isel *s, uint32_t header)
{
    const struct ir_block *h = &s->ir->blocks.at[header];
    uint32_t found = NONE;
    for (size_t p = 0; p < h->preds.count; p++) {
        uint32_t pred = h->preds.at[p];
        if (s->ir->blocks.at[pred].order == NONE || ir_in_loop(s->ir, pred, header))
            continue;
        if (found != NONE || s->ir->blocks.at[pred].succ_count != 1)
            return NONE;
        found = pred;
    }
    return found;
}

/* Loops whose divergent branches all share one reconvergence point get a single setrpc, in the preheader. */
static void find_loop_rpcs(struct isel *s)
{
    const struct ir_func *ir = s->ir;
    const uint32_t none = NONE, several = NONE - 1;
    for (size_t b = 0; b < ir->blocks.count; b++)
        s->loop_rpc[b] = none;
    for (size_t i = 0; i < ir->rpo.count; i++) {
        const struct ir_block *block = &ir->blocks.at[ir->rpo.at[i]];
        uint32_t rpc = block->is_divergent_branch ? rpc_of(s, block) : none;
        for (size_t k = 0; k < block->list.count; k++) {
            unsigned op = isel_at(s, block->list.at[k])->op;
            if (op == IR_CAS || op == IR_CAS64 || op == IR_CALL ||
                (op == IR_ASM && s->mir->module->asms.at[isel_at(s, block->list.at[k])->imm].sets_rpc))
                rpc = several;
        }
        for (uint32_t h = block->loop_header; h != NONE && rpc != none; h = ir->blocks.at[h].loop_parent)
            s->loop_rpc[h] = s->loop_rpc[h] == none || s->loop_rpc[h] == rpc ? rpc : several;
    }
    for (size_t b = 0; b < ir->blocks.count; b++)
        if (s->loop_rpc[b] == several || (s->loop_rpc[b] != none && preheader(s, (uint32_t)b) == NONE))
            s->loop_rpc[b] = none;
}

static bool has_loop_rpc(const struct isel *s)
{
    for (uint32_t h = s->ir->blocks.at[s->block].loop_header; h != NONE; h = s->ir->blocks.at[h].loop_parent)
        if (s->loop_rpc[h] != NONE)
            return true;
    return false;
}

static void select_branch(struct isel *s, const struct ir_block *block)
{
    bool vector = block->is_divergent_branch;
    mir_reg *splats[2] = {NULL, NULL};
    struct mir_block end = {0};
    uint32_t to[2];
    for (int i = 0; vector && i < 2; i++)
        splats[i] = phi_splats(s, block->succ[i]);
    select_condition(s, block->condition, vector, &end);
    if (vector) {
        uint32_t rpc = rpc_of(s, block);
        s->mir->blocks.at[rpc].has_join = true;
        end.rpc = rpc;
        if (has_loop_rpc(s))
            EMIT(s, MIR_SETRPC, isel_temp(s, MIR_S), (int32_t)rpc); /* redundant: reconvergence.c drops it */
        else if (block->loop_depth ||
                 s->meetings[block->ipdom == NONE ? s->ir->blocks.count : block->ipdom] > 2) /* worth a register */
            EMIT(s, CY_OP_setrpc, MIR_X0, isel_label(s, rpc), 0);
        else
            EMIT(s, MIR_SETRPC, isel_temp(s, MIR_S), (int32_t)rpc);
    }
    isel_flush(s);
    for (int i = 0; i < 2; i++)
        to[i] = select_edge(s, block->succ[i], splats[i]);
    struct mir_block *out = &s->mir->blocks.at[s->out];
    out->kind = vector ? MIR_VBRANCH : MIR_BRANCH;
    out->branch_op = end.branch_op;
    out->a = end.a;
    out->b = end.b;
    out->rpc = vector ? end.rpc : NONE;
    out->succ[0] = to[0];
    out->succ[1] = to[1];
    out->succ_count = 2;
    cy_free(splats[0]);
    cy_free(splats[1]);
}

static void select_end(struct isel *s, const struct ir_block *block)
{
    struct mir_block *out = &s->mir->blocks.at[s->out];
    if (block->terminator == IR_BRANCH && block->succ[0] != block->succ[1]) {
        select_branch(s, block);
        return;
    }
    out->kind = MIR_JUMP;
    out->succ_count = 1;
    if (block->succ_count == 0) { /* a return; an unreachable end may as well return */
        out->succ[0] = s->mir->exit;
        return;
    }
    uint32_t to = block->succ[0];
    out->succ[0] = s->head[to];
    if (s->loop_rpc[to] != NONE && !ir_in_loop(s->ir, s->block, to))
        EMIT(s, MIR_SETRPC, isel_temp(s, MIR_S), (int32_t)s->loop_rpc[to]);
    phi_copies(s, to, NULL);
    isel_flush(s);
}

/* ---- instructions ---- */

static bool is_vector_only(const struct ir_insn *insn)
{
    return insn->op == IR_LANE || insn->is_private;
}

/* Arithmetic and the like.  A divergent value with uniform operands (see temporal.c) is computed in scalars and
 * splatted. */
static void select_pure(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    mir_reg d = isel_own(s, value);
    bool has_vectors = is_vector_only(insn);
    for (unsigned i = 0; i < ir_ops[insn->op].arguments; i++)
        has_vectors |= isel_is_v(s, insn->args[i]);
    if (has_vectors) {
        assert(insn->is_divergent && "a uniform value with a divergent operand");
        isel_vector(s, value, insn, d);
    } else if (insn->is_divergent) {
        mir_reg scalar = isel_temp(s, MIR_S);
        isel_scalar(s, insn, scalar);
        EMIT(s, MIR_COPY, d, scalar);
    } else {
        isel_scalar(s, insn, d);
    }
}

static void select_insn(struct isel *s, ir_value value)
{
    const struct ir_insn *insn = isel_at(s, value);
    if (!(ir_ops[insn->op].flags & IR_EFFECT) && insn->op != IR_PHI && !s->needed[value])
        return;
    if (insn->op == IR_DEBUG) {
        s->line = 0;
        EMIT(s, MIR_DEBUG, insn->imm);
        isel_flush(s);
        return;
    }
    s->line = insn->line;
    switch (insn->op) {
    case IR_PHI: {
        mir_reg temp = phi_temp(s, value);
        EMIT(s, MIR_COPY, isel_own(s, value), temp);
        break;
    }
    case IR_CONST:
    case IR_SYMBOL: /* uniform ones are materialised on demand */
        if (insn->is_divergent) {
            mir_reg scalar = isel_temp(s, MIR_S);
            if (insn->op == IR_CONST)
                EMIT(s, MIR_LI, scalar, insn->imm);
            else
                EMIT(s, MIR_LA, scalar, insn->imm, insn->extra);
            EMIT(s, MIR_COPY, isel_own(s, value), scalar);
        }
        break;
    case IR_ARGBASE:
        if (!s->argbase)
            s->argbase = mir_new_reg(s->mir, MIR_S);
        EMIT(s, MIR_COPY, isel_own(s, value), s->argbase);
        break;
    case IR_LOAD: isel_load(s, value, insn); break;
    case IR_STORE: isel_store(s, insn); break;
    case IR_AMO:
    case IR_CAS:
    case IR_AMO64:
    case IR_CAS64: isel_atomic(s, value, insn); break;
    case IR_BARRIER:
        EMIT(s, insn->imm & IR_BARRIER_WARP ? CY_OP_barriersub : CY_OP_barrier, 0, 0, insn->imm & 31);
        break;
    case IR_FENCE:
        if (insn->imm == IR_FENCE_TSO)
            isel_emit(s, CY_OP_fence_tso, 0, NULL);
        else
            EMIT(s, CY_OP_fence, insn->imm >> 4, insn->imm & 15);
        break;
    case IR_TRAP: EMIT(s, CY_OP_csrrw, MIR_X0, CY_CSR_UNIMP, MIR_X0); break; /* unimp */
    case IR_PRINTED: EMIT(s, CY_OP_csrrwi, MIR_X0, CY_CSR_PRINT, 1); break;
    default:
        if (!isel_call_op(s, value, insn) && !isel_asm_op(s, value, insn) && !isel_wide(s, value, insn) &&
            !isel_pair_op(s, value, insn))
            select_pure(s, value, insn);
        break;
    }
    isel_flush(s);
}

static void select_block(struct isel *s, uint32_t block)
{
    const struct ir_block *b = &s->ir->blocks.at[block];
    s->block = block;
    s->out = s->head[block];
    s->tail[block] = s->out;
    size_t last = b->list.count;
    while (last && isel_at(s, b->list.at[last - 1])->op == IR_DEBUG)
        last--;
    s->line = b->line ? b->line : last ? isel_at(s, b->list.at[last - 1])->line : 0;
    s->mir->blocks.at[s->out].line = s->line;
    select_end(s, b);
    for (size_t i = b->list.count; i-- > 0;)
        select_insn(s, b->list.at[i]);
}

/* ---- the whole function ---- */

static void reverse_blocks(struct mir_func *mir)
{
    for (size_t b = 0; b < mir->blocks.count; b++) {
        struct mir_block *block = &mir->blocks.at[b];
        for (size_t i = 0, k = block->insns.count; i + 1 < k--; i++) {
            struct mir_insn swap = block->insns.at[i];
            block->insns.at[i] = block->insns.at[k];
            block->insns.at[k] = swap;
        }
    }
}

static void *zeroed(size_t count, size_t size)
{
    void *at = cy_xrealloc(NULL, (count + 1) * size);
    memset(at, 0, (count + 1) * size);
    return at;
}

static void count_uses(struct isel *s)
{
    const struct ir_func *ir = s->ir;
    for (size_t i = 0; i < ir->rpo.count; i++) {
        const struct ir_block *block = &ir->blocks.at[ir->rpo.at[i]];
        if (block->is_divergent_branch)
            s->meetings[block->ipdom == NONE ? ir->blocks.count : block->ipdom]++;
        if (block->terminator == IR_BRANCH)
            s->uses[block->condition]++;
        for (size_t k = 0; k < block->list.count; k++) {
            const struct ir_insn *insn = isel_at(s, block->list.at[k]);
            for (unsigned a = 0; insn->op != IR_PHI && a < ir_ops[insn->op].arguments; a++)
                s->uses[insn->args[a]]++;
            for (size_t p = 0; insn->op == IR_PHI && p < block->preds.count; p++) {
                ir_value arg = ir->phi_args.at[insn->args[0] + p];
                if (ir->blocks.at[block->preds.at[p]].order == NONE)
                    continue;
                s->uses[arg]++;
                s->needed[arg] = 1; /* predecessors can come before the phi */
                if (is_half(isel_at(s, arg)))
                    s->needed[isel_at(s, arg)->args[0]] = 1;
            }
        }
    }
}

/* Scalar + vector sums used only as addresses of word accesses are not materialised. */
static void find_indices(struct isel *s)
{
    const struct ir_func *ir = s->ir;
    for (size_t v = 1; v < ir->insns.count; v++) {
        const struct ir_insn *insn = isel_at(s, (ir_value)v);
        s->is_index[v] = insn->op == IR_ADD && isel_is_v(s, insn->args[0]) != isel_is_v(s, insn->args[1]);
    }
    for (size_t i = 0; i < ir->rpo.count; i++) {
        const struct ir_block *block = &ir->blocks.at[ir->rpo.at[i]];
        s->block = ir->rpo.at[i];
        if (block->terminator == IR_BRANCH)
            s->is_index[block->condition] = 0;
        for (size_t k = 0; k < block->list.count; k++) {
            const struct ir_insn *insn = isel_at(s, block->list.at[k]);
            bool word = (insn->op == IR_LOAD || insn->op == IR_STORE) && (insn->imm == 4 || insn->imm == -4) &&
                        !insn->extra && !insn->is_private;
            for (unsigned a = 0; insn->op != IR_PHI && a < ir_ops[insn->op].arguments; a++)
                if (a || !word || !isel_may_look_through(s, insn->args[0]))
                    s->is_index[insn->args[a]] = 0;
            for (size_t p = 0; insn->op == IR_PHI && p < block->preds.count; p++)
                s->is_index[ir->phi_args.at[insn->args[0] + p]] = 0;
        }
    }
}

/* a0 holds the address of the arguments on entry. */
static void select_entry(struct isel *s)
{
    struct mir_block *entry = &s->mir->blocks.at[0];
    if (s->argbase)
        *cy_vec_push(&entry->insns) = mir_make(MIR_COPY, 2, (int32_t[]){s->argbase, MIR_A0});
    isel_function_ends(s);
    entry->kind = MIR_JUMP;
    entry->succ[0] = s->head[s->ir->rpo.at[0]];
    entry->succ_count = 1;
}

/* The registers of debug values, now that it is known which values have one. */
static void select_values(struct isel *s)
{
    for (size_t i = 0; i < s->ir->debug_values.count; i++) {
        const struct ir_debug_value *from = &s->ir->debug_values.at[i];
        struct mir_value to = {from->variable, from->offset, from->bytes, from->kind, 0, from->constant};
        if (from->kind == IR_DEBUG_VALUE) {
            const struct ir_insn *insn = isel_at(s, from->value);
            const bool has_reg = from->value && s->reg[from->value] && !s->inverted[from->value] &&
                                 (s->needed[from->value] || insn->op == IR_PHI || ir_ops[insn->op].flags & IR_EFFECT);
            to.kind = IR_DEBUG_UNKNOWN;
            if (from->value && insn->op == IR_CONST) {
                to.kind = IR_DEBUG_CONSTANT;
                to.constant = (uint32_t)insn->imm;
            } else if (has_reg) {
                to.kind = IR_DEBUG_VALUE;
                to.reg = s->reg[from->value];
            }
        }
        *cy_vec_push(&s->mir->values) = to;
    }
}

bool mir_select(struct ir_func *ir, const struct ir_module *module, struct mir_func *mir, struct cy_diags *diags)
{
    struct isel s = {.ir = ir, .mir = mir, .diags = diags};
    size_t values = ir->insns.count, blocks = ir->blocks.count;
    *mir = (struct mir_func){.name = ir->name,
                             .module = module,
                             .target = ir_target(module),
                             .is_function = ir->is_function,
                             .private_bytes = (ir->private_bytes + 3) & ~3u};
    s.reg = zeroed(values, sizeof(*s.reg));
    s.phi_temp = zeroed(values, sizeof(*s.phi_temp));
    s.needed = zeroed(values, sizeof(*s.needed));
    s.inverted = zeroed(values, sizeof(*s.inverted));
    s.uses = zeroed(values, sizeof(*s.uses));
    s.is_index = zeroed(values, sizeof(*s.is_index));
    s.head = zeroed(blocks, sizeof(*s.head));
    s.tail = zeroed(blocks, sizeof(*s.tail));
    s.meetings = zeroed(blocks, sizeof(*s.meetings));
    s.loop_rpc = zeroed(blocks, sizeof(*s.loop_rpc));
    s.block = ir->rpo.at[0];
    isel_new_block(&s); /* the entry, which has no predecessors */
    s.mir->blocks.at[0].loop_depth = 0;
    mir->exit = isel_new_block(&s);
    mir->blocks.at[mir->exit].kind = MIR_RETURN;
    mir->blocks.at[mir->exit].loop_depth = 0;
    for (size_t i = 0; i < ir->rpo.count; i++) {
        s.block = ir->rpo.at[i];
        s.head[s.block] = isel_new_block(&s);
        mir->blocks.at[s.head[s.block]].has_join = ir->blocks.at[s.block].needs_join;
    }
    count_uses(&s);
    find_loop_rpcs(&s);
    find_indices(&s);
    for (size_t i = ir->rpo.count; i-- > 0 && !s.failed;)
        select_block(&s, ir->rpo.at[i]);
    select_entry(&s);
    reverse_blocks(mir);
    if (!s.failed)
        isel_place_made(&s);
    select_values(&s);
    mir_set_order(mir);
    mir_set_preds(mir);
    cy_free(s.reg);
    cy_free(s.phi_temp);
    cy_free(s.needed);
    cy_free(s.inverted);
    cy_free(s.uses);
    cy_free(s.is_index);
    cy_free(s.head);
    cy_free(s.tail);
    cy_free(s.meetings);
    cy_free(s.loop_rpc);
    cy_free(s.next_piece);
    cy_free(s.materialized_map);
    cy_vec_free(&s.materialized);
    cy_vec_free(&s.sequence);
    return !s.failed;
}
