/* Live ranges.
 *
 * For vGPRs liveness is that of a single thread: inactive lanes keep their registers, so writes on the other side of a
 * branch do no harm.  sGPRs belong to the whole warp: while one side of a divergent branch runs, the other side waits,
 * and the scalars it will read must survive.  So a scalar that is live into one side is live in all blocks that the
 * other side can run before the reconvergence point. */
#include "cc/codegen/mir.h"

#include <string.h>

/* Only registers live across blocks are in the sets; most are not. */
struct liveness {
    const struct mir_func *func;
    struct cy_arena scratch;
    struct cy_graph graph;
    uint32_t *number;       /* by vreg: index in the sets, NONE: local to a block */
    CY_VEC(uint32_t) vregs; /* by index: scalars first */
    size_t words, scalar_words;
    uint64_t *in, *out, *kill; /* by block */
};

static void add(uint64_t *set, uint32_t i)
{
    set[i / 64] |= 1ull << (i % 64);
}

/* Sets `uses` to the virtual registers that a block's terminator reads. */
static unsigned end_uses(const struct mir_block *block, mir_reg uses[2])
{
    unsigned count = 0;
    if (block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH) {
        if (mir_is_virtual(block->a))
            uses[count++] = block->a;
        if (mir_is_virtual(block->b))
            uses[count++] = block->b;
    }
    return count;
}

static void see_use(struct liveness *l, const uint32_t *written, uint32_t stamp, mir_reg reg)
{
    uint32_t vreg = mir_index(reg);
    if (written[vreg] == stamp || l->number[vreg] != NONE)
        return;
    l->number[vreg] = (uint32_t)l->vregs.count;
    *cy_vec_push(&l->vregs) = vreg;
}

/* Registers that some block reads before writing them. */
static void find_global(struct liveness *l)
{
    const struct mir_func *func = l->func;
    size_t count = func->vregs.count;
    uint32_t *written = cy_xrealloc(NULL, (count + 1) * sizeof(*written)); /* the last block that wrote it, + 1 */
    memset(written, 0, (count + 1) * sizeof(*written));
    for (size_t v = 0; v < count; v++)
        l->number[v] = NONE;
    for (uint32_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        mir_reg ends[2];
        for (size_t k = 0; k < block->insns.count; k++) {
            enum mir_role roles[MIR_MAX_OPERANDS];
            const struct mir_insn *insn = &block->insns.at[k];
            unsigned operands = mir_roles(insn, roles);
            for (unsigned o = 0; o < operands; o++)
                if ((roles[o] == MIR_USE || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o]))
                    see_use(l, written, i + 1, insn->operand[o]);
            for (unsigned o = 0; o < operands; o++)
                if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o]))
                    written[mir_index(insn->operand[o])] = i + 1;
        }
        for (unsigned e = end_uses(block, ends); e-- > 0;)
            see_use(l, written, i + 1, ends[e]);
    }
    cy_free(written);
    uint32_t scalars = 0;
    for (uint32_t n = 0; n < l->vregs.count; n++) {
        uint32_t vreg = l->vregs.at[n];
        if (func->vregs.at[vreg].class != MIR_S)
            continue;
        l->vregs.at[n] = l->vregs.at[scalars];
        l->vregs.at[scalars++] = vreg;
    }
    for (uint32_t n = 0; n < l->vregs.count; n++)
        l->number[l->vregs.at[n]] = n;
    l->scalar_words = scalars / 64 + 1;
    l->words = l->vregs.count / 64 + 1;
}

/* in: read before written; kill: written. */
static void local_sets(struct liveness *l, uint32_t b)
{
    const struct mir_block *block = &l->func->blocks.at[b];
    uint64_t *in = l->in + b * l->words, *kill = l->kill + b * l->words;
    mir_reg ends[2];
    for (unsigned e = end_uses(block, ends); e-- > 0;)
        if (l->number[mir_index(ends[e])] != NONE)
            add(in, l->number[mir_index(ends[e])]);
    for (size_t k = block->insns.count; k-- > 0;) {
        enum mir_role roles[MIR_MAX_OPERANDS];
        const struct mir_insn *insn = &block->insns.at[k];
        unsigned operands = mir_roles(insn, roles);
        for (unsigned o = 0; o < operands; o++)
            if (roles[o] != MIR_IMM && roles[o] != MIR_USE && mir_is_virtual(insn->operand[o])) {
                uint32_t n = l->number[mir_index(insn->operand[o])];
                if (n != NONE) {
                    add(kill, n);
                    in[n / 64] &= ~(1ull << (n % 64));
                }
            }
        for (unsigned o = 0; o < operands; o++)
            if ((roles[o] == MIR_USE || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o]) &&
                l->number[mir_index(insn->operand[o])] != NONE)
                add(in, l->number[mir_index(insn->operand[o])]);
    }
}

/* A scalar live into one side of a divergent branch is live throughout the other side. */
static void extend_scalars(struct liveness *l)
{
    const struct mir_func *func = l->func;
    struct cy_graph_region region = cy_graph_region(&l->scratch, &l->graph);
    uint64_t *scalars = cy_xrealloc(NULL, l->scalar_words * sizeof(*scalars));
    uint64_t *waiting = cy_xrealloc(NULL, 2 * l->scalar_words * sizeof(*waiting)), *covered = waiting + l->scalar_words;
    uint32_t covered_rpc = NONE; /* the current region: where it ends, and what was made live in it */
    memset(scalars, 0, l->scalar_words * sizeof(*scalars));
    memset(waiting, 0, 2 * l->scalar_words * sizeof(*waiting));
    for (uint32_t n = 0; n < l->vregs.count && func->vregs.at[l->vregs.at[n]].class == MIR_S; n++)
        add(scalars, n);
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        if (block->kind != MIR_VBRANCH)
            continue;
        for (int side = 0; side < 2; side++) {
            uint64_t any = 0, more = 0;
            for (size_t w = 0; w < l->scalar_words; w++) {
                any |= waiting[w] = l->in[block->succ[!side] * l->words + w] & scalars[w];
                more |= waiting[w] & ~covered[w];
            }
            /* a block inside the last region with the same end has a region contained in it */
            if (!any || (block->rpc == covered_rpc && !more && cy_graph_region_has(&region, block->succ[side])))
                continue;
            mir_find_region(&region, block->succ[side], block->rpc);
            memcpy(covered, waiting, l->scalar_words * sizeof(*covered));
            covered_rpc = block->rpc;
            for (uint32_t r = 0; r < region.count; r++)
                for (size_t w = 0; w < l->scalar_words; w++)
                    l->out[region.node[r] * l->words + w] |= waiting[w];
        }
    }
    cy_free(scalars);
    cy_free(waiting);
}

/* ---- ranges ---- */

/* Blocks and instructions are walked backwards, so ranges come last first; they are reversed at the end. */
static void add_range(struct mir_ranges *ranges, uint32_t from, uint32_t to)
{
    if (ranges->count && ranges->at[ranges->count - 1].from == to + 1) {
        ranges->at[ranges->count - 1].from = from;
        return;
    }
    if (ranges->count == ranges->capacity) {
        ranges->capacity = ranges->capacity ? 2 * ranges->capacity : 2;
        ranges->at = cy_xrealloc(ranges->at, ranges->capacity * sizeof(*ranges->at));
    }
    ranges->at[ranges->count++] = (struct mir_range){from, to};
}

struct open_set {
    uint32_t *end;          /* by vreg: end of its open range; NONE: none is open */
    CY_VEC(uint32_t) vregs; /* those that are or were open in this block */
};

static void open_range(struct open_set *open, mir_reg reg, uint32_t at)
{
    uint32_t vreg = mir_index(reg);
    if (open->end[vreg] == NONE) {
        open->end[vreg] = at;
        *cy_vec_push(&open->vregs) = vreg;
    }
}

/* How many instructions after the assembly that it belongs to an ASM_DEFS is. */
static uint32_t after_asm(const struct mir_block *block, uint32_t k)
{
    uint32_t distance = 0;
    while (block->insns.at[k].op != MIR_ASM)
        distance += block->insns.at[k--].op != MIR_DEBUG;
    return distance;
}

/* The position from which on an instruction's results occupy their registers. */
static uint32_t write_position(const struct mir_block *block, uint32_t k, uint32_t at)
{
    const unsigned op = block->insns.at[k].op;
    if (op != MIR_ASM_DEFS && op != MIR_ASM_EARLY)
        return at + 1;
    return at - 2 * after_asm(block, k) + (op == MIR_ASM_DEFS);
}

static void block_ranges(struct liveness *l, struct mir_live *live, struct open_set *open, uint32_t b)
{
    const struct mir_block *block = &l->func->blocks.at[b];
    uint32_t start = live->start[b], end = start + mir_position(block, SIZE_MAX), position = end, asm_at = 0;
    mir_reg ends[2];
    for (size_t w = 0; w < l->words; w++)
        for (uint64_t left = l->out[b * l->words + w]; left; left &= left - 1) {
            uint32_t vreg = l->vregs.at[w * 64 + (unsigned)__builtin_ctzll(left)];
            open_range(open, (mir_reg)(MIR_FIRST_VREG + vreg), 2 * end + 1);
        }
    for (unsigned e = end_uses(block, ends); e-- > 0;)
        open_range(open, ends[e], 2 * end);
    for (uint32_t k = (uint32_t)block->insns.count; k-- > 0;) {
        enum mir_role roles[MIR_MAX_OPERANDS];
        const struct mir_insn *insn = &block->insns.at[k];
        if (insn->op == MIR_DEBUG)
            continue;
        unsigned operands = mir_roles(insn, roles);
        uint32_t at = 2 * --position, written = write_position(block, k, at);
        if (insn->op == MIR_ASM)
            asm_at = at;
        for (unsigned o = 0; o < operands; o++)
            if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o])) {
                uint32_t vreg = mir_index(insn->operand[o]);
                add_range(&live->ranges[vreg], written, open->end[vreg] == NONE ? at + 1 : open->end[vreg]);
                open->end[vreg] = NONE;
            }
        for (unsigned o = 0; o < operands; o++)
            if ((roles[o] == MIR_USE || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o]))
                open_range(open, insn->operand[o], insn->op == MIR_ASM_USES ? asm_at : at);
    }
    for (size_t i = 0; i < open->vregs.count; i++) {
        uint32_t vreg = open->vregs.at[i];
        if (open->end[vreg] != NONE)
            add_range(&live->ranges[vreg], 2 * start, open->end[vreg]);
        open->end[vreg] = NONE;
    }
    open->vregs.count = 0;
}

static void find_ranges(struct liveness *l, struct mir_live *live)
{
    const struct mir_func *func = l->func;
    struct open_set open = {.end = cy_xrealloc(NULL, (func->vregs.count + 1) * sizeof(*open.end))};
    for (size_t v = 0; v < func->vregs.count; v++)
        open.end[v] = NONE;
    for (size_t i = func->order.count; i-- > 0;)
        block_ranges(l, live, &open, func->order.at[i]);
    for (size_t v = 0; v < func->vregs.count; v++) {
        struct mir_ranges *ranges = &live->ranges[v];
        for (uint32_t i = 0, k = ranges->count; i + 1 < k--; i++) {
            struct mir_range swap = ranges->at[i];
            ranges->at[i] = ranges->at[k];
            ranges->at[k] = swap;
        }
    }
    cy_free(open.end);
    cy_vec_free(&open.vregs);
}

void mir_find_live(const struct mir_func *func, struct mir_live *live)
{
    struct liveness l = {.func = func};
    size_t blocks = func->blocks.count;
    live->vreg_count = func->vregs.count;
    live->ranges = cy_xrealloc(NULL, (func->vregs.count + 1) * sizeof(*live->ranges));
    memset(live->ranges, 0, (func->vregs.count + 1) * sizeof(*live->ranges));
    live->start = cy_xrealloc(NULL, (blocks + 1) * sizeof(*live->start));
    live->positions = 0;
    for (size_t i = 0; i < func->order.count; i++) {
        live->start[func->order.at[i]] = live->positions;
        live->positions += mir_position(&func->blocks.at[func->order.at[i]], SIZE_MAX) + 1;
    }
    l.number = cy_xrealloc(NULL, (func->vregs.count + 1) * sizeof(*l.number));
    find_global(&l);
    l.in = cy_xrealloc(NULL, 3 * blocks * l.words * sizeof(*l.in));
    memset(l.in, 0, 3 * blocks * l.words * sizeof(*l.in));
    l.out = l.in + blocks * l.words;
    l.kill = l.out + blocks * l.words;
    for (size_t i = 0; i < func->order.count; i++)
        local_sets(&l, func->order.at[i]);
    l.graph = mir_graph(func, &l.scratch);
    cy_graph_flow_back(&l.graph, &(struct cy_flow){.words = l.words, .in = l.in, .out = l.out, .kill = l.kill});
    extend_scalars(&l);
    find_ranges(&l, live);
    cy_free(l.number);
    cy_free(l.in);
    cy_vec_free(&l.vregs);
    cy_arena_free(&l.scratch);
}

void mir_live_free(struct mir_live *live)
{
    for (size_t v = 0; v < live->vreg_count; v++)
        cy_free(live->ranges[v].at);
    cy_free(live->ranges);
    cy_free(live->start);
}

void mir_print_live(const struct mir_func *func, const struct mir_live *live, struct cy_buf *out)
{
    mir_print(func, "live", out);
    for (uint32_t v = 0; v < live->vreg_count; v++) {
        const struct mir_ranges *ranges = &live->ranges[v];
        if (!ranges->count)
            continue;
        cy_buf_printf(out, "  %%%u%c:", v, func->vregs.at[v].class == MIR_V ? 'v' : 's');
        for (uint32_t i = 0; i < ranges->count; i++)
            cy_buf_printf(out, " %u-%u", ranges->at[i].from, ranges->at[i].to);
        cy_buf_putc(out, '\n');
    }
}
