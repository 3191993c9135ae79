/* A kernel is cut at its barriers: a phase is what a strip does from the start, or from a barrier, to the next barriers.  All strips go
 * through a phase before the next one begins, so what they need behind the barrier is saved in the strip's record:
 *
 *     barrier                          save 0, %3          and phase 1 begins with     %9 = restore 0
 *                                      phase 1
 *
 * Constants and what the launch gives are made again.  Runs behind masks: there are no phis. */
#include "base/graph.h"
#include "jit/transform/cells.h"
#include "jit/transform/transform.h"

#include <string.h>

struct phases {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_graph graph;
    uint64_t *live;           /* by block: a set of values, then of cells, live at its start */
    size_t words, cells_from; /* of such a set; in bits, where cells begin */
    uint32_t *slot_of;        /* by cell */
};

static void *zeroed(struct phases *p, size_t count, size_t size)
{
    return memset(cy_arena_alloc(&p->arena, (count + 1) * size), 0, (count + 1) * size);
}

/* ---- cutting ---- */

/* What follows the barrier, as a block of its own. */
static void cut_behind(struct cy_sir_func *func, uint32_t b, size_t at)
{
    const uint32_t rest = cy_sir_block_new(func);
    struct cy_sir_block *block = &func->blocks.at[b], *next = &func->blocks.at[rest];
    const struct cy_sir_block empty = *next;
    *next = *block;
    next->list = empty.list;
    next->preds = empty.preds;
    for (size_t i = at + 1; i < block->list.count; i++) {
        *cy_vec_push(&next->list) = block->list.at[i];
        cy_sir_at(func, block->list.at[i])->block = rest;
    }
    next->pc = cy_sir_at(func, block->list.at[at])->pc;
    block->list.count = at; /* without the barrier */
    memset(&block->cases, 0, sizeof(block->cases));
    block->terminator = CY_SIR_PHASE;
    block->condition = 0;
    block->phase = (uint32_t)func->phases.count;
    *cy_vec_push(&func->phases) = rest;
}

static void cut(struct cy_sir_func *func)
{
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++)
            if (cy_sir_at(func, func->blocks.at[b].list.at[i])->op == CY_SIR_BARRIER) {
                cut_behind(func, b, i);
                break;
            }
}

/* ---- what is live ---- */

/* Where a phase ends the next one begins, though no strip goes there at once. */
static void find_graph(struct phases *p)
{
    CY_VEC(struct cy_edge) edges = {0};
    for (uint32_t b = 0; b < p->func->blocks.count; b++) {
        const struct cy_sir_block *block = &p->func->blocks.at[b];
        for (uint32_t i = 0; i < cy_sir_succ_count(block); i++)
            *cy_vec_push(&edges) = (struct cy_edge){b, cy_sir_succ(block, i)};
        if (block->terminator == CY_SIR_PHASE)
            *cy_vec_push(&edges) = (struct cy_edge){b, p->func->phases.at[block->phase]};
    }
    p->graph = cy_graph_make(&p->arena, (uint32_t)p->func->blocks.count, edges.at, edges.count);
    cy_vec_free(&edges);
}

static bool has(const uint64_t *set, size_t bit)
{
    return set[bit >> 6] >> (bit & 63) & 1;
}

static void add(uint64_t *set, size_t bit)
{
    set[bit >> 6] |= 1ull << (bit & 63);
}

static void add_use(uint64_t *in, const uint64_t *kill, size_t bit)
{
    if (bit && !has(kill, bit))
        add(in, bit);
}

/* A masked set leaves the other lanes' values. */
static void find_uses(struct phases *p, uint32_t b, uint64_t *in, uint64_t *kill)
{
    const struct cy_sir_block *block = &p->func->blocks.at[b];
    for (size_t i = 0; i < block->list.count; i++) {
        const struct cy_sir_insn *insn = cy_sir_at(p->func, block->list.at[i]);
        for (unsigned k = 0; k < CY_COUNT(insn->args); k++)
            add_use(in, kill, insn->args[k]);
        add_use(in, kill, insn->mask);
        if (insn->op == CY_SIR_GET || (insn->op == CY_SIR_SET && insn->mask))
            add_use(in, kill, p->cells_from + insn->imm);
        if (insn->op == CY_SIR_SET && !insn->mask)
            add(kill, p->cells_from + insn->imm);
        add(kill, block->list.at[i]);
    }
    add_use(in, kill, block->condition);
}

static void find_live(struct phases *p)
{
    const size_t blocks = p->func->blocks.count;
    p->cells_from = p->func->insns.count;
    p->words = (p->cells_from + p->func->cells.count) / 64 + 1;
    p->live = zeroed(p, p->words * blocks, sizeof(*p->live));
    uint64_t *kill = zeroed(p, p->words * blocks, sizeof(*kill)), *out = zeroed(p, p->words * blocks, sizeof(*out));
    for (uint32_t b = 0; b < blocks; b++)
        find_uses(p, b, p->live + b * p->words, kill + b * p->words);
    cy_graph_flow_back(&p->graph, &(struct cy_flow){.words = p->words, .in = p->live, .out = out, .kill = kill});
}

/* ---- values that live across a barrier become cells, but for those that are the same once more ---- */

static bool is_made_again(const struct cy_sir_insn *insn)
{
    return insn->op == CY_SIR_CONST || insn->op == CY_SIR_SOURCE || insn->op == CY_SIR_UNDEF;
}

struct again {
    cy_sir_value *made; /* by value: its copy in the current block */
    uint32_t *in;
};

static cy_sir_value made_again(struct phases *p, struct again *again, uint32_t b, cy_sir_value value)
{
    if (!value || cy_sir_at(p->func, value)->block == b || !is_made_again(cy_sir_at(p->func, value)))
        return value;
    if (again->in[value] != b + 1) {
        const struct cy_sir_insn old = *cy_sir_at(p->func, value);
        again->made[value] = cy_sir_make(p->func, (enum cy_sir_op)old.op, (enum cy_sir_type)old.type, 0, 0, 0);
        again->in[value] = b + 1;
        cy_sir_at(p->func, again->made[value])->imm = old.imm;
        cy_sir_insert(p->func, b, 0, again->made[value]);
    }
    return again->made[value];
}

/* Copies are in the list before what uses them: the walk goes on behind them. */
static void make_again(struct phases *p)
{
    const size_t count = p->func->insns.count;
    struct again again = {zeroed(p, count, sizeof(*again.made)), zeroed(p, count, sizeof(*again.in))};
    for (uint32_t b = 0; b < p->func->blocks.count; b++) {
        for (size_t i = 0; i < p->func->blocks.at[b].list.count; i++) {
            const cy_sir_value value = p->func->blocks.at[b].list.at[i];
            const size_t before = p->func->blocks.at[b].list.count;
            if (value >= count)
                continue;
            for (unsigned k = 0; k < CY_COUNT(p->func->insns.at[0].args); k++) {
                const cy_sir_value by = made_again(p, &again, b, cy_sir_at(p->func, value)->args[k]);
                cy_sir_at(p->func, value)->args[k] = by;
            }
            const cy_sir_value mask = made_again(p, &again, b, cy_sir_at(p->func, value)->mask);
            cy_sir_at(p->func, value)->mask = mask;
            i += p->func->blocks.at[b].list.count - before;
        }
        p->func->blocks.at[b].condition = made_again(p, &again, b, p->func->blocks.at[b].condition);
    }
}

static void make_cells(struct phases *p)
{
    const size_t count = p->func->insns.count;
    uint32_t *cell_of = cy_arena_alloc(&p->arena, count * sizeof(*cell_of));
    memset(cell_of, 0xff, count * sizeof(*cell_of));
    for (size_t n = 1; n < p->func->phases.count; n++)
        for (cy_sir_value value = 1; value < count; value++) {
            const struct cy_sir_insn *insn = cy_sir_at(p->func, value);
            if (cell_of[value] != CY_SIR_NOTHING || !has(p->live + p->func->phases.at[n] * p->words, value))
                continue;
            *cy_vec_push(&p->func->cells) =
                (struct cy_sir_cell){.type = (enum cy_sir_type)insn->type, .variable = insn->variable};
            cell_of[value] = (uint32_t)p->func->cells.count - 1;
            cy_sir_set_after(p->func, value, cell_of[value]);
        }
    cy_sir_use_cells(p->func, cell_of, count);
}

/* ---- saving and restoring ---- */

static uint32_t slot_for(struct phases *p, uint32_t cell)
{
    if (p->slot_of[cell] == CY_SIR_NOTHING)
        p->slot_of[cell] = p->func->slots++;
    return p->slot_of[cell];
}

static void save(struct phases *p, uint32_t b, uint32_t cell)
{
    const cy_sir_value value = cy_sir_append(p->func, b, CY_SIR_GET, p->func->cells.at[cell].type, 0, 0, 0);
    cy_sir_at(p->func, value)->imm = cell;
    cy_sir_at(p->func, cy_sir_append(p->func, b, CY_SIR_SAVE, CY_SIR_VOID, value, 0, 0))->imm = slot_for(p, cell);
}

static void restore(struct phases *p, uint32_t b, uint32_t cell)
{
    const cy_sir_value value = cy_sir_make(p->func, CY_SIR_RESTORE, p->func->cells.at[cell].type, 0, 0, 0);
    const cy_sir_value set = cy_sir_make(p->func, CY_SIR_SET, CY_SIR_VOID, value, 0, 0);
    cy_sir_at(p->func, value)->imm = slot_for(p, cell);
    cy_sir_at(p->func, set)->imm = cell;
    cy_sir_insert(p->func, b, 0, value);
    cy_sir_insert(p->func, b, 1, set);
}

static bool is_needed(const struct phases *p, uint32_t block, uint32_t cell)
{
    return has(p->live + block * p->words, p->cells_from + cell) && !p->func->cells.at[cell].is_empty_at_barriers;
}

static void save_and_restore(struct phases *p)
{
    const size_t cells = p->func->cells.count, blocks = p->func->blocks.count;
    p->slot_of = cy_arena_alloc(&p->arena, (cells + 1) * sizeof(*p->slot_of));
    memset(p->slot_of, 0xff, (cells + 1) * sizeof(*p->slot_of));
    for (uint32_t b = 0; b < blocks; b++)
        for (uint32_t c = 0; c < cells && p->func->blocks.at[b].terminator == CY_SIR_PHASE; c++)
            if (is_needed(p, p->func->phases.at[p->func->blocks.at[b].phase], c))
                save(p, b, c);
    for (size_t n = 1; n < p->func->phases.count; n++)
        for (uint32_t c = 0; c < cells; c++)
            if (is_needed(p, p->func->phases.at[n], c))
                restore(p, p->func->phases.at[n], c);
}

void cy_sir_pass_phases(struct cy_sir_func *func)
{
    struct phases p = {.func = func};
    cut(func);
    if (func->phases.count > 1) {
        make_again(&p);
        find_graph(&p);
        find_live(&p);
        make_cells(&p);
        find_live(&p);
        save_and_restore(&p);
    }
    cy_sir_find_preds(func);
    cy_arena_free(&p.arena);
}
