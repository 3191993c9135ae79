/* Wide moves: loads or stores of consecutive words become one access of two to four words, where the machine has these.
 *
 * An access moves consecutive words to or from consecutive registers.  Before allocation a run is only a wish: the allocator
 * puts its registers side by side if it can.  What ended up side by side is merged after allocation, so a wish that was not
 * granted costs nothing, and neither spilling nor coalescing needs to know of wide accesses.
 *
 * Loads move up to the first of their run and stores down to the last, across instructions that touch neither their
 * registers nor memory; a load may also pass other loads. */
#include "cc/codegen/mir.h"

#include <string.h>

enum { WINDOW = 24 }; /* instructions that a run may span: what it costs to search for one is bounded */

/* How registers are told apart: by group before allocation, by place after it. */
static uint32_t name_of(struct mir_func *func, mir_reg reg, bool is_allocated)
{
    if (!is_allocated)
        return (uint32_t)mir_leader(func, reg);
    return mir_location(func, reg) + (mir_class_of(func, reg) == MIR_V ? CY_SGPRS : 0);
}

static bool is_store(const struct mir_insn *insn)
{
    return cy_insns[insn->op].flags & CY_F_STORE;
}

/* An access of one word that can be part of a run. */
static bool is_move(const struct mir_func *func, const struct mir_insn *insn)
{
    const struct cc_target *t = func->target;
    const struct cc_memory_rows *const all[] = {&t->scalar, &t->lanes, &t->private, &t->wide_scalar, &t->wide_lanes};
    if (insn->op >= CY_OP_COUNT || insn->words > 1 || insn->is_volatile || !mir_is_virtual(insn->operand[0]))
        return false;
    for (size_t i = 0; i < CY_COUNT(all); i++)
        if ((insn->op == all[i]->load[2][0] || insn->op == all[i]->store[2]) && insn->prefix == all[i]->prefix)
            return true;
    return false;
}

/* What a run's accesses have in common, and the instructions between them. */
struct search {
    struct mir_func *func;
    bool is_allocated;
    const struct mir_block *block;
    struct mir_run run;
    uint32_t reads[WINDOW * MIR_MAX_OPERANDS], writes[WINDOW * MIR_MAX_OPERANDS]; /* by what is between them */
    unsigned read_count, write_count;
};

static bool has(const uint32_t *names, unsigned count, uint32_t name)
{
    for (unsigned i = 0; i < count; i++)
        if (names[i] == name)
            return true;
    return false;
}

static uint32_t name_at(const struct search *s, const struct mir_insn *insn, unsigned operand)
{
    return name_of(s->func, insn->operand[operand], s->is_allocated);
}

/* May accesses move across this instruction? */
static bool is_transparent(const struct mir_insn *insn, bool for_store)
{
    if (insn->op >= CY_OP_COUNT)
        return insn->op == MIR_COPY || insn->op == MIR_LI || insn->op == MIR_LA || insn->op == MIR_LABEL ||
               insn->op == MIR_FRAME;
    switch ((enum cy_sched)cy_insns[insn->op].sched) {
    case CY_SCHED_salu:
    case CY_SCHED_smul:
    case CY_SCHED_sdiv:
    case CY_SCHED_sfpu:
    case CY_SCHED_sfdiv:
    case CY_SCHED_valu:
    case CY_SCHED_vmul:
    case CY_SCHED_vdiv:
    case CY_SCHED_vfpu:
    case CY_SCHED_vfdiv:
    case CY_SCHED_vsfu: return true;
    case CY_SCHED_slsu:
    case CY_SCHED_lsu: return !for_store && !is_store(insn) && !insn->is_volatile;
    default: return false;
    }
}

static void see(struct search *s, const struct mir_insn *insn)
{
    enum mir_role roles[MIR_MAX_OPERANDS];
    for (unsigned o = mir_roles(insn, roles); o-- > 0;) {
        if (roles[o] == MIR_USE || roles[o] == MIR_DEF_USE)
            s->reads[s->read_count++] = name_at(s, insn, o);
        if (roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE)
            s->writes[s->write_count++] = name_at(s, insn, o);
    }
}

static void forget_write(struct search *s, uint32_t name)
{
    for (unsigned i = 0; i < s->write_count;)
        if (s->writes[i] == name)
            s->writes[i] = s->writes[--s->write_count];
        else
            i++;
}

/* Variables in private and local memory are aligned: an access that begins in one and ends in the next keeps both from being
 * moved whole. */
static bool is_crossing(const struct mir_insn *first, const struct mir_insn *insn)
{
    return !first->wide && !(insn->operand[1] & (4 * MIR_MOST_WORDS - 1));
}

/* Does `insn` continue the run, and can it be executed together with the rest? */
static bool continues(const struct search *s, const struct mir_insn *insn)
{
    const struct mir_insn *first = &s->block->insns.at[s->run.at[0]];
    if (s->run.count == MIR_MOST_WORDS || insn->op != first->op || insn->prefix != first->prefix ||
        !is_move(s->func, insn) || insn->operand[1] != first->operand[1] + 4 * (int32_t)s->run.count ||
        is_crossing(first, insn))
        return false;
    const unsigned bases = insn->wide ? 2 : 1;
    const uint32_t data = name_at(s, insn, 0);
    for (unsigned b = 2; b < 2 + bases; b++) {
        const uint32_t base = name_at(s, insn, b), same = name_at(s, first, b);
        if (base != same || has(s->writes, s->write_count, same))
            return false;
    }
    for (uint32_t i = 0; i < s->run.count; i++) {
        const struct mir_insn *before = &s->block->insns.at[s->run.at[i]];
        const uint32_t other = name_at(s, before, 0);
        if (s->is_allocated ? data != other + s->run.count - i : data == other)
            return false;
        if (is_store(insn) && has(s->writes, s->write_count, other))
            return false;
        for (unsigned b = 2; b < 2 + bases && !is_store(insn); b++)
            if (other == name_at(s, first, b)) /* it overwrites the address */
                return false;
    }
    return is_store(insn) || (!has(s->reads, s->read_count, data) && !has(s->writes, s->write_count, data));
}

/* The longest run that starts at `from`. */
static void find_run(struct search *s, const uint8_t *is_taken, uint32_t from)
{
    const bool for_store = is_store(&s->block->insns.at[from]);
    s->run.count = 1;
    s->run.at[0] = from;
    s->read_count = s->write_count = 0;
    for (uint32_t k = from + 1, seen = 0; k < s->block->insns.count && seen < WINDOW; k++) {
        const struct mir_insn *insn = &s->block->insns.at[k];
        if (insn->op == MIR_DEBUG)
            continue;
        seen++;
        if (!is_taken[k] && continues(s, insn)) {
            s->run.at[s->run.count++] = k;
            forget_write(s, name_at(s, insn, 0)); /* a store's datum: what wrote it so far came before */
        } else if (is_transparent(insn, for_store))
            see(s, insn);
        else
            break;
    }
}

static void each_run(struct mir_func *func, bool is_allocated, uint32_t b,
                     void (*found)(struct mir_block *, const struct mir_run *, void *), void *context)
{
    struct mir_block *block = &func->blocks.at[b];
    struct search s = {.func = func, .is_allocated = is_allocated, .block = block};
    uint8_t *is_taken = cy_xrealloc(NULL, block->insns.count + 1);
    memset(is_taken, 0, block->insns.count + 1);
    for (uint32_t k = 0; k < block->insns.count; k++) {
        if (is_taken[k] || !is_move(func, &block->insns.at[k]))
            continue;
        find_run(&s, is_taken, k);
        for (uint32_t i = 0; i < s.run.count; i++)
            is_taken[s.run.at[i]] = 1;
        s.run.block = b;
        if (s.run.count > 1)
            found(block, &s.run, context);
    }
    cy_free(is_taken);
}

static void keep_run(struct mir_block *block, const struct mir_run *run, void *context)
{
    struct mir_runs *runs = context;
    (void)block;
    *cy_vec_push(runs) = *run;
}

void mir_find_runs(struct mir_func *func, struct mir_runs *runs)
{
    runs->count = 0;
    for (size_t i = 0; func->has_wide_moves && i < func->order.count; i++)
        each_run(func, false, func->order.at[i], keep_run, runs);
}

/* The accesses after the first become debug values of nothing, to be dropped by the caller: positions stay valid. */
static void merge(struct mir_block *block, const struct mir_run *run, void *context)
{
    const uint32_t at = is_store(&block->insns.at[run->at[0]]) ? run->at[run->count - 1] : run->at[0];
    struct mir_insn wide = block->insns.at[run->at[0]];
    uint8_t *is_gone = context;
    const unsigned more = run->count - 1;
    wide.words = (uint8_t)run->count;
    memmove(wide.operand + 1 + more, wide.operand + 1, (wide.operand_count - 1u) * sizeof(*wide.operand));
    wide.operand_count = (uint8_t)(wide.operand_count + more);
    for (uint32_t i = 0; i < run->count; i++) {
        wide.operand[i] = block->insns.at[run->at[i]].operand[0];
        is_gone[run->at[i]] = run->at[i] != at;
    }
    block->insns.at[at] = wide;
}

void mir_merge_moves(struct mir_func *func)
{
    for (size_t i = 0; func->has_wide_moves && i < func->order.count; i++) {
        struct mir_block *block = &func->blocks.at[func->order.at[i]];
        uint8_t *is_gone = cy_xrealloc(NULL, block->insns.count + 1);
        size_t kept = 0;
        memset(is_gone, 0, block->insns.count + 1);
        each_run(func, true, func->order.at[i], merge, is_gone);
        for (size_t k = 0; k < block->insns.count; k++)
            if (!is_gone[k])
                block->insns.at[kept++] = block->insns.at[k];
        block->insns.count = kept;
        cy_free(is_gone);
    }
}
