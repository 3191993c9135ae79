/* Building and validating the IR. */
#include "cc/ir/ir.h"

#include <string.h>

enum {
    PURE = IR_PURE,
    EFFECT = IR_EFFECT,
    LOAD = IR_IS_LOAD,
    COMMUTES = IR_COMMUTES,
    WIDE = IR_WIDE,
    WIDE_ARGS = IR_WIDE_ARGS,
    WIDE_DATA = IR_WIDE_DATA
};
const struct ir_op_info ir_ops[IR_COUNT] = {
#define OP(id, name, arguments, flags) [IR_##id] = {name, arguments, flags},
#include "cc/ir/ir.def"
};

ir_value ir_new(struct ir_func *func, enum ir_op op)
{
    if (!func->insns.count)
        *cy_vec_push(&func->insns) = (struct ir_insn){0};
    *cy_vec_push(&func->insns) = (struct ir_insn){.op = (uint16_t)op, .block = UINT32_MAX};
    return (ir_value)func->insns.count - 1;
}

ir_value ir_append(struct ir_func *func, uint32_t block, enum ir_op op, ir_value a, ir_value b, ir_value c)
{
    ir_value value = ir_new(func, op);
    struct ir_insn *insn = ir_at(func, value);
    insn->args[0] = a;
    insn->args[1] = b;
    insn->args[2] = c;
    insn->block = block;
    *cy_vec_push(&func->blocks.at[block].list) = value;
    return value;
}

uint32_t ir_new_block(struct ir_func *func)
{
    *cy_vec_push(&func->blocks) = (struct ir_block){.terminator = IR_RETURN};
    return (uint32_t)func->blocks.count - 1;
}

void ir_set_jump(struct ir_func *func, uint32_t from, uint32_t to)
{
    struct ir_block *block = &func->blocks.at[from];
    block->terminator = IR_JUMP;
    block->succ[0] = to;
    block->succ_count = 1;
}

void ir_set_branch(struct ir_func *func, uint32_t from, ir_value condition, uint32_t then, uint32_t otherwise)
{
    struct ir_block *block = &func->blocks.at[from];
    block->terminator = IR_BRANCH;
    block->condition = condition;
    block->succ[0] = then;
    block->succ[1] = otherwise;
    block->succ_count = 2;
}

enum ir_op ir_opposite(unsigned op)
{
    switch (op) {
    case IR_EQ: return IR_NE;
    case IR_NE: return IR_EQ;
    case IR_LTS: return IR_GES;
    case IR_GES: return IR_LTS;
    case IR_LTU: return IR_GEU;
    case IR_GEU: return IR_LTU;
    default: return IR_NONE;
    }
}

struct ir_places {
    const struct ir_func *func;
    uint32_t *position; /* by value: its position in its block; UINT32_MAX: in none */
};

static bool dominates_use(const struct ir_places *at, ir_value value, uint32_t block, size_t position)
{
    uint32_t definition = ir_at(at->func, value)->block;
    if (at->position[value] == UINT32_MAX || at->func->blocks.at[definition].order == UINT32_MAX)
        return false;
    if (definition == block)
        return at->position[value] < position;
    return ir_dominates(at->func, definition, block);
}

/* A call's arguments immediately precede it and its results immediately follow it. */
static const char *check_call(const struct ir_func *func, const struct ir_block *block, size_t i,
                              struct cy_arena *arena)
{
    const struct ir_insn *insn = ir_at(func, block->list.at[i]);
    if (insn->op == IR_CALL) {
        for (size_t k = 0; k < (size_t)insn->extra; k++) {
            const struct ir_insn *arg = k < i ? ir_at(func, block->list.at[i - 1 - k]) : insn;
            if (arg->op != IR_ARG || arg->imm != insn->extra - 1 - (int32_t)k)
                return cy_arena_printf(arena, "call %u does not find its argument %d", block->list.at[i],
                                       insn->extra - 1 - (int32_t)k);
        }
    } else if (insn->op == IR_ARG) {
        unsigned next = i + 1 < block->list.count ? ir_at(func, block->list.at[i + 1])->op : IR_NONE;
        if (next != IR_ARG && next != IR_CALL)
            return cy_arena_printf(arena, "argument %u has no call", block->list.at[i]);
    } else if (insn->op == IR_RESULT) {
        unsigned before = i ? ir_at(func, block->list.at[i - 1])->op : IR_NONE;
        if (before == IR_CALL ? insn->args[0] != block->list.at[i - 1] : before != IR_RESULT)
            return cy_arena_printf(arena, "result %u does not follow its call", block->list.at[i]);
    }
    return NULL;
}

/* Likewise for inline assembly. */
static const char *check_asm(const struct ir_func *func, const struct ir_block *block, size_t i, struct cy_arena *arena)
{
    const struct ir_insn *insn = ir_at(func, block->list.at[i]);
    if (insn->op == IR_ASM) {
        for (size_t k = 0; k < (size_t)insn->extra; k++)
            if (k >= i || ir_at(func, block->list.at[i - 1 - k])->op != IR_ASMIN)
                return cy_arena_printf(arena, "assembly %u does not find its %d inputs", block->list.at[i],
                                       insn->extra);
    } else if (insn->op == IR_ASMIN) {
        unsigned next = i + 1 < block->list.count ? ir_at(func, block->list.at[i + 1])->op : IR_NONE;
        if (next != IR_ASMIN && next != IR_ASM)
            return cy_arena_printf(arena, "input %u has no assembly", block->list.at[i]);
    } else if (insn->op == IR_ASMOUT) {
        unsigned before = i ? ir_at(func, block->list.at[i - 1])->op : IR_NONE;
        if (before == IR_ASM ? insn->args[0] != block->list.at[i - 1] : before != IR_ASMOUT)
            return cy_arena_printf(arena, "output %u does not follow its assembly", block->list.at[i]);
    }
    return NULL;
}

/* Pairs are read only where pairs are wanted, and words elsewhere; an address can be either. */
static const char *check_pairs(const struct ir_func *func, ir_value value, unsigned count, struct cy_arena *arena)
{
    const struct ir_insn *insn = ir_at(func, value);
    for (unsigned a = ir_is_access(insn->op) ? 1 : 0; a < count; a++) {
        bool wants_pair =
            insn->op == IR_PLOW || insn->op == IR_PHIGH || insn->op == IR_SUM || (insn->op == IR_PSHL && !a);
        ir_value arg = insn->op == IR_PHI ? func->phi_args.at[insn->args[0] + a] : insn->args[a];
        if (ir_is_pair(ir_at(func, arg)->op) != wants_pair)
            return cy_arena_printf(arena, "value %u: argument %u is %s", value, a,
                                   wants_pair ? "not a pair" : "a pair, where a word is read");
    }
    const struct ir_insn *amount = insn->op == IR_PSHL ? ir_at(func, insn->args[1]) : NULL;
    if (amount && (amount->op != IR_CONST || amount->imm < 0 || amount->imm > 31))
        return cy_arena_printf(arena, "value %u: a pair is shifted by something else than a small constant", value);
    if (ir_is_access(insn->op) && insn->is_private && ir_is_pair(ir_at(func, insn->args[0])->op))
        return cy_arena_printf(arena, "value %u: a private address is a pair", value);
    return NULL;
}

static const char *check_block(const struct ir_places *at, uint32_t b, struct cy_arena *arena)
{
    const struct ir_func *func = at->func;
    const struct ir_block *block = &func->blocks.at[b];
    for (size_t i = 0; i < block->list.count; i++) {
        ir_value value = block->list.at[i];
        const struct ir_insn *insn = ir_at(func, value);
        if (insn->block != b)
            return cy_arena_printf(arena, "value %u is listed in block %u but records block %u", value, b, insn->block);
        unsigned count = insn->op == IR_PHI ? (unsigned)block->preds.count : ir_ops[insn->op].arguments;
        for (unsigned a = 0; a < count; a++) {
            ir_value arg = insn->op == IR_PHI ? func->phi_args.at[insn->args[0] + a] : insn->args[a];
            uint32_t from = insn->op == IR_PHI ? block->preds.at[a] : b;
            if (!arg || arg >= func->insns.count)
                return cy_arena_printf(arena, "value %u: argument %u is not a value", value, a);
            if (ir_is_wide(ir_at(func, arg)->op) != (insn->op != IR_PHI && ir_takes_wide(insn->op, a)))
                return cy_arena_printf(arena, "value %u: argument %u has the wrong width", value, a);
            if (func->blocks.at[from].order == UINT32_MAX)
                continue;
            if (!dominates_use(at, arg, from, insn->op == IR_PHI ? SIZE_MAX : i))
                return cy_arena_printf(arena, "value %u in block %u uses %u before it is defined", value, b, arg);
        }
        const char *wrong = check_pairs(func, value, count, arena);
        wrong = wrong ? wrong : check_call(func, block, i, arena);
        wrong = wrong ? wrong : check_asm(func, block, i, arena);
        if (wrong)
            return wrong;
    }
    if (block->terminator == IR_BRANCH && ir_is_wide(ir_at(func, block->condition)->op))
        return cy_arena_printf(arena, "block %u branches on a wide value", b);
    if (block->terminator == IR_BRANCH && !dominates_use(at, block->condition, b, SIZE_MAX))
        return cy_arena_printf(arena, "block %u branches on %u before it is defined", b, block->condition);
    return NULL;
}

const char *ir_validate(const struct ir_func *func, struct cy_arena *arena)
{
    struct ir_places at = {.func = func};
    const char *wrong = NULL;
    at.position = cy_xrealloc(NULL, (func->insns.count + 1) * sizeof(*at.position));
    memset(at.position, 0xff, (func->insns.count + 1) * sizeof(*at.position));
    for (uint32_t b = 0; b < func->blocks.count; b++)
        for (uint32_t i = 0; i < func->blocks.at[b].list.count; i++)
            at.position[func->blocks.at[b].list.at[i]] = i;
    for (size_t i = 0; i < func->rpo.count && !wrong; i++)
        wrong = check_block(&at, func->rpo.at[i], arena);
    cy_free(at.position);
    return wrong;
}

void ir_module_free(struct ir_module *module)
{
    for (size_t f = 0; f < module->funcs.count; f++) {
        struct ir_func *func = &module->funcs.at[f];
        for (size_t b = 0; b < func->blocks.count; b++) {
            cy_vec_free(&func->blocks.at[b].list);
            cy_vec_free(&func->blocks.at[b].preds);
        }
        cy_vec_free(&func->blocks);
        cy_vec_free(&func->insns);
        cy_vec_free(&func->phi_args);
        cy_vec_free(&func->rpo);
        cy_vec_free(&func->callees);
        cy_vec_free(&func->variables);
        cy_vec_free(&func->debug_values);
    }
    for (size_t s = 0; s < module->symbols.count; s++) {
        cy_buf_free(&module->symbols.at[s].data);
        cy_vec_free(&module->symbols.at[s].relocs);
    }
    cy_vec_free(&module->funcs);
    cy_vec_free(&module->symbols);
    cy_vec_free(&module->formats);
    cy_vec_free(&module->asms);
    cy_vec_free(&module->debug.types);
    cy_vec_free(&module->debug.members);
    cy_vec_free(&module->debug.scopes);
    cy_vec_free(&module->debug.sites);
    cy_vec_free(&module->debug.variables);
    cy_vec_free(&module->files);
    cy_vec_free(&module->source_lines);
    cy_arena_free(&module->arena);
}
