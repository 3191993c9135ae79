/* Compiles the syntax strings of formats and aliases into pieces, once.  A word that is not a field, an alias that
 * fixes an operand its row lacks, or too many operands is an error in the tables: an assertion reports it. */
#include "isa/isa_priv.h"

#include <assert.h>
#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void table_mistake(const char *what, const char *where)
{
    fprintf(stderr, "instruction tables: %s in '%s'\n", what, where);
    assert(false && "an error in the instruction tables, see the line above");
}

static enum cy_field field_by_name(const char *name, size_t length, const char *where)
{
    for (int field = CY_FIELD_NONE + 1; field < CY_FIELD_COUNT; field++)
        if (cy_text_is(name, length, cy_fields[field].name))
            return (enum cy_field)field;
    table_mistake("unknown operand", where);
    return CY_FIELD_NONE;
}

static int operand_index(const struct cy_format_syntax *format, enum cy_field field)
{
    for (int i = 0; i < format->operand_count; i++)
        if (format->operands[i] == field)
            return i;
    return -1;
}

static size_t word_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]))
        length++;
    return length;
}

/* `format` is the row's own format; a format's syntax adds to its operands, an alias's only refers to them. */
static uint8_t compile(const char *syntax, struct cy_format_syntax *format, bool defines,
                       struct cy_syntax_piece *pieces)
{
    uint8_t count = 0;
    for (const char *s = syntax; *s;) {
        struct cy_syntax_piece piece = {CY_PIECE_OPERAND, CY_FIELD_NONE, 0};
        if (*s == ' ' || *s == ']') {
            s++;
            continue;
        }
        if (*s == ',' || *s == '(' || *s == ')' || *s == '[') {
            piece.kind = *s == ','   ? CY_PIECE_COMMA
                         : *s == '(' ? CY_PIECE_OPEN
                         : *s == ')' ? CY_PIECE_CLOSE
                                     : CY_PIECE_OPTIONAL;
            s++;
        } else if (!strncmp(s, "'v0'", 4)) {
            piece.kind = CY_PIECE_V0;
            s += 4;
        } else {
            if (*s == '.' || *s == '@')
                piece.kind = *s++ == '.' ? CY_PIECE_SUFFIX : CY_PIECE_PREDICATE;
            size_t length = word_length(s);
            piece.field = (uint8_t)field_by_name(s, length, syntax);
            s += length;
            if (defines) {
                if (format->operand_count == CY_MAX_OPERANDS)
                    table_mistake("too many operands", syntax);
                format->operands[format->operand_count++] = piece.field;
            }
            int index = operand_index(format, (enum cy_field)piece.field);
            if (index < 0)
                table_mistake("an operand the row does not have", syntax);
            piece.operand = (uint8_t)index;
        }
        if (count == CY_MAX_SYNTAX)
            table_mistake("syntax too long", syntax);
        pieces[count++] = piece;
    }
    return count;
}

/* "rd=0 imm12=-1 vs1=vs2" */
static uint8_t compile_fixed(const char *fixed, const struct cy_format_syntax *format, struct cy_fixed *out)
{
    uint8_t count = 0;
    for (const char *s = fixed; *s;) {
        size_t length = word_length(s);
        int index = operand_index(format, field_by_name(s, length, fixed));
        s += length;
        if (index < 0 || *s++ != '=')
            table_mistake("a fixed operand the row does not have", fixed);
        struct cy_fixed entry = {(uint8_t)index, -1, 0};
        if (isdigit((unsigned char)*s) || *s == '-') {
            char *end;
            entry.value = (int32_t)strtol(s, &end, 10);
            s = end;
        } else {
            length = word_length(s);
            entry.other = (int8_t)operand_index(format, field_by_name(s, length, fixed));
            s += length;
        }
        out[count++] = entry;
        while (*s == ' ')
            s++;
    }
    return count;
}

static struct cy_syntaxes syntaxes;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void build(void)
{
    for (int f = 0; f < CY_FORMAT_COUNT; f++) {
        struct cy_format_syntax *format = &syntaxes.formats[f];
        format->piece_count = compile(cy_formats[f].syntax, format, true, format->pieces);
        while (format->hidden < format->piece_count && (format->pieces[format->hidden].kind == CY_PIECE_SUFFIX ||
                                                        format->pieces[format->hidden].kind == CY_PIECE_PREDICATE))
            format->hidden++;
    }
    for (int op = 1; op < CY_OP_COUNT; op++) {
        struct cy_spelling *spelling = &syntaxes.spellings[op];
        const struct cy_format_syntax *format = &syntaxes.formats[cy_insns[op].format];
        spelling->mnemonic = cy_insns[op].mnemonic;
        spelling->op = (enum cy_op)op;
        spelling->piece_count = format->piece_count;
        memcpy(spelling->pieces, format->pieces, sizeof(format->pieces));
    }
    for (size_t i = CY_ALIAS_COUNT; i-- > 0;) {
        const struct cy_alias_info *alias = &cy_aliases[i];
        struct cy_spelling *spelling = &syntaxes.spellings[CY_OP_COUNT + i];
        struct cy_format_syntax *format = &syntaxes.formats[cy_insns[alias->op].format];
        spelling->mnemonic = alias->mnemonic;
        spelling->op = alias->op;
        spelling->is_alias = true;
        spelling->piece_count = compile(alias->syntax, format, false, spelling->pieces);
        spelling->fixed_count = compile_fixed(alias->fixed, format, spelling->fixed);
        if (alias->use & CY_ALIAS_PRINT) {
            syntaxes.next_alias[CY_OP_COUNT + i] = syntaxes.first_alias[alias->op];
            syntaxes.first_alias[alias->op] = (uint16_t)(CY_OP_COUNT + i);
        }
    }
}

const struct cy_syntaxes *cy_syntaxes(void)
{
    pthread_once(&once, build);
    return &syntaxes;
}

size_t cy_format_operands(enum cy_format format, enum cy_field fields[CY_MAX_OPERANDS])
{
    const struct cy_format_syntax *syntax = &cy_syntaxes()->formats[format];
    for (unsigned i = 0; i < syntax->operand_count; i++)
        fields[i] = (enum cy_field)syntax->operands[i];
    return syntax->operand_count;
}

int32_t cy_insn_field(const struct cy_insn *insn, enum cy_field field, int32_t otherwise)
{
    int index = operand_index(&cy_syntaxes()->formats[cy_insns[insn->op].format], field);
    return index < 0 ? otherwise : insn->operand[index];
}
