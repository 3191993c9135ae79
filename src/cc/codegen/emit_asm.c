/* Inline assembly: the text with its registers, assembled, becomes words of the function. */
#include "cc/codegen/emit_priv.h"
#include "chengying/asm.h"

#include <string.h>

/* The numbers of the operands' registers. */
static void find_registers(const struct emitter *e, const struct mir_block *block, size_t k, unsigned *registers)
{
    const struct ir_asm *of = mir_asm(e->func, &block->insns.at[k]);
    unsigned at[3] = {0}; /* the next operand of each kind */
    size_t first = k, last = k + 1;
    while (first > 0 && block->insns.at[first - 1].op != MIR_ASM)
        first--;
    while (last < block->insns.count && block->insns.at[last].op != MIR_ASM)
        last++;
    for (size_t i = first; i < last; i++) {
        const struct mir_insn *insn = &block->insns.at[i];
        int kind = i < k && insn->op == MIR_ASM_USES    ? 0
                   : i > k && insn->op == MIR_ASM_EARLY ? 1
                   : i > k && insn->op == MIR_ASM_DEFS  ? 2
                                                        : -1;
        for (unsigned o = 0; kind >= 0 && o < insn->operand_count;) {
            const struct ir_asm_operand *operand = &of->operands[at[kind]];
            if (operand->is_output == (kind > 0) && operand->is_early == (kind == 1)) {
                registers[at[kind]] = mir_location(e->func, insn->operand[o]);
                o += 1 + operand->is_pair;
            }
            at[kind]++;
        }
    }
}

static void put_words(struct emitter *e, const struct cy_section *text, const char *lines)
{
    for (size_t i = 0; i + 4 <= text->data.size; i += 4) {
        const uint8_t *bytes = (const uint8_t *)text->data.data + i;
        struct item *item = cy_vec_push(&e->items);
        *item = (struct item){.line = e->line, .target = NONE, .is_raw = true, .text = i ? NULL : lines};
        uint32_t word = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
        if (!cy_decode_word(e->func->target->isa, word, &item->insn))
            item->insn = (struct cy_insn){.op = CY_OP_INVALID};
        item->insn.word = word;
        item->insn.prefix = 0;
        item->insn.size = 4;
    }
}

static const char *put_relocations(struct emitter *e, const struct cy_object *object, const struct cy_section *text,
                                   uint32_t first)
{
    uint32_t number = (uint32_t)(text - object->sections.at) + 1;
    for (size_t i = 0; i < text->relocs.count; i++) {
        const struct cy_reloc *reloc = &text->relocs.at[i];
        if (reloc->symbol == CY_NO_SYMBOL) /* hints for a linker that shortens code */
            continue;
        const struct cy_symbol *symbol = &object->symbols.at[reloc->symbol];
        if (reloc->offset % 4 || (symbol->section != number && symbol->section != CY_SHN_UNDEF))
            return "inline assembly refers to something that is neither in it nor in the program";
        *cy_vec_push(&e->asm_relocs) = (struct asm_reloc){
            .item = first + reloc->offset / 4,
            .type = reloc->type,
            .symbol =
                symbol->section == number ? NULL : cy_arena_strndup(&e->arena, symbol->name, strlen(symbol->name)),
            .first = first,
            .target = symbol->value,
            .addend = reloc->addend,
        };
    }
    return NULL;
}

/* As the listing shows it. */
static const char *listed(struct emitter *e, const struct cy_buf *text)
{
    struct cy_buf lines = {0};
    for (const char *at = text->data; *at;) {
        at += strspn(at, " \t");
        size_t length = strcspn(at, "\n");
        if (length)
            cy_buf_printf(&lines, "\t%.*s\n", (int)length, at);
        at += length + (at[length] == '\n');
    }
    const char *kept = cy_arena_strndup(&e->arena, lines.data ? lines.data : "", lines.size);
    cy_buf_free(&lines);
    return kept;
}

static const char *put_object(struct emitter *e, const struct cy_asm_result *result, const char *lines)
{
    struct cy_object object = {0};
    struct cy_diags diags = {0};
    const char *wrong = NULL;
    if (!cy_object_read(&object, "inline assembly", result->object, result->object_size, &diags))
        wrong = "inline assembly has no readable object";
    for (size_t i = 0; i < object.sections.count && !wrong; i++) {
        const struct cy_section *section = &object.sections.at[i];
        if (strcmp(section->name, ".text") != 0) {
            if (section->flags & CY_SHF_ALLOC && section->size)
                wrong = "inline assembly may not have other sections than its code";
        } else if (section->size % 4) {
            wrong = "inline assembly is not a whole number of words";
        } else {
            uint32_t first = (uint32_t)e->items.count;
            put_words(e, section, lines);
            wrong = put_relocations(e, &object, section, first);
        }
    }
    cy_diags_free(&diags);
    cy_object_free(&object);
    return wrong;
}

void emit_asm(struct emitter *e, const struct mir_block *block, size_t k)
{
    const struct mir_insn *insn = &block->insns.at[k];
    unsigned registers[IR_ASM_OPERANDS] = {0};
    struct cy_buf text = {0};
    struct cy_asm_result result;
    struct cy_asm_options options = {.march = cy_target_name(e->func->target->isa),
                                     .flags = CY_ASM_NO_FILES | CY_ASM_FILL_PREFIXES};
    e->line = insn->line;
    find_registers(e, block, k, registers);
    ir_asm_render(mir_asm(e->func, insn), registers, e->base / 4 + e->asm_count++, &text, NULL);
    cy_buf_putc(&text, '\n');
    const char *wrong = "inline assembly that was right with other registers";
    if (cy_asm("<inline asm>", text.data, text.size, &options, &result))
        wrong = put_object(e, &result, listed(e, &text));
    if (wrong && !e->failed) {
        cy_diag_file(e->diags, CY_ERROR, e->func->name, "%s\n%s", wrong, result.messages);
        e->failed = true;
    }
    cy_asm_result_free(&result);
    cy_buf_free(&text);
}
