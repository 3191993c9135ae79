/* Register allocation: registers are taken in order of spill weight (use frequency per length of live range), and each
 * gets the lowest-numbered physical register that is free in all its ranges; numbers above 31 cost a prefix at every
 * use. Those that get none are spilled, and allocation starts again with the short ranges that remain.
 *
 * Occupation is one bit per physical register and position: an interference test reads a few words. */
#include "cc/codegen/mir.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { S_COUNT = 64, V_COUNT = 256, FIRST_FREE_X = 5, MAX_ROUNDS = 64 };

struct group {
    uint32_t leader;
    float density;
    uint8_t rank; /* registers that must be allocated: 2 to a given number, 1 to any */
};

struct allocator {
    struct mir_func *func;
    struct mir_live *live;
    size_t words;
    uint64_t *busy[S_COUNT + V_COUNT]; /* by physical register; NULL: never used */
    float *weight;                     /* by leader */
    int16_t *hint;                     /* by leader: physical register, -1: none */
    CY_VEC(struct group) groups;
    uint8_t *spilled;
    size_t failed;
    struct mir_runs runs;
    uint32_t *run_of; /* by leader: the first run it belongs to, + 1 */
};

static bool is_free(const uint64_t *busy, const struct mir_ranges *ranges)
{
    for (uint32_t i = 0; busy && i < ranges->count; i++) {
        uint32_t from = ranges->at[i].from, to = ranges->at[i].to;
        uint32_t first = from / 64, last = to / 64;
        uint64_t head = ~0ull << (from % 64), tail = ~0ull >> (63 - to % 64);
        if (first == last) {
            if (busy[first] & head & tail)
                return false;
            continue;
        }
        if (busy[first] & head || busy[last] & tail)
            return false;
        for (uint32_t w = first + 1; w < last; w++)
            if (busy[w])
                return false;
    }
    return true;
}

static void occupy(struct allocator *a, unsigned place, const struct mir_ranges *ranges)
{
    if (!a->busy[place]) {
        a->busy[place] = cy_xrealloc(NULL, a->words * sizeof(**a->busy));
        memset(a->busy[place], 0, a->words * sizeof(**a->busy));
    }
    for (uint32_t i = 0; i < ranges->count; i++)
        for (uint32_t p = ranges->at[i].from; p <= ranges->at[i].to; p++) {
            if (p % 64 == 0 && p + 63 <= ranges->at[i].to) {
                a->busy[place][p / 64] = ~0ull;
                p += 63;
            } else {
                a->busy[place][p / 64] |= 1ull << (p % 64);
            }
        }
}

/* A call clobbers the caller-saved registers. */
static void occupy_calls(struct allocator *a)
{
    const struct mir_func *func = a->func;
    for (size_t i = 0; func->has_calls && i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (uint32_t k = 0; k < block->insns.count; k++) {
            if (block->insns.at[k].op != MIR_CALL)
                continue;
            uint32_t at = 2 * (a->live->start[func->order.at[i]] + mir_position(block, k)) + 1;
            struct mir_range range = {at, at};
            for (unsigned place = 0; place < S_COUNT + V_COUNT; place++)
                if (mir_is_caller_saved((mir_reg)place))
                    occupy(a, place, &(struct mir_ranges){&range, 1, 1});
        }
    }
}

/* Assembly changes registers, and has some to itself. */
static void occupy_asm(struct allocator *a, const struct ir_asm *of, uint32_t position)
{
    struct mir_range range = {2 * position, 2 * position + 1}, all = {0, 2 * a->live->positions - 1};
    for (unsigned place = 0; place < S_COUNT + V_COUNT; place++) {
        if (mir_asm_has(of->clobbers, (mir_reg)place))
            occupy(a, place, &(struct mir_ranges){&range, 1, 1});
        if (mir_asm_has(of->reserved, (mir_reg)place))
            occupy(a, place, &(struct mir_ranges){&all, 1, 1});
    }
}

static void occupy_asms(struct allocator *a)
{
    const struct mir_func *func = a->func;
    for (size_t i = 0; func->has_asm && i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (uint32_t k = 0; k < block->insns.count; k++)
            if (block->insns.at[k].op == MIR_ASM)
                occupy_asm(a, mir_asm(func, &block->insns.at[k]),
                           a->live->start[func->order.at[i]] + mir_position(block, k));
    }
}

static void add_weight(struct allocator *a, mir_reg reg, float weight)
{
    if (mir_is_virtual(reg))
        a->weight[mir_index(mir_leader(a->func, reg))] += weight;
}

/* The physical register a vreg is fixed to; -1: any. */
static int fixed_place(const struct mir_func *func, mir_reg reg)
{
    if (!mir_is_virtual(reg))
        return reg;
    const struct mir_vreg *vreg = &func->vregs.at[mir_index(reg)];
    return vreg->fixed < 0 ? -1 : vreg->class == MIR_V ? S_COUNT + vreg->fixed : vreg->fixed;
}

/* Uses and definitions weighted by frequency; constants are cheap to rematerialise. */
static void weigh(struct allocator *a)
{
    struct mir_func *func = a->func;
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        float frequency = mir_frequency(block);
        for (size_t k = 0; k < block->insns.count; k++) {
            const struct mir_insn *insn = &block->insns.at[k];
            enum mir_role roles[MIR_MAX_OPERANDS];
            bool is_copy = insn->op == MIR_COPY;
            for (unsigned o = mir_roles(insn, roles); o-- > 0;)
                if (roles[o] != MIR_IMM)
                    add_weight(a, insn->operand[o], frequency);
            for (unsigned o = 0; is_copy && o < 2; o++) {
                int place = mir_is_virtual(insn->operand[o]) ? (int)fixed_place(func, insn->operand[!o]) : -1;
                if (place >= 0 && mir_class_of(func, insn->operand[0]) == mir_class_of(func, insn->operand[1]))
                    a->hint[mir_index(mir_leader(func, insn->operand[o]))] = (int16_t)place;
            }
        }
        if (block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH) {
            add_weight(a, block->a, frequency);
            add_weight(a, block->b, frequency);
        }
    }
}

/* The other half of a pair of groups. */
static uint32_t partner_of(struct mir_func *func, uint32_t leader)
{
    return mir_index(mir_leader(func, (mir_reg)(MIR_FIRST_VREG + func->vregs.at[leader].partner)));
}

static uint32_t total_length(const struct mir_ranges *ranges)
{
    uint32_t length = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        length += ranges->at[i].to - ranges->at[i].from + 1;
    return length;
}

static int by_density(const void *left, const void *right)
{
    const struct group *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank > b->rank ? -1 : 1;
    if (a->density != b->density)
        return a->density > b->density ? -1 : 1;
    return a->leader < b->leader ? -1 : 1;
}

/* Pairs are listed by their low half. */
static void collect(struct allocator *a)
{
    struct mir_func *func = a->func;
    for (uint32_t v = 0; v < func->vregs.count; v++) {
        uint32_t length = total_length(&a->live->ranges[v]);
        const struct mir_vreg *vreg = &func->vregs.at[v];
        float weight = a->weight[v];
        if (vreg->leader != v || vreg->role == MIR_HIGH)
            continue;
        uint8_t rank = vreg->fixed >= 0 ? 2 : vreg->is_temporary;
        if (vreg->role == MIR_LOW) {
            uint32_t high = partner_of(func, v);
            length += total_length(&a->live->ranges[high]);
            weight += a->weight[high];
            rank |= func->vregs.at[high].is_temporary;
        }
        if (length)
            *cy_vec_push(&a->groups) = (struct group){v, weight / (float)length, rank};
    }
    if (a->groups.count)
        qsort(a->groups.at, a->groups.count, sizeof(*a->groups.at), by_density);
}

static void take_place(struct allocator *a, uint32_t leader, unsigned place)
{
    struct mir_vreg *vreg = &a->func->vregs.at[leader];
    occupy(a, place, &a->live->ranges[leader]);
    vreg->physical = (int16_t)(vreg->class == MIR_V ? place - S_COUNT : place);
}

static bool give_place(struct allocator *a, uint32_t leader, unsigned place)
{
    struct mir_func *func = a->func;
    if (!is_free(a->busy[place], &a->live->ranges[leader]))
        return false;
    if (func->vregs.at[leader].role == MIR_LOW) {
        uint32_t high = partner_of(func, leader);
        if (place & 1 || !is_free(a->busy[place + 1], &a->live->ranges[high]))
            return false;
        take_place(a, high, place + 1);
    }
    take_place(a, leader, place);
    return true;
}

static unsigned limit(unsigned most, unsigned count)
{
    return most && most < count ? most : count;
}

/* ---- registers side by side ---- */

static uint32_t member(const struct allocator *a, const struct mir_run *run, unsigned i)
{
    return mir_index(mir_leader(a->func, a->func->blocks.at[run->block].insns.at[run->at[i]].operand[0]));
}

static unsigned place_of_leader(const struct allocator *a, uint32_t leader)
{
    const struct mir_vreg *vreg = &a->func->vregs.at[leader];
    return (unsigned)vreg->physical + (vreg->class == MIR_V ? S_COUNT : 0);
}

/* Can this register of a run be at `place`, where `before` and `after` are those next to it?  Half of a pair takes the other
 * half along. */
static bool may_be_at(const struct allocator *a, uint32_t leader, unsigned place, uint32_t before, uint32_t after)
{
    const struct mir_vreg *vreg = &a->func->vregs.at[leader];
    if (vreg->physical >= 0)
        return place_of_leader(a, leader) == place;
    if (vreg->fixed >= 0 || vreg->is_temporary || a->spilled[leader] ||
        !is_free(a->busy[place], &a->live->ranges[leader]))
        return false;
    if (vreg->role == MIR_WHOLE)
        return true;
    uint32_t other = partner_of(a->func, leader), neighbour = vreg->role == MIR_LOW ? after : before;
    if ((place & 1) != (vreg->role == MIR_HIGH) || (neighbour != NONE && neighbour != other))
        return false;
    return neighbour == other || is_free(a->busy[place ^ 1], &a->live->ranges[other]);
}

/* Gives all registers of a run places, one after the other, or none. */
static bool give_run(struct allocator *a, const struct mir_run *run)
{
    bool is_vector = a->func->vregs.at[member(a, run, 0)].class == MIR_V;
    unsigned most = is_vector ? S_COUNT + limit(a->func->most_vgprs, V_COUNT) : limit(a->func->most_sgprs, S_COUNT);
    /* half a pair more on either side */
    for (unsigned first = is_vector ? S_COUNT : FIRST_FREE_X + 1; first + run->count < most; first++) {
        bool fits = true;
        for (unsigned i = 0; i < run->count && fits; i++) {
            const uint32_t before = i ? member(a, run, i - 1) : NONE, here = member(a, run, i);
            const uint32_t after = i + 1 < run->count ? member(a, run, i + 1) : NONE;
            fits = may_be_at(a, here, first + i, before, after);
        }
        for (unsigned i = 0; i < run->count && fits; i++) {
            uint32_t leader = member(a, run, i);
            const struct mir_vreg *vreg = &a->func->vregs.at[leader];
            if (vreg->physical >= 0)
                continue;
            take_place(a, leader, first + i);
            if (vreg->role != MIR_WHOLE && a->func->vregs.at[partner_of(a->func, leader)].physical < 0)
                take_place(a, partner_of(a->func, leader), (first + i) ^ 1);
        }
        if (fits)
            return true;
    }
    return false;
}

/* The runs in which a register was found first; of a pair, also those of its other half. */
static void find_runs(struct allocator *a)
{
    mir_find_runs(a->func, &a->runs);
    a->run_of = cy_xrealloc(NULL, (a->func->vregs.count + 1) * sizeof(*a->run_of));
    memset(a->run_of, 0, (a->func->vregs.count + 1) * sizeof(*a->run_of));
    for (uint32_t r = 0; r < a->runs.count; r++)
        for (unsigned i = 0; i < a->runs.at[r].count; i++) {
            uint32_t leader = member(a, &a->runs.at[r], i);
            if (!a->run_of[leader])
                a->run_of[leader] = r + 1;
        }
}

static void try_run(struct allocator *a, uint32_t leader)
{
    if (!a->run_of[leader] && a->func->vregs.at[leader].role == MIR_LOW)
        leader = partner_of(a->func, leader);
    bool is_choosy = a->func->vregs.at[leader].class == MIR_S && (a->func->is_function || a->func->has_calls);
    if (a->run_of[leader] && !is_choosy)
        give_run(a, &a->runs.at[a->run_of[leader] - 1]);
}

/* The first free register.  In functions with calls, s0-s11 come late among the scalars that need no prefix: they
 * survive calls, but a function has to save them. */
static bool give_any(struct allocator *a, uint32_t leader)
{
    bool is_vector = a->func->vregs.at[leader].class == MIR_V;
    bool is_choosy = !is_vector && (a->func->is_function || a->func->has_calls);
    unsigned most = is_vector ? S_COUNT + limit(a->func->most_vgprs, V_COUNT) : limit(a->func->most_sgprs, S_COUNT);
    if (a->func->vregs.at[leader].role == MIR_LOW)
        most--;
    for (unsigned place = is_vector ? S_COUNT : FIRST_FREE_X; is_choosy && place < 32 && place < most; place++)
        if (mir_is_caller_saved((mir_reg)place) && give_place(a, leader, place))
            return true;
    for (unsigned place = is_vector ? S_COUNT : FIRST_FREE_X; place < most; place++)
        if (give_place(a, leader, place))
            return true;
    return false;
}

static void assign(struct allocator *a)
{
    for (size_t i = 0; i < a->groups.count; i++) {
        uint32_t leader = a->groups.at[i].leader;
        if (a->func->vregs.at[leader].physical < 0)
            try_run(a, leader);
        if (a->func->vregs.at[leader].physical >= 0)
            continue;
        int fixed = fixed_place(a->func, (mir_reg)(MIR_FIRST_VREG + leader));
        bool done = fixed >= 0 ? give_place(a, leader, (unsigned)fixed)
                               : a->hint[leader] >= FIRST_FREE_X && give_place(a, leader, (unsigned)a->hint[leader]);
        done = done || (fixed < 0 && give_any(a, leader));
        if (!done) {
            a->spilled[leader] = 1;
            if (a->func->vregs.at[leader].role == MIR_LOW)
                a->spilled[partner_of(a->func, leader)] = 1;
            a->failed++;
        }
    }
}

static void count_register(struct mir_func *func, mir_reg place)
{
    unsigned *most = place >= MIR_V0 ? &func->vgprs : &func->sgprs,
             number = (unsigned)(place >= MIR_V0 ? place - MIR_V0 : place);
    if (number >= *most)
        *most = number + 1;
}

static void count_asm(struct mir_func *func)
{
    for (size_t i = 0; func->has_asm && i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (size_t k = 0; k < block->insns.count; k++)
            for (mir_reg place = 0; block->insns.at[k].op == MIR_ASM && place < MIR_FIRST_VREG; place++)
                if (mir_asm_has(mir_asm(func, &block->insns.at[k])->clobbers, place) ||
                    mir_asm_has(mir_asm(func, &block->insns.at[k])->reserved, place))
                    count_register(func, place);
    }
}

static void set_all(struct allocator *a)
{
    struct mir_func *func = a->func;
    func->vgprs = func->sgprs = 0;
    count_asm(func);
    for (uint32_t v = 0; v < func->vregs.count; v++) {
        mir_reg leader = mir_leader(func, (mir_reg)(MIR_FIRST_VREG + v));
        struct mir_vreg *vreg = &func->vregs.at[v];
        vreg->physical = func->vregs.at[mir_index(leader)].physical;
        if (vreg->physical >= 0)
            count_register(func, (vreg->class == MIR_V ? MIR_V0 : 0) + vreg->physical);
    }
}

void mir_start_round(struct mir_func *func, struct mir_allocation *allocation)
{
    unsigned rounds = allocation->rounds + 1;
    mir_allocation_free(allocation);
    allocation->rounds = rounds;
    for (uint32_t v = 0; v < func->vregs.count; v++) {
        struct mir_vreg *vreg = &func->vregs.at[v];
        vreg->leader = v;
        vreg->physical = -1;
        vreg->role = vreg->half;
        vreg->partner = vreg->half == MIR_LOW ? v + 1 : vreg->half == MIR_HIGH ? v - 1 : NONE;
    }
    mir_find_live(func, &allocation->live);
}

const char *mir_assign(struct mir_func *func, struct mir_allocation *allocation)
{
    struct allocator a = {.func = func, .live = &allocation->live};
    const char *error = allocation->rounds > MAX_ROUNDS ? "spilling does not terminate" : NULL;
    size_t count = func->vregs.count;
    a.words = a.live->positions * 2 / 64 + 1;
    a.weight = cy_xrealloc(NULL, (count + 1) * sizeof(*a.weight));
    a.hint = cy_xrealloc(NULL, (count + 1) * sizeof(*a.hint));
    a.spilled = cy_xrealloc(NULL, count + 1);
    memset(a.spilled, 0, count + 1);
    for (size_t v = 0; v < count; v++) {
        a.weight[v] = 0;
        a.hint[v] = -1;
    }
    weigh(&a);
    collect(&a);
    occupy_calls(&a);
    occupy_asms(&a);
    find_runs(&a);
    assign(&a);
    for (size_t v = 0; v < count; v++)
        if (a.spilled[v] && func->vregs.at[v].is_temporary)
            error = "an instruction needs more registers than there are";
    if (!a.failed)
        set_all(&a);
    allocation->spilled = a.spilled;
    allocation->failed = a.failed;
    for (size_t i = 0; i < S_COUNT + V_COUNT; i++)
        cy_free(a.busy[i]);
    cy_free(a.weight);
    cy_free(a.hint);
    cy_vec_free(&a.groups);
    cy_vec_free(&a.runs);
    cy_free(a.run_of);
    return error;
}

void mir_allocation_free(struct mir_allocation *allocation)
{
    if (allocation->live.ranges)
        mir_live_free(&allocation->live);
    cy_free(allocation->spilled);
    *allocation = (struct mir_allocation){0};
}
