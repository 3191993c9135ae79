#include "cc/ir/ir.h"

#include "abi/abi.h"
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

/* x0-x63, then v0-v255; -1: not a register. */
static int place_of(const char *name, size_t length)
{
    int scalar = cy_parse_xreg(name, length), vector = cy_parse_vreg(name, length);
    return scalar >= 0 ? scalar : vector >= 0 ? CY_SGPRS + vector : -1;
}

static bool add_place(uint64_t *set, const char *name, size_t length)
{
    int place = place_of(name, length);
    if (place >= 0)
        set[place / 64] |= 1ull << (place % 64);
    return place >= 0;
}

static bool parse_tie(struct ir_asm *to, struct ir_asm_operand *operand, const char *digits, size_t length)
{
    unsigned output = 0;
    for (size_t i = 0; i < length; i++) {
        if (digits[i] < '0' || digits[i] > '9' || output > IR_ASM_OPERANDS)
            return false;
        output = output * 10 + (unsigned)(digits[i] - '0');
    }
    if (!length || output >= to->outputs)
        return false;
    *operand = to->operands[output];
    operand->is_output = operand->is_early = false;
    operand->tie = (int16_t)output;
    return true;
}

static bool parse_operand(struct ir_asm *to, const char *item, size_t length)
{
    struct ir_asm_operand operand = {.fixed = -1, .tie = -1};
    const char *end = item + length;
    if (to->count == IR_ASM_OPERANDS)
        return false;
    if (*item == '#') {
        if (!parse_tie(to, &operand, item + 1, length - 1))
            return false;
    } else {
        operand.is_output = *item == '=';
        item += operand.is_output;
        operand.is_early = operand.is_output && item < end && *item == '&';
        item += operand.is_early;
        operand.is_memory = !operand.is_output && item < end && *item == '*';
        item += operand.is_memory;
        operand.is_pair = end - item > 1 && end[-1] == '2';
        size_t size = (size_t)(end - item) - operand.is_pair;
        int place = size > 2 && *item == '{' && item[size - 1] == '}' ? place_of(item + 1, size - 2) : -1;
        if (place < 0 && (size != 1 || (*item != 'v' && *item != 'r')))
            return false;
        operand.is_vector = place < 0 ? *item == 'v' : place >= CY_SGPRS;
        if (place >= 0)
            operand.fixed = (int16_t)(place >= CY_SGPRS ? place - CY_SGPRS : place);
        if (operand.is_pair && operand.fixed >= 0 && operand.fixed % 2)
            return false;
    }
    if (operand.is_output && to->outputs != to->count)
        return false;
    to->operands[to->count++] = operand;
    to->outputs += operand.is_output;
    return true;
}

/* An operand reference at "%{"; returns its length, 0: malformed. */
static size_t scan_reference(const struct ir_asm *of, const char *at, unsigned *operand, char *modifier)
{
    size_t i = 2;
    *operand = 0;
    *modifier = 0;
    if (at[2] == '=' && at[3] == '}') {
        *modifier = '=';
        return 4;
    }
    for (; at[i] >= '0' && at[i] <= '9' && *operand < IR_ASM_OPERANDS; i++)
        *operand = *operand * 10 + (unsigned)(at[i] - '0');
    if (i == 2 || *operand >= of->count)
        return 0;
    if (at[i] == 'L' || at[i] == 'H' || at[i] == 'N')
        *modifier = at[i++];
    if (*modifier == 'H' && !of->operands[*operand].is_pair)
        return 0;
    return at[i] == '}' ? i + 1 : 0;
}

bool ir_asm_parse(struct ir_asm *to, const char *constraints, const char *text)
{
    *to = (struct ir_asm){.constraints = constraints, .text = text};
    for (const char *item = constraints; *item;) {
        size_t length = strcspn(item, ",");
        bool ok = length && (*item == '~'   ? add_place(to->clobbers, item + 1, length - 1)
                             : *item == '@' ? add_place(to->reserved, item + 1, length - 1)
                             : *item == '!' ? length == 4 && !memcmp(item, "!rpc", 4)
                                            : parse_operand(to, item, length));
        if (!ok)
            return false;
        to->sets_rpc |= *item == '!';
        item += length + (item[length] == ',');
    }
    for (const char *at = text; *at;) {
        unsigned operand;
        char modifier;
        size_t length = *at != '%'     ? 1
                        : at[1] == '%' ? 2
                        : at[1] == '{' ? scan_reference(to, at, &operand, &modifier)
                                       : 0;
        if (!length)
            return false;
        at += length;
    }
    return true;
}

static void put_operand(const struct ir_asm *of, unsigned operand, char modifier, unsigned number, struct cy_buf *out)
{
    const struct ir_asm_operand *info = &of->operands[operand];
    char class = info->is_vector ? 'v' : 'x';
    if (modifier == 'N')
        cy_buf_printf(out, "%u", number);
    else if (info->is_memory && !modifier)
        cy_buf_printf(out, "0(%c%u)", class, number);
    else
        cy_buf_printf(out, "%c%u", class, number + (modifier == 'H'));
}

void ir_asm_render(const struct ir_asm *from, const unsigned *registers, unsigned number, struct cy_buf *out,
                   struct ir_asm_origins *origins)
{
    for (const char *at = from->text; *at;) {
        unsigned operand;
        char modifier;
        size_t length = 1, before = out->size;
        if (*at == '%' && at[1] == '%') {
            length = 2;
            cy_buf_putc(out, '%');
        } else if (*at == '%') {
            length = scan_reference(from, at, &operand, &modifier);
            if (modifier == '=')
                cy_buf_printf(out, "%u", number);
            else
                put_operand(from, operand, modifier, registers[operand], out);
        } else {
            cy_buf_putc(out, *at);
        }
        for (; origins && before < out->size; before++)
            *cy_vec_push(origins) = (uint32_t)(at - from->text);
        at += length;
    }
}

/* The words of an operand in the order of op ASMIN's imm; the next one after `word` on this side, -1: none. */
static int32_t next_word(const struct ir_asm *of, bool is_output, int32_t word)
{
    for (word++; word < 2 * (int32_t)of->count; word++)
        if (of->operands[word / 2].is_output == is_output && (word % 2 == 0 || of->operands[word / 2].is_pair))
            return word;
    return -1;
}

const char *ir_check_asm(const struct ir_module *module, const struct ir_func *func, const struct ir_block *block,
                         size_t at)
{
    const struct ir_insn *insn = ir_at(func, block->list.at[at]);
    if (insn->imm < 0 || (size_t)insn->imm >= module->asms.count)
        return "there is no such assembly";
    const struct ir_asm *of = &module->asms.at[insn->imm];
    int32_t word = next_word(of, false, -1);
    for (size_t i = at - (size_t)insn->extra; i < at; i++, word = next_word(of, false, word))
        if (ir_at(func, block->list.at[i])->imm != word)
            return "the inputs of assembly are not those of its constraints";
    if (word >= 0)
        return "assembly lacks an input";
    for (size_t i = at + 1; i < block->list.count && ir_at(func, block->list.at[i])->op == IR_ASMOUT; i++) {
        const struct ir_insn *out = ir_at(func, block->list.at[i]);
        do {
            word = next_word(of, true, word);
        } while (word >= 0 && word != out->imm);
        if (word < 0 || out->args[0] != block->list.at[at] || (out->extra != 0) != of->operands[word / 2].is_vector)
            return "the outputs of assembly are not those of its constraints";
    }
    return NULL;
}
