/* Prefixes and register pairs of both generations, against expectations written out here (docs/isa.md). The prefix
 * words are built by hand: those that the assembler adds itself are tested elsewhere. */
#include "gpu/random.h"

static const unsigned lane_counts[] = {4, 8, 16, 32, 64};
#define FOR_LANES(lanes) for (unsigned c_ = 0, lanes; c_ < 5 && (lanes = lane_counts[c_], true); c_++)

static struct rng rng = {11};

/* [31:20] of regext: high bits of rd, rs1, rs2, rs3; of regexti: of rd and rs2, and of the immediate. */
#define EXT(d, a, b, c) ((uint32_t)(d) | (uint32_t)(a) << 3 | (uint32_t)(b) << 6 | (uint32_t)(c) << 9)
#define EXTI(d, b, imm) ((uint32_t)(d) | (uint32_t)(b) << 3 | ((uint32_t)(imm) >> 5 & 63) << 6)
#define REGEXT(ext) ((ext) << 20 | 0x200bu)
#define REGEXTI(ext) ((ext) << 20 | 0x300bu)
#define REGPAIR(ext) ((ext) << 20 | 0x500bu)
#define REGPAIRI(ext) ((ext) << 20 | 0x700bu)
#define PREFIX(ext, pair, abs, neg)                                                                                    \
    ((ext) << 20 | (uint32_t)(pair) << 19 | (uint32_t)(abs) << 16 | (uint32_t)(neg) << 13 | 0x02u)
#define PREFIXI(ext, pair, abs, neg)                                                                                   \
    ((ext) << 20 | (uint32_t)(pair) << 19 | (uint32_t)(abs) << 16 | (uint32_t)(neg) << 13 | 0x0au)
enum { GLOBAL = 1, PRIVATE_SPACE = 2, LOCAL = 3 };
#define PRE_M(space, words, pair, ext)                                                                                 \
    ((ext) << 20 | (uint32_t)(pair) << 19 | (uint32_t)(space) << 5 | ((uint32_t)(words)-1) << 3 | 6u)

/* A program of one prefix word and one line; registers at random. */
static bool open_prefixed(struct harness *h, const char *march, uint32_t prefix, const char *line, unsigned lanes)
{
    char text[200];
    snprintf(text, sizeof(text), ".word %#x\n %s\n endprg\n", prefix, line);
    if (!harness_open(h, march, text, lanes))
        return false;
    rng_registers(&rng, h);
    return true;
}

static void finish(struct harness *h, const char *line)
{
    if (!CHECK_EQ(cy_warp_run(&h->warp, 100), CY_STOP_END))
        fprintf(stderr, "  %s: fault %d at %#x\n", line, h->warp.fault.kind, h->warp.fault.pc);
}

static void expect_fault(struct harness *h, enum cy_fault_kind kind, const char *line)
{
    cy_warp_run(&h->warp, 100);
    if (!CHECK_EQ(h->warp.fault.kind, kind))
        fprintf(stderr, "  %s\n", line);
}

static uint64_t pair(const struct harness *h, unsigned number, unsigned lane)
{
    return harness_lane(h, number, lane) | (uint64_t)harness_lane(h, number + 1, lane) << 32;
}
static uint64_t sext(uint32_t value)
{
    return (uint64_t)(int64_t)(int32_t)value;
}

/* What a register held before the program ran. */
static uint32_t was[256][64], x_was[64];
static void keep(const struct harness *h)
{
    for (unsigned n = 0; n < 256; n++)
        memcpy(was[n], h->warp.v + n * h->run.lanes, 4 * h->run.lanes);
    memcpy(x_was, h->warp.x, sizeof(x_was));
}
static uint64_t pair_was(unsigned number, unsigned lane)
{
    return was[number][lane] | (uint64_t)was[number + 1][lane] << 32;
}
static uint64_t x_pair_was(unsigned number)
{
    return number ? x_was[number] | (uint64_t)x_was[number + 1] << 32 : 0;
}

/* ---- regext, regexti ---- */

static void test_regext(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        if (!open_prefixed(&h, "ventus", REGEXT(EXT(7, 1, 4, 0)), "vsub.vv v31, v2, v3", lanes))
            return;
        keep(&h);
        finish(&h, "vsub.vv v255, v130, v35");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_lane(&h, 255, i), was[4 * 32 + 2][i] - was[32 + 3][i]);
        harness_close(&h);
        /* the accumulator takes the rd part */
        if (!open_prefixed(&h, "ventus", REGEXT(EXT(2, 0, 3, 7)), "vmacc.vv v5, v6, v7", lanes))
            return;
        keep(&h);
        finish(&h, "vmacc.vv v69, v6, v103");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_lane(&h, 69, i), was[69][i] + was[6][i] * was[103][i]);
        harness_close(&h);
        /* scalar registers, and rs3 of a fused multiply-add */
        if (!open_prefixed(&h, "ventus", REGEXT(EXT(1, 0, 1, 1)), "fmadd.s x5, x6, x7, x8, rtz", lanes))
            return;
        h.warp.x[6] = 0x40000000, h.warp.x[39] = 0x40400000, h.warp.x[40] = 0x3f800000; /* 2 * 3 + 1 */
        finish(&h, "fmadd.s x37, x6, x39, x40");
        CHECK_EQ(h.warp.x[37], 0x40e00000);
        harness_close(&h);
        /* vector store data: vs2 of the 12 forms, the rd place of RVV's */
        if (!open_prefixed(&h, "ventus", REGEXT(EXT(0, 2, 1, 0)), "vsw12.v v1, 4(v2)", lanes))
            return;
        for (unsigned i = 0; i < lanes; i++)
            harness_vreg(&h, 66)[i] = DATA + 4 * i;
        keep(&h);
        finish(&h, "vsw12.v v33, 4(v66)");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_word(&h, DATA + 4 + 4 * i), was[33][i]);
        harness_close(&h);
        if (!open_prefixed(&h, "ventus", REGEXT(EXT(5, 1, 0, 0)), "vse32.v v1, (x2)", lanes))
            return;
        h.warp.x[34] = DATA;
        keep(&h);
        finish(&h, "vse32.v v161, (x34)");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_word(&h, DATA + 4 * i), was[161][i]);
        harness_close(&h);
    }
}

static void test_regexti(void)
{
    static const int32_t immediates[] = {-1024, -17, -1, 0, 15, 16, 31, 32, 500, 1023};
    FOR_LANES(lanes)
    for (size_t n = 0; n < sizeof(immediates) / sizeof(immediates[0]); n++) {
        struct harness h;
        char line[64];
        int32_t imm = immediates[n], low = imm & 31;
        snprintf(line, sizeof(line), "vadd.vi v1, v2, %d", low < 16 ? low : low - 32);
        if (!open_prefixed(&h, "ventus", REGEXTI(EXTI(2, 3, imm)), line, lanes))
            return;
        keep(&h);
        finish(&h, line);
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_lane(&h, 65, i), was[98][i] + (uint32_t)imm);
        harness_close(&h);
        if (!open_prefixed(&h, "ventus", REGEXTI(EXTI(0, 0, imm)), "vmv.v.i v1, 7", lanes))
            return;
        finish(&h, line);
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_lane(&h, 1, i), (uint32_t)((imm & ~31) | 7));
        harness_close(&h);
    }
}

/* Branches and jumps are relative to the instruction after its prefix; links point after it. */
static void test_prefixed_jumps(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus",
                      ".word 0x0000200b\n beq x0, x0, 1f\n li a0, 1\n1: .word 0x0010200b\n jal x1, 2f\n li a1, 1\n"
                      "2: .word 0x0010200b\n auipc x2, 0\n endprg\n",
                      8))
        return;
    finish(&h, "jumps");
    CHECK_EQ(h.warp.x[10], 0);
    CHECK_EQ(h.warp.x[11], 0);
    CHECK_EQ(h.warp.x[33], CODE + 20);
    CHECK_EQ(h.warp.x[34], CODE + 28); /* the pc of auipc itself */
    harness_close(&h);
}

/* ---- pairs: regpair of gen1, prefix with pair of gen2 ---- */

static const struct generation {
    const char *march;
    uint32_t pair, pair_i; /* prefix words that make pairs */
} generations[] = {{"ventus", REGPAIR(0), REGPAIRI(0)}, {"ventus-gen2", PREFIX(0, 1, 0, 0), PREFIXI(0, 1, 0, 0)}};

/* Even operands are 64 bits, odd ones 32 and sign-extended. */
static void test_vector_pairs(void)
{
    FOR_LANES(lanes)
    for (int g = 0; g < 2; g++) {
        struct harness h;
        const struct generation *gen = &generations[g];
        if (!open_prefixed(&h, gen->march, gen->pair, "vadd.vv v2, v4, v6", lanes))
            return;
        keep(&h);
        finish(&h, "vadd.vv");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(pair(&h, 2, i), pair_was(4, i) + pair_was(6, i));
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vmul.vv v2, v5, v6", lanes))
            return;
        keep(&h);
        finish(&h, "vmul.vv");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(pair(&h, 2, i), sext(was[5][i]) * pair_was(6, i));
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vsub.vv v3, v4, v6", lanes))
            return;
        keep(&h);
        finish(&h, "vsub.vv");
        for (unsigned i = 0; i < lanes; i++) {
            CHECK_EQ(harness_lane(&h, 3, i), (uint32_t)(pair_was(4, i) - pair_was(6, i)));
            CHECK_EQ(harness_lane(&h, 4, i), was[4][i]);
        }
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vsrl.vx v2, v4, x11", lanes))
            return;
        keep(&h);
        finish(&h, "vsrl.vx");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(pair(&h, 2, i), pair_was(4, i) >> (x_was[11] & 63));
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vadd.vx v2, v4, x12", lanes))
            return;
        keep(&h);
        finish(&h, "vadd.vx");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(pair(&h, 2, i), pair_was(4, i) + x_pair_was(12));
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair_i | 2u << 20, "vadd.vi v2, v4, -3", lanes))
            return;
        keep(&h);
        finish(&h, "vadd.vi");
        for (unsigned i = 0; i < lanes; i++) /* regpairi replaces the high part of the immediate: 0b000000'11101 */
            CHECK_EQ(pair(&h, 66, i), pair_was(4, i) + 29);
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vmacc.vv v2, v4, v6", lanes))
            return;
        keep(&h);
        finish(&h, "vmacc.vv");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(pair(&h, 2, i), pair_was(2, i) + pair_was(4, i) * pair_was(6, i));
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vmslt.vv v3, v4, v6", lanes))
            return;
        keep(&h);
        finish(&h, "vmslt.vv");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_lane(&h, 3, i), (int64_t)pair_was(4, i) < (int64_t)pair_was(6, i));
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vid.v v2", lanes))
            return;
        finish(&h, "vid.v");
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(pair(&h, 2, i), i);
        harness_close(&h);
    }
}

static void test_float_pairs(void)
{
    for (int g = 0; g < 2; g++) {
        struct harness h;
        const struct generation *gen = &generations[g];
        if (!open_prefixed(&h, gen->march, gen->pair, "vfmul.vv v2, v4, v6", 8))
            return;
        for (unsigned i = 0; i < 8; i++) {
            double a = 1.1 * i, b = -3.7 / (i + 1);
            uint64_t bits;
            memcpy(&bits, &a, 8);
            harness_vreg(&h, 4)[i] = (uint32_t)bits, harness_vreg(&h, 5)[i] = (uint32_t)(bits >> 32);
            memcpy(&bits, &b, 8);
            harness_vreg(&h, 6)[i] = (uint32_t)bits, harness_vreg(&h, 7)[i] = (uint32_t)(bits >> 32);
        }
        finish(&h, "vfmul.vv");
        for (unsigned i = 0; i < 8; i++) {
            double product = (1.1 * i) * (-3.7 / (i + 1)), got;
            uint64_t bits = pair(&h, 2, i);
            memcpy(&got, &bits, 8);
            CHECK(got == product);
        }
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vfmul.vv v2, v4, v7", 8))
            return;
        expect_fault(&h, CY_FAULT_REGISTER, "vfmul.vv with an odd source");
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "fadd.s x10, x12, x14", 4))
            return;
        h.warp.x[12] = 0, h.warp.x[13] = 0x3ff00000, h.warp.x[14] = 0, h.warp.x[15] = 0x40080000; /* 1 + 3 */
        finish(&h, "fadd.s");
        CHECK_EQ(h.warp.x[10], 0);
        CHECK_EQ(h.warp.x[11], 0x40100000);
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "fmadd.s x10, x12, x14, x7", 4))
            return;
        expect_fault(&h, CY_FAULT_REGISTER, "fmadd.s with an odd source");
        harness_close(&h);
    }
}

static void test_scalar_pairs(void)
{
    for (int g = 0; g < 2; g++) {
        struct harness h;
        const struct generation *gen = &generations[g];
        for (unsigned round = 0; round < 20; round++) {
            if (!open_prefixed(&h, gen->march, gen->pair, "sub x10, x12, x14", 4))
                return;
            keep(&h);
            finish(&h, "sub");
            CHECK_EQ(h.warp.x[10] | (uint64_t)h.warp.x[11] << 32, x_pair_was(12) - x_pair_was(14));
            harness_close(&h);
            if (!open_prefixed(&h, gen->march, gen->pair, "mulhu x10, x12, x15", 4))
                return;
            keep(&h);
            finish(&h, "mulhu");
            __extension__ unsigned __int128 product = (unsigned __int128)x_pair_was(12) * sext(x_was[15]);
            CHECK_EQ(h.warp.x[10] | (uint64_t)h.warp.x[11] << 32, (uint64_t)(product >> 64));
            harness_close(&h);
            if (!open_prefixed(&h, gen->march, gen->pair, "sltu x11, x12, x14", 4))
                return;
            keep(&h);
            finish(&h, "sltu");
            CHECK_EQ(h.warp.x[11], x_pair_was(12) < x_pair_was(14));
            CHECK_EQ(h.warp.x[12], x_was[12]);
            harness_close(&h);
            if (!open_prefixed(&h, gen->march, gen->pair, "addi x10, x12, -7", 4))
                return;
            keep(&h);
            finish(&h, "addi");
            CHECK_EQ(h.warp.x[10] | (uint64_t)h.warp.x[11] << 32, x_pair_was(12) - 7);
            harness_close(&h);
            if (!open_prefixed(&h, gen->march, gen->pair, "add x0, x12, x14", 4))
                return;
            keep(&h);
            finish(&h, "add x0");
            CHECK_EQ(h.warp.x[0], 0);
            CHECK_EQ(h.warp.x[1], x_was[1]);
            harness_close(&h);
        }
    }
}

/* Pairs in memory: an even address register is 64 bits, even data move 64 bits. */
static void test_pair_memory(void)
{
    for (int g = 0; g < 2; g++) {
        struct harness h;
        const struct generation *gen = &generations[g];
        if (!open_prefixed(&h, gen->march, gen->pair, "vlw12.v v2, 8(v4)", 8))
            return;
        for (unsigned i = 0; i < 8; i++) {
            harness_vreg(&h, 4)[i] = DATA + 8 * i, harness_vreg(&h, 5)[i] = 0;
            harness_set_word(&h, DATA + 8 + 8 * i, 100 + i), harness_set_word(&h, DATA + 12 + 8 * i, 200 + i);
        }
        finish(&h, "vlw12.v");
        for (unsigned i = 0; i < 8; i++)
            CHECK_EQ(pair(&h, 2, i), 100 + i + ((uint64_t)(200 + i) << 32));
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "vsw12.v v3, 8(v4)", 8)) /* odd data: 32 bits */
            return;
        for (unsigned i = 0; i < 8; i++)
            harness_vreg(&h, 4)[i] = DATA + 8 * i, harness_vreg(&h, 5)[i] = i == 7 ? 1 : 0;
        expect_fault(&h, CY_FAULT_UNMAPPED, "vsw12.v");
        CHECK_EQ(h.warp.fault.lane, 7);
        CHECK_EQ(h.warp.fault.address, (1ull << 32) + DATA + 64);
        for (unsigned i = 0; i < 8; i++)
            CHECK_EQ(harness_word(&h, DATA + 8 + 8 * i), 0);
        harness_close(&h);
        if (!open_prefixed(&h, gen->march, gen->pair, "lw x10, 4(x12)", 8))
            return;
        h.warp.x[12] = DATA, h.warp.x[13] = 0;
        harness_set_word(&h, DATA + 4, 11), harness_set_word(&h, DATA + 8, 12);
        finish(&h, "lw");
        CHECK_EQ(h.warp.x[10], 11);
        CHECK_EQ(h.warp.x[11], 12);
        harness_close(&h);
    }
}

/* ---- gen2: absolute value first, then negation ---- */

static uint32_t modified(uint32_t value, unsigned source, unsigned abs, unsigned neg, bool is_float)
{
    if (abs >> source & 1)
        value = is_float ? value & 0x7fffffff : (int32_t)value < 0 ? 0 - value : value;
    if (neg >> source & 1)
        value = is_float ? value ^ 0x80000000 : 0 - value;
    return value;
}

static void test_abs_neg(void)
{
    for (unsigned abs = 0; abs < 8; abs++)
        for (unsigned neg = 0; neg < 8; neg++) {
            struct harness h;
            uint32_t prefix = PREFIX(0, 0, abs, neg);
            if (!open_prefixed(&h, "ventus-gen2", prefix, "vmacc.vv v2, v4, v6", 16))
                return;
            keep(&h);
            finish(&h, "vmacc.vv");
            for (unsigned i = 0; i < 16; i++)
                CHECK_EQ(harness_lane(&h, 2, i),
                         modified(was[4][i], 0, abs, neg, false) * modified(was[6][i], 1, abs, neg, false) +
                             modified(was[2][i], 2, abs, neg, false));
            harness_close(&h);
            if (!open_prefixed(&h, "ventus-gen2", prefix, "vfsgnj.vv v2, v4, v6", 16))
                return;
            keep(&h);
            finish(&h, "vfsgnj.vv");
            for (unsigned i = 0; i < 16; i++) {
                uint32_t b = modified(was[4][i], 1, abs, neg, true), a = modified(was[6][i], 0, abs, neg, true);
                CHECK_EQ(harness_lane(&h, 2, i), (b & 0x7fffffff) | (a & 0x80000000));
            }
            harness_close(&h);
            if (!open_prefixed(&h, "ventus-gen2", prefix, "vmadc.vv v2, v4, v6", 16)) /* a row without a loop */
                return;
            keep(&h);
            finish(&h, "vmadc.vv");
            for (unsigned i = 0; i < 16; i++) {
                uint32_t b = modified(was[4][i], 1, abs, neg, false), a = modified(was[6][i], 0, abs, neg, false);
                CHECK_EQ(harness_lane(&h, 2, i), a + b < a);
            }
            harness_close(&h);
            if (!open_prefixed(&h, "ventus-gen2", prefix, "fmadd.s x10, x11, x12, x13", 4))
                return;
            h.warp.x[11] = 0xc0000000, h.warp.x[12] = 0x40400000, h.warp.x[13] = 0xbf800000; /* -2, 3, -1 */
            float a = abs & 1 ? 2 : -2, b = 3, c = abs & 4 ? 1 : -1;
            float expected = (neg & 1 ? -a : a) * (neg & 2 ? -b : b) + (neg & 4 ? -c : c), got;
            finish(&h, "fmadd.s");
            memcpy(&got, &h.warp.x[10], 4);
            CHECK(got == expected);
            harness_close(&h);
            if (!open_prefixed(&h, "ventus-gen2", prefix, "sub x10, x11, x12", 4))
                return;
            keep(&h);
            finish(&h, "sub");
            CHECK_EQ(h.warp.x[10], modified(x_was[11], 0, abs, neg, false) - modified(x_was[12], 1, abs, neg, false));
            harness_close(&h);
            if (!open_prefixed(&h, "ventus-gen2", prefix, "vwadd.wx v2, v4, x10",
                               4)) /* the modified rs1 keeps its sign */
                return;
            keep(&h);
            finish(&h, "vwadd.wx");
            for (unsigned i = 0; i < 4; i++) {
                int64_t x = (int32_t)x_was[10], w = (int64_t)pair_was(4, i);
                x = abs & 1 && x < 0 ? -x : x, x = neg & 1 ? -x : x;
                w = abs & 2 && w < 0 ? (int64_t)(0 - (uint64_t)w) : w, w = neg & 2 ? (int64_t)(0 - (uint64_t)w) : w;
                CHECK_EQ(pair(&h, 2, i), (uint64_t)w + (uint64_t)x);
            }
            harness_close(&h);
            if (!open_prefixed(&h, "ventus-gen2", PREFIX(0, 1, abs, neg), "vadd.vv v2, v4, v6",
                               4)) /* together with pairs */
                return;
            keep(&h);
            finish(&h, "vadd.vv");
            for (unsigned i = 0; i < 4; i++) {
                uint64_t x = pair_was(6, i), y = pair_was(4, i);
                x = abs & 1 && x >> 63 ? 0 - x : x, x = neg & 1 ? 0 - x : x;
                y = abs & 2 && y >> 63 ? 0 - y : y, y = neg & 2 ? 0 - y : y;
                CHECK_EQ(pair(&h, 2, i), x + y);
            }
            harness_close(&h);
        }
}

/* The loops for whole warps against the element by element form, which code that reads fflags gets: every register, with all
 * lanes and with some. */
static void test_abs_neg_loops(void)
{
    static const struct {
        const char *line;
        unsigned pairs;
    } rows[] = {
        {"vfadd.vv v2, v4, v6", 0},    {"vfsub.vf v2, v4, x10", 0},  {"vfmacc.vv v0, v4, v6", 0},
        {"vfnmsub.vf v2, x10, v6", 0}, {"vmfle.vv v3, v4, v6", 0},   {"vmflt.vf v1, v4, x10", 0},
        {"vfsqrt.v v2, v4", 0},        {"vfsgnjn.vv v2, v2, v2", 0}, {"vfmax.vv v4, v4, v6", 0},
        {"vadd.vv v2, v4, v6", 0},     {"vmax.vv v2, v4, v4", 0},    {"vmax.vv v4, v4, v4", 0},
        {"vadd.vx v2, v4, x10", 0},    {"vrsub.vx v0, v2, x11", 0},  {"vadd.vi v2, v4, 5", 0},
        {"vand.vi v2, v4, 5", 0},      {"vmacc.vv v2, v4, v6", 0},   {"vmseq.vv v1, v0, v0", 0},
        {"vfadd.vv v2, v4, v6", 1},    {"vfmul.vv v2, v2, v4", 1},   {"vfmadd.vv v0, v4, v6", 1},
        {"vmfeq.vv v2, v4, v6", 1},    {"vfsqrt.v v2, v4", 1},       {"vfsgnjx.vv v2, v4, v4", 1},
        {"vadd.vv v2, v4, v6", 1},     {"vsub.vx v2, v4, x10", 1},   {"vadd.vi v2, v4, 5", 1},
        {"vfcvt.rtz.x.f.v v2, v4", 1}, {"vfsub.vv v2, v4, v2", 1},   {"vfmsub.vv v8, v8, v8", 1},
        {"vfmacc.vv v2, v2, v4", 0},   {"vmacc.vv v2, v4, v2", 0},   {"vfnmsac.vf v2, x10, v2", 0},
    };
    FOR_LANES(lanes)
    for (unsigned n = 0; n < CY_COUNT(rows) * 32; n++) {
        const char *line = rows[n / 32].line;
        struct harness fast, exact;
        char text[100];
        const unsigned signs = (n / 2 % 16 * 13 + lanes + n / 32) % 64; /* some of all sets of sources */
        const uint32_t prefix = PREFIX(0, rows[n / 32].pairs, signs / 8, signs % 8);
        snprintf(text, sizeof(text), "%s\n csrr x20, fflags", line);
        if (!open_prefixed(&fast, "ventus-gen2", prefix, line, lanes))
            return;
        if (!open_prefixed(&exact, "ventus-gen2", prefix, text, lanes))
            return;
        memcpy(exact.warp.v, fast.warp.v, (size_t)256 * lanes * sizeof(uint32_t));
        memcpy(exact.warp.x, fast.warp.x, sizeof(exact.warp.x));
        fast.warp.mask = exact.warp.mask = n & 1 ? 0x5a69 & (lanes < 16 ? (1u << lanes) - 1 : 0xffff) : fast.warp.mask;
        cy_warp_refresh(&fast.warp);
        cy_warp_refresh(&exact.warp);
        cy_warp_run(&fast.warp, 100); /* the end, where masked lanes are a fault of their own */
        cy_warp_run(&exact.warp, 100);
        exact.warp.x[20] = fast.warp.x[20];
        if (!CHECK(!memcmp(exact.warp.v, fast.warp.v, (size_t)256 * lanes * sizeof(uint32_t))) ||
            !CHECK(!memcmp(exact.warp.x, fast.warp.x, 64 * sizeof(uint32_t))))
            fprintf(stderr, "  %s, prefix %#x, %u lanes\n", line, prefix, lanes);
        harness_close(&fast);
        harness_close(&exact);
    }
}

/* ---- gen2: memory prefixes ---- */

static uint32_t place(const struct harness *h, unsigned space, uint32_t at, unsigned lane)
{
    return space == LOCAL    ? LDS + at
           : space == GLOBAL ? h->run.gds + at
           : space == 0      ? DATA + at
                             : PRIVATE + (at & ~3u) * h->warp.numw * h->run.lanes + (at & 3) + 4 * (h->warp.tid + lane);
}

/* Every space and width, loads and stores, 32- and 64-bit addresses, the address register overwritten by the data. */
static void test_memory_prefix(void)
{
    FOR_LANES(lanes)
    for (unsigned n = 0; n < 4 * 4 * 2 * 3; n++) {
        struct harness h;
        unsigned space = n & 3, words = (n >> 2 & 3) + 1, wide = n >> 4 & 1, kind = n / 32;
        const char *lines[] = {"vlw12.v v9, 4(v4)", "vsw12.v v9, 4(v4)", "vlw12.v v4, 4(v4)"};
        if (!open_prefixed(&h, "ventus-gen2",
                           PRE_M(space, words, wide, kind == 2 ? 0 : EXT(kind == 0, 0, kind == 1, 0)), lines[kind],
                           lanes))
            return;
        unsigned data = kind == 2 ? 4 : 41;
        h.run.gds = DATA + 0x10000;
        h.warp.numw = 2, h.warp.tid = lanes, h.warp.pds_size = 4096;
        for (unsigned i = 0; i < lanes; i++) {
            harness_vreg(&h, 4)[i] = (space ? 0 : DATA) + 16 * i;
            if (wide)
                harness_vreg(&h, 5)[i] = 0;
            for (unsigned k = 0; k < 4; k++)
                harness_set_word(&h, place(&h, space, 16 * i + 4 + 4 * k, i), 1000 * i + k);
        }
        keep(&h);
        finish(&h, lines[kind]);
        for (unsigned i = 0; i < lanes; i++)
            for (unsigned k = 0; k < 4; k++) {
                uint32_t word = harness_word(&h, place(&h, space, 16 * i + 4 + 4 * k, i));
                if (kind == 1)
                    CHECK_EQ(word, k < words ? was[data + k][i] : 1000 * i + k);
                else
                    CHECK_EQ(harness_lane(&h, data + k, i), k < words ? 1000 * i + k : was[data + k][i]);
            }
        harness_close(&h);
    }
}

/* Bytes stay bytes under a width; unit stride takes the space; atomics and scalar accesses too; others ignore it. */
static void test_memory_prefix_elsewhere(void)
{
    struct harness h;
    if (!open_prefixed(&h, "ventus-gen2", PRE_M(LOCAL, 2, 0, 0), "vlbu12.v v2, 1(v4)", 8))
        return;
    for (unsigned i = 0; i < 8; i++)
        harness_vreg(&h, 4)[i] = 4 * i, harness_set_word(&h, LDS + 4 * i, 0x01020300 + (i << 8));
    keep(&h);
    finish(&h, "vlbu12.v");
    for (unsigned i = 0; i < 8; i++) {
        CHECK_EQ(harness_lane(&h, 2, i), 3 + i);
        CHECK_EQ(harness_lane(&h, 3, i), was[3][i]);
    }
    harness_close(&h);
    if (!open_prefixed(&h, "ventus-gen2", PRE_M(LOCAL, 1, 0, 0), "vle32.v v2, (x10)", 8))
        return;
    h.warp.x[10] = 16;
    for (unsigned i = 0; i < 8; i++)
        harness_set_word(&h, LDS + 16 + 4 * i, 50 + i);
    finish(&h, "vle32.v");
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(harness_lane(&h, 2, i), 50 + i);
    harness_close(&h);
    if (!open_prefixed(&h, "ventus-gen2", PRE_M(LOCAL, 1, 0, 0), "amoadd.w v2, v6, (v4)", 8))
        return;
    for (unsigned i = 0; i < 8; i++)
        harness_vreg(&h, 4)[i] = 32, harness_vreg(&h, 6)[i] = i;
    harness_set_word(&h, LDS + 32, 5);
    finish(&h, "amoadd.w");
    CHECK_EQ(harness_word(&h, LDS + 32), 5 + 28);
    harness_close(&h);
    if (!open_prefixed(&h, "ventus-gen2", PRE_M(LOCAL, 3, 0, 0), "lw x10, 4(x9)", 8))
        return;
    h.warp.x[9] = 8;
    for (unsigned k = 0; k < 4; k++)
        harness_set_word(&h, LDS + 12 + 4 * k, 70 + k);
    keep(&h);
    finish(&h, "lw");
    CHECK_EQ(h.warp.x[10], 70);
    CHECK_EQ(h.warp.x[12], 72);
    CHECK_EQ(h.warp.x[13], x_was[13]);
    harness_close(&h);
    if (!open_prefixed(&h, "ventus-gen2", PRE_M(LOCAL, 4, 1, EXT(1, 0, 0, 0)), "vadd.vv v1, v2, v3",
                       8)) /* no memory access */
        return;
    keep(&h);
    finish(&h, "vadd.vv");
    for (unsigned i = 0; i < 8; i++)
        CHECK_EQ(harness_lane(&h, 1, i), was[2][i] + was[3][i]); /* not even its registers are extended */
    harness_close(&h);
    if (!open_prefixed(&h, "ventus-gen2", PRE_M(0, 1, 0, EXT(7, 7, 7, 7)), "add x10, x11, x12", 8)) /* x234 is none */
        return;
    keep(&h);
    finish(&h, "add");
    CHECK_EQ(h.warp.x[10], x_was[11] + x_was[12]);
    harness_close(&h);
}

/* A store that faults in its last word or its last lane has stored nothing. */
static void test_wide_store_faults(void)
{
    struct harness h;
    if (!open_prefixed(&h, "ventus-gen2", PRE_M(0, 4, 0, 0), "vsw12.v v8, 0(v4)", 8))
        return;
    for (unsigned i = 0; i < 8; i++)
        harness_vreg(&h, 4)[i] = i == 7 ? DATA + DATA_SIZE - 12 : DATA + 16 * i;
    expect_fault(&h, CY_FAULT_UNMAPPED, "vsw12.v");
    CHECK_EQ(h.warp.fault.address, DATA + DATA_SIZE);
    CHECK_EQ(h.warp.fault.lane, 7);
    for (unsigned i = 0; i < 32; i++)
        CHECK_EQ(harness_word(&h, DATA + 4 * i), 0);
    CHECK_EQ(harness_word(&h, DATA + DATA_SIZE - 12), 0);
    harness_close(&h);
}

/* ---- gen2: 64-bit addresses and values without a prefix ---- */

static void test_addresses_64(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        if (!harness_open(
                &h, "ventus-gen2",
                "vsw12d.v v1, -8(v2)\n vlb12d.v v5, -7(v2)\n vlbu12d.v v6, -7(v2)\n vlh12d.v v7, -6(v2)\n"
                "vlhu12d.v v8, -6(v2)\n vlw12d.v v9, -8(v2)\n vsb12d.v v1, 0(v2)\n vsh12d.v v1, 2(v2)\n endprg\n",
                lanes))
            return;
        for (unsigned i = 0; i < lanes; i++) { /* 0xffffffff_fffffff8 + ... wraps to the address */
            uint64_t address = DATA + 16ull * i + 8;
            harness_vreg(&h, 1)[i] = rng_value(&rng);
            harness_vreg(&h, 2)[i] = (uint32_t)address, harness_vreg(&h, 3)[i] = (uint32_t)(address >> 32);
        }
        keep(&h);
        finish(&h, "12d");
        for (unsigned i = 0; i < lanes; i++) {
            uint32_t w = was[1][i];
            CHECK_EQ(harness_word(&h, DATA + 16 * i), w);
            CHECK_EQ(harness_lane(&h, 5, i), (uint32_t)(int32_t)(int8_t)(w >> 8));
            CHECK_EQ(harness_lane(&h, 6, i), w >> 8 & 0xff);
            CHECK_EQ(harness_lane(&h, 7, i), (uint32_t)(int32_t)(int16_t)(w >> 16));
            CHECK_EQ(harness_lane(&h, 8, i), w >> 16);
            CHECK_EQ(harness_lane(&h, 9, i), w);
            CHECK_EQ(harness_word(&h, DATA + 16 * i + 8), (w & 0xff) | w << 16);
        }
        harness_close(&h);
    }
}

/* Addresses at the ends of 64 bits reach no memory. */
static void test_addresses_beyond(void)
{
    static const uint64_t bad[] = {
        ~0ull, ~0ull - 3, ~0ull - 7, 1ull << 32, (1ull << 32) + DATA, 1ull << 63, 0xffffffff00000000 + DATA};
    static const char *const lines[] = {"vlw12d.v v6, 0(v2)", "vsb12d.v v6, 0(v2)", "amoadd.d v6, v8, (v2)",
                                        "ld x10, 0(x12)", "sd x10, 0(x12)"};
    for (size_t n = 0; n < sizeof(bad) / sizeof(bad[0]); n++)
        for (size_t l = 0; l < sizeof(lines) / sizeof(lines[0]); l++) {
            struct harness h;
            char text[100];
            snprintf(text, sizeof(text), "vlw12d.v v6, 0(v4)\n lw x9, 0(x8)\n %s\n endprg\n", lines[l]);
            if (!harness_open(&h, "ventus-gen2", text, 8))
                return;
            for (unsigned i = 0; i < 8; i++) { /* the first access fills the warp's extent */
                harness_vreg(&h, 4)[i] = DATA;
                harness_vreg(&h, 2)[i] = (uint32_t)bad[n], harness_vreg(&h, 3)[i] = (uint32_t)(bad[n] >> 32);
            }
            h.warp.x[8] = DATA, h.warp.x[12] = (uint32_t)bad[n], h.warp.x[13] = (uint32_t)(bad[n] >> 32);
            CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_FAULT);
            CHECK_EQ(h.warp.pc, CODE + 8);
            CHECK(h.warp.fault.kind == CY_FAULT_UNMAPPED || h.warp.fault.kind == CY_FAULT_MISALIGNED);
            CHECK_EQ(h.warp.fault.address, bad[n]);
            harness_close(&h);
        }
}

static void test_rv64(void)
{
    static const char *const lines[] = {"addw x10, x12, x14", "subw x10, x12, x14", "sllw x10, x12, x14",
                                        "srlw x10, x12, x14", "sraw x10, x12, x14", "addiw x10, x12, -9",
                                        "slliw x10, x12, 31", "srliw x10, x12, 31", "sraiw x10, x12, 31",
                                        "addw x0, x12, x14",  "addw x10, x0, x14"};
    for (size_t n = 0; n < sizeof(lines) / sizeof(lines[0]); n++)
        for (unsigned round = 0; round < 10; round++) {
            struct harness h;
            char text[100];
            snprintf(text, sizeof(text), "%s\n endprg\n", lines[n]);
            if (!harness_open(&h, "ventus-gen2", text, 4))
                return;
            rng_registers(&rng, &h);
            keep(&h);
            uint64_t a = x_pair_was(12), b = x_pair_was(14);
            const uint64_t expected[] = {a + b,
                                         a - b,
                                         a << (b & 63),
                                         a >> (b & 63),
                                         (uint64_t)((int64_t)a >> (b & 63)),
                                         a - 9,
                                         a << 31,
                                         a >> 31,
                                         (uint64_t)((int64_t)a >> 31),
                                         x_pair_was(10),
                                         b};
            finish(&h, lines[n]);
            if (!CHECK_EQ(h.warp.x[10] | (uint64_t)h.warp.x[11] << 32, expected[n]))
                fprintf(stderr, "  %s\n", lines[n]);
            CHECK_EQ(h.warp.x[0], 0);
            CHECK_EQ(h.warp.x[1], x_was[1]);
            harness_close(&h);
        }
    static const char *const odd[] = {"addw x11, x12, x14", "addw x10, x13, x14", "addw x10, x12, x15",
                                      "ld x10, 0(x13)",     "sd x10, 0(x13)",     "amoadd.d v2, v4, (v7)",
                                      "vlw12d.v v2, 0(v5)", "vsw12d.v v2, 0(v5)", "vwadd.vv v3, v4, v6"};
    for (size_t n = 0; n < sizeof(odd) / sizeof(odd[0]); n++) {
        struct harness h;
        char text[100];
        snprintf(text, sizeof(text), "%s\n endprg\n", odd[n]);
        if (!harness_open(&h, "ventus-gen2", text, 4))
            return;
        expect_fault(&h, CY_FAULT_REGISTER, odd[n]);
        harness_close(&h);
    }
}

static void test_ld_sd(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus-gen2", "sd x11, 8(x12)\n ld x10, 8(x12)\n endprg\n", 4))
        return;
    h.warp.x[11] = 0x12345678, h.warp.x[12] = DATA, h.warp.x[13] = 0;
    harness_set_word(&h, DATA + 12, 0x9999);
    finish(&h, "ld, sd");
    CHECK_EQ(h.warp.x[10], 0x12345678); /* data are 32 bits */
    CHECK_EQ(h.warp.x[11], 0x12345678);
    CHECK_EQ(harness_word(&h, DATA + 12), 0x9999);
    harness_close(&h);
}

/* vwop.wv: 64 = 64 op 64; .vv: odd 32-bit sources are welcome, the last register too. */
static void test_widening(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        if (!harness_open(
                &h, "ventus-gen2",
                "vwadd.wv v10, v2, v4\n vwsubu.wv v12, v2, v4\n vwmul.vv v14, v7, v255\n vwaddu.vx v16, v7, x5\n"
                "vwadd.vx v18, v7, x5\n vwaddu.wx v20, v2, x5\n vwmaccsu.vv v22, v7, v9\n endprg\n",
                lanes))
            return;
        rng_registers(&rng, &h);
        keep(&h);
        finish(&h, "widening");
        for (unsigned i = 0; i < lanes; i++) {
            CHECK_EQ(pair(&h, 10, i), pair_was(2, i) + pair_was(4, i));
            CHECK_EQ(pair(&h, 12, i), pair_was(2, i) - pair_was(4, i));
            CHECK_EQ(pair(&h, 14, i), sext(was[7][i]) * sext(was[255][i]));
            CHECK_EQ(pair(&h, 16, i), (uint64_t)was[7][i] + x_was[5]);
            CHECK_EQ(pair(&h, 18, i), sext(was[7][i]) + sext(x_was[5]));
            CHECK_EQ(pair(&h, 20, i), pair_was(2, i) + x_was[5]);
            CHECK_EQ(pair(&h, 22, i), pair_was(22, i) + sext(was[7][i]) * was[9][i]);
        }
        harness_close(&h);
    }
}

TEST_MAIN(test_regext, test_regexti, test_prefixed_jumps, test_vector_pairs, test_float_pairs, test_scalar_pairs,
          test_pair_memory, test_abs_neg, test_abs_neg_loops, test_memory_prefix, test_memory_prefix_elsewhere,
          test_wide_store_faults, test_addresses_64, test_addresses_beyond, test_rv64, test_ld_sd, test_widening)
