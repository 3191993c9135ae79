/* Translated code against the interpreter: random rows under nested branches of lanes, with loops and exchanges between lanes, on
 * a workgroup of several warps; every work-item's registers afterwards, and the counters, must be the same.  What the
 * translator rejects is skipped; it must not crash on anything.
 *
 * An input is a byte for the shape, one for options, eight that seed the data, then three bytes for each piece of code. */
#include "base/mem.h"
#include "fuzz/fuzz.h"
#include "gpu/fp/fp32_native.h"
#include "gpu/random.h"
#include "jit/run/run.h"
#include "jit/translate/translate.h"

enum { EXCHANGES = 1, COUNTS = 2, PARTIAL = 4, ROWS_MASKED = 8, GATHERS = 16 };
enum { MOST_PIECES = 60, MOST_DEPTH = 4, ROW_BYTES = 128, MOST_ITEMS = 128, REGISTERS = 8 };

/* v1 is the work-item's number, v2 its row of DATA, v3 four times its lane; x8 is the warp's part of local memory. */
static const char prologue[] = "    csrr t0, tid\n"
                               "    vid.v v4\n"
                               "    vadd.vx v1, v4, t0\n"
                               "    vsll.vi v2, v1, 7\n"
                               "    li t1, 0x%x\n"
                               "    vadd.vx v2, v2, t1\n"
                               "    vsll.vi v3, v4, 2\n"
                               "    csrr s0, lds\n"
                               "    csrr t0, wid\n"
                               "    slli t0, t0, 8\n"
                               "    add s0, s0, t0\n";

/* ---- programs ---- */

struct writer {
    struct cy_buf text;
    struct rng r;
    unsigned labels, open[MOST_DEPTH], counter;
    unsigned depth;
};

static bool is_usable(const struct cy_insn_info *row)
{
    return row->gens & (1 << CY_GEN1) && row->is_expression &&
           !(row->flags & (CY_F_LOAD | CY_F_STORE | CY_F_ATOMIC | CY_F_BRANCH | CY_F_DIVERGE | CY_F_CSR | CY_F_WIDE |
                           CY_F_PREFIX | CY_F_CALL | CY_F_GROUP2 | CY_F_GROUP4 | CY_F_GROUP8));
}

static void put_row(struct writer *w, const uint8_t *piece)
{
    unsigned op = 1 + (piece[0] | (unsigned)piece[1] << 8) % (CY_OP_COUNT - 1);
    while (!is_usable(&cy_insns[op]))
        op = op + 1 < CY_OP_COUNT ? op + 1 : 1;
    struct rng r = {piece[2] | (uint64_t)op << 8};
    struct cy_insn insn = rng_insn(&r, CY_GEN1, (enum cy_op)op, false);
    enum cy_field fields[CY_MAX_OPERANDS];
    const size_t count = cy_format_operands(cy_insns[op].format, fields);
    for (size_t i = 0; i < count; i++) {
        if (cy_fields[fields[i]].kind == CY_VREG)
            insn.operand[i] = 8 + (insn.operand[i] & (REGISTERS - 1));
        if (cy_fields[fields[i]].kind == CY_XREG)
            insn.operand[i] = 18 + (insn.operand[i] & 3);
        if (fields[i] == CY_FIELD_vm)
            insn.operand[i] = 1;
    }
    if (cy_encode(CY_GEN1, &insn, NULL) || insn.size != 4)
        return;
    cy_buf_printf(&w->text, "    .word 0x%08x\n", insn.word);
}

static unsigned pick(struct writer *w)
{
    return 8 + rng_below(&w->r, REGISTERS);
}

static void open_branch(struct writer *w)
{
    static const char *const branches[] = {"vbeq", "vbne", "vblt", "vbgeu"};
    const unsigned label = w->labels++;
    w->open[w->depth++] = label;
    cy_buf_printf(&w->text, ".A%u:\n    auipc t0, 0\n    setrpc zero, t0, .J%u - .A%u\n", label, label, label);
    const unsigned first = pick(w), second = pick(w);
    cy_buf_printf(&w->text, "    %s v%u, v%u, .J%u\n", branches[rng_below(&w->r, 4)], first, second, label);
}

static void close_branch(struct writer *w)
{
    cy_buf_printf(&w->text, ".J%u:\n    join zero, zero, 0\n", w->open[--w->depth]);
}

/* Lanes store words and load each other's. */
static void put_exchange(struct writer *w)
{
    const unsigned from = pick(w), to = pick(w), distance = 1u << rng_below(&w->r, 3);
    cy_buf_printf(&w->text, "    li t0, %u\n    vxor.vx v5, v3, t0\n", 4 * distance);
    cy_buf_printf(&w->text, "    vsuxei32.v v%u, (s0), v3\n    vluxei32.v v%u, (s0), v5\n", from, to);
}

static void write_program(struct writer *w, unsigned options, const uint8_t *data, size_t size)
{
    cy_buf_printf(&w->text, prologue, DATA);
    for (unsigned i = 0; i < REGISTERS; i++)
        cy_buf_printf(&w->text, "    vlw12.v v%u, %u(v2)\n", 8 + i, 4 * i);
    for (unsigned i = 0; i < 4; i++)
        cy_buf_printf(&w->text, "    lw x%u, %u(t1)\n", 18 + i, 4 * i);
    for (unsigned i = 0; size >= 3 && i < MOST_PIECES; i++, data += 3, size -= 3) {
        if (data[0] < 24 && w->depth < MOST_DEPTH)
            open_branch(w);
        else if (data[0] < 48 && w->depth)
            close_branch(w);
        else if (data[0] < 64 && options & EXCHANGES && !w->depth)
            put_exchange(w);
        else
            put_row(w, data);
    }
    while (w->depth)
        close_branch(w);
    for (unsigned i = 0; i < REGISTERS; i++)
        cy_buf_printf(&w->text, "    vsw12.v v%u, %u(v2)\n", 8 + i, 64 + 4 * i);
    cy_buf_printf(&w->text, "    endprg\n");
}

/* ---- both engines ---- */

static void fill(struct harness *h, uint64_t seed)
{
    struct rng r = {seed};
    for (unsigned i = 0; i < MOST_ITEMS * ROW_BYTES; i += 4)
        harness_set_word(h, DATA + i, i % ROW_BYTES < 64 ? rng_value(&r) : 0);
    memset(h->memory.base + LDS, 0, 0x1000);
}

/* How it ended, and after how many instructions. */
struct outcome {
    enum cy_fault_kind fault;
    uint32_t pc;
    uint64_t instructions;
};

static struct outcome interpret(struct harness *h, unsigned items)
{
    const unsigned lanes = h->run.lanes;
    struct outcome outcome = {0};
    for (unsigned first = 0; first < items && !outcome.fault; first += lanes) {
        cy_warp_start(&h->warp, CODE, items - first < lanes ? harness_all(items - first) : harness_all(lanes));
        h->warp.tid = first;
        h->warp.wid = first / lanes;
        const enum cy_stop stop = cy_warp_run(&h->warp, 100000);
        FUZZ_CHECK(stop == CY_STOP_END || stop == CY_STOP_FAULT);
        outcome.instructions += h->warp.retired;
        outcome.fault = h->warp.fault.kind;
        outcome.pc = h->warp.fault.pc;
    }
    return outcome;
}

static bool is_late(void *context)
{
    (void)context;
    return false;
}

static struct outcome run_translated(struct harness *h, const struct cy_jit_code *code, unsigned items)
{
    static const atomic_bool never;
    const struct cy_jit_shape shape = {.memory = &h->memory,
                                       .run = &h->run,
                                       .local = {items, 1, 1},
                                       .threads = h->run.lanes,
                                       .grid = {1, 1},
                                       .local_bytes = 0x1000,
                                       .stop = &never,
                                       .cancel = &never,
                                       .is_late = is_late};
    const struct cy_jit_place place = {.lds = LDS};
    struct cy_jit_worker *worker = cy_jit_worker_create(code, &shape);
    FUZZ_CHECK(worker != NULL);
    cy_jit_worker_place(worker, &place);
    uint32_t group[3] = {0}, item = 0;
    const uint32_t inside[3] = {items, 1, 1};
    struct cy_fault fault = {0};
    struct fp_host_saved saved;
    fp_host_begin(&saved);
    const bool ok = cy_jit_run(worker, group, inside, 1, &fault, &item);
    fp_host_end(&saved);
    FUZZ_CHECK(ok == (fault.kind == CY_FAULT_NONE));
    struct cy_lane_counters lanes = {0};
    uint64_t interpreted = 0;
    const uint64_t counted = cy_jit_counted(worker, &lanes, &interpreted);
    cy_jit_worker_free(worker);
    return (struct outcome){fault.kind, fault.pc, counted};
}

static struct cy_jit_code *translate(const struct harness *h, const void *code, size_t size, unsigned items,
                                     unsigned options)
{
    struct cy_buf request = {0}, image = {0}, why = {0};
    struct cy_jit_request head = {
        .version = CY_JIT_VERSION,
        .frame_bytes = sizeof(struct cy_jit_frame),
        .target = CY_GEN1,
        .threads = h->run.lanes,
        .warps = (items + h->run.lanes - 1) / h->run.lanes,
        .local = {items, 1, 1},
        .start = CODE,
        .code_base = CODE,
        .code_bytes = (uint32_t)size,
        .exchanges = options & EXCHANGES ? 1 : 0,
        .counts = options & COUNTS ? 1 : 0,
    };
    head.host = cy_jit_host(cy_level_best(), &head.level, &head.forms);
    if (options & (ROWS_MASKED | GATHERS))
        head.forms = options & GATHERS ? CY_JIT_FORMS_512 : CY_JIT_FORMS_256;
    head.strip = options & (EXCHANGES | COUNTS) ? head.threads : cy_jit_strip(head.threads, head.local);
    head.whole = items % head.strip == 0;
    cy_buf_append(&request, &head, sizeof(head));
    cy_buf_append(&request, code, size);
    struct cy_jit_code *made = NULL;
    if (head.host && cy_jit_translate(NULL, request.data, request.size, &image, &why)) {
        made = cy_jit_load(image.data, image.size);
        FUZZ_CHECK(made != NULL);
    }
    cy_buf_free(&request);
    cy_buf_free(&image);
    cy_buf_free(&why);
    return made;
}

static void compare(struct harness *h, const void *code, size_t size, unsigned items, unsigned options, uint64_t seed)
{
    static uint8_t expected[MOST_ITEMS * ROW_BYTES];
    struct cy_jit_code *made = translate(h, code, size, items, options);
    if (!made)
        return;
    harness_code(h, code, size);
    fill(h, seed);
    const struct outcome wanted = interpret(h, items);
    memcpy(expected, h->memory.base + DATA, sizeof(expected));
    fill(h, seed);
    const struct outcome given = run_translated(h, made, items);
    FUZZ_CHECK(given.fault == wanted.fault && given.pc == wanted.pc);
    FUZZ_CHECK(wanted.fault || memcmp(expected, h->memory.base + DATA, sizeof(expected)) == 0);
    FUZZ_CHECK(wanted.fault || !(options & COUNTS) || given.instructions == wanted.instructions);
    cy_jit_unload(made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct harness machines[3];
    static const unsigned lane_counts[] = {32, 8, 16}, warps[] = {1, 2, 3};
    if (size < 10)
        return 0;
    struct harness *h = &machines[data[0] % 3];
    const unsigned options = data[1];
    if (!h->warp.v)
        FUZZ_CHECK(harness_init(h, CY_GEN1, lane_counts[data[0] % 3]));
    const unsigned items = h->run.lanes * warps[data[0] / 3 % 3] - (options & PARTIAL ? 1 + data[0] % 5 : 0);
    uint64_t seed;
    memcpy(&seed, data + 2, sizeof(seed));
    struct writer w = {.r = {seed}};
    write_program(&w, options, data + 10, size - 10);
    struct cy_asm_options settings = {.march = cy_target_name(CY_GEN1)};
    struct cy_asm_result result;
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    const bool ok = cy_asm("fuzz.s", w.text.data, w.text.size, &settings, &result);
    if (!ok)
        fprintf(stderr, "%s%s", (const char *)w.text.data, result.messages);
    FUZZ_CHECK(ok && cy_object_read(&object, "fuzz.o", result.object, result.object_size, &diags));
    const struct cy_section *section = cy_object_find_section(&object, ".text");
    compare(h, section->data.data, section->size, items, options, seed);
    cy_object_free(&object);
    cy_asm_result_free(&result);
    cy_diags_free(&diags);
    cy_buf_free(&w.text);
    return 0;
}
