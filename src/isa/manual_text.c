/* The parts of a manual page: encoding diagrams, operand names, meanings and examples, from the rows. */
#include "isa/isa_priv.h"

#include <ctype.h>
#include <string.h>

const struct cy_manual_entry cy_manual_entries[] = {
#define SECTION(title, text) {CY_OP_INVALID, title, text},
#define INSN(id, mnemonic, format, match, gens, sched, flags) {CY_OP_##id, NULL, NULL},
#include "isa/insns.def"
};
const size_t cy_manual_entry_count = CY_COUNT(cy_manual_entries);

/* ---- operands ---- */

const char *cy_manual_operand(enum cy_field field)
{
    switch (field) {
    case CY_FIELD_boff:
    case CY_FIELD_joff:
    case CY_FIELD_ejoff: return "offset";
    case CY_FIELD_simm12:
    case CY_FIELD_uimm12: return "imm12";
    case CY_FIELD_simm11: return "imm11";
    case CY_FIELD_simm5:
    case CY_FIELD_uimm5:
    case CY_FIELD_zimm5: return "imm5";
    case CY_FIELD_vtype10:
    case CY_FIELD_vtype11: return "vtype";
    case CY_FIELD_abs3: return "abs";
    case CY_FIELD_neg3: return "neg";
    case CY_FIELD_nrd:
    case CY_FIELD_erd: return "rd";
    case CY_FIELD_nrs1:
    case CY_FIELD_ers1: return "rs1";
    case CY_FIELD_nrs2:
    case CY_FIELD_ers2: return "rs2";
    case CY_FIELD_eimm13: return "imm13";
    case CY_FIELD_eimm18:
    case CY_FIELD_ecall: return "imm18";
    case CY_FIELD_eprog: return "program";
    case CY_FIELD_eaddr: return "address";
    case CY_FIELD_p: return "P";
    default: return cy_fields[field].name;
    }
}

static enum cy_field find_field(const char *name, size_t length)
{
    for (int field = CY_FIELD_NONE + 1; field < CY_FIELD_COUNT; field++)
        if (cy_text_is(name, length, cy_fields[field].name))
            return (enum cy_field)field;
    return CY_FIELD_NONE;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length;
}

void cy_manual_syntax(struct cy_buf *out, const char *syntax)
{
    if (*syntax == '.' || *syntax == '@') /* attached to the mnemonic: shown there */
        syntax += 1 + word_length(syntax + 1);
    while (*syntax == ' ')
        syntax++;
    while (*syntax) {
        size_t length = word_length(syntax);
        enum cy_field field = length ? find_field(syntax, length) : CY_FIELD_NONE;
        if (field == CY_FIELD_vm)
            cy_buf_puts(out, "v0.t");
        else if (field)
            cy_buf_puts(out, cy_manual_operand(field));
        else if (*syntax != '\'') /* 'v0' */
            cy_buf_append(out, syntax, length ? length : 1);
        syntax += length ? length : 1;
    }
}

static void put_fixed(struct cy_buf *out, const struct cy_format_syntax *format, const struct cy_fixed *fixed)
{
    enum cy_field field = (enum cy_field)format->operands[fixed->operand];
    const struct cy_csr_info *csr = cy_csr_by_number((unsigned)fixed->value);
    if (fixed->other >= 0)
        cy_buf_puts(out, cy_manual_operand((enum cy_field)format->operands[fixed->other]));
    else if (cy_fields[field].kind == CY_XREG)
        cy_buf_puts(out, cy_xreg_name((unsigned)fixed->value));
    else if (cy_fields[field].kind == CY_CSR && csr)
        cy_buf_puts(out, csr->short_name);
    else if (cy_fields[field].kind == CY_FENCE)
        cy_buf_puts(out, "iorw"); /* the only alias of a fence */
    else
        cy_buf_printf(out, "%s%d", cy_fields[field].kind == CY_XNUM ? "x" : "", (int)fixed->value);
}

void cy_manual_expansion(struct cy_buf *out, size_t alias)
{
    const struct cy_spelling *spelling = &cy_syntaxes()->spellings[CY_OP_COUNT + alias];
    const struct cy_format_syntax *format = &cy_syntaxes()->formats[cy_insns[spelling->op].format];
    cy_buf_printf(out, "%s", cy_insns[spelling->op].mnemonic);
    const char *space = " ";
    for (unsigned i = format->hidden; i < format->piece_count; i++) {
        const struct cy_syntax_piece *piece = &format->pieces[i];
        const struct cy_fixed *fixed = NULL;
        for (unsigned f = 0; f < spelling->fixed_count; f++)
            if (piece->kind == CY_PIECE_OPERAND && spelling->fixed[f].operand == piece->operand)
                fixed = &spelling->fixed[f];
        cy_buf_puts(out, space);
        space = "";
        switch ((enum cy_piece_kind)piece->kind) {
        case CY_PIECE_OPERAND:
            if (fixed)
                put_fixed(out, format, fixed);
            else
                cy_buf_puts(out, piece->field == CY_FIELD_vm ? "v0.t" : cy_manual_operand((enum cy_field)piece->field));
            break;
        case CY_PIECE_COMMA: cy_buf_puts(out, ", "); break;
        case CY_PIECE_OPEN: cy_buf_putc(out, '('); break;
        case CY_PIECE_CLOSE: cy_buf_putc(out, ')'); break;
        case CY_PIECE_OPTIONAL: cy_buf_putc(out, '['); break;
        default: break;
        }
        if (i + 1 == format->piece_count && i >= 2 && format->pieces[i - 2].kind == CY_PIECE_OPTIONAL)
            cy_buf_putc(out, ']');
    }
}

/* ---- meaning ---- */

static bool has(enum cy_format format, enum cy_field field)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(format, fields);
    for (size_t i = 0; i < count; i++)
        if (fields[i] == field)
            return true;
    return false;
}

static enum cy_field first_of(enum cy_format format, const enum cy_field *candidates)
{
    for (; *candidates; candidates++)
        if (has(format, *candidates))
            return *candidates;
    return CY_FIELD_NONE;
}

/* The operand that a variable of the expressions denotes, and the word that tells how it is read. */
static enum cy_field variable(enum cy_format format, const char *name, size_t length, const char **reading)
{
    static const enum cy_field a[] = {CY_FIELD_vs1, CY_FIELD_rs1, CY_FIELD_simm5, CY_FIELD_uimm5, CY_FIELD_NONE};
    static const enum cy_field b[] = {CY_FIELD_vs2, CY_FIELD_NONE};
    static const enum cy_field d[] = {CY_FIELD_vd, CY_FIELD_erd, CY_FIELD_NONE};
    static const enum cy_field imm[] = {CY_FIELD_imm12, CY_FIELD_NONE};
    static const enum cy_field x[] = {CY_FIELD_ers1, CY_FIELD_NONE};
    static const enum cy_field y[] = {CY_FIELD_ers2, CY_FIELD_eimm13, CY_FIELD_eimm18, CY_FIELD_NONE};
    static const enum cy_field r1[] = {CY_FIELD_rs1, CY_FIELD_NONE};
    static const enum cy_field r2[] = {CY_FIELD_rs2, CY_FIELD_NONE};
    static const enum cy_field r3[] = {CY_FIELD_rs3, CY_FIELD_NONE};
    static const struct {
        const char *name, *reading;
        const enum cy_field *fields;
    } variables[] = {
        {"a", "", a},         {"sa", "signed", a},
        {"wa", "wide", a},    {"swa", "signed_wide", a},
        {"b", "", b},         {"sb", "signed", b},
        {"wb", "wide", b},    {"swb", "signed_wide", b},
        {"d", "", d},         {"sd", "signed", d},
        {"wd", "", d},        {"x", "", x},
        {"sx", "signed", x},  {"y", "", y},
        {"sy", "signed", y},  {"x1", "", r1},
        {"s1", "signed", r1}, {"x2", "", r2},
        {"s2", "signed", r2}, {"x3", "", r3},
        {"imm", "", imm},     {"simm", "signed", imm},
    };
    for (size_t i = 0; i < CY_COUNT(variables); i++)
        if (cy_text_is(name, length, variables[i].name)) {
            *reading = variables[i].reading;
            return first_of(format, variables[i].fields);
        }
    return CY_FIELD_NONE;
}

/* An expression or hook text, with its variables replaced by the operands of the format. */
static void put_text(struct cy_buf *out, enum cy_format format, const char *text, bool is_expression)
{
    bool memory = format == CY_FORMAT_AMO;
    while (*text) {
        size_t length = word_length(text);
        const char *reading = "";
        enum cy_field field = CY_FIELD_NONE;
        if (length && is_expression)
            field = variable(format, text, length, &reading);
        if (length && !field) {
            field = find_field(text, length);
            if (field && !has(format, field))
                field = CY_FIELD_NONE;
        }
        if (is_expression && memory && cy_text_is(text, length, "sm"))
            cy_buf_puts(out, "signed([vs1])");
        else if (is_expression && length == 1 && *text == 'm')
            cy_buf_puts(out, memory ? "[vs1]" : "v0.mask[i]");
        else if (field && *reading)
            cy_buf_printf(out, "%s(%s)", reading, cy_manual_operand(field));
        else if (field)
            cy_buf_puts(out, cy_manual_operand(field));
        else
            cy_buf_append(out, text, length ? length : 1);
        text += length ? length : 1;
    }
}

void cy_manual_meaning(struct cy_buf *out, enum cy_op op)
{
    const struct cy_insn_info *info = &cy_insns[op];
    const char *target = has(info->format, CY_FIELD_vd)    ? "vd = "
                         : has(info->format, CY_FIELD_rd)  ? "rd = "
                         : has(info->format, CY_FIELD_erd) ? "rd = "
                                                           : "";
    if (info->flags & CY_F_DIVERGE && info->is_expression)
        target = "lane branches to pc + offset if ";
    else if (info->flags & CY_F_BRANCH && info->is_expression)
        target = "pc += offset if ";
    else if (info->format == CY_FORMAT_AMO && info->is_expression)
        target = "vd = [vs1]; [vs1] = ";
    if (info->is_expression)
        cy_buf_puts(out, target);
    put_text(out, info->format, info->semantics, info->is_expression);
}

/* ---- encoding ---- */

struct cell {
    unsigned high, low;
    char label[40];
};

static bool field_at(enum cy_format format, unsigned bit, enum cy_field *field, const struct cy_piece **piece)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(format, fields);
    for (size_t i = 0; i < count; i++) {
        const struct cy_field_info *info = &cy_fields[fields[i]];
        for (unsigned p = 0; p < info->piece_count; p++) {
            const struct cy_piece *here = &info->pieces[p];
            if (bit >= here->insn_lsb && bit < (unsigned)here->insn_lsb + here->width) {
                *field = fields[i];
                *piece = here;
                return true;
            }
        }
    }
    return false;
}

/* Fixed bits are split at the field boundaries of the base formats, so that funct6, vs2, funct3 and opcode show. */
static bool is_boundary(const struct cy_insn_info *info, unsigned low)
{
    if (info->gens & CY_IN_EPICALL)
        return low == 29 || low == 15 || low == 10 || low == 5;
    bool vector = (info->match & 0x7f) == 0x57 || (info->match & 0x5f) == 0x07;
    return low == 25 || low == 20 || low == 15 || low == 12 || low == 7 || (vector && low == 26);
}

static void label_piece(struct cell *cell, enum cy_field field, const struct cy_piece *piece)
{
    struct cy_buf text = {0};
    cy_buf_puts(&text, cy_manual_operand(field));
    unsigned high = piece->value_lsb + piece->width - 1u;
    if (cy_fields[field].piece_count > 1 || piece->value_lsb)
        cy_buf_printf(&text, high == piece->value_lsb ? "[%u]" : "[%u:%u]", high, piece->value_lsb);
    memcpy(cell->label, text.data, text.size + 1);
    cy_buf_free(&text);
}

/* The cells of a row from bit 31 down; at most 32. */
static size_t cut_cells(enum cy_op op, struct cell cells[32])
{
    const struct cy_insn_info *info = &cy_insns[op];
    uint32_t mask = cy_formats[info->format].mask;
    size_t count = 0;
    for (int bit = 31; bit >= 0; count++) {
        struct cell *cell = &cells[count];
        enum cy_field field;
        const struct cy_piece *piece;
        cell->high = (unsigned)bit;
        if (field_at(info->format, (unsigned)bit, &field, &piece)) {
            cell->low = piece->insn_lsb;
            label_piece(cell, field, piece);
            bit = (int)cell->low - 1;
            continue;
        }
        bool fixed = mask >> bit & 1;
        size_t length = 0;
        do {
            cell->label[length++] = !fixed ? '-' : info->match >> bit & 1 ? '1' : '0';
            bit--;
        } while (bit >= 0 && (mask >> bit & 1) == fixed && !field_at(info->format, (unsigned)bit, &field, &piece) &&
                 !(fixed && is_boundary(info, (unsigned)bit + 1)));
        cell->low = (unsigned)bit + 1;
        if (!fixed)
            length = 1;
        cell->label[length] = 0;
    }
    return count;
}

static size_t cell_width(const struct cell *cell)
{
    size_t numbers = cell->high == cell->low ? 2 : 5, label = strlen(cell->label);
    return (label > numbers ? label : numbers) + 2;
}

static void put_times(struct cy_buf *out, const char *text, size_t times)
{
    while (times--)
        cy_buf_puts(out, text);
}

static void put_rule(struct cy_buf *out, const struct cell *cells, size_t count, const char *const ends[3])
{
    cy_buf_puts(out, ends[0]);
    for (size_t i = 0; i < count; i++) {
        put_times(out, "─", cell_width(&cells[i]));
        cy_buf_puts(out, i + 1 < count ? ends[1] : ends[2]);
    }
    cy_buf_putc(out, '\n');
}

void cy_manual_diagram(struct cy_buf *out, enum cy_op op)
{
    struct cell cells[32];
    size_t count = cut_cells(op, cells);
    for (size_t i = 0; i < count; i++) {
        size_t width = cell_width(&cells[i]);
        if (cells[i].high == cells[i].low)
            cy_buf_printf(out, " %*u%*s", (int)(width + 1) / 2, cells[i].high, (int)(width - (width + 1) / 2), "");
        else
            cy_buf_printf(out, " %-*u%*u", (int)width / 2, cells[i].high, (int)(width - width / 2), cells[i].low);
    }
    cy_buf_putc(out, '\n');
    put_rule(out, cells, count, (const char *const[]){"┌", "┬", "┐"});
    for (size_t i = 0; i < count; i++) {
        size_t room = cell_width(&cells[i]) - strlen(cells[i].label);
        cy_buf_puts(out, "│");
        cy_buf_printf(out, "%*s%s%*s", (int)(room / 2), "", cells[i].label, (int)(room - room / 2), "");
    }
    cy_buf_puts(out, "│\n");
    put_rule(out, cells, count, (const char *const[]){"└", "┴", "┘"});
}

void cy_manual_bits(struct cy_buf *out, enum cy_op op)
{
    struct cell cells[32];
    size_t count = cut_cells(op, cells);
    for (size_t i = 0; i < count; i++)
        cy_buf_printf(out, "%s%s", i ? " " : "", cells[i].label);
}

/* ---- examples ---- */

static int32_t example_value(enum cy_op op, enum cy_field field)
{
    switch (cy_fields[field].kind) {
    case CY_XREG:
        if (cy_insns[op].flags & CY_F_PREFIX)
            return 0;
        return field == CY_FIELD_rd ? 10 : field == CY_FIELD_rs1 ? 11 : field == CY_FIELD_rs2 ? 12 : 13;
    case CY_VREG: return field == CY_FIELD_vs2 ? 16 : field == CY_FIELD_vs1 ? 24 : 8;
    case CY_EREG: return field == CY_FIELD_erd ? 4 : field == CY_FIELD_ers1 ? 5 : 6;
    case CY_XNUM: return 0;
    case CY_UPPER: return 0x12345;
    case CY_PCREL: return 16;
    case CY_VM: return 1;
    case CY_CSR: return 0x305;
    case CY_RM: return 7;
    case CY_VTYPE: return 0xd0;
    case CY_FENCE: return 3;
    case CY_SIMM:
    case CY_UIMM: return cy_fields[field].bits == 1 ? 1 : cy_fields[field].bits < 4 ? 1 : 4;
    default: return 0;
    }
}

bool cy_manual_example(enum cy_target target, enum cy_op op, bool prefixed, struct cy_insn *insn)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[op].format, fields);
    *insn = (struct cy_insn){.op = op};
    for (size_t i = 0; i < count; i++) {
        const struct cy_field_info *field = &cy_fields[fields[i]];
        insn->operand[i] = example_value(op, fields[i]);
        if (prefixed && field->slot != CY_EXT_NONE && !(cy_insns[op].flags & CY_F_PREFIX))
            insn->operand[i] += field->kind == CY_XREG ? 32 : field->slot == CY_EXT_IMM ? 100 : i ? 32 : 192;
    }
    return !cy_encode(target, insn, NULL) && (!prefixed || insn->prefix);
}
