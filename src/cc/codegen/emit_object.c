/* The emitted instructions as words in an object, with symbols, relocations and the resource record; and as an assembly
 * listing. */
#include "cc/codegen/emit_priv.h"

#include <string.h>

static uint32_t section_number(const struct cy_object *object, const struct cy_section *section)
{
    return (uint32_t)(section - object->sections.at) + 1;
}

static uint32_t symbol_of(struct cy_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->symbols.count; i++)
        if (object->symbols.at[i].type != CY_STT_SECTION && object->symbols.at[i].type != CY_STT_FILE &&
            strcmp(object->symbols.at[i].name, name) == 0)
            return i;
    *cy_vec_push(&object->symbols) = (struct cy_symbol){.name = cy_arena_strndup(&object->arena, name, strlen(name)),
                                                        .section = CY_SHN_UNDEF,
                                                        .binding = CY_STB_GLOBAL};
    return (uint32_t)object->symbols.count - 1;
}

static struct cy_section *text_section(struct cy_object *object)
{
    struct cy_section *text = cy_object_find_section(object, ".text");
    if (!text) {
        text = cy_object_add_section(object, ".text", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_EXECINSTR);
        text->align = 4;
    }
    cy_buf_zeros(&text->data, (4 - text->data.size % 4) % 4);
    return text;
}

static void add_relocations(struct emitter *e, struct cy_section *text, uint32_t base)
{
    struct cy_object *object = e->object;
    uint32_t number = section_number(object, text);
    for (uint32_t i = 0; i < e->items.count; i++) {
        const struct item *item = &e->items.at[i];
        uint32_t at = base + own_offset(item);
        if (item->fix == FIX_SYMBOL_HI) {
            uint32_t symbol = symbol_of(object, e->func->module->symbols.at[item->target].name);
            *cy_vec_push(&text->relocs) = (struct cy_reloc){at, CY_R_RISCV_PCREL_HI20, symbol, item->addend};
        } else if (item->fix == FIX_SYMBOL_LO) {
            const char *name = cy_arena_printf(&object->arena, ".Lpcrel_hi%zu", object->symbols.count);
            *cy_vec_push(&object->symbols) = (struct cy_symbol){
                .name = name,
                .value = base + own_offset(&e->items.at[item->high]),
                .section = number,
                .binding = CY_STB_LOCAL,
                .type = CY_STT_NOTYPE,
            };
            *cy_vec_push(&text->relocs) =
                (struct cy_reloc){at, CY_R_RISCV_PCREL_LO12_I, (uint32_t)object->symbols.count - 1, 0};
        }
    }
}

/* Relocations of inline assembly: against symbols of the program, or against places in the assembly itself. */
static void add_asm_relocations(struct emitter *e, struct cy_section *text, uint32_t base)
{
    struct cy_object *object = e->object;
    uint32_t number = section_number(object, text);
    for (size_t i = 0; i < e->asm_relocs.count; i++) {
        const struct asm_reloc *reloc = &e->asm_relocs.at[i];
        uint32_t symbol = 0;
        if (reloc->symbol) {
            symbol = symbol_of(object, reloc->symbol);
        } else {
            const char *name = cy_arena_printf(&object->arena, ".Lasm%zu", object->symbols.count);
            *cy_vec_push(&object->symbols) = (struct cy_symbol){
                .name = name,
                .value = base + e->items.at[reloc->first].offset + reloc->target,
                .section = number,
                .binding = CY_STB_LOCAL,
            };
            symbol = (uint32_t)object->symbols.count - 1;
        }
        *cy_vec_push(&text->relocs) =
            (struct cy_reloc){base + e->items.at[reloc->item].offset, reloc->type, symbol, reloc->addend};
    }
}

uint32_t emit_text_size(struct cy_object *object)
{
    return (uint32_t)text_section(object)->data.size;
}

static uint32_t item_offset(const struct emitter *e, uint32_t item)
{
    return e->base + (item < e->items.count ? e->items.at[item].offset : e->size);
}

/* What a debugger needs to know about frames and calls. */
static void note_frame(const struct emitter *e, struct backend_stats *stats)
{
    const struct frame *frame = &e->frame;
    struct backend_frame *out = &stats->frame;
    *out = (struct backend_frame){.sp_moved = item_offset(e, frame->sp_moved),
                                  .saved = item_offset(e, frame->saved),
                                  .tp_moved = item_offset(e, frame->tp_moved),
                                  .epilogue = item_offset(e, frame->epilogue),
                                  .tp_back = item_offset(e, frame->tp_back),
                                  .sp_back = item_offset(e, frame->sp_back),
                                  .left = item_offset(e, frame->left),
                                  .private_bytes = e->func->has_calls ? frame->private_bytes : 0,
                                  .scalar_count = frame->scalar_count};
    memcpy(out->scalars, frame->scalars, sizeof(out->scalars));
    for (uint32_t i = 0; i < e->items.count; i++) {
        const struct item *item = &e->items.at[i];
        if (item->fix == FIX_CALL || item->fix == FIX_CALL_LO)
            *cy_vec_push(&stats->callsites) = (struct backend_call){
                item_offset(e, i + 1), item->fix == FIX_CALL ? item->target : e->items.at[item->high].target};
    }
}

void emit_object(struct emitter *e, struct backend_stats *stats)
{
    struct cy_section *text = text_section(e->object);
    uint32_t base = e->base;
    ir_location line = 0;
    for (size_t i = 0; i < e->items.count; i++) {
        const struct item *item = &e->items.at[i];
        /* a breakpoint on the line after a join stops all lanes together, not each side as it arrives */
        const bool is_join = item->insn.op == CY_OP_join && mir_wants_debug(e->func);
        if (item->line && (item->line != line || is_join)) {
            *cy_vec_push(&stats->lines) = (struct backend_line){base + item->offset, item->line, is_join};
            line = is_join ? 0 : item->line;
        }
        uint32_t words[2] = {item->insn.prefix, item->insn.word};
        for (int w = item->insn.size == 8 ? 0 : 1; w < 2; w++) {
            uint8_t bytes[4] = {(uint8_t)words[w], (uint8_t)(words[w] >> 8), (uint8_t)(words[w] >> 16),
                                (uint8_t)(words[w] >> 24)};
            cy_buf_append(&text->data, bytes, 4);
        }
    }
    text->size = (uint32_t)text->data.size;
    *cy_vec_push(&e->object->symbols) = (struct cy_symbol){
        .name = cy_arena_strndup(&e->object->arena, e->func->name, strlen(e->func->name)),
        .value = base,
        .size = e->size,
        .section = section_number(e->object, text),
        .binding = e->ir->is_function ? CY_STB_LOCAL : CY_STB_GLOBAL,
        .type = CY_STT_FUNC,
    };
    add_relocations(e, text, base);
    add_asm_relocations(e, text, base);
    stats->code_offset = base;
    stats->code_bytes = e->size;
    note_frame(e, stats);
}

bool emit_resources(struct emitter *e)
{
    const struct ir_needs *needs = &e->ir->needs;
    uint32_t values[4] = {needs->vgprs, needs->sgprs, e->ir->local_bytes, (needs->private_bytes + 3) & ~3u};
    static const char *const names[] = {"vGPRs", "sGPRs", "bytes of local memory",
                                        "bytes of private memory per work-item"};
    struct cy_buf name = {0};
    const uint32_t stack = CY_STACK_BYTES - (e->ir->exchanges_lanes ? CY_EXCHANGE_BYTES : 0);
    if (needs->stack_bytes > stack) {
        cy_diag_file(e->diags, CY_ERROR, e->func->name,
                     "calls are nested too deeply: they need %u bytes of scalar stack, and there are %u",
                     needs->stack_bytes, stack);
        return false;
    }
    cy_buf_printf(&name, CY_RESOURCE_SECTION "%s", e->func->name);
    struct cy_section *section = cy_object_add_section(e->object, name.data, CY_SHT_PROGBITS, CY_SHF_WRITE);
    cy_buf_free(&name);
    section->align = 2;
    for (int i = 0; i < 4; i++) {
        if (values[i] > UINT16_MAX) {
            cy_diag_file(e->diags, CY_ERROR, e->func->name, "the kernel needs %u %s: more than %u", values[i], names[i],
                         (unsigned)UINT16_MAX);
            return false;
        }
        uint8_t bytes[2] = {(uint8_t)values[i], (uint8_t)(values[i] >> 8)};
        cy_buf_append(&section->data, bytes, 2);
    }
    section->size = CY_RESOURCE_BYTES;
    return true;
}

/* ---- assembly ---- */

/* The instruction with a different last operand. */
static void print_with(struct cy_buf *out, enum cy_target isa, const struct item *item, const char *operand)
{
    /* `addi a0, a0, 0` with a relocation is not a mv */
    bool is_low = item->fix == FIX_LABEL_LO || item->fix == FIX_SYMBOL_LO;
    cy_print(out, isa, &item->insn, 0, is_low ? CY_PRINT_NO_ALIASES : 0);
    while (out->size && out->data[out->size - 1] != ' ' && out->data[out->size - 1] != '\t')
        out->size--;
    out->data[out->size] = 0;
    cy_buf_puts(out, operand);
}

static void print_item(const struct emitter *e, uint32_t i, const uint32_t *label_of, struct cy_buf *out)
{
    const struct item *item = &e->items.at[i];
    struct cy_buf operand = {0};
    const char *name = e->func->name;
    if (item->is_raw) {
        cy_buf_puts(out, item->text ? item->text : "");
        return;
    }
    bool is_raw = item->insn.prefix || (item->fix == FIX_LABEL_LO && e->items.at[item->high].insn.prefix);
    cy_buf_putc(out, '\t');
    if (item->fix == FIX_BRANCH && item->target != NONE)
        cy_buf_printf(&operand, ".L%s_%u", name, label_of[item->target]);
    else if (item->fix == FIX_BRANCH)
        cy_buf_printf(&operand, ".+%u", e->items.at[i + item->skip].offset - item->offset);
    else if (item->fix == FIX_LABEL_HI && !is_raw)
        cy_buf_printf(&operand, "%%pcrel_hi(.L%s_%u)", name, label_of[item->target]);
    else if (item->fix == FIX_SYMBOL_HI)
        cy_buf_printf(&operand, "%%pcrel_hi(%s+%d)", e->func->module->symbols.at[item->target].name, item->addend);
    else if ((item->fix == FIX_LABEL_LO && !is_raw) || item->fix == FIX_SYMBOL_LO)
        cy_buf_printf(&operand, "%%pcrel_lo(.L%s_hi%u)", name, item->high);
    else if (item->fix == FIX_CALL)
        cy_buf_puts(&operand, e->func->module->funcs.at[item->target].name);
    if (operand.size)
        print_with(out, e->func->target->isa, item, operand.data);
    else
        cy_print(out, e->func->target->isa, &item->insn, item->offset, CY_PRINT_CSR_NAMES);
    cy_buf_putc(out, '\n');
    cy_buf_free(&operand);
}

static void print_head(const struct emitter *e, struct cy_buf *out)
{
    const char *name = e->func->name;
    const struct ir_needs *needs = &e->ir->needs;
    cy_buf_puts(out, "\t.text\n");
    if (e->ir->is_function)
        cy_buf_printf(out, "\t.type %s, @function\n%s:\n", name, name);
    else
        cy_buf_printf(out, "\t.ventus_kernel %s, vgpr=%u, sgpr=%u, lds=%u, pds=%u\n%s:\n", name, needs->vgprs,
                      needs->sgprs, e->ir->local_bytes, (needs->private_bytes + 3) & ~3u, name);
}

/* "# kernel.cl:12:     return x;" */
static void print_line(const struct ir_module *module, ir_location location, struct cy_buf *out)
{
    uint32_t line = IR_LINE(location);
    const char *file = module && IR_FILE(location) < module->files.count ? module->files.at[IR_FILE(location)] : "line";
    cy_buf_printf(out, "\t# %s:%u", file, line);
    if (module && module->source_name && !strcmp(file, module->source_name) && line < module->source_lines.count) {
        const char *text = module->source + module->source_lines.at[line - 1];
        size_t length = module->source_lines.at[line] - module->source_lines.at[line - 1];
        while (length && (text[length - 1] == '\n' || text[length - 1] == '\r'))
            length--;
        cy_buf_puts(out, ": ");
        cy_buf_append(out, text, length);
    }
    cy_buf_putc(out, '\n');
}

void emit_assembly(const struct emitter *e, struct cy_buf *out)
{
    const char *name = e->func->name;
    uint32_t *label_of = cy_xrealloc(NULL, e->func->blocks.count * sizeof(*label_of));
    uint32_t line = 0;
    for (uint32_t i = 0; i < e->func->blocks.count; i++)
        label_of[i] = 0;
    for (uint32_t i = 0; i < e->items.count; i++) /* only labels that are referenced */
        if ((e->items.at[i].fix == FIX_BRANCH || e->items.at[i].fix == FIX_LABEL_HI) && e->items.at[i].target != NONE)
            label_of[e->items.at[i].target] = 1;
    for (uint32_t i = 0, number = 0; i < e->layout.count; i++)
        if (label_of[e->layout.at[i]])
            label_of[e->layout.at[i]] = ++number;
    print_head(e, out);
    for (uint32_t b = 0, i = 0; i < e->items.count; i++) {
        for (; b < e->layout.count && e->first[e->layout.at[b]] <= i; b++)
            if (label_of[e->layout.at[b]])
                cy_buf_printf(out, ".L%s_%u:\n", name, label_of[e->layout.at[b]]);
        const struct item *item = &e->items.at[i];
        if (item->line && (uint32_t)item->line != line) {
            line = (uint32_t)item->line;
            print_line(e->func->module, line, out);
        }
        if (item->fix == FIX_LABEL_HI || item->fix == FIX_SYMBOL_HI)
            cy_buf_printf(out, ".L%s_hi%u:\n", name, i);
        print_item(e, i, label_of, out);
    }
    cy_buf_printf(out, "\t.size %s, .-%s\n\n", name, name);
    cy_free(label_of);
}
