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
    bool is_after_asm;
    CY_VEC(mir_reg) asm_from, asm_to; /* inputs of the assembly at hand: an output tied to one has the same register */
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
            enum mir_role roles[MIR_MAX_OPERANDS];
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

static void put(struct spiller *s, ir_location line, unsigned op, unsigned count, const int32_t *operands)
{
    struct mir_insn insn = mir_make(op, count, operands);
    insn.line = line;
    *cy_vec_push(&s->out) = insn;
}

/* Puts the group's value into a register at this point. */
static void fetch_into(struct spiller *s, const struct home *home, mir_reg reg, ir_location line)
{
    struct home copy = *home;
    enum mir_class class = mir_class_of(s->func, reg);
    if (copy.is_made) {
        copy.made.operand[0] = reg;
        copy.made.line = line;
        *cy_vec_push(&s->out) = copy.made;
    } else if (class == MIR_S) {
        put(s, line, MIR_COPY, 2, (int32_t[]){reg, copy.vector});
    } else {
        put(s, line, MIR_RELOAD, 3, (int32_t[]){reg, (int32_t)copy.slot, slot_base(s, copy.slot)});
    }
}

static mir_reg fetch(struct spiller *s, const struct home *home, enum mir_class class, ir_location line)
{
    mir_reg reg = temporary(s, class);
    fetch_into(s, home, reg, line);
    return reg;
}

static mir_reg temporary_pair(struct spiller *s, enum mir_class class)
{
    mir_reg low = mir_new_pair(s->func, class);
    s->func->vregs.at[mir_index(low)].is_temporary = true;
    s->func->vregs.at[mir_index(low) + 1].is_temporary = true;
    return low;
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

/* Temporaries for one operand of an instruction, which may be wide: `to` is that of the register `from`. */
struct fetched {
    mir_reg from[MIR_MAX_OPERANDS], to[MIR_MAX_OPERANDS];
    unsigned count;
};

/* The temporary that replaces operand `o`: with those of the other half, and in an odd register if it was in one. */
static mir_reg replacement(struct spiller *s, const struct mir_insn *insn, unsigned o, struct fetched *made,
                           bool *is_new)
{
    mir_reg reg = insn->operand[o], leader = mir_leader(s->func, reg);
    enum mir_class class = mir_class_of(s->func, reg);
    enum mir_half half = mir_half_of(insn, o);
    *is_new = true;
    for (unsigned k = 0; k < made->count; k++)
        if (made->from[k] == leader) {
            *is_new = false;
            return made->to[k];
        }
    for (size_t k = 0; (insn->op == MIR_ASM_DEFS || insn->op == MIR_ASM_EARLY) && k < s->asm_from.count; k++)
        if (s->asm_from.at[k] == leader)
            return s->asm_to.at[k];
    mir_reg temp;
    if (half == MIR_HIGH) /* its low half came just before */
        temp = insn->operand[o - 1] + 1;
    else if (half == MIR_LOW)
        temp = temporary_pair(s, class);
    else if (insn->wide && s->func->vregs.at[mir_index(reg)].half == MIR_HIGH)
        temp = temporary_pair(s, class) + 1;
    else
        temp = temporary(s, class);
    made->from[made->count] = leader;
    made->to[made->count++] = temp;
    if (insn->op == MIR_ASM_USES) {
        *cy_vec_push(&s->asm_from) = leader;
        *cy_vec_push(&s->asm_to) = temp;
    }
    return temp;
}

static void rewrite_insn(struct spiller *s, struct mir_insn insn)
{
    enum mir_role roles[MIR_MAX_OPERANDS];
    unsigned count = mir_roles(&insn, roles), writes = 0;
    mir_reg written[MIR_MAX_OPERANDS], stores[MIR_MAX_OPERANDS];
    struct fetched read = {0}, made = {0};
    if (insn.op == MIR_COPY && !rewrite_copy(s, &insn))
        return;
    if ((insn.op == MIR_ASM || insn.op == MIR_ASM_USES) && s->is_after_asm)
        s->asm_from.count = s->asm_to.count = 0;
    s->is_after_asm = insn.op == MIR_ASM || (s->is_after_asm && insn.op != MIR_ASM_USES);
    for (unsigned o = 0; o < count; o++) {
        const struct home *home = roles[o] == MIR_IMM ? NULL : home_of(s, insn.operand[o]);
        bool is_new;
        if (!home)
            continue;
        if (home->is_made && roles[o] == MIR_DEF)
            return; /* rematerialised at its uses */
        mir_reg leader = mir_leader(s->func, insn.operand[o]);
        mir_reg temp = replacement(s, &insn, o, roles[o] == MIR_DEF ? &made : &read, &is_new);
        insn.operand[o] = temp;
        if (roles[o] != MIR_DEF && is_new)
            fetch_into(s, home_of(s, leader), temp, insn.line);
        if (roles[o] != MIR_USE) {
            written[writes] = leader;
            stores[writes++] = temp;
        }
    }
    if (insn.op == MIR_COPY && insn.operand[0] == insn.operand[1])
        return;
    *cy_vec_push(&s->out) = insn;
    for (unsigned i = 0; i < writes; i++) {
        const struct home *home = home_of(s, written[i]);
        if (mir_class_of(s->func, written[i]) == MIR_S)
            put(s, insn.line, MIR_COPY, 2, (int32_t[]){home->vector, stores[i]});
        else
            put(s, insn.line, MIR_SPILL, 3, (int32_t[]){(int32_t)home->slot, stores[i], slot_base(s, home->slot)});
    }
}

static void rewrite_block(struct spiller *s, uint32_t b)
{
    struct mir_block *block = &s->func->blocks.at[b];
    s->out.count = s->asm_from.count = s->asm_to.count = 0;
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

/* For debug information: where a register is that was spilled by itself.  What a coalesced one's home holds changes with the
 * member that was written last, which nobody knows any longer. */
static void keep_homes(struct spiller *s)
{
    uint32_t *members = cy_xrealloc(NULL, (s->vreg_count + 1) * sizeof(*members));
    memset(members, 0, (s->vreg_count + 1) * sizeof(*members));
    for (uint32_t v = 0; v < s->vreg_count; v++)
        members[mir_index(mir_leader(s->func, (mir_reg)(MIR_FIRST_VREG + v)))]++;
    for (uint32_t v = 0; v < s->vreg_count; v++) {
        const struct home *home = s->home_of[v] ? &s->homes.at[s->home_of[v] - 1] : NULL;
        if (home && !home->is_made && members[v] == 1)
            s->func->vregs.at[v].home = home->vector ? -(int32_t)mir_index(home->vector) - 1 : (int32_t)home->slot + 1;
    }
    cy_free(members);
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
    keep_homes(&s);
    cy_free(s.home_of);
    cy_vec_free(&s.homes);
    cy_vec_free(&s.asm_from);
    cy_vec_free(&s.asm_to);
    cy_vec_free(&s.out);
}
