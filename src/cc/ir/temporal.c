/* Temporal divergence: uniform values that cannot be kept in a scalar register.
 *
 * The two sides of a divergent branch run one after the other.  In a loop, one side can go round and redefine a value
 * before the other side, which is still waiting, has read it:
 *
 *     loop:  i = phi(0, i + 1)
 *            if (divergent) { ... i ... ; if (x) goto out; }      lanes wait here while others start the next iteration
 *            goto loop
 *
 * So a uniform value that is live into one side of a divergent branch and defined in a block that the other side can
 * run before the reconvergence point must be divergent: each lane then keeps its own copy.  (live.c handles other
 * values in the same register.)  Phi arguments that isel reads before the branch do not count, nor do constants and
 * symbols, which are materialised outside all loops. */
#include "cc/ir/ir.h"

#include <string.h>

#define NONE UINT32_MAX

struct temporal {
    const struct ir_func *func;
    uint32_t *index;         /* by value: its number among the candidates; NONE: not one */
    CY_VEC(ir_value) values; /* the candidates */
    size_t words;            /* words in a set of candidates */
    uint64_t *live_in, *live_out, *defined;
    struct cy_arena scratch;
    struct cy_graph graph;
    struct cy_graph_region region; /* the blocks that lanes can run on one side of a branch until they reconverge */
};

static bool test(const uint64_t *set, size_t i)
{
    return set[i / 64] >> (i % 64) & 1;
}
static void add(uint64_t *set, size_t i)
{
    set[i / 64] |= 1ull << (i % 64);
}

/* Is the phi's argument read before the branch rather than on the edge? */
static bool is_read_before(const struct ir_func *func, uint32_t from, const struct ir_insn *phi)
{
    return func->blocks.at[from].is_divergent_branch && phi->is_divergent;
}

static void find_candidates(struct temporal *t)
{
    const struct ir_func *func = t->func;
    for (size_t v = 0; v < func->insns.count; v++)
        t->index[v] = NONE;
    for (size_t i = 0; i < func->rpo.count; i++) {
        const struct ir_block *block = &func->blocks.at[func->rpo.at[i]];
        for (size_t k = 0; block->loop_header != NONE && k < block->list.count; k++) {
            const struct ir_insn *insn = ir_at(func, block->list.at[k]);
            if (insn->is_divergent || insn->op == IR_CONST || insn->op == IR_SYMBOL ||
                ir_ops[insn->op].flags & IR_EFFECT)
                continue;
            t->index[block->list.at[k]] = (uint32_t)t->values.count;
            *cy_vec_push(&t->values) = block->list.at[k];
        }
    }
}

static void use(const struct temporal *t, uint64_t *set, ir_value value)
{
    if (t->index[value] != NONE)
        add(set, t->index[value]);
}

/* From what each block reads of others. */
static void liveness(struct temporal *t)
{
    const struct ir_func *func = t->func;
    for (size_t i = 0; i < func->rpo.count; i++) {
        uint32_t b = func->rpo.at[i];
        const struct ir_block *block = &func->blocks.at[b];
        uint64_t *in = t->live_in + b * t->words;
        if (block->terminator == IR_BRANCH)
            use(t, in, block->condition);
        for (size_t k = block->list.count; k-- > 0;) {
            ir_value value = block->list.at[k];
            const struct ir_insn *insn = ir_at(func, value);
            if (t->index[value] != NONE)
                add(t->defined + b * t->words, t->index[value]);
            for (unsigned a = 0; insn->op != IR_PHI && a < ir_ops[insn->op].arguments; a++)
                use(t, in, insn->args[a]);
            for (size_t p = 0; insn->op == IR_PHI && p < block->preds.count; p++)
                use(t,
                    (is_read_before(func, block->preds.at[p], insn) ? t->live_in : t->live_out) +
                        block->preds.at[p] * t->words,
                    func->phi_args.at[insn->args[0] + p]);
        }
    }
    for (size_t i = 0; i < func->blocks.count * t->words; i++)
        t->live_in[i] &= ~t->defined[i];
    cy_graph_flow_back(&t->graph,
                       &(struct cy_flow){.words = t->words, .in = t->live_in, .out = t->live_out, .kill = t->defined});
}

/* Values live into `waiting` that are defined where the other side runs. */
static void check_side(struct temporal *t, uint32_t branch, uint32_t waiting, uint64_t *found)
{
    const struct ir_func *func = t->func;
    const struct ir_block *to = &func->blocks.at[waiting];
    for (size_t w = 0; w < t->words; w++)
        for (uint64_t set = t->live_in[waiting * t->words + w]; set; set &= set - 1) {
            size_t i = 64 * w + (size_t)__builtin_ctzll(set);
            if (cy_graph_region_has(&t->region, ir_at(func, t->values.at[i])->block))
                add(found, i);
        }
    for (size_t k = 0; k < to->list.count; k++) {
        const struct ir_insn *phi = ir_at(func, to->list.at[k]);
        for (size_t p = 0; phi->op == IR_PHI && p < to->preds.count; p++) {
            ir_value arg = func->phi_args.at[phi->args[0] + p];
            if (to->preds.at[p] == branch && !phi->is_divergent && t->index[arg] != NONE &&
                cy_graph_region_has(&t->region, ir_at(func, arg)->block))
                add(found, t->index[arg]);
        }
    }
}

size_t ir_find_temporal(const struct ir_func *func, ir_value *found)
{
    struct temporal t = {.func = func};
    size_t count = 0, blocks = func->blocks.count;
    bool any = false;
    for (size_t i = 0; i < func->rpo.count; i++)
        any |= func->blocks.at[func->rpo.at[i]].is_divergent_branch &&
               func->blocks.at[func->rpo.at[i]].loop_header != NONE;
    if (!any)
        return 0;
    t.index = cy_xrealloc(NULL, func->insns.count * sizeof(*t.index));
    find_candidates(&t);
    t.words = t.values.count / 64 + 1;
    t.live_in = cy_xrealloc(NULL, (3 * blocks + 1) * t.words * sizeof(*t.live_in));
    memset(t.live_in, 0, (3 * blocks + 1) * t.words * sizeof(*t.live_in));
    t.live_out = t.live_in + blocks * t.words;
    t.defined = t.live_out + blocks * t.words;
    uint64_t *bad = t.defined + blocks * t.words;
    t.graph = ir_graph(func, &t.scratch);
    t.region = cy_graph_region(&t.scratch, &t.graph);
    liveness(&t);
    for (size_t i = 0; i < func->rpo.count; i++) {
        uint32_t b = func->rpo.at[i];
        const struct ir_block *block = &func->blocks.at[b];
        if (!block->is_divergent_branch || block->loop_header == NONE)
            continue;
        for (int side = 0; side < 2; side++) {
            cy_graph_region_begin(&t.region, block->ipdom);
            cy_graph_region_add(&t.region, block->succ[side]);
            check_side(&t, b, block->succ[!side], bad);
        }
    }
    for (size_t i = 0; i < t.values.count; i++)
        if (test(bad, i))
            found[count++] = t.values.at[i];
    cy_free(t.index);
    cy_free(t.live_in);
    cy_vec_free(&t.values);
    cy_arena_free(&t.scratch);
    return count;
}
