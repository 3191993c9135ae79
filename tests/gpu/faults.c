/* Faults of one warp: kind, pc, lane, address, access and size of each; the warp stops at the instruction, which changes
 * neither memory nor registers and is not counted.  Each case runs fast, by the general engine, and watched. */
#include "gpu/random.h"

#define UNMAPPED 0xa0000000u
#define READ_ONLY (DATA + 0xf000u)
#define LANES 8

struct expectation {
    enum cy_fault_kind kind;
    uint32_t pc; /* from CODE on */
    int lane;
    uint64_t address;
    uint8_t access, size;
};

/* v1: DATA + 4 * lane; v2: the same, but lane 5 has x10; v4: lane number; v6, v7: pairs of v2's addresses;
 * v10: x10 + 4 * lane; v11: the same backwards. */
static const struct fault_case {
    const char *march, *text;
    uint32_t x10;
    struct expectation expected;
} cases[] = {
    /* words that are not instructions */
    {"ventus", ".word 0x00000073\n", 0, {CY_FAULT_ILLEGAL, 0, -1, CODE, 0, 0}},
    {"ventus", "nop\n .word 0x00100073\n", 0, {CY_FAULT_ILLEGAL, 4, -1, CODE + 4, 0, 0}},
    {"ventus", ".word 0\n", 0, {CY_FAULT_ILLEGAL, 0, -1, CODE, 0, 0}},
    {"ventus", ".word 0xffffffff\n", 0, {CY_FAULT_ILLEGAL, 0, -1, CODE, 0, 0}},
    {"ventus", ".word 0x0000001b\n", 0, {CY_FAULT_ILLEGAL, 0, -1, CODE, 0, 0}},            /* addiw is gen2's */
    {"ventus-gen2", ".word 0x0000500b\n nop\n", 0, {CY_FAULT_ILLEGAL, 0, -1, CODE, 0, 0}}, /* regpair is gen1's */
    {"ventus", "csrwi frm, 5\n vfadd.vv v8, v1, v2\n", 0, {CY_FAULT_ILLEGAL, 4, -1, 0, 0, 0}},
    {"ventus", "csrwi frm, 6\n fadd.s x11, x12, x13\n", 0, {CY_FAULT_ILLEGAL, 4, -1, 0, 0, 0}},
    {"ventus", "csrwi frm, 7\n vftta.vv v8, v1, v2\n", 0, {CY_FAULT_ILLEGAL, 4, -1, 0, 0, 0}},
    /* fetch */
    {"ventus", "nop\n", 0, {CY_FAULT_FETCH, 4, -1, CODE + 4, CY_EXECUTE, 4}},
    {"ventus", "jr x10\n", UNMAPPED, {CY_FAULT_FETCH, 0, -1, UNMAPPED, CY_EXECUTE, 4}},
    {"ventus", "jr x10\n", 0, {CY_FAULT_FETCH, 0, -1, 0, CY_EXECUTE, 4}},
    {"ventus", "jalr x11, 2(x10)\n", CODE, {CY_FAULT_FETCH_MISALIGNED, 0, -1, CODE + 2, CY_EXECUTE, 4}},
    {"ventus", "nop\n jal x11, .-1024\n", 0, {CY_FAULT_FETCH, 4, -1, CODE + 4 - 1024, CY_EXECUTE, 4}},
    {"ventus", "beq x0, x0, .+2048\n", 0, {CY_FAULT_FETCH, 0, -1, CODE + 2048, CY_EXECUTE, 4}},
    {"ventus", "beq x0, x0, .+6\n nop\n nop\n", 0, {CY_FAULT_FETCH_MISALIGNED, 0, -1, CODE + 6, CY_EXECUTE, 4}},
    {"ventus", "vbeq v0, v0, .+2048\n", 0, {CY_FAULT_FETCH, 0, -1, CODE + 2048, CY_EXECUTE, 4}},
    {"ventus", ".word 0x0000200b\n jal x11, .+1024\n", 0, {CY_FAULT_FETCH, 0, -1, CODE + 4 + 1024, CY_EXECUTE, 4}},
    /* prefixes */
    {"ventus", ".word 0x0000200b\n .word 0x0000200b\n nop\n", 0, {CY_FAULT_PREFIX, 0, -1, CODE, 0, 0}},
    {"ventus", "nop\n .word 0x0000200b\n", 0, {CY_FAULT_PREFIX, 4, -1, CODE + 4, 0, 0}},
    {"ventus", ".word 0x0000300b\n .word 0x00000073\n", 0, {CY_FAULT_PREFIX, 0, -1, CODE, 0, 0}},
    {"ventus",
     ".word 0x0070200b\n add x1, x2, x3\n",
     0,
     {CY_FAULT_PREFIX, 0, -1, CODE, 0, 0}}, /* x225 does not exist */
    {"ventus-gen2", ".word 0x00000006\n .word 0x00000002\n nop\n", 0, {CY_FAULT_PREFIX, 0, -1, CODE, 0, 0}},
    {"ventus-gen2", ".word 0x0000000a\n", 0, {CY_FAULT_PREFIX, 0, -1, CODE, 0, 0}},
    {"ventus", "j .+8\n .word 0x0000200b\n nop\n", 0, {CY_FAULT_PREFIX_TARGET, 8, -1, CODE + 8, 0, 0}},
    {"ventus", "jr x10\n .word 0x0000200b\n nop\n", CODE + 8, {CY_FAULT_PREFIX_TARGET, 8, -1, CODE + 8, 0, 0}},
    {"ventus", "vbeq v0, v0, .+8\n .word 0x0000200b\n nop\n", 0, {CY_FAULT_PREFIX_TARGET, 8, -1, CODE + 8, 0, 0}},
    /* alignment */
    {"ventus", "lw x11, 2(x10)\n", DATA, {CY_FAULT_MISALIGNED, 0, -1, DATA + 2, CY_READ, 4}},
    {"ventus", "lhu x11, 1(x10)\n", DATA, {CY_FAULT_MISALIGNED, 0, -1, DATA + 1, CY_READ, 2}},
    {"ventus", "sh x11, 3(x10)\n", DATA, {CY_FAULT_MISALIGNED, 0, -1, DATA + 3, CY_WRITE, 2}},
    {"ventus", "vlw12.v v8, 1(v2)\n", DATA + 3, {CY_FAULT_MISALIGNED, 0, 0, DATA + 1, CY_READ, 4}},
    {"ventus", "vsh12.v v8, 0(v2)\n", DATA + 3, {CY_FAULT_MISALIGNED, 0, 5, DATA + 3, CY_WRITE, 2}},
    {"ventus", "vle32.v v8, (x10)\n", DATA + 2, {CY_FAULT_MISALIGNED, 0, 0, DATA + 2, CY_READ, 4}},
    {"ventus", "vse16.v v8, (x10)\n", DATA + 1, {CY_FAULT_MISALIGNED, 0, 0, DATA + 1, CY_WRITE, 2}},
    {"ventus", "amoadd.w v8, v9, (v2)\n", DATA + 1, {CY_FAULT_MISALIGNED, 0, 5, DATA + 1, CY_READ | CY_WRITE, 4}},
    {"ventus", "lr.w v8, (v2)\n", DATA + 2, {CY_FAULT_MISALIGNED, 0, 5, DATA + 2, CY_READ, 4}},
    /* unmapped memory */
    {"ventus", "lw x11, 0(x10)\n", UNMAPPED, {CY_FAULT_UNMAPPED, 0, -1, UNMAPPED, CY_READ, 4}},
    {"ventus", "sb x11, -1(x10)\n", DATA, {CY_FAULT_UNMAPPED, 0, -1, DATA - 1, CY_WRITE, 1}},
    {"ventus", "lw x11, -4(x0)\n", 0, {CY_FAULT_UNMAPPED, 0, -1, 0xfffffffc, CY_READ, 4}},
    {"ventus", "vlw12.v v8, 0(v2)\n", UNMAPPED, {CY_FAULT_UNMAPPED, 0, 5, UNMAPPED, CY_READ, 4}},
    {"ventus", "vlw12.v v8, 0(v1)\n vlw12.v v8, -4(v0)\n", 0, {CY_FAULT_UNMAPPED, 4, 0, 0xfffffffc, CY_READ, 4}},
    {"ventus", "vlb12.v v8, 0(v1)\n vlb12.v v8, -2048(v0)\n", 0, {CY_FAULT_UNMAPPED, 4, 0, 0xfffff800, CY_READ, 1}},
    {"ventus", "vsw12.v v8, 0(v1)\n vsw12.v v8, -4(v0)\n", 0, {CY_FAULT_UNMAPPED, 4, 0, 0xfffffffc, CY_WRITE, 4}},
    {"ventus", "vsw12.v v4, 0(v2)\n", UNMAPPED, {CY_FAULT_UNMAPPED, 0, 5, UNMAPPED, CY_WRITE, 4}},
    {"ventus", "vsw12.v v4, 0(v2)\n", 0, {CY_FAULT_UNMAPPED, 0, 5, 0, CY_WRITE, 4}},
    {"ventus", "vse32.v v4, (x10)\n", DATA + DATA_SIZE - 8, {CY_FAULT_UNMAPPED, 0, 2, DATA + DATA_SIZE, CY_WRITE, 4}},
    {"ventus", "vle32.v v8, (x10)\n", 0xfffffff8, {CY_FAULT_UNMAPPED, 0, 0, 0xfffffff8, CY_READ, 4}},
    {"ventus", "vlse32.v v8, (x10), x11\n", DATA - 4, {CY_FAULT_UNMAPPED, 0, 0, DATA - 4, CY_READ, 4}},
    {"ventus", "vsoxei32.v v4, (x10), v2\n", 0x10000000, {CY_FAULT_UNMAPPED, 0, 0, 0xa0000000, CY_WRITE, 4}},
    {"ventus", "vlm.v v8, (x10)\n", UNMAPPED + 3, {CY_FAULT_UNMAPPED, 0, -1, UNMAPPED + 3, CY_READ, 1}},
    {"ventus", "vs2r.v v4, (x10)\n", DATA + DATA_SIZE - 40, {CY_FAULT_UNMAPPED, 0, 2, DATA + DATA_SIZE, CY_WRITE, 4}},
    {"ventus", "amoswap.w v8, v4, (v2)\n", UNMAPPED, {CY_FAULT_UNMAPPED, 0, 5, UNMAPPED, CY_READ | CY_WRITE, 4}},
    {"ventus-gen2", "vsw12d.v v4, 0(v6)\n", UNMAPPED, {CY_FAULT_UNMAPPED, 0, 5, UNMAPPED, CY_WRITE, 4}},
    {"ventus-gen2", "amoadd.d v8, v4, (v6)\n", UNMAPPED, {CY_FAULT_UNMAPPED, 0, 5, UNMAPPED, CY_READ | CY_WRITE, 4}},
    /* read-only memory */
    {"ventus", "sw x11, 4(x10)\n", READ_ONLY, {CY_FAULT_FORBIDDEN, 0, -1, READ_ONLY + 4, CY_WRITE, 4}},
    {"ventus", "lw x11, 4(x10)\n sw x11, 4(x10)\n", READ_ONLY, {CY_FAULT_FORBIDDEN, 4, -1, READ_ONLY + 4, CY_WRITE, 4}},
    {"ventus",
     "vlw12.v v8, 0(v2)\n vsw12.v v4, 0(v2)\n",
     READ_ONLY,
     {CY_FAULT_FORBIDDEN, 4, 5, READ_ONLY, CY_WRITE, 4}},
    {"ventus",
     "vle32.v v8, (x10)\n vse32.v v4, (x10)\n",
     READ_ONLY - 8,
     {CY_FAULT_FORBIDDEN, 4, 2, READ_ONLY, CY_WRITE, 4}},
    {"ventus",
     "vlw12.v v8, 0(v10)\n vsw12.v v4, 0(v10)\n",
     READ_ONLY,
     {CY_FAULT_FORBIDDEN, 4, 0, READ_ONLY, CY_WRITE, 4}},
    {"ventus",
     "vlw12.v v8, 0(v11)\n vsb12.v v4, 0(v11)\n",
     READ_ONLY,
     {CY_FAULT_FORBIDDEN, 4, 0, READ_ONLY + 28, CY_WRITE, 1}},
    {"ventus", "amoor.w v8, v4, (v2)\n", READ_ONLY, {CY_FAULT_FORBIDDEN, 0, 5, READ_ONLY, CY_READ | CY_WRITE, 4}},
    {"ventus",
     "lr.w v8, (v2)\n sc.w v8, v4, (v2)\n",
     READ_ONLY,
     {CY_FAULT_FORBIDDEN, 4, 5, READ_ONLY, CY_READ | CY_WRITE, 4}},
    /* local memory has 4 KiB */
    {"ventus", "lw x11, 0(x10)\n", LDS + 0x1000, {CY_FAULT_LDS, 0, -1, LDS + 0x1000, CY_READ, 4}},
    {"ventus", "vsw12.v v4, 0(v2)\n", LDS + 0x1000, {CY_FAULT_LDS, 0, 5, LDS + 0x1000, CY_WRITE, 4}},
    {"ventus", "vle32.v v8, (x10)\n", LDS + 0x1000 - 12, {CY_FAULT_LDS, 0, 3, LDS + 0x1000, CY_READ, 4}},
    {"ventus", "vsw12.v v4, 0(v2)\n", 0x7ffffffc, {CY_FAULT_LDS, 0, 5, 0x7ffffffc, CY_WRITE, 4}},
    /* private memory has 1 KiB per thread; the address is that of the thread */
    {"ventus", "vlw.v v8, 0(v2)\n", 0, {CY_FAULT_PRIVATE, 0, 0, DATA, CY_READ, 4}},
    {"ventus",
     "vsw.v v4, 1000(v4)\n vsh.v v4, 1022(v4)\n",
     0,
     {CY_FAULT_MISALIGNED, 0, 1, PRIVATE + 1000 * LANES + 1 + 4, CY_WRITE, 4}},
    {"ventus", "vsb.v v4, 1018(v4)\n", 0, {CY_FAULT_PRIVATE, 0, 6, 1024, CY_WRITE, 1}},
    {"ventus", "vlb.v v8, -1(v0)\n", 0, {CY_FAULT_PRIVATE, 0, 0, 0xffffffff, CY_READ, 1}},
    {"ventus-gen2", ".word 0x00000046\n vlw12.v v8, 1020(v3)\n", 4, {CY_FAULT_PRIVATE, 0, 5, 1024, CY_READ, 4}},
    /* divergence */
    {"ventus", "vbeq v4, v0, 1f\n 1: endprg\n", 0, {CY_FAULT_DIVERGENT_END, 4, -1, 1, 0, 0}},
    {"ventus", "vbeq v4, v0, 1f\n 1: barrier x0, x0, 0\n", 0, {CY_FAULT_DIVERGENT_BARRIER, 4, -1, 1, 0, 0}},
    {"ventus", "vbeq v4, v0, 1f\n 1: barriersub x0, x0, 0\n", 0, {CY_FAULT_DIVERGENT_BARRIER, 4, -1, 1, 0, 0}},
    /* CSRs */
    {"ventus", "csrr x11, 0x7ff\n", 0, {CY_FAULT_CSR, 0, -1, 0x7ff, 0, 0}},
    {"ventus", "csrwi tid, 0\n", 0, {CY_FAULT_CSR, 0, -1, 0x800, 0, 0}},
    {"ventus", "csrw cycle, x10\n", 0, {CY_FAULT_CSR, 0, -1, 0xc00, 0, 0}},
    {"ventus", "csrwi cycle, 0\n", 0, {CY_FAULT_CSR, 0, -1, 0xc00, 0, 0}},
    {"ventus", "csrrw x11, cycle, x0\n", 0, {CY_FAULT_CSR, 0, -1, 0xc00, 0, 0}},
    {"ventus", "nop\n unimp\n", 0, {CY_FAULT_TRAP, 4, 0, 0, 0, 0}},
    /* vtype */
    {"ventus", "vsetvli x11, x0, e32, m4, ta, ma\n vadd.vv v8, v1, v2\n", 0, {CY_FAULT_VTYPE, 4, -1, 0x80000000, 0, 0}},
    {"ventus", "vsetvli x11, x0, e32, m4, ta, ma\n vlw12.v v8, 0(v1)\n", 0, {CY_FAULT_VTYPE, 4, -1, 0x80000000, 0, 0}},
    {"ventus",
     "vsetvli x11, x0, e32, m4, ta, ma\n vle32.v v8, (x10)\n",
     DATA,
     {CY_FAULT_VTYPE, 4, -1, 0x80000000, 0, 0}},
    {"ventus", "vsetvli x11, x0, e32, m4, ta, ma\n vmv.x.s x11, v1\n", 0, {CY_FAULT_VTYPE, 4, -1, 0x80000000, 0, 0}},
    {"ventus", "vsetvli x11, x0, e32, m4, ta, ma\n vid.v v8\n", 0, {CY_FAULT_VTYPE, 4, -1, 0x80000000, 0, 0}},
    {"ventus",
     "vsetvli x11, x0, e32, m4, ta, ma\n amoadd.w v8, v4, (v1)\n",
     0,
     {CY_FAULT_VTYPE, 4, -1, 0x80000000, 0, 0}},
    {"ventus", "vsetvli x11, x0, e32, m4, ta, ma\n vbeq v0, v0, .+4\n", 0, {CY_FAULT_VTYPE, 4, -1, 0x80000000, 0, 0}},
    {"ventus", "vsetvli x11, x0, e8, m1, tu, mu\n vfadd.vv v8, v1, v2\n", 0, {CY_FAULT_VTYPE, 4, -1, 0, 0, 0}},
    {"ventus", "vsetvli x11, x0, e8, m1, tu, mu\n vftta.vv v8, v1, v2\n", 0, {CY_FAULT_VTYPE, 4, -1, 0, 0, 0}},
    {"ventus", "vsetvli x11, x0, e16, m1, tu, mu\n vzext.vf4 v8, v1\n", 0, {CY_FAULT_VTYPE, 4, -1, 8, 0, 0}},
    {"ventus-gen2", "vsetvli x11, x0, e64, m1, tu, mu\n vwadd.vv v8, v2, v4\n", 0, {CY_FAULT_VTYPE, 4, -1, 0x18, 0, 0}},
    /* registers that cannot be pairs, or do not exist */
    {"ventus", "vsetvli x11, x0, e64, m1, tu, mu\n vadd.vv v8, v2, v5\n", 0, {CY_FAULT_REGISTER, 4, -1, 0x18, 0, 0}},
    {"ventus", "vsetvli x11, x0, e64, m1, tu, mu\n vadd.vv v9, v2, v4\n", 0, {CY_FAULT_REGISTER, 4, -1, 0x18, 0, 0}},
    {"ventus", "vsetvli x11, x0, e32, m2, tu, mu\n vadd.vv v255, v2, v4\n", 0, {CY_FAULT_REGISTER, 4, -1, 0x11, 0, 0}},
    {"ventus", "vsetvli x11, x0, e32, m2, tu, mu\n vmseq.vv v255, v2, v4\n", 0, {CY_FAULT_REGISTER, 4, -1, 0x11, 0, 0}},
    {"ventus",
     "vsetvli x11, x0, e32, m2, tu, mu\n vloxei32.v v8, (x10), v255\n",
     DATA,
     {CY_FAULT_REGISTER, 4, -1, 8, 0, 0}},
    {"ventus", "vle64.v v9, (x10)\n", DATA, {CY_FAULT_REGISTER, 0, -1, 9, 0, 0}},
    {"ventus-gen2", ".word 0x0070001e\n vlw12.v v31, 0(v1)\n", 0, {CY_FAULT_REGISTER, 0, -1, 255, 0, 0}},
};

enum way { FAST, GENERAL, WATCHED_WAY, WAYS };
static const char *const way_names[] = {"fast", "general", "watched"};

static void count_retired(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    (void)warp, (void)pc, (void)insn;
    ++*(unsigned *)context;
}

static struct snapshot before, after;

static void set_up(struct harness *h, const struct fault_case *c)
{
    cy_memory_protect(&h->memory, READ_ONLY, 0x1000, CY_READ);
    h->warp.x[10] = c->x10;
    for (unsigned i = 0; i < LANES; i++) {
        harness_vreg(h, 1)[i] = harness_vreg(h, 2)[i] = harness_vreg(h, 6)[i] = DATA + 4 * i;
        harness_vreg(h, 4)[i] = i;
        harness_vreg(h, 10)[i] = c->x10 + 4 * i;
        harness_vreg(h, 11)[i] = c->x10 + 4 * (LANES - 1 - i);
    }
    harness_vreg(h, 2)[5] = harness_vreg(h, 6)[5] = harness_vreg(h, 3)[5] = c->x10;
}

static void run_case(const struct fault_case *c, enum way way)
{
    struct harness h;
    unsigned retired = 0;
    struct cy_observer observer = {.context = &retired, .retired = count_retired};
    const uint32_t steps =
        c->expected.pc ? 1 : 0; /* every case has at most one instruction before the one that faults */
    if (!harness_open(&h, c->march, c->text, LANES))
        return;
    set_up(&h, c);
    h.run.observer = way == WATCHED_WAY ? &observer : NULL;
    if (steps)
        CHECK_EQ(cy_warp_run(&h.warp, 1), CY_STOP_BUDGET);
    snapshot_take(&before, &h);
    if (way == GENERAL)
        h.warp.mode = CY_MODE_GENERAL;
    const struct cy_fault *f = &h.warp.fault;
    const struct expectation *e = &c->expected;
    bool ok = CHECK_EQ(cy_warp_run(&h.warp, 1), CY_STOP_FAULT);
    snapshot_take(&after, &h);
    ok = CHECK_EQ(f->kind, e->kind) && CHECK_EQ(f->pc, CODE + e->pc) && CHECK_EQ(h.warp.pc, CODE + e->pc) && ok;
    ok = CHECK_EQ(f->lane, e->lane) && CHECK_EQ(f->address, e->address) && ok;
    ok = CHECK_EQ(f->access, e->access) && CHECK_EQ(f->size, e->size) && ok;
    ok = CHECK_EQ(h.warp.retired, steps) && CHECK_EQ(retired, way == WATCHED_WAY ? steps : 0) && ok;
    ok = CHECK(!memcmp(before.x, after.x, sizeof(before.x))) && ok;
    ok = CHECK(!memcmp(before.v, after.v, sizeof(before.v))) && ok;
    ok = CHECK(!memcmp(before.data, after.data, sizeof(before) - offsetof(struct snapshot, data))) && ok;
    if (!ok)
        fprintf(stderr, "  %s: %s", way_names[way], c->text);
    harness_close(&h);
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        for (enum way way = FAST; way < WAYS; way++)
            run_case(&cases[i], way);
}

/* The word and the prefix are those of the instruction, for display. */
static void test_words(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus", "vlw12.v v40, 0(v2)\n", LANES))
        return;
    CHECK_EQ(cy_warp_run(&h.warp, 1), CY_STOP_FAULT);
    CHECK_EQ(h.warp.fault.word, 0x0001247bu);
    CHECK_EQ(h.warp.fault.prefix, 0x0010200bu);
    harness_close(&h);
}

static void test_stack_overflow(void)
{
    const char *text = "again: vadd12.vi v1, v1, -1\n 1: auipc t1, %pcrel_hi(end)\n setrpc zero, t1, %pcrel_lo(1b)\n"
                       "vbge v1, v0, again\n end: join\n endprg\n";
    for (unsigned depth = 0; depth <= 8; depth++) {
        struct harness h;
        if (!harness_open(&h, "ventus", text, 8))
            return;
        h.run.stack_depth = depth;
        for (unsigned i = 0; i < 8; i++)
            harness_vreg(&h, 1)[i] = i / 2 * 2 + 1; /* two lanes leave each time: the other entry is popped at once */
        enum cy_stop stop = cy_warp_run(&h.warp, 1000);
        /* three divergent branches leave one entry each, and need room for two: 2, 3, 4 */
        if (depth >= 4) {
            CHECK_EQ(stop, CY_STOP_END);
        } else {
            CHECK_EQ(stop, CY_STOP_FAULT);
            CHECK_EQ(h.warp.fault.kind, CY_FAULT_STACK_OVERFLOW);
            CHECK_EQ(h.warp.fault.pc, CODE + 12);
            CHECK_EQ(h.warp.fault.lane, -1);
            CHECK_EQ(h.warp.fault.address, h.warp.depth + 2);
            CHECK(h.warp.fault.address > depth);
        }
        harness_close(&h);
    }
}

/* A warp started outside the code, or past its end. */
static void test_entry(void)
{
    static const uint32_t entries[] = {0, CODE - 4, CODE + 8, CODE + 12, 0xfffffffc, CODE + 2};
    for (size_t i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        struct harness h;
        if (!harness_open(&h, "ventus", "nop\n nop\n", LANES))
            return;
        cy_warp_start(&h.warp, entries[i], 0xff);
        CHECK_EQ(cy_warp_run(&h.warp, 0), CY_STOP_BUDGET);
        CHECK_EQ(h.warp.pc, entries[i]);
        CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_FAULT);
        CHECK_EQ(h.warp.fault.kind, entries[i] & 3 ? CY_FAULT_FETCH_MISALIGNED : CY_FAULT_FETCH);
        CHECK_EQ(h.warp.fault.pc, entries[i]);
        CHECK_EQ(h.warp.fault.address, entries[i]);
        CHECK_EQ(h.warp.fault.access, CY_EXECUTE);
        CHECK_EQ(h.warp.retired, 0);
        harness_close(&h);
    }
}

/* A partial warp ends without a fault; without checking so does a diverged one. */
static void test_checking(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus", "endprg\n", LANES))
        return;
    cy_warp_start(&h.warp, CODE, 7);
    CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_END);
    harness_close(&h);
    if (!harness_open(&h, "ventus", "vid.v v4\n vbeq v4, v0, 1f\n 1: barrier x0, x0, 0\n endprg\n", LANES))
        return;
    h.run.checking = false;
    CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_BARRIER);
    CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_END);
    harness_close(&h);
}

/* A table that maps only the code: data are not translated, nor is the LDS window. */
static void test_translation(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus", "lw x12, 0(x11)\n vlw12.v v8, 0(v1)\n endprg\n", LANES))
        return;
    h.warp.tlb = cy_tlb_create();
    h.run.ptbr = DATA + 0x4000;
    cy_memory_alloc_at(&h.memory, CODE, 4096, CY_READ | CY_EXECUTE);
    const uint32_t second = DATA + 0x5000;                                   /* entries of 2 MiB */
    harness_set_word(&h, DATA + 0x4000 + (CODE >> 30) * 8, second >> 2 | 1); /* V */
    harness_set_word(&h, second + (CODE >> 21 & 511) * 8, CODE >> 2 | 0xcb); /* V, R, X, A, D */
    h.warp.x[11] = LDS;
    for (unsigned i = 0; i < LANES; i++)
        harness_vreg(&h, 1)[i] = i < 3 ? LDS : DATA + 4 * i;
    CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_FAULT);
    CHECK_EQ(h.warp.fault.kind, CY_FAULT_TRANSLATION);
    CHECK_EQ(h.warp.fault.pc, CODE + 4);
    CHECK_EQ(h.warp.fault.lane, 3);
    CHECK_EQ(h.warp.fault.address, DATA + 12);
    CHECK_EQ(h.warp.fault.access, CY_READ);
    CHECK_EQ(h.warp.fault.size, 4);
    cy_tlb_free(h.warp.tlb);
    harness_close(&h);
}

/* Inactive lanes raise no flags, whatever is in their registers. */
static void test_inactive_lanes(void)
{
    static const char *const texts[] = {"vlw12.v v8, 0(v2)\n endprg\n", "vsw12.v v8, 0(v2)\n endprg\n",
                                        "vlw.v v8, 0(v2)\n endprg\n", "amoadd.w v8, v4, (v2)\n endprg\n",
                                        "vluxei32.v v8, (x0), v2\n endprg\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct harness h;
        if (!harness_open(&h, "ventus", texts[i], LANES))
            return;
        cy_warp_start(&h.warp, CODE, 0xff & ~0x24u);
        for (unsigned lane = 0; lane < LANES; lane++)
            harness_vreg(&h, 2)[lane] = lane == 2 || lane == 5 ? 0xdeadbeef : i == 2 ? 4 * lane : DATA + 4 * lane;
        CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_END);
        harness_close(&h);
    }
}

/* When memory changes between two runs, no extent used before is reused. */
static void test_forgotten_extents(void)
{
    static const char *const texts[] = {"lw x11, 0(x10)\n lw x11, 0(x12)\n", "lw x11, 0(x10)\n sw x11, 0(x12)\n",
                                        "vlw12.v v8, 0(v1)\n vlw12.v v8, 0(v2)\n"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct harness h;
        if (!harness_open(&h, "ventus", texts[i], LANES))
            return;
        h.warp.x[10] = DATA;
        h.warp.x[12] = UNMAPPED;
        for (unsigned lane = 0; lane < LANES; lane++) {
            harness_vreg(&h, 1)[lane] = DATA + 4 * lane;
            harness_vreg(&h, 2)[lane] = UNMAPPED + 4 * lane;
        }
        CHECK_EQ(cy_warp_run(&h.warp, 1), CY_STOP_BUDGET);
        cy_memory_protect(&h.memory, READ_ONLY, 0x1000, CY_READ);
        CHECK_EQ(cy_warp_run(&h.warp, 1), CY_STOP_FAULT);
        CHECK_EQ(h.warp.fault.kind, CY_FAULT_UNMAPPED);
        CHECK_EQ(h.warp.fault.address, UNMAPPED);
        harness_close(&h);
    }
}

TEST_MAIN(test_forgotten_extents, test_cases, test_words, test_stack_overflow, test_entry, test_checking,
          test_translation, test_inactive_lanes)
