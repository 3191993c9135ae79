/* Inline assembly: clang's call of an asm string becomes an ir_asm, with the registers that it really changes and reads.
 *
 * What the program wrote is in the string (asm_rewrite.h); assembly from elsewhere has LLVM's own notation.  The text is
 * assembled here once with registers of our choice: that finds its errors, the registers that it writes without saying so, and
 * those that it reads although nobody gave them to it, which stay reserved for it. */
#include "cc/driver/asm_rewrite.h"
#include "cc/import/import_priv.h"
#include "chengying/asm.h"
#include "isa/effects.h"
#include "obj/obj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST = IR_ASM_OPERANDS,
    TRIAL_X = 34,
    TRIAL_V = 190
}; /* pairs from these registers on are hardly ever written out */

struct run {
    uint32_t offset, line, column;
};

struct written { /* an operand in the program */
    const char *constraint, *name;
    LLVMValueRef value; /* inputs, and the address of memory outputs */
    LLVMTypeRef type;
    int number; /* among those of the ir_asm; -1: it is a constant */
    int32_t constant;
};

struct asm_import {
    struct importer *im;
    LLVMValueRef call;
    const char *file, *text;
    struct written operands[MOST];
    unsigned count, outputs;
    CY_VEC(struct run) runs;
    CY_VEC(uint32_t) origins; /* by byte of the ir_asm's text: where in `text` it comes from */
    struct cy_buf constraints, out, clobbers;
    struct ir_asm made;
};

/* ---- messages ---- */

static struct cy_source main_source(const struct importer *im)
{
    struct cy_source source = {.name = im->module->source_name, .text = im->module->source};
    source.size = source.text ? im->module->source_lines.at[im->module->source_lines.count - 1] : 0;
    return source;
}

/* Finds a byte of the text in the program's source: the preprocessor kept its line and spelling, but not its column. */
static bool find_in_source(const struct asm_import *a, size_t offset, const struct cy_source *source,
                           struct cy_loc *loc)
{
    const struct ir_module *module = a->im->module;
    size_t i = 0;
    while (i + 1 < a->runs.count && a->runs.at[i + 1].offset <= offset)
        i++;
    if (!source->text || !a->runs.count || strcmp(a->file, source->name) != 0)
        return false;
    const struct run *run = &a->runs.at[i];
    size_t end = i + 1 < a->runs.count ? a->runs.at[i + 1].offset : strlen(a->text), length = end - run->offset;
    if (!run->line || run->line >= module->source_lines.count)
        return false;
    uint32_t from = module->source_lines.at[run->line - 1], to = module->source_lines.at[run->line];
    *loc = (struct cy_loc){source, run->line, from, 1};
    if (length > 1 && (unsigned char)a->text[end - 1] < ' ') /* an escape */
        length--;
    for (uint32_t at = from; at + length <= to; at++)
        if (!memcmp(source->text + at, a->text + run->offset, length)) {
            loc->offset = at + (uint32_t)(offset - run->offset);
            return true;
        }
    while (loc->offset + 1 < to && strchr(" \t", source->text[loc->offset]))
        loc->offset++;
    return true;
}

static void error_in_text(struct asm_import *a, size_t offset, size_t length, const char *message)
{
    struct cy_source source = main_source(a->im);
    struct cy_loc loc;
    if (a->im->failed)
        return;
    if (find_in_source(a, offset, &source, &loc)) {
        loc.length = (uint32_t)(length ? length : 1);
        cy_diag(a->im->diags, CY_ERROR, &loc, "%s", message);
        a->im->failed = true;
    } else {
        import_error(a->im, a->call, "%s", message);
    }
}

/* ---- what the program wrote ---- */

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The lines of asm_rewrite.h. */
static bool read_lines(struct asm_import *a, char *line)
{
    while (*line && *line != 'T') {
        char *end = strchr(line, '\n');
        if (!end)
            return false;
        *end = 0;
        if (*line == 'F') {
            a->file = line + 2;
        } else if (*line == 'O') {
            char *space = strchr(line + 2, ' ');
            if (!space || a->count == MOST)
                return false;
            *space = 0;
            a->operands[a->count++] = (struct written){.constraint = line + 2, .name = space + 1};
        } else if (*line == 'C') {
            cy_buf_printf(&a->clobbers, "%s,", line + 2);
        } else if (*line == 'R') {
            struct run *run = cy_vec_push(&a->runs);
            if (sscanf(line + 2, "%u %u %u", &run->offset, &run->line, &run->column) != 3)
                return false;
        }
        line = end + 1;
    }
    a->text = line + 1;
    return *line == 'T';
}

static bool read_tagged(struct asm_import *a, const char *string, size_t length)
{
    char *text = cy_arena_alloc(&a->im->module->arena, length / 2 + 1);
    for (size_t i = 0; i + 1 < length; i += 2)
        text[i / 2] = (char)(digit(string[i]) * 16 + digit(string[i + 1]));
    return read_lines(a, text);
}

/* LLVM's notation ($0, ${0:H}, $$) in that of C. */
static void read_plain(struct asm_import *a, const char *string, size_t length)
{
    struct cy_buf text = {0};
    for (size_t i = 0; i < length; i++) {
        unsigned operand;
        char modifier;
        int size = 0;
        if (string[i] == '%') {
            cy_buf_puts(&text, "%%");
        } else if (string[i] != '$') {
            cy_buf_putc(&text, string[i]);
        } else if (i + 1 < length && string[i + 1] == '$') {
            cy_buf_putc(&text, string[++i]);
        } else if (sscanf(string + i, "${%u:%c}%n", &operand, &modifier, &size) == 2 && size) {
            cy_buf_printf(&text, "%%%c%u", modifier, operand);
            i += (size_t)size - 1;
        } else if (sscanf(string + i, "${%u}%n", &operand, &size) == 1 && size) {
            cy_buf_printf(&text, "%%%u", operand);
            i += (size_t)size - 1;
        } else if (i + 1 < length && string[i + 1] != '(' && string[i + 1] != '|' && string[i + 1] != ')') {
            cy_buf_putc(&text, '%');
        }
    }
    a->text = cy_arena_strndup(&a->im->module->arena, text.data ? text.data : "", text.size);
    cy_buf_free(&text);
}

/* LLVM's constraints give the values and types of the operands; without ours they are the constraints themselves. */
static bool bind_operands(struct asm_import *a, char *constraints, bool is_tagged)
{
    unsigned number = 0, argument = 0, result = 0, direct = 0;
    LLVMTypeRef returned = LLVMTypeOf(a->call);
    for (const char *at = constraints; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ','))
        direct += *at == '=' && !strchr("*", at[1 + (at[1] == '&')]);
    for (char *item = constraints, *end; *item && *item != '~'; item = end) {
        end = item + strcspn(item, ",");
        if (*end)
            *end++ = 0;
        bool is_output = *item == '=', is_memory = strchr(item, '*') != NULL;
        if (number >= MOST)
            return false;
        if (!is_tagged)
            a->operands[a->count++] = (struct written){.constraint = item, .name = ""};
        else if (number >= a->count) /* the input half of an operand that is both: see add_operand */
            break;
        struct written *operand = &a->operands[number++];
        a->outputs += is_output;
        if (is_output && !is_memory) {
            operand->type = direct == 1 ? returned : LLVMStructGetTypeAtIndex(returned, result++);
            continue;
        }
        if (argument >= LLVMGetNumArgOperands(a->call))
            return false;
        operand->value = LLVMGetOperand(a->call, argument++);
        operand->type = LLVMTypeOf(operand->value);
    }
    return number == a->count;
}

/* ---- constraints ---- */

enum kind { NO_KIND, SCALAR, VECTOR, FIXED, CONSTANT, MEMORY, TIE };

static enum kind kind_of(const char *constraint)
{
    const char *at = constraint + strspn(constraint, "=+&%*");
    size_t length = strcspn(at, ",|");
    enum kind found = NO_KIND;
    for (size_t i = 0; i < length && found != FIXED && found != VECTOR; i++)
        switch (at[i]) {
        case '{': found = FIXED; break;
        case 'v': found = VECTOR; break;
        case 'r':
        case 'f':
        case 'g':
        case 'X': found = SCALAR; break;
        case '[':
            found = TIE;
            i = length;
            break;
        case 'i':
        case 'n':
        case 's':
        case 'I':
        case 'J':
        case 'K': found = found ? found : CONSTANT; break;
        case 'm':
        case 'o':
        case 'A': found = found ? found : MEMORY; break;
        default:
            if (at[i] < '0' || at[i] > '9')
                return NO_KIND;
            found = found ? found : TIE;
        }
    return found;
}

static int find_named(const struct asm_import *a, const char *name, size_t length)
{
    for (unsigned i = 0; i < a->count; i++)
        if (length && strlen(a->operands[i].name) == length && !memcmp(a->operands[i].name, name, length))
            return (int)i;
    return -1;
}

/* An address is in a vGPR or an sGPR, as the first instruction needs it that the operand is in. */
static bool is_vector_access(const struct asm_import *a, unsigned operand)
{
    char number[16];
    snprintf(number, sizeof(number), "%%%u", operand);
    const char *at = strstr(a->text, number);
    if (*a->operands[operand].name) {
        char named[128];
        snprintf(named, sizeof(named), "%%[%s]", a->operands[operand].name);
        const char *by_name = strstr(a->text, named);
        at = by_name && (!at || by_name < at) ? by_name : at;
    }
    if (!at)
        return true;
    const char *line = at;
    while (line > a->text && line[-1] != '\n' && line[-1] != ';')
        line--;
    line += strspn(line, " \t");
    return *line == 'v' || !strncmp(line, "amo", 3) || !strncmp(line, "lr.", 3) || !strncmp(line, "sc.", 3);
}

static bool add_fixed(struct asm_import *a, const struct written *operand, bool is_pair)
{
    const char *name = strchr(operand->constraint, '{') + 1;
    size_t length = strcspn(name, "}");
    int x = cy_parse_xreg(name, length), v = cy_parse_vreg(name, length);
    char message[96];
    const char *wrong = x < 0 && v < 0     ? "unknown register"
                        : x >= 0 && x <= 4 ? "inline assembly may not have the register"
                        : is_pair && (x >= 0 ? x : v) % 2 == 1
                            ? "a value of 64 bits needs an even-numbered register, not"
                            : NULL;
    if (wrong) {
        snprintf(message, sizeof(message), "%s '%.*s'", wrong, (int)(length < 32 ? length : 32), name);
        error_in_text(a, 0, 0, message);
        return false;
    }
    cy_buf_printf(&a->constraints, "{%c%d}", x >= 0 ? 'x' : 'v', x >= 0 ? x : v);
    return true;
}

static bool add_constant(struct asm_import *a, struct written *operand)
{
    static const struct {
        char letter;
        int64_t low, high;
    } ranges[] = {{'I', -2048, 2047}, {'J', 0, 0}, {'K', 0, 31}};
    if (!LLVMIsAConstantInt(operand->value) || import_int_bits(operand->type) > 64) {
        error_in_text(a, 0, 0, "an operand with the constraint 'i' is not an integer constant");
        return false;
    }
    int64_t value = LLVMConstIntGetSExtValue(operand->value);
    for (size_t i = 0; i < CY_COUNT(ranges); i++)
        if (strchr(operand->constraint, ranges[i].letter) && !strpbrk(operand->constraint, "ins") &&
            (value < ranges[i].low || value > ranges[i].high)) {
            char message[96];
            snprintf(message, sizeof(message), "the constant %lld does not satisfy the constraint '%c'",
                     (long long)value, ranges[i].letter);
            error_in_text(a, 0, 0, message);
            return false;
        }
    operand->number = -1;
    operand->constant = (int32_t)value;
    return true;
}

static int tied_to(const struct asm_import *a, const char *constraint)
{
    const char *at = constraint + strspn(constraint, "%");
    int output = *at == '[' ? find_named(a, at + 1, strcspn(at + 1, "]")) : atoi(at);
    return output >= 0 && (unsigned)output < a->outputs ? output : -1;
}

/* Adds an operand to the ir_asm. */
static bool add_operand(struct asm_import *a, unsigned i, unsigned *number)
{
    struct written *operand = &a->operands[i];
    enum kind kind = kind_of(operand->constraint);
    unsigned words = operand->type ? import_word_count(a->im, operand->type) : 0;
    bool is_output = i < a->outputs && kind != MEMORY;
    char message[128];
    if (a->im->failed || (kind == CONSTANT && !is_output))
        return !a->im->failed && add_constant(a, operand);
    if (kind == NO_KIND || (is_output && (kind == TIE || kind == CONSTANT))) {
        snprintf(message, sizeof(message), "unknown constraint '%.32s'", operand->constraint);
        error_in_text(a, 0, 0, message);
        return false;
    }
    if (words < 1 || words > 2) {
        snprintf(message, sizeof(message), "operand %u has %u words; one of inline assembly has one or two", i, words);
        error_in_text(a, 0, 0, message);
        return false;
    }
    operand->number = (int)(*number)++;
    cy_buf_puts(&a->constraints, a->constraints.size ? "," : "");
    if (kind == TIE) {
        int output = tied_to(a, operand->constraint);
        if (output < 0 || import_word_count(a->im, a->operands[output].type) != words) {
            error_in_text(a, 0, 0, "an input is tied to an output that does not exist or has another size");
            return false;
        }
        cy_buf_printf(&a->constraints, "#%d", a->operands[output].number);
        return true;
    }
    cy_buf_puts(&a->constraints, is_output ? "=" : "");
    cy_buf_puts(&a->constraints, is_output && strchr(operand->constraint, '&') ? "&" : "");
    if (kind == FIXED && !add_fixed(a, operand, words == 2))
        return false;
    if (kind == MEMORY)
        cy_buf_puts(&a->constraints, is_vector_access(a, i) ? "*v" : "*r");
    else if (kind != FIXED)
        cy_buf_puts(&a->constraints, kind == VECTOR ? "v" : "r");
    cy_buf_puts(&a->constraints, words == 2 ? "2" : "");
    return true;
}

/* Outputs come first in an ir_asm, so the addresses of memory that is written come with the inputs, and outputs that are read
 * too have an input of their own at the end. */
static bool add_operands(struct asm_import *a)
{
    unsigned number = 0;
    for (int pass = 0; pass < 2; pass++)
        for (unsigned i = 0; i < a->count; i++) {
            bool is_output = i < a->outputs && kind_of(a->operands[i].constraint) != MEMORY;
            if (is_output == (pass == 0) && !add_operand(a, i, &number))
                return false;
        }
    for (unsigned i = 0; i < a->outputs; i++)
        if (a->operands[i].constraint[0] == '+' && kind_of(a->operands[i].constraint) != MEMORY) {
            cy_buf_printf(&a->constraints, ",#%d", a->operands[i].number);
            number++;
        }
    if (number > MOST)
        error_in_text(a, 0, 0, "inline assembly has too many operands");
    return number <= MOST;
}

static bool add_clobbers(struct asm_import *a)
{
    for (char *name = a->clobbers.data, *end; name && *name; name = end + 1) {
        end = strchr(name, ',');
        size_t length = (size_t)(end - name);
        int x = cy_parse_xreg(name, length), v = cy_parse_vreg(name, length);
        char message[96];
        if (x == 0)
            continue;
        if (x < 0 && v < 0)
            snprintf(message, sizeof(message), "unknown register '%.*s' among the clobbers", (int)length, name);
        else
            snprintf(message, sizeof(message), "inline assembly may not change the register '%.*s'", (int)length, name);
        if ((x < 0 && v < 0) || (x >= 2 && x <= 4)) {
            error_in_text(a, 0, 0, message);
            return false;
        }
        cy_buf_printf(&a->constraints, "%s~%c%d", a->constraints.size ? "," : "", x >= 0 ? 'x' : 'v', x >= 0 ? x : v);
    }
    return true;
}

/* ---- the text ---- */

static void put_text(struct asm_import *a, size_t origin, const char *text)
{
    cy_buf_puts(&a->out, text);
    while (a->origins.count < a->out.size)
        *cy_vec_push(&a->origins) = (uint32_t)origin;
}

/* A reference at a percent sign; returns its length, 0 after an error. */
static size_t add_reference(struct asm_import *a, size_t at)
{
    const char *text = a->text + at;
    char modifier = 0, put[32], message[96];
    size_t i = 1;
    int operand = -1;
    if (text[1] == '=') {
        put_text(a, at, "%{=}");
        return 2;
    }
    if (((text[i] | 32) >= 'a' && (text[i] | 32) <= 'z') &&
        (text[i + 1] == '[' || (text[i + 1] >= '0' && text[i + 1] <= '9')))
        modifier = text[i++];
    if (text[i] == '[') {
        size_t length = strcspn(text + i + 1, "]");
        operand = find_named(a, text + i + 1, length);
        i += length + 1 + (text[i + 1 + length] == ']');
    } else if (text[i] >= '0' && text[i] <= '9') {
        for (operand = 0; text[i] >= '0' && text[i] <= '9' && operand < 100; i++)
            operand = operand * 10 + (text[i] - '0');
    }
    if (operand < 0 || (unsigned)operand >= a->count) {
        snprintf(message, sizeof(message), "there is no operand '%.*s'", (int)(i < 40 ? i : 40), text);
        error_in_text(a, at, i, message);
        return 0;
    }
    const struct written *of = &a->operands[operand];
    bool is_pair = of->number >= 0 && import_word_count(a->im, of->type) == 2;
    if (modifier && (!strchr("LHNzi", modifier) || (modifier == 'H' && !is_pair))) {
        snprintf(message, sizeof(message), "operand '%.*s' has no '%c'", (int)(i < 40 ? i : 40), text, modifier);
        error_in_text(a, at, i, message);
        return 0;
    }
    if (modifier == 'i')
        snprintf(put, sizeof(put), "%s", of->number < 0 ? "i" : "");
    else if (of->number < 0 && modifier == 'z' && !of->constant)
        snprintf(put, sizeof(put), "zero");
    else if (of->number < 0)
        snprintf(put, sizeof(put), "%d", of->constant);
    else
        snprintf(put, sizeof(put), modifier == 'z' || !modifier ? "%%{%d}" : "%%{%d%c}", of->number, modifier);
    put_text(a, at, put);
    return i;
}

static bool add_text(struct asm_import *a)
{
    for (size_t at = 0; a->text[at];) {
        if (a->text[at] != '%' || !a->text[at + 1]) {
            put_text(a, at, a->text[at] == '%' ? "%%" : (char[]){a->text[at], 0});
            at++;
        } else if (strchr("%{|}", a->text[at + 1])) {
            put_text(a, at, a->text[at + 1] == '%' ? "%%" : (char[]){a->text[at + 1], 0});
            at += 2;
        } else {
            size_t length = add_reference(a, at);
            if (!length)
                return false;
            at += length;
        }
    }
    return true;
}

/* ---- the trial ---- */

static void trial_registers(const struct ir_asm *of, unsigned *registers)
{
    unsigned x = TRIAL_X, v = TRIAL_V;
    for (unsigned i = 0; i < of->count; i++) {
        const struct ir_asm_operand *operand = &of->operands[i];
        unsigned *next = operand->is_vector ? &v : &x;
        if (operand->tie >= 0) {
            registers[i] = registers[operand->tie];
        } else if (operand->fixed >= 0) {
            registers[i] = (unsigned)operand->fixed;
        } else {
            registers[i] = *next;
            *next += 2;
            if (x > 62)
                x = 6; /* with so many operands, some share a register here */
        }
    }
}

/* kernel.cl:3:7: error: ... of the assembler's, moved to the program's source. */
static void report_trial(struct asm_import *a, const struct cy_buf *text, const uint32_t *origins, const char *messages)
{
    unsigned line = 0, column = 0;
    int skipped = 0;
    char message[400];
    const char *end = messages;
    while (sscanf(end, "<inline asm>:%u:%u: error: %n", &line, &column, &skipped) != 2 || !skipped) {
        end = strchr(end, '\n');
        if (!end || !*++end) {
            import_error(a->im, a->call, "inline assembly: %s", messages);
            return;
        }
    }
    size_t at = 0;
    for (unsigned l = 1; l < line && at < text->size; at++)
        l += text->data[at] == '\n';
    size_t from = at, to = from + strcspn(text->data + from, "\n");
    at += column ? column - 1 : 0;
    at = at < text->size ? at : text->size - 1;
    from += strspn(text->data + from, " \t");
    size_t length = strcspn(end + skipped, "\n");
    bool has_registers = to - from != strlen(a->text) && memchr(a->out.data, '{', a->out.size);
    snprintf(message, sizeof(message), "%.*s%s%.*s%s", (int)(length < 250 ? length : 250), end + skipped,
             has_registers && to > from ? " in '" : "", has_registers ? (int)(to - from < 100 ? to - from : 100) : 0,
             text->data + from, has_registers && to > from ? "'" : "");
    error_in_text(a, a->origins.at[origins[at] < a->origins.count ? origins[at] : a->origins.count - 1], 1, message);
}

static bool has_place(const uint64_t *set, unsigned place)
{
    return set[place / 64] >> (place % 64) & 1;
}

static void add_place(uint64_t *set, unsigned place)
{
    set[place / 64] |= 1ull << (place % 64);
}

struct clobbers {
    uint64_t writes[IR_ASM_PLACES], reads[IR_ASM_PLACES], own[IR_ASM_PLACES];
    bool sets_rpc;
};

static void put_places(const struct cy_regs *set, uint64_t places[IR_ASM_PLACES])
{
    places[0] = set->x;
    for (unsigned i = 0; i < CY_COUNT(set->v); i++)
        places[1 + i] = set->v[i];
}

/* What one instruction reads before anything has written it, and writes.  The code may have set a vtype of 64-bit elements, which
 * are pairs. */
static void see_insn(struct clobbers *seen, enum cy_target isa, const struct cy_insn *insn)
{
    static const uint8_t widths[] = {32, 64};
    uint64_t reads[IR_ASM_PLACES], writes[IR_ASM_PLACES];
    struct cy_regs all_reads = {0}, all_writes = {0};
    for (unsigned i = 0; i < CY_COUNT(widths); i++) {
        const struct cy_effects_mode mode = {.target = isa, .sew = widths[i], .lmul = 1};
        struct cy_effects effects;
        cy_effects_in(&mode, insn, &effects);
        seen->sets_rpc |= (effects.state_reads | effects.state_writes) & CY_STATE_RPC;
        if (effects.is_illegal)
            continue;
        cy_regs_unite(&all_reads, &effects.reads);
        cy_regs_unite(&all_writes, &effects.writes);
    }
    put_places(&all_reads, reads);
    put_places(&all_writes, writes);
    for (unsigned i = 0; i < IR_ASM_PLACES; i++) {
        seen->reads[i] |= reads[i] & ~seen->writes[i];
        seen->writes[i] |= writes[i];
    }
}

static void see_code(struct asm_import *a, struct clobbers *seen, const struct cy_section *text)
{
    enum cy_target isa = ir_target(a->im->module)->isa;
    for (size_t at = 0; at + 4 <= text->data.size;) {
        uint32_t words[2] = {0};
        size_t left = text->data.size - at;
        memcpy(words, text->data.data + at, left < 8 ? 4 : 8);
        struct cy_insn insn;
        bool ok = cy_decode(isa, words, left < 8 ? 1 : 2, &insn) == CY_DECODE_OK;
        if (ok)
            see_insn(seen, isa, &insn);
        at += ok ? insn.size : 4;
    }
}

static void add_seen(struct asm_import *a, const struct clobbers *seen)
{
    for (unsigned place = 5; place < 64 * IR_ASM_PLACES; place++) {
        char class = place < 64 ? 'x' : 'v';
        unsigned number = place < 64 ? place : place - 64;
        if (has_place(seen->own, place))
            continue;
        if (has_place(seen->writes, place) && !has_place(a->made.clobbers, place))
            cy_buf_printf(&a->constraints, "%s~%c%u", a->constraints.size ? "," : "", class, number);
        if (has_place(seen->reads, place))
            cy_buf_printf(&a->constraints, "%s@%c%u", a->constraints.size ? "," : "", class, number);
    }
    if (has_place(seen->writes, 1) && !has_place(a->made.clobbers, 1))
        cy_buf_printf(&a->constraints, "%s~x1", a->constraints.size ? "," : "");
    if (seen->sets_rpc)
        cy_buf_printf(&a->constraints, "%s!rpc", a->constraints.size ? "," : "");
}

static bool find_clobbers(struct asm_import *a, const unsigned *registers, const struct cy_asm_result *result)
{
    struct clobbers seen = {0};
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    const struct ir_asm *of = &a->made;
    for (unsigned i = 0; i < of->count; i++)
        for (unsigned half = 0; half <= of->operands[i].is_pair; half++)
            add_place(seen.own, registers[i] + half + (of->operands[i].is_vector ? 64 : 0));
    if (cy_object_read(&object, "inline assembly", result->object, result->object_size, &diags)) {
        for (size_t i = 0; i < object.sections.count; i++) {
            const struct cy_section *section = &object.sections.at[i];
            if (strcmp(section->name, ".text") != 0 && section->flags & CY_SHF_ALLOC && section->size)
                error_in_text(a, 0, 0, "inline assembly may not have other sections than its code");
            else if (!strcmp(section->name, ".text") && section->size % 4)
                error_in_text(a, 0, 0, "inline assembly is not a whole number of words");
            else if (!strcmp(section->name, ".text"))
                see_code(a, &seen, section);
        }
    }
    if (has_place(seen.writes, 2) || has_place(seen.writes, 3) || has_place(seen.writes, 4))
        error_in_text(a, 0, 0, "inline assembly may not change the registers sp, gp and tp");
    add_seen(a, &seen);
    cy_object_free(&object);
    cy_diags_free(&diags);
    return !a->im->failed;
}

static bool try_out(struct asm_import *a)
{
    struct cy_buf text = {0};
    struct ir_asm_origins origins = {0};
    struct cy_asm_result result;
    unsigned registers[MOST];
    struct cy_asm_options options = {.march = cy_target_name(ir_target(a->im->module)->isa),
                                     .flags = CY_ASM_NO_FILES | CY_ASM_FILL_PREFIXES};
    if (!ir_asm_parse(&a->made, a->constraints.data ? a->constraints.data : "", a->out.data ? a->out.data : "")) {
        error_in_text(a, 0, 0, "inline assembly with operands that do not fit together");
        return false;
    }
    trial_registers(&a->made, registers);
    ir_asm_render(&a->made, registers, 0, &text, &origins);
    cy_buf_putc(&text, '\n');
    *cy_vec_push(&origins) = (uint32_t)(a->out.size ? a->out.size - 1 : 0);
    if (cy_asm("<inline asm>", text.data, text.size, &options, &result))
        find_clobbers(a, registers, &result);
    else if (a->out.size)
        report_trial(a, &text, origins.at, result.messages);
    cy_asm_result_free(&result);
    cy_vec_free(&origins);
    cy_buf_free(&text);
    return !a->im->failed;
}

/* Two operands cannot be in one register, except an input and a late output. */
static bool check_fixed(struct asm_import *a)
{
    const struct ir_asm *of = &a->made;
    for (unsigned i = 0; i < of->count; i++)
        for (unsigned k = 0; k < i; k++) {
            const struct ir_asm_operand *x = &of->operands[i], *y = &of->operands[k];
            bool is_same = x->fixed >= 0 && x->fixed == y->fixed && x->is_vector == y->is_vector && x->tie != (int)k;
            if (is_same && (x->is_output == y->is_output || x->is_early || y->is_early)) {
                error_in_text(a, 0, 0, "two operands of inline assembly are in the same register");
                return false;
            }
        }
    for (unsigned i = 0; i < of->count; i++) {
        const struct ir_asm_operand *x = &of->operands[i];
        unsigned place = (unsigned)x->fixed + (x->is_vector ? 64 : 0);
        if (x->fixed >= 0 && has_place(of->clobbers, place)) {
            error_in_text(a, 0, 0, "a register of an operand is among the clobbers");
            return false;
        }
    }
    return true;
}

/* ---- building ---- */

/* The words of all inputs, in order: whatever computes them comes before the first ASMIN. */
struct inputs {
    ir_value words[4 * MOST];
    int32_t imm[4 * MOST];
    unsigned count;
};

static void add_input(struct asm_import *a, struct inputs *inputs, unsigned number, LLVMValueRef value)
{
    unsigned size = import_word_count(a->im, LLVMTypeOf(value));
    import_get(a->im, value, inputs->words + inputs->count, size);
    for (unsigned w = 0; w < size; w++)
        inputs->imm[inputs->count++] = (int32_t)(2 * number + w);
}

static ir_value build_asm(struct asm_import *a)
{
    struct importer *im = a->im;
    struct inputs inputs = {.count = 0};
    unsigned arguments = LLVMGetNumArgOperands(a->call), ties = 0, number = a->made.outputs;
    for (unsigned i = 0; i < a->outputs; i++)
        ties += a->operands[i].constraint[0] == '+';
    for (unsigned i = 0; i < a->count; i++)
        if (a->operands[i].number >= (int)a->made.outputs)
            add_input(a, &inputs, number++, a->operands[i].value);
    for (unsigned i = 0; i < a->outputs; i++)
        if (a->operands[i].constraint[0] == '+') {
            LLVMValueRef value = LLVMGetOperand(a->call, arguments - ties--);
            if (kind_of(a->operands[i].constraint) != MEMORY)
                add_input(a, &inputs, number++, value);
        }
    for (unsigned i = 0; i < inputs.count; i++)
        ir_at(im->func, build(im, IR_ASMIN, inputs.words[i], 0))->imm = inputs.imm[i];
    ir_value made = build(im, IR_ASM, 0, 0);
    struct ir_insn *insn = ir_at(im->func, made);
    insn->imm = (int32_t)im->module->asms.count;
    insn->extra = (int32_t)inputs.count;
    return made;
}

static void build_outputs(struct asm_import *a, ir_value made)
{
    struct importer *im = a->im;
    ir_value words[2 * MOST];
    unsigned count = 0;
    for (unsigned i = 0; i < a->made.outputs; i++)
        for (unsigned half = 0; half <= a->made.operands[i].is_pair; half++) {
            words[count] = build(im, IR_ASMOUT, made, 0);
            struct ir_insn *insn = ir_at(im->func, words[count++]);
            insn->imm = (int32_t)(2 * i + half);
            insn->extra = a->made.operands[i].is_vector;
        }
    if (count)
        import_set(im, a->call, words, count);
}

static void keep(struct asm_import *a)
{
    struct cy_arena *arena = &a->im->module->arena;
    const char *constraints =
                   cy_arena_strndup(arena, a->constraints.data ? a->constraints.data : "", a->constraints.size),
               *text = cy_arena_strndup(arena, a->out.data ? a->out.data : "", a->out.size);
    if (!ir_asm_parse(&a->made, constraints, text))
        error_in_text(a, 0, 0, "internal error: inline assembly");
}

void import_asm(struct importer *im, LLVMValueRef call, LLVMValueRef callee)
{
    struct asm_import a = {.im = im, .call = call, .file = ""};
    size_t length, constraints_length;
    const char *string = LLVMGetInlineAsmAsmString(callee, &length);
    const char *constraints = LLVMGetInlineAsmConstraintString(callee, &constraints_length);
    bool is_tagged = length > strlen(CC_ASM_TAG) && !memcmp(string, CC_ASM_TAG, strlen(CC_ASM_TAG));
    char *list = cy_arena_strndup(&im->module->arena, constraints, constraints_length);
    bool ok = true;
    if (is_tagged)
        ok = read_tagged(&a, string + strlen(CC_ASM_TAG), length - strlen(CC_ASM_TAG));
    else
        read_plain(&a, string, length);
    if (!ok || !bind_operands(&a, list, is_tagged))
        import_error(im, call, "inline assembly with operands that are not understood");
    else if (add_operands(&a) && add_clobbers(&a) && add_text(&a) && try_out(&a)) {
        keep(&a);
        if (check_fixed(&a)) {
            ir_value made = build_asm(&a);
            *cy_vec_push(&im->module->asms) = a.made;
            build_outputs(&a, made);
        }
    }
    if (im->failed && !import_is(LLVMTypeOf(call), LLVMVoidTypeKind)) { /* so that its users find something */
        ir_value none[IMPORT_MAX_WORDS];
        unsigned words = import_word_count(im, LLVMTypeOf(call));
        for (unsigned i = 0; i < words && i < IMPORT_MAX_WORDS; i++)
            none[i] = im->zero;
        import_set(im, call, none, words < IMPORT_MAX_WORDS ? words : IMPORT_MAX_WORDS);
    }
    cy_vec_free(&a.runs);
    cy_vec_free(&a.origins);
    cy_buf_free(&a.constraints);
    cy_buf_free(&a.out);
    cy_buf_free(&a.clobbers);
}
