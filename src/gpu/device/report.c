/* Fault messages: what happened, where, in which lane, and the registers involved. */
#include "gpu/device/machine.h"
#include "isa/effects.h"

#include <inttypes.h>
#include <string.h>

static const struct fault_name {
    const char *name, *text;
} fault_names[] = {
    {"NONE", "no fault"},
#define FAULT(name, text) {#name, text},
#include "gpu/engine/faults.def"
};

const char *cy_fault_name(enum cy_fault_kind kind)
{
    return fault_names[kind].name;
}

const char *cy_fault_text(enum cy_fault_kind kind)
{
    return fault_names[kind].text;
}

/* ---- pieces ---- */

static void decode_at(const struct cy_fault *fault, enum cy_target target, struct cy_insn *insn)
{
    uint32_t words[2] = {fault->prefix ? fault->prefix : fault->word, fault->word};
    if (cy_decode(target, words, fault->prefix ? 2 : 1, insn) != CY_DECODE_OK)
        cy_decode_word(target, fault->word, insn);
}

static void put_place(struct cy_buf *out, const struct cy_symbol_table *symbols, uint32_t pc)
{
    uint32_t offset = 0;
    const char *symbol = cy_symbols_find(symbols, pc, &offset);
    cy_buf_printf(out, "0x%08x", pc);
    if (symbol)
        cy_buf_printf(out, " <%s+0x%x>", symbol, offset);
}

static void put_source(struct cy_buf *out, const struct cy_symbol_table *symbols, uint32_t pc)
{
    struct cy_buf path = {0};
    uint32_t line = cy_symbols_line(symbols, pc, &path);
    if (line)
        cy_buf_printf(out, "\n  source    %s:%u", path.data, line);
    cy_buf_free(&path);
}

static void put_instruction(struct cy_buf *out, const struct cy_fault *fault, enum cy_target target)
{
    struct cy_insn insn;
    decode_at(fault, target, &insn);
    if (insn.op == CY_OP_INVALID) {
        cy_buf_printf(out, ".word 0x%08x", fault->word);
        return;
    }
    size_t start = out->size;
    cy_print(out, target, &insn, fault->pc, 0);
    for (size_t i = start; i < out->size; i++)
        if (out->data[i] == '\t')
            out->data[i] = ' ';
}

/* The result of a page-table walk: a fault of the address, or of an entry and its level. */
static void put_walk(struct cy_buf *out, const struct cy_walk_fault *walk)
{
    static const char *const pages[] = {"4 KiB", "2 MiB", "1 GiB"};
    static const char *const texts[] = {
        [CY_WALK_NOT_CANONICAL] = "the address is not canonical: bits 63 to 39 must repeat bit 38",
        [CY_WALK_NOT_PRESENT] = "the page is not present",
        [CY_WALK_RESERVED] = "the page-table entry has a reserved encoding",
        [CY_WALK_NO_LEAF] = "the page-table entry is a pointer on the last level",
        [CY_WALK_MISALIGNED] = "misaligned superpage",
        [CY_WALK_NOT_READABLE] = "the page is not readable",
        [CY_WALK_READ_ONLY] = "the page is read-only",
        [CY_WALK_NOT_EXECUTABLE] = "the page is not executable",
        [CY_WALK_TABLE_UNMAPPED] = "the page table is in unmapped memory",
        [CY_WALK_PAGE_UNMAPPED] = "the physical page is not mapped",
        [CY_WALK_PAGE_FORBIDDEN] = "the page-table entry allows it, the physical page does not",
        [CY_WALK_CODE_MOVED] = "code must be mapped to itself",
    };
    cy_buf_printf(out, "; %s", texts[walk->problem]);
    if (walk->problem == CY_WALK_NOT_CANONICAL)
        cy_buf_printf(out, " (SV39 level %u, before the walk)", walk->level);
    else if (walk->problem != CY_WALK_CODE_MOVED)
        cy_buf_printf(out, " (SV39 level %u, %s pages)", walk->level, pages[walk->level]);
}

/* The details of a fault of this kind. */
static void put_details(struct cy_buf *out, const struct cy_warp *warp, const struct cy_fault *fault)
{
    const char *verb = fault->access == (CY_READ | CY_WRITE) ? "atomic access"
                       : fault->access == CY_WRITE           ? "write"
                       : fault->access == CY_EXECUTE         ? "fetch"
                                                             : "read";
    switch (fault->kind) {
    case CY_FAULT_MISALIGNED:
    case CY_FAULT_UNMAPPED:
    case CY_FAULT_FORBIDDEN:
    case CY_FAULT_TRANSLATION:
        cy_buf_printf(out, ": %s of %u bytes at 0x%08" PRIx64, verb, fault->size, fault->address);
        if (fault->translated)
            put_walk(out, &fault->walk);
        break;
    case CY_FAULT_LDS:
        cy_buf_printf(out, ": %s of %u bytes at 0x%08" PRIx64 ", which has 0x%08x to 0x%08x", verb, fault->size,
                      fault->address, warp->lds, warp->lds + warp->lds_size);
        break;
    case CY_FAULT_PRIVATE:
        cy_buf_printf(out, ": %s of %u bytes at private address 0x%" PRIx64 ", which has %u bytes", verb, fault->size,
                      fault->address, warp->pds_size);
        break;
    case CY_FAULT_FETCH:
    case CY_FAULT_FETCH_MISALIGNED: cy_buf_printf(out, ": to 0x%08" PRIx64, fault->address); break;
    case CY_FAULT_STACK_OVERFLOW:
        cy_buf_printf(out, ": %" PRIu64 " entries are needed, there are %u", fault->address, warp->run->stack_depth);
        break;
    case CY_FAULT_CSR: cy_buf_printf(out, ": CSR 0x%03" PRIx64, fault->address); break;
    default: break;
    }
}

/* Values of the registers that the instruction reads: the lane's vGPRs, or none if the warp as a whole faults. */
static void put_registers(struct cy_buf *out, const struct cy_warp *warp, const struct cy_fault *fault,
                          enum cy_target target)
{
    struct cy_insn insn;
    decode_at(fault, target, &insn);
    if (insn.op == CY_OP_INVALID)
        return;
    struct cy_effects effects;
    unsigned shown = 0;
    cy_effects(target, &insn, &effects);
    for (unsigned i = 0; i < effects.operand_count; i++) {
        const struct cy_operand *operand = &effects.operand[i];
        const uint32_t number = (uint32_t)operand->value;
        if (!operand->is_read)
            continue;
        if (operand->kind == CY_OPERAND_X)
            cy_buf_printf(out, "%s%s = 0x%08x", shown++ ? ", " : "  registers ", cy_xreg_name(number), warp->x[number]);
        else if (operand->kind == CY_OPERAND_V && fault->lane >= 0)
            cy_buf_printf(out, "%sv%u = 0x%08x", shown++ ? ", " : "  registers ", number,
                          warp->v[number * warp->numt + (unsigned)fault->lane]);
    }
    if (shown)
        cy_buf_puts(out, "\n");
}

void cy_fault_describe(struct cy_buf *out, const struct cy_warp *warp, const struct cy_fault *fault,
                       const struct cy_symbol_table *symbols, enum cy_target target)
{
    cy_buf_printf(out, "fault: %s", cy_fault_text(fault->kind));
    put_details(out, warp, fault);
    cy_buf_puts(out, "\n  at        ");
    put_place(out, symbols, fault->pc);
    cy_buf_puts(out, ": ");
    put_instruction(out, fault, target);
    put_source(out, symbols, fault->pc);
    cy_buf_printf(out, "\n  where     workgroup (%u, %u, %u), warp %u", warp->gid[0], warp->gid[1], warp->gid[2],
                  warp->wid);
    if (fault->lane >= 0)
        cy_buf_printf(out, ", lane %d", fault->lane);
    if (!warp->v) { /* translated code has no registers to show */
        cy_buf_puts(out, "\n");
        return;
    }
    cy_buf_printf(out, "\n  lanes     active 0x%0*" PRIx64 " of 0x%0*" PRIx64 ", SIMT stack %u deep\n",
                  (int)(warp->numt > 4 ? warp->numt / 4 : 1), warp->active, (int)(warp->numt > 4 ? warp->numt / 4 : 1),
                  warp->full, warp->depth);
    put_registers(out, warp, fault, target);
}

/* ---- failing a launch ---- */

static const char *keep(struct cy_launch *launch, const struct cy_buf *text)
{
    return cy_arena_strndup(&launch->arena, text->size ? text->data : "", text->size);
}

/* The position of every warp on the SM, or of one workgroup's. */
static void put_warps(struct cy_buf *out, const struct cy_launch *launch, const struct cy_sm *sm,
                      const struct cy_workgroup *only)
{
    for (unsigned i = 0; i < sm->device->config.warps; i++) {
        const struct cy_warp_slot *slot = &sm->slots[i];
        if (!(sm->occupied >> i & 1) || (only && slot->group != only))
            continue;
        const struct cy_warp *warp = &slot->warp;
        bool waits = !(sm->ready >> i & 1);
        cy_buf_printf(out, "  workgroup (%u, %u, %u) warp %u %s ", warp->gid[0], warp->gid[1], warp->gid[2], warp->wid,
                      waits ? "waits at the barrier" : "is");
        cy_buf_puts(out, waits ? "" : "at ");
        put_place(out, launch->program->symbols, waits ? slot->barrier_pc : warp->pc);
        cy_buf_printf(out, ", after %" PRIu64 " instructions\n", warp->retired);
    }
}

static void put_kernel(struct cy_buf *out, const struct cy_launch *launch)
{
    cy_buf_printf(out, "  kernel    %s of %s\n", launch->kernel.name, launch->program->name);
}

static void put_item(struct cy_buf *out, const struct cy_launch *launch, const struct cy_warp *warp, int lane)
{
    uint64_t item = warp->tid + (uint64_t)lane;
    uint64_t at[3] = {item % launch->local[0], item / launch->local[0] % launch->local[1],
                      item / launch->local[0] / launch->local[1]};
    for (unsigned i = 0; i < 3; i++)
        at[i] += (uint64_t)warp->gid[i] * launch->local[i] + launch->offset[i];
    cy_buf_printf(out, "  work-item global id (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ")\n", at[0], at[1], at[2]);
}

/* A failure, and the function that describes it. */
struct report {
    struct cy_launch *launch;
    const struct cy_sm *sm;
    const struct cy_warp *warp;
    struct cy_fault fault;
    const struct cy_workgroup *group; /* the deadlocked one */
    bool seconds;                     /* the watchdog's limit was one of time */
    void (*put)(struct cy_buf *out, const struct report *report);
};

static void put_words(void *argument)
{
    const struct report *report = argument;
    struct cy_launch *launch = report->launch;
    struct cy_fault_info *info = &launch->fault;
    struct cy_buf text = {0};
    put_instruction(&text, &report->fault, launch->program->target);
    info->instruction = keep(launch, &text);
    text.size = 0;
    info->line = cy_symbols_line(launch->program->symbols, report->fault.pc, &text);
    info->file = keep(launch, &text);
    text.size = 0;
    report->put(&text, report);
    info->report = keep(launch, &text);
    cy_buf_append(&launch->message, text.data, text.size);
    cy_buf_free(&text);
}

/* The first failure counts.  If there is no memory for the text, the numbers remain. */
static void fail(struct report *report)
{
    struct cy_launch *launch = report->launch;
    const struct cy_fault *fault = &report->fault;
    const struct cy_warp *warp = report->warp;
    pthread_mutex_lock(&launch->lock);
    if (!launch->faulted) {
        struct cy_fault_info info = {
            .kind = cy_fault_name(fault->kind),
            .text = cy_fault_text(fault->kind),
            .kernel = launch->kernel.name,
            .pc = fault->pc,
            .word = fault->word,
            .prefix = fault->prefix,
            .instruction = "",
            .file = "",
            .workgroup = {warp->gid[0], warp->gid[1], warp->gid[2]},
            .warp = warp->wid,
            .lane = fault->lane,
            .address = fault->address,
            .report = "fault: the host has no memory for the report\n",
        };
        info.symbol = cy_symbols_find(launch->program->symbols, fault->pc, &info.offset);
        info.symbol = info.symbol ? info.symbol : "";
        launch->faulted = true;
        launch->fault = info;
        const struct cy_buf message = launch->message;
        if (!cy_mem_try(put_words, report)) {
            launch->fault = info;
            launch->arena = (struct cy_arena){0};
            cy_buf_undo(&launch->message, message);
        }
        if (launch->observers.fault)
            launch->observers.fault(launch->observers.context, &launch->fault);
    }
    pthread_mutex_unlock(&launch->lock);
    atomic_store(&launch->stop, true);
}

static void put_fault(struct cy_buf *out, const struct report *report)
{
    const struct cy_launch *launch = report->launch;
    cy_fault_describe(out, report->warp, &report->fault, launch->program->symbols, launch->program->target);
    put_kernel(out, launch);
    if (report->fault.lane >= 0)
        put_item(out, launch, report->warp, report->fault.lane);
}

void cy_report_fault(struct cy_launch *launch, const struct cy_sm *sm, const struct cy_warp_slot *slot,
                     const struct cy_fault *fault)
{
    fail(&(struct report){.launch = launch, .sm = sm, .warp = &slot->warp, .fault = *fault, .put = put_fault});
}

/* The word at a pc, to show the instruction of a fault not raised by the engine. */
static struct cy_fault fault_at(const struct cy_launch *launch, enum cy_fault_kind kind, uint32_t pc)
{
    struct cy_fault fault = {.kind = kind, .pc = pc, .lane = -1};
    const struct cy_memory *memory = launch->memory;
    if (cy_memory_allows(memory, pc, 4, CY_READ))
        memcpy(&fault.word, memory->base + pc, 4);
    return fault;
}

static void put_deadlock(struct cy_buf *out, const struct report *report)
{
    const struct cy_launch *launch = report->launch;
    const struct cy_workgroup *group = report->group;
    cy_buf_printf(
        out, "fault: %s: all %u live warps of workgroup (%u, %u, %u) wait at different barriers (%u of %u ended)\n",
        cy_fault_text(CY_FAULT_DEADLOCK), group->warps, group->id[0], group->id[1], group->id[2],
        launch->warps - group->warps, launch->warps);
    put_kernel(out, launch);
    put_warps(out, launch, report->sm, group);
}

void cy_report_deadlock(struct cy_launch *launch, const struct cy_sm *sm, const struct cy_workgroup *group)
{
    const struct cy_warp_slot *first = &sm->slots[__builtin_ctzll(group->members)];
    fail(&(struct report){.launch = launch,
                          .sm = sm,
                          .warp = &first->warp,
                          .fault = fault_at(launch, CY_FAULT_DEADLOCK, first->barrier_pc),
                          .group = group,
                          .put = put_deadlock});
}

static void put_watchdog(struct cy_buf *out, const struct report *report)
{
    const struct cy_config *config = &report->sm->device->config;
    if (report->seconds)
        cy_buf_printf(out, "fault: %s: more than %u seconds (watchdog-seconds)\n", cy_fault_text(CY_FAULT_WATCHDOG),
                      config->watchdog_seconds);
    else
        cy_buf_printf(out, "fault: %s: more than %" PRIu64 " instructions (watchdog-instructions)\n",
                      cy_fault_text(CY_FAULT_WATCHDOG), config->watchdog_instructions);
    put_kernel(out, report->launch);
    put_warps(out, report->launch, report->sm, NULL);
}

void cy_report_watchdog(struct cy_launch *launch, const struct cy_sm *sm, bool seconds)
{
    const struct cy_warp *warp = &sm->slots[sm->occupied ? __builtin_ctzll(sm->occupied) : 0].warp;
    fail(&(struct report){.launch = launch,
                          .sm = sm,
                          .warp = warp,
                          .fault = fault_at(launch, CY_FAULT_WATCHDOG, sm->occupied ? warp->pc : launch->kernel.entry),
                          .seconds = seconds,
                          .put = put_watchdog});
}
