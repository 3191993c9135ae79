/* What an executable holds beside code: variables, constants, printf formats, and which kernels an engine may reorder. */
#include "cc/codegen/data.h"

#include "cc/codegen/backend.h"

#include <string.h>

static uint32_t section_index(struct cy_object *object, const char *name, uint32_t type, uint32_t flags)
{
    for (uint32_t i = 0; i < object->sections.count; i++)
        if (!strcmp(object->sections.at[i].name, name))
            return i;
    cy_object_add_section(object, name, type, flags);
    return (uint32_t)object->sections.count - 1;
}

static uint32_t find_symbol(const struct cy_object *object, const char *name)
{
    for (uint32_t i = 0; i < object->symbols.count; i++)
        if (!strcmp(object->symbols.at[i].name, name))
            return i;
    return CY_NO_SYMBOL;
}

/* The back end may already have created the symbol as an undefined one. */
static uint32_t define_symbol(struct cy_object *object, const struct ir_symbol *symbol, uint32_t section,
                              uint32_t value)
{
    uint32_t index = find_symbol(object, symbol->name);
    if (index == CY_NO_SYMBOL) {
        index = (uint32_t)object->symbols.count;
        *cy_vec_push(&object->symbols) =
            (struct cy_symbol){.name = cy_arena_strndup(&object->arena, symbol->name, strlen(symbol->name))};
    }
    struct cy_symbol *made = &object->symbols.at[index];
    made->section = section + 1;
    made->value = value;
    made->size = symbol->size;
    made->binding = CY_STB_GLOBAL;
    made->type = CY_STT_OBJECT;
    return index;
}

/* CY_MARK_COUNT: it has none. */
static enum cy_mark mark_of(const struct ir_func *func)
{
    bool takes_locks = false, follows_groups = false;
    if (func->is_function || (func->may_spin && ir_may_wait(func, &takes_locks, &follows_groups)))
        return CY_MARK_COUNT;
    if (!takes_locks && !follows_groups)
        return func->exchanges_lanes ? CY_MARK_WARPS : CY_MARK_LANES;
    return func->exchanges_lanes ? CY_MARK_COUNT : follows_groups ? CY_MARK_ROWS : CY_MARK_LOCKS;
}

static void mark_independent(const struct ir_module *module, struct cy_object *object)
{
    struct cy_buf names[CY_MARK_COUNT] = {0};
    for (size_t i = 0; i < module->funcs.count; i++) {
        const struct ir_func *func = &module->funcs.at[i];
        const enum cy_mark mark = mark_of(func);
        if (mark != CY_MARK_COUNT)
            cy_buf_append(&names[mark], func->name, strlen(func->name) + 1);
    }
    for (unsigned mark = 0; mark < CY_MARK_COUNT; mark++) {
        if (names[mark].size) {
            struct cy_section *section = cy_object_add_section(object, cy_mark_sections[mark], CY_SHT_PROGBITS, 0);
            cy_buf_append(&section->data, names[mark].data, names[mark].size);
            section->size = (uint32_t)section->data.size;
        }
        cy_buf_free(&names[mark]);
    }
}

/* The checker's table (src/check/check.c): what is where in local and private memory. */
static void list_variables(const struct ir_module *module, struct cy_object *object)
{
    struct cy_section *section = cy_object_add_section(object, ".cy.check", CY_SHT_PROGBITS, 0);
    for (size_t i = 0; i < module->funcs.count; i++) {
        const struct ir_func *func = &module->funcs.at[i];
        if (func->is_function)
            continue;
        cy_buf_printf(&section->data, "K %s\n", func->name);
        if (func->callees.count)
            cy_buf_printf(&section->data, "C %s\n", func->name);
        for (size_t k = 0; k < func->variables.count; k++) {
            const struct ir_variable *v = &func->variables.at[k];
            cy_buf_printf(&section->data, "%c %s %u %u %s\n", v->is_local ? 'L' : 'P', func->name, v->offset, v->size,
                          v->name);
        }
        /* what the back end adds comes after the variables, then the frames of functions */
        const uint32_t spills = (func->private_bytes + 3) & ~3u;
        if (func->needs.private_bytes > spills)
            cy_buf_printf(&section->data, "P %s %u %u spills\n", func->name, spills,
                          func->needs.private_bytes - spills);
    }
    section->size = (uint32_t)section->data.size;
}

void cc_emit_data(const struct ir_module *module, struct cy_object *object)
{
    for (size_t i = 0; i < module->symbols.count; i++) {
        const struct ir_symbol *symbol = &module->symbols.at[i];
        if (symbol->is_local)
            continue;
        uint32_t index = symbol->is_constant ? section_index(object, ".rodata", CY_SHT_PROGBITS, CY_SHF_ALLOC)
                         : symbol->is_zero
                             ? section_index(object, ".bss", CY_SHT_NOBITS, CY_SHF_ALLOC | CY_SHF_WRITE)
                             : section_index(object, ".data", CY_SHT_PROGBITS, CY_SHF_ALLOC | CY_SHF_WRITE);
        struct cy_section *section = &object->sections.at[index];
        uint32_t at = (section->size + symbol->align - 1) & ~(symbol->align - 1);
        section->align = section->align < symbol->align ? symbol->align : section->align;
        if (section->type == CY_SHT_PROGBITS) {
            cy_buf_zeros(&section->data, at - section->size);
            if (symbol->is_zero)
                cy_buf_zeros(&section->data, symbol->size);
            else
                cy_buf_append(&section->data, symbol->data.data, symbol->size);
        }
        section->size = at + symbol->size;
        define_symbol(object, symbol, index, at);
    }
    /* Pointers in initialisers, once every symbol has its offset. */
    for (size_t i = 0; i < module->symbols.count; i++) {
        const struct ir_symbol *symbol = &module->symbols.at[i];
        for (size_t r = 0; r < symbol->relocs.count; r++) {
            const struct cy_symbol *own = &object->symbols.at[find_symbol(object, symbol->name)];
            struct cy_reloc reloc = {own->value + symbol->relocs.at[r].offset, CY_R_RISCV_32,
                                     find_symbol(object, module->symbols.at[symbol->relocs.at[r].symbol].name),
                                     symbol->relocs.at[r].addend};
            *cy_vec_push(&object->sections.at[own->section - 1].relocs) = reloc;
        }
    }
    mark_independent(module, object);
    if (module->check)
        list_variables(module, object);
    if (module->formats.count) {
        struct cy_section *section = cy_object_add_section(object, CY_PRINTF_SECTION, CY_SHT_PROGBITS, 0);
        for (size_t i = 0; i < module->formats.count; i++)
            cy_buf_append(&section->data, module->formats.at[i].text, module->formats.at[i].length + 1);
        section->size = (uint32_t)section->data.size;
    }
}

static const char *function_of(const struct debug_info *debug, uint32_t scope)
{
    while (scope && !debug->scopes.at[scope - 1].name)
        scope = debug->scopes.at[scope - 1].parent;
    return scope ? debug->scopes.at[scope - 1].name : "?";
}

/* Lines of "I function offset", then, for each function that was inlined there from the innermost on, its name and the
 * place of the call: "name line column file". */
void cc_emit_calls(const struct ir_module *module, const struct backend_stats *stats, struct cy_object *object)
{
    const struct debug_info *debug = &module->debug;
    struct cy_section *section = cy_object_find_section(object, ".cy.check");
    for (size_t i = 0; section && i < module->funcs.count; i++) {
        uint32_t before = 0;
        for (size_t k = 0; k < stats[i].lines.count; k++) {
            const struct backend_line *row = &stats[i].lines.at[k];
            const uint32_t number = IR_SITE(row->line);
            const struct debug_site *site = number ? &debug->sites.at[number - 1] : NULL;
            const uint32_t inlined = site && site->inlined_at ? number : 0;
            if (inlined == before)
                continue;
            before = inlined;
            cy_buf_printf(&section->data, "I %s %u", module->funcs.at[i].name, row->offset - stats[i].code_offset);
            for (; inlined && site->inlined_at; site = &debug->sites.at[site->inlined_at - 1]) {
                const struct debug_site *call = &debug->sites.at[site->inlined_at - 1];
                const uint32_t file = IR_FILE(call->line);
                cy_buf_printf(&section->data, " %s %u %u %s", function_of(debug, site->scope), IR_LINE(call->line),
                              call->column, file < module->files.count ? module->files.at[file] : "?");
            }
            cy_buf_puts(&section->data, "\n");
        }
    }
    if (section)
        section->size = (uint32_t)section->data.size;
}
