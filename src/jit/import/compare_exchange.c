/* Compare-exchanges, which compilers make of LR and SC:
 *
 *     1:  lr      d, (a)          64 bits:  lr      d, (a)
 *         setrpc  2f                        vxor    s, d, e
 *         vbne    d, e, 2f                  vxor    u, d + 1, e + 1
 *         sc      s, n, (a)                 vor     s, s, u
 *         vbne    s, zero, 1b               vbne    s, zero, 2f   and so on
 *     2:  join
 *
 * Every lane leaves with the word it has seen in d, and has stored n if that was e: LR becomes the operation that does all of this, and
 * lanes go on at the join together.  The code in between stays where it is, as it only computes numbers.  Not where lanes exchange values
 * or instructions are counted: lanes with the same word would try again, one after the other. */
#include "jit/import/import_priv.h"

struct pattern {
    struct piece *begin;
    const struct piece *end;
    const struct inst *load, *branch, *store, *back;
    const struct inst *parts[3]; /* 64 bits: the instructions that compare */
    unsigned part_count;
    uint32_t expected; /* register */
};

static bool is_wide(const struct inst *inst)
{
    return inst->effects.access.words == 2;
}

static int32_t register_of(const struct inst *inst, enum cy_role role)
{
    return cy_effects_operand(&inst->effects, role)->value;
}

/* The other operand of the two, if one is this register; NONE: neither is. */
static uint32_t other_of(const struct inst *inst, uint32_t number)
{
    const uint32_t a = (uint32_t)register_of(inst, CY_ROLE_A), b = (uint32_t)register_of(inst, CY_ROLE_B);
    return a == number ? b : b == number ? a : NONE;
}

static struct facts facts_before(const struct importer *im, const struct piece *piece, uint32_t stop)
{
    struct facts facts = piece->in;
    for (uint32_t at = piece->first; at != stop; at = after(im, at))
        follow_facts(im, at, &facts);
    return facts;
}

/* From LR to the branch that ends its piece. */
static bool find_branch(const struct importer *im, struct pattern *p)
{
    p->load = inst_at(im, p->begin->first);
    if (p->load->effects.access.atomic != CY_ATOMIC_RESERVE || p->begin->join == NONE ||
        p->begin->target != p->begin->join)
        return false;
    for (uint32_t at = after(im, p->begin->first); at != p->begin->last; at = after(im, at)) {
        const struct inst *inst = inst_at(im, at);
        const enum cy_op op = inst->insn.op;
        if (op == CY_OP_auipc || op == CY_OP_setrpc || op == CY_OP_addi)
            continue;
        if ((op != CY_OP_vxor_vv && op != CY_OP_vor_vv) || inst->effects.has_pairs || inst->effects.is_masked ||
            p->part_count == CY_COUNT(p->parts))
            return false;
        p->parts[p->part_count++] = inst;
    }
    p->branch = inst_at(im, p->begin->last);
    return p->branch->insn.op == CY_OP_vbne && p->begin->next != NONE;
}

static bool finds_difference(const struct inst *inst, uint32_t of, uint32_t *expected)
{
    *expected = inst->insn.op == CY_OP_vxor_vv ? other_of(inst, of) : NONE;
    return *expected != NONE;
}

/* Is the branch taken where what was loaded differs from some register? */
static bool find_expected(const struct importer *im, struct pattern *p)
{
    const uint32_t d = (uint32_t)register_of(p->load, CY_ROLE_RESULT);
    const struct facts facts = facts_before(im, p->begin, p->begin->last);
    uint32_t low, high;
    if (!is_wide(p->load)) {
        p->expected = other_of(p->branch, d);
        return !p->part_count && p->expected != NONE;
    }
    if (p->part_count != 3 || p->parts[2]->insn.op != CY_OP_vor_vv || !finds_difference(p->parts[0], d, &low) ||
        !finds_difference(p->parts[1], d + 1, &high))
        return false;
    const uint32_t first = (uint32_t)register_of(p->parts[0], CY_ROLE_RESULT),
                   second = (uint32_t)register_of(p->parts[1], CY_ROLE_RESULT);
    const uint32_t zero = other_of(p->branch, (uint32_t)register_of(p->parts[2], CY_ROLE_RESULT));
    p->expected = low;
    return !(low & 1) && high == low + 1 && first != second && other_of(p->parts[2], first) == second && zero != NONE &&
           is_zero_vgpr(&facts, (int32_t)zero);
}

/* SC, and the branch back where it has failed. */
static bool find_store(const struct importer *im, struct pattern *p)
{
    p->end = im->pieces.at[p->begin->next];
    p->store = inst_at(im, p->end->first);
    if (p->store->effects.access.atomic != CY_ATOMIC_CONDITIONAL || after(im, p->end->first) != p->end->last)
        return false;
    p->back = inst_at(im, p->end->last);
    const uint32_t zero =
        p->back->insn.op == CY_OP_vbne ? other_of(p->back, (uint32_t)register_of(p->store, CY_ROLE_RESULT)) : NONE;
    const struct facts facts = facts_before(im, p->end, p->end->last);
    return zero != NONE && is_zero_vgpr(&facts, (int32_t)zero) && is_wide(p->store) == is_wide(p->load) &&
           p->store->effects.access.is_far == p->load->effects.access.is_far &&
           p->store->effects.access.space == p->load->effects.access.space &&
           register_of(p->store, CY_ROLE_BASE) == register_of(p->load, CY_ROLE_BASE) && p->end->target != NONE &&
           im->pieces.at[p->end->target] == p->begin && p->end->next == p->begin->join &&
           p->end->join == p->begin->join;
}

/* The operands stay as they are from LR to SC, and nobody needs SC's result. */
static bool keeps_operands(const struct importer *im, const struct pattern *p)
{
    const struct piece *join = im->pieces.at[p->begin->join];
    struct cy_regs operands = p->load->effects.reads;
    cy_regs_unite(&operands, &p->store->effects.reads);
    for (unsigned i = 0; i < (is_wide(p->load) ? 2u : 1u); i++)
        cy_regs_add_v(&operands, p->expected + i);
    const struct cy_regs *loaded = &p->load->effects.writes, *result = &p->store->effects.writes;
    bool keeps = !cy_regs_meet(loaded, &operands);
    for (unsigned i = 0; i < p->part_count; i++)
        keeps &= !cy_regs_meet(&p->parts[i]->effects.writes, &operands) &&
                 !cy_regs_meet(&p->parts[i]->effects.writes, loaded);
    return keeps && !cy_regs_meet(result, loaded) && !cy_regs_meet(result, &im->live[join->block]);
}

/* Does another piece lead to SC? */
static bool is_entered(const struct importer *im, const struct pattern *p)
{
    const uint32_t block = p->end->block;
    return im->graph.pred_start[block + 1] - im->graph.pred_start[block] != 1;
}

void import_compare_exchanges(struct importer *im)
{
    if (im->request->exchanges || im->request->counts)
        return;
    for (size_t i = 0; i < im->pieces.count; i++) {
        struct pattern p = {.begin = im->pieces.at[i]};
        if (p.begin->block == NONE)
            continue;
        if (!find_branch(im, &p) || !find_expected(im, &p) || !find_store(im, &p) || !keeps_operands(im, &p) ||
            is_entered(im, &p))
            continue;
        p.begin->part = LOADS;
        p.begin->store = p.end->first;
        p.begin->expected = (uint8_t)p.expected;
    }
}
