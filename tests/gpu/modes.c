/* The fast engine against the general one: random instructions of every row that has several ways to run, with all lanes
 * or some, good addresses and bad ones.  Registers, memory, flags and faults must agree bit for bit. */
#include "gpu/random.h"

#define READ_ONLY (DATA + WATCHED - 0x1000u) /* the last page is after DATA */

static const unsigned lane_counts[] = {4, 8, 16, 32, 64};
static struct snapshot before, fast, general;

static bool is_tested(enum cy_target target, enum cy_op op)
{
    const struct cy_insn_info *row = &cy_insns[op];
    return row->gens & (1 << target) && !(row->flags & (CY_F_PREFIX | CY_F_END | CY_F_BARRIER));
}

/* Corrupts some lanes' addresses: misaligned, random, near the end of the space, read-only, around local memory. */
static void spoil(struct rng *r, struct harness *h, struct cy_insn *insn)
{
    static const uint32_t bad[] = {
        0,          4,         0xfffffffc,    0xffffff80, 0x7fffffff,         LDS + 0xffc,    LDS + 0x1000,
        LDS - 4,    READ_ONLY, READ_ONLY - 4, DATA - 4,   DATA + WATCHED - 4, DATA + WATCHED, 0x7ffffffc,
        0x80000000, 2047};
    const int32_t vs1 = get_operand(insn, CY_FIELD_vs1, -1), rs1 = get_operand(insn, CY_FIELD_rs1, 0);
    uint32_t address = bad[rng_below(r, sizeof(bad) / sizeof(bad[0]))];
    address += rng_chance(r, 4) ? rng_below(r, 4) : 0;
    uint32_t step = rng_chance(r, 2) ? 0 : 1u << rng_below(r, 3);
    if (rng_chance(r, 8))
        address = rng_word(r);
    if (rs1)
        h->warp.x[rs1] = address;
    if (vs1 < 0)
        return;
    uint32_t *row = harness_vreg(h, (unsigned)vs1);
    unsigned first = rng_chance(r, 2) ? 0 : rng_below(r, h->run.lanes);
    unsigned count = rng_chance(r, 2) ? h->run.lanes - first : 1;
    for (unsigned i = first; i < first + count; i++)
        row[i] = address + i * step - (rng_chance(r, 4) ? (uint32_t)get_operand(insn, CY_FIELD_imm12, 0) : 0);
}

static void random_mode(struct rng *r, struct harness *h)
{
    struct cy_warp *w = &h->warp;
    uint64_t all = harness_all(h->run.lanes), some = rng_long(r);
    unsigned lane = rng_below(r, h->run.lanes);
    switch (rng_below(r, 6)) {
    case 0: w->mask = some & all ? some & all : 1; break;
    case 1: w->mask = 1ull << lane; break;
    case 2: w->mask = all & ~(1ull << lane) ? all & ~(1ull << lane) : 1; break;
    default: w->mask = all; break;
    }
    w->vl = rng_chance(r, 6) ? rng_below(r, h->run.lanes + 1) : h->run.lanes;
    w->vtype = 2 << 3 | rng_below(r, 4) << 6;
    w->vxrm = (uint8_t)rng_below(r, 4);
    w->fflags = w->vxsat = 0;
    cy_warp_refresh(w);
}

static void show(enum cy_target target, const struct cy_insn *insn, const struct snapshot *s, unsigned lanes)
{
    struct cy_buf text = {0};
    cy_print(&text, target, insn, CODE, CY_PRINT_NUMERIC);
    fprintf(stderr, "  lanes %u: %.*s, active %#llx\n", lanes, (int)text.size, text.data,
            (unsigned long long)s->active);
    cy_buf_free(&text);
}

/* Describes the first difference. */
static void explain(const struct snapshot *a, const struct snapshot *b, unsigned lanes)
{
    if (a->stop != b->stop || memcmp(&a->fault, &b->fault, sizeof(a->fault)))
        fprintf(stderr, "  stop %u/%u fault %d/%d lane %d/%d address %#llx/%#llx size %u/%u access %u/%u\n", a->stop,
                b->stop, a->fault.kind, b->fault.kind, a->fault.lane, b->fault.lane,
                (unsigned long long)a->fault.address, (unsigned long long)b->fault.address, a->fault.size,
                b->fault.size, a->fault.access, b->fault.access);
    if (a->fflags != b->fflags || a->vxsat != b->vxsat || a->pc != b->pc)
        fprintf(stderr, "  fflags %#x/%#x vxsat %u/%u pc %#x/%#x\n", a->fflags, b->fflags, a->vxsat, b->vxsat, a->pc,
                b->pc);
    for (unsigned i = 0; i < 64; i++)
        if (a->x[i] != b->x[i])
            fprintf(stderr, "  x%u %#x/%#x\n", i, a->x[i], b->x[i]);
    for (unsigned i = 0, shown = 0; i < 256 * lanes && shown < 4; i++)
        if (a->v[i] != b->v[i] && ++shown)
            fprintf(stderr, "  v%u[%u] %#x/%#x (was %#x)\n", i / lanes, i % lanes, a->v[i], b->v[i], before.v[i]);
}

/* Often an access to 2 to 4 words, of the default space or private; in the registers' bits it agrees with what was there. */
static void widen(struct rng *r, enum cy_target target, struct cy_insn *insn)
{
    bool is_far = insn->op == CY_OP_vlw12d_v || insn->op == CY_OP_vsw12d_v;
    bool is_near = insn->op == CY_OP_vlw12_v || insn->op == CY_OP_vsw12_v;
    if (target != CY_GEN2 || !(is_far || is_near) || rng_chance(r, 3))
        return;
    uint32_t space = is_near && rng_chance(r, 3) ? 2 : 0;
    insn->prefix = (insn->size == 8 ? insn->prefix & 0xfff00000 : 0) | space << 5 | (1 + rng_below(r, 3)) << 3 | 6;
    insn->size = 8;
}

static void one_trial(struct rng *r, struct harness *h, enum cy_op op, unsigned counts[3])
{
    struct cy_insn insn = rng_insn(r, h->run.target, op, cy_insns[op].flags & CY_F_WIDE);
    struct cy_extent extent = h->warp.extent, scalar_extent = h->warp.scalar_extent;
    unsigned generation = h->warp.extent_generation;
    uint32_t words[10];
    rng_registers(r, h);
    random_mode(r, h);
    rng_make_good(r, h, &insn, 32, 1);
    if (rng_chance(r, 4))
        spoil(r, h, &insn);
    widen(r, h->run.target, &insn);
    unsigned n = 0;
    if (insn.size == 8)
        words[n++] = insn.prefix;
    words[n++] = insn.word;
    for (; n < 10; n++)
        words[n] = 0x00000013; /* nop */
    const bool reads_flags = rng_chance(r, 4);
    if (reads_flags)
        words[9] = 0x00102573; /* csrr a0, fflags */
    snapshot_take(&before, h);
    before.pc = CODE;
    harness_code(h, words, sizeof(words));

    snapshot_restore(&before, h);
    h->warp.extent = extent;
    h->warp.scalar_extent = scalar_extent;
    h->warp.extent_generation = generation;
    counts[h->warp.mode]++;
    cy_warp_run(&h->warp, 1);
    extent = h->warp.extent;
    scalar_extent = h->warp.scalar_extent;
    snapshot_take(&fast, h);

    snapshot_restore(&before, h);
    h->warp.mode = CY_MODE_GENERAL;
    cy_warp_run(&h->warp, 1);
    snapshot_take(&general, h);
    if (!reads_flags) /* not observable: fp32_native.h, rule 4 */
        fast.fflags = general.fflags;
    if (!CHECK(memcmp(&fast, &general, sizeof(fast)) == 0)) {
        show(h->run.target, &insn, &before, h->run.lanes);
        explain(&fast, &general, h->run.lanes);
    }
    h->warp.extent = extent;
    h->warp.scalar_extent = scalar_extent;
}

static void test_fast_and_general(void)
{
    struct rng r = {1};
    for (enum cy_target target = CY_GEN1; target <= CY_GEN2; target++)
        for (size_t c = 0; c < sizeof(lane_counts) / sizeof(lane_counts[0]); c++) {
            struct harness h;
            if (!harness_init(&h, target, lane_counts[c]))
                return;
            cy_memory_protect(&h.memory, READ_ONLY, 0x1000, CY_READ);
            cy_memory_protect(&h.memory, DATA + WATCHED, PRIVATE - DATA - WATCHED, 0);
            cy_memory_protect(&h.memory, PRIVATE + 0x10000, DATA + DATA_SIZE - PRIVATE - 0x10000, 0);
            cy_warp_start(&h.warp, CODE, harness_all(lane_counts[c]));
            for (uint32_t i = 0; i < WATCHED; i += 4)
                harness_set_word(&h, DATA + i, rng_value(&r));
            for (int op = 1; op < CY_OP_COUNT; op++) {
                unsigned counts[3] = {0};
                for (unsigned i = 0;
                     i < (cy_insns[op].flags & CY_F_LOAD || cy_insns[op].flags & CY_F_STORE ? 48 : 12) &&
                     is_tested(target, (enum cy_op)op);
                     i++)
                    one_trial(&r, &h, (enum cy_op)op, counts);
            }
            harness_close(&h);
        }
}

TEST_MAIN(test_fast_and_general)
