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

/* Sets the part of an offset that is a row's immediate; returns the rest, modulo 2^32: a multiple of the immediate's range. */
static int32_t split_offset(int32_t offset, unsigned bits, int32_t *low)
{
    *low = (int32_t)((uint32_t)offset << (32 - bits)) >> (32 - bits);
    return (int32_t)((uint32_t)offset - (uint32_t)*low);
}

static mir_reg scalar_base(struct isel *s, struct address at, int32_t *offset)
{
    int32_t far = split_offset(at.offset, 12, offset);
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
    int32_t far = split_offset(at.offset, bits, offset);
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

/* Where an access goes: the rows for it, the register with its address, and the class of both. */
struct access {
    const struct cc_memory_rows *rows;
    enum mir_class class;
    bool is_wide;
    mir_reg base;
    int32_t offset;
};

/* Private accesses have an address per lane; `by_lane`: so has this one, because of what it stores. */
static struct access find_access(struct isel *s, const struct ir_insn *insn, bool by_lane)
{
    const struct cc_target *target = s->mir->target;
    ir_value address = insn->args[0];
    struct access access = {.is_wide = ir_is_pair(isel_at(s, address)->op)};
    access.class = by_lane || insn->is_private || isel_is_v(s, address) ? MIR_V : MIR_S;
    if (access.is_wide) {
        access.rows = access.class == MIR_V ? &target->wide_lanes : &target->wide_scalar;
        int32_t far = split_offset(insn->extra, access.rows->offset_bits, &access.offset);
        if (far < 0 && insn->extra > 0) { /* 2^31, which is not modulo 2^32 here */
            far = insn->extra;
            access.offset = 0;
        }
        access.base = isel_pair(s, address, access.class);
        if (far)
            access.base = isel_pair_plus(s, access.class, access.base, far);
        return access;
    }
    struct address at = decompose(s, address, insn->extra);
    access.rows = insn->is_private ? &target->private : access.class == MIR_V ? &target->lanes : &target->scalar;
    access.base = access.class == MIR_S ? scalar_base(s, at, &access.offset)
                                        : vector_base(s, at, access.rows->offset_bits, &access.offset);
    return access;
}

static void emit_access(struct isel *s, const struct ir_insn *insn, const struct access *access, unsigned row,
                        unsigned size, mir_reg data)
{
    isel_emit_pairs(s, row, size == 4 ? access->rows->prefix : access->rows->small_prefix, access->is_wide ? 4 : 0, 3,
                    (int32_t[]){data, access->offset, access->base});
    s->sequence.at[s->sequence.count - 1].is_volatile = insn->is_volatile;
}

void isel_load(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    unsigned size = (unsigned)(insn->imm < 0 ? -insn->imm : insn->imm);
    mir_reg d = isel_own(s, value), loaded = d, base, index;
    assert((size == 1 || size == 2 || size == 4) && "a load of an unsupported size");
    if (s->is_index[insn->args[0]]) {
        base = split_index(s, insn->args[0], &index);
        EMIT(s, CY_OP_vluxei32_v, d, base, index);
        return;
    }
    struct access access = find_access(s, insn, false);
    if (access.class == MIR_S && insn->is_divergent) /* see temporal.c */
        loaded = isel_temp(s, MIR_S);
    emit_access(s, insn, &access, access.rows->load[size >> 1][insn->imm < 0], size, loaded);
    if (loaded != d)
        EMIT(s, MIR_COPY, d, loaded);
}

void isel_store(struct isel *s, const struct ir_insn *insn)
{
    ir_value value = insn->args[1];
    unsigned size = (unsigned)(insn->imm < 0 ? -insn->imm : insn->imm);
    if (s->is_index[insn->args[0]]) {
        mir_reg index, from = split_index(s, insn->args[0], &index);
        EMIT(s, CY_OP_vsuxei32_v, isel_v(s, value), from, index);
        return;
    }
    struct access access = find_access(s, insn, isel_is_v(s, value));
    emit_access(s, insn, &access, access.rows->store[size >> 1], size,
                access.class == MIR_S ? isel_s(s, value) : isel_v(s, value));
}

/* An atomic operation's address register, and its row: the one given, or that with a 64-bit address. */
static mir_reg atomic_address(struct isel *s, const struct ir_insn *insn)
{
    if (ir_is_pair(isel_at(s, insn->args[0])->op)) {
        mir_reg pair = isel_pair(s, insn->args[0], MIR_V);
        return insn->extra ? isel_pair_plus(s, MIR_V, pair, insn->extra) : pair;
    }
    if (!insn->extra)
        return isel_v(s, insn->args[0]);
    mir_reg sum = isel_temp(s, MIR_V);
    if (isel_fits(CY_OP_vadd12_vi, 2, insn->extra))
        EMIT(s, CY_OP_vadd12_vi, sum, isel_v(s, insn->args[0]), insn->extra);
    else
        EMIT_2(s, CY_OP_vadd_vx, sum, isel_v(s, insn->args[0]), isel_const(s, insn->extra));
    return sum;
}

/* The address of a 64-bit atomic, whose pair prefix makes an even register a 64-bit address: either one, or a word in an
 * odd register. */
static mir_reg address_beside_pairs(struct isel *s, const struct ir_insn *insn)
{
    if (ir_is_pair(isel_at(s, insn->args[0])->op))
        return atomic_address(s, insn);
    mir_reg odd = mir_new_pair(s->mir, MIR_V) + 1;
    EMIT(s, MIR_COPY, odd, atomic_address(s, insn));
    return odd;
}

enum { VD = 2, VS2 = 4 }; /* an atomic's operands: ordering bits, vd, vs2, vs1 */

/* Operands: ordering, then registers, the address last. */
static void emit_atomic(struct isel *s, const struct ir_insn *insn, unsigned row, unsigned count,
                        const int32_t *operands)
{
    bool is_wide = ir_is_pair(isel_at(s, insn->args[0])->op);
    isel_emit_pairs(s, is_wide ? cc_wide_atomic(s->mir->target, row) : row, CC_PREFIX_NONE,
                    is_wide ? 1u << (count - 1) : 0, count, operands);
}

/* The same on 64-bit data: those operands in `wide`. */
static void emit_atomic64(struct isel *s, const struct ir_insn *insn, unsigned row, unsigned wide, unsigned count,
                          const int32_t *operands)
{
    bool is_wide = ir_is_pair(isel_at(s, insn->args[0])->op);
    isel_emit_wide(s, row, wide | (is_wide ? 1u << (count - 1) : 0), count, operands);
}

/* retry: lr.w   old, (address)
 *        vbne   old, expected, done        lanes that see another value are done
 *        sc.w   failed, new, (address)
 *        vbne   failed, zero, retry
 * done:  join */
static void compare_and_swap(struct isel *s, const struct ir_insn *insn, mir_reg old)
{
    const bool wide = insn->op == IR_CAS64;
    uint32_t done = isel_split(s), retry = isel_new_block(s), store = isel_new_block(s), head = s->out;
    mir_reg address = wide ? address_beside_pairs(s, insn) : atomic_address(s, insn);
    mir_reg expected = isel_v(s, insn->args[1]), new = isel_v(s, insn->args[2]), seen = old;
    mir_reg failed = isel_temp(s, MIR_V), zero = isel_splat_const(s, 0);
    isel_flush(s);
    s->out = retry;
    if (wide) { /* the branch compares one word: that of the differences */
        mir_reg low = isel_temp(s, MIR_V), high = isel_temp(s, MIR_V);
        seen = isel_temp(s, MIR_V);
        emit_atomic64(s, insn, CY_OP_lr_w, VD, 3, (int32_t[]){0, old, address});
        EMIT(s, CY_OP_vxor_vv, low, old, expected);
        EMIT(s, CY_OP_vxor_vv, high, old + 1, expected + 1);
        EMIT(s, CY_OP_vor_vv, seen, low, high);
        expected = zero;
    } else {
        emit_atomic(s, insn, CY_OP_lr_w, 3, (int32_t[]){0, old, address});
    }
    EMIT(s, MIR_SETRPC, isel_temp(s, MIR_S), (int32_t)done);
    isel_flush(s);
    s->out = store;
    if (wide) {
        failed = mir_new_pair(s->mir, MIR_V) + 1; /* one word, so an odd register */
        emit_atomic64(s, insn, CY_OP_sc_w, VS2, 4, (int32_t[]){0, failed, new, address});
    } else {
        emit_atomic(s, insn, CY_OP_sc_w, 4, (int32_t[]){0, failed, new, address});
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
        mir_reg at = address_beside_pairs(s, insn);
        emit_atomic64(s, insn, (unsigned)insn->imm, VD | VS2, 4, (int32_t[]){0, d, isel_v(s, insn->args[1]), at});
        return;
    }
    mir_reg address = atomic_address(s, insn);
    emit_atomic(s, insn, (unsigned)insn->imm, 4, (int32_t[]){0, d, isel_v(s, insn->args[1]), address});
}
