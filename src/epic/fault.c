/* Fault messages. */
#include "epic/epic_priv.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct insn *cy_epic_fault(struct core *core, const struct insn *insn, enum cy_epic_fault_kind kind,
                                 unsigned lane, uint32_t address)
{
    core->fault = (struct cy_epic_fault){
        .kind = kind,
        .block = core->block,
        .core = core->block % core->device->config.cores,
        .lane = lane,
        .pc = insn->pc,
        .address = address,
        .word = insn->word,
    };
    core->live = 0;
    return core->end;
}

const char *cy_epic_fault_name(enum cy_epic_fault_kind kind)
{
    switch (kind) {
    case CY_EPIC_FAULT_NONE: return "no fault";
    case CY_EPIC_FAULT_MISALIGNED: return "misaligned address";
    case CY_EPIC_FAULT_OUT_OF_RANGE: return "address out of range";
    case CY_EPIC_FAULT_ILLEGAL: return "illegal instruction";
    case CY_EPIC_FAULT_BAD_TARGET: return "bad jump target";
    case CY_EPIC_FAULT_FELL_OFF: return "end of the program";
    case CY_EPIC_FAULT_WATCHDOG: return "watchdog";
    }
    return "unknown fault";
}

void cy_epic_disassemble(const struct cy_epic *device, uint32_t word, uint32_t pc, char *text, size_t size)
{
    struct cy_insn insn;
    char room[512] = ""; /* twice what cy_print asks for: nothing is allocated while a machine runs */
    struct cy_buf printed = {.data = room, .capacity = sizeof(room)};
    if (cy_decode_word(device->target, word, &insn))
        cy_print(&printed, device->target, &insn, pc, CY_PRINT_NO_ALIASES);
    else if (cy_decode_word(CY_EPIC, word, &insn)) /* name instructions that the FPGA lacks all the same */
        cy_print(&printed, CY_EPIC, &insn, pc, CY_PRINT_NO_ALIASES);
    else
        cy_buf_printf(&printed, ".word 0x%08x", word);
    snprintf(text, size, "%s", printed.data);
    for (char *tab = text; (tab = strchr(tab, '\t'));)
        *tab = ' ';
    assert(printed.data == room && "the text of an instruction fits");
}

static const struct slot *slot_at(const struct cy_epic *device, uint32_t word_address)
{
    for (unsigned n = 0; n < CY_EPIC_PROGRAMS; n++) {
        const struct slot *slot = &device->slots[n];
        if (slot->loaded && word_address >= slot->address && word_address - slot->address < slot->count)
            return slot;
    }
    return NULL;
}

static void find_line(const struct cy_epic *device, struct cy_epic_fault *fault)
{
    /* Falling off the end is attributed to the program's last word. */
    uint32_t word_address = fault->pc / 4;
    if (fault->kind == CY_EPIC_FAULT_FELL_OFF)
        word_address--;
    const struct slot *slot = slot_at(device, word_address);
    if (!slot || !slot->file)
        return;
    for (size_t i = 0; i < slot->line_count && slot->lines[i].word_address <= word_address; i++)
        fault->line = slot->lines[i].line;
    if (fault->line)
        snprintf(fault->file, sizeof(fault->file), "%s", slot->file);
}

/* The cause, without the location. */
static void describe_cause(const struct cy_epic *device, const struct cy_epic_fault *fault, struct cy_buf *out)
{
    switch (fault->kind) {
    case CY_EPIC_FAULT_MISALIGNED: cy_buf_printf(out, "address 0x%08x is not a multiple of 4", fault->address); break;
    case CY_EPIC_FAULT_OUT_OF_RANGE:
        cy_buf_printf(out, "address 0x%08x is beyond the %u bytes of memory", fault->address,
                      device->config.memory_bytes);
        break;
    case CY_EPIC_FAULT_ILLEGAL: {
        struct cy_insn insn;
        const char *why = "is no instruction";
        if (cy_decode_word(CY_EPIC, fault->word, &insn)) /* then this machine's lanes lack it */
            why = cy_insns[insn.op].sched == CY_SCHED_ecmd ? "is a host command, not an instruction for lanes"
                                                           : "is an instruction that the FPGA does not have";
        cy_buf_printf(out, "0x%08x %s", fault->word, why);
        break;
    }
    case CY_EPIC_FAULT_BAD_TARGET: cy_buf_printf(out, "there is no instruction at 0x%08x", fault->address); break;
    case CY_EPIC_FAULT_FELL_OFF: cy_buf_puts(out, "ran past the last instruction of the program"); break;
    default: cy_buf_puts(out, fault->text); break; /* the watchdog's reason */
    }
}

void cy_epic_fault_describe(const struct cy_epic *device, struct cy_epic_fault *fault)
{
    char room[1024] = ""; /* longer than all members of the fault together */
    struct cy_buf text = {.data = room, .capacity = sizeof(room)};
    find_line(device, fault);
    if (fault->kind != CY_EPIC_FAULT_FELL_OFF)
        cy_epic_disassemble(device, fault->word, fault->pc, fault->instruction, sizeof(fault->instruction));
    if (fault->line)
        cy_buf_printf(&text, "%s:%u: ", fault->file, fault->line);
    cy_buf_printf(&text, "%s: ", cy_epic_fault_name(fault->kind));
    describe_cause(device, fault, &text);
    cy_buf_printf(&text, " (block %u, core %u, lane %u, pc 0x%08x", fault->block, fault->core, fault->lane, fault->pc);
    if (fault->instruction[0])
        cy_buf_printf(&text, ": %s", fault->instruction);
    cy_buf_putc(&text, ')');
    assert(text.data == room && "the text of a fault fits");
    snprintf(fault->text, sizeof(fault->text), "%s", text.data);
}
