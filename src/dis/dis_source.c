/* An object as assembler source: `cy dis --as a.o | cy as -` reproduces the same bytes, symbols and relocations.
 *
 * Words that the assembler would encode differently are written as `.word`.  A relocation becomes an operand (`%lo(x)`,
 * a label, `call x`) if the assembler then produces that very relocation; the assembler itself resolves references to
 * local symbols of the same section, so there, and for types that no operand expresses, it becomes `.reloc`. */
#include "dis/dis_priv.h"

#include <stdlib.h>
#include <string.h>

struct source {
    const struct cy_dis *listing;
    const struct cy_object *object;
    const struct cy_section *section;
    uint32_t number; /* of the section, from 1 */
    const struct dis_roles *roles;
    struct dis_labels labels;
    struct cy_buf *out;
    struct cy_arena arena;
    const char **names;  /* by symbol: its spelling */
    bool *section_named; /* by section: something refers to its start */
    uint8_t *target;     /* by word of the section: target of a branch without a relocation */
    size_t next_label, next_reloc;
};

/* ---- names ---- */

static bool is_plain_name(const char *name)
{
    if (!*name || (*name >= '0' && *name <= '9') || strcmp(name, ".") == 0)
        return false;
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!letter && !(c >= '0' && c <= '9') && c != '_' && c != '.' && c != '$' && c < 0x80)
            return false;
    }
    return true;
}

/* A register's name is not a symbol in operands, unless quoted. */
static bool is_taken_name(const char *name)
{
    size_t length = strlen(name);
    return cy_parse_xreg(name, length) >= 0 || cy_parse_vreg(name, length) >= 0 || cy_parse_ereg(name, length) >= 0;
}

static bool is_in_section(const struct cy_symbol *symbol)
{
    return symbol->section != CY_SHN_UNDEF && symbol->section != CY_SHN_ABS && symbol->section != CY_SHN_COMMON;
}

static int by_name(const void *a, const void *b)
{
    const struct cy_symbol *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    if (order)
        return order;
    if ((*x)->binding != (*y)->binding) /* the global one keeps its name */
        return (*x)->binding > (*y)->binding ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Local names may occur many times in a linked program; from the second on they get a number. */
static void make_names(struct source *source)
{
    const struct cy_object *object = source->object;
    size_t count = object->symbols.count;
    source->names = cy_arena_alloc(&source->arena, (count + 1) * sizeof(*source->names));
    const struct cy_symbol **sorted = cy_xrealloc(NULL, (count + 1) * sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &object->symbols.at[i];
    qsort(sorted, count, sizeof(*sorted), by_name);
    for (size_t i = 0; i < count; i++) {
        size_t index = (size_t)(sorted[i] - object->symbols.at);
        const char *name = sorted[i]->name;
        bool again = i > 0 && strcmp(sorted[i - 1]->name, name) == 0;
        if (sorted[i]->type == CY_STT_SECTION && is_in_section(sorted[i]))
            name = cy_arena_printf(&source->arena, ".Ldis_section%u", sorted[i]->section);
        else if (again || strpbrk(name, "\"\\\n"))
            name = cy_arena_printf(&source->arena, ".Ldis_%zu", index);
        else if (!is_plain_name(name) || is_taken_name(name))
            name = cy_arena_printf(&source->arena, "\"%s\"", name);
        source->names[index] = name;
    }
    cy_free(sorted);
}

static const char *name_of(const struct source *source, const struct dis_label *label)
{
    return source->names[label->symbol - source->object->symbols.at];
}

/* ---- symbol properties ---- */

static void put_properties(struct source *source, const struct cy_symbol *symbol, const char *name)
{
    static const char *const visibilities[] = {NULL, ".internal", ".hidden", ".protected"};
    struct cy_buf *out = source->out;
    if (symbol->binding != CY_STB_LOCAL)
        cy_buf_printf(out, "\t%s\t%s\n", symbol->binding == CY_STB_WEAK ? ".weak" : ".globl", name);
    if (symbol->visibility & 3)
        cy_buf_printf(out, "\t%s\t%s\n", visibilities[symbol->visibility & 3], name);
    if (symbol->type == CY_STT_FUNC || symbol->type == CY_STT_OBJECT)
        cy_buf_printf(out, "\t.type\t%s, %s\n", name, symbol->type == CY_STT_FUNC ? "@function" : "@object");
    if (symbol->size && symbol->section != CY_SHN_COMMON)
        cy_buf_printf(out, "\t.size\t%s, %u\n", name, symbol->size);
}

/* Symbols outside any section, and properties of the others. */
static void put_symbols(struct source *source)
{
    for (size_t i = 0; i < source->object->symbols.count; i++) {
        const struct cy_symbol *symbol = &source->object->symbols.at[i];
        const char *name = source->names[i];
        if (symbol->type == CY_STT_FILE) {
            if (!strpbrk(symbol->name, "\"\\\n"))
                cy_buf_printf(source->out, "\t.file\t\"%s\"\n", symbol->name);
            continue;
        }
        if (symbol->type == CY_STT_SECTION || dis_is_mark(symbol->name) || !symbol->name[0])
            continue;
        if (symbol->section == CY_SHN_UNDEF && symbol->binding != CY_STB_WEAK)
            continue; /* declared by its use */
        if (strncmp(name, ".Ldis_", 6) != 0 || symbol->binding != CY_STB_LOCAL)
            put_properties(source, symbol, name);
        if (symbol->section == CY_SHN_ABS)
            cy_buf_printf(source->out, "\t.set\t%s, 0x%x\n", name, symbol->value);
        else if (symbol->section == CY_SHN_COMMON)
            cy_buf_printf(source->out, "\t.comm\t%s, %u, %u\n", name, symbol->size, symbol->value ? symbol->value : 1);
    }
}

/* ---- relocations ---- */

static const struct cy_symbol *symbol_of(const struct source *source, const struct cy_reloc *reloc)
{
    return reloc->symbol < source->object->symbols.count ? &source->object->symbols.at[reloc->symbol] : NULL;
}

static void put_expression(struct source *source, const struct cy_reloc *reloc)
{
    cy_buf_puts(source->out, source->names[reloc->symbol]);
    if (reloc->addend)
        cy_buf_printf(source->out, "%s%d", reloc->addend > 0 ? "+" : "", reloc->addend);
}

static void put_reloc(struct source *source, const struct cy_reloc *reloc, uint32_t here)
{
    const char *type = cy_reloc_name(source->object->machine, reloc->type);
    cy_buf_printf(source->out, "\t.reloc\t.%+d, ", (int)(reloc->offset - here));
    if (type)
        cy_buf_puts(source->out, type);
    else
        cy_buf_printf(source->out, "%u", reloc->type);
    if (symbol_of(source, reloc)) {
        cy_buf_puts(source->out, ", ");
        put_expression(source, reloc);
    } else if (reloc->addend) {
        cy_buf_printf(source->out, ", %d", reloc->addend);
    }
    cy_buf_putc(source->out, '\n');
}

/* Does the assembler keep a reference to this symbol open?  Not if it can resolve it. */
static bool stays_open(const struct source *source, const struct cy_reloc *reloc)
{
    const struct cy_symbol *symbol = symbol_of(source, reloc);
    if (!symbol || symbol->section == CY_SHN_ABS)
        return false;
    return symbol->binding != CY_STB_LOCAL || symbol->section != source->number;
}

/* The relocation of the auipc to which a %pcrel_lo belongs. */
static const struct cy_reloc *upper_of(const struct source *source, const struct cy_reloc *low)
{
    const struct cy_symbol *label = symbol_of(source, low);
    if (!label || label->section != source->number)
        return NULL;
    uint32_t offset = label->value - source->section->address;
    const struct cy_reloc *relocs = source->section->relocs.at;
    size_t first = 0, last = source->section->relocs.count;
    while (first < last) {
        size_t middle = (first + last) / 2;
        if (relocs[middle].offset < offset)
            first = middle + 1;
        else
            last = middle;
    }
    for (; first < source->section->relocs.count && relocs[first].offset == offset; first++)
        if (relocs[first].type == CY_R_RISCV_PCREL_HI20)
            return &relocs[first];
    return NULL;
}

enum form { FORM_NONE, FORM_PLAIN, FORM_HI, FORM_LO, FORM_PCREL_HI, FORM_PCREL_LO, FORM_CALL };

static bool is_zero_field(const struct cy_insn *insn, enum cy_field field)
{
    return cy_insn_field(insn, field, 1) == 0;
}

static enum form epic_form(const struct source *source, const struct cy_insn *insn, const struct cy_reloc *reloc)
{
    int pcrel = source->roles[insn->op].pcrel;
    bool jump = reloc->type == CY_R_EPIC_JUMP && pcrel >= 0 && insn->operand[pcrel] == 0;
    return jump && stays_open(source, reloc) ? FORM_PLAIN : FORM_NONE;
}

/* The operand form of this instruction's relocation. */
static enum form form_of(const struct source *source, const struct cy_insn *insn, const struct cy_reloc *reloc)
{
    if (source->object->machine == CY_EM_EPIC)
        return epic_form(source, insn, reloc);
    switch (reloc->type) {
    case CY_R_RISCV_BRANCH:
        return is_zero_field(insn, CY_FIELD_boff) && stays_open(source, reloc) ? FORM_PLAIN : FORM_NONE;
    case CY_R_RISCV_JAL:
        return is_zero_field(insn, CY_FIELD_joff) && stays_open(source, reloc) ? FORM_PLAIN : FORM_NONE;
    case CY_R_RISCV_HI20:
        return insn->op == CY_OP_lui && is_zero_field(insn, CY_FIELD_imm20) && symbol_of(source, reloc) ? FORM_HI
                                                                                                        : FORM_NONE;
    case CY_R_RISCV_LO12_I:
        return is_zero_field(insn, CY_FIELD_imm12) && symbol_of(source, reloc) ? FORM_LO : FORM_NONE;
    case CY_R_RISCV_LO12_S:
        return is_zero_field(insn, CY_FIELD_simm12) && symbol_of(source, reloc) ? FORM_LO : FORM_NONE;
    case CY_R_RISCV_PCREL_HI20:
        return insn->op == CY_OP_auipc && is_zero_field(insn, CY_FIELD_imm20) && stays_open(source, reloc)
                   ? FORM_PCREL_HI
                   : FORM_NONE;
    case CY_R_RISCV_PCREL_LO12_I:
    case CY_R_RISCV_PCREL_LO12_S: {
        const struct cy_reloc *upper = upper_of(source, reloc);
        bool zero = is_zero_field(insn, reloc->type == CY_R_RISCV_PCREL_LO12_I ? CY_FIELD_imm12 : CY_FIELD_simm12);
        return zero && upper && !reloc->addend && stays_open(source, upper) ? FORM_PCREL_LO : FORM_NONE;
    }
    default: return FORM_NONE;
    }
}

/* ---- code ---- */

/* Would the assembler produce these very words from the text? */
static bool survives(const struct source *source, const struct cy_insn *insn)
{
    struct cy_insn again = *insn;
    if (cy_encode(source->listing->target, &again, NULL))
        return false;
    if (again.word != insn->word)
        return false;
    /* A prefix other than the assembler's own choice is written explicitly, and preserved. */
    return again.prefix == insn->prefix || insn->prefix != 0;
}

static bool has_label(const struct source *source, uint32_t offset)
{
    if (offset / 4 < source->section->data.size / 4 && offset % 4 == 0 && source->target[offset / 4])
        return true;
    uint32_t address = source->section->address + offset;
    size_t after = dis_labels_after(&source->labels, source->number, address);
    return after > source->labels.first[source->number] && source->labels.all.at[after - 1].address == address;
}

/* Is there a label after the first of these bytes? */
static bool is_split(const struct source *source, uint32_t offset, uint32_t size)
{
    if (source->next_label == source->labels.first[source->number + 1])
        return false;
    uint32_t at = source->labels.all.at[source->next_label].address - source->section->address;
    return at > offset && at < offset + size;
}

/* Decodes the instruction at this offset if it can be written as one; false: it must be data. */
static bool decode(const struct source *source, uint32_t offset, struct cy_insn *insn)
{
    const struct cy_section *section = source->section;
    uint32_t words[2] = {dis_word(section, offset), 0};
    size_t count = section->data.size - offset >= 8 ? 2 : 1;
    if (count == 2)
        words[1] = dis_word(section, offset + 4);
    if (cy_decode(source->listing->target, words, count, insn) != CY_DECODE_OK)
        return false;
    if (insn->size == 8 && (has_label(source, offset + 4) || is_split(source, offset, 8)))
        return false; /* a stray prefix, as a word */
    return survives(source, insn);
}

static bool is_relocated(const struct source *source, uint32_t offset, uint32_t size)
{
    const struct cy_section *section = source->section;
    for (size_t i = source->next_reloc; i < section->relocs.count && section->relocs.at[i].offset < offset + size; i++)
        if (section->relocs.at[i].offset >= offset)
            return true;
    return false;
}

/* The target of a branch as an offset in the section; false: it has none, or one that needs no label. */
static bool branch_target(const struct source *source, const struct cy_insn *insn, uint32_t offset, uint32_t *target)
{
    int operand = source->roles[insn->op].pcrel;
    if (operand < 0)
        return false;
    int64_t at = (int64_t)offset + insn->size - 4 + insn->operand[operand];
    if (at < 0 || at > (int64_t)source->section->data.size || at % 4)
        return false;
    *target = (uint32_t)at;
    return true;
}

static void find_targets(struct source *source)
{
    size_t words = source->section->data.size / 4;
    memset(source->target, 0, words + 1);
    struct cy_insn insn;
    for (uint32_t offset = 0; offset / 4 < words; offset += 4) {
        uint32_t target;
        if (cy_decode_word(source->listing->target, dis_word(source->section, offset), &insn) &&
            branch_target(source, &insn, offset, &target))
            source->target[target / 4] = 1;
    }
}

/* The text of an instruction with one operand replaced: the last one, without the "(register)" after it. */
static void put_with_operand(struct source *source, const struct cy_insn *insn, const struct cy_reloc *reloc,
                             enum form form)
{
    static const char *const modifiers[] = {
        [FORM_HI] = "%hi(", [FORM_LO] = "%lo(", [FORM_PCREL_HI] = "%pcrel_hi(", [FORM_PCREL_LO] = "%pcrel_lo("};
    struct cy_buf *out = source->out;
    struct cy_buf text = {0};
    cy_print(&text, source->listing->target, insn, 0, source->listing->print_flags | CY_PRINT_NO_ALIASES);
    char *last = text.data;
    for (char *at = text.data; *at; at++)
        if (*at == ',' || *at == '\t')
            last = at + 1 + (at[1] == ' ');
    const char *rest = strchr(last, '(');
    cy_buf_append(out, text.data, (size_t)(last - text.data));
    if (form != FORM_PLAIN)
        cy_buf_puts(out, modifiers[form]);
    put_expression(source, reloc);
    if (form != FORM_PLAIN)
        cy_buf_putc(out, ')');
    cy_buf_puts(out, rest ? rest : "");
    cy_buf_putc(out, '\n');
    cy_buf_free(&text);
}

/* auipc ra, 0; jalr ra, 0(ra) is `call x`; with other registers `tail x` and `call t0, x`.  Returns the bytes
 * consumed. */
static uint32_t put_call(struct source *source, const struct cy_insn *insn, uint32_t offset,
                         const struct cy_reloc *reloc)
{
    struct cy_insn jump;
    if (insn->op != CY_OP_auipc || insn->prefix || source->section->data.size - offset < 8 ||
        reloc->type != CY_R_RISCV_CALL_PLT || !stays_open(source, reloc) || has_label(source, offset + 4) ||
        is_relocated(source, offset + 4, 4) ||
        !cy_decode_word(source->listing->target, dis_word(source->section, offset + 4), &jump) || jump.op != CY_OP_jalr)
        return 0;
    int32_t base = insn->operand[0], link = cy_insn_field(&jump, CY_FIELD_rd, -1);
    if (insn->operand[1] || !is_zero_field(&jump, CY_FIELD_imm12) || cy_insn_field(&jump, CY_FIELD_rs1, -1) != base)
        return 0;
    if (link == 0 && base == 6)
        cy_buf_puts(source->out, "\ttail\t");
    else if (link == 1 && base == 1)
        cy_buf_puts(source->out, "\tcall\t");
    else if (link == base && base)
        cy_buf_printf(source->out, "\tcall\t%s, ", cy_xreg_name((unsigned)base));
    else
        return 0;
    put_expression(source, reloc);
    cy_buf_putc(source->out, '\n');
    return 8;
}

static const char *label_at(const struct source *source, uint32_t offset)
{
    uint32_t address = source->section->address + offset;
    size_t after = dis_labels_after(&source->labels, source->number, address);
    for (size_t i = after; i > source->labels.first[source->number]; i--) {
        const struct dis_label *label = &source->labels.all.at[i - 1];
        if (label->address != address)
            break;
        if (label->symbol->binding == CY_STB_LOCAL)
            return name_of(source, label);
    }
    return NULL;
}

/* A branch with its displacement in the word: to a local label, so that the assembler resolves it. */
static bool put_branch(struct source *source, const struct cy_insn *insn, uint32_t offset)
{
    uint32_t target;
    if (!branch_target(source, insn, offset, &target))
        return false;
    struct cy_buf text = {0};
    cy_print(&text, source->listing->target, insn, 0, source->listing->print_flags);
    char *last = text.data;
    for (char *at = text.data; *at; at++)
        if (*at == ',' || *at == '\t')
            last = at + 1 + (at[1] == ' ');
    const char *name = label_at(source, target);
    cy_buf_putc(source->out, '\t');
    cy_buf_append(source->out, text.data, (size_t)(last - text.data));
    if (name)
        cy_buf_puts(source->out, name);
    else
        cy_buf_printf(source->out, ".Ldis_s%u_%x", source->number, target);
    cy_buf_putc(source->out, '\n');
    cy_buf_free(&text);
    return true;
}

/* ---- data ---- */

static void put_byte(struct source *source, uint32_t offset)
{
    cy_buf_printf(source->out, "\t.byte\t0x%02x\n", (unsigned)(uint8_t)source->section->data.data[offset]);
}

static void put_word(struct source *source, uint32_t offset)
{
    cy_buf_printf(source->out, "\t.word\t0x%08x\n", dis_word(source->section, offset));
}

/* A word that is an address: its contents come from the relocation alone. */
static bool put_address(struct source *source, uint32_t offset)
{
    const struct cy_section *section = source->section;
    const struct cy_reloc *reloc = &section->relocs.at[source->next_reloc];
    uint32_t type = source->object->machine == CY_EM_EPIC ? (uint32_t)CY_R_EPIC_32 : (uint32_t)CY_R_RISCV_32;
    const struct cy_symbol *symbol = symbol_of(source, reloc);
    if (reloc->type != type || reloc->offset != offset || dis_word(section, offset) || !symbol ||
        symbol->section == CY_SHN_ABS)
        return false;
    if (source->next_reloc + 1 < section->relocs.count && reloc[1].offset < offset + 4)
        return false;
    cy_buf_puts(source->out, "\t.word\t");
    put_expression(source, reloc);
    cy_buf_putc(source->out, '\n');
    source->next_reloc++;
    return true;
}

/* The offset of the next label or relocation. */
static uint32_t next_stop(const struct source *source)
{
    uint32_t stop = (uint32_t)source->section->data.size;
    if (source->next_label < source->labels.first[source->number + 1]) {
        uint32_t at = source->labels.all.at[source->next_label].address - source->section->address;
        if (at < stop)
            stop = at;
    }
    if (source->next_reloc < source->section->relocs.count &&
        source->section->relocs.at[source->next_reloc].offset < stop)
        stop = source->section->relocs.at[source->next_reloc].offset;
    return stop;
}

/* ---- sections ---- */

static void put_labels(struct source *source, uint32_t offset, bool code)
{
    uint32_t address = source->section->address + offset;
    for (; source->next_label < source->labels.first[source->number + 1]; source->next_label++) {
        const struct dis_label *label = &source->labels.all.at[source->next_label];
        if (label->address > address)
            break;
        if (label->address == address)
            cy_buf_printf(source->out, "%s:\n", name_of(source, label));
    }
    if (code && offset % 4 == 0 && source->target[offset / 4] && !label_at(source, offset))
        cy_buf_printf(source->out, ".Ldis_s%u_%x:\n", source->number, offset);
}

/* Writes the relocations up to an offset; the text so far ends at `here`. */
static void put_relocs(struct source *source, uint32_t here, uint32_t end)
{
    const struct cy_section *section = source->section;
    for (; source->next_reloc < section->relocs.count && section->relocs.at[source->next_reloc].offset < end;
         source->next_reloc++)
        put_reloc(source, &section->relocs.at[source->next_reloc], here);
}

/* Writes the instruction with its relocations and returns its size; 0: it must be data. */
static uint32_t put_insn(struct source *source, uint32_t offset)
{
    const struct cy_section *section = source->section;
    struct cy_insn insn;
    if (!decode(source, offset, &insn))
        return 0;
    enum form form = FORM_NONE;
    const struct cy_reloc *reloc = NULL;
    if (is_relocated(source, offset, insn.size)) {
        reloc = &section->relocs.at[source->next_reloc];
        uint32_t size = put_call(source, &insn, offset, reloc);
        if (size) {
            source->next_reloc++;
            put_relocs(source, offset + size, offset + size); /* marker relocations at the same place */
            return size;
        }
        if (reloc->offset == offset + insn.size - 4)
            form = form_of(source, &insn, reloc);
        if (form != FORM_NONE)
            source->next_reloc++;
        put_relocs(source, offset, offset + insn.size);
    }
    if (form != FORM_NONE) {
        cy_buf_putc(source->out, '\t');
        put_with_operand(source, &insn, reloc, form);
    } else if (source->roles[insn.op].pcrel >= 0) {
        if (!put_branch(source, &insn, offset))
            return 0;
    } else {
        cy_buf_putc(source->out, '\t');
        cy_print(source->out, source->listing->target, &insn, 0, source->listing->print_flags);
        cy_buf_putc(source->out, '\n');
    }
    return insn.size;
}

static uint32_t put_data(struct source *source, uint32_t offset)
{
    uint32_t stop = next_stop(source), size = (uint32_t)source->section->data.size;
    if (stop == offset && size - offset >= 4 && put_address(source, offset))
        return 4;
    put_relocs(source, offset, offset + 1);
    stop = next_stop(source);
    uint32_t zeros = offset;
    while (zeros < stop && !source->section->data.data[zeros])
        zeros++;
    if (zeros - offset >= 16) {
        cy_buf_printf(source->out, "\t.zero\t%u\n", zeros - offset);
        return zeros - offset;
    }
    if (stop - offset >= 4) {
        put_word(source, offset);
        return 4;
    }
    put_byte(source, offset);
    return 1;
}

static uint32_t put_code(struct source *source, uint32_t offset)
{
    uint32_t rest = (uint32_t)source->section->data.size - offset, size;
    if (offset % 4 || rest < 4 || is_split(source, offset, 4)) {
        put_relocs(source, offset, offset + 1);
        put_byte(source, offset);
        return 1;
    }
    if (source->next_reloc < source->section->relocs.count &&
        source->section->relocs.at[source->next_reloc].offset == offset && put_address(source, offset))
        return 4;
    size = put_insn(source, offset);
    if (size)
        return size;
    put_relocs(source, offset, offset + 4);
    put_word(source, offset);
    return 4;
}

static void put_heading(struct source *source, bool again)
{
    const struct cy_section *section = source->section;
    cy_buf_printf(source->out, "\n\t.section\t%s%s%s, \"%s%s%s%s%s%s\"", is_plain_name(section->name) ? "" : "\"",
                  section->name, is_plain_name(section->name) ? "" : "\"", section->flags & CY_SHF_ALLOC ? "a" : "",
                  section->flags & CY_SHF_WRITE ? "w" : "", section->flags & CY_SHF_EXECINSTR ? "x" : "",
                  section->flags & CY_SHF_MERGE ? "M" : "", section->flags & CY_SHF_STRINGS ? "S" : "",
                  section->flags & 0x80000000u ? "e" : "");
    if (section->type == CY_SHT_PROGBITS || section->type == CY_SHT_NOBITS)
        cy_buf_puts(source->out, section->type == CY_SHT_NOBITS ? ", @nobits" : ", @progbits");
    else
        cy_buf_printf(source->out, ", %u", section->type);
    if (section->flags & CY_SHF_MERGE)
        cy_buf_printf(source->out, ", %u", section->entry_size ? section->entry_size : 1);
    if (again)
        cy_buf_printf(source->out, ", unique, %u", source->number);
    unsigned power = 0;
    while (power < 31 && (2u << power) <= section->align)
        power++;
    cy_buf_putc(source->out, '\n');
    if (power)
        cy_buf_printf(source->out, "\t.p2align\t%u\n", power);
    cy_buf_printf(source->out, ".Ldis_section%u:\n", source->number);
}

/* Labels outside their section, which only unusual objects have. */
static void put_far_labels(struct source *source)
{
    for (size_t i = source->labels.first[source->number]; i < source->labels.first[source->number + 1]; i++) {
        const struct dis_label *label = &source->labels.all.at[i];
        uint32_t offset = label->address - source->section->address;
        if (offset > source->section->size)
            cy_buf_printf(source->out, "\t.set\t%s, .Ldis_section%u+0x%x\n", name_of(source, label), source->number,
                          offset);
    }
}

static void put_zeroed(struct source *source)
{
    uint32_t at = 0;
    size_t i = source->next_label, end = source->labels.first[source->number + 1];
    for (; i < end; i++) {
        uint32_t next = source->labels.all.at[i].address - source->section->address;
        if (next > source->section->size)
            break;
        if (next > at)
            cy_buf_printf(source->out, "\t.zero\t%u\n", next - at);
        at = next;
        cy_buf_printf(source->out, "%s:\n", name_of(source, &source->labels.all.at[i]));
    }
    if (source->section->size > at)
        cy_buf_printf(source->out, "\t.zero\t%u\n", source->section->size - at);
}

static void put_section(struct source *source, bool again)
{
    const struct cy_section *section = source->section;
    bool code = section->flags & CY_SHF_EXECINSTR && section->address % 4 == 0;
    source->next_label = source->labels.first[source->number];
    source->next_reloc = 0;
    put_heading(source, again);
    uint32_t size = (uint32_t)section->data.size;
    if (section->type == CY_SHT_NOBITS) {
        put_zeroed(source);
        put_far_labels(source);
        return;
    }
    if (code) {
        source->target = cy_xrealloc(source->target, size / 4 + 2);
        find_targets(source);
    }
    for (uint32_t offset = 0; offset < size;) {
        put_labels(source, offset, code);
        uint32_t step = code ? put_code(source, offset) : put_data(source, offset);
        offset += step;
    }
    put_labels(source, size, code && size % 4 == 0);
    put_relocs(source, size, UINT32_MAX);
    put_far_labels(source);
}

/* Tables that the assembler generates itself. */
static bool is_own(const struct cy_section *section)
{
    return section->type == CY_SHT_RISCV_ATTRIBUTES || section->type == 0;
}

static void put_object(void *argument)
{
    struct source source = *(const struct source *)argument;
    const struct cy_object *object = source.object;
    dis_labels_make(&source.labels, object, true);
    make_names(&source);
    put_symbols(&source);
    for (size_t i = 0; i < object->sections.count; i++) {
        source.section = &object->sections.at[i];
        source.number = (uint32_t)i + 1;
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = strcmp(object->sections.at[k].name, source.section->name) == 0;
        if (!is_own(source.section))
            put_section(&source, again);
    }
    cy_free(source.target);
    dis_labels_free(&source.labels);
    cy_arena_free(&source.arena);
}

bool cy_dis_source(const struct cy_dis *listing, const struct cy_object *object, struct cy_buf *out,
                   struct cy_diags *diags)
{
    const struct cy_buf before = *out;
    struct source source = {.listing = listing, .object = object, .out = out, .roles = dis_roles()};
    if (cy_diags_try(diags, put_object, &source))
        return true;
    cy_buf_undo(out, before);
    return false;
}
