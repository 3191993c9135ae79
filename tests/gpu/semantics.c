/* Differences from standard RISC-V (docs/isa.md, docs/decisions.md), against expectations written out here: masks,
 * moves between scalars and lanes, atomics on lanes, addressing, CSRs, vtype, vftta.  Prefixes and pairs are in
 * prefixes.c. */
#include "gpu/random.h"

#include <math.h>

static const unsigned lane_counts[] = {4, 8, 16, 32, 64};
#define FOR_LANES(lanes) for (unsigned c_ = 0, lanes; c_ < 5 && (lanes = lane_counts[c_], true); c_++)

static struct rng rng = {7};

/* Every lane's value of a register at random; also copied to `copy`. */
static void fill(struct harness *h, unsigned number, uint32_t *copy)
{
    for (unsigned i = 0; i < h->run.lanes; i++)
        copy[i] = harness_vreg(h, number)[i] = rng_value(&rng);
}

/* Disables some lanes, as divergence would. */
static uint64_t some_lanes(struct harness *h)
{
    uint64_t mask = rng_long(&rng) & harness_all(h->run.lanes);
    h->warp.mask = mask ? mask : 2;
    h->run.checking = false; /* endprg would fault */
    cy_warp_refresh(&h->warp);
    return h->warp.mask;
}

static bool finish(struct harness *h)
{
    bool ok = CHECK_EQ(cy_warp_run(&h->warp, 10000), CY_STOP_END);
    if (!ok)
        fprintf(stderr, "  fault %d at %#x\n", h->warp.fault.kind, h->warp.fault.pc);
    return ok;
}

static void test_compares_write_lanes(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        uint32_t a[64], b[64], old[64];
        if (!harness_open(&h, "ventus", "vmslt.vv v3, v1, v2\n vmfle.vv v4, v1, v2\n vmsgtu.vi v5, v1, 3\n endprg\n",
                          lanes))
            return;
        fill(&h, 1, a), fill(&h, 2, b), fill(&h, 3, old);
        uint64_t mask = some_lanes(&h);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            float x, y;
            memcpy(&x, &a[i], 4), memcpy(&y, &b[i], 4);
            bool active = mask >> i & 1;
            CHECK_EQ(harness_lane(&h, 3, i), active ? (int32_t)a[i] < (int32_t)b[i] : old[i]);
            CHECK_EQ(harness_lane(&h, 4, i), active ? x <= y : 0);
            CHECK_EQ(harness_lane(&h, 5, i), active ? a[i] > 3 : 0);
        }
        harness_close(&h);
    }
}

/* v0.t: bit i of the packed mask, or bit 0 of lane i with mask=lane. */
static void test_masks(void)
{
    FOR_LANES(lanes)
    for (int per_lane = 0; per_lane < 2; per_lane++) {
        struct harness h;
        uint32_t a[64], b[64], v0[64], old[64];
        if (!harness_open(&h, "ventus",
                          "vadd.vv v3, v1, v2, v0.t\n vmerge.vvm v4, v1, v2, v0\n vadc.vvm v5, v1, v2, v0\n"
                          "vmsltu.vv v6, v1, v2, v0.t\n vid.v v7, v0.t\n vmadc.vvm v0, v1, v2, v0\n endprg\n",
                          lanes))
            return;
        h.run.mask_per_lane = per_lane;
        fill(&h, 0, v0), fill(&h, 1, a), fill(&h, 2, b), fill(&h, 3, old);
        memcpy(harness_vreg(&h, 7), old, sizeof(*old) * lanes);
        uint64_t simt = some_lanes(&h);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            bool bit = per_lane ? v0[i] & 1 : v0[i / 32] >> (i % 32) & 1, active = simt >> i & 1;
            CHECK_EQ(harness_lane(&h, 3, i), active && bit ? a[i] + b[i] : old[i]);
            CHECK_EQ(harness_lane(&h, 4, i), active ? (bit ? b[i] : a[i]) : 0);
            CHECK_EQ(harness_lane(&h, 5, i), active ? a[i] + b[i] + bit : 0);
            CHECK_EQ(harness_lane(&h, 6, i), active && bit ? a[i] < b[i] : 0);
            CHECK_EQ(harness_lane(&h, 7, i), active && bit ? i : old[i]);
            CHECK_EQ(harness_lane(&h, 0, i), active ? ((uint64_t)a[i] + b[i] + bit) >> 32 : v0[i]);
        }
        harness_close(&h);
    }
}

/* A compare feeds v0.t only with mask=lane. */
static void test_compare_as_mask(void)
{
    FOR_LANES(lanes)
    for (int per_lane = 0; per_lane < 2; per_lane++) {
        struct harness h;
        if (!harness_open(&h, "ventus", "vid.v v1\n vmsgtu.vi v0, v1, 1\n vadd.vi v2, v1, 10, v0.t\n endprg\n", lanes))
            return;
        h.run.mask_per_lane = per_lane;
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) /* packed: lane 0's element is 0, lane 1's too */
            CHECK_EQ(harness_lane(&h, 2, i), per_lane && i > 1 ? i + 10 : 0);
        harness_close(&h);
    }
}

static void test_mask_logic(void)
{
    static const char *const names[] = {"vmandn", "vmand", "vmor", "vmxor", "vmorn", "vmnand", "vmnor", "vmxnor"};
    FOR_LANES(lanes)
    for (unsigned n = 0; n < 16; n++) {
        struct harness h;
        char text[100];
        uint32_t a[64], b[64], old[64];
        bool per_lane = n >= 8;
        snprintf(text, sizeof(text), "%s.mm v3, v1, v2\n endprg\n", names[n % 8]);
        if (!harness_open(&h, "ventus", text, lanes))
            return;
        h.run.mask_per_lane = per_lane;
        fill(&h, 1, a), fill(&h, 2, b), fill(&h, 3, old);
        uint64_t simt = some_lanes(&h);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            unsigned word = per_lane ? i : i / 32, shift = per_lane ? 0 : i % 32;
            bool x = a[word] >> shift & 1, y = b[word] >> shift & 1, was = old[word] >> shift & 1;
            const bool results[] = {x && !y, x && y, x || y, x != y, x || !y, !(x && y), !(x || y), x == y};
            CHECK_EQ(harness_lane(&h, 3, word) >> shift & 1, simt >> i & 1 ? results[n % 8] : was);
            if (per_lane)
                CHECK_EQ(harness_lane(&h, 3, i), simt >> i & 1 ? results[n % 8] : old[i]);
            else if (i > (lanes - 1) / 32)
                CHECK_EQ(harness_lane(&h, 3, i), old[i]);
        }
        harness_close(&h);
    }
}

/* Masks in memory are packed in both modes. */
static void test_mask_memory(void)
{
    FOR_LANES(lanes)
    for (int per_lane = 0; per_lane < 2; per_lane++) {
        struct harness h;
        uint64_t bits = rng_long(&rng), stored = 0;
        if (!harness_open(&h, "ventus", "vlm.v v2, (a0)\n vsm.v v2, (a1)\n endprg\n", lanes))
            return;
        h.run.mask_per_lane = per_lane;
        h.warp.x[10] = DATA, h.warp.x[11] = DATA + 64;
        memcpy(h.memory.base + DATA, &bits, 8);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(per_lane ? harness_lane(&h, 2, i) : harness_lane(&h, 2, i / 32) >> (i % 32) & 1, bits >> i & 1);
        memcpy(&stored, h.memory.base + DATA + 64, (lanes + 7) / 8);
        uint64_t kept = per_lane ? harness_all(lanes) : harness_all((lanes + 7) / 8 * 8);
        CHECK_EQ(stored, bits & kept);
        harness_close(&h);
    }
}

static void test_scalar_moves(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        uint32_t a[64], old[64];
        if (!harness_open(&h, "ventus",
                          "vmv.x.s a0, v1\n vmv.s.x v2, a2\n vfmv.s.f v3, a3\n vfmv.f.s a1, v1\n vfmv.v.f v4, a3\n"
                          "li t0, 2\n vsetvli t1, t0, e32, m1, ta, ma\n vmv.x.s a4, v1\n vmv.s.x v5, a2\n"
                          "li t0, 0\n vsetvli t1, t0, e32, m1, ta, ma\n vmv.x.s a5, v1\n endprg\n",
                          lanes))
            return;
        fill(&h, 1, a), fill(&h, 2, old);
        h.warp.x[12] = 0xdead, h.warp.x[13] = 0x7f800001, h.warp.x[15] = 77;
        uint64_t simt = some_lanes(&h) | 1;
        h.warp.mask = simt;
        cy_warp_refresh(&h.warp);
        finish(&h);
        unsigned last = 63 - (unsigned)__builtin_clzll(simt);
        CHECK_EQ(h.warp.x[10], a[last]);
        CHECK_EQ(h.warp.x[11], a[last]);
        CHECK_EQ(h.warp.x[14], a[simt >> 1 & 1]);
        CHECK_EQ(h.warp.x[15], 77); /* no lane, no value */
        for (unsigned i = 0; i < lanes; i++) {
            bool active = simt >> i & 1;
            CHECK_EQ(harness_lane(&h, 2, i), active ? 0xdead : old[i]);
            CHECK_EQ(harness_lane(&h, 3, i), active ? 0x7f800001 : 0);
            CHECK_EQ(harness_lane(&h, 4, i), active ? 0x7f800001 : 0);
            CHECK_EQ(harness_lane(&h, 5, i), active && i < 2 ? 0xdead : 0);
        }
        harness_close(&h);
    }
}

/* Narrow and wide elements: vmv.x.s extends SEW bits, vfmv takes pairs at SEW 64. */
static void test_scalar_moves_by_width(void)
{
    struct harness h;
    if (!harness_open(
            &h, "ventus",
            "vsetvli t0, zero, e8, m1, ta, ma\n vmv.x.s a0, v2\n vsetvli t0, zero, e16, m1, ta, ma\n vmv.x.s a1, v2\n"
            "vfmv.f.s a2, v2\n vsetvli t0, zero, e64, m1, ta, ma\n vmv.x.s a3, v2\n vfmv.f.s s0, v2\n"
            "vfmv.v.f v4, s2\n vmv.v.x v6, s2\n vfmv.s.f v8, s2\n endprg\n",
            4))
        return;
    for (unsigned i = 0; i < 4; i++)
        harness_vreg(&h, 2)[i] = 0x1234f0f1, harness_vreg(&h, 3)[i] = 0x55667788;
    h.warp.x[18] = 0x89abcdef, h.warp.x[19] = 0x01234567;
    finish(&h);
    CHECK_EQ(h.warp.x[10], 0xfffffff1);
    CHECK_EQ(h.warp.x[11], 0xfffff0f1);
    CHECK_EQ(h.warp.x[12], 0xfffff0f1);
    CHECK_EQ(h.warp.x[13], 0x1234f0f1);
    CHECK_EQ(h.warp.x[8], 0x1234f0f1);
    CHECK_EQ(h.warp.x[9], 0x55667788);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(harness_lane(&h, 4, i), 0x89abcdef);
        CHECK_EQ(harness_lane(&h, 5, i), 0x01234567);
        CHECK_EQ(harness_lane(&h, 6, i), 0x89abcdef);
        CHECK_EQ(harness_lane(&h, 7, i), 0xffffffff);
        CHECK_EQ(harness_lane(&h, 9, i), 0x01234567);
    }
    harness_close(&h);
}

/* ---- atomics ---- */

static uint32_t amo(unsigned which, uint32_t m, uint32_t b)
{
    switch (which) {
    case 0: return m + b;
    case 1: return b;
    case 2: return m ^ b;
    case 3: return m | b;
    case 4: return m & b;
    case 5: return (int32_t)m < (int32_t)b ? m : b;
    case 6: return (int32_t)m > (int32_t)b ? m : b;
    case 7: return m < b ? m : b;
    default: return m > b ? m : b;
    }
}
static const char *const amo_names[] = {"add", "swap", "xor", "or", "and", "min", "max", "minu", "maxu"};

static void test_atomics(void)
{
    FOR_LANES(lanes)
    for (unsigned n = 0; n < 18; n++) {
        struct harness h;
        char text[100];
        uint32_t operand[64], address[64], old[64], memory[8];
        bool wide = n >= 9;
        snprintf(text, sizeof(text), "amo%s.%s v6, v2, (v4)\n endprg\n", amo_names[n % 9], wide ? "d" : "w");
        if (!harness_open(&h, wide ? "ventus-gen2" : "ventus", text, lanes))
            return;
        fill(&h, 2, operand), fill(&h, 6, old);
        for (unsigned i = 0; i < 8; i++)
            memory[i] = rng_value(&rng), harness_set_word(&h, DATA + 4 * i, memory[i]);
        for (unsigned i = 0; i < lanes; i++) {
            address[i] = rng_below(&rng, 8);
            harness_vreg(&h, 4)[i] = DATA + 4 * address[i];
            harness_vreg(&h, 5)[i] = 0;
        }
        uint64_t simt = some_lanes(&h);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) { /* ascending: a later lane sees what an earlier one wrote */
            uint32_t *word = &memory[address[i]];
            CHECK_EQ(harness_lane(&h, 6, i), simt >> i & 1 ? *word : old[i]);
            if (simt >> i & 1)
                *word = amo(n % 9, *word, operand[i]);
        }
        for (unsigned i = 0; i < 8; i++)
            CHECK_EQ(harness_word(&h, DATA + 4 * i), memory[i]);
        harness_close(&h);
    }
}

static void test_reservations(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        if (!harness_open(
                &h, "ventus",
                "vid.v v1\n vsll.vi v2, v1, 2\n vadd.vx v2, v2, a0\n vmv.v.x v3, a0\n"
                "lr.w v4, (v2)\n sc.w v5, v1, (v2)\n" /* each lane its own word: all succeed */
                "lr.w v6, (v3)\n sc.w v7, v1, (v3)\n" /* one word: the first lane wins */
                "sc.w v8, v1, (v2)\n"                 /* nothing reserved: all fail */
                "lr.w v9, (v2)\n vsw12.v v3, 0(v2)\n sc.w v10, v1, (v2)\n"
                "lr.w v11, (v2)\n sc.w v12, v1, (v13)\n sc.w v14, v1, (v2)\n endprg\n", /* changed meanwhile */
                lanes))
            return;
        h.warp.x[10] = DATA;
        for (unsigned i = 0; i < lanes; i++)
            harness_vreg(&h, 13)[i] = DATA + 0x1000;
        for (unsigned i = 0; i < lanes; i++)
            harness_set_word(&h, DATA + 4 * i, 1000 + i);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            CHECK_EQ(harness_lane(&h, 4, i), 1000 + i);
            CHECK_EQ(harness_lane(&h, 5, i), 0);
            CHECK_EQ(harness_lane(&h, 6, i), 0);
            CHECK_EQ(harness_lane(&h, 7, i), i != 0);
            CHECK_EQ(harness_lane(&h, 8, i), 1);
            CHECK_EQ(harness_lane(&h, 9, i), i);
            CHECK_EQ(harness_lane(&h, 10, i), 1);
            CHECK_EQ(harness_lane(&h, 12, i), 1); /* another word: fails, and the reservation is gone */
            CHECK_EQ(harness_lane(&h, 14, i), 1);
            CHECK_EQ(harness_word(&h, DATA + 4 * i), DATA);
        }
        harness_close(&h);
    }
}

/* The loop compilers emit: every lane adds to its own word or to a shared one, until its SC succeeds; by 32-bit and 64-bit
 * addresses, on words and on pairs of words, whose second one counts the lanes. */
static void test_reservation_loop(void)
{
    static const struct {
        const char *target, *reserve, *store;
        unsigned bytes;
    } forms[] = {
        {"ventus", "lr.w v6, (v3)", "sc.w v9, v6, (v3)", 4},
        {"ventus", "regpair zero, zero, 0\n lr.w v6, (v3)", "regpair zero, zero, 0\n sc.w v9, v6, (v3)", 8},
        {"ventus-gen2", "lr.d v6, (v4)", "sc.d v9, v6, (v4)", 4},
        {"ventus-gen2", "prefix 1, 0, 0\n lr.w v6, (v4)", "prefix 1, 0, 0\n sc.w v9, v6, (v4)", 8},
    };
    FOR_LANES(lanes)
    for (unsigned n = 0; n < 2 * CY_COUNT(forms); n++) {
        struct harness h;
        char text[600];
        const unsigned form = n / 2, bytes = forms[form].bytes;
        const bool is_shared = n & 1;
        snprintf(text, sizeof(text),
                 "vid.v v1\n vmul.vx v3, v1, a1\n vadd.vx v3, v3, a0\n vmv.v.v v4, v3\n vmv.v.i v5, 0\n vmv.v.i v2, 0\n"
                 "again: %s\n vadd.vv v6, v6, v1\n vadd.vi v7, v7, 1\n %s\n"
                 "1: auipc t0, %%pcrel_hi(end)\n setrpc zero, t0, %%pcrel_lo(1b)\n vbne v9, v2, again\n"
                 "end: join\n endprg\n",
                 forms[form].reserve, forms[form].store);
        if (!harness_open(&h, forms[form].target, text, lanes))
            return;
        h.warp.x[10] = DATA, h.warp.x[11] = is_shared ? 0 : bytes;
        h.run.stack_depth = 128;
        finish(&h);
        for (unsigned i = 0; i < (is_shared ? 1 : lanes); i++) {
            CHECK_EQ(harness_word(&h, DATA + bytes * i), is_shared ? lanes * (lanes - 1) / 2 : i);
            if (bytes == 8)
                CHECK_EQ(harness_word(&h, DATA + 8 * i + 4), is_shared ? lanes : 1);
        }
        harness_close(&h);
    }
}

static void test_scalar_atomics(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus",
                      "amoadd.w v10, v11, (v12)\n amoswap.w v0, v11, (v12)\n lr.w v13, (v12)\n sc.w v14, v11, (v12)\n"
                      "sc.w v15, v11, (v12)\n amomaxu.w v33, v11, (v12)\n endprg\n",
                      8))
        return;
    h.run.scalar_atomics = true;
    h.warp.x[11] = 5, h.warp.x[12] = DATA, h.warp.x[33] = 9;
    harness_set_word(&h, DATA, 100);
    finish(&h);
    CHECK_EQ(h.warp.x[10], 100);
    CHECK_EQ(h.warp.x[0], 0);
    CHECK_EQ(h.warp.x[13], 5);
    CHECK_EQ(h.warp.x[14], 0);
    CHECK_EQ(h.warp.x[15], 1);
    CHECK_EQ(h.warp.x[33], 5);
    CHECK_EQ(harness_word(&h, DATA), 5);
    CHECK_EQ(harness_lane(&h, 10, 0), 0);
    harness_close(&h);
}

/* ---- addresses ---- */

static void test_add12(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        uint32_t a[64];
        if (!harness_open(
                &h, "ventus",
                "vadd12.vi v2, v1, 2047\n vadd12.vi v3, v1, -2048\n vsub12.vi v4, v1, 2047\n vsub12.vi v5, v1, -1\n"
                "vadd12.vi v200, v1, -5\n endprg\n",
                lanes))
            return;
        fill(&h, 1, a);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            CHECK_EQ(harness_lane(&h, 2, i), a[i] + 2047);
            CHECK_EQ(harness_lane(&h, 3, i), a[i] - 2048);
            CHECK_EQ(harness_lane(&h, 4, i), a[i] - 2047);
            CHECK_EQ(harness_lane(&h, 5, i), a[i] + 1);
            CHECK_EQ(harness_lane(&h, 200, i), a[i] - 5);
        }
        harness_close(&h);
    }
}

/* Bytes, halfwords and words by a lane's own address, extended by the row. */
static void test_memory12(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        uint32_t word[64], slot[64];
        if (!harness_open(
                &h, "ventus",
                "vsw12.v v1, 0(v2)\n vlb12.v v3, 3(v2)\n vlbu12.v v4, 3(v2)\n vlh12.v v5, 2(v2)\n vlhu12.v v6, 2(v2)\n"
                "vlw12.v v7, 0(v2)\n vsb12.v v1, 1024(v2)\n vsh12.v v1, 1026(v2)\n vlw12.v v8, 1024(v2)\n endprg\n",
                lanes))
            return;
        fill(&h, 1, word);
        for (unsigned i = 0; i < lanes; i++)
            slot[i] = i;
        for (unsigned i = lanes - 1; i > 0; i--) { /* scattered, each lane its own */
            unsigned j = rng_below(&rng, i + 1);
            uint32_t swap = slot[i];
            slot[i] = slot[j], slot[j] = swap;
        }
        for (unsigned i = 0; i < lanes; i++)
            harness_vreg(&h, 2)[i] = DATA + 4 * slot[i];
        uint64_t simt = some_lanes(&h);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            bool active = simt >> i & 1;
            uint32_t w = active ? word[i] : 0;
            CHECK_EQ(harness_word(&h, DATA + 4 * slot[i]), w);
            CHECK_EQ(harness_lane(&h, 3, i), (uint32_t)(int32_t)(int8_t)(w >> 24));
            CHECK_EQ(harness_lane(&h, 4, i), w >> 24);
            CHECK_EQ(harness_lane(&h, 5, i), (uint32_t)(int32_t)(int16_t)(w >> 16));
            CHECK_EQ(harness_lane(&h, 6, i), w >> 16);
            CHECK_EQ(harness_lane(&h, 7, i), w);
            CHECK_EQ(harness_lane(&h, 8, i), (w & 0xff) | w << 16);
        }
        harness_close(&h);
    }
}

/* address = PDS + (A & ~3)*NUMW*NUMT + (A & 3) + 4*(TID + lane) */
static void test_private(void)
{
    FOR_LANES(lanes)
    for (unsigned numw = 1; numw <= 4; numw += 3) {
        struct harness h;
        uint32_t word[64], at[64];
        if (!harness_open(
                &h, "ventus",
                "vsw.v v1, -16(v2)\n vlb.v v3, -15(v2)\n vlbu.v v4, -15(v2)\n vlh.v v5, -14(v2)\n vlhu.v v6, -14(v2)\n"
                "vlw.v v7, -16(v2)\n vsb.v v1, 512(v2)\n vsh.v v1, 514(v2)\n vlw.v v8, 512(v2)\n endprg\n",
                lanes))
            return;
        h.warp.numw = numw;
        h.warp.tid = (numw - 1) * lanes;
        h.warp.pds_size = 1024;
        fill(&h, 1, word);
        bool same = rng_chance(&rng, 2);
        for (unsigned i = 0; i < lanes; i++) {
            at[i] = same ? 64 : 4 * rng_below(&rng, 64);
            harness_vreg(&h, 2)[i] = at[i] + 16;
        }
        uint64_t simt = rng_chance(&rng, 2) ? some_lanes(&h) : harness_all(lanes);
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            uint32_t address = PRIVATE + at[i] * numw * lanes + 4 * (h.warp.tid + i), w = simt >> i & 1 ? word[i] : 0;
            CHECK_EQ(harness_word(&h, address), w);
            CHECK_EQ(harness_lane(&h, 3, i), (uint32_t)(int32_t)(int8_t)(w >> 8));
            CHECK_EQ(harness_lane(&h, 4, i), w >> 8 & 0xff);
            CHECK_EQ(harness_lane(&h, 5, i), (uint32_t)(int32_t)(int16_t)(w >> 16));
            CHECK_EQ(harness_lane(&h, 6, i), w >> 16);
            CHECK_EQ(harness_lane(&h, 7, i), w);
            CHECK_EQ(harness_lane(&h, 8, i), (w & 0xff) | w << 16);
            CHECK_EQ(harness_word(&h, PRIVATE + (at[i] + 528) * numw * lanes + 4 * (h.warp.tid + i)),
                     (w & 0xff) | w << 16);
        }
        harness_close(&h);
    }
}

/* vle8 and vle16 load per lane and extend into the 32-bit element. */
static void test_unit_stride(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        if (!harness_open(&h, "ventus",
                          "vle8.v v1, (a0)\n vle16.v v2, (a0)\n vle32.v v3, (a0)\n vle64.v v4, (a0)\n"
                          "vse8.v v3, (a1)\n vse16.v v3, (a2)\n vse64.v v4, (a3)\n endprg\n",
                          lanes))
            return;
        uint8_t *data = h.memory.base + DATA;
        for (unsigned i = 0; i < 8 * lanes; i++)
            data[i] = (uint8_t)rng_word(&rng);
        h.warp.x[10] = DATA, h.warp.x[11] = DATA + 0x1000, h.warp.x[12] = DATA + 0x2000, h.warp.x[13] = DATA + 0x3000;
        finish(&h);
        for (unsigned i = 0; i < lanes; i++) {
            int16_t half;
            memcpy(&half, data + 2 * i, 2);
            CHECK_EQ(harness_lane(&h, 1, i), (uint32_t)(int32_t)(int8_t)data[i]);
            CHECK_EQ(harness_lane(&h, 2, i), (uint32_t)(int32_t)half);
            CHECK_EQ(harness_lane(&h, 4, i), harness_word(&h, DATA + 8 * i));
            CHECK_EQ(harness_lane(&h, 5, i), harness_word(&h, DATA + 8 * i + 4));
            CHECK_EQ(data[0x1000 + i], data[4 * i]);
            CHECK(!memcmp(data + 0x2000 + 2 * i, data + 4 * i, 2));
            CHECK(!memcmp(data + 0x3000 + 8 * i, data + 8 * i, 8));
        }
        harness_close(&h);
    }
}

/* ---- vftta, vfexp ---- */

static void test_vftta(void)
{
    FOR_LANES(lanes)
    for (int masked = 0; masked < 2; masked++) {
        struct harness h;
        float a[64], b[64], d[64];
        if (!harness_open(&h, "ventus",
                          masked ? "vftta.vv v3, v2, v1, v0.t\n endprg\n" : "vftta.vv v3, v2, v1\n endprg\n", lanes))
            return;
        for (unsigned i = 0; i < lanes; i++) {
            a[i] = (float)(int32_t)rng_word(&rng) / 1e8f, b[i] = (float)(int32_t)rng_word(&rng) / 3e7f;
            d[i] = (float)(int32_t)rng_word(&rng) / 1e6f;
        }
        memcpy(harness_vreg(&h, 1), a, 4 * lanes), memcpy(harness_vreg(&h, 2), b, 4 * lanes);
        memcpy(harness_vreg(&h, 3), d, 4 * lanes);
        uint32_t mask = harness_vreg(&h, 0)[0] = rng_word(&rng);
        finish(&h);
        unsigned size = lanes == 32 ? 4 : 2, inner = lanes == 32 ? 8 : lanes == 8 ? 4 : 2;
        for (unsigned i = 0; i < lanes; i++) {
            float sum = d[i], got;
            bool active = i < size * size && (!masked || mask >> (i % 32) & 1);
            for (unsigned j = 0; j < inner && active; j++)
                sum = fmaf(a[(i / size * inner + j) % lanes], b[(i % size * inner + j) % lanes], sum);
            memcpy(&got, harness_vreg(&h, 3) + i, 4);
            CHECK(got == sum);
        }
        harness_close(&h);
    }
}

/* The figures that the hardware's own test bench gives for 8 threads. */
static void test_vftta_hardware(void)
{
    const float wanted[8] = {300.5f, 700.5f, 700.5f, 1740.5f, 0.5f, 0.5f, 0.5f, 0.5f};
    struct harness h;
    if (!harness_open(&h, "ventus", "vftta.vv v3, v2, v1\n endprg\n", 8))
        return;
    for (unsigned i = 0; i < 8; i++) {
        float a = (float)(i + 1), b = 10 * a, d = 0.5f;
        memcpy(harness_vreg(&h, 1) + i, &a, 4), memcpy(harness_vreg(&h, 2) + i, &b, 4);
        memcpy(harness_vreg(&h, 3) + i, &d, 4);
    }
    finish(&h);
    CHECK(!memcmp(harness_vreg(&h, 3), wanted, sizeof(wanted)));
    harness_close(&h);
}

static void test_vfexp(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus", "vfexp.v v2, v1\n endprg\n", 64))
        return;
    for (unsigned round = 0; round < 20; round++) {
        harness_text(&h, "vfexp.v v2, v1\n endprg\n");
        for (unsigned i = 0; i < 64; i++) {
            float x = (float)(int32_t)rng_word(&rng) / (round < 10 ? 2.4e7f : 1e9f);
            memcpy(harness_vreg(&h, 1) + i, &x, 4);
        }
        finish(&h);
        for (unsigned i = 0; i < 64; i++) {
            float x, got;
            memcpy(&x, harness_vreg(&h, 1) + i, 4), memcpy(&got, harness_vreg(&h, 2) + i, 4);
            double exact = exp((double)x);
            float below = nextafterf((float)exact, -INFINITY), above = nextafterf((float)exact, INFINITY);
            CHECK(got >= below && got <= above);
        }
    }
    harness_close(&h);
}

/* Bit 25 of vfexp.v is vm: lanes that v0 excludes keep their destination. */
static void test_vfexp_mask(void)
{
    FOR_LANES(lanes)
    {
        struct harness h;
        if (!harness_open(&h, "ventus", "vfexp.v v2, v1, v0.t\n endprg\n", lanes))
            return;
        for (unsigned i = 0; i < lanes; i++) {
            harness_vreg(&h, 1)[i] = 0; /* e to the power of 0 */
            harness_vreg(&h, 2)[i] = 100 + i;
        }
        harness_vreg(&h, 0)[0] = 0x5a69c3f1;
        harness_vreg(&h, 0)[1] = 0x0f1e2d3c;
        finish(&h);
        for (unsigned i = 0; i < lanes; i++)
            CHECK_EQ(harness_lane(&h, 2, i),
                     (i < 32 ? 0x5a69c3f1u : 0x0f1e2d3cu) >> i % 32 & 1 ? 0x3f800000u : 100 + i);
        harness_close(&h);
    }
}

/* ---- CSRs, vtype, rpc ---- */

static void test_csrs(void)
{
    static const struct {
        const char *name;
        uint32_t value;
    } expected[] = {{"tid", 32},     {"numw", 3},      {"numt", 16},  {"knl", 0x123}, {"wgid", 5}, {"wid", 2},
                    {"lds", LDS},    {"pds", PRIVATE}, {"gidx", 7},   {"gidy", 8},    {"gidz", 9}, {"print", 0},
                    {"rpc", 0},      {"gds", 0x456},   {"gdx", 7},    {"gdy", 8},     {"gdz", 9},  {"vl", 16},
                    {"vtype", 0x10}, {"vlenb", 64},    {"fflags", 0}, {"frm", 0},     {"fcsr", 0}, {"0x804", 5},
                    {"vstart", 0},   {"vxsat", 0},     {"vxrm", 0},   {"vcsr", 0}};
    for (size_t n = 0; n < sizeof(expected) / sizeof(expected[0]); n++) {
        struct harness h;
        char text[100];
        snprintf(text, sizeof(text), "csrr a0, %s\n endprg\n", expected[n].name);
        if (!harness_open(&h, "ventus", text, 16))
            return;
        struct cy_warp *w = &h.warp;
        w->tid = 32, w->numw = 3, w->wgid = 5, w->wid = 2, w->gid[0] = 7, w->gid[1] = 8, w->gid[2] = 9;
        w->knl = 0x123, h.run.gds = 0x456;
        finish(&h);
        if (!CHECK_EQ(w->x[10], expected[n].value))
            fprintf(stderr, "  %s\n", expected[n].name);
        harness_close(&h);
    }
}

static void test_csr_writes(void)
{
    static const char *const read_only[] = {"tid",  "numw", "numt", "knl", "wgid", "wid",   "lds",  "pds",
                                            "gidx", "gidy", "gidz", "gds", "vl",   "vtype", "vlenb"};
    static const char *const forms[] = {"csrrw a0, %s, a1", "csrrs a0, %s, a1", "csrrc a0, %s, a1",
                                        "csrrwi a0, %s, 0", "csrrsi a0, %s, 1", "csrrci a0, %s, 1"};
    struct harness h;
    char text[100], form[64];
    for (size_t n = 0; n < sizeof(read_only) / sizeof(read_only[0]); n++)
        for (size_t f = 0; f < 6; f++) {
            snprintf(text, sizeof(text), forms[f], read_only[n]);
            strcat(text, "\n endprg\n");
            if (!harness_open(&h, "ventus", text, 8))
                return;
            CHECK_EQ(cy_warp_run(&h.warp, 10), CY_STOP_FAULT);
            CHECK_EQ(h.warp.fault.kind, CY_FAULT_CSR);
            CHECK_EQ(h.warp.x[10], 0);
            harness_close(&h);
        }
    for (size_t f = 1; f < 6; f++) { /* forms that do not write may read anything */
        if (f == 3)
            continue;
        snprintf(form, sizeof(form), f < 3 ? "csrr%c a0, numt, zero\n endprg\n" : "csrr%ci a0, numt, 0\n endprg\n",
                 "wscwsc"[f]);
        if (!harness_open(&h, "ventus", form, 8))
            return;
        finish(&h);
        CHECK_EQ(h.warp.x[10], 8);
        harness_close(&h);
    }
    if (!harness_open(&h, "ventus",
                      "csrwi frm, 3\n csrwi fflags, 21\n csrr a0, fcsr\n li t0, 0xff\n csrw fcsr, t0\n csrr a1, frm\n"
                      "csrr a2, fflags\n csrwi vcsr, 7\n csrr a3, vxrm\n csrr a4, vxsat\n csrw rpc, t0\n csrr a5, rpc\n"
                      "csrwi vstart, 3\n csrr a6, vstart\n endprg\n",
                      8))
        return;
    finish(&h);
    CHECK_EQ(h.warp.x[10], 3 << 5 | 21);
    CHECK_EQ(h.warp.x[11], 7);
    CHECK_EQ(h.warp.x[12], 31);
    CHECK_EQ(h.warp.x[13], 3);
    CHECK_EQ(h.warp.x[14], 1);
    CHECK_EQ(h.warp.x[15], 0xff);
    CHECK_EQ(h.warp.x[16], 0);
    harness_close(&h);
}

/* Setting CSR_PRINT returns control to the host. */
static void test_print(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus", "csrwi print, 1\n csrr a0, print\n csrwi print, 0\n endprg\n", 4))
        return;
    CHECK_EQ(cy_warp_run(&h.warp, 100), CY_STOP_PRINT);
    CHECK_EQ(h.warp.pc, CODE + 4);
    CHECK_EQ(h.warp.retired, 1);
    h.warp.print = 0;
    finish(&h);
    CHECK_EQ(h.warp.x[10], 0);
    CHECK_EQ(h.warp.retired, 4);
    harness_close(&h);
}

static void test_vsetvli(void)
{
    static const struct {
        const char *text;
        uint32_t vl[5]; /* by lane count */
        uint32_t vtype;
    } cases[] = {
        {"vsetvli a0, zero, e32, m1, ta, ma", {4, 8, 16, 32, 64}, 0xd0},
        {"vsetvli a0, zero, e8, m1, tu, mu", {4, 8, 16, 32, 64}, 0x00},
        {"vsetvli a0, zero, e16, m2, tu, mu", {8, 16, 32, 64, 128}, 0x09},
        {"vsetvli a0, zero, e64, m2, tu, ma", {8, 16, 32, 64, 128}, 0x99},
        {"vsetvli a0, zero, e32, m4, ta, ma", {0}, 0x80000000},
        {"vsetvli a0, zero, e32, m8, ta, ma", {0}, 0x80000000},
        {"vsetvli a0, zero, e8, mf2, ta, ma", {0}, 0x80000000},
        {"vsetvli a0, zero, e8, mf8, ta, ma", {0}, 0x80000000},
        {"vsetvli a0, a1, e32, m1, ta, ma", {3, 3, 3, 3, 3}, 0xd0},
        {"vsetvli a0, a2, e32, m2, tu, mu", {8, 16, 32, 64, 100}, 0x11},
        {"vsetivli a0, 7, e32, m1, tu, mu", {4, 7, 7, 7, 7}, 0x10},
        {"vsetivli a0, 0, e32, m1, tu, mu", {0, 0, 0, 0, 0}, 0x10},
        {"vsetvl a0, a1, a3", {3, 3, 3, 3, 3}, 0x10},
        {"vsetvl a0, a1, a2", {3, 3, 3, 3, 3}, 100}, /* 0x64: e128 does not exist */
        {"vsetvli zero, a1, e32, m1, tu, mu\n vsetvli zero, zero, e16, m1, tu, mu\n csrr a0, vl",
         {3, 3, 3, 3, 3},
         0x08},
    };
    for (size_t n = 0; n < sizeof(cases) / sizeof(cases[0]); n++)
        for (unsigned c = 0; c < 5; c++) {
            struct harness h;
            char text[200];
            bool illegal = cases[n].vtype == 100 || cases[n].vtype == 0x80000000;
            snprintf(text, sizeof(text), "%s\n csrr a4, vl\n csrr a5, vtype\n endprg\n", cases[n].text);
            if (!harness_open(&h, "ventus", text, lane_counts[c]))
                return;
            h.warp.x[11] = 3, h.warp.x[12] = 100, h.warp.x[13] = 0x10;
            finish(&h);
            uint32_t vl = illegal ? 0 : cases[n].vl[c];
            bool ok = CHECK_EQ(h.warp.x[10], vl) && CHECK_EQ(h.warp.x[14], vl);
            ok = CHECK_EQ(h.warp.x[15], illegal ? 0x80000000 : cases[n].vtype) && ok;
            if (!ok)
                fprintf(stderr, "  %s, %u lanes\n", cases[n].text, lane_counts[c]);
            harness_close(&h);
        }
}

static void test_setrpc(void)
{
    struct harness h;
    if (!harness_open(
            &h, "ventus",
            "lui a1, 0x12345\n setrpc a0, a1, -8\n csrr a2, rpc\n setrpc zero, a1, 2047\n csrr a3, rpc\n endprg\n", 4))
        return;
    finish(&h);
    CHECK_EQ(h.warp.x[10], 0x12344ff8);
    CHECK_EQ(h.warp.x[12], 0x12344ff8);
    CHECK_EQ(h.warp.x[13], 0x123457ff);
    CHECK_EQ(h.warp.x[0], 0);
    harness_close(&h);
}

/* A barrier stops the warp after it; endprg ends it; both count as retired. */
static void test_stops(void)
{
    struct harness h;
    if (!harness_open(&h, "ventus", "barrier x0, x0, 1\n barriersub x0, x0, 0\n li a0, 3\n endprg\n", 4))
        return;
    CHECK_EQ(cy_warp_run(&h.warp, 100), CY_STOP_BARRIER);
    CHECK_EQ(h.warp.pc, CODE + 4);
    CHECK_EQ(cy_warp_run(&h.warp, 1), CY_STOP_BUDGET);
    CHECK_EQ(h.warp.pc, CODE + 8);
    CHECK_EQ(cy_warp_run(&h.warp, 0), CY_STOP_BUDGET);
    CHECK_EQ(cy_warp_run(&h.warp, 100), CY_STOP_END);
    CHECK_EQ(h.warp.pc, CODE + 12);
    CHECK_EQ(h.warp.retired, 4);
    harness_close(&h);
}

TEST_MAIN(test_compares_write_lanes, test_masks, test_compare_as_mask, test_mask_logic, test_mask_memory,
          test_scalar_moves, test_scalar_moves_by_width, test_atomics, test_reservations, test_reservation_loop,
          test_scalar_atomics, test_add12, test_memory12, test_private, test_unit_stride, test_vftta,
          test_vftta_hardware, test_vfexp, test_vfexp_mask, test_csrs, test_csr_writes, test_print, test_vsetvli,
          test_setrpc, test_stops)
