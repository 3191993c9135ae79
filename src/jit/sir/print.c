/* The text form of the strip IR: printed here, and read back to the same function by read.c.
 *
 *     kernel "saxpy" simt gen1 local 64 1 1 threads 32 warps 2 private 0 strip 16/16 items 64 row 64
 *     cell c0 i32 warp !x8                               a warp's; without `warp` each lane has its own
 *     cell c1 i1 empty_at_barriers                       lanes that wait
 *     group 0 read near low 0 high 64 align 4
 *     access 0 read 4 near align 4 pc 0x80000120 op vlw12.v offset 16 group 0
 *     code 0 0x80000100 to 0x80000120 insns 8 vectors 5 branches 1 interpreted 0       of a branch also: join 0x... to 0x...
 *     phases b0, b7                                      vector form
 *     b0: @0x80000100                                    @ is the guest's pc, ! the register it was
 *       %1 = const i32 5
 *       %2 = source i32 lds
 *       %3 = add i32 %1, %2 @0x80000104 !v7
 *       %4 = load i32 %3, index %1, access 0             address, index if there is one, data
 *       store %3, %4, access 1, mask %9
 *       vbranch %6, b1, b2, join b3, in_order, alone_first
 *     b3: ; from b1, b2                                  `preds b2, b1` where they are in another order, and it has no phi
 *       %7 = phi i32 %1 from b1, %4 from b2
 *       switch %7, 0x80000100 b1, 0 b4                   the last one is the default
 *     b4: ; from b3
 *       end
 *
 * What is zero, or follows from the rest, is left out.  A semicolon starts a comment; a line that begins with --- ends the text.  An
 * instruction without a result has no number in the text: reading gives it one that is free. */
#include "jit/sir/sir_text_priv.h"

#include "base/scan.h"
#include "isa/isa.h"

#include <inttypes.h>
#include <string.h>

struct printer {
    const struct cy_sir_func *func;
    struct cy_buf *out;
    bool has_item; /* of a list that is being printed */
};

/* ---- parts of a line ---- */

/* Before each item of a list. */
static void separate(struct printer *p)
{
    cy_buf_puts(p->out, p->has_item ? ", " : " ");
    p->has_item = true;
}

static void print_value(struct printer *p, cy_sir_value value)
{
    separate(p);
    if (value)
        cy_buf_printf(p->out, "%%%" PRIu32, value);
    else
        cy_buf_puts(p->out, "none");
}

static void print_block_name(struct printer *p, uint32_t block)
{
    separate(p);
    cy_buf_printf(p->out, "b%" PRIu32, block);
}

static void print_word(struct printer *p, const char *word, uint64_t number)
{
    separate(p);
    cy_buf_printf(p->out, "%s %" PRIu64, word, number);
}

static void print_number(struct cy_buf *out, uint64_t number)
{
    enum { LARGE = 1 << 16 };
    cy_buf_printf(out, number < LARGE ? "%" PRIu64 : "0x%" PRIx64, number);
}

static void print_variable(struct cy_buf *out, uint32_t variable)
{
    enum { SCALARS = 64 };
    if (variable != CY_SIR_NOTHING)
        cy_buf_printf(out, " !%c%" PRIu32, variable < SCALARS ? 'x' : 'v',
                      variable < SCALARS ? variable : variable - SCALARS);
}

static void print_pc(struct cy_buf *out, uint32_t pc)
{
    if (pc)
        cy_buf_printf(out, " @0x%" PRIx32, pc);
}

/* By name, if that leads back to the row. */
static void print_row(const struct printer *p, uint64_t row)
{
    const char *name = row < CY_OP_COUNT ? cy_insns[row].mnemonic : NULL;
    if (name && cy_op_find((enum cy_target)p->func->target, name, strlen(name)) == (enum cy_op)row)
        cy_buf_puts(p->out, name);
    else
        cy_buf_printf(p->out, "#%" PRIu64, row);
}

/* ---- instructions ---- */

static void print_first_imm(struct printer *p, const struct cy_sir_insn *insn)
{
    const enum cy_sir_imm kind = cy_sir_imm_of(insn->op);
    separate(p);
    if (kind == CY_SIR_IMM_SOURCE && insn->imm < CY_SIR_SOURCES)
        cy_buf_puts(p->out, cy_sir_sources[insn->imm].name);
    else if (kind == CY_SIR_IMM_TRAP && insn->imm < CY_SIR_TRAPS)
        cy_buf_puts(p->out, cy_sir_trap_names[insn->imm]);
    else if (kind == CY_SIR_IMM_CELL || kind == CY_SIR_IMM_X || kind == CY_SIR_IMM_V)
        cy_buf_printf(p->out, "%c%" PRIu64,
                      kind == CY_SIR_IMM_CELL ? 'c'
                      : kind == CY_SIR_IMM_X  ? 'x'
                                              : 'v',
                      insn->imm);
    else if (kind == CY_SIR_IMM_ROW)
        print_row(p, insn->imm & 0xffff);
    else if (kind == CY_SIR_IMM_FENCE)
        cy_buf_printf(p->out, "0x%" PRIx64, insn->imm);
    else
        print_number(p->out, insn->imm);
}

static void print_last_imm(struct printer *p, const struct cy_sir_insn *insn)
{
    const enum cy_sir_imm kind = cy_sir_imm_of(insn->op);
    if (kind == CY_SIR_IMM_GROUP)
        print_word(p, "group", insn->imm);
    else if (kind == CY_SIR_IMM_SLOT)
        print_word(p, "slot", insn->imm);
    else if (kind == CY_SIR_IMM_COUNTER)
        print_word(p, "counter", insn->imm);
    else if (kind == CY_SIR_IMM_CODE)
        print_word(p, "code", insn->imm);
    else if (kind == CY_SIR_IMM_ROW && insn->imm >> 16)
        print_word(p, "rounding", insn->imm >> 16);
    else if (kind == CY_SIR_IMM_NONE && insn->imm)
        print_word(p, "imm", insn->imm);
}

static void print_phi(struct printer *p, const struct cy_sir_insn *insn)
{
    const struct cy_sir_block *block = &p->func->blocks.at[insn->block];
    for (size_t i = 0; i < block->preds.count; i++) {
        print_value(p, p->func->phi_args.at[insn->args[0] + i]);
        cy_buf_printf(p->out, " from b%" PRIu32, block->preds.at[i]);
    }
}

/* All that it has, which in an invalid function may be more than it takes. */
static void print_arguments(struct printer *p, const struct cy_sir_insn *insn)
{
    const bool has_index = cy_sir_has_index(insn->op);
    unsigned count = CY_COUNT(insn->args);
    while (count > cy_sir_ops[insn->op].arguments && !insn->args[count - 1])
        count--;
    for (unsigned i = 0; i < count; i++) {
        if (has_index && i == 1 && !insn->args[i])
            continue;
        if (has_index && i == 1) {
            separate(p);
            cy_buf_printf(p->out, "index %%%" PRIu32, insn->args[i]);
        } else {
            print_value(p, insn->args[i]);
        }
    }
}

static void print_insn(struct printer *p, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(p->func, value);
    const struct cy_sir_op_info *op = &cy_sir_ops[insn->op];
    const enum cy_sir_imm imm = cy_sir_imm_of(insn->op);
    cy_buf_puts(p->out, "  ");
    if (op->result != CY_SIR_RESULT_VOID)
        cy_buf_printf(p->out, "%%%" PRIu32 " = %s %s", value, op->name, cy_sir_type_names[insn->type]);
    else
        cy_buf_puts(p->out, op->name);
    p->has_item = false;
    if (imm != CY_SIR_IMM_NONE && imm <= CY_SIR_IMM_TRAP)
        print_first_imm(p, insn);
    if (insn->op == CY_SIR_PHI)
        print_phi(p, insn);
    else
        print_arguments(p, insn);
    if (insn->access != CY_SIR_NOTHING)
        print_word(p, "access", insn->access);
    print_last_imm(p, insn);
    if (insn->mask) {
        separate(p);
        cy_buf_printf(p->out, "mask %%%" PRIu32, insn->mask);
    }
    print_pc(p->out, insn->pc);
    print_variable(p->out, insn->variable);
    cy_buf_putc(p->out, '\n');
}

/* ---- blocks ---- */

static void print_terminator(struct printer *p, const struct cy_sir_block *block)
{
    cy_buf_printf(p->out, "  %s", cy_sir_terminator_names[block->terminator]);
    p->has_item = false;
    const bool has_two = block->terminator == CY_SIR_BRANCH || block->terminator == CY_SIR_VBRANCH;
    if (has_two || block->terminator == CY_SIR_SWITCH)
        print_value(p, block->condition);
    if (has_two || block->terminator == CY_SIR_JUMP)
        print_block_name(p, block->succ[0]);
    if (has_two)
        print_block_name(p, block->succ[1]);
    if (block->terminator == CY_SIR_VBRANCH) {
        cy_buf_printf(p->out, ", join b%" PRIu32, block->join);
        cy_buf_puts(p->out, block->in_order ? ", in_order" : "");
        if (block->alone && block->alone < CY_SIR_ALONES)
            cy_buf_printf(p->out, ", %s", cy_sir_alone_names[block->alone]);
    }
    for (size_t i = 0; block->terminator == CY_SIR_SWITCH && i < block->cases.count; i++) {
        separate(p);
        print_number(p->out, block->cases.at[i].value);
        cy_buf_printf(p->out, " b%" PRIu32, block->cases.at[i].block);
    }
    if (block->terminator == CY_SIR_PHASE)
        cy_buf_printf(p->out, " %" PRIu32, block->phase);
    cy_buf_putc(p->out, '\n');
}

/* The predecessors are a comment where reading finds them by itself: in the order of blocks, or from a phi. */
static void print_label(struct printer *p, uint32_t index, bool is_plain)
{
    const struct cy_sir_block *block = &p->func->blocks.at[index];
    const bool has_phi = block->list.count && cy_sir_at(p->func, block->list.at[0])->op == CY_SIR_PHI;
    const bool is_comment = is_plain || (has_phi && block->preds.count);
    cy_buf_printf(p->out, "b%" PRIu32 ":", index);
    if (is_comment)
        print_pc(p->out, block->pc);
    p->has_item = false;
    if (!is_comment || block->preds.count)
        cy_buf_puts(p->out, is_comment ? " ; from" : " preds");
    for (size_t i = 0; i < block->preds.count; i++)
        print_block_name(p, block->preds.at[i]);
    if (!is_comment)
        print_pc(p->out, block->pc);
    cy_buf_putc(p->out, '\n');
}

/* For each block: are its predecessors those that the edges give, in the order of blocks? */
static void find_plain_preds(const struct cy_sir_func *func, uint8_t *plain)
{
    uint32_t *next = cy_xrealloc(NULL, (func->blocks.count + 1) * sizeof(*next));
    for (size_t b = 0; b < func->blocks.count; b++)
        next[b] = 0, plain[b] = 1;
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t s = 0; s < cy_sir_succ_count(&func->blocks.at[b]); s++) {
            const uint32_t to = cy_sir_succ(&func->blocks.at[b], s);
            if (to < func->blocks.count) {
                const uint32_t at = next[to]++;
                plain[to] &= at < func->blocks.at[to].preds.count && func->blocks.at[to].preds.at[at] == b;
            }
        }
    for (size_t b = 0; b < func->blocks.count; b++)
        plain[b] &= next[b] == func->blocks.at[b].preds.count;
    cy_free(next);
}

/* ---- tables ---- */

static void print_header(const struct cy_sir_func *func, struct cy_buf *out)
{
    cy_buf_puts(out, "kernel ");
    cy_scan_quote(out, func->name, strlen(func->name));
    cy_buf_printf(out, " %s %s", func->form == CY_SIR_FORM_SIMT ? "simt" : "vector", cy_sir_target_names[func->target]);
    cy_buf_printf(out, " local %" PRIu32 " %" PRIu32 " %" PRIu32, func->local[0], func->local[1], func->local[2]);
    cy_buf_printf(out, " threads %" PRIu32 " warps %" PRIu32 " private %" PRIu32, func->threads, func->warps,
                  func->private_bytes);
    cy_buf_printf(out, " strip %" PRIu32 "/%" PRIu32 " items %" PRIu32 " row %" PRIu32, func->strip.lanes,
                  func->strip.width, func->strip.items, func->strip.row);
    cy_buf_puts(out, func->strip.straddles ? " straddles" : "");
    cy_buf_puts(out, func->strip.is_whole ? " whole" : "");
    cy_buf_puts(out, func->exchanges ? " exchanges" : "");
    if (func->argument_bytes)
        cy_buf_printf(out, " arguments %" PRIu32, func->argument_bytes);
    if (func->host)
        cy_buf_printf(out, " host %s", cy_sir_host_names[func->host]);
    cy_buf_puts(out, func->converts_halves ? " converts_halves" : "");
    if (func->slots)
        cy_buf_printf(out, " slots %" PRIu32, func->slots);
    if (func->counters)
        cy_buf_printf(out, " counters %" PRIu32, func->counters);
    if (func->counts)
        cy_buf_printf(out, " counts %s", cy_sir_counting_names[func->counts]);
    cy_buf_putc(out, '\n');
}

static void print_cells(const struct cy_sir_func *func, struct cy_buf *out)
{
    for (size_t i = 0; i < func->cells.count; i++) {
        const struct cy_sir_cell *cell = &func->cells.at[i];
        cy_buf_printf(out, "cell c%zu %s%s", i, cy_sir_type_names[cell->type], cell->is_warp ? " warp" : "");
        cy_buf_puts(out, cell->is_empty_at_barriers ? " empty_at_barriers" : "");
        print_variable(out, cell->variable);
        cy_buf_putc(out, '\n');
    }
}

static void print_groups(const struct cy_sir_func *func, struct cy_buf *out)
{
    for (size_t i = 0; i < func->groups.count; i++) {
        const struct cy_sir_group *group = &func->groups.at[i];
        cy_buf_printf(out, "group %zu %s %s low %" PRId64 " high %" PRId64 " align %" PRIu32 "\n", i,
                      cy_sir_right_names[group->rights], cy_sir_space_names[group->space], group->low, group->high,
                      group->align);
    }
}

static void print_access(struct printer *p, size_t index)
{
    const struct cy_sir_access *access = &p->func->accesses.at[index];
    struct cy_buf *out = p->out;
    cy_buf_printf(out, "access %zu %s %u %s align %" PRIu32, index, cy_sir_right_names[access->rights], access->bytes,
                  cy_sir_space_names[access->space], access->align);
    if (access->pc)
        cy_buf_printf(out, " pc 0x%" PRIx32, access->pc);
    if (access->op) {
        cy_buf_puts(out, " op ");
        print_row(p, access->op);
    }
    if (access->word)
        cy_buf_printf(out, " word 0x%" PRIx32, access->word);
    if (access->prefix)
        cy_buf_printf(out, " prefix 0x%" PRIx32, access->prefix);
    if (access->offset)
        cy_buf_printf(out, " offset %" PRId64, access->offset);
    if (access->scale)
        cy_buf_printf(out, " scale %u", access->scale);
    cy_buf_puts(out, access->is_index_signed ? " signed" : "");
    cy_buf_puts(out, access->is_scalar ? " scalar" : "");
    cy_buf_puts(out, access->is_apart ? " apart" : "");
    if (access->words || access->nth)
        cy_buf_printf(out, " words %u nth %u", access->words, access->nth);
    if (access->group != CY_SIR_NOTHING)
        cy_buf_printf(out, " group %" PRIu32, access->group);
    if (access->form)
        cy_buf_printf(out, " form %s", cy_sir_move_names[access->form]);
    cy_buf_putc(out, '\n');
}

static void print_codes(const struct cy_sir_func *func, struct cy_buf *out)
{
    for (size_t i = 0; i < func->codes.count; i++) {
        const struct cy_sir_code *code = &func->codes.at[i];
        cy_buf_printf(out, "code %zu 0x%" PRIx32 " to 0x%" PRIx32, i, code->first, code->end);
        if (code->join)
            cy_buf_printf(out, " join 0x%" PRIx32 " to 0x%" PRIx32, code->join, code->join_end);
        cy_buf_printf(out, " insns %u vectors %u branches %u interpreted %u%s\n", code->insns, code->vectors,
                      code->branches, code->interpreted, code->is_looping ? " looping" : "");
    }
}

static void print_phases(struct printer *p)
{
    if (!p->func->phases.count)
        return;
    cy_buf_puts(p->out, "phases");
    p->has_item = false;
    for (size_t i = 0; i < p->func->phases.count; i++)
        print_block_name(p, p->func->phases.at[i]);
    cy_buf_putc(p->out, '\n');
}

void cy_sir_print(const struct cy_sir_func *func, struct cy_buf *out)
{
    struct printer p = {.func = func, .out = out};
    uint8_t *plain = cy_xrealloc(NULL, func->blocks.count + 1);
    find_plain_preds(func, plain);
    print_header(func, out);
    print_cells(func, out);
    print_groups(func, out);
    for (size_t i = 0; i < func->accesses.count; i++)
        print_access(&p, i);
    print_codes(func, out);
    print_phases(&p);
    for (uint32_t b = 0; b < func->blocks.count; b++) {
        const struct cy_sir_block *block = &func->blocks.at[b];
        print_label(&p, b, plain[b]);
        for (size_t i = 0; i < block->list.count; i++)
            print_insn(&p, block->list.at[i]);
        print_terminator(&p, block);
    }
    cy_free(plain);
}
