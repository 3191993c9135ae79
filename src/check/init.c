/* Which values were never written: one bit per bit in registers, one per byte in memory.  Copies are silent; a report is
 * made when such a value decides something: a branch, an address, or what a kernel writes to global memory. */
#include "check/check_priv.h"

#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

/* How undefined bits of the sources become those of the result. */
enum rule { DEFINED, OR, ADD, MUL, AND_BITS, OR_BITS, LEFT, RIGHT, RIGHT_SIGNED, ALL, BIT, MERGE };

static enum rule rule_of(const struct cy_insn *insn)
{
    if (cy_insns[insn->op].flags & (CY_F_LOAD | CY_F_STORE))
        return DEFINED;
    switch (insn->op) {
    case CY_OP_add:
    case CY_OP_addi:
    case CY_OP_addiw:
    case CY_OP_addw:
    case CY_OP_sub:
    case CY_OP_subw:
    case CY_OP_vadd_vv:
    case CY_OP_vadd_vx:
    case CY_OP_vadd_vi:
    case CY_OP_vadd12_vi:
    case CY_OP_vsub12_vi:
    case CY_OP_vsub_vv:
    case CY_OP_vsub_vx:
    case CY_OP_vrsub_vx:
    case CY_OP_vrsub_vi:
    case CY_OP_vmadd_vv:
    case CY_OP_vmadd_vx:
    case CY_OP_vmacc_vv:
    case CY_OP_vmacc_vx: return ADD;
    case CY_OP_mul:
    case CY_OP_vmul_vv:
    case CY_OP_vmul_vx: return MUL;
    case CY_OP_xor:
    case CY_OP_xori:
    case CY_OP_vxor_vv:
    case CY_OP_vxor_vx:
    case CY_OP_vxor_vi:
    case CY_OP_vmv_v_v:
    case CY_OP_vmv_v_x: return OR;
    case CY_OP_and:
    case CY_OP_andi:
    case CY_OP_vand_vv:
    case CY_OP_vand_vx:
    case CY_OP_vand_vi: return AND_BITS;
    case CY_OP_or:
    case CY_OP_ori:
    case CY_OP_vor_vv:
    case CY_OP_vor_vx:
    case CY_OP_vor_vi: return OR_BITS;
    case CY_OP_sll:
    case CY_OP_slli:
    case CY_OP_slliw:
    case CY_OP_sllw:
    case CY_OP_vsll_vv:
    case CY_OP_vsll_vx:
    case CY_OP_vsll_vi: return LEFT;
    case CY_OP_srl:
    case CY_OP_srli:
    case CY_OP_srliw:
    case CY_OP_srlw:
    case CY_OP_vsrl_vv:
    case CY_OP_vsrl_vx:
    case CY_OP_vsrl_vi: return RIGHT;
    case CY_OP_sra:
    case CY_OP_srai:
    case CY_OP_sraiw:
    case CY_OP_sraw:
    case CY_OP_vsra_vv:
    case CY_OP_vsra_vx:
    case CY_OP_vsra_vi: return RIGHT_SIGNED;
    case CY_OP_slt:
    case CY_OP_slti:
    case CY_OP_sltu:
    case CY_OP_sltiu: return BIT;
    case CY_OP_vmerge_vvm:
    case CY_OP_vmerge_vxm:
    case CY_OP_vmerge_vim: return MERGE;
    default: break;
    }
    switch (cy_insns[insn->op].format) {
    case CY_FORMAT_CVV:
    case CY_FORMAT_CVX:
    case CY_FORMAT_CVI:
    case CY_FORMAT_FCVV:
    case CY_FORMAT_FCVF: return BIT;
    default: return ALL;
    }
}

/* Which operands are pairs of registers: by the row, or by a prefix for even ones. */
static unsigned pairs_of(const struct cy_effects *effects)
{
    static const struct {
        enum cy_role role;
        unsigned pair;
    } all[] = {{CY_ROLE_A, PAIR_A}, {CY_ROLE_B, PAIR_B}, {CY_ROLE_RESULT, PAIR_D}};
    unsigned pairs = 0;
    for (size_t i = 0; (effects->is_wide || effects->has_pairs) && i < CY_COUNT(all); i++) {
        const struct cy_operand *operand = cy_effects_operand(effects, all[i].role);
        pairs |= operand && operand->count == 2 ? all[i].pair : 0;
    }
    return pairs;
}

void init_decode(struct op *op, const struct cy_insn *insn, const struct cy_effects *effects)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    enum cy_field fields[CY_MAX_OPERANDS];
    const size_t count = cy_format_operands(row->format, fields);
    for (size_t i = 0; i < count; i++) {
        const uint8_t number = (uint8_t)insn->operand[i];
        switch (fields[i]) {
        case CY_FIELD_vd: op->d = number, op->forms |= D_V; break;
        case CY_FIELD_rd: op->d = number, op->forms |= D_X; break;
        case CY_FIELD_vs1: op->a = number, op->forms |= A_V; break;
        case CY_FIELD_rs1: op->a = number, op->forms |= A_X; break;
        case CY_FIELD_vs2: op->b = number, op->forms |= B_V; break;
        case CY_FIELD_rs2: op->b = number, op->forms |= B_X; break;
        case CY_FIELD_vm: op->forms |= insn->operand[i] ? 0 : MASKED; break;
        case CY_FIELD_imm12:
        case CY_FIELD_simm5:
        case CY_FIELD_uimm5:
        case CY_FIELD_shamt: op->imm = insn->operand[i]; break;
        default: break;
        }
    }
    op->rule = (uint8_t)rule_of(insn);
    op->pairs = (uint8_t)pairs_of(effects);
    op->any_lane = row->flags & CY_F_ACC;                                   /* the old destination is a source too */
    op->c = row->format == CY_FORMAT_VLN ? (uint8_t)(insn->word >> 29) : 0; /* registers after the first */
    if (effects->flow == CY_FLOW_VECTOR_BRANCH)
        op->kind = OP_VECTOR_BRANCH;
    else if (effects->flow == CY_FLOW_BRANCH)
        op->kind = OP_BRANCH;
    else if (effects->flow == CY_FLOW_INDIRECT)
        op->kind = OP_JUMP;
    else if (op->forms & D_V)
        op->kind = OP_VECTOR_ALU;
    else if (op->forms & D_X)
        op->kind = OP_SCALAR_ALU;
    if (row->format == CY_FORMAT_SETRPC || row->format == CY_FORMAT_JOIN)
        op->kind = OP_NONE;
}

/* ---- registers ---- */

static bool is_v(const struct warp_state *s, unsigned number)
{
    return s->undefined_v[number >> 6] >> (number & 63) & 1;
}
static bool is_x(const struct warp_state *s, unsigned number)
{
    return s->undefined_x >> (number & 63) & 1;
}
static uint32_t *row_of(struct cy_check_launch *l, struct warp_state *s, const struct cy_warp *warp, unsigned number)
{
    if (!s->v && !(s->v = cy_try_alloc((size_t)CY_VGPRS * warp->numt * sizeof(uint32_t)))) {
        l->no_memory = true;
        return NULL;
    }
    return s->v + (size_t)number * warp->numt;
}
static void set_x(struct warp_state *s, unsigned number, uint32_t bits)
{
    if (!number)
        return;
    s->x[number & 63] = bits;
    s->undefined_x = bits ? s->undefined_x | 1ull << (number & 63) : s->undefined_x & ~(1ull << (number & 63));
}
static uint32_t get_x(const struct warp_state *s, unsigned number)
{
    return is_x(s, number) ? s->x[number & 63] : 0;
}

/* Undefined bits of active lanes of a vector register; the other lanes keep theirs. */
static void set_v(struct cy_check_launch *l, struct warp_state *s, const struct cy_warp *warp, unsigned number,
                  const uint32_t *bits, uint64_t lanes)
{
    const bool was = is_v(s, number);
    uint32_t any = 0, *row = NULL;
    for (uint64_t left = bits ? lanes : 0; left; left &= left - 1)
        any |= bits[__builtin_ctzll(left)];
    if (!any && !was)
        return;
    if (!(row = row_of(l, s, warp, number)))
        return;
    if (!was)
        memset(row, 0, warp->numt * sizeof(*row));
    for (uint64_t left = lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        row[lane] = bits ? bits[lane] : 0;
    }
    any = 0;
    for (unsigned i = 0; i < warp->numt; i++)
        any |= row[i];
    const uint64_t bit = 1ull << (number & 63);
    s->undefined_v[number >> 6] = any ? s->undefined_v[number >> 6] | bit : s->undefined_v[number >> 6] & ~bit;
}

static uint32_t get_v(const struct warp_state *s, const struct cy_warp *warp, unsigned number, unsigned lane)
{
    return is_v(s, number) ? s->v[(size_t)number * warp->numt + lane] : 0;
}

/* ---- computation ---- */

/* All bits from the lowest set one up: a carry can reach them. */
static uint32_t upwards(uint32_t bits)
{
    return bits | (0 - bits);
}

/* Of 64 bits, in pairs of registers; as spread() below. */
static uint64_t spread_pair(enum rule rule, uint64_t a, uint64_t ua, uint64_t b, uint64_t ub)
{
    const uint64_t any = ua | ub;
    switch (rule) {
    case DEFINED: return 0;
    case OR: return any;
    case ADD: return any | (0 - any);
    case MUL: return (!a && !ua) || (!b && !ub) ? 0 : any | (0 - any);
    case AND_BITS: return (ua & ub) | (ua & b) | (ub & a);
    case OR_BITS: return (ua & ub) | (ua & ~b) | (ub & ~a);
    case LEFT: return ua ? UINT64_MAX : ub << (a & 63);
    case RIGHT: return ua ? UINT64_MAX : ub >> (a & 63);
    case RIGHT_SIGNED: return ua ? UINT64_MAX : (uint64_t)((int64_t)ub >> (a & 63));
    case BIT: return any != 0;
    default: return any ? UINT64_MAX : 0;
    }
}

/* a, b: values; ua, ub: their undefined bits. */
static uint32_t spread(enum rule rule, uint32_t a, uint32_t ua, uint32_t b, uint32_t ub)
{
    switch (rule) {
    case DEFINED: return 0;
    case OR: return ua | ub;
    case ADD: return upwards(ua | ub);
    case MUL: return (!a && !ua) || (!b && !ub) ? 0 : upwards(ua | ub);
    case AND_BITS: return (ua & ub) | (ua & b) | (ub & a);
    case OR_BITS: return (ua & ub) | (ua & ~b) | (ub & ~a);
    case LEFT: return ua ? UINT32_MAX : ub << (a & 31); /* b is shifted by a */
    case RIGHT: return ua ? UINT32_MAX : ub >> (a & 31);
    case RIGHT_SIGNED: return ua ? UINT32_MAX : (uint32_t)((int32_t)ub >> (a & 31));
    case BIT: return (ua | ub) != 0;
    default: return ua | ub ? UINT32_MAX : 0;
    }
}

static bool has_undefined(const struct warp_state *s)
{
    return s->undefined_x | s->undefined_v[0] | s->undefined_v[1] | s->undefined_v[2] | s->undefined_v[3];
}

bool init_is_clean(const struct warp_state *state)
{
    return !has_undefined(state);
}

static uint64_t pair(uint32_t low, uint32_t high, bool is_pair)
{
    return is_pair ? (uint64_t)high << 32 | low : (uint64_t)(int64_t)(int32_t)low;
}

static void step_scalar_pair(struct warp_state *s, const struct cy_warp *warp, const struct op *op)
{
    const bool has_b = op->forms & B_X;
    const unsigned a2 = (op->a + 1) & 63, b2 = (op->b + 1) & 63;
    const uint64_t a = pair(warp->x[op->a], warp->x[a2], op->pairs & PAIR_A);
    const uint64_t ua = pair(get_x(s, op->a), get_x(s, a2), op->pairs & PAIR_A);
    const uint64_t b = has_b ? pair(warp->x[op->b], warp->x[b2], op->pairs & PAIR_B) : (uint64_t)(int64_t)op->imm;
    const uint64_t ub = has_b ? pair(get_x(s, op->b), get_x(s, b2), op->pairs & PAIR_B) : 0;
    const bool shifts = op->rule >= LEFT && op->rule <= RIGHT_SIGNED;
    const uint64_t bits =
        spread_pair((enum rule)op->rule, shifts ? b : a, shifts ? ub : ua, shifts ? a : b, shifts ? ua : ub);
    set_x(s, op->d, (uint32_t)bits);
    if (op->pairs & PAIR_D && op->d)
        set_x(s, op->d + 1, (uint32_t)(bits >> 32));
}

static bool is_any(const struct warp_state *s, unsigned number, bool is_pair)
{
    return is_v(s, number) || (is_pair && is_v(s, (number + 1) & 255));
}

static void step_vector_pair(struct cy_check_launch *l, struct warp_state *s, const struct cy_warp *warp,
                             const struct op *op)
{
    const bool pa = op->pairs & PAIR_A, pb = op->pairs & PAIR_B, pd = op->pairs & PAIR_D;
    const bool has_x = op->forms & A_X, has_a = op->forms & A_V, has_b = op->forms & B_V;
    uint32_t low[CY_MAX_LANES], high[CY_MAX_LANES];
    const bool from = (has_a && is_any(s, op->a, pa)) || (has_b && is_any(s, op->b, pb)) ||
                      (has_x && (is_x(s, op->a) || (pa && is_x(s, op->a + 1)))) ||
                      (op->any_lane && is_any(s, op->d, pd)) || (op->forms & MASKED && is_v(s, 0)) ||
                      (op->forms & MASKED && is_any(s, op->d, pd));
    if (!from && !is_any(s, op->d, pd))
        return;
    for (uint64_t left = warp->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint32_t *v = warp->v + lane;
        uint64_t a = (uint64_t)(int64_t)op->imm, ua = 0, b = (uint64_t)(int64_t)op->imm, ub = 0;
        if (has_a) {
            a = pair(v[(size_t)op->a * warp->numt], v[(op->a + 1u) * warp->numt], pa);
            ua = pair(get_v(s, warp, op->a, lane), get_v(s, warp, (op->a + 1) & 255, lane), pa);
        } else if (has_x) {
            a = pair(warp->x[op->a], warp->x[(op->a + 1) & 63], pa);
            ua = pair(get_x(s, op->a), get_x(s, (op->a + 1) & 63), pa);
        }
        if (has_b) {
            b = pair(v[(size_t)op->b * warp->numt], v[(op->b + 1u) * warp->numt], pb);
            ub = pair(get_v(s, warp, op->b, lane), get_v(s, warp, (op->b + 1) & 255, lane), pb);
        }
        uint64_t bits = from ? spread_pair((enum rule)op->rule, a, ua, b, ub) : 0;
        const uint64_t old = pair(get_v(s, warp, op->d, lane), get_v(s, warp, (op->d + 1) & 255, lane), pd);
        if (op->any_lane && old)
            bits = UINT64_MAX;
        if (op->forms & MASKED)
            bits |= old | (get_v(s, warp, 0, lane) ? UINT64_MAX : 0);
        low[lane] = (uint32_t)bits;
        high[lane] = (uint32_t)(bits >> 32);
    }
    set_v(l, s, warp, op->d, low, warp->active);
    if (pd)
        set_v(l, s, warp, (op->d + 1) & 255, high, warp->active);
}

/* a and b of the scalar rows are rs1 and rs2; a shift moves rs1 by rs2, the other way round than the vector rows. */
static void step_scalar(struct warp_state *s, const struct cy_warp *warp, const struct op *op)
{
    uint32_t a = op->forms & A_X ? warp->x[op->a] : 0, ua = op->forms & A_X ? get_x(s, op->a) : 0;
    uint32_t b = op->forms & B_X ? warp->x[op->b] : (uint32_t)op->imm, ub = op->forms & B_X ? get_x(s, op->b) : 0;
    if (op->forms & B_V) { /* a lane into a scalar register: the first one */
        b = warp->v[(size_t)op->b * warp->numt];
        ub = get_v(s, warp, op->b, 0);
    }
    if (op->rule >= LEFT && op->rule <= RIGHT_SIGNED)
        set_x(s, op->d, spread((enum rule)op->rule, b, ub, a, ua));
    else
        set_x(s, op->d, spread((enum rule)op->rule, a, ua, b, ub));
}

static void step_vector(struct cy_check_launch *l, struct warp_state *s, const struct cy_warp *warp,
                        const struct op *op)
{
    const bool from = (op->forms & A_V && is_v(s, op->a)) || (op->forms & A_X && is_x(s, op->a)) ||
                      (op->forms & B_V && is_v(s, op->b)) || (op->any_lane && is_v(s, op->d)) ||
                      ((op->forms & MASKED || op->rule == MERGE) && is_v(s, 0));
    uint32_t bits[CY_MAX_LANES];
    if (op->rule == DEFINED) {
        for (unsigned i = 0; i <= op->c; i++)
            set_v(l, s, warp, op->d + i, NULL, UINT64_MAX >> (64 - warp->numt));
        return;
    }
    if (!from) {
        if (is_v(s, op->d) && !(op->forms & MASKED))
            set_v(l, s, warp, op->d, NULL, warp->active);
        return;
    }
    const uint32_t *va = warp->v + (size_t)op->a * warp->numt, *vb = warp->v + (size_t)op->b * warp->numt;
    for (uint64_t left = warp->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint32_t a = op->forms & A_V ? va[lane] : op->forms & A_X ? warp->x[op->a] : (uint32_t)op->imm;
        const uint32_t b = op->forms & B_V ? vb[lane] : (uint32_t)op->imm;
        const uint32_t ua = op->forms & A_V ? get_v(s, warp, op->a, lane) : op->forms & A_X ? get_x(s, op->a) : 0;
        const uint32_t ub = op->forms & B_V ? get_v(s, warp, op->b, lane) : 0;
        const uint32_t ud = op->any_lane ? get_v(s, warp, op->d, lane) : 0;
        if (op->rule == MERGE) {
            const bool m = warp->run->mask_per_lane ? warp->v[lane] & 1 : warp->v[lane >> 5] >> (lane & 31) & 1;
            bits[lane] = is_v(s, 0) && get_v(s, warp, 0, lane) ? UINT32_MAX : m ? ua : ub;
        } else {
            bits[lane] = spread((enum rule)op->rule, a, ua, b, ub);
            if (ud)
                bits[lane] |= op->rule == ADD ? upwards(ud) : UINT32_MAX;
            if (op->forms & MASKED)
                bits[lane] |= get_v(s, warp, op->d, lane) | (get_v(s, warp, 0, lane) ? UINT32_MAX : 0);
        }
    }
    set_v(l, s, warp, op->d, bits, warp->active);
}

/* ---- decisions ---- */

static void found(struct cy_check_launch *l, enum kind kind, uint32_t pc, uint32_t item, const char *text,
                  const struct object *object)
{
    if (!report_is_new(l, kind, pc, 0, 0))
        return;
    struct finding f = {.kind = kind, .self = {pc, item, ""}, .object = object};
    snprintf(f.text, sizeof(f.text), "%s", text);
    report_show(l, &f);
}

static uint32_t item_at(const struct warp_state *s, const struct cy_warp *warp, uint64_t lanes)
{
    return s->group->first + warp->tid + (lanes ? (unsigned)__builtin_ctzll(lanes) : 0) + 1;
}

/* Does the undefined part decide the comparison? */
static bool decides(const struct op *op, uint32_t a, uint32_t ua, uint32_t b, uint32_t ub)
{
    const enum cy_op row = op->insn->op;
    const uint32_t undefined = ua | ub;
    if (!undefined)
        return false;
    if (row == CY_OP_beq || row == CY_OP_bne || row == CY_OP_vbeq || row == CY_OP_vbne)
        return !((a ^ b) & ~undefined);
    if (row == CY_OP_blt || row == CY_OP_bge || row == CY_OP_vblt || row == CY_OP_vbge)
        if (((!a && !ua) || (!b && !ub)) && !(undefined >> 31))
            return (row == CY_OP_vblt || row == CY_OP_vbge || row == CY_OP_blt || row == CY_OP_bge) && (!a || !b) &&
                   !(((a | b) >> 31) & 1); /* the sign is known: only x > 0 depends on the rest */
    return true;
}

static void step_branch(struct cy_check_launch *l, struct warp_state *s, const struct cy_warp *warp, uint32_t pc,
                        const struct op *op)
{
    static const char text[] = "a branch depends on a value that was never written";
    if (op->kind == OP_BRANCH) {
        if (decides(op, warp->x[op->a], get_x(s, op->a), warp->x[op->b], get_x(s, op->b)))
            found(l, K_BRANCH_UNDEFINED, pc, item_at(s, warp, warp->active), text, NULL);
        return;
    }
    if (!is_v(s, op->a) && !is_v(s, op->b))
        return;
    for (uint64_t left = warp->active; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (decides(op, warp->v[(size_t)op->a * warp->numt + lane], get_v(s, warp, op->a, lane),
                    warp->v[(size_t)op->b * warp->numt + lane], get_v(s, warp, op->b, lane)))
            found(l, K_BRANCH_UNDEFINED, pc, item_at(s, warp, 1ull << lane), text, NULL);
    }
}

void init_step(struct cy_check_launch *l, struct cy_warp *warp, struct warp_state *state, uint32_t pc,
               const struct op *op)
{
    if (LIKELY(!has_undefined(state)))
        return;
    switch ((enum op_kind)op->kind) {
    case OP_SCALAR_ALU: (op->pairs ? step_scalar_pair : step_scalar)(state, warp, op); break;
    case OP_VECTOR_ALU: (op->pairs && op->rule != DEFINED ? step_vector_pair : step_vector)(l, state, warp, op); break;
    case OP_BRANCH:
    case OP_VECTOR_BRANCH: step_branch(l, state, warp, pc, op); break;
    case OP_JUMP: set_x(state, op->d, 0); break;
    default: break;
    }
}

void init_address(struct cy_check_launch *l, const struct access *a)
{
    const struct op *op = a->op;
    struct warp_state *s = a->state;
    static const char text[] = "the address of an access comes from a value that was never written";
    if (LIKELY(!has_undefined(s)))
        return;
    if (op->kind == OP_SCALAR || op->kind == OP_UNIT || op->kind == OP_STRIDED || op->kind == OP_INDEXED) {
        if (get_x(s, op->a) | (op->wide ? get_x(s, op->a + 1) : 0) | (op->kind == OP_STRIDED ? get_x(s, op->b) : 0))
            found(l, K_ADDRESS_UNDEFINED, a->pc, item_at(s, a->warp, a->warp->active), text, NULL);
        if (op->kind != OP_INDEXED)
            return;
    }
    const unsigned number = op->kind == OP_INDEXED ? op->b : op->a;
    const bool wide = op->wide && op->kind != OP_INDEXED;
    for (uint64_t left = is_any(s, number, wide) ? a->lanes : 0; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        if (get_v(s, a->warp, number, lane) | (wide ? get_v(s, a->warp, number + 1, lane) : 0))
            found(l, K_ADDRESS_UNDEFINED, a->pc, item_at(s, a->warp, 1ull << lane), text, NULL);
    }
}

/* ---- memory ---- */

static uint32_t size_mask(unsigned size)
{
    return size == 4 ? UINT32_MAX : (1u << 8 * size) - 1;
}

/* Undefined bits of a register from the defined bytes of memory; a sign extension spreads the highest. */
static uint32_t bits_from(unsigned defined, unsigned size, bool is_signed)
{
    uint32_t bits = 0;
    for (unsigned i = 0; i < size; i++)
        bits |= defined >> i & 1 ? 0 : 0xffu << 8 * i;
    if (is_signed && size < 4 && bits >> (8 * size - 1) & 1)
        bits |= ~size_mask(size);
    return bits;
}

static bool is_sign_extended(const struct op *op)
{
    return !(op->insn->word >> 14 & 1);
}

/* The defined bytes of an access. */
static unsigned defined_of(const struct cell *cell, unsigned size, uint64_t address)
{
    return (cell->w & 15) >> (address & 3) & ((1u << size) - 1);
}

/* With `fields`, a byte that has a defined bit-field counts as defined. */
static void define(struct cell *cell, unsigned size, uint64_t address, uint32_t undefined, bool fields)
{
    unsigned bytes = 0;
    for (unsigned i = 0; i < size; i++) {
        const uint32_t byte = undefined >> 8 * i & 0xff;
        bytes |= (byte && !(fields && byte != 0xff) ? 0u : 1u) << i;
    }
    const unsigned shift = address & 3, mask = ((1u << size) - 1) << shift & 15;
    cell->w = (cell->w & ~mask) | (bytes << shift & mask);
}

/* The undefined bits of what a lane stores. */
static uint32_t stored_bits(const struct access *a, unsigned lane)
{
    const struct op *op = a->op;
    if (op->kind == OP_SCALAR)
        return get_x(a->state, op->b) & size_mask(op->size);
    return get_v(a->state, a->warp,
                 op->kind == OP_UNIT || op->kind == OP_STRIDED || op->kind == OP_INDEXED ? op->d : op->b, lane) &
           size_mask(op->size);
}

static void loaded(struct cy_check_launch *l, const struct access *a, const uint32_t *bits)
{
    if (a->uniform)
        set_x(a->state, a->op->d, bits[0]);
    else
        set_v(l, a->state, a->warp, a->op->d, bits, a->lanes);
}

static void stored(struct cy_check_launch *l, const struct access *a, unsigned lane, uint32_t undefined, bool local)
{
    const struct object *object;
    if (!undefined || local || a->state->copying || !(object = find_object(&l->global, address_of(a, lane))))
        return;
    found(l, K_STORE_UNDEFINED, a->pc, item_at(a->state, a->warp, a->uniform ? a->warp->active : 1ull << lane),
          "the kernel writes a value to global memory that was never written itself", object);
}

void init_access(struct cy_check_launch *l, const struct access *a, bool local)
{
    const struct op *op = a->op;
    const bool store = op->store, load = !store || op->atomic, dirty = has_undefined(a->state);
    uint32_t bits[CY_MAX_LANES], any = 0;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint64_t address = address_of(a, lane);
        struct cell *cell = cell_of(l, a->state->group, local, address, op->size);
        if (!cell) {
            l->no_memory = true;
            return;
        }
        bits[lane] = 0;
        if (load) {
            const unsigned defined = defined_of(cell, op->size, address);
            if (UNLIKELY(defined != (1u << op->size) - 1))
                any |= bits[lane] = bits_from(defined, op->size, is_sign_extended(op));
        }
        if (store) {
            const uint32_t undefined = dirty ? stored_bits(a, lane) : 0;
            if (UNLIKELY(undefined))
                stored(l, a, lane, undefined, local);
            if (!op->atomic)
                define(cell, op->size, address, undefined, a->state->copying);
            else if (undefined | bits[lane])
                define(cell, op->size, address,
                       op->insn->op == CY_OP_amoswap_w || op->insn->op == CY_OP_amoswap_d ? undefined
                                                                                          : undefined | bits[lane],
                       false);
        }
    }
    if (load && (any || dirty))
        loaded(l, a, bits);
}

/* Private memory: a bit per bit, by address in the device, since bit-fields are put together there. */
static uint32_t *private_bits(struct cy_check_launch *l, uint64_t address)
{
    if (UNLIKELY(address < l->private_base || address - l->private_base >= l->private_bytes)) {
        /* grows in both directions as warps of other SMs come */
        const uint64_t end = l->private_base + l->private_bytes, above = (address | 0xffff) + 1;
        const uint64_t low = l->private_bytes && l->private_base < address ? l->private_base : address & ~0xffffull;
        const uint64_t high = above > end ? above : end;
        uint32_t *grown = cy_try_alloc(high - low);
        if (!grown) {
            l->no_memory = true;
            return NULL;
        }
        memset(grown, 0xff, high - low);
        if (l->private_bytes)
            memcpy((char *)grown + (l->private_base - low), l->private_undefined, l->private_bytes);
        cy_free(l->private_undefined);
        l->private_undefined = grown;
        l->private_base = (uint32_t)low;
        l->private_bytes = high - low;
    }
    return &l->private_undefined[(address - l->private_base) / 4];
}

void init_forget_private(struct cy_check_launch *l, const struct cy_warp *w)
{
    for (uint32_t at = 0; at < w->pds_size; at += 4) {
        const uint64_t address = w->pds + (uint64_t)at * w->numw * w->numt + 4ull * w->tid;
        if (address >= l->private_base && address - l->private_base + 4ull * w->numt <= l->private_bytes)
            memset(&l->private_undefined[(address - l->private_base) / 4], 0xff, 4ull * w->numt);
    }
}

void init_private(struct cy_check_launch *l, const struct access *a)
{
    const struct op *op = a->op;
    const struct cy_warp *w = a->warp;
    const bool dirty = has_undefined(a->state);
    uint32_t bits[CY_MAX_LANES], any = 0;
    for (uint64_t left = a->lanes; left; left &= left - 1) {
        const unsigned lane = (unsigned)__builtin_ctzll(left);
        const uint32_t at = a->address[lane], shift = 8 * (at & 3), mask = size_mask(op->size) << shift;
        /* a function saves registers by their address in the device */
        uint32_t *word = private_bits(l, op->kind == OP_PRIVATE ? w->pds + (uint64_t)(at & ~3u) * w->numw * w->numt +
                                                                      4ull * (w->tid + lane)
                                                                : at);
        if (!word)
            return;
        if (op->store) {
            *word = (*word & ~mask) | (dirty ? stored_bits(a, lane) << shift : 0);
            continue;
        }
        bits[lane] = (*word & mask) >> shift;
        if (UNLIKELY(bits[lane] && op->size < 4 && is_sign_extended(op) && bits[lane] >> (8 * op->size - 1)))
            bits[lane] |= ~size_mask(op->size);
        any |= bits[lane];
    }
    if (!op->store && (any || dirty))
        loaded(l, a, bits);
}

/* The warp's stack, arguments and print buffers: only the stack can hold what is undefined. */
void init_driver(struct cy_check_launch *l, const struct access *a)
{
    if (a->address[a->uniform ? 0 : __builtin_ctzll(a->lanes)] - a->warp->lds < a->state->group->stacks) {
        init_access(l, a, true);
        return;
    }
    if (!a->uniform && a->op->size == 4 &&
        a->address[__builtin_ctzll(a->lanes)] - a->warp->pds <
            (uint64_t)a->warp->pds_size * a->warp->numw * a->warp->numt)
        init_private(l, a);
    else if (!a->op->store)
        init_defined(l, a);
}

void init_undefined(struct cy_check_launch *l, const struct access *a)
{
    uint32_t bits[CY_MAX_LANES];
    memset(bits, 0xff, sizeof(bits));
    loaded(l, a, bits);
}

void init_defined(struct cy_check_launch *l, const struct access *a)
{
    static const uint32_t none[CY_MAX_LANES];
    if (has_undefined(a->state))
        loaded(l, a, none);
}
