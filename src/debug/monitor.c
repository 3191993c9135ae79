/* `monitor ...`: the whole machine at a glance. */
#include "debug/debug_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool next_warp(const struct cy_debugger *debugger, struct debug_item *item)
{
    const struct cy_warp_slot *last = item->slot;
    while (debug_next(debugger, item))
        if (item->slot != last)
            return true;
    return false;
}

static void put_place(struct cy_buf *out, const struct cy_debugger *debugger, uint32_t pc)
{
    const struct cy_symbol_table *symbols = debugger->launch->program->symbols;
    struct cy_buf path = {0};
    uint32_t offset = 0;
    const char *symbol = cy_symbols_find(symbols, pc, &offset);
    const uint32_t line = cy_symbols_line(symbols, pc, &path);
    cy_buf_printf(out, "0x%08x", pc);
    if (symbol)
        cy_buf_printf(out, " <%s+%u>", symbol, offset);
    if (line)
        cy_buf_printf(out, " %s:%u", path.data, line);
    cy_buf_free(&path);
}

static void put_warp(struct cy_buf *out, const struct cy_warp *warp)
{
    cy_buf_printf(out, "group %u,%u,%u warp %u", warp->gid[0], warp->gid[1], warp->gid[2], warp->wid);
}

static void put_mask(struct cy_buf *out, const struct cy_warp *warp, uint64_t mask)
{
    cy_buf_printf(out, "%0*" PRIx64, (int)(warp->numt > 4 ? warp->numt / 4 : 1), mask);
}

static void show_warps(const struct cy_debugger *debugger, struct cy_buf *out)
{
    for (struct debug_item item = {0}; next_warp(debugger, &item);) {
        const struct cy_warp_slot *slot = item.slot;
        put_warp(out, &slot->warp);
        cy_buf_printf(out, "  sm %u  %s  mask ", slot->sm->index,
                      slot->sm->ready >> slot->index & 1 ? "ready  " : "barrier");
        put_mask(out, &slot->warp, slot->warp.mask);
        cy_buf_printf(out, "  %" PRIu64 " instructions  ", slot->warp.retired);
        put_place(out, debugger, slot->warp.pc);
        cy_buf_putc(out, '\n');
    }
}

/* One letter for each lane. */
static void show_masks(const struct cy_debugger *debugger, struct cy_buf *out)
{
    cy_buf_puts(out, "A active, B at barrier, j waits at join, e waits for its branch, . no work-item; lane 0 first\n");
    for (struct debug_item item = {0}; next_warp(debugger, &item);) {
        const struct cy_warp *warp = &item.slot->warp;
        put_warp(out, warp);
        cy_buf_puts(out, "  ");
        for (unsigned lane = 0; lane < warp->numt; lane++) {
            const struct debug_item at = {item.slot, lane};
            const char *state = warp->full >> lane & 1 ? debug_state(&at) : ".";
            cy_buf_putc(out, !strcmp(state, "active")                 ? 'A'
                             : !strcmp(state, "at barrier")           ? 'B'
                             : !strncmp(state, "masked: waits a", 15) ? 'j'
                             : *state == '.'                          ? '.'
                                                                      : 'e');
        }
        cy_buf_putc(out, '\n');
    }
}

static void show_stacks(const struct cy_debugger *debugger, struct cy_buf *out)
{
    for (struct debug_item item = {0}; next_warp(debugger, &item);) {
        const struct cy_warp *warp = &item.slot->warp;
        put_warp(out, warp);
        cy_buf_puts(out, "  mask ");
        put_mask(out, warp, warp->mask);
        cy_buf_puts(out, "  pc ");
        put_place(out, debugger, warp->pc);
        cy_buf_puts(out, "  rpc ");
        put_place(out, debugger, warp->rpc);
        cy_buf_putc(out, '\n');
        for (unsigned i = warp->depth; i-- > 0;) {
            cy_buf_printf(out, "  %2u  mask ", i);
            put_mask(out, warp, warp->stack[i].mask);
            cy_buf_puts(out, "  pc ");
            put_place(out, debugger, warp->stack[i].pc);
            cy_buf_puts(out, "  rpc ");
            put_place(out, debugger, warp->stack[i].rpc);
            cy_buf_putc(out, '\n');
        }
    }
}

static void show_memory(const struct cy_debugger *debugger, struct cy_buf *out)
{
    const struct cy_launch *launch = debugger->launch;
    struct cy_memory *memory = &launch->device->memory;
    const struct cy_program *program = launch->program;
    cy_buf_printf(out, "private   0x00000000 + 0x%x, of each work-item\n", launch->pds_bytes);
    cy_buf_printf(out, "registers 0x%08x + 0x%x, the work-item's vector registers\n", CY_VGPR_WINDOW, 4 * CY_VGPRS);
    struct debug_item item = {0};
    for (const struct cy_workgroup *last = NULL; next_warp(debugger, &item); last = item.slot->group)
        if (item.slot->group != last)
            cy_buf_printf(out, "local     0x%08x + 0x%x, of group %u,%u,%u\n", item.slot->warp.lds,
                          item.slot->warp.lds_size, item.slot->warp.gid[0], item.slot->warp.gid[1],
                          item.slot->warp.gid[2]);
    cy_buf_printf(out, "code      0x%08x + 0x%x, %s\n", program->code_base, program->code_size, program->name);
    pthread_mutex_lock(&memory->lock);
    for (size_t i = 0; i < memory->block_count; i++)
        cy_buf_printf(out, "buffer    0x%08" PRIx64 " + 0x%" PRIx64 "\n", memory->blocks[i].start,
                      memory->blocks[i].size);
    pthread_mutex_unlock(&memory->lock);
}

static void show_fault(const struct cy_debugger *debugger, struct cy_buf *out)
{
    cy_buf_puts(out, debugger->launch->faulted ? debugger->launch->fault.report : "no fault\n");
}

static const struct {
    const char *name, *help;
    void (*show)(const struct cy_debugger *debugger, struct cy_buf *out);
} commands[] = {
    {"warps", "the warps on the machine: mask, progress, place", show_warps},
    {"mask", "the state of every lane", show_masks},
    {"stack", "the SIMT stacks", show_stacks},
    {"memory", "what is where", show_memory},
    {"fault", "the fault that stopped the launch", show_fault},
};

/* "code 0x8000010c": the instruction at an address, as `size text`, for a disassembler in GDB, which knows only RISC-V's own. */
static bool show_code(const struct cy_debugger *debugger, const char *command, struct cy_buf *out)
{
    uint32_t words[4] = {0}; /* with its prefixes */
    uint64_t address;
    struct cy_insn insn;
    static const char name[] = "code 0x";
    const char *at = command + strlen(name);
    if (strncmp(command, name, strlen(name)) != 0 || !debug_parse_hex(&at, &address) || *at)
        return false;
    if (!debugger->launch) {
        cy_buf_puts(out, "no kernel is running\n");
        return true;
    }
    const enum cy_target target = debugger->launch->program->target;
    const size_t size = debug_read_memory(debugger, debugger->general, address, words, sizeof(words));
    if (cy_decode(target, words, size / sizeof(words[0]), &insn) != CY_DECODE_OK) {
        cy_buf_puts(out, "no instruction\n");
        return true;
    }
    cy_buf_printf(out, "%u ", insn.size);
    cy_print(out, target, &insn, (uint32_t)address + insn.size - 4, CY_PRINT_CSR_NAMES);
    cy_buf_putc(out, '\n');
    return true;
}

/* "race on", "init off": tools of the checker that observes the launch. */
static bool set_tool(const struct cy_debugger *debugger, const char *command, struct cy_buf *out)
{
    const struct cy_observer *observer = debugger->launch ? debugger->launch->engine_observer : NULL;
    char tool[16], state[4];
    int used = 0;
    if (sscanf(command, "%15s %3s%n", tool, state, &used) != 2 || command[used] ||
        (strcmp(state, "on") != 0 && strcmp(state, "off") != 0))
        return false;
    if (!observer || !observer->tool)
        cy_buf_puts(out, "nothing is checked: start with cy debug --check\n");
    else if (observer->tool(observer->context, tool, state[1] == 'n'))
        cy_buf_printf(out, "%s is %s\n", tool, state);
    else
        cy_buf_puts(out, "the tools are memory, init, race, sync, api and all\n");
    return true;
}

void debug_monitor(struct cy_debugger *debugger, const char *command, struct cy_buf *out)
{
    for (size_t i = 0; i < CY_COUNT(commands); i++)
        if (!strcmp(command, commands[i].name)) {
            if (debugger->launch)
                commands[i].show(debugger, out);
            else
                cy_buf_puts(out, "no kernel is running\n");
            return;
        }
    if (set_tool(debugger, command, out) || show_code(debugger, command, out))
        return;
    if (strcmp(command, "help") != 0)
        cy_buf_puts(out, "no such command; there are\n");
    for (size_t i = 0; i < CY_COUNT(commands); i++)
        cy_buf_printf(out, "monitor %-7s %s\n", commands[i].name, commands[i].help);
    cy_buf_puts(out, "monitor code ADDRESS  size and text of an instruction\n");
    cy_buf_puts(out, "monitor TOOL on, TOOL off  with cy debug --check: memory, init, race, sync\n");
}
