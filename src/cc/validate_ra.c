/* A second look at the register allocation, by simpler means than those that made it.
 *
 * 1. Along every path of a thread, an operand's register still holds what was written into that virtual register:
 *    forwards, a set of the virtual registers whose place holds their value.
 * 2. Through the warp: of what one side of a divergent branch reads of the scalars from before the branch, the other side
 *    writes nothing; so the order in which the machine runs the sides does not matter.
 * 3. The sides of a divergent branch cannot miss the place where they meet. */
#include "cc/mir.h"

#include <string.h>

enum { PLACES = 64 + 256 };

struct names { /* a CY_VEC with a name */
    uint32_t *at;
    size_t count, capacity;
};

struct checker {
    const struct mir_func *func;
    struct cy_arena *arena;
    uint8_t *holds;              /* by vreg: its place holds its value now */
    struct names here[PLACES];   /* vregs that do */
    uint8_t *is_global;          /* by vreg: read in a block that has not written it before */
    CY_VEC(uint32_t) globals;
    size_t words;
    uint64_t *at_start;          /* by block: set of globals */
    uint8_t *is_known;           /* by block: at_start is set */
    uint64_t *reads, *writes;    /* by block: scalars read before they are written; written */
};

static unsigned place_of(const struct mir_func *func, mir_reg reg)
{
    return mir_location(func, reg) + (mir_class_of(func, reg) == MIR_V ? 64 : 0);
}

static void forget_place(struct checker *c, unsigned place)
{
    for (size_t i = 0; i < c->here[place].count; i++)
        c->holds[c->here[place].at[i]] = 0;
    c->here[place].count = 0;
}

static void remember(struct checker *c, mir_reg reg)
{
    uint32_t vreg = mir_index(reg);
    if (c->holds[vreg])
        return;
    c->holds[vreg] = 1;
    *cy_vec_push(&c->here[place_of(c->func, reg)]) = vreg;
}

static const char *check_use(struct checker *c, mir_reg reg, uint32_t block, size_t position)
{
    if (!mir_is_virtual(reg) || c->holds[mir_index(reg)])
        return NULL;
    return cy_arena_printf(c->arena, "block %u, instruction %zu reads register %%%u in %c%u, which holds something else", block,
                           position, mir_index(reg), mir_class_of(c->func, reg) == MIR_V ? 'v' : 'x',
                           mir_location(c->func, reg));
}

/* Runs over a block from what holds at its start; with `check` also tells what is read wrongly. */
static const char *run_block(struct checker *c, uint32_t b, bool check)
{
    const struct mir_block *block = &c->func->blocks.at[b];
    const char *wrong = NULL;
    for (unsigned place = 0; place < PLACES; place++)
        forget_place(c, place);
    for (uint32_t g = 0; g < c->globals.count; g++)
        if (c->at_start[b * c->words + g / 64] >> (g % 64) & 1)
            remember(c, (mir_reg)(MIR_FIRST_VREG + c->globals.at[g]));
    for (size_t k = 0; k < block->insns.count && !wrong; k++) {
        const struct mir_insn *insn = &block->insns.at[k];
        enum mir_role roles[CY_MAX_OPERANDS];
        unsigned count = mir_roles(insn, roles);
        for (unsigned o = 0; o < count && check && !wrong; o++)
            if (roles[o] == MIR_USE || roles[o] == MIR_DEF_USE)
                wrong = check_use(c, insn->operand[o], b, k);
        bool same = mir_is_identity(c->func, insn);
        for (unsigned o = 0; o < count; o++)
            if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o])) {
                if (!same)
                    forget_place(c, place_of(c->func, insn->operand[o]));
                remember(c, insn->operand[o]);
            }
    }
    if (check && !wrong && (block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH)) {
        wrong = check_use(c, block->a, b, block->insns.count);
        if (!wrong)
            wrong = check_use(c, block->b, b, block->insns.count);
    }
    return wrong;
}

static void find_globals(struct checker *c)
{
    const struct mir_func *func = c->func;
    memset(c->is_global, 0, func->vregs.count + 1);
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (size_t k = 0; k <= block->insns.count; k++) {
            enum mir_role roles[CY_MAX_OPERANDS] = {MIR_USE, MIR_USE};
            mir_reg regs[CY_MAX_OPERANDS] = {block->a, block->b};
            unsigned count = block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH ? 2 : 0;
            if (k < block->insns.count) {
                count = mir_roles(&block->insns.at[k], roles);
                memcpy(regs, block->insns.at[k].operand, sizeof(regs));
            }
            for (unsigned o = 0; o < count; o++)
                if ((roles[o] == MIR_USE || roles[o] == MIR_DEF_USE) && mir_is_virtual(regs[o]) && !c->holds[mir_index(regs[o])] &&
                    !c->is_global[mir_index(regs[o])]) {
                    c->is_global[mir_index(regs[o])] = 1;
                    *cy_vec_push(&c->globals) = mir_index(regs[o]);
                }
            for (unsigned o = 0; o < count; o++)
                if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && mir_is_virtual(regs[o]))
                    remember(c, regs[o]);
        }
        for (unsigned place = 0; place < PLACES; place++)
            forget_place(c, place);
    }
}

static bool meet_successor(struct checker *c, uint32_t to)
{
    uint64_t *at = c->at_start + to * c->words;
    bool changed = !c->is_known[to];
    for (size_t w = 0; w < c->words; w++) {
        uint64_t now = 0;
        for (size_t g = w * 64; g < c->globals.count && g < w * 64 + 64; g++)
            now |= (uint64_t)c->holds[c->globals.at[g]] << (g % 64);
        uint64_t both = c->is_known[to] ? at[w] & now : now;
        changed |= both != at[w];
        at[w] = both;
    }
    c->is_known[to] = 1;
    return changed;
}

static const char *check_threads(struct checker *c)
{
    const struct mir_func *func = c->func;
    find_globals(c);
    c->words = c->globals.count / 64 + 1;
    c->at_start = cy_xrealloc(NULL, func->blocks.count * c->words * sizeof(*c->at_start));
    memset(c->at_start, 0, func->blocks.count * c->words * sizeof(*c->at_start));
    c->is_known[0] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < func->order.count; i++) {
            uint32_t b = func->order.at[i];
            if (!c->is_known[b])
                continue;
            run_block(c, b, false);
            for (uint32_t s = 0; s < func->blocks.at[b].succ_count; s++)
                changed |= meet_successor(c, func->blocks.at[b].succ[s]);
        }
    }
    const char *wrong = NULL;
    for (size_t i = 0; i < func->order.count && !wrong; i++)
        wrong = run_block(c, func->order.at[i], true);
    return wrong;
}

/* ---- scalars and divergence ---- */

static uint64_t scalar_bit(const struct mir_func *func, mir_reg reg)
{
    return mir_class_of(func, reg) == MIR_S ? 1ull << mir_location(func, reg) & ~1ull : 0;
}

static void scalar_sets(struct checker *c, uint32_t b)
{
    const struct mir_block *block = &c->func->blocks.at[b];
    for (size_t k = 0; k < block->insns.count; k++) {
        const struct mir_insn *insn = &block->insns.at[k];
        enum mir_role roles[CY_MAX_OPERANDS];
        unsigned count = mir_roles(insn, roles);
        if (mir_is_identity(c->func, insn))
            continue;
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_USE)
                c->reads[b] |= scalar_bit(c->func, insn->operand[o]) & ~c->writes[b];
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_DEF)
                c->writes[b] |= scalar_bit(c->func, insn->operand[o]);
    }
    if (block->kind == MIR_BRANCH)
        c->reads[b] |= (scalar_bit(c->func, block->a) | scalar_bit(c->func, block->b)) & ~c->writes[b];
    if (block->kind == MIR_RETURN)
        c->reads[b] |= 1ull << MIR_RA & ~c->writes[b];
}

static const char *check_warp(struct checker *c)
{
    const struct mir_func *func = c->func;
    const char *wrong = NULL;
    uint8_t *reached = cy_xrealloc(NULL, func->blocks.count);
    for (size_t i = 0; i < func->order.count; i++)
        scalar_sets(c, func->order.at[i]);
    for (bool changed = true; changed;) { /* reads becomes: what is live at the start */
        changed = false;
        for (size_t i = func->order.count; i-- > 0;) {
            const struct mir_block *block = &func->blocks.at[func->order.at[i]];
            uint64_t now = c->reads[func->order.at[i]];
            for (uint32_t s = 0; s < block->succ_count; s++)
                now |= c->reads[block->succ[s]] & ~c->writes[func->order.at[i]];
            changed |= now != c->reads[func->order.at[i]];
            c->reads[func->order.at[i]] = now;
        }
    }
    for (size_t i = 0; i < func->order.count && !wrong; i++) {
        uint32_t b = func->order.at[i];
        const struct mir_block *block = &func->blocks.at[b];
        for (int side = 0; block->kind == MIR_VBRANCH && side < 2 && !wrong; side++) {
            uint64_t written = 0;
            mir_reach(func, block->succ[side], block->rpc, reached);
            for (size_t r = 0; r < func->blocks.count; r++)
                written |= reached[r] ? c->writes[r] : 0;
            uint64_t lost = written & c->reads[block->succ[!side]];
            if (lost)
                wrong = cy_arena_printf(c->arena, "x%d lives into block %u, but lanes that go from block %u to %u overwrite it",
                                        __builtin_ctzll(lost), block->succ[!side], b, block->succ[side]);
            else if (reached[func->exit] || !func->blocks.at[block->rpc].has_join)
                wrong = cy_arena_printf(c->arena, "lanes that part in block %u can miss each other at block %u", b, block->rpc);
        }
    }
    cy_xrealloc(reached, 0);
    return wrong;
}

const char *mir_validate(const struct mir_func *func, struct cy_arena *arena)
{
    struct checker c = {.func = func, .arena = arena};
    size_t blocks = func->blocks.count;
    c.holds = cy_xrealloc(NULL, 2 * (func->vregs.count + 1));
    memset(c.holds, 0, 2 * (func->vregs.count + 1));
    c.is_global = c.holds + func->vregs.count + 1;
    c.is_known = cy_xrealloc(NULL, blocks);
    memset(c.is_known, 0, blocks);
    c.reads = cy_xrealloc(NULL, 2 * blocks * sizeof(*c.reads));
    memset(c.reads, 0, 2 * blocks * sizeof(*c.reads));
    c.writes = c.reads + blocks;
    const char *wrong = check_threads(&c);
    if (!wrong)
        wrong = check_warp(&c);
    for (size_t i = 0; i < PLACES; i++)
        cy_vec_free(&c.here[i]);
    cy_vec_free(&c.globals);
    cy_xrealloc(c.holds, 0);
    cy_xrealloc(c.at_start, 0);
    cy_xrealloc(c.is_known, 0);
    cy_xrealloc(c.reads, 0);
    return wrong;
}
