/* Comparing a commit of another implementation with ours. */
#include "gpu/device/cosim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A difference that is being described; in a scope. */
struct difference {
    struct cy_cosim *cosim;
    const struct cy_commit *theirs;
    struct cy_buf text; /* lines: what, ours, theirs */
    enum cy_status status;
    unsigned shown;
};

enum { SHOWN = 8 }; /* lines about one commit */

static void put(struct difference *d, const char *format, ...) CY_PRINTF(2, 3);
static void put(struct difference *d, const char *format, ...)
{
    va_list args;
    if (d->shown++ >= SHOWN)
        return;
    cy_buf_puts(&d->text, "  ");
    va_start(args, format);
    cy_buf_vprintf(&d->text, format, args);
    va_end(args);
    cy_buf_puts(&d->text, "\n");
}

static void compare_number(struct difference *d, const char *what, uint64_t ours, uint64_t theirs)
{
    if (ours != theirs)
        put(d, "%-9s ours 0x%08" PRIx64 ", theirs 0x%08" PRIx64, what, ours, theirs);
}

static const char *register_name(const struct cy_commit *commit, unsigned index, char name[16])
{
    const unsigned number = commit->reg + index;
    if (commit->file == CY_COSIM_NONE)
        return "no register";
    if (commit->file == CY_COSIM_X)
        return cy_xreg_name(number % COSIM_SGPRS);
    snprintf(name, 16, "v%u", number);
    return name;
}

static void compare_lane(struct difference *d, unsigned index, unsigned lane)
{
    const struct cy_cosim *cosim = d->cosim;
    const struct cy_commit *ours = &cosim->commit, *theirs = d->theirs;
    const unsigned lanes = cosim->launch->run.lanes;
    const uint32_t our_value = ours->value[index * lanes + lane];
    const bool is_theirs = index < theirs->regs && theirs->lanes >> lane & 1;
    const uint32_t old = cosim->before[index][lane];
    const uint32_t their_value = is_theirs ? theirs->value[index * lanes + lane] : old;
    char name[16];
    if (our_value != their_value)
        put(d, "%-9s lane %u: ours 0x%08x, theirs 0x%08x%s", register_name(ours, index, name), lane, our_value,
            their_value, is_theirs ? "" : " (not written)");
}

/* Afterwards, do both register files agree?  So a write that changes nothing may be missing. */
static void compare_register(struct difference *d)
{
    const struct cy_commit *ours = &d->cosim->commit, *theirs = d->theirs;
    const unsigned lanes = d->cosim->launch->run.lanes;
    char our_name[16], their_name[16];
    const bool same_place = ours->file == theirs->file && (ours->file == CY_COSIM_NONE || ours->reg == theirs->reg);
    if (!same_place) {
        const char *our_register = register_name(ours, 0, our_name);
        put(d, "%-9s ours %s, theirs %s", "writes", our_register, register_name(theirs, 0, their_name));
    } else if (ours->file == CY_COSIM_X) {
        const unsigned words = (unsigned)d->cosim->words;
        for (unsigned i = 0; i < words; i++)
            compare_number(d, register_name(ours, i, our_name), ours->value[i],
                           i == 0 || i < theirs->regs ? theirs->value[i] : d->cosim->before[0][i]);
        if (theirs->regs > words)
            put(d, "%-9s ours %u registers, theirs %u", "writes", words, theirs->regs);
    } else if (ours->file == CY_COSIM_V) {
        const unsigned rows = (unsigned)d->cosim->rows;
        for (unsigned i = 0; i < rows; i++)
            for (unsigned lane = 0; lane < lanes; lane++)
                compare_lane(d, i, lane);
        if (theirs->regs > rows)
            put(d, "%-9s ours %u registers, theirs %u", "writes", rows, theirs->regs);
    }
}

static int by_place(const void *a, const void *b)
{
    const struct cy_commit_access *x = a, *y = b;
    if (x->lane != y->lane)
        return x->lane < y->lane ? -1 : 1;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return (x->write > y->write) - (x->write < y->write);
}

static struct cy_commit_access *sorted(struct cy_arena *arena, const struct cy_commit *commit)
{
    struct cy_commit_access *copy = cy_arena_alloc(arena, (commit->access_count + 1) * sizeof(*copy));
    if (commit->access_count)
        memcpy(copy, commit->accesses, commit->access_count * sizeof(*copy));
    qsort(copy, commit->access_count, sizeof(*copy), by_place);
    return copy;
}

static void put_access(struct difference *d, const char *who, const struct cy_commit_access *access)
{
    const char *verb = access->read && access->write ? "atomic access to" : access->write ? "store to" : "load from";
    put(d, "%-9s lane %u: %s 0x%08" PRIx64 ", %u bytes, value 0x%08x", who, access->lane, verb, access->address,
        access->size, access->value);
}

/* Loads are compared by address, because their value is that of the register. */
static bool is_same_access(const struct cy_commit_access *a, const struct cy_commit_access *b)
{
    const uint32_t bits = a->size >= 4 ? UINT32_MAX : (1u << 8 * a->size) - 1;
    return a->lane == b->lane && a->address == b->address && a->size == b->size && a->read == b->read &&
           a->write == b->write && (a->read || ((a->value ^ b->value) & bits) == 0);
}

static void compare_memory(struct difference *d)
{
    const struct cy_commit *ours = &d->cosim->commit, *theirs = d->theirs;
    struct cy_arena arena = {0};
    const struct cy_commit_access *a = sorted(&arena, ours), *b = sorted(&arena, theirs);
    const size_t common = ours->access_count < theirs->access_count ? ours->access_count : theirs->access_count;
    size_t i = 0;
    while (i < common && is_same_access(&a[i], &b[i]))
        i++;
    if (ours->access_count != theirs->access_count)
        put(d, "%-9s ours %zu accesses, theirs %zu", "memory", ours->access_count, theirs->access_count);
    if (i < ours->access_count && (i < common || ours->access_count > common))
        put_access(d, "ours", &a[i]);
    if (i < theirs->access_count && (i < common || theirs->access_count > common))
        put_access(d, "theirs", &b[i]);
    cy_arena_free(&arena);
}

/* ---- the report ---- */

static void put_code(struct cy_buf *out, const struct cy_launch *launch, uint32_t pc, const struct cy_insn *insn)
{
    const struct cy_symbol_table *symbols = launch->program->symbols;
    uint32_t offset = 0;
    const char *symbol = cy_symbols_find(symbols, pc, &offset);
    cy_buf_printf(out, "0x%08x", pc);
    if (symbol)
        cy_buf_printf(out, " <%s+0x%x>", symbol, offset);
    cy_buf_puts(out, ": ");
    size_t start = out->size;
    cy_print(out, launch->program->target, insn, pc, 0);
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '\t')
            out->data[i] = ' ';
    struct cy_buf path = {0};
    const uint32_t line = cy_symbols_line(symbols, pc, &path);
    if (line)
        cy_buf_printf(out, "  (%s:%u)", path.data, line);
    cy_buf_free(&path);
    cy_buf_puts(out, "\n");
}

static void put_recent(struct cy_buf *out, const struct cy_cosim *cosim)
{
    const struct cy_memory *memory = &cosim->launch->device->memory;
    for (uint32_t i = 0; i < cosim->recent_count; i++) {
        uint32_t words[2] = {0};
        struct cy_insn insn;
        const uint32_t pc = cosim->past[i];
        for (unsigned k = 0; k < 2; k++)
            if (cy_memory_allows(memory, pc + 4 * k, 4, CY_READ))
                memcpy(&words[k], memory->base + pc + 4 * k, 4);
        if (cy_decode(cosim->launch->program->target, words, 2, &insn) != CY_DECODE_OK)
            continue;
        cy_buf_puts(out, i ? "            " : "  before    ");
        put_code(out, cosim->launch, pc, &insn);
    }
}

static void put_report(struct difference *d)
{
    struct cy_cosim *cosim = d->cosim;
    const struct cy_commit *ours = &cosim->commit;
    struct cy_buf lines = d->text;
    d->text = (struct cy_buf){0};
    cy_buf_printf(
        &d->text,
        "difference: instruction %" PRIu64 " of warp %u (workgroup (%u, %u, %u), warp %u in it)\n  at        ",
        cosim->retired + 1, ours->warp, cosim->workgroup[0], cosim->workgroup[1], cosim->workgroup[2], cosim->wid);
    put_code(&d->text, cosim->launch, cosim->base_pc, &cosim->insn);
    cy_buf_append(&d->text, lines.data, lines.size);
    if (d->shown > SHOWN)
        cy_buf_printf(&d->text, "  and %u more\n", d->shown - SHOWN);
    cy_buf_printf(&d->text, "  lanes     active 0x%" PRIx64 "\n", ours->active);
    put_recent(&d->text, cosim);
    cy_buf_free(&lines);
}

/* Why the warp of their commit could not be stepped. */
static void put_reason(struct difference *d)
{
    const uint32_t warp = d->theirs->warp;
    const char *fault = d->cosim->launch->message.size ? d->cosim->launch->message.data : "the kernel faulted\n";
    switch (d->status) {
    case CY_RUNNING:
        cy_buf_printf(&d->text, "error: warp %u waits at a barrier here, and has left it there\n", warp);
        break;
    case CY_ERROR_INVALID:
        cy_buf_printf(&d->text, "error: warp %u is not on the machine here: it has not started yet, or it has ended\n",
                      warp);
        break;
    case CY_ERROR_FAULT: cy_buf_puts(&d->text, fault); break;
    default: cy_buf_printf(&d->text, "error: %s\n", cy_status_text(d->status)); break;
    }
}

static void compare(void *argument)
{
    struct difference *d = argument;
    const struct cy_commit *ours = &d->cosim->commit, *theirs = d->theirs;
    if (d->status != CY_OK) {
        put_reason(d);
        return;
    }
    compare_number(d, "pc", ours->pc, theirs->pc);
    if (theirs->parts & CY_COMMIT_WORD && theirs->pc == ours->pc) {
        compare_number(d, "word", ours->word, theirs->word);
        compare_number(d, "prefix", ours->prefix, theirs->prefix);
    }
    if (theirs->parts & CY_COMMIT_ACTIVE)
        compare_number(d, "active", ours->active, theirs->active);
    if (theirs->pc == ours->pc) { /* otherwise it is another instruction, and all of it differs */
        if (theirs->parts & CY_COMMIT_REGISTER)
            compare_register(d);
        if (theirs->parts & ours->parts & CY_COMMIT_MEMORY)
            compare_memory(d);
        if (theirs->parts & CY_COMMIT_NEXT && ours->state != CY_COSIM_ENDED)
            compare_number(d, "next pc", ours->next_pc, theirs->next_pc);
    }
    if (d->shown) {
        d->status = CY_ERROR_DIFFERENT;
        put_report(d);
    }
}

enum cy_status cy_cosim_check(struct cy_cosim *cosim, const struct cy_commit *theirs, struct cy_commit *ours,
                              char **message)
{
    struct cy_diags diags = {0};
    pthread_mutex_lock(&cosim->lock);
    struct difference d = {.cosim = cosim, .theirs = theirs, .status = cosim_step(cosim, theirs->warp)};
    const bool stepped = d.status == CY_OK || d.status == CY_ERROR_FAULT;
    if (ours && stepped)
        *ours = cosim->commit;
    if (cy_mem_try(compare, &d))
        diags.text = d.text;
    else
        diags.no_memory = true;
    pthread_mutex_unlock(&cosim->lock);
    return cy_finish(d.status, &diags, message);
}
