/* Vector and scalar expressions in general: any SEW and LMUL, v0 masks, register pairs, and the sources changed by the
 * gen2 prefix.  Element by element through cy_eval; the common case never comes here (exec_lanes.c).
 *
 * Elements narrower than 32 bits are kept sign-extended in their 32-bit lane; 64-bit elements are even register pairs,
 * low half first.  With LMUL 2 elements num_thread and up live in the next register (or pair). */
#include "gpu/engine_priv.h"
#include "gpu/eval.h"

#define HANDLER(id) const struct cy_uop *cy_exec_##id(struct cy_warp *w, const struct cy_uop *u)

enum source { NOTHING, VECTOR1, SCALAR, IMMEDIATE, VECTOR1_WIDE };
enum result { ELEMENT, BIT, PACKED_BIT, BRANCH };

/* What a format means here. */
struct shape {
    enum source a;
    bool b, b_wide, d_wide, is_float, is_signed;
    enum result result;
};

static struct shape shape_of(enum cy_format format)
{
    switch (format) {
    case CY_FORMAT_VV:
    case CY_FORMAT_MAC:
    case CY_FORMAT_VVM: return (struct shape){.a = VECTOR1, .b = true};
    case CY_FORMAT_VX:
    case CY_FORMAT_MACX:
    case CY_FORMAT_VXM: return (struct shape){.a = SCALAR, .b = true};
    case CY_FORMAT_VI:
    case CY_FORMAT_VU:
    case CY_FORMAT_VIM: return (struct shape){.a = IMMEDIATE, .b = true};
    case CY_FORMAT_V1: return (struct shape){.b = true};
    case CY_FORMAT_MVV: return (struct shape){.a = VECTOR1};
    case CY_FORMAT_MVX: return (struct shape){.a = SCALAR};
    case CY_FORMAT_MVI: return (struct shape){.a = IMMEDIATE};
    case CY_FORMAT_VI12: return (struct shape){.a = VECTOR1};
    case CY_FORMAT_CVV:
    case CY_FORMAT_CVVM:
    case CY_FORMAT_CVVN: return (struct shape){.a = VECTOR1, .b = true, .result = BIT};
    case CY_FORMAT_CVX:
    case CY_FORMAT_CVXM:
    case CY_FORMAT_CVXN: return (struct shape){.a = SCALAR, .b = true, .result = BIT};
    case CY_FORMAT_CVI:
    case CY_FORMAT_CVIM:
    case CY_FORMAT_CVIN: return (struct shape){.a = IMMEDIATE, .b = true, .result = BIT};
    case CY_FORMAT_MM: return (struct shape){.a = VECTOR1, .b = true, .result = PACKED_BIT};
    case CY_FORMAT_VB: return (struct shape){.a = VECTOR1, .b = true, .result = BRANCH};
    case CY_FORMAT_FVV:
    case CY_FORMAT_FMAC: return (struct shape){.a = VECTOR1, .b = true, .is_float = true};
    case CY_FORMAT_FVF:
    case CY_FORMAT_FMACF:
    case CY_FORMAT_FVFM: return (struct shape){.a = SCALAR, .b = true, .is_float = true};
    case CY_FORMAT_F1: return (struct shape){.b = true, .is_float = true};
    case CY_FORMAT_FCVV: return (struct shape){.a = VECTOR1, .b = true, .is_float = true, .result = BIT};
    case CY_FORMAT_FCVF: return (struct shape){.a = SCALAR, .b = true, .is_float = true, .result = BIT};
    case CY_FORMAT_WVV:
    case CY_FORMAT_WMAC: return (struct shape){.a = VECTOR1, .b = true, .d_wide = true};
    case CY_FORMAT_WVX:
    case CY_FORMAT_WMACX: return (struct shape){.a = SCALAR, .b = true, .d_wide = true};
    case CY_FORMAT_WWV: return (struct shape){.a = VECTOR1_WIDE, .b = true, .b_wide = true, .d_wide = true};
    case CY_FORMAT_WWX: return (struct shape){.a = SCALAR, .b = true, .b_wide = true, .d_wide = true};
    case CY_FORMAT_FWVV:
    case CY_FORMAT_FWMAC: return (struct shape){.a = VECTOR1, .b = true, .d_wide = true, .is_float = true};
    case CY_FORMAT_FWVF:
    case CY_FORMAT_FWMACF: return (struct shape){.a = SCALAR, .b = true, .d_wide = true, .is_float = true};
    case CY_FORMAT_FWWV: return (struct shape){.a = VECTOR1_WIDE, .b = true, .b_wide = true, .d_wide = true, .is_float = true};
    case CY_FORMAT_FWWF: return (struct shape){.a = SCALAR, .b = true, .b_wide = true, .d_wide = true, .is_float = true};
    case CY_FORMAT_FW1: return (struct shape){.b = true, .d_wide = true, .is_float = true};
    default: return (struct shape){0};
    }
}

/* ---- what a prefix changes ---- */

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
        modifier.pairs = insn->prefix >> 19 & 1;
        modifier.abs = insn->prefix >> 16 & 7;
        modifier.neg = insn->prefix >> 13 & 7;
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
    unsigned sew, a_bits, b_bits, d_bits, eval_bits;
    uint64_t scalar; /* source a when it is not a vector */
    struct cy_eval e;
    cy_eval_fn *eval;
};

static bool wants_pair(const struct job *job, unsigned number)
{
    return job->modifier.pairs && !(number & 1);
}

/* The scalar or immediate source.  64-bit floating point takes an even pair of x registers, integers extend rs1 by the
 * sign of the operation (vwaddu.wx: zero). */
static bool scalar_source(struct cy_warp *w, const struct cy_uop *u, struct job *job)
{
    bool zero_extends = job->row->format == CY_FORMAT_WWX && (job->insn->op == CY_OP_vwaddu_wx || job->insn->op == CY_OP_vwsubu_wx);
    if (job->shape.a == IMMEDIATE) {
        job->scalar = (uint64_t)(int64_t)u->imm;
    } else if (job->shape.a == SCALAR) {
        bool pair = wants_pair(job, u->a) || (job->shape.is_float && job->a_bits == 64);
        if (pair && u->a & 1)
            return false;
        job->scalar = pair           ? (uint64_t)(u->a ? w->x[u->a + 1] : 0) << 32 | w->x[u->a]
                      : zero_extends ? w->x[u->a]
                                     : (uint64_t)(int64_t)(int32_t)w->x[u->a];
    }
    return true;
}

/* Sets up widths; false: a width or register the operation cannot have. */
static enum cy_fault_kind prepare(struct cy_warp *w, const struct cy_uop *u, struct job *job)
{
    unsigned parts = cy_lmul(w), sew = job->modifier.pairs ? 64 : cy_sew(w);
    if (w->vtype & CY_VILL)
        return CY_FAULT_VTYPE;
    job->sew = sew;
    job->eval_bits = sew;
    if ((job->shape.is_float && sew == 8) || (job->shape.d_wide && sew == 64))
        return CY_FAULT_VTYPE;
    if (job->row->format == CY_FORMAT_V1 && sew / (1u << (4 - (job->insn->word >> 16 & 3))) < 8)
        return CY_FAULT_VTYPE; /* vzext.vf8 needs SEW 64, .vf4 32, .vf2 16 */
    job->a_bits = job->shape.a == VECTOR1_WIDE ? 2 * sew : sew;
    job->b_bits = job->shape.b_wide ? 2 * sew : sew;
    job->d_bits = job->shape.d_wide ? 2 * sew : sew;
    if (job->modifier.pairs) { /* odd registers stay 32 bits; floating point cannot mix */
        if (u->a & 1 && job->shape.a == VECTOR1)
            job->a_bits = 32;
        if (u->b & 1 && job->shape.b)
            job->b_bits = 32;
        if (u->d & 1)
            job->d_bits = 32;
        if (job->shape.is_float && (job->a_bits != 64 || job->b_bits != 64 || (job->d_bits != 64 && job->shape.result == ELEMENT)))
            return CY_FAULT_REGISTER;
    }
    bool a_vector = job->shape.a == VECTOR1 || job->shape.a == VECTOR1_WIDE;
    bool bit = job->shape.result != ELEMENT;
    if ((a_vector && job->a_bits == 64 && u->a & 1) || (job->shape.b && job->b_bits == 64 && u->b & 1) ||
        (!bit && job->d_bits == 64 && u->d & 1))
        return CY_FAULT_REGISTER;
    unsigned widest = parts * (sew == 64 || job->d_bits == 64 ? 2 : 1);
    if ((a_vector && u->a + widest > 256) || (job->shape.b && u->b + widest > 256) || (!bit && u->d + widest > 256))
        return CY_FAULT_REGISTER;
    return scalar_source(w, u, job) ? CY_FAULT_NONE : CY_FAULT_REGISTER;
}

static uint64_t element(struct cy_warp *w, const struct cy_uop *u, struct job *job, unsigned lane, unsigned part)
{
    const struct shape *shape = &job->shape;
    uint64_t a = job->scalar, b = 0;
    if (shape->a == VECTOR1 || shape->a == VECTOR1_WIDE)
        a = read_element(w, group_register(u->a, part, job->a_bits), lane, job->a_bits);
    if (shape->b)
        b = read_element(w, group_register(u->b, part, job->b_bits), lane, job->b_bits);
    uint64_t d = shape->result == ELEMENT ? read_element(w, group_register(u->d, part, job->d_bits), lane, job->d_bits) : 0;
    if (job->modifier.pairs) { /* 32-bit operands among pairs take part sign-extended */
        a = job->a_bits == 32 ? sign_extend(a, 32) : a;
        b = job->b_bits == 32 ? sign_extend(b, 32) : b;
        d = job->d_bits == 32 ? sign_extend(d, 32) : d;
    }
    if (job->modifier.abs | job->modifier.neg) {
        a = modify(&job->modifier, 0, a, job->modifier.pairs ? 64 : job->a_bits, shape->is_float);
        b = modify(&job->modifier, 1, b, job->modifier.pairs ? 64 : job->b_bits, shape->is_float);
        d = modify(&job->modifier, 2, d, job->modifier.pairs ? 64 : job->d_bits, shape->is_float);
    }
    if (job->row->format == CY_FORMAT_VI12)
        b = (uint64_t)(int64_t)u->imm;
    job->e.mask = cy_mask_bit(w, lane);
    return job->eval(&job->e, a, b, d);
}

/* vmand.mm and its kin: bit i of the packed masks for every active lane i, or lane by lane. */
static void mask_logic(struct cy_warp *w, const struct cy_uop *u, cy_eval_fn *eval)
{
    struct cy_eval e = {0};
    const uint32_t *a = cy_vreg(w, u->a), *b = cy_vreg(w, u->b);
    uint32_t *d = cy_vreg(w, u->d);
    if (w->run->mask_per_lane) {
        for (unsigned lane = 0; lane < w->numt; lane++)
            if (w->active >> lane & 1)
                d[lane] = (uint32_t)eval(&e, a[lane], b[lane], 0) & 1;
        return;
    }
    for (unsigned word = 0; word * 32 < w->numt; word++) {
        uint32_t bits = (uint32_t)(w->active >> (32 * word));
        d[word] = ((uint32_t)eval(&e, a[word], b[word], 0) & bits) | (d[word] & ~bits);
    }
}

const struct cy_uop *cy_general(struct cy_warp *w, const struct cy_uop *u)
{
    struct job job = {.insn = cy_uop_insn(w, u)};
    job.row = &cy_insns[job.insn->op];
    job.shape = shape_of(job.row->format);
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
    uint64_t taken = 0;
    unsigned parts = job.shape.result == BRANCH ? 1 : cy_lmul(w);
    for (unsigned part = 0; part < parts; part++)
        for (unsigned lane = 0; lane < w->numt; lane++) {
            bool active = w->mask >> lane & 1 && part * w->numt + lane < w->vl && (!masked || cy_mask_bit(w, lane));
            if (!active)
                continue;
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

/* ---- scalar expressions under a pair or abs/neg prefix ---- */

static uint64_t scalar_operand(const struct cy_warp *w, const struct job *job, unsigned number)
{
    if (!job->modifier.pairs)
        return w->x[number];
    return wants_pair(job, number) ? (uint64_t)(number ? w->x[number + 1] : 0) << 32 | w->x[number]
                                   : sign_extend(w->x[number], 32);
}

const struct cy_uop *cy_scalar_general(struct cy_warp *w, const struct cy_uop *u)
{
    struct job job = {.insn = cy_uop_insn(w, u)};
    job.row = &cy_insns[job.insn->op];
    job.modifier = modifier_of(w, job.insn);
    enum cy_format format = job.row->format;
    bool is_float = format >= CY_FORMAT_FR && format <= CY_FORMAT_FR4;
    bool immediate = format == CY_FORMAT_I || format == CY_FORMAT_SHIFT || format == CY_FORMAT_I64 || format == CY_FORMAT_SHIFT64;
    unsigned bits = job.modifier.pairs || job.row->flags & CY_F_WIDE ? 64 : 32, rm = is_float ? (unsigned)u->imm >> 8 : 0;
    unsigned d = u->d == 64 ? 0 : u->d;
    job.e = (struct cy_eval){.fp = {.rm = (uint8_t)(rm == 7 ? w->frm : rm)}};
    if (job.e.fp.rm > 4)
        return cy_fault(w, u, CY_FAULT_ILLEGAL, -1, 0);
    if (is_float && job.modifier.pairs && (u->a | u->b | d) & 1)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, d);
    if (job.row->flags & CY_F_WIDE)
        job.modifier.pairs = true;
    uint64_t a = modify(&job.modifier, 0, scalar_operand(w, &job, u->a), bits, is_float);
    uint64_t b = immediate ? (uint64_t)(int64_t)u->imm : modify(&job.modifier, 1, scalar_operand(w, &job, u->b), bits, is_float);
    uint64_t c = is_float ? modify(&job.modifier, 2, scalar_operand(w, &job, (unsigned)u->imm & 63), bits, is_float) : 0;
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

HANDLER(vid_v)
{
    unsigned parts = cy_lmul(w), bits = cy_sew(w);
    bool masked = !u->imm; /* imm = vm */
    if (w->vtype & CY_VILL)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if ((bits == 64 && u->d & 1) || u->d + parts * (bits == 64 ? 2 : 1) > 256)
        return cy_fault(w, u, CY_FAULT_REGISTER, -1, u->d);
    for (unsigned part = 0; part < parts; part++)
        for (unsigned lane = 0; lane < w->numt; lane++)
            if (w->mask >> lane & 1 && part * w->numt + lane < w->vl && (!masked || cy_mask_bit(w, lane)))
                write_element(w, group_register(u->d, part, bits), lane, bits, part * w->numt + lane);
    return cy_next(u);
}

/* Every active lane writes the scalar: the last one's value stays.  Without an active lane nothing is written. */
HANDLER(vmv_x_s)
{
    if (w->vtype & CY_VILL)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if (w->active)
        w->x[u->d] = cy_vreg(w, u->b)[63 - __builtin_clzll(w->active)];
    return cy_next(u);
}

HANDLER(vfmv_f_s) { return cy_exec_vmv_x_s(w, u); }

/* Whole registers: the SIMT mask counts, vl and vtype do not.  imm = how many. */
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
HANDLER(vmv1r_v) { return move_registers(w, u, 1); }
HANDLER(vmv2r_v) { return move_registers(w, u, 2); }
HANDLER(vmv4r_v) { return move_registers(w, u, 4); }
HANDLER(vmv8r_v) { return move_registers(w, u, 8); }

/* vd[i] += sum over j < L/4 of vs1[(i>>2)*8 + j] * vs2[(i&3)*8 + j] for i < L/2, fused, indices modulo L. */
HANDLER(vftta_vv)
{
    const uint32_t *a = cy_vreg(w, u->a), *b = cy_vreg(w, u->b);
    uint32_t *d = cy_vreg(w, u->d), sums[CY_MAX_LANES / 2];
    unsigned n = w->numt;
    bool masked = !u->imm; /* imm = vm */
    struct cy_eval e = {.fp = {.rm = w->frm}};
    if (w->vtype & CY_VILL || cy_sew(w) != 32)
        return cy_fault(w, u, CY_FAULT_VTYPE, -1, w->vtype);
    if (w->frm > 4)
        return cy_fault(w, u, CY_FAULT_ILLEGAL, -1, 0);
    for (unsigned i = 0; i < n / 2; i++) {
        sums[i] = d[i];
        if (w->active >> i & 1 && (!masked || cy_mask_bit(w, i)))
            for (unsigned j = 0; j < n / 4; j++) /* the row vfmacc.vv is a * b + d, fused */
                sums[i] = (uint32_t)cy_evals_32[CY_OP_vfmacc_vv](&e, a[((i >> 2) * 8 + j) % n], b[((i & 3) * 8 + j) % n], sums[i]);
    }
    for (unsigned i = 0; i < n / 2; i++)
        d[i] = sums[i];
    w->fflags |= e.fp.flags;
    return cy_next(u);
}
