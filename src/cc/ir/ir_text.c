/* The text form of the IR: printed here, and read back to the same functions by ir_read.c.
 *
 *     file "vecadd.cl"                                      a file of source locations, in order
 *     symbol @table size 8 align 4 constant data "\01..."   program-scope data; zero, local, reloc 4 @other +8
 *     format "%d\0a"                                        of printf
 *     asm "=v,v" "vfexp.v %{0}, %{1}"                       inline assembly: see asm.h
 *     kernel k !3 local 64 reqd 8 1 1 observes_workgroup           !3: line 3 of file 0; !1:3 of file 1
 *       argument "a" "int*" size 4 align 4 space 1 pointer
 *       b0:
 *         s1 = argbase                                      s: uniform, v: divergent
 *         s2 = load s1 #4 +8 !5                             #imm, +extra; a location holds until the next one
 *         v3 = lane
 *         vbranch v3 ? b1 : b2
 *       b1: join preds b2 b0                                preds only where they are not in the order of the blocks
 *         v4 = phi [s2 from b2] [v3 from b0]
 *         return
 *     function f params 1 results 1                         called, not launched; calls and symbols are @name
 *
 * Zeros and whatever follows from the rest are not printed.  A semicolon starts a comment; a line that begins with ---
 * ends the text.  The program's source, which assembly quotes, is not part of it. */
#include "cc/ir/ir_text_priv.h"

#include "base/scan.h"
#include "isa/isa.h"

#include <string.h>

/* ---- what both directions share ---- */

/* Operations whose imm is always printed. */
bool ir_shows_imm(unsigned op)
{
    return op == IR_CONST || op == IR_CSR || op == IR_LOAD || op == IR_STORE || (op >= IR_PARAM && op <= IR_ASMOUT);
}

bool ir_has_value(unsigned op)
{
    return !(ir_ops[op].flags & IR_EFFECT) || ir_is_atomic(op);
}

/* For each block: are its predecessors in block order? */
static void find_plain_preds(const struct ir_func *func, uint8_t *plain)
{
    uint32_t *next = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*next));
    for (size_t b = 0; b < func->blocks.count; b++)
        next[b] = 0, plain[b] = 1;
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t s = 0; s < func->blocks.at[b].succ_count; s++) {
            uint32_t to = func->blocks.at[b].succ[s], at = next[to]++;
            plain[to] &= at < func->blocks.at[to].preds.count && func->blocks.at[to].preds.at[at] == b;
        }
    for (size_t b = 0; b < func->blocks.count; b++)
        plain[b] &= next[b] == func->blocks.at[b].preds.count;
    cy_free(next);
}

/* The callees, each once, in call order; returns how many. */
size_t ir_find_callees(const struct ir_func *func, uint32_t *found)
{
    size_t count = 0;
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            const struct ir_insn *insn = ir_at(func, func->blocks.at[b].list.at[i]);
            size_t k = 0;
            while (insn->op == IR_CALL && k < count && found[k] != (uint32_t)insn->imm)
                k++;
            if (insn->op == IR_CALL && k == count)
                found[count++] = (uint32_t)insn->imm;
        }
    return count;
}

size_t ir_count_calls(const struct ir_func *func)
{
    size_t count = 0;
    for (size_t i = 0; i < func->insns.count; i++)
        count += func->insns.at[i].op == IR_CALL;
    return count;
}

/* ---- printing ---- */

bool ir_is_plain_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '$';
}

static void print_name(struct cy_buf *out, const char *name)
{
    size_t plain = 0;
    while (ir_is_plain_char(name[plain]))
        plain++;
    if (plain && !name[plain])
        cy_buf_puts(out, name);
    else
        cy_scan_quote(out, name, strlen(name));
}

static void print_location(struct cy_buf *out, ir_location line)
{
    if (IR_FILE(line))
        cy_buf_printf(out, " !%u:%u", IR_FILE(line), IR_LINE(line));
    else
        cy_buf_printf(out, " !%u", IR_LINE(line));
}

static void print_value(const struct ir_func *func, ir_value value, struct cy_buf *out)
{
    if (value)
        cy_buf_printf(out, "%c%u", ir_at(func, value)->is_divergent ? 'v' : 's', value);
    else
        cy_buf_puts(out, "none"); /* the predecessor is unreachable */
}

/* A function or symbol, by name when the module is known. */
static void print_target(const struct ir_insn *insn, const struct ir_module *module, struct cy_buf *out)
{
    uint32_t index = (uint32_t)insn->imm;
    const char *name = NULL;
    if (module && insn->op == IR_CALL && index < module->funcs.count)
        name = module->funcs.at[index].name;
    else if (module && insn->op == IR_SYMBOL && index < module->symbols.count)
        name = module->symbols.at[index].name;
    cy_buf_puts(out, name ? " @" : " #");
    if (name)
        print_name(out, name);
    else
        cy_buf_printf(out, "%u", index);
}

static void print_insn(const struct ir_func *func, const struct ir_module *module, ir_value value, uint32_t *line,
                       struct cy_buf *out)
{
    const struct ir_insn *insn = ir_at(func, value);
    cy_buf_puts(out, "    ");
    print_value(func, value, out);
    cy_buf_printf(out, " = %s", ir_ops[insn->op].name);
    const struct ir_block *block = &func->blocks.at[insn->block];
    for (size_t i = 0; insn->op == IR_PHI && i < block->preds.count; i++) {
        cy_buf_puts(out, " [");
        print_value(func, func->phi_args.at[insn->args[0] + i], out);
        cy_buf_printf(out, " from b%u]", block->preds.at[i]);
    }
    for (unsigned i = 0; insn->op != IR_PHI && i < ir_ops[insn->op].arguments; i++) {
        cy_buf_putc(out, ' ');
        print_value(func, insn->args[i], out);
    }
    if (insn->op == IR_CALL || insn->op == IR_SYMBOL)
        print_target(insn, module, out);
    else if ((insn->op == IR_AMO || insn->op == IR_AMO64) && insn->imm >= 0 && insn->imm < CY_OP_COUNT)
        cy_buf_printf(out, " %s", cy_insns[insn->imm].mnemonic);
    else if (ir_shows_imm(insn->op) || insn->imm)
        cy_buf_printf(out, " #%d", insn->imm);
    if (insn->extra)
        cy_buf_printf(out, " %+d", insn->extra);
    if (insn->is_private)
        cy_buf_puts(out, " private");
    if (insn->is_volatile)
        cy_buf_puts(out, " volatile");
    if (insn->variable)
        cy_buf_printf(out, " variable #%u", (unsigned)insn->variable);
    if ((uint32_t)insn->line != *line)
        print_location(out, *line = (uint32_t)insn->line);
    cy_buf_putc(out, '\n');
}

static void print_end(const struct ir_func *func, const struct ir_block *block, struct cy_buf *out)
{
    if (block->terminator == IR_JUMP) {
        cy_buf_printf(out, "    jump b%u\n", block->succ[0]);
    } else if (block->terminator == IR_BRANCH) {
        cy_buf_puts(out, block->is_divergent_branch ? "    vbranch " : "    branch ");
        print_value(func, block->condition, out);
        cy_buf_printf(out, " ? b%u : b%u\n", block->succ[0], block->succ[1]);
    } else {
        cy_buf_puts(out, block->terminator == IR_RETURN ? "    return\n" : "    unreachable\n");
    }
}

static void print_number(struct cy_buf *out, const char *name, uint32_t number)
{
    if (number)
        cy_buf_printf(out, " %s %u", name, number);
}

static void print_callees(const struct ir_func *func, const struct ir_module *module, struct cy_buf *out)
{
    uint32_t *found = cy_xrealloc(NULL, (ir_count_calls(func) + 1) * sizeof(*found));
    size_t count = ir_find_callees(func, found);
    bool as_called =
        count == func->callees.count && (!count || !memcmp(found, func->callees.at, count * sizeof(*found)));
    for (size_t i = 0; !as_called && i <= func->callees.count; i++) {
        if (!i)
            cy_buf_puts(out, " calls");
        else
            print_target(&(struct ir_insn){.op = IR_CALL, .imm = (int32_t)func->callees.at[i - 1]}, module, out);
    }
    cy_free(found);
}

static void print_argument(const struct ir_argument *argument, struct cy_buf *out)
{
    cy_buf_puts(out, "  argument ");
    cy_scan_quote(out, argument->name, strlen(argument->name));
    cy_buf_putc(out, ' ');
    cy_scan_quote(out, argument->type, strlen(argument->type));
    print_number(out, "size", argument->size);
    print_number(out, "align", argument->align);
    print_number(out, "space", argument->address_space);
    print_number(out, "qualifiers", argument->qualifiers);
    cy_buf_printf(out, "%s%s\n", argument->is_pointer ? " pointer" : "", argument->is_struct ? " struct" : "");
}

static void print_header(const struct ir_func *func, const struct ir_module *module, struct cy_buf *out)
{
    size_t last = 0;
    cy_buf_puts(out, func->is_function ? "function " : "kernel ");
    print_name(out, func->name);
    if (func->line)
        print_location(out, func->line);
    print_number(out, "params", func->params);
    print_number(out, "results", func->results);
    print_number(out, "private", func->private_bytes);
    print_number(out, "local", func->local_bytes);
    if (func->reqd_size[0] || func->reqd_size[1] || func->reqd_size[2])
        cy_buf_printf(out, " reqd %u %u %u", func->reqd_size[0], func->reqd_size[1], func->reqd_size[2]);
    print_number(out, "sub_group", func->reqd_sub_group);
    print_number(out, "rows_along", func->row_dimension);
    cy_buf_printf(out, "%s%s%s", func->observes_workgroup ? " observes_workgroup" : "",
                  func->may_spin ? " may_spin" : "", func->exchanges_lanes ? " exchanges_lanes" : "");
    print_callees(func, module, out);
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++)
            last = func->blocks.at[b].list.at[i] > last ? func->blocks.at[b].list.at[i] : last;
    if (func->insns.count > last + 1) /* new values are numbered after it */
        cy_buf_printf(out, " values %zu", func->insns.count);
    const struct ir_needs *needs = &func->needs;
    if (needs->vgprs || needs->sgprs || needs->private_bytes || needs->stack_bytes || func->code_offset)
        cy_buf_printf(out, " needs %u %u %u %u at %u", needs->vgprs, needs->sgprs, needs->private_bytes,
                      needs->stack_bytes, func->code_offset);
    if (func->attributes) {
        cy_buf_puts(out, " attributes ");
        cy_scan_quote(out, func->attributes, strlen(func->attributes));
    }
    cy_buf_putc(out, '\n');
    for (uint32_t i = 0; i < func->argument_count; i++)
        print_argument(&func->arguments[i], out);
}

void ir_print_in(const struct ir_func *func, const struct ir_module *module, struct cy_buf *out)
{
    uint8_t *plain = cy_xrealloc(NULL, func->blocks.count + 1);
    find_plain_preds(func, plain);
    print_header(func, module, out);
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        const struct ir_block *block = &func->blocks.at[b];
        uint32_t line = 0;
        cy_buf_printf(out, "  b%u:%s%s", b, block->needs_join ? " join" : "", plain[b] ? "" : " preds");
        for (size_t p = 0; !plain[b] && p < block->preds.count; p++)
            cy_buf_printf(out, " b%u", block->preds.at[p]);
        cy_buf_putc(out, '\n');
        for (size_t i = 0; i < block->list.count; i++)
            print_insn(func, module, block->list.at[i], &line, out);
        print_end(func, block, out);
    }
    cy_free(plain);
}

void ir_print(const struct ir_func *func, struct cy_buf *out)
{
    ir_print_in(func, NULL, out);
}

static void print_symbol(const struct ir_module *module, const struct ir_symbol *symbol, struct cy_buf *out)
{
    cy_buf_puts(out, "symbol @");
    print_name(out, symbol->name);
    print_number(out, "size", symbol->size);
    print_number(out, "align", symbol->align);
    cy_buf_printf(out, "%s%s%s", symbol->is_constant ? " constant" : "", symbol->is_zero ? " zero" : "",
                  symbol->is_local ? " local" : "");
    if (symbol->data.size) {
        cy_buf_puts(out, " data ");
        cy_scan_quote(out, symbol->data.data, symbol->data.size);
    }
    for (size_t i = 0; i < symbol->relocs.count; i++) {
        const struct ir_symbol_reloc *reloc = &symbol->relocs.at[i];
        cy_buf_printf(out, " reloc %u @", reloc->offset);
        print_name(out, module->symbols.at[reloc->symbol].name);
        cy_buf_printf(out, " %+d", reloc->addend);
    }
    cy_buf_putc(out, '\n');
}

void ir_print_head(const struct ir_module *module, struct cy_buf *out)
{
    for (size_t i = 0; i < module->files.count; i++) {
        cy_buf_puts(out, "file ");
        cy_scan_quote(out, module->files.at[i], strlen(module->files.at[i]));
        cy_buf_putc(out, '\n');
    }
    if (module->private_align != 4)
        cy_buf_printf(out, "private_align %u\n", module->private_align);
    for (size_t i = 0; i < module->symbols.count; i++)
        print_symbol(module, &module->symbols.at[i], out);
    for (size_t i = 0; i < module->formats.count; i++) {
        cy_buf_puts(out, "format ");
        cy_scan_quote(out, module->formats.at[i].text, module->formats.at[i].length);
        cy_buf_putc(out, '\n');
    }
    for (size_t i = 0; i < module->asms.count; i++) {
        cy_buf_puts(out, "asm ");
        cy_scan_quote(out, module->asms.at[i].constraints, strlen(module->asms.at[i].constraints));
        cy_buf_putc(out, ' ');
        cy_scan_quote(out, module->asms.at[i].text, strlen(module->asms.at[i].text));
        cy_buf_putc(out, '\n');
    }
}

void ir_print_module(const struct ir_module *module, struct cy_buf *out)
{
    ir_print_head(module, out);
    for (size_t i = 0; i < module->funcs.count; i++)
        ir_print_in(&module->funcs.at[i], module, out);
}
