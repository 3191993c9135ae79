/* The engine on any code at all: one warp, a budget, three ways to run (fast, watched, general) that must agree in
 * registers, memory, faults and what was retired; nothing outside the mapped pages changes, the host survives.
 *
 * An input is a byte for the generation and options, a byte for the lanes, eight that seed registers and memory, then
 * code: words as they are, or (by an option) five bytes that choose a row and its operands, so that most of it runs. */
#include "fuzz/fuzz.h"
#include "gpu/random.h"

#define BUDGET 600
#define MAX_WORDS 512
#define READ_ONLY (DATA + WATCHED - 0x1000u)

enum {
    GEN2 = 1,
    ROWS = 2,
    MASK_PER_LANE = 4,
    SCALAR_ATOMICS = 8,
    PARTIAL = 16,
    UNCHECKED = 32,
    SMALL_STACK = 64,
    CHECKED_PRIVATE = 128
};

static struct snapshot results[3];

/* ---- code ---- */

static size_t put_row(uint32_t *words, enum cy_target target, const uint8_t *choice)
{
    struct rng r = {(uint64_t)choice[0] | (uint64_t)choice[1] << 8 | (uint64_t)choice[2] << 16 |
                    (uint64_t)choice[3] << 24};
    unsigned op = 1 + (choice[0] | (unsigned)choice[4] << 8) % (CY_OP_COUNT - 1);
    while (!(cy_insns[op].gens & (1 << target)))
        op = op + 1 < CY_OP_COUNT ? op + 1 : 1;
    struct cy_insn insn = rng_insn(&r, target, (enum cy_op)op, choice[4] & 0x80);
    if (choice[4] & 0x40) { /* close register numbers, so that instructions use each other's results */
        enum cy_field fields[CY_MAX_OPERANDS];
        size_t count = cy_format_operands(cy_insns[op].format, fields);
        for (size_t i = 0; i < count; i++)
            if (cy_fields[fields[i]].kind == CY_XREG || cy_fields[fields[i]].kind == CY_VREG)
                insn.operand[i] &= cy_fields[fields[i]].kind == CY_VREG ? 8 : 3;
            else if (cy_fields[fields[i]].kind == CY_PCREL)
                insn.operand[i] = ((int32_t)rng_below(&r, 16) - 6) * 4;
    }
    if (cy_encode(target, &insn, NULL))
        return 0;
    size_t n = 0;
    if (insn.size == 8)
        words[n++] = insn.prefix;
    words[n++] = insn.word;
    return n;
}

static size_t make_code(uint32_t *words, enum cy_target target, bool rows, const uint8_t *data, size_t size)
{
    size_t count = 0;
    if (!rows) {
        count = size / 4 < MAX_WORDS ? size / 4 : MAX_WORDS;
        memcpy(words, data, 4 * count);
        return count;
    }
    for (; size >= 5 && count + 2 <= MAX_WORDS; data += 5, size -= 5)
        count += put_row(words + count, target, data);
    return count;
}

/* Flags that no instruction reads are not observable: they need not be exact (gpu/fp/fp32_native.h). */
static bool reads_flags(const uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if ((words[i] & 0x7f) == 0x73 && (words[i] >> 20 == 1 || words[i] >> 20 == 3))
            return true;
    return false;
}

/* ---- state ---- */

/* Registers: small numbers, addresses of all kinds, values at random. */
static uint32_t start_value(struct rng *r, unsigned lane)
{
    switch (rng_below(r, 8)) {
    case 0:
    case 1: return DATA + 4 * rng_below(r, 64) + 4 * lane;
    case 2: return DATA + 0x2000;
    case 3: return LDS + 16 * rng_below(r, 32) + 4 * lane;
    case 4: return 4 * lane;
    case 5: return rng_chance(r, 8) ? READ_ONLY : rng_chance(r, 4) ? CODE + 4 * rng_below(r, 32) : 0;
    default: return rng_value(r);
    }
}

static void start(struct harness *h, unsigned options, struct rng r)
{
    struct cy_warp *w = &h->warp;
    uint64_t all = harness_all(h->run.lanes), some = rng_long(&r) & all;
    cy_warp_start(w, CODE, options & PARTIAL && some ? some : all);
    for (unsigned i = 1; i < 64; i++)
        w->x[i] = start_value(&r, 0);
    for (unsigned row = 0; row < 256; row++) { /* the same step along a row: then addresses are consecutive, or equal */
        struct rng same = {rng_word(&r)};
        bool mixed = rng_chance(&r, 4);
        for (unsigned lane = 0; lane < h->run.lanes; lane++) {
            struct rng again = same;
            w->v[row * h->run.lanes + lane] = start_value(mixed ? &same : &again, lane);
        }
    }
    memset(h->memory.base + DATA, 0, WATCHED);
    memset(h->memory.base + PRIVATE, 0, 0x10000);
    memset(h->memory.base + LDS, 0, 0x1000);
    for (unsigned i = 0; i < 0x400; i += 4)
        harness_set_word(h, DATA + i, start_value(&r, i / 4 % 8));
}

/* Records a fault and steps over it, so that the code after it runs too. */
static bool recover(struct harness *h, uint64_t *digest)
{
    struct cy_warp *w = &h->warp;
    const struct cy_fault f = w->fault;
    const uint64_t facts[] = {f.kind,    f.pc,     f.word, f.prefix,  (uint64_t)(int64_t)f.lane,
                              f.address, f.access, f.size, w->retired};
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        *digest = (*digest ^ facts[i]) * 0x100000001b3;
    w->fault = (struct cy_fault){0};
    w->pc = f.pc + (f.prefix ? 8 : 4);
    w->frm = 0;
    if (f.kind == CY_FAULT_VTYPE) {
        w->vtype = 2 << 3;
        w->vl = h->run.lanes;
    }
    cy_warp_refresh(w);
    return f.kind != CY_FAULT_FETCH;
}

/* Continues through faults, barriers and prints until the warp ends or has used up its budget. */
static uint64_t run_on(struct harness *h, bool general)
{
    struct cy_warp *w = &h->warp;
    enum cy_stop stop = CY_STOP_BUDGET;
    uint64_t digest = 0xcbf29ce484222325;
    for (unsigned faults = 0; w->retired < BUDGET && stop != CY_STOP_END && faults < BUDGET;) {
        if (general) {
            w->mode = CY_MODE_GENERAL;
            w->extent = w->scalar_extent = (struct cy_extent){0};
        }
        stop = cy_warp_run(w, general ? 1 : BUDGET - w->retired);
        if (stop == CY_STOP_PRINT)
            w->print = 0;
        if (stop == CY_STOP_FAULT && (faults++, !recover(h, &digest)))
            break;
    }
    return digest;
}

static void watch(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    (void)context, (void)insn;
    FUZZ_CHECK(pc >= CODE && warp->depth <= warp->run->stack_depth && warp->x[0] == 0);
}

static void check_untouched(const struct harness *h)
{
    static const uint32_t pages[] = {0,    0xfffff000, DATA - 0x1000, DATA + WATCHED, LDS - 0x1000, LDS + 0x1000,
                                     CODE, READ_ONLY};
    static const uint8_t zeros[0x1000];
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
        FUZZ_CHECK(!memcmp(h->memory.base + pages[i], zeros, sizeof(zeros)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct harness machines[2][5]; /* by generation and lanes; they live as long as the process */
    static const unsigned lane_counts[] = {32, 4, 8, 16, 64};
    if (size < 10)
        return 0;
    const unsigned options = data[0], which = data[1] % 5;
    const enum cy_target target = options & GEN2 ? CY_GEN2 : CY_GEN1;
    struct harness *h = &machines[target == CY_GEN2][which];
    if (!h->warp.v) {
        FUZZ_CHECK(harness_init(h, target, lane_counts[which]));
        cy_memory_protect(&h->memory, DATA + WATCHED, PRIVATE - DATA - WATCHED, 0);
        cy_memory_protect(&h->memory, PRIVATE + 0x10000, DATA + DATA_SIZE - PRIVATE - 0x10000, 0);
        cy_memory_protect(&h->memory, READ_ONLY, 0x1000, CY_READ);
    }
    uint32_t words[MAX_WORDS];
    struct rng r;
    memcpy(&r.state, data + 2, 8);
    size_t count = make_code(words, target, options & ROWS, data + 10, size - 10);
    h->run.mask_per_lane = options & MASK_PER_LANE;
    h->run.scalar_atomics = options & SCALAR_ATOMICS;
    h->run.checking = !(options & UNCHECKED);
    h->run.stack_depth = options & SMALL_STACK ? 3 : 2 * h->run.lanes;
    h->warp.pds_size = options & CHECKED_PRIVATE ? 512 : 0;
    harness_code(h, words, 4 * count);

    static const struct cy_observer observer = {.before = watch, .retired = watch};
    uint64_t digests[3];
    for (unsigned way = 0; way < 3; way++) {
        start(h, options, r);
        h->run.observer = way == 1 ? &observer : NULL;
        digests[way] = run_on(h, way == 2);
        snapshot_take(&results[way], h);
        if (!reads_flags(words, count))
            results[way].fflags = 0;
        FUZZ_CHECK(results[way].x[0] == 0);
    }
    h->run.observer = NULL;
    check_untouched(h);
    for (unsigned way = 1; way < 3; way++)
        FUZZ_CHECK(memcmp(&results[0], &results[way], sizeof(results[0])) == 0 && digests[0] == digests[way]);
    return 0;
}
