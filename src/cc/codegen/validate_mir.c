/* Checks that the machine IR is well formed, after every pass that builds or changes it.
 *
 * 1. Operands have the class that their row requires, in branches too.
 * 2. Every edge leads to a block; a divergent branch reconverges in a block that starts with a join.
 * 3. A register is written on every path to a use. */
#include "cc/codegen/mir.h"

#include <string.h>

struct checker {
    const struct mir_func *func;
    struct cy_arena *arena;
    uint32_t *number;       /* by vreg: index in the sets; NONE: not read across blocks */
    CY_VEC(uint32_t) vregs; /* by index */
    uint32_t *written;      /* by vreg: the last block that wrote it, + 1 */
    size_t words;
    uint64_t *in, *out, *needs, *makes; /* by block */
};

static const char *check_class(struct checker *c, uint32_t b, size_t k, mir_reg reg, enum mir_class class)
{
    if (reg >= 0 && (!mir_is_virtual(reg) || mir_index(reg) < c->func->vregs.count) &&
        mir_class_of(c->func, reg) == class)
        return NULL;
    return cy_arena_printf(c->arena, "block %u, instruction %zu: register %d is not %s", b, k, reg,
                           class == MIR_V ? "a vector" : "a scalar");
}

/* A pair is two consecutive vregs. */
static const char *check_half(struct checker *c, uint32_t b, size_t k, mir_reg low, mir_reg high)
{
    if (mir_is_virtual(low) && high == low + 1 && mir_index(high) < c->func->vregs.count &&
        c->func->vregs.at[mir_index(low)].half == MIR_LOW)
        return NULL;
    return cy_arena_printf(c->arena, "block %u, instruction %zu: registers %d and %d are not a pair", b, k, low, high);
}

static const char *check_insn(struct checker *c, uint32_t b, size_t k, const struct mir_insn *insn)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    const char *wrong = NULL;
    switch (insn->op) {
    case MIR_LI:
    case MIR_LA:
    case MIR_LABEL:
    case MIR_SETRPC:
    case MIR_FRAME: return check_class(c, b, k, insn->operand[0], MIR_S);
    case MIR_SPILL: wrong = check_class(c, b, k, insn->operand[1], MIR_V); break;
    case MIR_RELOAD: wrong = check_class(c, b, k, insn->operand[0], MIR_V); break;
    default: break;
    }
    if (!wrong && (insn->op == MIR_SPILL || insn->op == MIR_RELOAD))
        return check_class(c, b, k, insn->operand[2], MIR_V);
    if (insn->op >= CY_OP_COUNT)
        return wrong;
    size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    size_t at = 0;
    for (size_t i = 0; i < count && !wrong; i++, at++) {
        enum cy_field_kind kind = cy_fields[fields[i]].kind;
        if (kind != CY_XREG && kind != CY_VREG)
            continue;
        wrong = check_class(c, b, k, insn->operand[at], kind == CY_VREG ? MIR_V : MIR_S);
        if (!wrong && insn->wide >> i & 1)
            wrong = check_half(c, b, k, insn->operand[at], insn->operand[at + 1]);
        at += insn->wide >> i & 1;
    }
    return wrong;
}

static const char *check_end(struct checker *c, uint32_t b)
{
    const struct mir_block *block = &c->func->blocks.at[b];
    const char *wrong = NULL;
    uint32_t expected = block->kind == MIR_RETURN ? 0 : block->kind == MIR_JUMP ? 1 : 2;
    if (block->succ_count != expected)
        return cy_arena_printf(c->arena, "block %u has %u successors", b, block->succ_count);
    for (uint32_t s = 0; s < expected; s++)
        if (block->succ[s] >= c->func->blocks.count)
            return cy_arena_printf(c->arena, "block %u has an edge to no block", b);
    if (expected == 2) {
        enum mir_class class = block->kind == MIR_VBRANCH ? MIR_V : MIR_S;
        wrong = check_class(c, b, block->insns.count, block->a, class);
        wrong = wrong ? wrong : check_class(c, b, block->insns.count, block->b, class);
    }
    if (!wrong && block->kind == MIR_VBRANCH &&
        (block->rpc >= c->func->blocks.count || !c->func->blocks.at[block->rpc].has_join))
        wrong = cy_arena_printf(c->arena, "lanes that diverge in block %u have no reconvergence point", b);
    return wrong;
}

/* ---- written before read ---- */

/* Calls `see` for each register that a block reads or writes, in order. */
static void each_register(struct checker *c, uint32_t b, void (*see)(struct checker *, uint32_t, mir_reg, bool))
{
    const struct mir_block *block = &c->func->blocks.at[b];
    for (size_t k = 0; k < block->insns.count; k++) {
        enum mir_role roles[MIR_MAX_OPERANDS];
        const struct mir_insn *insn = &block->insns.at[k];
        unsigned count = mir_roles(insn, roles);
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_USE || roles[o] == MIR_DEF_USE)
                see(c, b, insn->operand[o], false);
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE)
                see(c, b, insn->operand[o], true);
    }
    if (block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH) {
        see(c, b, block->a, false);
        see(c, b, block->b, false);
    }
}

static void find_shared(struct checker *c, uint32_t b, mir_reg reg, bool is_write)
{
    if (!mir_is_virtual(reg))
        return;
    uint32_t vreg = mir_index(reg);
    if (is_write) {
        c->written[vreg] = b + 1;
    } else if (c->written[vreg] != b + 1 && c->number[vreg] == NONE) {
        c->number[vreg] = (uint32_t)c->vregs.count;
        *cy_vec_push(&c->vregs) = vreg;
    }
}

static void fill_sets(struct checker *c, uint32_t b, mir_reg reg, bool is_write)
{
    uint32_t n = mir_is_virtual(reg) ? c->number[mir_index(reg)] : NONE;
    if (n == NONE)
        return;
    uint64_t bit = 1ull << (n % 64), *makes = &c->makes[b * c->words + n / 64];
    if (is_write)
        *makes |= bit;
    else if (!(*makes & bit))
        c->needs[b * c->words + n / 64] |= bit;
}

static const char *check_written(struct checker *c)
{
    const struct mir_func *func = c->func;
    for (size_t i = 0; i < func->order.count; i++)
        each_register(c, func->order.at[i], find_shared);
    c->words = c->vregs.count / 64 + 1;
    struct cy_arena scratch = {0};
    const struct cy_graph graph = mir_graph(func, &scratch);
    const uint64_t *nothing = cy_arena_alloc(&scratch, func->blocks.count * c->words * sizeof(*nothing));
    size_t set = func->blocks.count * c->words;
    c->in = cy_xrealloc(NULL, 4 * set * sizeof(*c->in));
    memset(c->in, 0, 4 * set * sizeof(*c->in));
    c->out = c->in + set;
    c->needs = c->out + set;
    c->makes = c->needs + set;
    for (size_t i = 0; i < func->order.count; i++)
        each_register(c, func->order.at[i], fill_sets);
    memset(c->in + c->words, 0xff,
           (2 * set - c->words) * sizeof(*c->in)); /* all but what is written before the entry */
    cy_graph_flow_forth(&graph, &(struct cy_flow){c->words, c->in, c->out, nothing, c->makes});
    cy_arena_free(&scratch);
    for (size_t i = 0; i < func->order.count; i++)
        for (size_t w = 0; w < c->words; w++) {
            uint64_t missing = c->needs[func->order.at[i] * c->words + w] & ~c->in[func->order.at[i] * c->words + w];
            if (missing)
                return cy_arena_printf(c->arena,
                                       "block %u reads register %%%u, which is not written on every path there",
                                       func->order.at[i], c->vregs.at[w * 64 + (unsigned)__builtin_ctzll(missing)]);
        }
    return NULL;
}

const char *mir_validate_code(const struct mir_func *func, struct cy_arena *arena)
{
    struct checker c = {.func = func, .arena = arena};
    const char *wrong = NULL;
    for (size_t i = 0; i < func->order.count && !wrong; i++) {
        uint32_t b = func->order.at[i];
        for (size_t k = 0; k < func->blocks.at[b].insns.count && !wrong; k++)
            wrong = check_insn(&c, b, k, &func->blocks.at[b].insns.at[k]);
        wrong = wrong ? wrong : check_end(&c, b);
    }
    c.number = cy_xrealloc(NULL, (2 * func->vregs.count + 1) * sizeof(*c.number));
    c.written = c.number + func->vregs.count;
    for (size_t v = 0; v < func->vregs.count; v++)
        c.number[v] = NONE, c.written[v] = 0;
    if (!wrong)
        wrong = check_written(&c);
    cy_free(c.number);
    cy_free(c.in);
    cy_vec_free(&c.vregs);
    return wrong;
}
