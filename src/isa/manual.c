/* The manual: lists, pages and the Markdown document, all from the rows. */
#include "isa/isa_priv.h"

#include <string.h>

/* ---- helpers ---- */

static bool matches(const char *pattern, const char *text)
{
    if (!*pattern)
        return !*text;
    if (*pattern == '*')
        return matches(pattern + 1, text) || (*text && matches(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text) && matches(pattern + 1, text + 1);
}

static bool belongs(enum cy_op op, unsigned gens)
{
    return cy_insns[op].gens & gens;
}

/* The display width of a text: UTF-8 continuation bytes take no column. */
static size_t text_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* Wraps words so that no line is wider than `limit`; lines after the first are indented. */
static void put_wrapped(struct cy_buf *out, const char *text, size_t indent, size_t limit)
{
    size_t column = indent;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > indent && column + 1 + length > limit) {
            cy_buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            cy_buf_putc(out, ' ');
            column++;
        }
        cy_buf_append(out, text, length);
        column += length;
        text += length + (text[length] == ' ');
    }
    cy_buf_putc(out, '\n');
}

#define LABEL_WIDTH 11
#define PAGE_WIDTH 100

static void put_label(struct cy_buf *out, const char *label)
{
    cy_buf_printf(out, "%-*s", LABEL_WIDTH, label);
}

static void put_item(struct cy_buf *out, const char *label, const char *text)
{
    put_label(out, label);
    put_wrapped(out, text, LABEL_WIDTH, PAGE_WIDTH);
}

static const struct cy_manual_entry *section_of(enum cy_op op)
{
    const struct cy_manual_entry *section = NULL;
    for (size_t i = 0; i < cy_manual_entry_count; i++) {
        if (cy_manual_entries[i].op == CY_OP_INVALID)
            section = &cy_manual_entries[i];
        else if (cy_manual_entries[i].op == op)
            break;
    }
    return section;
}

/* "[@p ]mnemonic[.aqrl] operands" of a row or an alias */
static void put_line(struct cy_buf *out, const char *mnemonic, const char *syntax)
{
    cy_buf_puts(out, *syntax == '@' ? "[@p] " : "");
    cy_buf_puts(out, mnemonic);
    cy_buf_puts(out, *syntax == '.' ? "[.aq|.rl|.aqrl]" : "");
    struct cy_buf operands = {0};
    cy_manual_syntax(&operands, syntax);
    if (operands.size)
        cy_buf_printf(out, " %s", operands.data);
    cy_buf_free(&operands);
}

/* ---- the list ---- */

static void list_row(struct cy_buf *out, enum cy_op op)
{
    size_t start = out->size;
    cy_buf_puts(out, "  ");
    put_line(out, cy_insns[op].mnemonic, cy_formats[cy_insns[op].format].syntax);
    size_t width = text_width(out->data + start);
    cy_buf_printf(out, "%*s", width < 46 ? (int)(46 - width) : 2, "");
    cy_manual_meaning(out, op);
    cy_buf_putc(out, '\n');
}

static void put_alias(struct cy_buf *out, size_t alias, size_t column)
{
    size_t start = out->size;
    put_line(out, cy_aliases[alias].mnemonic, cy_aliases[alias].syntax);
    size_t width = text_width(out->data + start);
    cy_buf_printf(out, "%*s", width < column ? (int)(column - width) : 2, "");
    cy_manual_expansion(out, alias);
    cy_buf_putc(out, '\n');
}

size_t cy_manual_list(struct cy_buf *out, enum cy_target target, const char *pattern)
{
    const struct cy_manual_entry *section = NULL;
    size_t listed = 0, aliases = 0;
    for (size_t i = 0; i < cy_manual_entry_count; i++) {
        const struct cy_manual_entry *entry = &cy_manual_entries[i];
        if (entry->op == CY_OP_INVALID) {
            section = entry;
        } else if (belongs(entry->op, 1u << target) && (!pattern || matches(pattern, cy_insns[entry->op].mnemonic))) {
            if (section)
                cy_buf_printf(out, "%s%s\n", listed ? "\n" : "", section->title);
            section = NULL;
            list_row(out, entry->op);
            listed++;
        }
    }
    for (size_t i = 0; pattern && i < CY_ALIAS_COUNT; i++) {
        if (!belongs(cy_aliases[i].op, 1u << target) || !matches(pattern, cy_aliases[i].mnemonic))
            continue;
        if (!aliases++)
            cy_buf_printf(out, "%sOther spellings\n", listed ? "\n" : "");
        cy_buf_puts(out, "  ");
        put_alias(out, i, 44);
    }
    return listed + aliases;
}

size_t cy_manual_find(enum cy_target target, const char *name, enum cy_op *ops, size_t limit)
{
    size_t count = 0;
    enum cy_op own = cy_op_find(target, name, strlen(name));
    if (own != CY_OP_INVALID && limit) {
        ops[0] = own;
        return 1;
    }
    for (size_t i = 0; i < CY_ALIAS_COUNT && count < limit; i++) {
        const struct cy_alias_info *alias = &cy_aliases[i];
        bool seen = !belongs(alias->op, 1u << target) || strcmp(alias->mnemonic, name) != 0;
        for (size_t k = 0; k < count; k++)
            seen |= ops[k] == alias->op;
        if (!seen)
            ops[count++] = alias->op;
    }
    return count;
}

/* ---- the page of one instruction ---- */

static void describe_operand(struct cy_buf *out, enum cy_field id, const struct cy_insn_info *info)
{
    const struct cy_field_info *field = &cy_fields[id];
    int64_t low, high;
    unsigned unit;
    cy_field_fits(id, 0, &low, &high, &unit);
    switch (field->kind) {
    case CY_XREG:
        cy_buf_puts(out, info->flags & CY_F_PREFIX ? "not used: x0" : "sGPR x0-x31, x32-x63 with a prefix");
        break;
    case CY_XNUM: cy_buf_puts(out, "not used: x0"); break;
    case CY_VREG:
        cy_buf_puts(out, "vGPR v0-v31, v32-v255 with a prefix");
        if (cy_register_step(info) > 1)
            cy_buf_printf(out, "; a multiple of %d", (int)cy_register_step(info));
        break;
    case CY_EREG: cy_buf_puts(out, id == CY_FIELD_erd ? "register r1, r4-r31" : "register r0-r31"); break;
    case CY_SIMM:
    case CY_UIMM:
    case CY_UPPER:
        cy_buf_printf(out, "%lld to %lld", (long long)low, (long long)high);
        if (unit > 1)
            cy_buf_printf(out, ", a multiple of %u", unit);
        if (field->slot == CY_EXT_IMM)
            cy_buf_puts(out, field->kind == CY_SIMM ? "; -1024 to 1023 with a prefix" : "; 0 to 1023 with a prefix");
        break;
    case CY_PCREL:
        cy_buf_printf(out, "label; distance %lld to %lld, a multiple of %u", (long long)low, (long long)high, unit);
        break;
    case CY_VM: cy_buf_puts(out, "v0.t: only lanes whose mask bit in v0 is 1; omitted: all active lanes"); break;
    case CY_CSR: cy_buf_puts(out, "name or number of a control and status register (cy isa csr)"); break;
    case CY_RM: cy_buf_puts(out, "rounding mode rne rtz rdn rup rmm; omitted: dyn, the mode of frm"); break;
    case CY_AQRL: cy_buf_puts(out, "suffix .aq, .rl or .aqrl: memory order"); break;
    case CY_VTYPE: cy_buf_puts(out, "e8 e16 e32 e64, m1 m2 ..., ta or tu, ma or mu; or a number"); break;
    case CY_FENCE: cy_buf_puts(out, "set of i, o, r, w"); break;
    case CY_PRED: cy_buf_puts(out, "@p before the mnemonic: only lanes whose predicate is 1"); break;
    }
}

static void put_operands(struct cy_buf *out, enum cy_op op)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[op].format, fields);
    for (size_t i = 0; i < count; i++) {
        put_label(out, i ? "" : "operands");
        cy_buf_printf(out, "%-8s", cy_manual_operand(fields[i]));
        describe_operand(out, fields[i], &cy_insns[op]);
        cy_buf_putc(out, '\n');
    }
}

static void put_aliases(struct cy_buf *out, enum cy_op op)
{
    const char *label = "aliases";
    for (size_t i = 0; i < CY_ALIAS_COUNT; i++) {
        if (cy_aliases[i].op != op)
            continue;
        put_label(out, label);
        put_alias(out, i, 28);
        label = "";
    }
}

static void put_sets(struct cy_buf *out, uint8_t gens)
{
    static const char *const texts[] = {"Ventus generation 1", "Ventus generation 2", "EpicGPU", "EpicGPU in the FPGA"};
    const char *separator = "";
    for (unsigned t = 0; t < CY_TARGET_COUNT; t++)
        if (gens & (1u << t)) {
            cy_buf_printf(out, "%s%s", separator, texts[t]);
            separator = ", ";
        }
}

static void put_flags(struct cy_buf *out, uint32_t flags, const char *separator)
{
    const char *between = "";
    for (size_t i = 0; i < cy_flag_count; i++)
        if (flags & cy_flags[i].flag) {
            cy_buf_printf(out, "%s%s", between, cy_flags[i].text);
            between = separator;
        }
}

static void put_examples(struct cy_buf *out, enum cy_target target, enum cy_op op)
{
    for (int prefixed = 0; prefixed < 2; prefixed++) {
        struct cy_insn insn;
        if (!cy_manual_example(target, op, prefixed, &insn))
            continue;
        struct cy_buf text = {0};
        cy_print(&text, target, &insn, insn.prefix ? -4u : 0, CY_PRINT_NO_ALIASES);
        for (char *c = text.data; *c; c++)
            *c = *c == '\t' ? ' ' : *c;
        put_label(out, prefixed ? "" : "example");
        cy_buf_printf(out, "%-36s ", text.data);
        if (insn.prefix)
            cy_buf_printf(out, "%08x ", insn.prefix);
        cy_buf_printf(out, "%08x\n", insn.word);
        cy_buf_free(&text);
    }
}

void cy_manual_page(struct cy_buf *out, enum cy_target target, enum cy_op op)
{
    const struct cy_insn_info *info = &cy_insns[op];
    const struct cy_manual_entry *section = section_of(op);
    const struct cy_sched_info *sched = &cy_scheds[info->sched];
    struct cy_buf text = {0};
    cy_buf_printf(out, "%s - %s\n\n", info->mnemonic, section->title);
    cy_manual_diagram(out, op);
    cy_buf_putc(out, '\n');
    put_line(&text, info->mnemonic, cy_formats[info->format].syntax);
    put_item(out, "syntax", text.data);
    put_operands(out, op);
    text.size = 0;
    cy_manual_meaning(&text, op);
    put_item(out, "meaning", text.data);
    if (*section->text)
        put_item(out, "", section->text);
    if (info->flags) {
        text.size = 0;
        put_flags(&text, info->flags, "; ");
        put_item(out, "flags", text.data);
    }
    put_aliases(out, op);
    put_label(out, "sets");
    put_sets(out, info->gens);
    cy_buf_printf(out, "\n%-*s%s: %s; latency %u, interval %u cycle%s\n", LABEL_WIDTH, "class", sched->name,
                  sched->text, sched->latency_cycles, sched->interval_cycles, sched->interval_cycles == 1 ? "" : "s");
    cy_buf_printf(out, "%-*s%08x, mask %08x, format %s\n", LABEL_WIDTH, "match", info->match,
                  cy_formats[info->format].mask, cy_formats[info->format].name);
    put_examples(out, target, op);
    cy_buf_free(&text);
}

/* ---- control and status registers ---- */

static bool is_ventus_csr(const struct cy_csr_info *csr)
{
    return csr->number >= CY_CSR_TID && csr->number <= CY_CSR_GDS;
}

static void put_csr(struct cy_buf *out, const struct cy_csr_info *csr)
{
    cy_buf_printf(out, "0x%03x  %-10s", csr->number, csr->short_name);
    if (csr->exists)
        cy_buf_printf(out, "%s  %s\n", csr->writable ? "rw" : "ro", csr->text);
    else
        cy_buf_puts(out, "--  a standard name; the machine has no such register\n");
}

bool cy_manual_csrs(struct cy_buf *out, const char *name)
{
    if (name) {
        const struct cy_csr_info *csr = cy_csr_find(name, strlen(name));
        if (csr)
            put_csr(out, csr);
        return csr != NULL;
    }
    size_t others = 0;
    for (int ventus = 1; ventus >= 0; ventus--) {
        cy_buf_puts(out, ventus ? "Ventus (written tid, TID or CSR_TID)\n" : "\nstandard\n");
        for (size_t i = 0; i < cy_csr_count; i++)
            if (cy_csrs[i].exists && is_ventus_csr(&cy_csrs[i]) == ventus) {
                cy_buf_puts(out, "  ");
                put_csr(out, &cy_csrs[i]);
            }
    }
    for (size_t i = 0; i < cy_csr_count; i++)
        others += !cy_csrs[i].exists;
    cy_buf_printf(
        out, "\n%zu more standard names can be written and are printed; accessing them is an illegal instruction\n",
        others);
    return true;
}

/* ---- the document ---- */

/* A table cell: | would end it. */
static void put_cell(struct cy_buf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '|')
            cy_buf_putc(out, '\\');
        cy_buf_putc(out, *text);
    }
}

static void put_code(struct cy_buf *out, const char *text)
{
    cy_buf_putc(out, '`');
    put_cell(out, text);
    cy_buf_putc(out, '`');
}

static void markdown_row(struct cy_buf *out, enum cy_op op)
{
    static const char *const sets[16] = {[CY_IN_VENTUS] = "1 2",
                                         [CY_IN_GEN1] = "1",
                                         [CY_IN_GEN2] = "2",
                                         [CY_IN_EPICALL] = "all",
                                         [CY_IN_EPIC] = "not FPGA"};
    const struct cy_insn_info *info = &cy_insns[op];
    struct cy_buf text = {0};
    cy_buf_puts(out, "| ");
    put_line(&text, info->mnemonic, cy_formats[info->format].syntax);
    put_code(out, text.data);
    cy_buf_puts(out, " | ");
    text.size = 0;
    cy_manual_meaning(&text, op);
    if (info->is_expression)
        put_code(out, text.data);
    else
        put_cell(out, text.data);
    cy_buf_puts(out, " | ");
    text.size = 0;
    cy_manual_bits(&text, op);
    put_code(out, text.data);
    cy_buf_printf(out, " | %s | %s |", cy_scheds[info->sched].name, sets[info->gens]);
    text.size = 0;
    cy_buf_putc(out, '\n');
    cy_buf_free(&text);
}

static void markdown_sections(struct cy_buf *out, unsigned gens)
{
    const struct cy_manual_entry *section = NULL;
    for (size_t i = 0; i < cy_manual_entry_count; i++) {
        const struct cy_manual_entry *entry = &cy_manual_entries[i];
        if (entry->op == CY_OP_INVALID) {
            section = entry;
            continue;
        }
        if (!belongs(entry->op, gens))
            continue;
        if (section) {
            cy_buf_printf(out, "\n## %s\n", section->title);
            if (*section->text)
                put_wrapped(out, section->text, 0, 120);
            cy_buf_puts(out, "\n| instruction | meaning | bits 31 to 0 | class | sets |\n|---|---|---|---|---|\n");
            section = NULL;
        }
        markdown_row(out, entry->op);
    }
}

static void markdown_aliases(struct cy_buf *out, unsigned gens)
{
    cy_buf_puts(out, "\n## Other spellings\n"
                     "Accepted by the assembler; the disassembler prints those marked *printed*.\n"
                     "\n| spelling | instruction | |\n|---|---|---|\n");
    for (size_t i = 0; i < CY_ALIAS_COUNT; i++) {
        const struct cy_alias_info *alias = &cy_aliases[i];
        if (!belongs(alias->op, gens))
            continue;
        struct cy_buf text = {0};
        put_line(&text, alias->mnemonic, alias->syntax);
        cy_buf_puts(out, "| ");
        put_code(out, text.data);
        cy_buf_puts(out, " | ");
        text.size = 0;
        cy_manual_expansion(&text, i);
        put_code(out, text.data);
        cy_buf_printf(out, " | %s |\n", alias->use & CY_ALIAS_PRINT ? "printed" : "");
        cy_buf_free(&text);
    }
}

static void markdown_csrs(struct cy_buf *out)
{
    cy_buf_puts(
        out,
        "\n## Control and status registers\n"
        "Names may be written in lower or upper case and with `CSR_` before them. A write to a read-only register\n"
        "is an illegal instruction, as is any access to a standard register that is not listed.\n"
        "\n| number | name | access | |\n|---|---|---|---|\n");
    for (size_t i = 0; i < cy_csr_count; i++)
        if (cy_csrs[i].exists)
            cy_buf_printf(out, "| 0x%03x | `%s` | %s | %s |\n", cy_csrs[i].number, cy_csrs[i].short_name,
                          cy_csrs[i].writable ? "rw" : "ro", cy_csrs[i].text);
}

static void markdown_classes(struct cy_buf *out, unsigned gens)
{
    cy_buf_puts(out, "\n## Classes\n\n| class | | latency, cycles | interval, cycles |\n|---|---|---|---|\n");
    for (int c = 0; c < CY_SCHED_COUNT; c++) {
        bool used = false;
        for (int op = 1; op < CY_OP_COUNT; op++)
            used |= cy_insns[op].sched == (enum cy_sched)c && belongs((enum cy_op)op, gens);
        if (used)
            cy_buf_printf(out, "| %s | %s | %u | %u |\n", cy_scheds[c].name, cy_scheds[c].text,
                          cy_scheds[c].latency_cycles, cy_scheds[c].interval_cycles);
    }
}

void cy_manual_markdown(struct cy_buf *out, enum cy_target target)
{
    bool epic = target == CY_EPIC || target == CY_EPIC_FPGA;
    unsigned gens = epic ? CY_IN_EPICALL : CY_IN_VENTUS;
    cy_buf_printf(out, "# The %s instruction set\n\n", epic ? "EpicGPU" : "Ventus");
    cy_buf_printf(
        out,
        "`cy isa%s NAME` shows one instruction with its encoding diagram, operands and examples, `cy isa%s 'v*'` a\n"
        "list by pattern. This page is generated by `cy isa%s --markdown` from the tables in `src/isa`; do not edit "
        "it.\n",
        epic ? " --march epic" : "", epic ? " --march epic" : "", epic ? " --march epic" : "");
    cy_buf_puts(out, "\nBits are listed from 31 down: digits are fixed, names are operands (`imm12[11:5]` is a part "
                     "of one), `-` is\n"
                     "ignored.");
    cy_buf_puts(out, epic ? " `[@p]` before the mnemonic is optional. *sets*: all, or not in the FPGA.\n"
                          : " Operands in `[ ]` are optional. *sets*: generation 1, generation 2.\n"
                            "ecall, ebreak and everything not listed are illegal instructions.\n"
                            "Register numbers above 31 and immediates beyond 5 bits need a prefix, which the assembler "
                            "inserts.\n");
    cy_buf_puts(out, "\n`signed(x)`: x read as a signed number; `wide`, `signed_wide`: extended to twice the width; "
                     "functions: `i_div` `i_rem`\n"
                     "`u_div` `u_rem` as in the M extension, `mulh*` the high half of a product, `f_*` IEEE operations "
                     "on the bits of\n"
                     "a number, `sat_*` saturating, `avg_*` and `round_*` rounding by vxrm, `SEW` and `XLEN` the width "
                     "of an element\n"
                     "and of a scalar.\n");
    markdown_sections(out, gens);
    markdown_aliases(out, gens);
    if (!epic)
        markdown_csrs(out);
    markdown_classes(out, gens);
}
