/* What an observer receives: every instruction before and after, memory accesses lane by lane, branches, barriers. */
#include "gpu/random.h"

#define LANES 8

struct access_seen {
    uint32_t pc;
    uint8_t kind, size;
    uint64_t lanes, address[LANES];
    uint32_t value[LANES];
};
struct seen {
    unsigned before, retired, branches, barriers, accesses;
    struct access_seen access[32];
    uint32_t last_before, branch_pc, barrier_pc;
    uint64_t taken, active;
};

static void on_before(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct seen *seen = context;
    CHECK_EQ(warp->pc, pc);
    CHECK(insn->op != CY_OP_INVALID);
    seen->before++;
    seen->last_before = pc;
}
static void on_retired(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct seen *seen = context;
    (void)warp, (void)insn;
    CHECK_EQ(pc, seen->last_before);
    seen->retired++;
}
static void on_memory(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      const struct cy_memory_access *access)
{
    struct seen *seen = context;
    struct access_seen *note = &seen->access[seen->accesses++ % 32];
    (void)warp, (void)insn;
    *note = (struct access_seen){.pc = pc, .kind = access->kind, .size = access->size, .lanes = access->lanes};
    for (unsigned i = 0; i < LANES; i++)
        if (access->lanes >> i & 1)
            note->address[i] = access->address[i], note->value[i] = access->value[i];
}
static void on_branch(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      uint64_t taken, uint64_t active)
{
    struct seen *seen = context;
    (void)warp;
    CHECK(insn && cy_insns[insn->op].flags & CY_F_DIVERGE);
    seen->branches++;
    seen->branch_pc = pc, seen->taken = taken, seen->active = active;
}
static void on_barrier(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct seen *seen = context;
    (void)warp;
    CHECK(insn && insn->op == CY_OP_barrier);
    seen->barriers++;
    seen->barrier_pc = pc;
}

static struct seen seen;
static const struct cy_observer observer = {.context = &seen,
                                            .before = on_before,
                                            .retired = on_retired,
                                            .memory = on_memory,
                                            .branch = on_branch,
                                            .barrier = on_barrier};

/* v1: DATA + 4 * lane, v4: lane, v6: 0xf0 + lane in memory order; lanes 1 and 6 are off. */
static bool watch(struct harness *h, const char *march, const char *text)
{
    memset(&seen, 0, sizeof(seen));
    if (!harness_open(h, march, text, LANES))
        return false;
    cy_warp_start(&h->warp, CODE, 0xbd);
    h->run.observer = &observer;
    h->warp.x[10] = DATA, h->warp.x[12] = 0x12345678;
    for (unsigned i = 0; i < LANES; i++) {
        harness_vreg(h, 1)[i] = DATA + 4 * i;
        harness_vreg(h, 4)[i] = i;
        harness_vreg(h, 6)[i] = 0xabcd00f0 + i;
        harness_set_word(h, DATA + 4 * i, 0x01020380 + i);
    }
    CHECK(cy_warp_run(&h->warp, 100) != CY_STOP_FAULT);
    return true;
}

static void expect_access(unsigned n, uint32_t pc, unsigned kind, unsigned size, uint64_t lanes)
{
    CHECK_EQ(seen.access[n].pc, pc);
    CHECK_EQ(seen.access[n].kind, kind);
    CHECK_EQ(seen.access[n].size, size);
    CHECK_EQ(seen.access[n].lanes, lanes);
}

static void test_scalar_memory(void)
{
    struct harness h;
    if (!watch(&h, "ventus", "lw x11, 4(x10)\n sb x12, 8(x10)\n lbu x11, 0(x10)\n endprg\n"))
        return;
    CHECK_EQ(seen.accesses, 3);
    expect_access(0, CODE, CY_READ, 4, 1);
    CHECK_EQ(seen.access[0].address[0], DATA + 4);
    CHECK_EQ(seen.access[0].value[0], 0x01020381);
    expect_access(1, CODE + 4, CY_WRITE, 1, 1);
    CHECK_EQ(seen.access[1].address[0], DATA + 8);
    CHECK_EQ(seen.access[1].value[0], 0x78);
    expect_access(2, CODE + 8, CY_READ, 1, 1);
    CHECK_EQ(seen.access[2].value[0], 0x80);
    CHECK_EQ(seen.before, 4);
    CHECK_EQ(seen.retired, 4);
    harness_close(&h);
}

static void test_vector_memory(void)
{
    struct harness h;
    if (!watch(&h, "ventus",
               "vlw12.v v8, 0(v1)\n vsh12.v v6, 2(v1)\n vle32.v v9, (x10)\n vsw.v v6, 16(v0)\n"
               "amoadd.w v10, v4, (v1)\n lr.w v11, (v1)\n vlw12.v v40, 0(v1)\n endprg\n"))
        return;
    CHECK_EQ(seen.accesses, 7);
    expect_access(0, CODE, CY_READ, 4, 0xbd);
    expect_access(1, CODE + 4, CY_WRITE, 2, 0xbd);
    expect_access(2, CODE + 8, CY_READ, 4, 0xbd);
    expect_access(3, CODE + 12, CY_WRITE, 4, 0xbd);
    expect_access(4, CODE + 16, CY_READ | CY_WRITE, 4, 0xbd);
    expect_access(5, CODE + 20, CY_READ, 4, 0xbd);
    expect_access(6, CODE + 24, CY_READ, 4, 0xbd); /* the pc is that of the prefix */
    for (unsigned i = 0; i < LANES; i++) {
        if (!(0xbd >> i & 1))
            continue;
        uint32_t word = (0x01020380 + i), stored = (word & 0xffff) | (0xf0 + i) << 16;
        CHECK_EQ(seen.access[0].address[i], DATA + 4 * i);
        CHECK_EQ(seen.access[0].value[i], word);
        CHECK_EQ(seen.access[1].address[i], DATA + 4 * i + 2);
        CHECK_EQ(seen.access[1].value[i], 0xf0 + i);
        CHECK_EQ(seen.access[2].value[i], stored);
        CHECK_EQ(seen.access[3].address[i], PRIVATE + 16 * LANES + 4 * i);
        CHECK_EQ(seen.access[3].value[i], 0xabcd00f0 + i);
        CHECK_EQ(seen.access[4].value[i], i);
    }
    harness_close(&h);
}

/* Wide accesses are reported word by word. */
static void test_wide_memory(void)
{
    struct harness h;
    if (!watch(&h, "ventus-gen2",
               "vle64.v v8, (x10)\n .word 0x0000000e\n vsw12.v v6, 0(v1)\n sd x12, 0(x10)\n endprg\n"))
        return;
    CHECK_EQ(seen.accesses, 5);
    expect_access(0, CODE, CY_READ, 4, 0xbd);
    expect_access(1, CODE, CY_READ, 4, 0xbd);
    CHECK_EQ(seen.access[0].address[3], DATA + 24);
    CHECK_EQ(seen.access[1].address[3], DATA + 28);
    expect_access(2, CODE + 4, CY_WRITE, 4, 0xbd);
    expect_access(3, CODE + 4, CY_WRITE, 4, 0xbd);
    CHECK_EQ(seen.access[3].address[3], DATA + 16);
    expect_access(4, CODE + 12, CY_WRITE, 4, 1);
    harness_close(&h);
}

static void test_control(void)
{
    struct harness h;
    if (!watch(&h, "ventus",
               "li x11, 3\n vmv.v.x v2, x11\n 1: auipc x5, %pcrel_hi(end)\n setrpc x0, x5, %pcrel_lo(1b)\n"
               "vblt v4, v2, end\n end: join\n barrier x0, x0, 0\n endprg\n"))
        return;
    CHECK_EQ(seen.branches, 1);
    CHECK_EQ(seen.branch_pc, CODE + 16);
    CHECK_EQ(seen.taken, 0x5);
    CHECK_EQ(seen.active, 0xbd);
    CHECK_EQ(seen.barriers, 1);
    CHECK_EQ(seen.barrier_pc, CODE + 24);
    CHECK_EQ(seen.retired, 5 + 3 + 1);
    harness_close(&h);
}

/* With `ran`, what follows an instruction is told together: the same instructions in the same order, those whose operands matter through
 * `before`. */
struct order {
    uint32_t pc[64];
    bool is_before[64];
    unsigned count;
};
static void note_pc(struct order *order, uint32_t pc, bool is_before)
{
    order->is_before[order->count % 64] = is_before;
    order->pc[order->count++ % 64] = pc;
}
static void note_before(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    (void)warp, (void)insn;
    note_pc(context, pc, true);
}
static void note_ran(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                     uint64_t active, uint64_t count)
{
    (void)warp;
    CHECK_EQ(active, 0xbd);
    for (; count; count--) {
        pc += insn->size;
        insn += insn->size / 4;
        note_pc(context, pc, false);
    }
}

static void run_in_slices(const struct cy_observer *noting, uint64_t slice)
{
    static const char text[] =
        "li x11, 3\n 1: addi x11, x11, -1\n vadd.vi v2, v4, 1\n vadd.vi v40, v4, 1\n lw x12, 4(x10)\n"
        "addi x12, x12, 1\n div x13, x12, x11\n addi x13, x13, 1\n beq x12, x13, 2f\n 2: bnez x11, 1b\n"
        "addi x13, x13, 1\n endprg\n";
    struct harness h;
    if (!harness_open(&h, "ventus", text, LANES))
        return;
    cy_warp_start(&h.warp, CODE, 0xbd);
    h.run.observer = noting;
    h.warp.x[10] = DATA;
    enum cy_stop stop = CY_STOP_BUDGET;
    while (stop == CY_STOP_BUDGET)
        stop = cy_warp_run(&h.warp, slice);
    CHECK(stop != CY_STOP_FAULT);
    harness_close(&h);
}

static void test_ran(void)
{
    for (uint64_t slice = 1; slice < 12; slice++) {
        struct order one = {0}, other = {0};
        unsigned told = 0;
        run_in_slices(&(struct cy_observer){.context = &one, .before = note_before}, slice);
        run_in_slices(
            &(struct cy_observer){.context = &other, .wants_addresses = true, .before = note_before, .ran = note_ran},
            slice);
        CHECK_EQ(one.count, 1 + 3 * 9 + 2);
        CHECK_EQ(other.count, one.count);
        for (unsigned i = 0; i < one.count && i < 64; i++) {
            const uint32_t at = (one.pc[i] - CODE) / 4;
            CHECK_EQ(other.pc[i], one.pc[i]);
            CHECK(other.is_before[i] ||
                  (at != 5 && at != 7 && at != 9)); /* after a prefix: the load, the division, beq */
            told += !other.is_before[i];
        }
        CHECK(slice == 1 ? told == 0 : told > 0);
    }
}

TEST_MAIN(test_scalar_memory, test_vector_memory, test_wide_memory, test_control, test_ran)
