/* Checks the register allocation with a second, simpler algorithm.
 *
 * 1. Along every path of a thread, an operand's physical register still holds the value of its virtual register:
 *    a forward dataflow set of the virtual registers whose physical register holds their value.
 * 2. Across the warp: one side of a divergent branch writes no scalar from before the branch that the other side reads,
 *    so the order in which the machine runs the sides does not matter.
 * 3. The sides of a divergent branch cannot bypass their reconvergence point.
 * 4. Arguments and results of calls are where the ABI wants them, and no value is kept across a call in a caller-saved
 *    register.
 * 5. The halves of a pair are in an even register and the next one. */
#include "cc/codegen/mir.h"

#include <string.h>

enum { PLACES = MIR_FIRST_VREG };

struct names { /* a named CY_VEC */
    uint32_t *at;
    size_t count, capacity;
};

struct checker {
    const struct mir_func *func;
    struct cy_arena *arena, scratch;
    struct cy_graph graph;
    uint32_t *number;         /* by vreg: index among those live across blocks; NONE: local to a block */
    CY_VEC(uint32_t) globals; /* by index */
    size_t words;             /* in one such set */
    uint64_t *in_place;       /* by physical register: the set of vregs assigned to it */
    uint64_t *start, *end;    /* by block: vregs whose physical register holds their value */
    uint64_t *lost, *given;   /* by block: end = start - lost + given */
    uint64_t *reads, *writes; /* by block: scalars read before they are written; written */

    /* while processing a block */
    uint8_t *holds;            /* by vreg: written in this block, and its physical register still holds that */
    struct names here[PLACES]; /* vregs for which that is true */
    uint8_t is_written[PLACES];
    struct names written; /* places */
};

static unsigned place_of(const struct mir_func *func, mir_reg reg)
{
    return mir_location(func, reg) + (mir_class_of(func, reg) == MIR_V ? 64 : 0);
}

static void forget(struct checker *c, unsigned place)
{
    for (size_t i = 0; i < c->here[place].count; i++)
        c->holds[c->here[place].at[i]] = 0;
    c->here[place].count = 0;
}

/* Writes a physical register; a copy to itself changes nothing. */
static void write_place(struct checker *c, mir_reg reg, bool is_identity)
{
    unsigned place = place_of(c->func, reg);
    uint32_t vreg = mir_index(reg);
    if (!is_identity) {
        forget(c, place);
        if (!c->is_written[place])
            *cy_vec_push(&c->written) = place;
        c->is_written[place] = 1;
    }
    if (!c->holds[vreg])
        *cy_vec_push(&c->here[place]) = vreg;
    c->holds[vreg] = 1;
}

static bool is_held(const struct checker *c, uint32_t block, mir_reg reg)
{
    uint32_t vreg = mir_index(reg), n = c->number[vreg];
    return c->holds[vreg] ||
           (n != NONE && !c->is_written[place_of(c->func, reg)] && c->start[block * c->words + n / 64] >> (n % 64) & 1);
}

static const char *check_use(struct checker *c, mir_reg reg, uint32_t block, size_t position)
{
    if (!mir_is_virtual(reg) || is_held(c, block, reg))
        return NULL;
    return cy_arena_printf(c->arena, "block %u, instruction %zu reads register %%%u in %c%u, which holds another value",
                           block, position, mir_index(reg), mir_class_of(c->func, reg) == MIR_V ? 'v' : 'x',
                           mir_location(c->func, reg));
}

/* A call clobbers what the callee may change. */
static void write_call(struct checker *c)
{
    for (unsigned place = 0; place < PLACES; place++) {
        if (!mir_is_caller_saved((mir_reg)place))
            continue;
        forget(c, place);
        if (!c->is_written[place])
            *cy_vec_push(&c->written) = place;
        c->is_written[place] = 1;
    }
}

static void write_asm(struct checker *c, const struct ir_asm *of)
{
    for (unsigned place = 0; place < PLACES; place++) {
        if (!mir_asm_has(of->clobbers, (mir_reg)place))
            continue;
        forget(c, place);
        if (!c->is_written[place])
            *cy_vec_push(&c->written) = place;
        c->is_written[place] = 1;
    }
}

/* Assembly finds its inputs, and they are not in registers of early outputs. */
static const char *check_asm(struct checker *c, const struct mir_block *block, uint32_t b, size_t k)
{
    const char *wrong = NULL;
    for (size_t u = k; u-- > 0 && !wrong && block->insns.at[u].op != MIR_ASM;) {
        const struct mir_insn *uses = &block->insns.at[u];
        for (unsigned o = 0; uses->op == MIR_ASM_USES && o < uses->operand_count && !wrong; o++) {
            wrong = check_use(c, uses->operand[o], b, k);
            for (size_t d = k + 1; d < block->insns.count && block->insns.at[d].op != MIR_ASM && !wrong; d++)
                for (unsigned e = 0; block->insns.at[d].op == MIR_ASM_EARLY && e < block->insns.at[d].operand_count;
                     e++)
                    if (block->insns.at[d].operand[e] != uses->operand[o] &&
                        place_of(c->func, block->insns.at[d].operand[e]) == place_of(c->func, uses->operand[o]))
                        wrong = cy_arena_printf(c->arena,
                                                "block %u, instruction %zu: an early output shares a register", b, k);
        }
    }
    return wrong;
}

/* Processes a block; with `check`, returns the first wrong read. */
static const char *run_block(struct checker *c, uint32_t b, bool check)
{
    const struct mir_block *block = &c->func->blocks.at[b];
    const char *wrong = NULL;
    for (size_t k = 0; k < block->insns.count && !wrong; k++) {
        const struct mir_insn *insn = &block->insns.at[k];
        enum mir_role roles[MIR_MAX_OPERANDS];
        unsigned count = mir_roles(insn, roles);
        bool is_identity = mir_is_identity(c->func, insn);
        for (unsigned o = 0; o < count && check && !wrong; o++)
            if (roles[o] == MIR_USE || roles[o] == MIR_DEF_USE)
                wrong = check_use(c, insn->operand[o], b, k);
        for (unsigned o = 0; o < count; o++)
            if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o]))
                write_place(c, insn->operand[o], is_identity);
        if (insn->op == MIR_CALL)
            write_call(c);
        if (insn->op == MIR_ASM) {
            wrong = check ? check_asm(c, block, b, k) : NULL;
            write_asm(c, mir_asm(c->func, insn));
        }
    }
    if (check && !wrong && (block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH)) {
        wrong = check_use(c, block->a, b, block->insns.count);
        if (!wrong)
            wrong = check_use(c, block->b, b, block->insns.count);
    }
    return wrong;
}

static void leave_block(struct checker *c)
{
    for (unsigned place = 0; place < PLACES; place++)
        forget(c, place);
    for (size_t i = 0; i < c->written.count; i++)
        c->is_written[c->written.at[i]] = 0;
    c->written.count = 0;
}

/* Registers that some block reads before writing them. */
static void find_globals(struct checker *c)
{
    const struct mir_func *func = c->func;
    for (size_t v = 0; v < func->vregs.count; v++)
        c->number[v] = NONE;
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (size_t k = 0; k <= block->insns.count; k++) {
            enum mir_role roles[MIR_MAX_OPERANDS] = {MIR_USE, MIR_USE};
            mir_reg regs[MIR_MAX_OPERANDS] = {block->a, block->b};
            unsigned count = block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH ? 2 : 0;
            if (k < block->insns.count) {
                count = mir_roles(&block->insns.at[k], roles);
                memcpy(regs, block->insns.at[k].operand, sizeof(regs));
            }
            for (unsigned o = 0; o < count; o++)
                if ((roles[o] == MIR_USE || roles[o] == MIR_DEF_USE) && mir_is_virtual(regs[o]) &&
                    !c->holds[mir_index(regs[o])] && c->number[mir_index(regs[o])] == NONE) {
                    c->number[mir_index(regs[o])] = (uint32_t)c->globals.count;
                    *cy_vec_push(&c->globals) = mir_index(regs[o]);
                }
            for (unsigned o = 0; o < count; o++)
                if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && mir_is_virtual(regs[o]))
                    write_place(c, regs[o], true);
        }
        leave_block(c);
    }
}

/* A block's transfer function: values in registers it writes are lost, those it leaves in them are given. */
static void summarise(struct checker *c, uint32_t b)
{
    uint64_t *lost = c->lost + b * c->words, *given = c->given + b * c->words;
    run_block(c, b, false);
    for (size_t i = 0; i < c->written.count; i++)
        for (size_t w = 0; w < c->words; w++)
            lost[w] |= c->in_place[c->written.at[i] * c->words + w];
    for (unsigned place = 0; place < PLACES; place++)
        for (size_t i = 0; i < c->here[place].count; i++) {
            uint32_t n = c->number[c->here[place].at[i]];
            if (n != NONE)
                given[n / 64] |= 1ull << (n % 64);
        }
    leave_block(c);
}

static const char *check_threads(struct checker *c)
{
    const struct mir_func *func = c->func;
    const char *wrong = NULL;
    find_globals(c);
    c->words = c->globals.count / 64 + 1;
    size_t set = func->blocks.count * c->words, total = (4 * set + PLACES * c->words) * sizeof(*c->start);
    c->start = cy_xrealloc(NULL, total);
    memset(c->start, 0, total);
    c->end = c->start + set;
    c->lost = c->end + set;
    c->given = c->lost + set;
    c->in_place = c->given + set;
    for (uint32_t n = 0; n < c->globals.count; n++)
        c->in_place[place_of(func, (mir_reg)(MIR_FIRST_VREG + c->globals.at[n])) * c->words + n / 64] |= 1ull
                                                                                                         << (n % 64);
    for (size_t i = 0; i < func->order.count; i++)
        summarise(c, func->order.at[i]);
    memset(c->start + c->words, 0xff,
           (2 * set - c->words) * sizeof(*c->start)); /* all but what the entry starts with */
    cy_graph_flow_forth(&c->graph, &(struct cy_flow){c->words, c->start, c->end, c->lost, c->given});
    for (size_t i = 0; i < func->order.count && !wrong; i++) {
        wrong = run_block(c, func->order.at[i], true);
        leave_block(c);
    }
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
        enum mir_role roles[MIR_MAX_OPERANDS];
        unsigned count = mir_roles(insn, roles);
        if (mir_is_identity(c->func, insn))
            continue;
        for (int x = 0; insn->op == MIR_CALL && x < 64; x++)
            c->writes[b] |= mir_is_caller_saved(x) ? 1ull << x : 0;
        if (insn->op == MIR_ASM)
            c->writes[b] |= mir_asm(c->func, insn)->clobbers[0];
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_USE)
                c->reads[b] |= scalar_bit(c->func, insn->operand[o]) & ~c->writes[b];
        for (unsigned o = 0; o < count; o++)
            if (roles[o] == MIR_DEF)
                c->writes[b] |= scalar_bit(c->func, insn->operand[o]);
    }
    if (block->kind == MIR_BRANCH)
        c->reads[b] |= (scalar_bit(c->func, block->a) | scalar_bit(c->func, block->b)) & ~c->writes[b];
    if (block->kind == MIR_RETURN && !c->func->has_calls) /* otherwise ra is restored from the stack */
        c->reads[b] |= 1ull << MIR_RA & ~c->writes[b];
}

static const char *check_warp(struct checker *c)
{
    const struct mir_func *func = c->func;
    const char *wrong = NULL;
    struct cy_graph_region region = cy_graph_region(&c->scratch, &c->graph);
    uint64_t *after = cy_arena_alloc(&c->scratch, func->blocks.count * sizeof(*after));
    for (size_t i = 0; i < func->order.count; i++)
        scalar_sets(c, func->order.at[i]);
    /* turns `reads` into live-in sets */
    cy_graph_flow_back(&c->graph, &(struct cy_flow){.words = 1, .in = c->reads, .out = after, .kill = c->writes});
    for (size_t i = 0; i < func->order.count && !wrong; i++) {
        uint32_t b = func->order.at[i];
        const struct mir_block *block = &func->blocks.at[b];
        for (int side = 0; block->kind == MIR_VBRANCH && side < 2 && !wrong; side++) {
            uint64_t written = 0;
            mir_find_region(&region, block->succ[side], block->rpc);
            for (uint32_t r = 0; r < region.count; r++)
                written |= c->writes[region.node[r]];
            uint64_t lost = written & c->reads[block->succ[!side]];
            if (lost)
                wrong = cy_arena_printf(c->arena,
                                        "x%d is live into block %u, but lanes going from block %u to %u overwrite it",
                                        __builtin_ctzll(lost), block->succ[!side], b, block->succ[side]);
            else if (cy_graph_region_has(&region, func->exit) || !func->blocks.at[block->rpc].has_join)
                wrong = cy_arena_printf(c->arena,
                                        "lanes that diverge in block %u can bypass their reconvergence point, block %u",
                                        b, block->rpc);
        }
    }
    return wrong;
}

/* The ABI's constraints on registers. */
static const char *check_fixed(struct checker *c)
{
    for (size_t v = 0; v < c->func->vregs.count; v++) {
        const struct mir_vreg *vreg = &c->func->vregs.at[v];
        if (vreg->fixed >= 0 && vreg->physical >= 0 && vreg->physical != vreg->fixed)
            return cy_arena_printf(c->arena, "register %%%zu is in %c%d, but must be in %d", v,
                                   vreg->class == MIR_V ? 'v' : 'x', vreg->physical, vreg->fixed);
    }
    for (size_t v = 0; v < c->func->vregs.count; v++) {
        const struct mir_vreg *vreg = &c->func->vregs.at[v];
        if (vreg->half == MIR_WHOLE || vreg->physical < 0)
            continue;
        int other = c->func->vregs.at[vreg->half == MIR_LOW ? v + 1 : v - 1].physical;
        if ((vreg->physical & 1) != (vreg->half == MIR_HIGH) || (other >= 0 && (other ^ 1) != vreg->physical))
            return cy_arena_printf(c->arena, "register %%%zu is in v%d, and the other half of its pair in v%d", v,
                                   vreg->physical, other);
    }
    return NULL;
}

/* The registers of an access to several words are consecutive. */
static const char *check_words(struct checker *c)
{
    for (size_t i = 0; i < c->func->order.count; i++) {
        const struct mir_block *block = &c->func->blocks.at[c->func->order.at[i]];
        for (size_t k = 0; k < block->insns.count; k++)
            for (unsigned o = 1; o < block->insns.at[k].words; o++)
                if (place_of(c->func, block->insns.at[k].operand[o]) !=
                    place_of(c->func, block->insns.at[k].operand[0]) + o)
                    return cy_arena_printf(c->arena, "block %u, instruction %zu moves words of scattered registers",
                                           c->func->order.at[i], k);
    }
    return NULL;
}

const char *mir_validate(const struct mir_func *func, struct cy_arena *arena)
{
    struct checker c = {.func = func, .arena = arena};
    size_t blocks = func->blocks.count;
    c.graph = mir_graph(func, &c.scratch);
    c.holds = cy_xrealloc(NULL, func->vregs.count + 1);
    memset(c.holds, 0, func->vregs.count + 1);
    c.number = cy_xrealloc(NULL, (func->vregs.count + 1) * sizeof(*c.number));
    c.reads = cy_xrealloc(NULL, 2 * blocks * sizeof(*c.reads));
    memset(c.reads, 0, 2 * blocks * sizeof(*c.reads));
    c.writes = c.reads + blocks;
    const char *wrong = check_fixed(&c);
    if (!wrong)
        wrong = check_words(&c);
    if (!wrong)
        wrong = check_threads(&c);
    if (!wrong)
        wrong = check_warp(&c);
    for (size_t i = 0; i < PLACES; i++)
        cy_vec_free(&c.here[i]);
    cy_vec_free(&c.written);
    cy_vec_free(&c.globals);
    cy_free(c.holds);
    cy_free(c.number);
    cy_free(c.start);
    cy_free(c.reads);
    cy_arena_free(&c.scratch);
    return wrong;
}
