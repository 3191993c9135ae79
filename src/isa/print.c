/* Printing instructions, by the syntax that also parses them, in llvm-objdump's style. */
#include "isa/isa_priv.h"

#include <string.h>

/* Text is written straight into reserved space: a listing of a million lines spends most of its time here. */
#define LINE_ROOM 256

struct writer {
    char *at;
    unsigned flags;
    uint32_t pc;
};

static void put(struct writer *w, const char *text)
{
    while (*text)
        *w->at++ = *text++;
}

static void put_decimal(struct writer *w, uint32_t value)
{
    char digits[10];
    int count = 0;
    do
        digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    while (count)
        *w->at++ = digits[--count];
}

static void put_hex(struct writer *w, uint32_t value)
{
    int shift = 28;
    put(w, "0x");
    while (shift && !(value >> shift))
        shift -= 4;
    for (; shift >= 0; shift -= 4)
        *w->at++ = "0123456789abcdef"[(value >> shift) & 15];
}

static void put_number(struct writer *w, int32_t value)
{
    if (value < 0)
        *w->at++ = '-';
    uint32_t magnitude = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    if (w->flags & CY_PRINT_HEX)
        put_hex(w, magnitude);
    else
        put_decimal(w, magnitude);
}

static void put_register(struct writer *w, char letter, int32_t number)
{
    *w->at++ = letter;
    put_decimal(w, (uint32_t)number);
}

static void put_vtype(struct writer *w, int32_t value)
{
    static const char *const lmul[] = {"m1", "m2", "m4", "m8", NULL, "mf8", "mf4", "mf2"};
    if (value >> 8 || (value >> 3 & 7) > 3 || (value & 7) == 4) {
        put_number(w, value);
        return;
    }
    *w->at++ = 'e';
    put_decimal(w, 8u << (value >> 3 & 7));
    put(w, ", ");
    put(w, lmul[value & 7]);
    put(w, value & 0x40 ? ", ta" : ", tu");
    put(w, value & 0x80 ? ", ma" : ", mu");
}

static void put_csr(struct writer *w, int32_t number)
{
    const struct cy_csr_info *csr = cy_csr_by_number((unsigned)number);
    bool ventus = number >= CY_CSR_TID && number <= CY_CSR_GDS;
    bool named = csr && (!ventus || number == CY_CSR_RPC || w->flags & CY_PRINT_CSR_NAMES);
    if (named)
        put(w, csr->short_name);
    else
        put_number(w, number);
}

static void put_operand(struct writer *w, enum cy_field field, int32_t value)
{
    static const char *const modes[] = {"rne", "rtz", "rdn", "rup", "rmm", "?", "?", "dyn"};
    switch (cy_fields[field].kind) {
    case CY_XREG:
        if (w->flags & CY_PRINT_NUMERIC)
            put_register(w, 'x', value);
        else
            put(w, cy_xreg_name((unsigned)value));
        break;
    case CY_XNUM: put_register(w, 'x', value); break;
    case CY_VREG: put_register(w, 'v', value); break;
    case CY_EREG: put_register(w, 'r', value); break;
    case CY_SIMM:
    case CY_UIMM:
    case CY_UPPER: put_number(w, value); break;
    case CY_PCREL: put_hex(w, w->pc + (uint32_t)value); break;
    case CY_VM: put(w, "v0.t"); break;
    case CY_CSR: put_csr(w, value); break;
    case CY_RM: put(w, modes[value & 7]); break;
    case CY_VTYPE: put_vtype(w, value); break;
    case CY_FENCE:
        for (int bit = 3; bit >= 0; bit--)
            if (value >> bit & 1)
                *w->at++ = "wroi"[bit];
        if (!value)
            *w->at++ = '0';
        break;
    case CY_AQRL:
    case CY_PRED: break; /* attached to the mnemonic */
    }
}

static bool alias_fits(const struct cy_spelling *spelling, const struct cy_insn *insn)
{
    for (unsigned i = 0; i < spelling->fixed_count; i++) {
        const struct cy_fixed *fixed = &spelling->fixed[i];
        int32_t wanted = fixed->other >= 0 ? insn->operand[fixed->other] : fixed->value;
        if (insn->operand[fixed->operand] != wanted)
            return false;
    }
    return true;
}

static const struct cy_spelling *choose(const struct cy_insn *insn, unsigned flags)
{
    const struct cy_syntaxes *all = cy_syntaxes();
    for (unsigned i = all->first_alias[insn->op]; i; i = all->next_alias[i])
        if ((!(flags & CY_PRINT_NO_ALIASES) || cy_aliases[i - CY_OP_COUNT].use == CY_ALIAS_ALWAYS) &&
            alias_fits(&all->spellings[i], insn))
            return &all->spellings[i];
    return &all->spellings[insn->op];
}

/* An optional operand: printed if it is not the default; llvm counts omitting "dyn" as an alias. */
static bool is_written(const struct writer *w, enum cy_field field, int32_t value)
{
    return value != cy_operand_default(field) || (w->flags & CY_PRINT_NO_ALIASES && cy_fields[field].kind == CY_RM);
}

static void put_insn(struct writer *w, const struct cy_insn *insn)
{
    static const char *const orders[] = {"", ".rl", ".aq", ".aqrl"};
    const struct cy_spelling *spelling = choose(insn, w->flags);
    const struct cy_syntax_piece *piece = spelling->pieces, *end = piece + spelling->piece_count;
    if (piece < end && piece->kind == CY_PIECE_PREDICATE && insn->operand[piece->operand])
        put(w, "@p ");
    put(w, spelling->mnemonic);
    if (piece < end && piece->kind == CY_PIECE_SUFFIX)
        put(w, orders[insn->operand[piece->operand] & 3]);
    while (piece < end && (piece->kind == CY_PIECE_SUFFIX || piece->kind == CY_PIECE_PREDICATE))
        piece++;
    if (piece < end)
        *w->at++ = '\t';
    for (; piece < end; piece++) {
        switch ((enum cy_piece_kind)piece->kind) {
        case CY_PIECE_OPERAND: put_operand(w, (enum cy_field)piece->field, insn->operand[piece->operand]); break;
        case CY_PIECE_COMMA: put(w, ", "); break;
        case CY_PIECE_OPEN: *w->at++ = '('; break;
        case CY_PIECE_CLOSE: *w->at++ = ')'; break;
        case CY_PIECE_V0: put(w, "v0"); break;
        case CY_PIECE_OPTIONAL: /* the comma, then the optional operand */
            if (!is_written(w, (enum cy_field)piece[2].field, insn->operand[piece[2].operand]))
                return;
            break;
        case CY_PIECE_SUFFIX:
        case CY_PIECE_PREDICATE: break;
        }
    }
}

/* Would the assembler insert this very prefix itself? */
static bool prefix_is_implied(enum cy_target target, const struct cy_insn *insn)
{
    struct cy_insn again = *insn;
    return !cy_encode(target, &again, NULL) && again.prefix == insn->prefix && again.word == insn->word;
}

bool cy_print_same_spelling(const struct cy_insn *a, const struct cy_insn *b, unsigned flags)
{
    return choose(a, flags) == choose(b, flags);
}

void cy_print(struct cy_buf *out, enum cy_target target, const struct cy_insn *insn, uint32_t pc, unsigned flags)
{
    cy_buf_reserve(out, LINE_ROOM);
    struct writer w = {out->data + out->size, flags, pc};
    if (insn->op == CY_OP_INVALID) {
        put(&w, ".word\t");
        put_hex(&w, insn->word);
    } else if (insn->prefix && !prefix_is_implied(target, insn)) {
        struct cy_insn prefix;
        cy_decode_word(target, insn->prefix, &prefix);
        put_insn(&w, &prefix);
        put(&w, "; ");
        w.pc = pc + 4;
        put_insn(&w, insn); /* by its full names, as after a prefix that is not shown */
    } else {
        w.pc = insn->prefix ? pc + 4 : pc;
        put_insn(&w, insn);
    }
    out->size = (size_t)(w.at - out->data);
    *w.at = 0;
}
