/* Pieces -> blocks: each piece that is reached is a block, in reverse post-order, and has what goes on after it as its terminator. */
#include "jit/import/import_priv.h"

#include <string.h>

/* ---- where pieces lead ---- */

uint32_t successor_count(const struct piece *piece)
{
    if (piece->part == LOADS)
        return 1;
    return (uint32_t)piece->returns.count + (piece->target != NONE) + (piece->next != NONE);
}

/* Where lanes that branch go, then the others. */
uint32_t successor(const struct piece *piece, uint32_t nth)
{
    if (piece->part == LOADS)
        return piece->join;
    if (nth < piece->returns.count)
        return piece->returns.at[nth];
    return piece->target != NONE && nth == piece->returns.count ? piece->target : piece->next;
}

static struct cy_graph graph_of_pieces(struct importer *im)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t i = 0; i < im->pieces.count; i++)
        for (uint32_t s = 0; s < successor_count(im->pieces.at[i]); s++)
            *cy_vec_push(&edges) = (struct cy_edge){i, successor(im->pieces.at[i], s)};
    const struct cy_graph graph = cy_graph_make(&im->arena, (uint32_t)im->pieces.count, edges.at, edges.count);
    cy_vec_free(&edges);
    return graph;
}

static struct cy_graph graph_of_blocks(struct importer *im)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t b = 0; b < im->blocks.count; b++) {
        const struct piece *tail = im->blocks.at[b].tail;
        for (uint32_t s = 0; s < successor_count(tail); s++)
            *cy_vec_push(&edges) = (struct cy_edge){b, im->pieces.at[successor(tail, s)]->block};
    }
    const struct cy_graph graph = cy_graph_make(&im->arena, (uint32_t)im->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
    return graph;
}

/* Pieces that lanes wait for each other at, or that are jumped to, begin a block. */
static bool *find_heads(struct importer *im, const struct cy_graph *graph, const struct cy_walk *walk)
{
    bool *is_head = cy_arena_alloc(&im->arena, im->pieces.count);
    for (uint32_t i = 0; i < walk->count; i++) {
        const uint32_t number = walk->rpo[i];
        const struct piece *piece = im->pieces.at[number];
        uint32_t preds = 0, only = NONE;
        for (uint32_t p = graph->pred_start[number]; p < graph->pred_start[number + 1]; p++)
            if (walk->place[graph->pred[p]] != CY_NO_NODE) {
                only = graph->pred[p];
                preds++;
            }
        const bool goes_on = preds == 1 && successor_count(im->pieces.at[only]) == 1;
        const bool is_checked = goes_on && im->pieces.at[only]->returns.count && !im->pieces.at[only]->is_return_known;
        is_head[number] |= !goes_on || is_checked || piece->part == LOADS;
        if (piece->join != NONE && piece->part != LOADS)
            is_head[piece->join] = true;
    }
    return is_head;
}

static void list_piece(struct importer *im, struct block *block, struct piece *piece)
{
    for (uint32_t at = piece->first;; at = after(im, at)) {
        *cy_vec_push(&im->listing) = at;
        block->count++;
        if (at == piece->last)
            break;
    }
    block->tail = piece;
    piece->block = (uint32_t)im->blocks.count - 1;
}

static void add_block(struct importer *im, uint32_t number, const bool *is_head)
{
    struct block *block = cy_vec_push(&im->blocks);
    *block = (struct block){.head = im->pieces.at[number], .first = (uint32_t)im->listing.count};
    for (;;) {
        list_piece(im, block, im->pieces.at[number]);
        if (successor_count(im->pieces.at[number]) != 1 || is_head[successor(im->pieces.at[number], 0)])
            break;
        number = successor(im->pieces.at[number], 0);
    }
}

bool order_pieces(struct importer *im)
{
    const struct cy_graph graph = graph_of_pieces(im);
    const struct cy_walk walk = cy_graph_walk(&im->arena, &graph, 0);
    const bool *is_head = find_heads(im, &graph, &walk);
    im->blocks.count = im->listing.count = 0;
    for (uint32_t i = 0; i < im->pieces.count; i++)
        im->pieces.at[i]->block = NONE;
    for (uint32_t i = 0; i < walk.count; i++)
        if (is_head[walk.rpo[i]])
            add_block(im, walk.rpo[i], is_head);
    im->graph = graph_of_blocks(im);
    return im->graph.pred_start[1] == im->graph.pred_start[0] || import_cannot(im, "start-up code in a loop");
}

/* ---- liveness: of registers, and of pairs that the next reader takes as one ---- */

enum { REGISTER_WORDS = 5, WORDS = REGISTER_WORDS + PAIR_WORDS };

static void set_bit(uint64_t *words, unsigned number)
{
    words[number / 64] |= 1ull << number % 64;
}
static void clear_bit(uint64_t *words, unsigned number)
{
    words[number / 64] &= ~(1ull << number % 64);
}

static unsigned pair_number(const struct cy_operand *operand)
{
    return ((unsigned)operand->value + (operand->kind == CY_OPERAND_V ? (unsigned)FIRST_V : 0)) / 2;
}

/* Several words of a load or store are registers of their own. */
static bool is_data(const struct inst *inst, const struct cy_operand *operand)
{
    return inst->effects.access.addressing && !inst->effects.access.atomic &&
           (operand->role == CY_ROLE_DATA || operand->role == CY_ROLE_RESULT);
}

static void add_pairs(const struct inst *inst, uint64_t *pairs)
{
    for (unsigned i = 0; i < inst->effects.operand_count; i++) {
        const struct cy_operand *operand = &inst->effects.operand[i];
        if (operand->is_read && operand->bits == 64 && operand->count == 2 && !is_data(inst, operand))
            set_bit(pairs, pair_number(operand));
    }
}

/* Backwards over an instruction: `kill` gets what it writes, `in` what is live before it. */
static void live_before(const struct inst *inst, uint64_t *in, uint64_t *kill)
{
    struct cy_regs reads = inst->effects.reads;
    const struct cy_regs *writes = &inst->effects.writes;
    if (inst->effects.row->format != CY_FORMAT_MVXS) /* which keeps its result only where no lane is active */
        cy_regs_unite(&reads, &inst->effects.keeps);
    const uint64_t written[REGISTER_WORDS] = {writes->x, writes->v[0], writes->v[1], writes->v[2], writes->v[3]};
    const uint64_t read[REGISTER_WORDS] = {reads.x, reads.v[0], reads.v[1], reads.v[2], reads.v[3]};
    for (unsigned r = 0; r < FIRST_X_PAIR; r++)
        if (written[r / 64] >> r % 64 & 1) {
            clear_bit(in + REGISTER_WORDS, r / 2);
            set_bit(kill + REGISTER_WORDS, r / 2);
        }
    for (unsigned i = 0; i < REGISTER_WORDS; i++) {
        kill[i] |= written[i];
        in[i] = (in[i] & ~written[i]) | read[i];
    }
    add_pairs(inst, in + REGISTER_WORDS);
}

/* A compare-exchange reads what its SC stores, and what it compares with, where its LR is. */
static void add_exchange(const struct importer *im, const struct piece *piece, uint64_t *in)
{
    const struct inst *store = inst_at(im, piece->store);
    const struct cy_regs *reads = &store->effects.reads;
    const uint64_t read[REGISTER_WORDS] = {reads->x, reads->v[0], reads->v[1], reads->v[2], reads->v[3]};
    for (unsigned i = 0; i < REGISTER_WORDS; i++)
        in[i] |= read[i];
    set_bit(in, FIRST_V + (unsigned)piece->expected);
    add_pairs(store, in + REGISTER_WORDS);
    if (store->effects.access.words == 2) {
        set_bit(in, FIRST_V + (unsigned)piece->expected + 1);
        set_bit(in + REGISTER_WORDS, (FIRST_V + (unsigned)piece->expected) / 2);
    }
}

static void find_block(const struct importer *im, uint32_t block, uint64_t *in, uint64_t *kill)
{
    for (uint32_t i = im->blocks.at[block].count; i-- > 0;)
        live_before(inst_at(im, listed(im, block, i)), in, kill);
    if (im->blocks.at[block].head->part == LOADS)
        add_exchange(im, im->blocks.at[block].head, in);
}

void find_live(struct importer *im)
{
    const size_t size = im->blocks.count * WORDS * sizeof(uint64_t);
    uint64_t *in = cy_arena_alloc(&im->arena, size), *out = cy_arena_alloc(&im->arena, size),
             *kill = cy_arena_alloc(&im->arena, size);
    for (size_t b = 0; b < im->blocks.count; b++)
        find_block(im, (uint32_t)b, in + b * WORDS, kill + b * WORDS);
    const struct cy_flow flow = {.words = WORDS, .in = in, .out = out, .kill = kill};
    cy_graph_flow_back(&im->graph, &flow);
    im->live = cy_arena_alloc(&im->arena, im->blocks.count * sizeof(*im->live));
    im->live_pairs = cy_arena_alloc(&im->arena, im->blocks.count * PAIR_WORDS * sizeof(*im->live_pairs));
    for (size_t b = 0; b < im->blocks.count; b++) {
        const uint64_t *words = in + b * WORDS;
        im->live[b] = (struct cy_regs){.x = words[0], .v = {words[1], words[2], words[3], words[4]}};
        memcpy(im->live_pairs + b * PAIR_WORDS, words + REGISTER_WORDS, PAIR_WORDS * sizeof(*words));
    }
}

/* ---- edges ---- */

static uint32_t block_after(const struct importer *im, const struct piece *piece, uint32_t nth)
{
    return im->pieces.at[successor(piece, nth)]->block;
}

/* To where the register leads; if it is none of these places, to a trap. */
static void make_return(struct importer *im, uint32_t block, const struct piece *piece)
{
    const uint32_t elsewhere = cy_sir_block_new(im->func);
    struct cy_sir_block *from = &im->func->blocks.at[block];
    im->func->blocks.at[elsewhere].pc = pc_of(im, piece->last);
    from->terminator = CY_SIR_SWITCH;
    for (uint32_t s = 0; s < successor_count(piece); s++) {
        const uint32_t pc = pc_of(im, im->pieces.at[successor(piece, s)]->first);
        *cy_vec_push(&from->cases) = (struct cy_sir_case){pc, block_after(im, piece, s)};
    }
    *cy_vec_push(&from->cases) = (struct cy_sir_case){0, elsewhere};
}

static void make_edges_from(struct importer *im, uint32_t block, const struct piece *piece)
{
    struct cy_sir_func *func = im->func;
    const struct inst *last = inst_at(im, piece->last);
    const uint32_t count = successor_count(piece);
    if (piece->returns.count && !piece->is_return_known)
        make_return(im, block, piece);
    else if (count == 1)
        cy_sir_set_jump(func, block, block_after(im, piece, 0));
    else if (!count)
        func->blocks.at[block].terminator = last->effects.flow == CY_FLOW_END ? CY_SIR_END : CY_SIR_UNREACHABLE;
    else if (last->effects.flow == CY_FLOW_BRANCH)
        cy_sir_set_branch(func, block, 0, block_after(im, piece, 0), block_after(im, piece, 1));
    else {
        const uint32_t join = im->pieces.at[piece->join]->block;
        cy_sir_set_vbranch(func, block, 0, block_after(im, piece, 0), block_after(im, piece, 1), join);
        func->blocks.at[block].in_order = im->sees_order;
    }
}

static void make_edges(struct importer *im)
{
    for (uint32_t b = 0; b < im->blocks.count; b++) {
        const uint32_t block = cy_sir_block_new(im->func);
        im->func->blocks.at[block].pc = pc_of(im, im->blocks.at[b].head->first);
    }
    for (uint32_t b = 0; b < im->blocks.count; b++)
        make_edges_from(im, b, im->blocks.at[b].tail);
    cy_sir_find_preds(im->func);
}

/* ---- contents ---- */

/* At back edges a launch may have been stopped. */
static void make_poll(struct importer *im)
{
    const struct cy_sir_block *block = &im->func->blocks.at[im->block];
    bool goes_back = false;
    for (uint32_t i = 0; i < cy_sir_succ_count(block); i++)
        goes_back |= cy_sir_succ(block, i) <= im->block;
    if (!goes_back)
        return;
    const cy_sir_value poll = cy_sir_append(im->func, im->block, CY_SIR_POLL, CY_SIR_VOID, 0, 0, 0);
    cy_sir_at(im->func, poll)->pc = pc_of(im, im->at);
}

static cy_sir_value return_address(struct importer *im, const struct inst *inst)
{
    const struct cy_operand *base = cy_effects_operand(&inst->effects, CY_ROLE_BASE);
    const cy_sir_value offset = number(im, CY_SIR_I32, (uint32_t)cy_insn_field(&inst->insn, CY_FIELD_imm12, 0));
    const cy_sir_value sum = make(im, CY_SIR_ADD, CY_SIR_I32, import_read_x(im, (unsigned)base->value), offset, 0);
    return make(im, CY_SIR_AND, CY_SIR_I32, sum, number(im, CY_SIR_I32, ~1u), 0);
}

static void make_condition(struct importer *im, const struct inst *inst)
{
    const enum cy_sir_terminator terminator = im->func->blocks.at[im->block].terminator;
    cy_sir_value condition = 0;
    if (terminator == CY_SIR_BRANCH || terminator == CY_SIR_VBRANCH)
        condition = condition_of(im, inst);
    else if (terminator == CY_SIR_SWITCH)
        condition = return_address(im, inst);
    im->func->blocks.at[im->block].condition = condition;
}

static bool make_block(struct importer *im, uint32_t block)
{
    im->piece = im->blocks.at[block].head;
    im->now = im->piece->in;
    begin_block(im, block);
    make_issues(im, block);
    for (uint32_t i = 0; i < im->blocks.at[block].count; i++) {
        if (!make_instruction(im, listed(im, block, i)))
            return false;
        if (i + 1 < im->blocks.at[block].count)
            follow_facts(im, im->at, &im->now);
    }
    make_condition(im, inst_at(im, im->at));
    make_split(im);
    make_poll(im);
    end_block(im);
    return true;
}

/* Behind the default of a return. */
static void make_elsewhere(struct importer *im, const struct piece *piece)
{
    const struct cy_sir_block *block = &im->func->blocks.at[piece->block];
    im->block = block->cases.at[block->cases.count - 1].block;
    im->at = piece->last;
    make_trap(im, inst_at(im, piece->last), CY_JIT_TRAP);
}

bool make_blocks(struct importer *im)
{
    make_edges(im);
    begin_registers(im);
    for (uint32_t b = 0; b < im->blocks.count; b++)
        if (!make_block(im, b))
            return false;
    for (uint32_t b = 0; b < im->blocks.count; b++)
        if (im->func->blocks.at[b].terminator == CY_SIR_SWITCH)
            make_elsewhere(im, im->blocks.at[b].tail);
    complete_phis(im);
    finish_counts(im);
    return true;
}
