/* Reads the text form of the IR; the grammar is in ir_text.c.  Errors carry their location; names and values are
 * checked once everything has been read. */
#include "cc/ir/ir_text_priv.h"

#include "base/scan.h"
#include "base/strmap.h"
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

/* ---- reading: tokens ---- */

/* A name to resolve, or a value to check, once everything has been read. */
enum reference_kind { REF_VALUE, REF_CALL, REF_CALLEE, REF_SYMBOL, REF_RELOC };
struct reference {
    uint8_t kind;
    char class; /* REF_VALUE: s or v */
    struct cy_loc loc;
    uint32_t owner, item; /* the function or symbol, and the item in it: a value, a callee, a relocation */
    uint32_t user;        /* REF_VALUE: the instruction that uses it; 0: a branch */
    const char *name;
};

struct func_place {
    struct cy_loc loc;
    bool has_callees; /* the text lists its callees */
};

struct reader {
    struct cy_scan scan;
    struct ir_module *module;
    struct ir_func *func; /* at hand */
    uint32_t block;       /* NONE: none yet */
    bool is_open;         /* the block has no terminator yet */
    uint32_t location;
    size_t most_values;
    CY_VEC(struct reference) references;
    CY_VEC(struct ir_argument) arguments;
    CY_VEC(struct func_place) places; /* by function */
    struct cy_strmap functions, symbols;
};

static struct cy_loc here(const struct reader *r)
{
    return cy_scan_here(&r->scan);
}

#define error_at(r, loc, ...) cy_scan_error(&(r)->scan, loc, __VA_ARGS__)

static bool wanted(struct reader *r, const char *what)
{
    return cy_scan_wanted(&r->scan, what);
}

static void next(struct reader *r)
{
    cy_scan_next(&r->scan);
}

static const char *token(const struct reader *r)
{
    return cy_scan_token(&r->scan);
}

static bool is(const struct reader *r, const char *word)
{
    return cy_scan_is(&r->scan, word);
}

static bool accept(struct reader *r, const char *word)
{
    return cy_scan_accept(&r->scan, word);
}

static bool expect(struct reader *r, const char *word)
{
    return cy_scan_expect(&r->scan, word);
}

static bool end_of_line(struct reader *r)
{
    return cy_scan_end_of_line(&r->scan);
}

/* A decimal number that takes up the rest of the run from `from`. */
static bool parse_number(const struct reader *r, uint32_t from, int64_t lowest, int64_t highest, int64_t *out)
{
    const char *p = token(r) + from, *end = token(r) + r->scan.size;
    bool is_signed = lowest < 0 && p < end && (*p == '-' || *p == '+'), is_negative = is_signed && *p == '-';
    uint64_t value = 0;
    p += is_signed;
    if (r->scan.kind != CY_SCAN_RUN || p == end)
        return false;
    for (; p < end; p++) {
        if (*p < '0' || *p > '9' || value > UINT32_MAX)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    *out = is_negative ? -(int64_t)value : (int64_t)value;
    return *out >= lowest && *out <= highest;
}

static uint32_t number(struct reader *r, uint32_t highest)
{
    int64_t value = 0;
    if (!parse_number(r, 0, 0, highest, &value)) {
        struct cy_loc loc = here(r);
        error_at(r, &loc, "expected a number from 0 to %u", highest);
    } else {
        next(r);
    }
    return (uint32_t)value;
}

/* With its sign, after a character already consumed. */
static int32_t signed_number(struct reader *r, uint32_t from)
{
    int64_t value = 0;
    if (!parse_number(r, from, INT32_MIN, INT32_MAX, &value))
        wanted(r, "a number of 32 bits");
    else
        next(r);
    return (int32_t)value;
}

static const char *string(struct reader *r, uint32_t *size)
{
    char *text = NULL;
    if (r->scan.kind != CY_SCAN_STRING) {
        wanted(r, "a string");
    } else if (!r->scan.failed) {
        text = cy_arena_strndup(&r->module->arena, r->scan.string.data, r->scan.string.size);
        if (size)
            *size = (uint32_t)r->scan.string.size;
        else if (strlen(text) != r->scan.string.size)
            wanted(r, "a string without a zero byte");
        next(r);
    }
    return text ? text : "";
}

/* A name, quoted unless plain; it starts at `from` in the run. */
static const char *name(struct reader *r, uint32_t from)
{
    if (from && r->scan.size == from && token(r)[from] == '"')
        next(r), from = 0;
    if (r->scan.kind == CY_SCAN_STRING)
        return r->scan.string.size ? string(r, NULL) : (wanted(r, "a name"), "");
    bool plain = r->scan.kind == CY_SCAN_RUN && r->scan.size > from;
    for (uint32_t i = from; i < r->scan.size && plain; i++)
        plain = ir_is_plain_char(token(r)[i]);
    if (!plain) {
        wanted(r, "a name");
        return "";
    }
    const char *text = cy_arena_strndup(&r->module->arena, token(r) + from, r->scan.size - from);
    next(r);
    return text;
}

static const char *at_name(struct reader *r)
{
    if (r->scan.kind != CY_SCAN_RUN || *token(r) != '@') {
        wanted(r, "@ and a name");
        return "";
    }
    return name(r, 1);
}

static struct reference *refer(struct reader *r, enum reference_kind kind, uint32_t owner, uint32_t item)
{
    struct reference *made = cy_vec_push(&r->references);
    *made = (struct reference){.kind = (uint8_t)kind, .loc = here(r), .owner = owner, .item = item};
    return made;
}

/* !LINE or !FILE:LINE */
static bool accept_location(struct reader *r, uint32_t *location)
{
    uint64_t part[2] = {0, 0};
    unsigned count = 0, digits = 0;
    if (r->scan.failed || r->scan.kind != CY_SCAN_RUN || *token(r) != '!')
        return false;
    for (uint32_t i = 1; i <= r->scan.size; i++) {
        char c = i < r->scan.size ? token(r)[i] : ':';
        if (c >= '0' && c <= '9' && digits < 8)
            part[count] = part[count] * 10 + (uint64_t)(c - '0'), digits++;
        else if (c == ':' && digits && count < 2 && (i == r->scan.size || !count))
            count++, digits = 0;
        else
            return wanted(r, "a location: !LINE or !FILE:LINE");
    }
    uint64_t file = count == 2 ? part[0] : 0, line = count == 2 ? part[1] : part[0];
    if (file > IR_MOST_FILES || line > IR_MOST_LINES)
        return wanted(r, "a location: the number of the file or line is too large");
    *location = IR_LOCATION(file, line);
    next(r);
    return true;
}

/* ---- reading: values and blocks ---- */

static uint32_t own_index(const struct reader *r)
{
    return (uint32_t)(r->func - r->module->funcs.at);
}

/* s5 or v5: the number; 0: not a value. */
static ir_value value_token(struct reader *r)
{
    int64_t value = 0;
    if (r->scan.kind != CY_SCAN_RUN || (*token(r) != 's' && *token(r) != 'v') ||
        !parse_number(r, 1, 1, UINT32_MAX, &value))
        return 0;
    if ((uint64_t)value >= r->most_values) { /* would only leave holes */
        struct cy_loc loc = here(r);
        error_at(r, &loc, "the number of the value is too large for a text of this size");
        return 0;
    }
    return (ir_value)value;
}

static ir_value used_value(struct reader *r, ir_value user)
{
    ir_value value = value_token(r);
    if (!value) {
        wanted(r, "a value: s or v and its number");
        return 0;
    }
    struct reference *made = refer(r, REF_VALUE, own_index(r), value);
    made->class = *token(r);
    made->user = user;
    next(r);
    return value;
}

static uint32_t block_token(struct reader *r)
{
    int64_t block = 0;
    if (r->scan.kind != CY_SCAN_RUN || *token(r) != 'b' || !parse_number(r, 1, 0, UINT32_MAX - 1, &block)) {
        wanted(r, "a block: b and its number");
        return 0;
    }
    refer(r, REF_VALUE, own_index(r), (uint32_t)block)->class = 'b';
    next(r);
    return (uint32_t)block;
}

static void fill_values(struct reader *r, size_t count)
{
    while (r->func->insns.count < count) {
        struct ir_insn none = {.block = r->func->insns.count ? UINT32_MAX : 0};
        *cy_vec_push(&r->func->insns) = none;
    }
}

static void read_phi(struct reader *r, ir_value value)
{
    ir_value first = (ir_value)r->func->phi_args.count;
    struct ir_block *block = &r->func->blocks.at[r->block];
    bool is_first = block->list.count == 1; /* the first phi gives the predecessors; the others must agree */
    size_t count = 0;
    while (is(r, "[") && !r->scan.failed) {
        next(r);
        ir_value arg = accept(r, "none") ? 0 : used_value(r, value);
        expect(r, "from");
        struct cy_loc loc = here(r);
        uint32_t from = block_token(r);
        if (!is_first && (count >= block->preds.count || block->preds.at[count] != from))
            error_at(r, &loc, "a different predecessor than in the phi before it");
        if (is_first)
            *cy_vec_push(&block->preds) = from;
        *cy_vec_push(&r->func->phi_args) = arg;
        count++;
        if (!is(r, "]"))
            wanted(r, "]");
        next(r);
    }
    if (!count)
        wanted(r, "the values of a phi: [s1 from b0] ...");
    if (count != block->preds.count)
        wanted(r, "as many predecessors as in the phi before it");
    ir_at(r->func, value)->args[0] = first;
}

/* The IR names an operation on words by its instruction. */
static bool is_amo(const struct reader *r, uint32_t row)
{
    const struct cy_insn_info *info = &cy_insns[row];
    const size_t size = strlen(info->mnemonic);
    return info->format == CY_FORMAT_AMO && info->is_expression && !(info->flags & CY_F_WIDE) && size == r->scan.size &&
           !memcmp(info->mnemonic, token(r), size);
}

static void read_target(struct reader *r, ir_value value, enum reference_kind kind)
{
    if (r->scan.kind == CY_SCAN_RUN && *token(r) == '#') {
        refer(r, kind, own_index(r), value);
        ir_at(r->func, value)->imm = signed_number(r, 1);
        return;
    }
    struct reference *made = refer(r, kind, own_index(r), value);
    size_t index = (size_t)(made - r->references.at);
    const char *target = at_name(r);
    r->references.at[index].name = target;
}

/* The part after the arguments. */
static void read_rest(struct reader *r, ir_value value)
{
    struct ir_insn *insn = ir_at(r->func, value);
    if (insn->op == IR_CALL || insn->op == IR_SYMBOL) {
        read_target(r, value, insn->op == IR_CALL ? REF_CALL : REF_SYMBOL);
    } else if (insn->op == IR_AMO || insn->op == IR_AMO64) {
        uint32_t row = 1; /* row 0 is none */
        while (row < CY_OP_COUNT && (r->scan.kind != CY_SCAN_RUN || !is_amo(r, row)))
            row++;
        if (row == CY_OP_COUNT)
            wanted(r, "the name of an atomic instruction: amoadd.w, amoswap.w ...");
        insn->imm = (int32_t)row;
        next(r);
    } else if (r->scan.kind == CY_SCAN_RUN && *token(r) == '#') {
        insn->imm = signed_number(r, 1);
    } else if (ir_shows_imm(insn->op)) {
        wanted(r, "# and a number");
    }
    if (!r->scan.failed && r->scan.kind == CY_SCAN_RUN && (*token(r) == '+' || *token(r) == '-'))
        insn->extra = signed_number(r, 0);
    insn->is_private = accept(r, "private");
    insn->is_volatile = accept(r, "volatile");
    if (accept(r, "variable")) {
        const int32_t number = r->scan.kind == CY_SCAN_RUN && *token(r) == '#' ? signed_number(r, 1) : 0;
        if (number < 1 || number > 63)
            wanted(r, "# and a number from 1 to 63");
        insn->variable = (unsigned)number & 63;
    }
    accept_location(r, &r->location);
    insn->line = r->location;
}

/* Invariants that the back end assumes of an instruction. */
static const char *check_numbers(const struct reader *r, const struct ir_insn *insn)
{
    bool is_word = insn->imm >= 0 && insn->imm < (int32_t)IR_CALL_REGISTERS;
    int32_t size = insn->imm < 0 ? -(int64_t)insn->imm > 4 ? 5 : -insn->imm : insn->imm;
    switch (insn->op) {
    case IR_LOAD:
    case IR_STORE: return size == 1 || size == 2 || size == 4 ? NULL : "the size is 1, 2 or 4, negative for signed";
    case IR_CSR: return insn->imm >= 0 && insn->imm < 4096 ? NULL : "the number of a CSR is below 4096";
    case IR_BARRIER:
        return insn->imm >= 0 && insn->imm < 2 * IR_BARRIER_WARP ? NULL
                                                                 : "a barrier has five bits, and one for its scope";
    case IR_FENCE:
        return insn->imm == IR_FENCE_ACQUIRE || insn->imm == IR_FENCE_RELEASE || insn->imm == IR_FENCE_FULL ||
                       insn->imm == IR_FENCE_TSO
                   ? NULL
                   : "a fence is 0x023, 0x031, 0x033 or 0x833";
    case IR_PARAM:
        return r->func->is_function && is_word && (uint32_t)insn->imm < r->func->params ? NULL
                                                                                        : "there is no such word";
    case IR_RETVAL:
        return r->func->is_function && is_word && (uint32_t)insn->imm < r->func->results ? NULL
                                                                                         : "there is no such word";
    case IR_ARG:
    case IR_RESULT: return is_word ? NULL : "a call passes at most 32 words";
    case IR_CALL:
        return insn->extra >= 0 && insn->extra <= (int32_t)IR_CALL_REGISTERS ? NULL : "a call passes at most 32 words";
    case IR_ASM: return insn->extra >= 0 && insn->extra <= 2 * IR_ASM_OPERANDS ? NULL : "there are not as many inputs";
    case IR_FRAME: return r->func->is_function ? NULL : "only functions have a frame";
    default: return NULL;
    }
}

static void read_insn(struct reader *r)
{
    struct cy_loc loc = here(r);
    ir_value value = value_token(r);
    bool is_divergent = *token(r) == 'v';
    if (!value) {
        wanted(r, "an instruction or a terminator");
        return;
    }
    fill_values(r, (size_t)value + 1);
    if (ir_at(r->func, value)->op != IR_NONE) {
        error_at(r, &loc, "value %u is already defined", value);
        return;
    }
    next(r);
    expect(r, "=");
    unsigned op = IR_NONE + 1;
    while (op < IR_COUNT && !is(r, ir_ops[op].name))
        op++;
    if (r->scan.failed || op == IR_COUNT) {
        wanted(r, "an operation");
        return;
    }
    loc = here(r);
    struct ir_block *block = &r->func->blocks.at[r->block];
    if (op == IR_PHI && block->list.count && ir_at(r->func, block->list.at[block->list.count - 1])->op != IR_PHI)
        error_at(r, &loc, "phis come first in a block");
    if (ir_is_pair(op) && ir_target(r->module)->pointer_words == 1)
        error_at(r, &loc, "'%s' needs 64-bit addresses, which %s does not have", ir_ops[op].name,
                 ir_target(r->module)->name);
    next(r);
    *cy_vec_push(&block->list) = value;
    struct ir_insn *insn = ir_at(r->func, value);
    insn->op = (uint16_t)op;
    insn->block = r->block;
    insn->is_divergent = is_divergent;
    if (op == IR_PHI)
        read_phi(r, value);
    for (unsigned i = 0; op != IR_PHI && i < ir_ops[op].arguments; i++)
        insn->args[i] = used_value(r, value);
    read_rest(r, value);
    const char *wrong = r->scan.failed ? NULL : check_numbers(r, insn);
    if (wrong)
        error_at(r, &loc, "%s", wrong);
    if (insn->is_private && op != IR_LOAD && op != IR_STORE)
        error_at(r, &loc, "only loads and stores can be private");
    if (insn->is_volatile && op != IR_LOAD && op != IR_STORE)
        error_at(r, &loc, "only loads and stores can be volatile");
    if (insn->variable && op != IR_LOAD && op != IR_STORE)
        error_at(r, &loc, "only loads and stores are in variables");
    end_of_line(r);
}

/* True: that was a terminator. */
static bool read_end(struct reader *r)
{
    struct ir_block *block = &r->func->blocks.at[r->block];
    bool is_divergent = is(r, "vbranch");
    if (accept(r, "return")) {
        block->terminator = IR_RETURN;
    } else if (accept(r, "unreachable")) {
        block->terminator = IR_UNREACHABLE;
    } else if (accept(r, "jump")) {
        ir_set_jump(r->func, r->block, block_token(r));
    } else if (accept(r, "branch") || accept(r, "vbranch")) {
        ir_value condition = used_value(r, 0);
        expect(r, "?");
        uint32_t then = block_token(r);
        expect(r, ":");
        ir_set_branch(r->func, r->block, condition, then, block_token(r));
        block->is_divergent_branch = is_divergent;
    } else {
        return false;
    }
    r->is_open = false;
    end_of_line(r);
    return true;
}

/* b3: join preds b1 b2; false: not a block label. */
static bool read_block(struct reader *r)
{
    int64_t index = -1;
    struct cy_loc loc = here(r);
    if (r->scan.kind != CY_SCAN_RUN || *token(r) != 'b' || token(r)[r->scan.size - 1] != ':')
        return false;
    r->scan.size--;
    bool ok = parse_number(r, 1, 0, UINT32_MAX, &index);
    r->scan.size++;
    if (!ok || index != (int64_t)r->func->blocks.count)
        error_at(r, &loc, "expected b%zu: blocks are numbered from 0", r->func->blocks.count);
    else if (r->is_open)
        error_at(r, &loc, "block %u has no terminator", r->block);
    if (r->scan.failed)
        return true;
    next(r);
    r->block = ir_new_block(r->func);
    r->is_open = true;
    r->location = 0;
    struct ir_block *block = &r->func->blocks.at[r->block];
    block->needs_join = accept(r, "join");
    if (accept(r, "preds"))
        while (!r->scan.failed && r->scan.kind == CY_SCAN_RUN)
            *cy_vec_push(&block->preds) = block_token(r);
    end_of_line(r);
    return true;
}

/* ---- reading: functions ---- */

/* Predecessors in block order unless the text gives them; then they must be the same edges in another order. */
static void set_preds(struct reader *r, const struct cy_loc *loc)
{
    struct ir_func *func = r->func;
    uint32_t *edges = cy_xrealloc(NULL, (2 * func->blocks.count + 1) * sizeof(*edges));
    CY_VEC(uint32_t) found = {0};
    size_t *start = cy_xrealloc(NULL, (func->blocks.count + 2) * sizeof(*start));
    memset(start, 0, (func->blocks.count + 2) * sizeof(*start));
    for (size_t b = 0; b < func->blocks.count; b++)
        for (uint32_t s = 0; s < func->blocks.at[b].succ_count; s++)
            start[func->blocks.at[b].succ[s] + 2]++;
    for (size_t b = 0; b < func->blocks.count; b++)
        start[b + 2] += start[b + 1];
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t s = 0; s < func->blocks.at[b].succ_count; s++)
            edges[start[func->blocks.at[b].succ[s] + 1]++] = b;
    for (uint32_t b = 0; b < func->blocks.count && !r->scan.failed; b++) {
        struct ir_block *block = &func->blocks.at[b];
        size_t count = start[b + 1] - start[b];
        bool has_phi = block->list.count && ir_at(func, block->list.at[0])->op == IR_PHI;
        found.count = 0;
        for (size_t i = 0; i < count; i++)
            *cy_vec_push(&found) = edges[start[b] + i];
        if (!block->preds.count && !has_phi)
            for (size_t i = 0; i < count; i++)
                *cy_vec_push(&block->preds) = found.at[i];
        for (size_t i = 0; i < block->preds.count && !r->scan.failed; i++) {
            size_t k = 0;
            while (k < found.count && found.at[k] != block->preds.at[i])
                k++;
            if (k == found.count)
                error_at(r, loc, "block %u lists block %u as a predecessor, but there is no such edge", b,
                         block->preds.at[i]);
            else
                found.at[k] = found.at[--found.count];
        }
        if (!r->scan.failed && found.count)
            error_at(r, loc, "block %u is missing its predecessor block %u", b, found.at[0]);
    }
    cy_vec_free(&found);
    cy_free(edges);
    cy_free(start);
}

/* References to this function's values and blocks, all of which are now known. */
static void check_references(struct reader *r, size_t first)
{
    const struct ir_func *func = r->func;
    for (size_t i = first; i < r->references.count && !r->scan.failed; i++) {
        const struct reference *ref = &r->references.at[i];
        if (ref->kind != REF_VALUE)
            continue;
        if (ref->class == 'b') {
            if (ref->item >= func->blocks.count)
                error_at(r, &ref->loc, "there is no block %u", ref->item);
            continue;
        }
        const struct ir_insn *insn = ref->item < func->insns.count ? ir_at(func, ref->item) : NULL;
        if (!insn || insn->op == IR_NONE)
            error_at(r, &ref->loc, "there is no value %u", ref->item);
        else if (insn->is_divergent != (ref->class == 'v'))
            error_at(r, &ref->loc, "it is defined as %c%u", insn->is_divergent ? 'v' : 's', ref->item);
        else if (ref->user && ir_at(func, ref->user)->op == IR_RESULT   ? insn->op != IR_CALL
                 : ref->user && ir_at(func, ref->user)->op == IR_ASMOUT ? insn->op != IR_ASM
                                                                        : !ir_has_value(insn->op))
            error_at(r, &ref->loc, ir_has_value(insn->op) ? "not a call" : "'%s' has no value", ir_ops[insn->op].name);
    }
}

/* The results of a call come in order, and return values are set in a block that returns. */
static void check_order(struct reader *r, const struct cy_loc *loc)
{
    const struct ir_func *func = r->func;
    for (size_t b = 0; b < func->blocks.count; b++)
        for (size_t i = 0; i < func->blocks.at[b].list.count; i++) {
            ir_value value = func->blocks.at[b].list.at[i];
            const struct ir_insn *insn = ir_at(func, value),
                                 *before = i ? ir_at(func, func->blocks.at[b].list.at[i - 1]) : NULL;
            if (insn->op == IR_RESULT && before && before->op == IR_RESULT &&
                (before->imm >= insn->imm || before->args[0] != insn->args[0]))
                error_at(r, loc, "value %u: the results of a call come in order", value);
            if (insn->op == IR_RETVAL && func->blocks.at[b].terminator != IR_RETURN)
                error_at(r, loc, "value %u: a result is set in a block that returns", value);
        }
}

static void finish_func(struct reader *r, const struct cy_loc *loc, size_t first_reference)
{
    struct ir_func *func = r->func;
    struct cy_arena arena = {0};
    if (r->is_open || !func->blocks.count) {
        struct cy_loc end = here(r);
        error_at(r, &end, "'%s' does not end", func->name);
    }
    if (!r->scan.failed)
        check_references(r, first_reference);
    if (!r->scan.failed)
        set_preds(r, loc);
    if (!r->scan.failed && func->blocks.at[0].preds.count)
        error_at(r, loc, "the entry, block 0, must not have predecessors");
    if (!r->scan.failed)
        check_order(r, loc);
    if (!r->scan.failed) {
        ir_analyse_cfg(func);
        const char *wrong = ir_validate(func, &arena);
        if (wrong)
            error_at(r, loc, "'%s' is not valid: %s", func->name, wrong);
    }
    func->argument_count = (uint32_t)r->arguments.count;
    if (r->arguments.count) {
        func->arguments = cy_arena_alloc(&r->module->arena, r->arguments.count * sizeof(*func->arguments));
        memcpy(func->arguments, r->arguments.at, r->arguments.count * sizeof(*func->arguments));
    }
    cy_arena_free(&arena);
}

static void read_argument(struct reader *r)
{
    struct ir_argument argument = {.name = string(r, NULL)};
    argument.type = string(r, NULL);
    while (!r->scan.failed && r->scan.kind == CY_SCAN_RUN)
        if (accept(r, "size"))
            argument.size = number(r, INT32_MAX);
        else if (accept(r, "align"))
            argument.align = number(r, INT32_MAX);
        else if (accept(r, "space"))
            argument.address_space = number(r, 3);
        else if (accept(r, "qualifiers"))
            argument.qualifiers = number(r, UINT32_MAX);
        else if (accept(r, "pointer"))
            argument.is_pointer = true;
        else if (accept(r, "struct"))
            argument.is_struct = true;
        else
            wanted(r, "size, align, space, qualifiers, pointer or struct");
    *cy_vec_push(&r->arguments) = argument;
    end_of_line(r);
}

static void read_callees(struct reader *r)
{
    struct ir_func *func = r->func;
    r->places.at[own_index(r)].has_callees = true;
    while (!r->scan.failed && r->scan.kind == CY_SCAN_RUN && (*token(r) == '@' || *token(r) == '#')) {
        uint32_t index = (uint32_t)func->callees.count;
        *cy_vec_push(&func->callees) = 0;
        struct reference *made = refer(r, REF_CALLEE, own_index(r), index);
        size_t at = (size_t)(made - r->references.at);
        if (*token(r) == '#') {
            func->callees.at[index] = (uint32_t)signed_number(r, 1);
        } else {
            const char *target = at_name(r);
            r->references.at[at].name = target;
        }
    }
}

enum { MOST_BYTES = 1 << 28 }; /* of a kernel's memory: keeps sums well inside 32 bits */

static void read_needs(struct reader *r, struct ir_needs *needs)
{
    needs->vgprs = number(r, 256);
    needs->sgprs = number(r, 256);
    needs->private_bytes = number(r, MOST_BYTES);
    needs->stack_bytes = number(r, MOST_BYTES);
}

/* The properties on the line of its name. */
static void read_header(struct reader *r)
{
    struct ir_func *func = r->func;
    while (!r->scan.failed && r->scan.kind == CY_SCAN_RUN)
        if (accept_location(r, &func->line))
            ;
        else if (accept(r, "params"))
            func->params = number(r, IR_CALL_REGISTERS);
        else if (accept(r, "results"))
            func->results = number(r, IR_CALL_REGISTERS);
        else if (accept(r, "private"))
            func->private_bytes = number(r, MOST_BYTES);
        else if (accept(r, "local"))
            func->local_bytes = number(r, MOST_BYTES);
        else if (accept(r, "reqd"))
            for (int i = 0; i < 3; i++)
                func->reqd_size[i] = number(r, UINT32_MAX);
        else if (accept(r, "sub_group"))
            func->reqd_sub_group = number(r, UINT32_MAX);
        else if (accept(r, "rows_along"))
            func->row_dimension = number(r, 3);
        else if (accept(r, "observes_workgroup"))
            func->observes_workgroup = true;
        else if (accept(r, "may_spin"))
            func->may_spin = true;
        else if (accept(r, "exchanges_lanes"))
            func->exchanges_lanes = true;
        else if (accept(r, "values"))
            fill_values(r, number(r, (uint32_t)r->most_values));
        else if (accept(r, "calls"))
            read_callees(r);
        else if (accept(r, "needs"))
            read_needs(r, &func->needs);
        else if (accept(r, "at"))
            func->code_offset = number(r, MOST_BYTES);
        else if (accept(r, "attributes"))
            func->attributes = string(r, NULL);
        else if (!r->scan.failed)
            wanted(r, "a property of the function, or the end of the line");
    end_of_line(r);
}

static void read_func(struct reader *r, bool is_function)
{
    size_t first_reference = r->references.count;
    struct cy_loc loc = here(r);
    *cy_vec_push(&r->module->funcs) = (struct ir_func){.is_function = is_function, .name = ""};
    r->func = &r->module->funcs.at[r->module->funcs.count - 1];
    *cy_vec_push(&r->places) = (struct func_place){.loc = loc};
    r->func->name = name(r, 0);
    if (!r->scan.failed && cy_strmap_add(&r->functions, r->func->name, strlen(r->func->name)) != own_index(r))
        error_at(r, &loc, "'%s' is defined twice", r->func->name);
    fill_values(r, 1);
    r->is_open = false;
    r->arguments.count = 0;
    read_header(r);
    while (!r->scan.failed && accept(r, "argument"))
        read_argument(r);
    while (!r->scan.failed && r->scan.kind == CY_SCAN_RUN && !is(r, "kernel") && !is(r, "function"))
        if (!read_block(r)) {
            if (!r->is_open)
                wanted(r, "a block");
            else if (!read_end(r))
                read_insn(r);
        }
    finish_func(r, &loc, first_reference);
}

/* ---- reading: the module ---- */

static void read_symbol(struct reader *r)
{
    struct cy_loc loc = here(r);
    uint32_t index = (uint32_t)r->module->symbols.count;
    *cy_vec_push(&r->module->symbols) = (struct ir_symbol){.name = at_name(r)};
    struct ir_symbol *symbol = &r->module->symbols.at[index];
    if (!r->scan.failed && cy_strmap_add(&r->symbols, symbol->name, strlen(symbol->name)) != index)
        error_at(r, &loc, "'%s' is defined twice", symbol->name);
    while (!r->scan.failed && r->scan.kind == CY_SCAN_RUN)
        if (accept(r, "size")) {
            symbol->size = number(r, MOST_BYTES);
        } else if (accept(r, "align")) {
            symbol->align = number(r, 1 << 16);
        } else if (accept(r, "constant")) {
            symbol->is_constant = true;
        } else if (accept(r, "zero")) {
            symbol->is_zero = true;
        } else if (accept(r, "local")) {
            symbol->is_local = true;
        } else if (accept(r, "data")) {
            if (r->scan.kind != CY_SCAN_STRING)
                wanted(r, "a string");
            else
                cy_buf_append(&symbol->data, r->scan.string.data, r->scan.string.size);
            next(r);
        } else if (accept(r, "reloc")) {
            struct ir_symbol_reloc reloc = {.offset = number(r, MOST_BYTES)};
            struct reference *made = refer(r, REF_RELOC, index, (uint32_t)symbol->relocs.count);
            size_t at = (size_t)(made - r->references.at);
            const char *target = at_name(r);
            r->references.at[at].name = target;
            reloc.addend = r->scan.failed ? 0 : signed_number(r, 0);
            *cy_vec_push(&symbol->relocs) = reloc;
            if ((uint64_t)reloc.offset + 4 > symbol->size)
                error_at(r, &loc, "a relocation is outside the symbol");
        } else {
            wanted(r, "size, align, constant, zero, local, data or reloc");
        }
    if (!r->scan.failed && (!symbol->align || symbol->align & (symbol->align - 1)))
        error_at(r, &loc, "the alignment must be a power of two");
    if (!r->scan.failed && symbol->data.size != (symbol->is_zero || symbol->is_local ? 0 : symbol->size))
        error_at(r, &loc, "the data has %zu bytes, the symbol %u", symbol->data.size, symbol->size);
    end_of_line(r);
}

static void read_asm(struct reader *r)
{
    struct cy_loc loc = here(r);
    const char *constraints = string(r, NULL);
    const char *text = r->scan.failed ? NULL : string(r, NULL);
    struct ir_asm made;
    if (!r->scan.failed && !ir_asm_parse(&made, constraints, text))
        error_at(r, &loc, "these constraints and this text do not fit together");
    else if (!r->scan.failed)
        *cy_vec_push(&r->module->asms) = made;
    end_of_line(r);
}

static void read_item(struct reader *r)
{
    if (accept(r, "kernel")) {
        read_func(r, false);
    } else if (accept(r, "function")) {
        read_func(r, true);
    } else if (accept(r, "symbol")) {
        read_symbol(r);
    } else if (accept(r, "file")) {
        *cy_vec_push(&r->module->files) = string(r, NULL);
        end_of_line(r);
    } else if (accept(r, "format")) {
        struct ir_format format = {0};
        format.text = string(r, &format.length);
        *cy_vec_push(&r->module->formats) = format;
        end_of_line(r);
    } else if (accept(r, "asm")) {
        read_asm(r);
    } else if (accept(r, "private_align")) {
        struct cy_loc loc = here(r);
        r->module->private_align = number(r, 1 << 16);
        if (r->module->private_align & (r->module->private_align - 1))
            error_at(r, &loc, "the alignment must be a power of two");
        end_of_line(r);
    } else {
        wanted(r, "kernel, function, symbol, file, format, asm or private_align");
    }
}

/* A call must be of a function of the module and match its parameter and result words. */
static void check_call(struct reader *r, const struct reference *ref)
{
    const struct ir_func *func = &r->module->funcs.at[ref->owner];
    const struct ir_insn *call = ir_at(func, ref->item);
    const struct ir_func *callee = &r->module->funcs.at[call->imm];
    if (!callee->is_function)
        error_at(r, &ref->loc, "'%s' is a kernel: only functions are called", callee->name);
    else if ((uint32_t)call->extra != callee->params)
        error_at(r, &ref->loc, "'%s' has %u params, the call passes %d", callee->name, callee->params, call->extra);
    const struct ir_block *block = &func->blocks.at[call->block];
    for (size_t i = 0; i < block->list.count && !r->scan.failed; i++) {
        const struct ir_insn *result = ir_at(func, block->list.at[i]);
        if (result->op == IR_RESULT && result->args[0] == ref->item && (uint32_t)result->imm >= callee->results)
            error_at(r, &ref->loc, "'%s' has no result %d", callee->name, result->imm);
    }
}

static void resolve(struct reader *r, const struct reference *ref)
{
    bool is_func = ref->kind == REF_CALL || ref->kind == REF_CALLEE;
    size_t count = is_func ? r->module->funcs.count : r->module->symbols.count;
    struct ir_func *func = ref->kind == REF_RELOC ? NULL : &r->module->funcs.at[ref->owner];
    uint32_t *place = ref->kind == REF_RELOC    ? &r->module->symbols.at[ref->owner].relocs.at[ref->item].symbol
                      : ref->kind == REF_CALLEE ? &func->callees.at[ref->item]
                                                : (uint32_t *)&ir_at(func, ref->item)->imm;
    if (ref->name)
        *place = cy_strmap_find(is_func ? &r->functions : &r->symbols, ref->name, strlen(ref->name));
    if (*place >= count)
        error_at(r, &ref->loc, "there is no such %s", is_func ? "function" : "symbol");
    else if (ref->kind == REF_SYMBOL && r->module->symbols.at[*place].is_local)
        error_at(r, &ref->loc, "a local symbol has no address of its own");
    else if (ref->kind == REF_RELOC && r->module->symbols.at[*place].is_local)
        error_at(r, &ref->loc, "a local symbol has no address of its own");
    else if (ref->kind == REF_CALL)
        check_call(r, ref);
}

static void check_asms(struct reader *r)
{
    for (size_t f = 0; f < r->module->funcs.count; f++) {
        const struct ir_func *func = &r->module->funcs.at[f];
        for (size_t b = 0; b < func->blocks.count; b++)
            for (size_t i = 0; i < func->blocks.at[b].list.count && !r->scan.failed; i++) {
                const bool is_asm = ir_at(func, func->blocks.at[b].list.at[i])->op == IR_ASM;
                const char *wrong = is_asm ? ir_check_asm(r->module, func, &func->blocks.at[b], i) : NULL;
                if (wrong)
                    error_at(r, &r->places.at[f].loc, "%s", wrong);
            }
    }
}

/* Resolves names, and finds callees where the text does not list them. */
static void finish_module(struct reader *r)
{
    for (size_t i = 0; i < r->references.count && !r->scan.failed; i++)
        if (r->references.at[i].kind != REF_VALUE)
            resolve(r, &r->references.at[i]);
    for (size_t f = 0; f < r->module->funcs.count && !r->scan.failed; f++) {
        struct ir_func *func = &r->module->funcs.at[f];
        uint32_t *found = cy_xrealloc(NULL, (ir_count_calls(func) + 1) * sizeof(*found));
        size_t count = ir_find_callees(func, found);
        for (size_t i = 0; i < count && !r->places.at[f].has_callees; i++)
            *cy_vec_push(&func->callees) = found[i];
        for (size_t i = 0; i < count; i++) {
            size_t k = 0;
            while (k < func->callees.count && func->callees.at[k] != found[i])
                k++;
            if (k == func->callees.count)
                error_at(r, &r->places.at[f].loc, "it calls '%s', which is not among its callees",
                         r->module->funcs.at[found[i]].name);
        }
        cy_free(found);
    }
    if (!r->scan.failed)
        check_asms(r);
    uint32_t *order = cy_xrealloc(NULL, (r->module->funcs.count + 1) * sizeof(*order));
    const struct ir_func *recursive = r->scan.failed ? NULL : ir_order_funcs(r->module, order);
    if (recursive)
        error_at(r, &r->places.at[recursive - r->module->funcs.at].loc, "'%s' calls itself", recursive->name);
    cy_free(order);
}

bool ir_read(const char *name, const char *text, size_t size, struct ir_module *module, struct cy_diags *diags)
{
    struct reader r = {.module = module};
    enum { VALUES_PER_BYTE = 64, FEWEST = 1 << 16 };
    module->private_align = 4;
    r.most_values = size > FEWEST / VALUES_PER_BYTE ? size * VALUES_PER_BYTE : FEWEST;
    cy_scan_start(&r.scan, name, text, size, "[]", diags);
    while (!r.scan.failed && r.scan.kind != CY_SCAN_END)
        read_item(&r);
    if (!r.scan.failed)
        finish_module(&r);
    cy_scan_free(&r.scan);
    cy_vec_free(&r.references);
    cy_vec_free(&r.arguments);
    cy_vec_free(&r.places);
    cy_strmap_free(&r.functions);
    cy_strmap_free(&r.symbols);
    return !r.scan.failed;
}
