/* Two formats.  The commit log, as the public simulator writes it:
 *
 *     core   N: 3 0x80000058 (0x0002a303) x6  0x800000a8 mem 0x90044000
 *     core   N: 3 0x800000b4 (0x5e024057) v32 0000000f 0x00000008 00000008 00000008 00000008
 *     core   N: 3 0x800000a4 (0x0062a023) mem 0x80001000 0x00000001
 *
 * The full trace has a line for every instruction, followed by the instruction and its effect on control flow:
 *
 *     core   0: 3 0x80000058 (0x0002a303) x6  0x800000a8 mem 0x90044000 ; lw t1, 0(t0)
 *     core   0: 3 0x80000070 (0x0051465b) ; vblt v5, v2, 0x8000007c ; taken 0000000f of 000000ff ; mask 000000ff ->
 *     0000000f
 *     core   0: 3 0x8000007c (0x0000205b) ; join ; to 0x80000074 ; mask 0000000f -> 000000f0
 *
 * Without what follows the first semicolon, and without lines that have nothing before it, it is the commit log.
 *
 * A prefix has no line of its own: the line shows the instruction after it.  Loads come before stores, as atomics list
 * both.  A byte is written without leading zeros, a halfword with four digits: that is what the simulator does. */
#include "gpu/replay/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FLUSH_BYTES 65536
#define GROUP 8 /* the most registers one instruction writes */

struct access {
    uint8_t kind, size;
    uint64_t address;
    uint32_t value;
    int lane;
};

struct cy_trace {
    struct cy_observer observer;
    bool (*write)(void *context, const char *text, size_t size);
    void *context;
    bool failed;
    struct cy_buf text;
    CY_VEC(struct access) accesses;       /* of the current instruction */
    uint32_t before[GROUP][CY_MAX_LANES]; /* the destination and the registers after it, in case it is a group */
    bool grouped;

    enum cy_trace_format format;
    uint64_t mask;          /* of the warp before the instruction */
    unsigned depth;         /* of its SIMT stack */
    uint64_t taken, active; /* of a vector branch */
    bool branched, waits;   /* vector branch, barrier */
};

enum { NOTES_BYTES = 512 }; /* longer than any instruction with its notes */

static void flush(struct cy_trace *trace)
{
    if (!trace->failed && trace->text.size)
        trace->failed = !trace->write(trace->context, trace->text.data, trace->text.size);
    trace->text.size = 0;
}

/* ---- what an instruction writes ---- */

/* The vGPR; -1: none. */
static int vector_destination(const struct cy_warp *warp, const struct cy_insn *insn)
{
    if (warp->run->scalar_atomics && cy_insns[insn->op].flags & CY_F_ATOMIC)
        return -1;
    return cy_insn_field(insn, CY_FIELD_vd, -1);
}

/* The sGPR; 0: none. */
static int scalar_destination(const struct cy_warp *warp, const struct cy_insn *insn)
{
    if (warp->run->scalar_atomics && cy_insns[insn->op].flags & CY_F_ATOMIC)
        return cy_insn_field(insn, CY_FIELD_vd, 0);
    return cy_insn_field(insn, CY_FIELD_rd, 0);
}

static void on_before(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct cy_trace *trace = context;
    int d = vector_destination(warp, insn);
    (void)pc;
    trace->accesses.count = 0;
    trace->mask = warp->mask;
    trace->depth = warp->depth;
    trace->branched = trace->waits = false;
    trace->grouped = d >= 0 && (warp->mode == CY_MODE_GENERAL || insn->prefix || cy_insns[insn->op].flags & CY_F_WIDE);
    for (int i = 0; trace->grouped && i < GROUP && d + i < 256; i++)
        memcpy(trace->before[i], warp->v + (size_t)(d + i) * warp->numt, warp->numt * sizeof(uint32_t));
}

static void on_memory(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      const struct cy_memory_access *access)
{
    struct cy_trace *trace = context;
    (void)warp, (void)pc, (void)insn;
    for (uint64_t left = access->lanes; left; left &= left - 1) {
        int lane = __builtin_ctzll(left);
        struct access *fresh = cy_vec_try_push(&trace->accesses);
        if (fresh)
            *fresh = (struct access){access->kind, access->size, access->address[lane], access->value[lane], lane};
        else
            trace->failed = true;
    }
}

static void on_branch(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn,
                      uint64_t taken, uint64_t active)
{
    struct cy_trace *trace = context;
    (void)warp, (void)pc, (void)insn;
    trace->branched = true;
    trace->taken = taken;
    trace->active = active;
}

static void on_barrier(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct cy_trace *trace = context;
    (void)warp, (void)pc, (void)insn;
    trace->waits = true;
}

/* ---- the line ---- */

static int mask_digits(const struct cy_warp *warp)
{
    return warp->numt > 32 ? 16 : 8;
}

static void put_row(struct cy_buf *out, const struct cy_warp *warp, int number)
{
    const uint32_t *row = warp->v + (size_t)number * warp->numt;
    cy_buf_printf(out, " v%-2d %0*" PRIx64 " 0x%08x", number, mask_digits(warp), warp->mask, row[warp->numt - 1]);
    for (unsigned lane = warp->numt - 1; lane-- > 0;)
        cy_buf_printf(out, " %08x", row[lane]);
}

static void put_rows(struct cy_trace *trace, const struct cy_warp *warp, int d)
{
    put_row(&trace->text, warp, d);
    for (int i = 1; trace->grouped && i < GROUP && d + i < 256; i++)
        if (memcmp(trace->before[i], warp->v + (size_t)(d + i) * warp->numt, warp->numt * sizeof(uint32_t)) != 0)
            put_row(&trace->text, warp, d + i);
}

/* The value that an atomic stored: what the next lane loaded from the same address, or what is there now.  False: a
 * failed store-conditional, which stores nothing. */
static bool atomic_stored(const struct cy_trace *trace, const struct cy_warp *warp, const struct cy_insn *insn,
                          size_t index, uint32_t *value)
{
    const struct access *access = &trace->accesses.at[index];
    int d = vector_destination(warp, insn), x = scalar_destination(warp, insn);
    bool conditional = insn->op == CY_OP_sc_w || insn->op == CY_OP_sc_d;
    if (conditional && (d >= 0 ? warp->v[(size_t)d * warp->numt + (size_t)access->lane] : warp->x[x]))
        return false;
    *value = access->value;
    for (size_t i = index + 1; d >= 0 && !conditional && i < trace->accesses.count; i++) {
        if (trace->accesses.at[i].address == access->address) {
            *value = warp->v[(size_t)d * warp->numt + (size_t)trace->accesses.at[i].lane];
            return true;
        }
    }
    const struct cy_memory *memory = warp->run->memory;
    const uint8_t *now = warp->run->ptbr ? NULL : cy_memory_host(memory, access->address);
    if (now)
        memcpy(value, now, 4);
    return true;
}

static void put_value(struct cy_buf *out, unsigned size, uint32_t value)
{
    uint32_t mask = size >= 4 ? UINT32_MAX : (1u << 8 * size) - 1;
    cy_buf_printf(out, " 0x%0*x", size == 1 ? 1 : size == 2 ? 4 : 8, value & mask);
}

static void put_accesses(struct cy_trace *trace, const struct cy_warp *warp, const struct cy_insn *insn)
{
    struct cy_buf *out = &trace->text;
    for (size_t i = 0; i < trace->accesses.count; i++)
        if (trace->accesses.at[i].kind & CY_READ)
            cy_buf_printf(out, " mem 0x%08" PRIx64, trace->accesses.at[i].address);
    for (size_t i = 0; i < trace->accesses.count; i++) {
        const struct access *access = &trace->accesses.at[i];
        uint32_t value = access->value;
        if (!(access->kind & CY_WRITE) || (access->kind & CY_READ && !atomic_stored(trace, warp, insn, i, &value)))
            continue;
        cy_buf_printf(out, " mem 0x%08" PRIx64, access->address);
        put_value(out, access->size, value);
    }
}

static bool writes_memory(const struct cy_trace *trace)
{
    for (size_t i = 0; i < trace->accesses.count; i++)
        if (trace->accesses.at[i].kind & CY_WRITE)
            return true;
    return false;
}

static void put_instruction(struct cy_buf *out, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    cy_buf_puts(out, " ; ");
    size_t start = out->size;
    cy_print(out, warp->run->target, insn, pc, 0);
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '\t')
            out->data[i] = ' ';
}

/* Branches, joins, barriers, the end, and changes of the mask. */
static void put_flow(const struct cy_trace *trace, struct cy_buf *out, const struct cy_warp *warp, uint32_t pc,
                     const struct cy_insn *insn)
{
    const uint32_t flags = cy_insns[insn->op].flags;
    const int digits = mask_digits(warp);
    bool falls_through = warp->pc == pc + insn->size && !(flags & CY_F_CALL); /* jal and jalr always jump */
    if (trace->branched)
        cy_buf_printf(out, " ; taken %0*" PRIx64 " of %0*" PRIx64, digits, trace->taken, digits, trace->active);
    else if (flags & CY_F_BRANCH && falls_through)
        cy_buf_puts(out, " ; not taken");
    else if (flags & CY_F_BRANCH)
        cy_buf_printf(out, " ; taken, to 0x%08x", warp->pc);
    else if (flags & CY_F_CONVERGE && warp->depth < trace->depth)
        cy_buf_printf(out, " ; to 0x%08x", warp->pc);
    if (trace->waits)
        cy_buf_puts(out, " ; waits for its workgroup");
    if (warp->mask != trace->mask)
        cy_buf_printf(out, " ; mask %0*" PRIx64 " -> %0*" PRIx64, digits, trace->mask, digits, warp->mask);
}

static void on_retired(void *context, const struct cy_warp *warp, uint32_t pc, const struct cy_insn *insn)
{
    struct cy_trace *trace = context;
    int d = vector_destination(warp, insn), x = scalar_destination(warp, insn);
    bool commits = d >= 0 || x > 0 || writes_memory(trace);
    if (trace->failed || (!commits && trace->format == CY_TRACE_COMMIT))
        return;
    const size_t longest = 128 + NOTES_BYTES + GROUP * (32 + (size_t)warp->numt * 9) + trace->accesses.count * 64;
    if (!cy_buf_try_reserve(&trace->text, longest)) { /* so that nothing below allocates */
        trace->failed = true;
        return;
    }
    cy_buf_printf(&trace->text, "core%4u: 3 0x%08x (0x%08x)", warp->number, pc + insn->size - 4, insn->word);
    if (x > 0)
        cy_buf_printf(&trace->text, " x%-2d 0x%08x", x, warp->x[x]);
    if (d >= 0)
        put_rows(trace, warp, d);
    if (commits)
        put_accesses(trace, warp, insn);
    if (trace->format == CY_TRACE_FULL) {
        put_instruction(&trace->text, warp, pc, insn);
        put_flow(trace, &trace->text, warp, pc, insn);
    }
    cy_buf_putc(&trace->text, '\n');
    if (trace->text.size >= FLUSH_BYTES)
        flush(trace);
}

/* ---- life ---- */

bool cy_trace_format_parse(const char *name, enum cy_trace_format *format)
{
    *format = !strcmp(name, "full") ? CY_TRACE_FULL : CY_TRACE_COMMIT;
    return *format == CY_TRACE_FULL || !strcmp(name, "commit");
}

struct cy_trace *cy_trace_open(enum cy_trace_format format, bool (*write)(void *context, const char *text, size_t size),
                               void *context)
{
    struct cy_trace *trace = cy_try_alloc(sizeof(*trace));
    if (!trace)
        return NULL;
    trace->observer =
        (struct cy_observer){.context = trace, .before = on_before, .retired = on_retired, .memory = on_memory};
    if (format == CY_TRACE_FULL) {
        trace->observer.branch = on_branch;
        trace->observer.barrier = on_barrier;
    }
    trace->format = format;
    trace->write = write;
    trace->context = context;
    return trace;
}

const struct cy_observer *cy_trace_observer(const struct cy_trace *trace)
{
    return &trace->observer;
}

bool cy_trace_close(struct cy_trace *trace)
{
    flush(trace);
    bool ok = !trace->failed;
    cy_buf_free(&trace->text);
    cy_vec_free(&trace->accesses);
    cy_free(trace);
    return ok;
}
