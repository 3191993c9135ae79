/* Spilling.  A register that was not allocated lives elsewhere and is in a register only around the instructions that
 * use it:
 *
 *     constants and addresses   are rematerialised
 *     scalars                   live in a vGPR: every lane has a copy, so divergence cannot clobber it
 *     vectors                   live in a spill slot in private memory */
#include "cc/codegen/mir.h"

#include <string.h>

/* Where the registers of one coalesced group live. */
struct home {
    bool is_made; /* by rematerialising this instruction */
    struct mir_insn made;
    mir_reg vector; /* scalars */
    uint32_t slot;  /* vectors */
};

struct spiller {
    struct mir_func *func;
    const uint8_t *spilled; /* by leader vreg */
    uint32_t *home_of;      /* by leader: index + 1 */
    CY_VEC(struct home) homes;
    size_t vreg_count; /* before spilling added more */
    CY_VEC(struct mir_insn) out;
};

static bool can_be_made_again(const struct mir_insn *insn)
{
    return insn->op == MIR_LI || insn->op == MIR_LA || insn->op == MIR_LABEL || insn->op == MIR_FRAME ||
           insn->op == CY_OP_vmv_v_i;
}

static struct home *home_of(struct spiller *s, mir_reg reg)
{
    if (!mir_is_virtual(reg) || mir_index(reg) >= s->vreg_count)
        return NULL;
    uint32_t leader = mir_index(mir_leader(s->func, reg));
    return s->home_of[leader] ? &s->homes.at[s->home_of[leader] - 1] : NULL;
}

/* Groups with a single definition that can be rematerialised need no home. */
static void find_homes(struct spiller *s)
{
    struct mir_func *func = s->func;
    const struct mir_insn **definition = cy_xrealloc(NULL, (s->vreg_count + 1) * sizeof(*definition));
    uint32_t *definitions = cy_xrealloc(NULL, (s->vreg_count + 1) * sizeof(*definitions));
    memset(definitions, 0, (s->vreg_count + 1) * sizeof(*definitions));
    for (size_t i = 0; i < func->order.count; i++) {
        const struct mir_block *block = &func->blocks.at[func->order.at[i]];
        for (size_t k = 0; k < block->insns.count; k++) {
            enum mir_role roles[CY_MAX_OPERANDS];
            const struct mir_insn *insn = &block->insns.at[k];
            for (unsigned o = mir_roles(insn, roles); o-- > 0;)
                if ((roles[o] == MIR_DEF || roles[o] == MIR_DEF_USE) && mir_is_virtual(insn->operand[o])) {
                    uint32_t leader = mir_index(mir_leader(func, insn->operand[o]));
                    definitions[leader]++;
                    definition[leader] = insn;
                }
        }
    }
    for (uint32_t v = 0; v < s->vreg_count; v++) {
        if (!s->spilled[v])
            continue;
        struct home home = {0};
        if (definitions[v] == 1 && can_be_made_again(definition[v])) {
            home.is_made = true;
            home.made = *definition[v];
        } else if (func->vregs.at[v].class == MIR_S) {
            home.vector = mir_new_reg(func, MIR_V);
            func->spills++;
        } else {
            home.slot = func->spill_slots++;
            func->spills++;
        }
        *cy_vec_push(&s->homes) = home;
        s->home_of[v] = (uint32_t)s->homes.count;
    }
    cy_free(definition);
    cy_free(definitions);
}

static mir_reg temporary(struct spiller *s, enum mir_class class)
{
    mir_reg reg = mir_new_reg(s->func, class);
    s->func->vregs.at[mir_index(reg)].is_temporary = true;
    return reg;
}

static mir_reg slot_base(const struct spiller *s, uint32_t slot)
{
    return s->func->spill_bases.at[slot / MIR_SLOTS_PER_BASE];
}

static void put(struct spiller *s, uint32_t line, unsigned op, unsigned count, const int32_t *operands)
{
    struct mir_insn insn = mir_make(op, count, operands);
    insn.line = line;
    *cy_vec_push(&s->out) = insn;
}

/* A register that holds the group's value at this point. */
static mir_reg fetch(struct spiller *s, const struct home *home, enum mir_class class, uint32_t line)
{
    struct home copy = *home;
    mir_reg reg = temporary(s, class);
    if (copy.is_made) {
        copy.made.operand[0] = reg;
        copy.made.line = line;
        *cy_vec_push(&s->out) = copy.made;
    } else if (class == MIR_S) {
        put(s, line, MIR_COPY, 2, (int32_t[]){reg, copy.vector});
    } else {
        put(s, line, MIR_RELOAD, 3, (int32_t[]){reg, (int32_t)copy.slot, slot_base(s, copy.slot)});
    }
    return reg;
}

/* A copy from or to a scalar's home is one instruction, and so is one of a rematerialised value.  False: done. */
static bool rewrite_copy(struct spiller *s, struct mir_insn *insn)
{
    mir_reg d = insn->operand[0];
    const struct home *source = home_of(s, insn->operand[1]);
    if (source && source->is_made && !home_of(s, d) &&
        mir_class_of(s->func, d) == mir_class_of(s->func, insn->operand[1])) {
        struct mir_insn made = source->made;
        made.operand[0] = d;
        *cy_vec_push(&s->out) = made;
        return false;
    }
    for (unsigned o = 0; o < 2; o++) {
        const struct home *home = home_of(s, insn->operand[o]);
        if (home && !home->is_made && mir_class_of(s->func, insn->operand[o]) == MIR_S)
            insn->operand[o] = home->vector;
    }
    return true;
}

static void rewrite_insn(struct spiller *s, struct mir_insn insn)
{
    enum mir_role roles[CY_MAX_OPERANDS];
    unsigned count = mir_roles(&insn, roles);
    mir_reg from[CY_MAX_OPERANDS], to[CY_MAX_OPERANDS], written = 0, store = 0;
    unsigned fetched = 0;
    if (insn.op == MIR_COPY && !rewrite_copy(s, &insn))
        return;
    for (unsigned o = 0; o < count; o++) {
        const struct home *home = roles[o] == MIR_IMM ? NULL : home_of(s, insn.operand[o]);
        mir_reg leader = home ? mir_leader(s->func, insn.operand[o]) : 0;
        enum mir_class class = home ? mir_class_of(s->func, insn.operand[o]) : MIR_S;
        if (!home)
            continue;
        if (home->is_made && roles[o] == MIR_DEF)
            return; /* rematerialised at its uses */
        unsigned k = 0;
        while (k < fetched && from[k] != leader)
            k++;
        if (roles[o] == MIR_DEF) {
            written = leader;
            insn.operand[o] = store = temporary(s, class);
            continue;
        }
        if (k == fetched) {
            from[fetched] = leader;
            to[fetched++] = fetch(s, home, class, insn.line);
        }
        insn.operand[o] = to[k];
        if (roles[o] == MIR_DEF_USE) {
            written = leader;
            store = to[k];
        }
    }
    if (insn.op == MIR_COPY && insn.operand[0] == insn.operand[1])
        return;
    *cy_vec_push(&s->out) = insn;
    if (!written)
        return;
    const struct home *home = home_of(s, written);
    if (mir_class_of(s->func, written) == MIR_S)
        put(s, insn.line, MIR_COPY, 2, (int32_t[]){home->vector, store});
    else
        put(s, insn.line, MIR_SPILL, 3, (int32_t[]){(int32_t)home->slot, store, slot_base(s, home->slot)});
}

static void rewrite_block(struct spiller *s, uint32_t b)
{
    struct mir_block *block = &s->func->blocks.at[b];
    s->out.count = 0;
    for (size_t k = 0; k < block->insns.count; k++)
        rewrite_insn(s, block->insns.at[k]);
    if (block->kind == MIR_BRANCH || block->kind == MIR_VBRANCH) {
        mir_reg *ends[2] = {&block->a, &block->b};
        for (int e = 0; e < 2; e++) {
            const struct home *home = home_of(s, *ends[e]);
            if (home)
                *ends[e] = fetch(s, home, mir_class_of(s->func, *ends[e]), block->line);
        }
    }
    block->insns.count = 0;
    for (size_t i = 0; i < s->out.count; i++)
        *cy_vec_push(&block->insns) = s->out.at[i];
}

/* Sets the address registers of the spill slots at the entry. */
static void make_bases(struct spiller *s)
{
    struct mir_func *func = s->func;
    while (func->spill_bases.count * MIR_SLOTS_PER_BASE < func->spill_slots) {
        if (!func->spill_bases.count)
            func->spill_base = func->private_bytes;
        int32_t address =
            (int32_t)(func->spill_base + 4 * MIR_SLOTS_PER_BASE * func->spill_bases.count + MIR_SLOT_BIAS);
        mir_reg scalar = temporary(s, MIR_S), vector = temporary(s, MIR_V);
        unsigned make = func->is_function ? MIR_FRAME : MIR_LI; /* a kernel's private memory starts at 0 */
        struct mir_insn insns[2] = {mir_make(make, 2, (int32_t[]){scalar, address}),
                                    mir_make(MIR_COPY, 2, (int32_t[]){vector, scalar})};
        struct mir_block *entry = &func->blocks.at[0];
        mir_insert(entry, entry->insns.count, insns, 2);
        *cy_vec_push(&func->spill_bases) = vector;
    }
    func->private_bytes = func->spill_bases.count ? func->spill_base + 4 * func->spill_slots : func->private_bytes;
}

void mir_spill(struct mir_func *func, const uint8_t *spilled)
{
    struct spiller s = {.func = func, .spilled = spilled, .vreg_count = func->vregs.count};
    s.home_of = cy_xrealloc(NULL, (s.vreg_count + 1) * sizeof(*s.home_of));
    memset(s.home_of, 0, (s.vreg_count + 1) * sizeof(*s.home_of));
    find_homes(&s);
    make_bases(&s);
    for (size_t i = 0; i < func->order.count; i++)
        rewrite_block(&s, func->order.at[i]);
    cy_free(s.home_of);
    cy_vec_free(&s.homes);
    cy_vec_free(&s.out);
}
