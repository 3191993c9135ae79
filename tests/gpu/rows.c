/* Every row of the tables runs: in every lane count, with all lanes or some, SEW 8 to 64, LMUL 1 and 2.  It must not
 * fault, and touch only what it may: inactive lanes keep their destination, other registers and memory stay, x0 is 0. */
#include "gpu/random.h"

static const unsigned lane_counts[] = {4, 8, 16, 32, 64};
static struct snapshot before, after;

/* What one instruction may change. */
struct effect {
    int x, x_count; /* sGPRs from x on */
    int v, v_count; /* vGPRs from v on, `per_part` of them for each part of a group */
    int per_part;
    bool whole;  /* vl does not apply, only the SIMT mask */
    bool packed; /* the destination is a packed mask: its lanes stand for bits */
    bool store;
};

struct setting {
    unsigned lanes, sew, lmul;
};

static bool is_float_vector(enum cy_op op)
{
    return has_field(op, CY_FIELD_vs2) &&
           (cy_insns[op].id[0] == 'v' && (cy_insns[op].id[1] == 'f' || !strncmp(cy_insns[op].id, "vmf", 3)));
}

/* Can the row run with this SEW at all? */
static bool allows(enum cy_op op, unsigned sew)
{
    enum cy_format format = cy_insns[op].format;
    bool widens = cy_insns[op].flags & CY_F_WIDE && cy_insns[op].id[0] == 'v' && !has_field(op, CY_FIELD_imm12) &&
                  !has_field(op, CY_FIELD_simm12);
    if (op == CY_OP_vftta_vv)
        return sew == 32;
    if (format == CY_FORMAT_V1)
        return sew >= 8u * (unsigned)(cy_insns[op].mnemonic[strlen(cy_insns[op].mnemonic) - 1] - '0');
    if (sew == 8 && (is_float_vector(op) || op == CY_OP_vfmv_v_f || op == CY_OP_vfmv_s_f))
        return false;
    return !(widens && sew == 64);
}

static struct effect effect_of(struct cy_insn *insn, const struct setting *s)
{
    const struct cy_insn_info *row = &cy_insns[insn->op];
    struct effect e = {.x = -1, .v = -1, .per_part = 1, .store = row->flags & (CY_F_STORE | CY_F_ATOMIC)};
    const int32_t rd = get_operand(insn, CY_FIELD_rd, -1), vd = get_operand(insn, CY_FIELD_vd, -1);
    const bool pair = s->sew == 64;
    if (rd >= 0)
        e.x = rd, e.x_count = row->format == CY_FORMAT_R64 || row->format == CY_FORMAT_I64 ||
                                      row->format == CY_FORMAT_SHIFT64 || (insn->op == CY_OP_vfmv_f_s && pair)
                                  ? 2
                                  : 1;
    if (vd < 0)
        return e;
    e.v = vd;
    e.v_count = (int)s->lmul;
    switch (row->format) {
    case CY_FORMAT_MVR:
        e.whole = true;
        e.v_count = insn->op == CY_OP_vmv1r_v ? 1 : insn->op == CY_OP_vmv2r_v ? 2 : insn->op == CY_OP_vmv4r_v ? 4 : 8;
        break;
    case CY_FORMAT_VLN:
        e.whole = true;
        e.packed = insn->op == CY_OP_vlm_v;
        e.v_count = e.packed ? 1 : (int)(insn->word >> 29) + 1;
        break;
    case CY_FORMAT_MM:
        e.packed = true;
        e.v_count = 1;
        break;
    case CY_FORMAT_AMO:
    case CY_FORMAT_LR:
    case CY_FORMAT_VL12:
    case CY_FORMAT_VL12D:
    case CY_FORMAT_VLP: e.v_count = 1; break;
    case CY_FORMAT_VL:
    case CY_FORMAT_VLS: e.per_part = access_size(insn, s->sew) == 8 ? 2 : 1; break;
    case CY_FORMAT_VLX: e.per_part = pair ? 2 : 1; break;
    case CY_FORMAT_CVV:
    case CY_FORMAT_CVX:
    case CY_FORMAT_CVI:
    case CY_FORMAT_CVVM:
    case CY_FORMAT_CVXM:
    case CY_FORMAT_CVIM:
    case CY_FORMAT_CVVN:
    case CY_FORMAT_CVXN:
    case CY_FORMAT_CVIN:
    case CY_FORMAT_FCVV:
    case CY_FORMAT_FCVF: break;
    default: e.per_part = pair || (row->flags & CY_F_WIDE && s->sew == 32) ? 2 : 1; break;
    }
    if (insn->op == CY_OP_vftta_vv)
        e.v_count = 1;
    e.v_count *= e.per_part;
    return e;
}

/* Is this element active, by docs/isa.md? */
static bool is_active(const struct setting *s, unsigned element, bool masked)
{
    return before.mask >> (element % s->lanes) & 1 && element < before.vl &&
           (!masked || before.v[element / 32] >> (element % 32) & 1);
}

static bool may_change(const struct effect *e, const struct setting *s, struct cy_insn *insn, unsigned number,
                       unsigned lane)
{
    if (e->v < 0 || (int)number < e->v || (int)number >= e->v + e->v_count)
        return false;
    if (e->packed)
        return lane <= 2 * s->lanes / 32;
    if (e->whole)
        return before.mask >> lane & 1;
    unsigned part = (number - (unsigned)e->v) / (unsigned)e->per_part;
    return is_active(s, part * s->lanes + lane, !get_operand(insn, CY_FIELD_vm, 1));
}

static bool check_effect(struct cy_insn *insn, const struct setting *s)
{
    const struct effect e = effect_of(insn, s);
    bool ok = CHECK_EQ(after.x[0], 0);
    for (int i = 1; i < 64; i++)
        if (i < e.x || i >= e.x + e.x_count || e.x < 0)
            ok = CHECK_EQ(after.x[i], before.x[i]) && ok;
    for (unsigned i = 0; i < 256 * s->lanes; i++)
        if (after.v[i] != before.v[i])
            ok = CHECK(may_change(&e, s, insn, i / s->lanes, i % s->lanes)) && ok;
    if (!e.store)
        ok = CHECK(!memcmp(after.data, before.data, sizeof(before) - offsetof(struct snapshot, data))) && ok;
    if (!(cy_insns[insn->op].flags & (CY_F_FP | CY_F_CSR)))
        ok = CHECK_EQ(after.fflags, before.fflags) && ok;
    return ok;
}

static void random_mode(struct rng *r, struct harness *h, const struct setting *s)
{
    struct cy_warp *w = &h->warp;
    uint64_t all = harness_all(s->lanes), some = rng_long(r);
    w->mask = rng_chance(r, 2) || !(some & all) ? all : some & all;
    w->vl = s->lanes * s->lmul;
    if (rng_chance(r, 3))
        w->vl = rng_below(r, w->vl + 1);
    w->vtype = (s->sew == 8 ? 0u : s->sew == 16 ? 1u : s->sew == 32 ? 2u : 3u) << 3 | (s->lmul - 1);
    w->vxrm = (uint8_t)rng_below(r, 4);
    w->frm = rng_chance(r, 2) ? 0 : (uint8_t)rng_below(r, 5);
}

static void run_row(struct rng *r, struct harness *h, enum cy_op op, const struct setting *s)
{
    bool pairs = s->sew == 64 || s->lmul == 2 || cy_insns[op].flags & CY_F_WIDE || strstr(cy_insns[op].id, "e64");
    struct cy_insn insn = rng_insn(r, h->run.target, op, pairs);
    uint32_t words[10];
    unsigned n = 0;
    rng_registers(r, h);
    random_mode(r, h, s);
    if (cy_insns[op].flags & (CY_F_END | CY_F_BARRIER)) /* only together */
        h->warp.mask = h->warp.full;
    rng_make_good(r, h, &insn, s->sew, s->lmul);
    if (insn.size == 8)
        words[n++] = insn.prefix;
    words[n++] = insn.word;
    while (n < 10)
        words[n++] = 0x00000013;
    snapshot_take(&before, h);
    before.pc = CODE;
    harness_code(h, words, sizeof(words));
    snapshot_restore(&before, h);
    cy_warp_run(&h->warp, 1);
    snapshot_take(&after, h);
    bool ok = CHECK_EQ(after.fault.kind, CY_FAULT_NONE) && check_effect(&insn, s) && CHECK_EQ(after.retired, 1);
    ok = CHECK(after.pc - CODE < sizeof(words)) && ok;
    if (!ok) {
        struct cy_buf text = {0};
        cy_print(&text, h->run.target, &insn, CODE, CY_PRINT_NUMERIC);
        fprintf(stderr, "  %u lanes, e%u, m%u, vl %u: %.*s\n", s->lanes, s->sew, s->lmul, before.vl, (int)text.size,
                text.data);
        cy_buf_free(&text);
    }
}

static void test_every_row(void)
{
    struct rng r = {2};
    for (enum cy_target target = CY_GEN1; target <= CY_GEN2; target++)
        for (size_t c = 0; c < sizeof(lane_counts) / sizeof(lane_counts[0]); c++) {
            struct harness h;
            if (!harness_init(&h, target, lane_counts[c]))
                return;
            cy_warp_start(&h.warp, CODE, harness_all(lane_counts[c]));
            for (int op = 1; op < CY_OP_COUNT; op++)
                for (unsigned sew = 8; sew <= 64; sew *= 2)
                    for (unsigned lmul = 1; lmul <= 2; lmul++) {
                        struct setting s = {lane_counts[c], sew, lmul};
                        const struct cy_insn_info *row = &cy_insns[op];
                        if (row->gens & (1 << target) && !(row->flags & CY_F_PREFIX) && allows((enum cy_op)op, sew))
                            run_row(&r, &h, (enum cy_op)op, &s);
                    }
            harness_close(&h);
        }
}

/* Prefix rows run with an instruction after them. */
static void test_prefix_rows(void)
{
    struct rng r = {3};
    struct harness h;
    for (enum cy_target target = CY_GEN1; target <= CY_GEN2; target++) {
        if (!harness_init(&h, target, 8))
            return;
        cy_warp_start(&h.warp, CODE, 0xff);
        for (int op = 1; op < CY_OP_COUNT; op++) {
            if (!(cy_insns[op].gens & (1 << target)) || !(cy_insns[op].flags & CY_F_PREFIX))
                continue;
            for (unsigned i = 0; i < 50; i++) {
                bool memory = cy_insns[op].flags & CY_F_MEM_PREFIX, immediate = cy_insns[op].flags & CY_F_EXT_IMM;
                struct cy_insn prefix = rng_insn(&r, target, (enum cy_op)op, true);
                struct cy_insn insn = {.op = memory ? CY_OP_vlw12_v : immediate ? CY_OP_vadd_vi : CY_OP_vadd_vv};
                int32_t *vs1 = operand_of(&insn, CY_FIELD_vs1), *vm = operand_of(&insn, CY_FIELD_vm);
                if (vs1)
                    *vs1 = 4;
                if (vm)
                    *vm = 1;
                cy_encode(target, &insn, NULL);
                uint32_t high = memory ? 0 : prefix.word & ~0xfffffu; /* memory: registers v0-v4 only */
                uint32_t words[3] = {(prefix.word & 0xfffff) | high, insn.word, 0x00000013};
                rng_registers(&r, &h);
                for (unsigned lane = 0; lane < 8; lane++) { /* good addresses in all spaces: PDS, LDS and GDS = DATA */
                    harness_vreg(&h, 4)[lane] = 16 * lane;
                    harness_vreg(&h, 5)[lane] = 0;
                    if (memory && (cy_insns[op].match & 0x60) == 0)
                        harness_vreg(&h, 4)[lane] += DATA;
                }
                h.run.gds = DATA;
                snapshot_take(&before, &h);
                before.pc = CODE;
                harness_code(&h, words, sizeof(words));
                snapshot_restore(&before, &h);
                cy_warp_run(&h.warp, 1);
                if (!CHECK_EQ(h.warp.fault.kind, CY_FAULT_NONE))
                    fprintf(stderr, "  %s, word %#x\n", cy_insns[op].mnemonic, words[0]);
                CHECK_EQ(h.warp.pc, CODE + 8);
            }
        }
        harness_close(&h);
    }
}

TEST_MAIN(test_every_row, test_prefix_rows)
