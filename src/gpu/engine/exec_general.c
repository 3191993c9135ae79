/* Vector and scalar expressions, general case: any SEW and LMUL, v0 masks, register pairs, and the gen2 prefix's source
 * modifiers.  Element by element through cy_eval; the common case is handled in exec_lanes.c.
 *
 * Elements narrower than 32 bits are kept sign-extended in their 32-bit lane; 64-bit elements are even register pairs,
 * low half first.  With LMUL 2, elements num_thread and up are in the next register (or pair). */
#include "gpu/engine/engine_priv.h"
#include "gpu/engine/eval.h"

#include <string.h>

#define HANDLER(id) CY_HANDLER(, cy_exec_##id)

enum source { NOTHING, VECTOR1, SCALAR, IMMEDIATE, VECTOR1_WIDE };
enum result { ELEMENT, BIT, PACKED_BIT, BRANCH };

/* The meaning of a format here. */
struct shape {
    enum source a;
    bool b, b_wide, d_wide, is_float;
    enum result result;
};

/* Moves have the same format for both kinds; a 64-bit float comes from a pair of x registers. */
static bool moves_float(enum cy_op op)
{
    return op == CY_OP_vfmv_v_f || op == CY_OP_vfmv_s_f;
}

/* The column of formats.def. */
#define A_NOTHING NOTHING
#define A_VECTOR VECTOR1
#define A_WIDE VECTOR1_WIDE
#define A_SCALAR SCALAR
#define A_IMMEDIATE IMMEDIATE
#define B_NOTHING .b = false
#define B_VECTOR .b = true
#define B_WIDE .b = true, .b_wide = true
#define D_ELEMENT .result = ELEMENT
#define D_WIDE .result = ELEMENT, .d_wide = true
#define D_BIT .result = BIT
#define D_PACKED_BIT .result = PACKED_BIT
#define D_BRANCH .result = BRANCH
enum { IS_FLOAT_INT, IS_FLOAT_BIT = 0, IS_FLOAT_VI12 = 0, IS_FLOAT_WVV = 0, IS_FLOAT_WWV = 0 };
enum { IS_FLOAT_FP = 1, IS_FLOAT_FPBIT = 1, IS_FLOAT_FWVV = 1, IS_FLOAT_FWWV = 1, IS_FLOAT_FWWF = 1, IS_FLOAT_FW1 = 1 };
#define SHAPE_LANES(loop, eval, a_, b_, d_)                                                                            \
    {                                                                                                                  \
        .a = A_##a_, B_##b_, D_##d_, .is_float = IS_FLOAT_##eval                                                       \
    }
#define SHAPE_SCALAR(...) CY_NO_SHAPE
#define SHAPE_MEMORY(...) CY_NO_SHAPE
#define SHAPE_OWN() CY_NO_SHAPE
#define SHAPE_JOINED() CY_NO_SHAPE
static const struct shape shapes[CY_FORMAT_COUNT] = {
#define FORMAT(id, mask, syntax, shape) [CY_FORMAT_##id] = SHAPE_##shape,
#include "isa/formats.def"
};

static struct shape shape_of(enum cy_op op)
{
    struct shape shape = shapes[cy_insns[op].format];
    shape.is_float |= moves_float(op);
    return shape;
}

/* ---- effects of a prefix ---- */

struct modifier {
    bool pairs;       /* operands with even numbers are 64-bit pairs */
    uint8_t abs, neg; /* bit 0 src1, bit 1 src2, bit 2 src3 */
};

static struct modifier modifier_of(const struct cy_warp *w, const struct cy_insn *insn)
{
    struct modifier modifier = {0};
    struct cy_insn prefix;
    if (!insn->prefix || !cy_decode_word(w->run->target, insn->prefix, &prefix) ||
        !(cy_insns[prefix.op].flags & CY_F_PAIR))
        return modifier;
    if (w->run->target == CY_GEN1) {
        modifier.pairs = true;
    } else {
        modifier.pairs = cy_prefix_is_wide(insn->prefix);
        modifier.abs = cy_prefix_abs(insn->prefix);
        modifier.neg = cy_prefix_neg(insn->prefix);
    }
    return modifier;
}

/* Absolute value first, then negation; integers in two's complement. */
static uint64_t modify(const struct modifier *modifier, unsigned source, uint64_t value, unsigned bits, bool is_float)
{
    uint64_t sign = 1ull << (bits - 1);
    if (modifier->abs >> source & 1)
        value = is_float ? value & ~sign : value & sign ? 0 - value : value;
    if (modifier->neg >> source & 1)
        value = is_float ? value ^ sign : 0 - value;
    return bits == 64 ? value : value & cy_ones(bits);
}

/* ---- elements ---- */

static uint64_t sign_extend(uint64_t value, unsigned bits)
{
    return bits == 64 ? value : (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* A register of a group as `bits` wide elements: with 64 bits each part is a pair. */
static unsigned group_register(unsigned number, unsigned part, unsigned bits)
{
    return number + part * (bits == 64 ? 2 : 1);
}

static uint64_t read_element(const struct cy_warp *w, unsigned number, unsigned lane, unsigned bits)
{
    uint64_t low = cy_vreg(w, number)[lane];
    if (bits == 64)
        return low | (uint64_t)cy_vreg(w, number + 1)[lane] << 32;
    return low & cy_ones(bits);
}

static void write_element(struct cy_warp *w, unsigned number, unsigned lane, unsigned bits, uint64_t value)
{
    cy_vreg(w, number)[lane] = bits < 32 ? (uint32_t)sign_extend(value, bits) : (uint32_t)value;
    if (bits == 64)
        cy_vreg(w, number + 1)[lane] = (uint32_t)(value >> 32);
}

/* One expression over the lanes.  Widths in bits of a, b and d (which differ with pairs and widening). */
struct job {
    const struct cy_insn *insn;
    const struct cy_insn_info *row;
    struct shape shape;
    struct modifier modifier;
    unsigned a_bits, b_bits, d_bits, eval_bits; /* of the sources, the destination and the evaluation */
    uint64_t scalar;                            /* source a if it is not a vector */
    struct cy_eval e;
    cy_eval_fn *eval;
};

static bool wants_pair(const struct job *job, unsigned number)
{
    return job->modifier.pairs && !(number & 1);
}

/* The scalar or immediate source.  64-bit floating point takes an even pair of x registers; .wx forms extend SEW bits of
 * rs1 by the sign of the operation (vwaddu.wx: zero). */
static bool scalar_source(struct cy_warp *w, const struct cy_uop *u, struct job *job)
{
    const unsigned bits = job->row->format == CY_FORMAT_WWX ? job->a_bits : 32;
    const bool zero = job->insn->op == CY_OP_vwaddu_wx || job->insn->op == CY_OP_vwsubu_wx;
    if (job->shape.a == IMMEDIATE) {
        job->scalar = (uint64_t)(int64_t)u->imm;
    } else if (job->shape.a == SCALAR) {
        bool pair = wants_pair(job, u->a) || (job->shape.is_float && job->a_bits == 64);
        if (pair && u->a & 1)
            return false;
        job->scalar = pair   ? (uint64_t)(u->a ? w->x[u->a + 1] : 0) << 32 | w->x[u->a]
                      : zero ? w->x[u->a] & cy_ones(bits)
                             : sign_extend(w->x[u->a], bits);
    }
    return true;
}

/* The source of vzext.vf8 is SEW/8 wide, of .vf4 SEW/4, of .vf2 SEW/2. */
static unsigned extension_bits(const struct cy_insn *insn, unsigned sew)
{
    return sew >> (4 - (insn->word >> 16 & 3));
}

/* Registers from `number` up as elements of `bits`: a pair must start at an even one, and all must exist. */
static bool fits(unsigned number, unsigned bits, unsigned parts)
{
    return !(bits == 64 && number & 1) && number + parts * (bits == 64 ? 2 : 1) <= 256;
}

/* Under a pair prefix odd registers stay 32 bits. */
static unsigned pair_bits(unsigned number)
{
    return number & 1 ? 32 : 64;
}

/* Sets up widths; returns the fault if the operation does not allow them or its registers. */
static enum cy_fault_kind prepare(struct cy_warp *w, const struct cy_uop *u, struct job *job)
{
    const struct shape *shape = &job->shape;
    unsigned parts = cy_lmul(w), sew = job->modifier.pairs ? 64 : cy_sew(w);
    bool a_vector = shape->a == VECTOR1 || shape->a == VECTOR1_WIDE;
    if (w->vtype & CY_VILL || (shape->is_float && sew == 8) || (shape->d_wide && sew == 64))
        return CY_FAULT_VTYPE;
    job->eval_bits = sew;
    job->a_bits = shape->a == VECTOR1_WIDE ? 2 * sew : sew;
    job->b_bits = shape->b_wide ? 2 * sew : sew;
    job->d_bits = shape->d_wide ? 2 * sew : sew;
    if (job->modifier.pairs) {
        job->a_bits = a_vector ? pair_bits(u->a) : 64;
        job->b_bits = pair_bits(u->b);
        job->d_bits = pair_bits(u->d);
        if (shape->is_float && ((a_vector && job->a_bits != 64) || (shape->b && job->b_bits != 64) ||
                                (shape->result == ELEMENT && job->d_bits != 64)))
            return CY_FAULT_REGISTER; /* floating point cannot mix */
    }
    if (job->row->format == CY_FORMAT_V1) {
        job->b_bits = extension_bits(job->insn, sew);
        if (job->b_bits < 8)
            return CY_FAULT_VTYPE;
    }
    if (shape->result != ELEMENT)
        job->d_bits = 32; /* 0 or 1 in each lane; nothing for a branch */
    if (shape->result == BRANCH)
        parts = 1;
    if (shape->result == PACKED_BIT) { /* masks: whatever SEW is */
        job->a_bits = job->b_bits = 32;
        parts = w->run->mask_per_lane ? parts : 1;
    }
    if ((a_vector && !fits(u->a, job->a_bits, parts)) || (shape->b && !fits(u->b, job->b_bits, parts)) ||
        !fits(u->d, job->d_bits, parts))
        return CY_FAULT_REGISTER;
    return scalar_source(w, u, job) ? CY_FAULT_NONE : CY_FAULT_REGISTER;
}

static uint64_t element(const struct cy_warp *w, const struct cy_uop *u, struct job *job, unsigned lane, unsigned part)
{
    const struct shape *shape = &job->shape;
    uint64_t a = job->scalar, b = 0;
    if (shape->a == VECTOR1 || shape->a == VECTOR1_WIDE)
        a = read_element(w, group_register(u->a, part, job->a_bits), lane, job->a_bits);
    if (shape->b)
        b = read_element(w, group_register(u->b, part, job->b_bits), lane, job->b_bits);
    uint64_t d =
        shape->result == ELEMENT ? read_element(w, group_register(u->d, part, job->d_bits), lane, job->d_bits) : 0;
    if (job->modifier.pairs) { /* 32-bit operands among pairs are sign-extended */
        a = job->a_bits == 32 ? sign_extend(a, 32) : a;
        b = job->b_bits == 32 ? sign_extend(b, 32) : b;
        d = job->d_bits == 32 ? sign_extend(d, 32) : d;
    }
    if (job->modifier.abs | job->modifier.neg) {
        bool pairs = job->modifier.pairs, full = pairs || job->row->format == CY_FORMAT_WWX; /* rs1 is extended */
        a = modify(&job->modifier, 0, a, full ? 64 : job->a_bits, shape->is_float);
        b = modify(&job->modifier, 1, b, pairs ? 64 : job->b_bits, shape->is_float);
        d = modify(&job->modifier, 2, d, pairs ? 64 : job->d_bits, shape->is_float);
    }
    if (job->row->format == CY_FORMAT_VI12)
        b = (uint64_t)(int64_t)u->imm;
    return job->eval(&job->e, a, b, d);
}

/* vmand.mm and the like: bit i of the packed masks for every active element i, or lane by lane. */
static void mask_logic(struct cy_warp *w, const struct cy_uop *u, cy_eval_fn *eval)
{
    struct cy_eval e = {0};
    for (unsigned part = 0; part < cy_lmul(w); part++)
        for (uint64_t left = cy_part_active(w, part, false); left; left &= left - 1) {
            unsigned element = part * w->numt + (unsigned)__builtin_ctzll(left);
            unsigned word = w->run->mask_per_lane ? element : element >> 5, bit = element & 31;
            uint32_t a = cy_vreg(w, u->a)[word], b = cy_vreg(w, u->b)[word], *d = &cy_vreg(w, u->d)[word];
            uint32_t value = (uint32_t)eval(&e, a, b, 0);
            *d = w->run->mask_per_lane ? value & 1 : (*d & ~(1u << bit)) | (value & 1u << bit);
        }
}

CY_HANDLER(, cy_exec_vector_generic)
{
    struct job job = {.insn = cy_uop_insn(w, u)};
    job.row = &cy_insns[job.insn->op];
    job.shape = shape_of(job.insn->op);
    job.modifier = modifier_of(w, job.insn);
    enum cy_fault_kind kind = prepare(w, u, &job);
    if (kind != CY_FAULT_NONE)
        return cy_fault(w, u, kind, -1, w->vtype);
    job.e = (struct cy_eval){.fp = {.rm = w->frm}, .vxrm = w->vxrm};
    if (job.shape.is_float && w->frm > 4)
        return cy_fault(w, u, CY_FAULT_ILLEGAL, -1, 0);
    job.eval = cy_eval(job.insn->op, job.eval_bits);
    if (job.shape.result == PACKED_BIT) {
        mask_logic(w, u, cy_evals_32[job.insn->op]);
        return cy_next(u);
    }
    /* vadc.vvm and vmerge.vvm read v0 but are not masked by it: their format has no vm */
    bool masked = !cy_insn_field(job.insn, CY_FIELD_vm, 1);
    uint64_t taken = 0, active[2], mask[2]; /* by part, before anything changes: the destination may be v0 */
    unsigned parts = job.shape.result == BRANCH ? 1 : cy_lmul(w);
    for (unsigned part = 0; part < parts; part++) {
        active[part] = cy_part_active(w, part, masked);
        mask[part] = cy_mask_bits(w, part);
    }
    for (unsigned part = 0; part < parts; part++)
        for (uint64_t left = active[part]; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            job.e.mask = mask[part] >> lane & 1;
            uint64_t value = element(w, u, &job, lane, part);
            if (job.shape.result == BRANCH)
                taken |= value << lane;
            else if (job.shape.result == BIT)
                cy_vreg(w, u->d + part)[lane] = (uint32_t)value;
            else
                write_element(w, group_register(u->d, part, job.d_bits), lane, job.d_bits, value);
        }
    w->fflags |= job.e.fp.flags;
    w->vxsat |= job.e.vxsat;
    return job.shape.result == BRANCH ? cy_simt_branch(w, u, taken) : cy_next(u);
}

/* ---- absolute values and negations of sources, for whole warps ---- */

bool cy_has_sign_loop(const struct cy_insn *insn)
{
    const struct shape shape = shape_of(insn->op);
    const unsigned changed = cy_prefix_abs(insn->prefix) | cy_prefix_neg(insn->prefix);
    const bool changes_scalar = changed & 1 && shape.a == SCALAR, pairs = cy_prefix_is_wide(insn->prefix);
    return (shape.result == ELEMENT || shape.result == BIT) && shape.b && shape.a != VECTOR1_WIDE && !shape.b_wide &&
           !shape.d_wide && !(changed & 1 && shape.a == IMMEDIATE) && !(changes_scalar && pairs);
}

/* A source in the register `row` (or, with pairs, that and the next): changed in place in the lanes of `mask`. */
static void change_sign(const struct modifier *m, unsigned source, bool is_float, uint32_t *row, unsigned n,
                        const uint32_t *mask)
{
    uint32_t *const top = m->pairs ? row + n : row;
    const bool absolute = m->abs >> source & 1, negated = m->neg >> source & 1;
    if (is_float || !m->pairs) {
        for (unsigned i = 0; i < n; i++) {
            uint32_t is_negative = (uint32_t)((int32_t)top[i] >> 31), value = top[i];
            if (is_float)
                value = (absolute ? value & INT32_MAX : value) ^ (uint32_t)negated << 31;
            else if (absolute)
                value = (value ^ is_negative) - is_negative;
            value = !is_float && negated ? 0 - value : value;
            top[i] = mask ? (value & mask[i]) | (top[i] & ~mask[i]) : value;
        }
        return;
    }
    for (unsigned i = 0; i < n; i++)
        if (!mask || mask[i]) {
            uint64_t value = modify(m, source, (uint64_t)row[n + i] << 32 | row[i], 64, false);
            row[i] = (uint32_t)value;
            row[n + i] = (uint32_t)(value >> 32);
        }
}

/* The row's own loop, on registers borrowed for this instruction which hold the changed sources. */
static const struct cy_uop *run_changed(struct cy_warp *w, const struct cy_uop *u, uint64_t left)
{
    enum { WORDS = 2 * CY_MAX_LANES };
    const struct cy_insn *insn = cy_uop_insn(w, u);
    const struct modifier m = {cy_prefix_is_wide(insn->prefix), cy_prefix_abs(insn->prefix),
                               cy_prefix_neg(insn->prefix)};
    const struct shape shape = shape_of(insn->op);
    const struct cy_code *code = w->run->code;
    const unsigned n = w->numt, parts = m.pairs ? 2 : 1, changed = m.abs | m.neg;
    const size_t bytes = (size_t)n * parts * sizeof(uint32_t);
    const struct cy_handlers *table = m.pairs ? (code->lanes == 32 ? code->level->pairs32 : code->level->pairs)
                                      : code->lanes == 32 ? code->level->lanes32
                                                          : code->level->lanes;
    if (table[insn->op].run[w->mode] == cy_exec_vector_generic) /* a row without a loop */
        return cy_exec_vector_generic(w, u, left);
    struct cy_uop plain = *u;
    uint32_t saved[2][WORDS], saved_x = 0;
    unsigned borrowed = 0, number = 0, rows[2];
    uint8_t *const sources[] = {&plain.a, &plain.b};
    const bool changes_d = changed & 4 && shape.result == ELEMENT &&
                           cy_insns[insn->op].flags & CY_F_ACC; /* in place, so that others need a copy */
    for (unsigned source = 0; source < 2; source++) {
        const bool is_d = changes_d && *sources[source] == u->d;
        if (!(changed >> source & 1 || is_d) || (source == 0 && shape.a != VECTOR1))
            continue;
        while ((number | 1) == (u->d | 1u) || (number | 1) == (u->a | 1u) || (number | 1) == (u->b | 1u))
            number += 2;
        uint32_t *row = cy_vreg(w, number);
        memcpy(saved[borrowed], row, bytes);
        memcpy(row, cy_vreg(w, *sources[source]), bytes);
        change_sign(&m, source, shape.is_float, row, n, NULL);
        *sources[source] = (uint8_t)number;
        rows[borrowed++] = number;
        number += 2;
    }
    const bool changes_scalar = changed & 1 && shape.a == SCALAR;
    if (changes_scalar) { /* x[64] takes writes to x0: nobody reads it */
        saved_x = w->x[64];
        w->x[64] = (uint32_t)modify(&m, 0, w->x[u->a], 32, shape.is_float);
        plain.a = 64;
    }
    if (changes_d)
        change_sign(&m, 2, shape.is_float, cy_vreg(w, u->d), n, w->mode == CY_MODE_PARTIAL ? w->lane_mask : NULL);
    table[insn->op].run[w->mode](w, &plain, 1);
    while (borrowed-- > 0)
        memcpy(cy_vreg(w, rows[borrowed]), saved[borrowed], bytes);
    if (changes_scalar)
        w->x[64] = saved_x;
    return cy_then(w, cy_next(u), left);
}
const struct cy_handlers cy_sign_handlers = {{run_changed, run_changed, cy_exec_vector_generic}};

/* ---- scalar expressions under a pair or abs/neg prefix ---- */

static uint64_t scalar_operand(const struct cy_warp *w, const struct job *job, unsigned number)
{
    if (!job->modifier.pairs)
        return w->x[number];
    return wants_pair(job, number) ? (uint64_t)(number ? w->x[number + 1] : 0) << 32 | w->x[number]
                                   : sign_extend(w->x[number], 32);
}

CY_HANDLER(, cy_exec_scalar_generic)
{
    struct job job = {.insn = cy_uop_insn(w, u)};
    job.row = &cy_insns[job.insn->op];
    job.modifier = modifier_of(w, job.insn);
    enum cy_format format = job.row->format;
    bool is_float = format >= CY_FORMAT_FR && format <= CY_FORMAT_FR4;
    bool immediate =
        format == CY_FORMAT_I || format == CY_FORMAT_SHIFT || format == CY_FORMAT_I64 || format == CY_FORMAT_SHIFT64;
    unsigned bits = job.modifier.pairs || job.row->flags & CY_F_WIDE ? 64 : 32,
             rm = is_float ? (unsigned)u->imm >> 8 : 0;
    unsigned d = u->d == 64 ? 0 : u->d;
    job.e = (struct cy_eval){.fp = {.rm = (uint8_t)(rm == 7 ? w->frm : rm)}};
    if (job.e.fp.rm > 4)
        return cy_fault(w, u, CY_FAULT_ILLEGAL, -1, 0);
    unsigned third = is_float ? (unsigned)u->imm & 63 : 0, numbers = u->a | (immediate ? 0u : u->b) | d | third;
    if (job.row->flags & CY_F_WIDE)
        job.modifier.pairs = true;
    if ((is_float || job.row->flags & CY_F_WIDE) && job.modifier.pairs && numbers & 1)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, numbers);
    uint64_t a = modify(&job.modifier, 0, scalar_operand(w, &job, u->a), bits, is_float);
    uint64_t b =
        immediate ? (uint64_t)(int64_t)u->imm : modify(&job.modifier, 1, scalar_operand(w, &job, u->b), bits, is_float);
    uint64_t c = is_float ? modify(&job.modifier, 2, scalar_operand(w, &job, third), bits, is_float) : 0;
    uint64_t value = cy_eval(job.insn->op, bits)(&job.e, a, b, c);
    w->fflags |= job.e.fp.flags;
    if (format == CY_FORMAT_BRANCH)
        return value ? cy_relative(w, u) : cy_next(u);
    w->x[u->d] = (uint32_t)value;
    if (d && bits == 64 && wants_pair(&job, d))
        w->x[d + 1] = (uint32_t)(value >> 32);
    return cy_next(u);
}

/* ---- vector hooks that are not memory ---- */

/* The element width of a hook: SEW, or that of its register under a pair prefix. */
static unsigned hook_bits(const struct cy_warp *w, const struct cy_uop *u, unsigned number)
{
    return modifier_of(w, cy_uop_insn(w, u)).pairs ? pair_bits(number) : cy_sew(w);
}

HANDLER(vid_v)
{
    unsigned parts = cy_lmul(w), bits = hook_bits(w, u, u->d);
    bool masked = !u->imm; /* imm = vm */
    uint64_t active[2] = {cy_part_active(w, 0, masked), cy_part_active(w, 1, masked)};
    if (w->vtype & CY_VILL)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if (!fits(u->d, bits, parts))
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->d);
    for (unsigned part = 0; part < parts; part++)
        for (uint64_t left = active[part]; left; left &= left - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(left);
            write_element(w, group_register(u->d, part, bits), lane, bits, part * w->numt + lane);
        }
    return cy_next(u);
}

/* Every active lane writes the scalar: the last one's value wins.  Without an active lane nothing is written.  `pair`:
 * 64-bit elements go to an even pair of x registers; otherwise the low half is used, as in RVV. */
static const struct cy_uop *move_to_scalar(struct cy_warp *w, const struct cy_uop *u, unsigned bits, bool pair)
{
    unsigned d = u->d == 64 ? 0 : u->d;
    if (w->vtype & CY_VILL)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if (!fits(u->b, bits, 1) || (pair && d & 1))
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->b);
    if (!w->active)
        return cy_next(u);
    uint64_t value = sign_extend(read_element(w, u->b, 63 - (unsigned)__builtin_clzll(w->active), bits), bits);
    w->x[u->d] = (uint32_t)value;
    if (pair && d)
        w->x[d + 1] = (uint32_t)(value >> 32);
    return cy_next(u);
}

HANDLER(vmv_x_s)
{
    bool pair = modifier_of(w, cy_uop_insn(w, u)).pairs && !(u->d & 1);
    return move_to_scalar(w, u, hook_bits(w, u, u->b), pair);
}

HANDLER(vfmv_f_s)
{
    unsigned bits = hook_bits(w, u, u->b);
    return bits == 8 ? cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype) : move_to_scalar(w, u, bits, bits == 64);
}

/* Whole registers: the SIMT mask applies, vl and vtype do not.  imm = how many. */
static const struct cy_uop *move_registers(struct cy_warp *w, const struct cy_uop *u, unsigned count)
{
    if (u->d + count > 256 || u->b + count > 256)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->d);
    for (unsigned i = 0; i < count; i++)
        for (unsigned lane = 0; lane < w->numt; lane++)
            if (w->mask >> lane & 1)
                cy_vreg(w, u->d + i)[lane] = cy_vreg(w, u->b + i)[lane];
    return cy_next(u);
}
HANDLER(vmv1r_v)
{
    return move_registers(w, u, 1);
}
HANDLER(vmv2r_v)
{
    return move_registers(w, u, 2);
}
HANDLER(vmv4r_v)
{
    return move_registers(w, u, 4);
}
HANDLER(vmv8r_v)
{
    return move_registers(w, u, 8);
}

/* One step of a matrix product: vd is rows x columns, vs1 rows x inner, vs2 columns x inner.  The dimensions follow
 * from the number of threads as in hardware; lanes beyond the product keep their values. */
HANDLER(vftta_vv)
{
    const uint32_t *a = cy_vreg(w, u->a), *b = cy_vreg(w, u->b);
    uint32_t *d = cy_vreg(w, u->d), sums[4 * 4];
    const unsigned rows = w->numt == 32 ? 4 : 2, columns = rows, inner = w->numt == 32 ? 8 : w->numt == 8 ? 4 : 2;
    const unsigned count = rows * columns < w->numt ? rows * columns : w->numt;
    bool masked = !u->imm; /* imm = vm */
    struct cy_eval e = {.fp = {.rm = w->frm}};
    if (w->vtype & CY_VILL || cy_sew(w) != 32)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if (w->frm > 4)
        return cy_fault(w, u, CY_FAULT_ILLEGAL, -1, 0);
    const uint64_t active = cy_part_active(w, 0, masked);
    for (unsigned i = 0; i < count; i++) {
        unsigned row = i / columns * inner, column = i % columns * inner;
        sums[i] = d[i];
        for (unsigned j = 0; j < inner && active >> i & 1; j++) /* the row vfmacc.vv is a * b + d, fused */
            sums[i] =
                (uint32_t)cy_evals_32[CY_OP_vfmacc_vv](&e, a[(row + j) % w->numt], b[(column + j) % w->numt], sums[i]);
    }
    memcpy(d, sums, count * sizeof(*d));
    w->fflags |= e.fp.flags;
    return cy_next(u);
}
