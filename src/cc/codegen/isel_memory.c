/* Selection of loads, stores and atomics.  Uniform accesses are scalar; divergent and all private ones have an address
 * per lane. */
#include "cc/codegen/isel_priv.h"

#include <assert.h>

/* An address as value + constant; value 0: the constant alone. */
struct address {
    ir_value base;
    int32_t offset;
};

static struct address decompose(const struct isel *s, ir_value value, int32_t extra)
{
    struct address at = {value, extra};
    int32_t c;
    while (at.base) {
        const struct ir_insn *insn = isel_at(s, at.base);
        if (isel_is_const(s, at.base, &c)) {
            at.base = 0;
        } else if (insn->op == IR_ADD && isel_is_const(s, insn->args[1], &c) && isel_may_look_through(s, at.base)) {
            at.base = insn->args[0];
        } else {
            break;
        }
        at.offset = (int32_t)((uint32_t)at.offset + (uint32_t)c);
    }
    return at;
}

/* The part of an offset beyond the row's immediate: a multiple of its range. */
static int32_t far_part(int32_t offset, unsigned bits)
{
    int32_t low = (int32_t)((uint32_t)offset << (32 - bits)) >> (32 - bits);
    return (int32_t)((uint32_t)offset - (uint32_t)low);
}

static mir_reg scalar_base(struct isel *s, struct address at, int32_t *offset)
{
    int32_t far = far_part(at.offset, 12);
    *offset = at.offset - far;
    if (!at.base)
        return isel_const(s, far);
    if (!far)
        return isel_s(s, at.base);
    mir_reg sum = isel_temp(s, MIR_S);
    EMIT_2(s, CY_OP_add, sum, isel_s(s, at.base), isel_const(s, far));
    return sum;
}

static mir_reg vector_base(struct isel *s, struct address at, unsigned bits, int32_t *offset)
{
    int32_t far = far_part(at.offset, bits);
    *offset = at.offset - far;
    if (!at.base)
        return isel_splat_const(s, far);
    if (!far)
        return isel_v(s, at.base);
    mir_reg sum = isel_temp(s, MIR_V);
    if (isel_fits(CY_OP_vadd12_vi, 2, far))
        EMIT(s, CY_OP_vadd12_vi, sum, isel_v(s, at.base), far);
    else
        EMIT_2(s, CY_OP_vadd_vx, sum, isel_v(s, at.base), isel_const(s, far));
    return sum;
}

/* base + index, which the row itself adds: returns the base and sets the index. */
static mir_reg split_index(struct isel *s, ir_value address, mir_reg *index)
{
    const struct ir_insn *sum = isel_at(s, address);
    bool swapped = isel_is_v(s, sum->args[1]);
    *index = isel_v(s, sum->args[swapped]);
    return isel_s(s, sum->args[!swapped]);
}

enum { SCALAR, LANES, PRIVATE };

void isel_load(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    static const struct {
        int32_t size;
        uint16_t op[3];
    } rows[] = {
        {1, {CY_OP_lbu, CY_OP_vlbu12_v, CY_OP_vlbu_v}}, {-1, {CY_OP_lb, CY_OP_vlb12_v, CY_OP_vlb_v}},
        {2, {CY_OP_lhu, CY_OP_vlhu12_v, CY_OP_vlhu_v}}, {-2, {CY_OP_lh, CY_OP_vlh12_v, CY_OP_vlh_v}},
        {4, {CY_OP_lw, CY_OP_vlw12_v, CY_OP_vlw_v}},    {-4, {CY_OP_lw, CY_OP_vlw12_v, CY_OP_vlw_v}},
    };
    mir_reg d = isel_own(s, value), loaded = d, base, index;
    if (s->is_index[insn->args[0]]) {
        base = split_index(s, insn->args[0], &index);
        EMIT(s, CY_OP_vluxei32_v, d, base, index);
        return;
    }
    struct address at = decompose(s, insn->args[0], insn->extra);
    unsigned way = insn->is_private ? PRIVATE : isel_is_v(s, insn->args[0]) ? LANES : SCALAR;
    int32_t offset;
    size_t row = 0;
    while (row + 1 < CY_COUNT(rows) && rows[row].size != insn->imm)
        row++;
    assert(rows[row].size == insn->imm && "a load of an unsupported size");
    if (way == SCALAR) {
        base = scalar_base(s, at, &offset);
        if (insn->is_divergent) /* see temporal.c */
            loaded = isel_temp(s, MIR_S);
    } else {
        base = vector_base(s, at, way == PRIVATE ? 11 : 12, &offset);
    }
    EMIT(s, rows[row].op[way], loaded, offset, base);
    if (loaded != d)
        EMIT(s, MIR_COPY, d, loaded);
}

void isel_store(struct isel *s, const struct ir_insn *insn)
{
    static const uint16_t rows[3][3] = {{CY_OP_sb, CY_OP_vsb12_v, CY_OP_vsb_v},
                                        {CY_OP_sh, CY_OP_vsh12_v, CY_OP_vsh_v},
                                        {CY_OP_sw, CY_OP_vsw12_v, CY_OP_vsw_v}};
    ir_value value = insn->args[1];
    if (s->is_index[insn->args[0]]) {
        mir_reg index, from = split_index(s, insn->args[0], &index);
        EMIT(s, CY_OP_vsuxei32_v, isel_v(s, value), from, index);
        return;
    }
    struct address at = decompose(s, insn->args[0], insn->extra);
    unsigned way = insn->is_private ? PRIVATE : isel_is_v(s, insn->args[0]) || isel_is_v(s, value) ? LANES : SCALAR;
    int32_t size = insn->imm < 0 ? -insn->imm : insn->imm, offset;
    mir_reg base = way == SCALAR ? scalar_base(s, at, &offset) : vector_base(s, at, way == PRIVATE ? 11 : 12, &offset);
    EMIT(s, rows[size >> 1][way], way == SCALAR ? isel_s(s, value) : isel_v(s, value), offset, base);
}

static mir_reg atomic_address(struct isel *s, const struct ir_insn *insn)
{
    if (!insn->extra)
        return isel_v(s, insn->args[0]);
    mir_reg sum = isel_temp(s, MIR_V);
    if (isel_fits(CY_OP_vadd12_vi, 2, insn->extra))
        EMIT(s, CY_OP_vadd12_vi, sum, isel_v(s, insn->args[0]), insn->extra);
    else
        EMIT_2(s, CY_OP_vadd_vx, sum, isel_v(s, insn->args[0]), isel_const(s, insn->extra));
    return sum;
}

/* The address of a 64-bit atomic: a pair prefix would make an even register a 64-bit address. */
static mir_reg odd_address(struct isel *s, const struct ir_insn *insn)
{
    mir_reg odd = mir_new_pair(s->mir, MIR_V) + 1;
    EMIT(s, MIR_COPY, odd, atomic_address(s, insn));
    return odd;
}

enum { VD = 2, VS2 = 4 }; /* an atomic's operands: ordering bits, vd, vs2, vs1 */

/* retry: lr.w   old, (address)
 *        vbne   old, expected, done        lanes that see another value are done
 *        sc.w   failed, new, (address)
 *        vbne   failed, zero, retry
 * done:  join */
static void compare_and_swap(struct isel *s, const struct ir_insn *insn, mir_reg old)
{
    const bool wide = insn->op == IR_CAS64;
    uint32_t done = isel_split(s), retry = isel_new_block(s), store = isel_new_block(s), head = s->out;
    mir_reg address = wide ? odd_address(s, insn) : atomic_address(s, insn);
    mir_reg expected = isel_v(s, insn->args[1]), new = isel_v(s, insn->args[2]), seen = old;
    mir_reg failed = isel_temp(s, MIR_V), zero = isel_splat_const(s, 0);
    isel_flush(s);
    s->out = retry;
    if (wide) { /* the branch compares one word: that of the differences */
        mir_reg low = isel_temp(s, MIR_V), high = isel_temp(s, MIR_V);
        seen = isel_temp(s, MIR_V);
        EMIT_WIDE(s, CY_OP_lr_w, VD, 0, old, address);
        EMIT(s, CY_OP_vxor_vv, low, old, expected);
        EMIT(s, CY_OP_vxor_vv, high, old + 1, expected + 1);
        EMIT(s, CY_OP_vor_vv, seen, low, high);
        expected = zero;
    } else {
        EMIT(s, CY_OP_lr_w, 0, old, address);
    }
    EMIT(s, MIR_SETRPC, isel_temp(s, MIR_S), (int32_t)done);
    isel_flush(s);
    s->out = store;
    if (wide) {
        failed = mir_new_pair(s->mir, MIR_V) + 1; /* one word, so an odd register */
        EMIT_WIDE(s, CY_OP_sc_w, VS2, 0, failed, new, address);
    } else {
        EMIT(s, CY_OP_sc_w, 0, failed, new, address);
    }
    EMIT(s, MIR_SETRPC, isel_temp(s, MIR_S), (int32_t)done);
    isel_flush(s);
    s->out = head;
    struct mir_block *h = &s->mir->blocks.at[head], *r = &s->mir->blocks.at[retry], *t = &s->mir->blocks.at[store];
    h->kind = MIR_JUMP;
    h->succ[0] = retry;
    h->succ_count = 1;
    r->kind = t->kind = MIR_VBRANCH;
    r->branch_op = t->branch_op = CY_OP_vbne;
    r->a = seen, r->b = expected;
    t->a = failed, t->b = zero;
    r->succ[0] = done, r->succ[1] = store;
    t->succ[0] = retry, t->succ[1] = done;
    r->succ_count = t->succ_count = 2;
    r->rpc = t->rpc = done;
    r->line = t->line = h->line = s->line;
    r->loop_depth = t->loop_depth = h->loop_depth + 1;
    s->next_piece[head] = retry;
    s->next_piece[retry] = store;
    s->next_piece[store] = done;
}

void isel_atomic(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    if (insn->is_private) {
        cy_diag_file(s->diags, CY_ERROR, s->ir->name, "atomic operations on private memory are not supported");
        s->failed = true;
        return;
    }
    mir_reg d = isel_own(s, value);
    if (insn->op == IR_CAS || insn->op == IR_CAS64) {
        compare_and_swap(s, insn, d);
        return;
    }
    if (insn->op == IR_AMO64) {
        mir_reg odd = odd_address(s, insn);
        EMIT_WIDE(s, (unsigned)insn->imm, VD | VS2, 0, d, isel_v(s, insn->args[1]), odd);
        return;
    }
    mir_reg address = atomic_address(s, insn);
    EMIT(s, (unsigned)insn->imm, 0, d, isel_v(s, insn->args[1]), address);
}
