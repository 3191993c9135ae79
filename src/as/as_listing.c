/* Converts listings back into source, so that `cy dis a.o | cy as -` gives the same code. */
#include "as/as_priv.h"

#include <string.h>

struct line {
    const char *at, *end;
};

struct parser {
    enum cy_target target;
    struct cy_buf *out;
    struct cy_strmap labels; /* written so far */
    unsigned section;        /* the number of sections so far; 0: none yet */
    bool has_base, in_code;
    uint32_t base, here;
    bool gap; /* after "...": zeros up to the next address */
};

static bool next_line(const char **text, const char *end, struct line *line)
{
    if (*text == end)
        return false;
    const char *newline = memchr(*text, '\n', (size_t)(end - *text));
    *line = (struct line){*text, newline ? newline : end};
    *text = newline ? newline + 1 : end;
    if (line->end > line->at && line->end[-1] == '\r')
        line->end--;
    return true;
}

/* The line at `text`; empty at the end. */
static struct line peek_line(const char *text, const char *end)
{
    struct line line = {NULL, NULL};
    next_line(&text, end, &line);
    return line;
}

static const char *find(struct line line, const char *what)
{
    size_t length = strlen(what);
    for (const char *at = line.at; (size_t)(line.end - at) >= length; at++)
        if (memcmp(at, what, length) == 0)
            return at;
    return NULL;
}

bool as_is_listing(const char *text, size_t size)
{
    const char *at = text, *end = text + size;
    struct line line = {NULL, NULL};
    while (next_line(&at, end, &line) && line.at == line.end)
        continue;
    return line.at && find(line, ":\tfile format ") != NULL;
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* A hexadecimal number; returns where it ends, or NULL if there is none. */
static const char *read_hex(const char *at, const char *end, uint32_t *value)
{
    const char *start = at;
    *value = 0;
    for (; at < end && hex_value(*at) >= 0; at++)
        *value = *value << 4 | (uint32_t)hex_value(*at);
    return at > start && at - start <= 8 ? at : NULL;
}

/* ---- lines ---- */

static void start_section(struct parser *parser, struct line line)
{
    const char *name = find(line, "section ") + 8;
    parser->section++;
    parser->has_base = parser->gap = false;
    parser->in_code = true;
    cy_buf_printf(parser->out, "\t.section\t\"%.*s\", \"ax\", @progbits\n\t.p2align\t2\n.Lbase%u:\n",
                  (int)(line.end - 1 - name), name, parser->section);
}

static void move_to(struct parser *parser, uint32_t address)
{
    if (!parser->has_base) {
        parser->base = parser->here = address;
        parser->has_base = true;
    }
    if (parser->gap && address > parser->here)
        cy_buf_printf(parser->out, "\t.zero\t%u\n", address - parser->here);
    parser->gap = false;
    parser->here = address;
}

/* 80000000 <name>:   The name may be the section's, or inside another symbol's code (name+0x10): then it is not a
 * label. */
static bool read_label(struct parser *parser, struct line line)
{
    uint32_t address;
    const char *at = read_hex(line.at, line.end, &address);
    if (!at || line.end - at < 5 || memcmp(at, " <", 2) != 0 || memcmp(line.end - 2, ">:", 2) != 0)
        return false;
    move_to(parser, address);
    const char *name = at + 2;
    size_t length = (size_t)(line.end - 2 - name);
    bool usable = length && !memchr(name, '"', length) && !memchr(name, '\\', length) && !memchr(name, '+', length);
    if (!usable || (name[0] == '.' && address == parser->base && length > 1 && name[1] != 'L'))
        return true;
    size_t before = parser->labels.strings.count;
    cy_strmap_add(&parser->labels, name, length);
    if (parser->labels.strings.count > before)
        cy_buf_printf(parser->out, "\"%.*s\":\n", (int)length, name);
    return true;
}

/* Does this instruction end in an address, where the assembler expects a label? */
static bool ends_in_address(enum cy_target target, const char *mnemonic, size_t length)
{
    const struct cy_spelling *spelling = cy_spelling_find(target, mnemonic, length);
    if (!spelling || spelling->piece_count == 0)
        return false;
    const struct cy_syntax_piece *last = &spelling->pieces[spelling->piece_count - 1];
    return last->kind == CY_PIECE_OPERAND && cy_fields[last->field].kind == CY_PCREL;
}

/* The text without " <symbol>" and " # comment". */
static const char *text_end(const char *text, const char *end)
{
    for (const char *at = text; at + 1 < end; at++)
        if (at[0] == ' ' && (at[1] == '<' || at[1] == '#'))
            return at;
    return end;
}

static void put_instruction(struct parser *parser, const char *text, const char *end)
{
    struct cy_buf *out = parser->out;
    end = text_end(text, end);
    /* An explicit prefix precedes the instruction, separated by a semicolon. */
    const char *insn = text, *operand = NULL;
    for (const char *at = text; at < end; at++)
        if (*at == ';')
            insn = at + 1 + (at + 1 < end && at[1] == ' ');
    const char *mnemonic_end = insn;
    while (mnemonic_end < end && *mnemonic_end != '\t' && *mnemonic_end != ' ')
        mnemonic_end++;
    for (const char *at = mnemonic_end; at + 1 < end; at++)
        if (at[0] == '0' && at[1] == 'x' && (at[-1] == ' ' || at[-1] == '\t'))
            operand = at;
    uint32_t target;
    cy_buf_putc(out, '\t');
    if (operand && ends_in_address(parser->target, insn, (size_t)(mnemonic_end - insn)) &&
        read_hex(operand + 2, end, &target) == end) {
        cy_buf_append(out, text, (size_t)(operand - text));
        /* Addresses wrap around: a branch near 0 may go to one near 2^32. */
        cy_buf_printf(out, ".Lbase%u%+lld", parser->section, (long long)(int32_t)(target - parser->base));
    } else {
        cy_buf_append(out, text, (size_t)(end - text));
    }
    cy_buf_putc(out, '\n');
}

struct code_line {
    uint32_t address;
    unsigned digits;
    uint32_t word; /* the first */
    const char *text, *end;
};

/* "      10: 00a58533     \tadd\ta0, a1, a0": the address, the bytes (in either form), the text. */
static bool read_code(struct line line, struct code_line *code)
{
    const char *at = line.at;
    while (at < line.end && *at == ' ')
        at++;
    at = read_hex(at, line.end, &code->address);
    if (!at || line.end - at < 4 || at[0] != ':' || at[1] != ' ')
        return false;
    bool by_bytes = line.end - at > 4 && at[4] == ' ';
    code->digits = 0;
    code->word = 0;
    for (at += 2; at < line.end && *at != '\t'; at++) {
        int value = hex_value(*at);
        if (*at != ' ' && value < 0)
            return false;
        if (value >= 0 && code->digits < 8)
            code->word |= (uint32_t)value << (by_bytes ? 4 * (code->digits ^ 1) : 28 - 4 * code->digits);
        code->digits += value >= 0;
    }
    code->text = at + 1;
    code->end = line.end;
    return at < line.end && code->digits > 0;
}

/* Printed text that does not assemble to the same word: operands that the assembler rejects, ignored bits that are not
 * 0, a prefix that does not match what follows. */
static bool is_refused(enum cy_target target, const struct code_line *code, const struct code_line *next)
{
    struct cy_insn insn;
    if (code->digits != 8 || !cy_decode_word(target, code->word, &insn))
        return false;
    if (!(cy_insns[insn.op].flags & CY_F_PREFIX))
        return cy_encode(target, &insn, NULL) || insn.word != code->word;
    const uint32_t words[2] = {code->word, next ? next->word : 0};
    return !next || cy_decode(target, words, 2, &insn) != CY_DECODE_OK || insn.size != 8;
}

/* Is the text still the one printed for the word, in any style? */
static bool is_unchanged(enum cy_target target, const struct code_line *code)
{
    static const unsigned styles[] = {CY_PRINT_NO_ALIASES, CY_PRINT_NUMERIC, CY_PRINT_CSR_NAMES, CY_PRINT_HEX};
    size_t length = (size_t)(text_end(code->text, code->end) - code->text);
    struct cy_insn insn;
    struct cy_buf text = {0};
    bool same = false;
    cy_decode_word(target, code->word, &insn);
    for (unsigned set = 0; set < 1u << CY_COUNT(styles) && !same; set++) {
        unsigned flags = 0;
        for (size_t i = 0; i < CY_COUNT(styles); i++)
            flags |= set >> i & 1 ? styles[i] : 0;
        text.size = 0;
        cy_print(&text, target, &insn, code->address, flags);
        same = text.size == length && memcmp(text.data, code->text, length) == 0;
    }
    cy_buf_free(&text);
    return same;
}

static bool read_instruction(struct parser *parser, struct line line, struct line after)
{
    struct code_line code, next;
    if (!read_code(line, &code))
        return false;
    bool has_next = after.at && read_code(after, &next) && next.address == code.address + 4;
    move_to(parser, code.address);
    if (is_refused(parser->target, &code, has_next ? &next : NULL) && is_unchanged(parser->target, &code))
        cy_buf_printf(parser->out, "\t.word\t0x%08x\n", code.word);
    else
        put_instruction(parser, code.text, code.end);
    parser->here = code.address + code.digits / 2;
    return true;
}

void as_listing_to_source(enum cy_target target, const char *text, size_t size, struct cy_buf *out)
{
    struct parser parser = {.target = target, .out = out};
    const char *at = text, *end = text + size;
    for (struct line line; next_line(&at, end, &line);) {
        struct line rest = line;
        if (find(line, "Disassembly of section ") == line.at && line.end > line.at && line.end[-1] == ':')
            start_section(&parser, line);
        else if (find(line, ":\tfile format ") || find(line, "SYMBOL TABLE:") == line.at ||
                 find(line, "Contents of section ") == line.at)
            parser.in_code = false;
        else if (!parser.in_code)
            continue;
        else if (find(rest, "\t\t...") == line.at && line.end - line.at == 5)
            parser.gap = true;
        else if (!read_label(&parser, line))
            read_instruction(&parser, line, peek_line(at, end));
    }
    cy_strmap_free(&parser.labels);
}
