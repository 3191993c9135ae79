/* Reads the text form of the strip IR, which print.c describes.  What is read can be printed, but need not be valid: only that the values
 * and blocks exist which it names is checked here. */
#include "jit/sir/sir_text_priv.h"

#include "base/scan.h"
#include "isa/isa.h"

#include <string.h>

/* A value or block to look up once everything has been read. */
struct reference {
    struct cy_loc loc;
    bool is_block;
    uint32_t number;
};

/* An instruction without a number in the text. */
struct nameless {
    struct cy_sir_insn insn;
    uint32_t place; /* in the list of its block */
};

struct reader {
    struct cy_scan scan;
    struct cy_sir_func *func;
    uint32_t block; /* NOTHING: none yet */
    bool is_open;   /* it has no terminator yet */
    size_t most_values;
    CY_VEC(struct reference) references;
    CY_VEC(struct nameless) nameless;
    CY_VEC(bool) has_preds; /* by block: the text gives them */
};

/* ---- tokens ---- */

static bool accept(struct reader *r, const char *word)
{
    return cy_scan_accept(&r->scan, word);
}

static bool wanted(struct reader *r, const char *what)
{
    return cy_scan_wanted(&r->scan, what);
}

/* More words on this line? */
static bool is_more(const struct reader *r)
{
    return !r->scan.failed && r->scan.kind >= CY_SCAN_MARK;
}

static bool starts_with(const struct reader *r, char c)
{
    return r->scan.kind == CY_SCAN_RUN && *cy_scan_token(&r->scan) == c;
}

/* What follows in the run from `from`. */
static uint64_t number_from(struct reader *r, uint32_t from, uint64_t highest)
{
    uint64_t value = 0;
    if (!cy_scan_parse(&r->scan, from, highest, &value)) {
        struct cy_loc loc = cy_scan_here(&r->scan);
        cy_scan_error(&r->scan, &loc, "expected a number from 0 to %llu", (unsigned long long)highest);
        return 0;
    }
    cy_scan_next(&r->scan);
    return value;
}

static uint32_t number(struct reader *r)
{
    return (uint32_t)number_from(r, 0, UINT32_MAX);
}

static int64_t signed_number(struct reader *r)
{
    const bool is_negative = starts_with(r, '-');
    uint64_t value = number_from(r, is_negative, (uint64_t)INT64_MAX + is_negative);
    return (int64_t)(is_negative ? 0 - value : value);
}

/* One of the words, as its index. */
static unsigned word(struct reader *r, const char *const *words, unsigned count, const char *what)
{
    for (unsigned i = 0; i < count; i++)
        if (accept(r, words[i]))
            return i;
    wanted(r, what);
    return 0;
}

static enum cy_sir_type type(struct reader *r)
{
    return (enum cy_sir_type)word(r, cy_sir_type_names, CY_SIR_TYPES, "a type: i1, i8, i16, i32 or i64");
}

/* A row of the instruction table: its name, or # and its number. */
static uint16_t row(struct reader *r)
{
    if (starts_with(r, '#'))
        return (uint16_t)number_from(r, 1, UINT16_MAX);
    enum cy_op op = CY_OP_INVALID;
    if (r->scan.kind == CY_SCAN_RUN)
        op = cy_op_find((enum cy_target)r->func->target, cy_scan_token(&r->scan), r->scan.size);
    if (op == CY_OP_INVALID)
        wanted(r, "the name of an instruction");
    else
        cy_scan_next(&r->scan);
    return (uint16_t)op;
}

static void refer(struct reader *r, bool is_block, uint32_t number)
{
    *cy_vec_push(&r->references) = (struct reference){cy_scan_here(&r->scan), is_block, number};
}

/* The number of %5: 0 if it is not one. */
static cy_sir_value value_token(struct reader *r)
{
    uint64_t value = 0;
    if (!starts_with(r, '%') || !cy_scan_parse(&r->scan, 1, UINT64_MAX, &value) || !value)
        return 0;
    if (value >= r->most_values) { /* would only leave holes */
        struct cy_loc loc = cy_scan_here(&r->scan);
        cy_scan_error(&r->scan, &loc, "the number of the value is too large for a text of this size");
        return 0;
    }
    return (cy_sir_value)value;
}

static cy_sir_value value(struct reader *r)
{
    if (accept(r, "none"))
        return 0;
    cy_sir_value used = value_token(r);
    if (!used) {
        wanted(r, "a value: % and its number, or none");
        return 0;
    }
    refer(r, false, used);
    cy_scan_next(&r->scan);
    return used;
}

static uint32_t block(struct reader *r)
{
    uint64_t used = 0;
    if (!starts_with(r, 'b') || !cy_scan_parse(&r->scan, 1, UINT32_MAX - 1, &used)) {
        wanted(r, "a block: b and its number");
        return 0;
    }
    refer(r, true, (uint32_t)used);
    cy_scan_next(&r->scan);
    return (uint32_t)used;
}

/* @pc, if it is there. */
static void read_pc(struct reader *r, uint32_t *pc)
{
    if (!r->scan.failed && starts_with(r, '@'))
        *pc = (uint32_t)number_from(r, 1, UINT32_MAX);
}

/* !x5 or !v7, if it is there. */
static void read_variable(struct reader *r, uint32_t *variable)
{
    enum { SCALARS = 64, VECTORS = 256 };
    if (r->scan.failed || !starts_with(r, '!'))
        return;
    const bool is_vector = r->scan.size > 1 && cy_scan_token(&r->scan)[1] == 'v';
    if (!is_vector && (r->scan.size < 2 || cy_scan_token(&r->scan)[1] != 'x'))
        wanted(r, "a register: !x and a number, or !v and a number");
    else
        *variable = (is_vector ? SCALARS : 0) + (uint32_t)number_from(r, 2, is_vector ? VECTORS - 1 : SCALARS - 1);
}

/* ---- instructions ---- */

static void read_phi(struct reader *r, struct cy_sir_insn *insn)
{
    struct cy_sir_block *into = &r->func->blocks.at[r->block];
    const bool gives_preds = !r->has_preds.at[r->block]; /* the first phi does; the others must agree */
    size_t count = 0;
    insn->args[0] = (cy_sir_value)r->func->phi_args.count;
    while (is_more(r) && !starts_with(r, '@') && !starts_with(r, '!')) {
        if (count)
            cy_scan_expect(&r->scan, ",");
        *cy_vec_push(&r->func->phi_args) = value(r);
        cy_scan_expect(&r->scan, "from");
        struct cy_loc loc = cy_scan_here(&r->scan);
        const uint32_t from = block(r);
        if (gives_preds)
            *cy_vec_push(&into->preds) = from;
        else if (count >= into->preds.count || into->preds.at[count] != from)
            cy_scan_error(&r->scan, &loc, "a different predecessor than before");
        count++;
    }
    if (!r->scan.failed && count != into->preds.count)
        wanted(r, "as many predecessors as before");
    r->has_preds.at[r->block] = true;
}

static uint64_t letter_number(struct reader *r, char letter, const char *what)
{
    uint64_t number = 0;
    if (!starts_with(r, letter) || !cy_scan_parse(&r->scan, 1, UINT32_MAX, &number))
        wanted(r, what);
    else
        cy_scan_next(&r->scan);
    return number;
}

/* A constant may be written with a sign. */
static uint64_t constant(struct reader *r, const struct cy_sir_insn *insn)
{
    if (!starts_with(r, '-'))
        return number_from(r, 0, UINT64_MAX);
    const uint64_t value = (uint64_t)signed_number(r);
    const unsigned bits = cy_sir_bits((enum cy_sir_type)insn->type);
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t source(struct reader *r)
{
    for (unsigned i = 0; i < CY_SIR_SOURCES; i++)
        if (accept(r, cy_sir_sources[i].name))
            return i;
    if (r->scan.kind == CY_SCAN_RUN && *cy_scan_token(&r->scan) >= '0' && *cy_scan_token(&r->scan) <= '9')
        return number_from(r, 0, UINT64_MAX);
    return wanted(r, "a source");
}

static uint64_t trap(struct reader *r)
{
    if (r->scan.kind == CY_SCAN_RUN && *cy_scan_token(&r->scan) >= '0' && *cy_scan_token(&r->scan) <= '9')
        return number_from(r, 0, UINT64_MAX);
    return word(r, cy_sir_trap_names, CY_SIR_TRAPS, "a trap: trap, diverged or mixed_barriers");
}

static uint64_t first_imm(struct reader *r, const struct cy_sir_insn *insn)
{
    switch (cy_sir_imm_of(insn->op)) {
    case CY_SIR_IMM_NUMBER: return constant(r, insn);
    case CY_SIR_IMM_SOURCE: return source(r);
    case CY_SIR_IMM_CELL: return letter_number(r, 'c', "a cell: c and its number");
    case CY_SIR_IMM_ROW: return row(r);
    case CY_SIR_IMM_X: return letter_number(r, 'x', "a register: x and its number");
    case CY_SIR_IMM_V: return letter_number(r, 'v', "a register: v and its number");
    case CY_SIR_IMM_TRAP: return trap(r);
    default: return number_from(r, 0, UINT64_MAX);
    }
}

/* The word before an imm that is not the first operand. */
static const char *imm_word(unsigned op)
{
    switch (cy_sir_imm_of(op)) {
    case CY_SIR_IMM_NONE: return "imm";
    case CY_SIR_IMM_GROUP: return "group";
    case CY_SIR_IMM_SLOT: return "slot";
    case CY_SIR_IMM_COUNTER: return "counter";
    case CY_SIR_IMM_CODE: return "code";
    default: return NULL;
    }
}

/* An argument, or what has a word before it. */
static void read_operand(struct reader *r, struct cy_sir_insn *insn, unsigned *slot)
{
    const char *own = imm_word(insn->op);
    if (cy_sir_has_index(insn->op) && accept(r, "index")) {
        insn->args[1] = value(r);
    } else if (accept(r, "access")) {
        insn->access = number(r);
    } else if (accept(r, "mask")) {
        insn->mask = value(r);
    } else if (own && accept(r, own)) {
        insn->imm = number_from(r, 0, UINT64_MAX);
    } else if (insn->op == CY_SIR_ROW && accept(r, "rounding")) {
        insn->imm |= number_from(r, 0, UINT16_MAX) << 16;
    } else if (*slot == CY_COUNT(insn->args)) {
        wanted(r, "the end of the line: an instruction has at most four arguments");
    } else {
        insn->args[(*slot)++] = value(r);
        *slot += *slot == 1 && cy_sir_has_index(insn->op);
    }
}

static void read_operands(struct reader *r, struct cy_sir_insn *insn)
{
    const enum cy_sir_imm imm = cy_sir_imm_of(insn->op);
    bool is_first = true;
    unsigned slot = 0;
    if (imm != CY_SIR_IMM_NONE && imm <= CY_SIR_IMM_TRAP) {
        insn->imm = first_imm(r, insn);
        is_first = false;
    }
    while (is_more(r) && !starts_with(r, '@') && !starts_with(r, '!')) {
        if (!is_first)
            cy_scan_expect(&r->scan, ",");
        is_first = false;
        read_operand(r, insn, &slot);
    }
}

static unsigned operation(struct reader *r)
{
    for (unsigned op = CY_SIR_NONE + 1; op < CY_SIR_OPS; op++)
        if (accept(r, cy_sir_ops[op].name))
            return op;
    wanted(r, "an operation");
    return CY_SIR_NONE;
}

static void fill_values(struct reader *r, size_t count)
{
    while (r->func->insns.count < count)
        cy_sir_make(r->func, CY_SIR_NONE, CY_SIR_VOID, 0, 0, 0);
}

/* Puts it where its number says, or aside until all numbers are known. */
static void place(struct reader *r, cy_sir_value value, const struct cy_sir_insn *insn)
{
    struct cy_sir_block *into = &r->func->blocks.at[r->block];
    *cy_vec_push(&into->list) = value;
    if (value)
        *cy_sir_at(r->func, value) = *insn;
    else
        *cy_vec_push(&r->nameless) = (struct nameless){*insn, (uint32_t)into->list.count - 1};
}

static void read_insn(struct reader *r)
{
    struct cy_loc loc = cy_scan_here(&r->scan);
    const bool is_named = starts_with(r, '%');
    cy_sir_value named = value_token(r);
    if (is_named && !named) {
        wanted(r, "a value: % and its number");
        return;
    }
    if (is_named) {
        fill_values(r, (size_t)named + 1);
        cy_scan_next(&r->scan);
        cy_scan_expect(&r->scan, "=");
        if (cy_sir_at(r->func, named)->op != CY_SIR_NONE)
            cy_scan_error(&r->scan, &loc, "value %u is already defined", named);
    }
    loc = cy_scan_here(&r->scan);
    struct cy_sir_insn insn = {
        .op = (uint16_t)operation(r), .block = r->block, .access = CY_SIR_NOTHING, .variable = CY_SIR_NOTHING};
    if (r->scan.failed)
        return;
    const bool has_result = cy_sir_ops[insn.op].result != CY_SIR_RESULT_VOID;
    if (has_result != is_named)
        cy_scan_error(&r->scan, &loc, has_result ? "'%s' has a result: %%number = %s" : "'%s' has no result",
                      cy_sir_ops[insn.op].name, cy_sir_ops[insn.op].name);
    if (has_result)
        insn.type = (uint8_t)type(r);
    if (insn.op == CY_SIR_PHI)
        read_phi(r, &insn);
    else
        read_operands(r, &insn);
    read_pc(r, &insn.pc);
    read_variable(r, &insn.variable);
    if (cy_scan_end_of_line(&r->scan))
        place(r, named, &insn);
}

/* ---- blocks ---- */

static void read_branch(struct reader *r, struct cy_sir_block *from)
{
    from->condition = value(r);
    for (unsigned i = 0; i < 2; i++) {
        cy_scan_expect(&r->scan, ",");
        from->succ[i] = block(r);
    }
    if (from->terminator != CY_SIR_VBRANCH)
        return;
    cy_scan_expect(&r->scan, ",");
    cy_scan_expect(&r->scan, "join");
    from->join = block(r);
    bool is_more = accept(r, ",");
    if (is_more && accept(r, "in_order")) {
        from->in_order = true;
        is_more = accept(r, ",");
    }
    if (is_more)
        from->alone = (uint8_t)word(r, cy_sir_alone_names, CY_SIR_ALONES, "in_order, alone or alone_first");
}

static void read_switch(struct reader *r, struct cy_sir_block *from)
{
    from->condition = value(r);
    while (accept(r, ",")) {
        struct cy_sir_case one = {.value = number(r)};
        one.block = block(r);
        *cy_vec_push(&from->cases) = one;
    }
}

/* False: it is not a terminator. */
static bool read_terminator(struct reader *r)
{
    struct cy_sir_block *from = &r->func->blocks.at[r->block];
    unsigned which = 0;
    while (which < CY_SIR_TERMINATORS && !accept(r, cy_sir_terminator_names[which]))
        which++;
    if (which == CY_SIR_TERMINATORS)
        return false;
    from->terminator = (enum cy_sir_terminator)which;
    if (which == CY_SIR_JUMP)
        from->succ[0] = block(r);
    else if (which == CY_SIR_BRANCH || which == CY_SIR_VBRANCH)
        read_branch(r, from);
    else if (which == CY_SIR_SWITCH)
        read_switch(r, from);
    else if (which == CY_SIR_PHASE)
        from->phase = number(r);
    r->is_open = false;
    cy_scan_end_of_line(&r->scan);
    return true;
}

static bool is_label(const struct reader *r)
{
    return starts_with(r, 'b') && cy_scan_token(&r->scan)[r->scan.size - 1] == ':';
}

static void read_label(struct reader *r)
{
    struct cy_loc loc = cy_scan_here(&r->scan);
    struct cy_scan name = r->scan;
    uint64_t index;
    name.size--;
    if (!cy_scan_parse(&name, 1, UINT32_MAX, &index) || index != r->func->blocks.count)
        cy_scan_error(&r->scan, &loc, "expected b%zu: blocks are numbered from 0", r->func->blocks.count);
    else if (r->is_open)
        cy_scan_error(&r->scan, &loc, "block %u has no terminator", r->block);
    cy_scan_next(&r->scan);
    r->block = cy_sir_block_new(r->func);
    r->is_open = true;
    *cy_vec_push(&r->has_preds) = accept(r, "preds");
    if (r->has_preds.at[r->block])
        for (bool is_first = true; is_more(r) && !starts_with(r, '@'); is_first = false) {
            if (!is_first)
                cy_scan_expect(&r->scan, ",");
            *cy_vec_push(&r->func->blocks.at[r->block].preds) = block(r);
        }
    read_pc(r, &r->func->blocks.at[r->block].pc);
    cy_scan_end_of_line(&r->scan);
}

static void read_body(struct reader *r)
{
    while (!r->scan.failed && r->scan.kind != CY_SCAN_END)
        if (is_label(r))
            read_label(r);
        else if (!r->is_open)
            wanted(r, "a block");
        else if (!read_terminator(r))
            read_insn(r);
    if (!r->func->blocks.count)
        wanted(r, "a block");
    else if (r->is_open)
        wanted(r, "a terminator");
}

/* ---- tables ---- */

static void read_index(struct reader *r, size_t expected, uint64_t index, const struct cy_loc *loc)
{
    if (!r->scan.failed && index != expected)
        cy_scan_error(&r->scan, loc, "expected %zu: they are numbered from 0", expected);
}

static void read_cell(struct reader *r)
{
    struct cy_loc loc = cy_scan_here(&r->scan);
    struct cy_sir_cell cell = {.variable = CY_SIR_NOTHING};
    read_index(r, r->func->cells.count, letter_number(r, 'c', "a cell: c and its number"), &loc);
    cell.type = type(r);
    cell.is_warp = accept(r, "warp");
    cell.is_empty_at_barriers = accept(r, "empty_at_barriers");
    read_variable(r, &cell.variable);
    *cy_vec_push(&r->func->cells) = cell;
}

static uint8_t rights(struct reader *r)
{
    return (uint8_t)word(r, cy_sir_right_names, CY_SIR_RIGHTS, "what is done: read, write or readwrite");
}

static uint8_t space(struct reader *r)
{
    return (uint8_t)word(r, cy_sir_space_names, CY_SIR_SPACES, "a space: near, far or private");
}

static void read_group(struct reader *r)
{
    struct cy_loc loc = cy_scan_here(&r->scan);
    read_index(r, r->func->groups.count, number(r), &loc);
    struct cy_sir_group group = {.rights = rights(r)};
    group.space = space(r);
    cy_scan_expect(&r->scan, "low");
    group.low = signed_number(r);
    cy_scan_expect(&r->scan, "high");
    group.high = signed_number(r);
    cy_scan_expect(&r->scan, "align");
    group.align = number(r);
    *cy_vec_push(&r->func->groups) = group;
}

/* False: there is no further property. */
static bool read_access_property(struct reader *r, struct cy_sir_access *access)
{
    if (accept(r, "align"))
        access->align = number(r);
    else if (accept(r, "pc"))
        access->pc = number(r);
    else if (accept(r, "op"))
        access->op = row(r);
    else if (accept(r, "word"))
        access->word = number(r);
    else if (accept(r, "prefix"))
        access->prefix = number(r);
    else if (accept(r, "offset"))
        access->offset = signed_number(r);
    else if (accept(r, "scale"))
        access->scale = (uint8_t)number_from(r, 0, UINT8_MAX);
    else if (accept(r, "signed"))
        access->is_index_signed = true;
    else if (accept(r, "scalar"))
        access->is_scalar = true;
    else if (accept(r, "apart"))
        access->is_apart = true;
    else if (accept(r, "words"))
        access->words = (uint8_t)number_from(r, 0, UINT8_MAX);
    else if (accept(r, "nth"))
        access->nth = (uint8_t)number_from(r, 0, UINT8_MAX);
    else if (accept(r, "group"))
        access->group = number(r);
    else if (accept(r, "form"))
        access->form = (uint8_t)word(r, cy_sir_move_names, CY_SIR_MOVES, "a form of access");
    else
        return false;
    return true;
}

static void read_access(struct reader *r)
{
    struct cy_loc loc = cy_scan_here(&r->scan);
    read_index(r, r->func->accesses.count, number(r), &loc);
    struct cy_sir_access access = {.rights = rights(r), .group = CY_SIR_NOTHING};
    access.bytes = (uint8_t)number_from(r, 0, UINT8_MAX);
    access.space = space(r);
    while (is_more(r) && read_access_property(r, &access))
        ;
    *cy_vec_push(&r->func->accesses) = access;
}

static uint16_t amount(struct reader *r, const char *what)
{
    cy_scan_expect(&r->scan, what);
    return (uint16_t)number_from(r, 0, UINT16_MAX);
}

static void read_code(struct reader *r)
{
    struct cy_loc loc = cy_scan_here(&r->scan);
    struct cy_sir_code code = {0};
    read_index(r, r->func->codes.count, number(r), &loc);
    code.first = number(r);
    cy_scan_expect(&r->scan, "to");
    code.end = number(r);
    if (accept(r, "join")) {
        code.join = number(r);
        cy_scan_expect(&r->scan, "to");
        code.join_end = number(r);
    }
    code.insns = amount(r, "insns");
    code.vectors = amount(r, "vectors");
    code.branches = amount(r, "branches");
    code.interpreted = amount(r, "interpreted");
    code.is_looping = accept(r, "looping");
    *cy_vec_push(&r->func->codes) = code;
}

static void read_phases(struct reader *r)
{
    do
        *cy_vec_push(&r->func->phases) = block(r);
    while (accept(r, ","));
}

static void read_tables(struct reader *r)
{
    while (!r->scan.failed && r->scan.kind != CY_SCAN_END && !is_label(r)) {
        if (accept(r, "cell"))
            read_cell(r);
        else if (accept(r, "group"))
            read_group(r);
        else if (accept(r, "access"))
            read_access(r);
        else if (accept(r, "code"))
            read_code(r);
        else if (accept(r, "phases"))
            read_phases(r);
        else
            wanted(r, "cell, group, access, code, phases or a block");
        cy_scan_end_of_line(&r->scan);
    }
}

/* False: there is no further property. */
static bool read_property(struct reader *r, struct cy_sir_func *func)
{
    if (accept(r, "local"))
        for (unsigned i = 0; i < 3; i++)
            func->local[i] = number(r);
    else if (accept(r, "threads"))
        func->threads = number(r);
    else if (accept(r, "warps"))
        func->warps = number(r);
    else if (accept(r, "private"))
        func->private_bytes = number(r);
    else if (accept(r, "strip"))
        func->strip.lanes = number(r), cy_scan_expect(&r->scan, "/"), func->strip.width = number(r);
    else if (accept(r, "items"))
        func->strip.items = number(r);
    else if (accept(r, "row"))
        func->strip.row = number(r);
    else if (accept(r, "straddles"))
        func->strip.straddles = true;
    else if (accept(r, "whole"))
        func->strip.is_whole = true;
    else if (accept(r, "exchanges"))
        func->exchanges = true;
    else if (accept(r, "arguments"))
        func->argument_bytes = number(r);
    else if (accept(r, "host"))
        func->host = (uint8_t)word(r, cy_sir_host_names, CY_SIR_HOSTS, "what the host is good at");
    else if (accept(r, "converts_halves"))
        func->converts_halves = true;
    else if (accept(r, "slots"))
        func->slots = number(r);
    else if (accept(r, "counters"))
        func->counters = number(r);
    else if (accept(r, "counts"))
        func->counts = (uint8_t)word(r, cy_sir_counting_names, CY_SIR_COUNTINGS, "what is counted: lanes or insns");
    else
        return false;
    return true;
}

static void read_header(struct reader *r)
{
    static const char *const forms[] = {"simt", "vector"};
    struct cy_sir_func *func = r->func;
    cy_scan_expect(&r->scan, "kernel");
    if (r->scan.kind != CY_SCAN_STRING)
        wanted(r, "the kernel's name in quotes");
    if (r->scan.failed)
        return;
    func->name = cy_arena_strndup(&func->arena, r->scan.string.data, r->scan.string.size);
    if (strlen(func->name) != r->scan.string.size)
        wanted(r, "a name without a zero byte");
    cy_scan_next(&r->scan);
    func->form = (enum cy_sir_form_of_function)word(r, forms, CY_COUNT(forms), "the form: simt or vector");
    func->target = word(r, cy_sir_target_names, CY_TARGET_COUNT, "the generation: gen1, gen2, epic or epic_fpga");
    while (is_more(r) && read_property(r, func))
        ;
    cy_scan_end_of_line(&r->scan);
}

/* ---- when everything has been read ---- */

static void check_references(struct reader *r)
{
    const struct cy_sir_func *func = r->func;
    for (size_t i = 0; i < r->references.count && !r->scan.failed; i++) {
        const struct reference *ref = &r->references.at[i];
        if (ref->is_block && ref->number >= func->blocks.count)
            cy_scan_error(&r->scan, &ref->loc, "there is no block %u", ref->number);
        else if (!ref->is_block &&
                 (ref->number >= func->insns.count || cy_sir_at(func, ref->number)->op == CY_SIR_NONE))
            cy_scan_error(&r->scan, &ref->loc, "there is no value %u", ref->number);
    }
}

/* Instructions without results get the numbers that are free. */
static void number_nameless(struct reader *r)
{
    size_t free = 1;
    for (size_t i = 0; i < r->nameless.count; i++) {
        const struct nameless *one = &r->nameless.at[i];
        while (free < r->func->insns.count && cy_sir_at(r->func, (cy_sir_value)free)->op != CY_SIR_NONE)
            free++;
        fill_values(r, free + 1);
        *cy_sir_at(r->func, (cy_sir_value)free) = one->insn;
        r->func->blocks.at[one->insn.block].list.at[one->place] = (cy_sir_value)free;
    }
}

static void find_preds(struct reader *r)
{
    struct cy_sir_func *func = r->func;
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t s = 0; s < cy_sir_succ_count(&func->blocks.at[b]); s++) {
            const uint32_t to = cy_sir_succ(&func->blocks.at[b], s);
            if (!r->has_preds.at[to])
                *cy_vec_push(&func->blocks.at[to].preds) = b;
        }
}

static void read_kernel(struct reader *r)
{
    read_header(r);
    if (!r->scan.failed)
        read_tables(r);
    if (!r->scan.failed)
        read_body(r);
    check_references(r);
    if (!r->scan.failed) {
        number_nameless(r);
        find_preds(r);
    }
}

struct cy_sir_func *cy_sir_read(const char *name, const char *text, size_t size, struct cy_diags *diags)
{
    enum { VALUES_PER_BYTE = 4, FEWEST = 1 << 16 };
    struct reader r = {.func = cy_sir_new(""), .block = CY_SIR_NOTHING};
    r.most_values = size > FEWEST / VALUES_PER_BYTE ? size * VALUES_PER_BYTE : FEWEST;
    cy_scan_start(&r.scan, name, text, size, ",/", diags);
    if (!r.scan.failed)
        read_kernel(&r);
    if (r.scan.failed) {
        cy_sir_free(r.func);
        r.func = NULL;
    }
    cy_scan_free(&r.scan);
    cy_vec_free(&r.references);
    cy_vec_free(&r.nameless);
    cy_vec_free(&r.has_preds);
    return r.func;
}
