/* Compare-exchanges, which compilers make of LR and SC:
 *
 *     1:  lr      d, (a)          64 bits:  lr      d, (a)
 *         setrpc  2f                        vxor    s, d, e
 *         vbne    d, e, 2f                  vxor    u, d + 1, e + 1
 *         sc      s, n, (a)                 vor     s, s, u
 *         vbne    s, zero, 1b               vbne    s, zero, 2f   and so on
 *     2:  join
 *
 * Where instructions are counted, LR and SC stay apart, as lanes with the same word try again.  Else every lane leaves with the word it has seen in d, and has stored n if that was e: LR does all of this, and lanes go on at the
 * join together.  The code in between stays where it is, as it only computes numbers. */
#include "jit/translate/translator.h"

struct pattern {
    const struct inst *load, *branch, *store, *back;
    const struct inst *parts[3]; /* 64 bits: the instructions that compare */
    unsigned part_count;
    unsigned expected; /* register */
};

/* The other operand of the two, if one is this register; NONE: neither is. */
static uint32_t other_of(const struct inst *inst, uint32_t number)
{
    const uint32_t a = (uint32_t)field(inst, CY_FIELD_vs1), b = (uint32_t)field(inst, CY_FIELD_vs2);
    return a == number ? b : b == number ? a : NONE;
}

static bool is_zero(const struct inst *branch, uint32_t number)
{
    return (branch->is_zero & 1 && number == (uint32_t)field(branch, CY_FIELD_vs1)) ||
           (branch->is_zero & 2 && number == (uint32_t)field(branch, CY_FIELD_vs2));
}

/* From LR to the first branch. */
static bool find_branch(struct translator *t, struct pattern *p)
{
    enum { MOST = 8 };
    const struct inst *inst = p->load;
    for (unsigned i = 0; i < MOST; i++) {
        inst = &t->insts[inst->next];
        const enum cy_op op = inst->insn.op;
        if (op == CY_OP_vbne) {
            p->branch = inst;
            return inst->target == inst->rpc && t->insts[inst->rpc].insn.op == CY_OP_join;
        }
        if (op == CY_OP_auipc || op == CY_OP_setrpc || op == CY_OP_addi)
            continue;
        if ((op != CY_OP_vxor_vv && op != CY_OP_vor_vv) || inst->pairs || p->part_count == 3 || inst->effects.is_masked)
            return false;
        p->parts[p->part_count++] = inst;
    }
    return false;
}

static bool finds_difference(const struct inst *inst, uint32_t of, uint32_t *expected)
{
    *expected = inst->insn.op == CY_OP_vxor_vv ? other_of(inst, of) : NONE;
    return *expected != NONE;
}

/* Is the branch taken where what was loaded differs from some register? */
static bool find_expected(struct pattern *p)
{
    const uint32_t d = (uint32_t)field(p->load, CY_FIELD_vd);
    uint32_t low, high;
    if (atomic_size(p->load) == 4) {
        p->expected = other_of(p->branch, d);
        return !p->part_count && p->expected != NONE;
    }
    if (p->part_count != 3 || p->parts[2]->insn.op != CY_OP_vor_vv || !finds_difference(p->parts[0], d, &low) ||
        !finds_difference(p->parts[1], d + 1, &high))
        return false;
    const uint32_t first = (uint32_t)field(p->parts[0], CY_FIELD_vd),
                   second = (uint32_t)field(p->parts[1], CY_FIELD_vd);
    const uint32_t zero = other_of(p->branch, (uint32_t)field(p->parts[2], CY_FIELD_vd));
    p->expected = low;
    return high == low + 1 && first != second && other_of(p->parts[2], first) == second && zero != NONE &&
           is_zero(p->branch, zero);
}

/* SC, and the branch back where it has failed. */
static bool find_store(struct translator *t, struct pattern *p, uint32_t load)
{
    p->store = &t->insts[p->branch->next];
    if (p->store->effects.access.atomic != CY_ATOMIC_CONDITIONAL)
        return false;
    p->back = &t->insts[p->store->next];
    const uint32_t zero =
        p->back->insn.op == CY_OP_vbne ? other_of(p->back, (uint32_t)field(p->store, CY_FIELD_vd)) : NONE;
    return p->store->pairs == p->load->pairs && p->store->is_far == p->load->is_far &&
           field(p->store, CY_FIELD_vs1) == field(p->load, CY_FIELD_vs1) &&
           atomic_size(p->store) == atomic_size(p->load) && zero != NONE && is_zero(p->back, zero) &&
           p->back->target == load && p->back->rpc == p->branch->rpc && p->back->next == p->branch->rpc;
}

/* The operands stay as they are from LR to SC, and nobody needs SC's result. */
static bool keeps_operands(const struct translator *t, const struct pattern *p)
{
    struct regs operands = p->load->uses;
    unite(&operands, &p->store->uses);
    for (unsigned i = 0; i < atomic_size(p->load) / 4; i++)
        operands.v[(p->expected + i) >> 6] |= 1ull << ((p->expected + i) & 63);
    struct regs loaded = p->load->defs;
    bool ok = !regs_meet(&loaded, &operands);
    for (unsigned i = 0; i < p->part_count; i++)
        ok &= !regs_meet(&p->parts[i]->defs, &operands) && !regs_meet(&p->parts[i]->defs, &loaded);
    return ok && !regs_meet(&p->store->defs, &loaded) && !regs_meet(&p->store->defs, &t->insts[p->branch->rpc].live);
}

/* Does code from elsewhere jump behind LR? */
static bool is_entered(const struct translator *t, uint32_t load, const struct pattern *p)
{
    const uint32_t end = (uint32_t)(p->back - t->insts);
    for (uint32_t i = 0; i < t->count; i++)
        if (t->insts[i].reachable && t->insts[i].target != NONE && t->insts[i].target > load &&
            t->insts[i].target <= end)
            return true;
    return false;
}

void find_compare_exchanges(struct translator *t)
{
    for (uint32_t i = 0; i < t->count; i++) {
        struct inst *load = &t->insts[i];
        struct pattern p = {.load = load};
        if (!load->reachable || load->effects.access.atomic != CY_ATOMIC_RESERVE || !find_branch(t, &p) ||
            !find_expected(&p) || !find_store(t, &p, i) || !keeps_operands(t, &p) || is_entered(t, i, &p))
            continue;
        struct inst *branch = &t->insts[p.branch - t->insts], *store = &t->insts[p.store - t->insts];
        load->store = (uint32_t)(store - t->insts);
        load->expected = (uint8_t)p.expected;
        if (t->request->counts) {
            load->is_apart = store->is_apart = true;
            load->store = NONE;
            store->expected = (uint8_t)field(load, CY_FIELD_vd); /* what LR has loaded is what it has to be still */
            unite(&store->uses, &load->defs);
            continue;
        }
        unite(&load->uses, &store->uses);
        for (unsigned k = 0; k < atomic_size(load) / 4; k++)
            load->uses.v[(p.expected + k) >> 6] |= 1ull << ((p.expected + k) & 63);
        branch->next = branch->rpc;
        branch->target = branch->rpc = NONE;
        branch->is_done = true;
        store->reachable = t->insts[store->next].reachable = false;
    }
}
