/* Disassembly in llvm-objdump's format.  A listing of a million lines is produced here and in isa/print.c, so numbers
 * are formatted by hand and everything goes into one buffer. */
#include "dis/dis_priv.h"

#include <string.h>

/* Space for one line, not counting cy_print's text and names. */
#define LINE_ROOM 128

struct lister {
    const struct cy_dis *listing;
    const struct cy_object *object;
    const struct cy_section *section;
    uint32_t section_number; /* from 1 */
    const struct dis_roles *roles;
    struct dis_labels labels;
    struct dis_lines lines;
    struct cy_buf *out;
    size_t next_reloc;
    bool nameless; /* no symbol names after addresses */
    /* Registers whose value is known from an auipc of this block, to resolve a jalr or setrpc after it. */
    uint32_t known;
    uint32_t values[32];
};

enum cy_target cy_dis_target(const struct cy_object *object)
{
    if (object->machine == CY_EM_EPIC)
        return CY_EPIC;
    return object->flags & CY_EF_VENTUS_GEN2 ? CY_GEN2 : CY_GEN1;
}

/* ---- pieces of a line ---- */

static const char hex_digits[] = "0123456789abcdef";

static char *put_hex8(char *at, uint32_t value)
{
    for (int shift = 28; shift >= 0; shift -= 4)
        *at++ = hex_digits[value >> shift & 15];
    return at;
}

/* Like "%8x". */
static char *put_address(char *at, uint32_t value)
{
    int shift = 28;
    for (; shift > 0 && !(value >> shift); shift -= 4)
        *at++ = ' ';
    for (; shift >= 0; shift -= 4)
        *at++ = hex_digits[value >> shift & 15];
    return at;
}

static char *put_bytes(char *at, uint32_t word)
{
    for (int i = 0; i < 4; i++, word >>= 8) {
        *at++ = hex_digits[word >> 4 & 15];
        *at++ = hex_digits[word & 15];
        *at++ = ' ';
    }
    return at;
}

static char *put_text(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static void put_line_start(struct lister *lister, uint32_t address, const struct cy_insn *insn)
{
    struct cy_buf *out = lister->out;
    cy_buf_reserve(out, LINE_ROOM);
    char *at = put_address(out->data + out->size, address);
    *at++ = ':';
    *at++ = ' ';
    if (lister->listing->raw) {
        at = put_text(put_bytes(at, insn->word), " \t");
    } else if (insn->prefix) {
        at = put_hex8(at, insn->prefix);
        *at++ = ' ';
        at = put_text(put_hex8(at, insn->word), " \t");
    } else {
        at = put_text(put_hex8(at, insn->word), "     \t");
    }
    out->size = (size_t)(at - out->data);
}

static void put_label(struct cy_buf *out, const struct dis_label *label, uint32_t address)
{
    cy_buf_puts(out, " <");
    cy_buf_puts(out, label->name);
    if (address != label->address)
        cy_buf_printf(out, "+0x%x", address - label->address);
    cy_buf_putc(out, '>');
}

/* Prints the symbol for an address; nothing if no symbol precedes it. */
static void put_symbol(struct lister *lister, uint32_t address)
{
    if (lister->nameless)
        return;
    uint32_t section = dis_section_of(lister->object, lister->section_number, address);
    const struct dis_label *label = dis_label_of(&lister->labels, section, address);
    /* Code before a section's first symbol is named after the section. */
    struct dis_label start = {.name = lister->section->name, .address = lister->section->address};
    if (!label && section == lister->section_number)
        label = &start;
    if (label)
        put_label(lister->out, label, address);
}

/* ---- targets of instructions ---- */

static bool known_value(const struct lister *lister, int32_t reg, uint32_t *value)
{
    *value = 0;
    if (reg == 0)
        return true;
    if (reg < 0 || reg > 31 || !(lister->known >> reg & 1))
        return false;
    *value = lister->values[reg];
    return true;
}

static void put_reference(struct lister *lister, const struct cy_insn *insn, uint32_t address, bool relocated)
{
    const struct dis_roles *roles = &lister->roles[insn->op];
    uint32_t value;
    if (roles->pcrel >= 0) {
        put_symbol(lister, address + insn->size - 4 + (uint32_t)insn->operand[roles->pcrel]);
        return;
    }
    if (lister->listing->raw)
        return;
    if (insn->op == CY_OP_jalr && known_value(lister, insn->operand[roles->rs1], &value))
        put_symbol(lister, value + (uint32_t)insn->operand[roles->imm]);
    if (!lister->listing->comments)
        return;
    if (insn->op == CY_OP_setrpc && !relocated && insn->operand[roles->rs1] &&
        known_value(lister, insn->operand[roles->rs1], &value)) {
        value += (uint32_t)insn->operand[roles->imm];
        cy_buf_printf(lister->out, " # 0x%x", value);
        put_symbol(lister, value);
    }
    if (roles->csr >= 0 && !(lister->listing->print_flags & CY_PRINT_CSR_NAMES)) {
        const struct cy_csr_info *csr = cy_csr_by_number((unsigned)insn->operand[roles->csr]);
        if (csr && csr->number >= CY_CSR_TID && csr->number <= CY_CSR_GDS && csr->number != CY_CSR_RPC) {
            cy_buf_puts(lister->out, " # ");
            cy_buf_puts(lister->out, csr->short_name);
        }
    }
}

/* Tracks what llvm-objdump tracks too: auipc defines a value, any other write to the register discards it, and a jump
 * or branch ends the block. */
static void follow(struct lister *lister, const struct cy_insn *insn, uint32_t address)
{
    const struct dis_roles *roles = &lister->roles[insn->op];
    if (insn->op == CY_OP_auipc) {
        uint32_t reg = (uint32_t)insn->operand[0] & 31;
        lister->values[reg] = address + ((uint32_t)insn->operand[1] << 12);
        lister->known |= 1u << reg;
    } else if (lister->known) {
        if (cy_insns[insn->op].flags & (CY_F_BRANCH | CY_F_CALL | CY_F_DIVERGE | CY_F_END))
            lister->known = 0;
        else if (roles->rd >= 0 && insn->operand[roles->rd] < 32)
            lister->known &= ~(1u << insn->operand[roles->rd]);
    }
}

/* ---- relocations ---- */

static void put_relocs(struct lister *lister, uint32_t end)
{
    const struct cy_section *section = lister->section;
    for (; lister->next_reloc < section->relocs.count; lister->next_reloc++) {
        const struct cy_reloc *reloc = &section->relocs.at[lister->next_reloc];
        if (reloc->offset >= end)
            break;
        if (!lister->listing->relocs)
            continue;
        const char *type = cy_reloc_name(lister->object->machine, reloc->type);
        const char *name =
            reloc->symbol < lister->object->symbols.count ? lister->object->symbols.at[reloc->symbol].name : "*ABS*";
        cy_buf_printf(lister->out, "\t\t\t%08x:  %s\t%s", section->address + reloc->offset, type ? type : "Unknown",
                      name);
        if (reloc->addend > 0)
            cy_buf_printf(lister->out, "+0x%x", (unsigned)reloc->addend);
        else if (reloc->addend < 0)
            cy_buf_printf(lister->out, "-0x%x", 0u - (unsigned)reloc->addend);
        cy_buf_putc(lister->out, '\n');
    }
}

static uint32_t next_reloc_offset(const struct lister *lister)
{
    const struct cy_section *section = lister->section;
    return lister->next_reloc < section->relocs.count ? section->relocs.at[lister->next_reloc].offset : UINT32_MAX;
}

/* ---- blocks ---- */

static void decode(const struct lister *lister, uint32_t offset, uint32_t end, struct cy_insn *insn)
{
    enum cy_target target = lister->listing->target;
    uint32_t words[2] = {dis_word(lister->section, offset), 0};
    size_t count = 1;
    if (end - offset >= 8) {
        words[1] = dis_word(lister->section, offset + 4);
        count = 2;
    }
    if (lister->listing->raw)
        cy_decode_word(target, words[0], insn);
    else if (cy_decode(target, words, count, insn) != CY_DECODE_OK)
        *insn = (struct cy_insn){.op = CY_OP_INVALID, .size = 4, .word = words[0]};
}

/* A stray prefix is not an instruction; print what it would have been. */
static void put_stray_prefix(struct lister *lister, uint32_t word)
{
    struct cy_insn prefix;
    if (lister->listing->comments && cy_decode_word(lister->listing->target, word, &prefix)) {
        cy_buf_puts(lister->out, " # ");
        cy_buf_puts(lister->out, cy_insns[prefix.op].mnemonic);
        cy_buf_puts(lister->out, " without an instruction");
    }
}

/* EpicGPU ignores the bits that no field has, such as bit 28, the predicate of the other types, in `exit`; the text does not show
 * them. */
static void put_unused_bits(struct lister *lister, const struct cy_insn *insn)
{
    struct cy_insn again = *insn;
    enum cy_target target = lister->listing->target;
    if ((target == CY_EPIC || target == CY_EPIC_FPGA) && !cy_encode(target, &again, NULL) && again.word != insn->word)
        cy_buf_printf(lister->out, " # unused bits 0x%08x", again.word ^ insn->word);
}

/* With a line for every word an alias is good only if it is one with the prefix before it, too. */
static unsigned print_flags(const struct lister *lister, uint32_t offset, const struct cy_insn *insn)
{
    unsigned flags = lister->listing->print_flags;
    struct cy_insn joined;
    if (!lister->listing->raw || offset < 4)
        return flags;
    const uint32_t words[2] = {dis_word(lister->section, offset - 4), insn->word};
    if (cy_decode(lister->listing->target, words, 2, &joined) == CY_DECODE_OK && joined.prefix &&
        !cy_print_same_spelling(insn, &joined, flags))
        flags |= CY_PRINT_NO_ALIASES;
    return flags;
}

static uint32_t list_insn(struct lister *lister, uint32_t offset, uint32_t end)
{
    struct cy_insn insn;
    uint32_t address = lister->section->address + offset;
    decode(lister, offset, end, &insn);
    if (lister->lines.is_on)
        dis_lines_put(&lister->lines, address, dis_label_of(&lister->labels, lister->section_number, address),
                      lister->out);
    put_line_start(lister, address, &insn);
    cy_print(lister->out, lister->listing->target, &insn, address, print_flags(lister, offset, &insn));
    if (insn.op != CY_OP_INVALID) {
        if (lister->listing->raw || lister->listing->comments)
            put_unused_bits(lister, &insn);
        put_reference(lister, &insn, address, next_reloc_offset(lister) < offset + insn.size);
        follow(lister, &insn, address);
    } else if (!lister->listing->raw) {
        put_stray_prefix(lister, insn.word);
    }
    cy_buf_putc(lister->out, '\n');
    return insn.size;
}

/* Trailing bytes that are not a whole word. */
static void list_byte(struct lister *lister, uint32_t offset)
{
    unsigned byte = (uint8_t)lister->section->data.data[offset];
    cy_buf_printf(lister->out, "%8x: %02x           \t.byte\t0x%x\n", lister->section->address + offset, byte, byte);
}

static uint32_t zero_run(const struct lister *lister, uint32_t offset, uint32_t end)
{
    if (lister->listing->relocs && next_reloc_offset(lister) < end)
        end = next_reloc_offset(lister);
    uint32_t at = offset;
    while (at < end && !lister->section->data.data[at])
        at++;
    return at - offset >= 8 ? (at - offset) & ~3u : 0;
}

static void list_block(struct lister *lister, uint32_t offset, uint32_t end)
{
    lister->known = 0;
    while (offset < end) {
        uint32_t step = lister->listing->raw ? zero_run(lister, offset, end) : 0;
        if (step) {
            cy_buf_puts(lister->out, "\t\t...\n");
        } else if (end - offset < 4) {
            list_byte(lister, offset);
            step = 1;
        } else {
            step = list_insn(lister, offset, end);
        }
        offset += step;
        put_relocs(lister, offset);
    }
}

/* ---- sections ---- */

struct range {
    uint32_t begin, end; /* offsets in the section */
};

static void clip(struct range *range, const struct cy_section *section, uint32_t start, uint64_t stop)
{
    uint32_t begin = start > section->address ? start - section->address : 0;
    uint64_t end = stop > section->address ? stop - section->address : 0;
    if (begin > range->begin)
        range->begin = begin;
    if (end < range->end)
        range->end = (uint32_t)end;
}

/* The code of a symbol: as long as its size says, else up to the next non-local symbol. */
static struct range symbol_range(const struct lister *lister, const struct dis_label *label)
{
    uint32_t base = lister->section->address;
    struct range range = {label->address - base, lister->section->size};
    if (label->symbol->size) {
        if (label->symbol->size < range.end - range.begin)
            range.end = range.begin + label->symbol->size;
        return range;
    }
    size_t i = dis_labels_after(&lister->labels, lister->section_number, label->address);
    for (; i < lister->labels.first[lister->section_number + 1]; i++)
        if (lister->labels.all.at[i].symbol->binding != CY_STB_LOCAL) {
            range.end = lister->labels.all.at[i].address - base;
            break;
        }
    return range;
}

/* The name above a block: the last one at its address, a variable's only if there is no other. */
static const struct dis_label *heading(const struct lister *lister, size_t after)
{
    const struct dis_labels *labels = &lister->labels;
    size_t first = labels->first[lister->section_number];
    if (after == first)
        return NULL;
    for (size_t i = after; i > first && labels->all.at[i - 1].address == labels->all.at[after - 1].address; i--)
        if (labels->all.at[i - 1].symbol->type != CY_STT_OBJECT)
            return &labels->all.at[i - 1];
    return &labels->all.at[after - 1];
}

static void list_range(struct lister *lister, struct range range)
{
    const struct cy_section *section = lister->section;
    const struct dis_labels *labels = &lister->labels;
    uint32_t offset = range.begin;
    size_t next = dis_labels_after(labels, lister->section_number, section->address + offset);
    size_t limit = labels->first[lister->section_number + 1];
    struct dis_label start = {.name = section->name, .address = section->address};
    while (offset < range.end) {
        uint32_t address = section->address + offset;
        const struct dis_label *here = heading(lister, next);
        cy_buf_printf(lister->out, "\n%08x", address);
        put_label(lister->out, here ? here : &start, address);
        cy_buf_puts(lister->out, ":\n");
        uint32_t end = range.end;
        if (next < limit && labels->all.at[next].address - section->address < end)
            end = labels->all.at[next].address - section->address;
        list_block(lister, offset, end);
        offset = end;
        next = dis_labels_after(labels, lister->section_number, section->address + offset);
    }
}

/* Lists the requested part of one section; false: none of it. */
static bool list_section(struct lister *lister, const struct dis_label *only)
{
    const struct cy_section *section = lister->section;
    struct range range = {0, (uint32_t)section->data.size};
    if (only)
        range = symbol_range(lister, only);
    if (lister->listing->has_range)
        clip(&range, section, lister->listing->start, lister->listing->stop);
    if (range.end > section->data.size)
        range.end = (uint32_t)section->data.size;
    if (range.begin >= range.end)
        return false;
    lister->next_reloc = 0;
    while (next_reloc_offset(lister) < range.begin)
        lister->next_reloc++;
    cy_buf_reserve(lister->out, (size_t)(range.end - range.begin) * 12); /* 48 characters per line */
    cy_buf_printf(lister->out, "\nDisassembly of section %s:\n", section->name);
    list_range(lister, range);
    return true;
}

static const struct dis_label *find_label(const struct lister *lister, const char *name)
{
    for (size_t i = 0; i < lister->labels.all.count; i++)
        if (strcmp(lister->labels.all.at[i].name, name) == 0)
            return &lister->labels.all.at[i];
    return NULL;
}

void cy_dis_header(const struct cy_object *object, struct cy_buf *out)
{
    cy_buf_printf(out, "\n%s:\tfile format %s\n", object->name,
                  object->machine == CY_EM_EPIC ? "elf32-epicgpu" : "elf32-littleriscv");
}

struct job {
    const struct cy_dis *listing;
    const struct cy_object *object;
    struct cy_buf *out;
    struct cy_diags *diags;
    bool ok;
};

static void list_object(void *argument)
{
    struct job *job = argument;
    const struct cy_dis *listing = job->listing;
    const struct cy_object *object = job->object;
    struct lister lister = {.listing = listing, .object = object, .out = job->out, .roles = dis_roles()};
    dis_labels_make(&lister.labels, object, false);
    dis_lines_open(&lister.lines, listing, object);
    const struct dis_label *only = NULL;
    bool ok = true;
    if (listing->symbol && !(only = find_label(&lister, listing->symbol))) {
        cy_diag_file(job->diags, CY_ERROR, object->name, "there is no symbol '%s'", listing->symbol);
        ok = false;
    }
    for (size_t i = 0; ok && i < object->sections.count; i++) {
        lister.section = &object->sections.at[i];
        lister.section_number = (uint32_t)i + 1;
        if (!(lister.section->flags & CY_SHF_EXECINSTR) && !only)
            continue;
        if (!only || only->section == lister.section_number)
            list_section(&lister, only);
    }
    dis_lines_close(&lister.lines);
    dis_labels_free(&lister.labels);
    job->ok = ok;
}

bool cy_dis_object(const struct cy_dis *listing, const struct cy_object *object, struct cy_buf *out,
                   struct cy_diags *diags)
{
    const struct cy_buf before = *out;
    struct job job = {.listing = listing, .object = object, .out = out, .diags = diags};
    if (cy_diags_try(diags, list_object, &job))
        return job.ok;
    cy_buf_undo(out, before);
    return false;
}

void cy_dis_bytes(const struct cy_dis *listing, const char *name, const void *bytes, size_t size, uint32_t base,
                  struct cy_buf *out)
{
    struct cy_section section = {
        .name = ".text", .address = base, .size = (uint32_t)size, .flags = CY_SHF_ALLOC | CY_SHF_EXECINSTR};
    cy_buf_append(&section.data, bytes, size);
    struct cy_object object = {.name = name ? name : "", .type = CY_ET_EXEC};
    *cy_vec_push(&object.sections) = section;
    struct lister lister = {.listing = listing, .object = &object, .out = out, .roles = dis_roles()};
    dis_labels_make(&lister.labels, &object, false);
    lister.section = &object.sections.at[0];
    lister.section_number = 1;
    if (name) {
        cy_buf_printf(out, "\n%s:\tfile format binary\n", name);
        list_section(&lister, NULL);
    } else {
        lister.nameless = true;
        list_block(&lister, 0, (uint32_t)size);
    }
    dis_labels_free(&lister.labels);
    cy_buf_free(&section.data);
    cy_vec_free(&object.sections);
}
