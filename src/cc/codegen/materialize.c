/* Values materialised where they are needed: constants, addresses, and splats of scalars.  Selection records their
 * users; at the end each value gets its place. */
#include "cc/codegen/isel_priv.h"

#include <string.h>

static uint32_t nearest_dominator(const struct ir_func *ir, uint32_t a, uint32_t b)
{
    while (a != b) {
        if (ir->blocks.at[a].order > ir->blocks.at[b].order)
            a = ir->blocks.at[a].idom;
        else
            b = ir->blocks.at[b].idom;
    }
    return a;
}

static size_t materialized_slot(const struct isel *s, enum isel_made_kind kind, int32_t a, int32_t b)
{
    uint64_t hash =
        ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) * 0x9e3779b97f4a7c15u + (uint64_t)kind * 0xbf58476d1ce4e5b9u;
    size_t at = (size_t)(hash >> 32) & (s->materialized_size - 1);
    while (s->materialized_map[at]) {
        const struct materialized *made = &s->materialized.at[s->materialized_map[at] - 1];
        if (made->kind == kind && made->a == a && made->b == b)
            break;
        at = (at + 1) & (s->materialized_size - 1);
    }
    return at;
}

static void grow_made(struct isel *s)
{
    if (s->materialized_size > 2 * (s->materialized.count + 1))
        return;
    s->materialized_size = s->materialized_size ? 2 * s->materialized_size : 64;
    s->materialized_map = cy_xrealloc(s->materialized_map, s->materialized_size * sizeof(*s->materialized_map));
    memset(s->materialized_map, 0, s->materialized_size * sizeof(*s->materialized_map));
    for (size_t i = 0; i < s->materialized.count; i++)
        s->materialized_map[materialized_slot(s, s->materialized.at[i].kind, s->materialized.at[i].a,
                                              s->materialized.at[i].b)] = (uint32_t)i + 1;
}

mir_reg isel_make(struct isel *s, enum isel_made_kind kind, int32_t a, int32_t b, uint32_t block)
{
    grow_made(s);
    size_t slot = materialized_slot(s, kind, a, b);
    if (!s->materialized_map[slot]) {
        mir_reg reg = mir_new_reg(s->mir, kind >= MATERIALIZE_SPLAT ? MIR_V : MIR_S);
        *cy_vec_push(&s->materialized) = (struct materialized){.kind = (uint8_t)kind,
                                                               .a = a,
                                                               .b = b,
                                                               .reg = reg,
                                                               .place = block,
                                                               .line = mir_wants_debug(s->mir) ? 0 : s->line};
        s->materialized_map[slot] = (uint32_t)s->materialized.count;
    }
    struct materialized *made = &s->materialized.at[s->materialized_map[slot] - 1];
    made->place = nearest_dominator(s->ir, made->place, block);
    return made->reg;
}

mir_reg isel_const(struct isel *s, int32_t constant)
{
    return constant ? isel_make(s, MATERIALIZE_CONST, constant, 0, s->block) : MIR_X0;
}

mir_reg isel_splat_const(struct isel *s, int32_t constant)
{
    return isel_make(s, MATERIALIZE_SPLAT_CONST, constant, 0, s->block);
}

mir_reg isel_label(struct isel *s, uint32_t block)
{
    return isel_make(s, MATERIALIZE_LABEL, (int32_t)block, 0, s->block);
}

/* ---- placement ---- */

static const struct ir_insn *materialized_source(const struct isel *s, const struct materialized *made)
{
    return made->kind == MATERIALIZE_SPLAT ? isel_at(s, (ir_value)made->a) : NULL;
}

/* Hoists it out of all loops that do not contain its operand. */
static void hoist(struct isel *s, struct materialized *made)
{
    const struct ir_insn *source = materialized_source(s, made);
    for (;;) {
        uint32_t header = s->ir->blocks.at[made->place].loop_header;
        if (header == NONE || (source && source->op != IR_SYMBOL && ir_in_loop(s->ir, source->block, header)))
            return;
        made->place = s->ir->blocks.at[header].idom;
        if (made->place == NONE) { /* the entry is in a loop */
            made->place = 0;
            return;
        }
    }
}

/* The scalar that a splat reads. */
static mir_reg splat_source(struct isel *s, const struct materialized *made, uint32_t block)
{
    if (made->kind == MATERIALIZE_SPLAT_CONST)
        return made->a ? isel_make(s, MATERIALIZE_CONST, made->a, 0, block) : MIR_X0;
    const struct ir_insn *insn = isel_at(s, (ir_value)made->a);
    if (insn->op == IR_SYMBOL)
        return isel_make(s, MATERIALIZE_SYMBOL, insn->imm, insn->extra, block);
    return isel_own(s, (ir_value)made->a);
}

static bool is_short_splat(const struct materialized *made)
{
    return made->kind == MATERIALIZE_SPLAT_CONST && made->a >= -1024 && made->a < 1024;
}

struct placing {
    struct isel *s;
    uint32_t *made_of; /* by vreg: index + 1 */
    uint32_t block;
    struct mir_block *out; /* the machine block that receives definitions */
};

static void place(struct placing *p, uint32_t index);

static void place_before_use(struct placing *p, mir_reg reg)
{
    if (mir_is_virtual(reg) && p->made_of[mir_index(reg)])
        place(p, p->made_of[mir_index(reg)] - 1);
}

static void place(struct placing *p, uint32_t index)
{
    struct materialized *made = &p->s->materialized.at[index];
    if (made->is_placed || made->place != p->block)
        return;
    made->is_placed = true;
    struct mir_insn insn;
    if (made->kind == MATERIALIZE_CONST) {
        insn = mir_make(MIR_LI, 2, (int32_t[]){made->reg, made->a});
    } else if (made->kind == MATERIALIZE_SYMBOL) {
        insn = mir_make(MIR_LA, 3, (int32_t[]){made->reg, made->a, made->b});
    } else if (made->kind == MATERIALIZE_LABEL) {
        insn = mir_make(MIR_LABEL, 2, (int32_t[]){made->reg, made->a});
    } else if (is_short_splat(made)) {
        insn = mir_make(CY_OP_vmv_v_i, 2, (int32_t[]){made->reg, made->a});
    } else {
        mir_reg source = splat_source(p->s, made, made->place);
        place_before_use(p, source);
        insn = mir_make(MIR_COPY, 2, (int32_t[]){made->reg, source});
    }
    insn.line = made->line;
    *cy_vec_push(&p->out->insns) = insn;
}

/* Inserts the definitions that belong to an IR block into its machine blocks: before their first use, or at the end.
 * Uses inside an internal loop (compare-and-swap) get their definition before the loop. */
static void place_in_block(struct placing *p, const uint32_t *wanted, size_t wanted_count)
{
    struct isel *s = p->s;
    struct mir_block *straight = NULL;
    for (uint32_t piece = s->head[p->block]; piece != NONE; piece = s->next_piece[piece]) {
        struct mir_block *block = &s->mir->blocks.at[piece];
        bool is_loop = block->kind == MIR_VBRANCH && s->next_piece[piece] != NONE;
        struct mir_block old = *block;
        memset(&block->insns, 0, sizeof(block->insns));
        if (!is_loop)
            straight = block;
        p->out = straight;
        for (size_t i = 0; i < old.insns.count; i++) {
            enum mir_role roles[MIR_MAX_OPERANDS];
            unsigned count = mir_roles(&old.insns.at[i], roles);
            for (unsigned k = 0; k < count; k++)
                if (roles[k] == MIR_USE || roles[k] == MIR_DEF_USE)
                    place_before_use(p, old.insns.at[i].operand[k]);
            *cy_vec_push(&block->insns) = old.insns.at[i];
        }
        if (old.kind == MIR_BRANCH || old.kind == MIR_VBRANCH) {
            place_before_use(p, old.a);
            place_before_use(p, old.b);
        }
        cy_vec_free(&old.insns);
    }
    for (size_t i = 0; i < wanted_count; i++)
        place(p, wanted[i]);
}

void isel_place_made(struct isel *s)
{
    struct placing p = {.s = s};
    size_t blocks = s->ir->blocks.count, first = s->materialized.count;
    for (size_t i = 0; i < first; i++) { /* splats first: they request scalars */
        struct materialized *made = &s->materialized.at[i];
        if (made->kind < MATERIALIZE_SPLAT)
            continue;
        hoist(s, made);
        uint32_t at = made->place;
        if (!is_short_splat(made))
            splat_source(s, made, at); /* may move s->materialized */
    }
    uint32_t *count = cy_xrealloc(NULL, (blocks + 1) * sizeof(*count)),
             *list = cy_xrealloc(NULL, (s->materialized.count + 1) * sizeof(*list));
    memset(count, 0, (blocks + 1) * sizeof(*count));
    p.made_of = cy_xrealloc(NULL, (s->mir->vregs.count + 1) * sizeof(*p.made_of));
    memset(p.made_of, 0, (s->mir->vregs.count + 1) * sizeof(*p.made_of));
    for (size_t i = 0; i < s->materialized.count; i++) {
        if (s->materialized.at[i].kind < MATERIALIZE_SPLAT)
            hoist(s, &s->materialized.at[i]);
        p.made_of[mir_index(s->materialized.at[i].reg)] = (uint32_t)i + 1;
        count[s->materialized.at[i].place + 1]++;
    }
    for (size_t b = 0; b < blocks; b++)
        count[b + 1] += count[b];
    for (size_t i = s->materialized.count; i-- > 0;) /* now count[b + 1] is the end of b's part of the list */
        list[--count[s->materialized.at[i].place + 1]] = (uint32_t)i;
    for (size_t b = 0; b < blocks; b++) { /* ... and its start */
        size_t start = count[b + 1], end = b + 1 < blocks ? count[b + 2] : s->materialized.count;
        if (start < end) {
            p.block = (uint32_t)b;
            place_in_block(&p, list + start, end - start);
        }
    }
    cy_free(count);
    cy_free(list);
    cy_free(p.made_of);
}
