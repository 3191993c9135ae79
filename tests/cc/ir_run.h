/* An interpreter of the compiler's IR, one work-item at a time: the reference for the back end's code. */
#ifndef CY_TESTS_CC_IR_RUN_H
#define CY_TESTS_CC_IR_RUN_H

#include "cc/ir/ir.h"
#include "isa/isa.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct ir_run {
    const struct ir_func *func;
    const struct ir_module *module; /* of the functions it calls */
    uint8_t *memory;                /* at `base` */
    uint32_t base, size;
    uint8_t private_memory[65536];
    uint32_t lane, arguments;
    uint32_t csr[16]; /* 0x800 ... */
    uint64_t steps;
    uint32_t frame; /* private memory of the current function */
    uint32_t pass[IR_CALL_REGISTERS], in[IR_CALL_REGISTERS], out[IR_CALL_REGISTERS]; /* arguments, results */
    bool failed;
};

static inline void ir_run_call(struct ir_run *run, const struct ir_func *callee, uint64_t limit);

static inline float run_float(uint32_t word)
{
    float f;
    memcpy(&f, &word, 4);
    return f;
}
static inline uint32_t run_word(float f)
{
    uint32_t word;
    memcpy(&word, &f, 4);
    return f != f ? 0x7fc00000 : word;
}

static inline uint32_t run_ftos(float f)
{
    if (f != f)
        return INT32_MAX;
    return f >= 2147483648.0f ? (uint32_t)INT32_MAX : f < -2147483648.0f ? (uint32_t)INT32_MIN : (uint32_t)(int32_t)f;
}
static inline uint32_t run_ftou(float f)
{
    if (f != f)
        return UINT32_MAX;
    return f >= 4294967296.0f ? UINT32_MAX : f <= -1.0f ? 0 : (uint32_t)(int64_t)f;
}
static inline uint32_t run_fmin(uint32_t a, uint32_t b, bool max)
{
    float x = run_float(a), y = run_float(b);
    if (x != x && y != y)
        return 0x7fc00000;
    if (x != x)
        return b;
    if (y != y)
        return a;
    if (x == y) /* zeros */
        return max ? a & b : a | b;
    return (x < y) != max ? a : b;
}

static inline uint32_t run_arithmetic(enum ir_op op, uint32_t a, uint32_t b, uint32_t c)
{
    int32_t sa = (int32_t)a, sb = (int32_t)b;
    switch (op) {
    case IR_COPY: return a;
    case IR_ADD: return a + b;
    case IR_SUB: return a - b;
    case IR_MUL: return a * b;
    case IR_MULHU: return (uint32_t)((uint64_t)a * b >> 32);
    case IR_MULHS: return (uint32_t)((uint64_t)((int64_t)sa * sb) >> 32);
    case IR_DIVU: return b ? a / b : UINT32_MAX;
    case IR_DIVS: return !b ? UINT32_MAX : b == UINT32_MAX ? 0 - a : (uint32_t)(sa / sb);
    case IR_REMU: return b ? a % b : a;
    case IR_REMS: return !b ? a : b == UINT32_MAX ? 0 : (uint32_t)(sa % sb);
    case IR_AND: return a & b;
    case IR_OR: return a | b;
    case IR_XOR: return a ^ b;
    case IR_SHL: return a << (b & 31);
    case IR_SHRU: return a >> (b & 31);
    case IR_SHRS: return (uint32_t)(sa >> (b & 31));
    case IR_MINS: return sa < sb ? a : b;
    case IR_MAXS: return sa > sb ? a : b;
    case IR_MINU: return a < b ? a : b;
    case IR_MAXU: return a > b ? a : b;
    case IR_EQ: return a == b;
    case IR_NE: return a != b;
    case IR_LTS: return sa < sb;
    case IR_GES: return sa >= sb;
    case IR_LTU: return a < b;
    case IR_GEU: return a >= b;
    case IR_SELECT: return a ? b : c;
    case IR_FADD: return run_word(run_float(a) + run_float(b));
    case IR_FSUB: return run_word(run_float(a) - run_float(b));
    case IR_FMUL: return run_word(run_float(a) * run_float(b));
    case IR_FDIV: return run_word(run_float(a) / run_float(b));
    case IR_FSQRT: return run_word(sqrtf(run_float(a)));
    case IR_FMA: return run_word(fmaf(run_float(a), run_float(b), run_float(c)));
    case IR_FMIN: return run_fmin(a, b, false);
    case IR_FMAX: return run_fmin(a, b, true);
    case IR_FSGNJ: return (a & INT32_MAX) | (b & 0x80000000u);
    case IR_FEQ: return run_float(a) == run_float(b);
    case IR_FLT: return run_float(a) < run_float(b);
    case IR_FLE: return run_float(a) <= run_float(b);
    case IR_FTOS: return run_ftos(run_float(a));
    case IR_FTOU: return run_ftou(run_float(a));
    case IR_STOF: return run_word((float)sa);
    case IR_UTOF: return run_word((float)a);
    case IR_FEXP: return run_word(expf(run_float(a)));
    default: return 0;
    }
}

static inline uint8_t *run_place(struct ir_run *run, const struct ir_insn *insn, uint32_t address, uint32_t size)
{
    uint8_t *at = insn->is_private ? run->private_memory + address : run->memory + (address - run->base);
    uint32_t limit = insn->is_private ? sizeof(run->private_memory) : run->size;
    uint32_t offset = insn->is_private ? address : address - run->base;
    if (offset > limit - size || address % size)
        run->failed = true;
    return run->failed ? run->private_memory : at;
}

static inline uint32_t run_load(struct ir_run *run, const struct ir_insn *insn, uint32_t address)
{
    uint32_t size = (uint32_t)abs(insn->imm), value = 0;
    memcpy(&value, run_place(run, insn, address, size), size);
    unsigned up = 32 - 8 * size;
    return insn->imm < 0 ? (uint32_t)((int32_t)(value << up) >> up) : value;
}

static inline uint32_t run_atomic(struct ir_run *run, const struct ir_insn *insn, uint32_t address, uint32_t b,
                                  uint32_t c)
{
    uint8_t *at = run_place(run, insn, address, 4);
    uint32_t old, now;
    memcpy(&old, at, 4);
    if (insn->op == IR_CAS)
        now = old == b ? c : old;
    else
        switch (insn->imm) {
        case CY_OP_amoadd_w: now = old + b; break;
        case CY_OP_amoxor_w: now = old ^ b; break;
        case CY_OP_amoor_w: now = old | b; break;
        case CY_OP_amoand_w: now = old & b; break;
        case CY_OP_amomin_w: now = (int32_t)old < (int32_t)b ? old : b; break;
        case CY_OP_amomax_w: now = (int32_t)old > (int32_t)b ? old : b; break;
        case CY_OP_amominu_w: now = old < b ? old : b; break;
        case CY_OP_amomaxu_w: now = old > b ? old : b; break;
        default: now = b; break;
        }
    memcpy(at, &now, 4);
    return old;
}

static inline uint32_t run_insn(struct ir_run *run, const struct ir_insn *insn, const uint32_t *values, uint64_t limit)
{
    uint32_t a = values[insn->args[0]], b = values[insn->args[1]], c = values[insn->args[2]];
    uint32_t address = a + (uint32_t)insn->extra;
    switch (insn->op) {
    case IR_CONST: return (uint32_t)insn->imm;
    case IR_ARGBASE: return run->arguments;
    case IR_CSR: return run->csr[insn->imm & 15];
    case IR_LANE: return run->lane;
    case IR_LOAD: return run_load(run, insn, address);
    case IR_STORE:
        memcpy(run_place(run, insn, address, (uint32_t)abs(insn->imm)), &b, (size_t)abs(insn->imm));
        return 0;
    case IR_AMO:
    case IR_CAS: return run_atomic(run, insn, address, b, c);
    case IR_PARAM: return run->in[insn->imm];
    case IR_FRAME: return run->frame;
    case IR_NEXT: return run->frame + run->func->private_bytes;
    case IR_ARG: run->pass[insn->imm] = a; return 0;
    case IR_CALL: ir_run_call(run, &run->module->funcs.at[insn->imm], limit); return 0;
    case IR_RESULT: return run->out[insn->imm];
    case IR_RETVAL: run->out[insn->imm] = a; return 0;
    case IR_BARRIER:
    case IR_FENCE:
    case IR_PRINTED: return 0;
    default: return run_arithmetic(insn->op, a, b, c);
    }
}

/* Runs the current function. */
static inline void ir_run_func(struct ir_run *run, uint64_t limit)
{
    const struct ir_func *func = run->func;
    uint32_t *values = calloc(func->insns.count + 1, 4), *phis = calloc(func->insns.count + 1, 4);
    uint32_t block = func->rpo.at[0], before = UINT32_MAX;
    while (run->steps < limit && !run->failed) {
        const struct ir_block *b = &func->blocks.at[block];
        size_t p = 0, i = 0;
        while (before != UINT32_MAX && b->preds.at[p] != before)
            p++;
        for (; i < b->list.count && ir_at(func, b->list.at[i])->op == IR_PHI; i++)
            phis[i] = values[func->phi_args.at[ir_at(func, b->list.at[i])->args[0] + p]];
        for (size_t k = 0; k < i; k++)
            values[b->list.at[k]] = phis[k];
        for (; i < b->list.count; i++, run->steps++) {
            uint32_t value = run_insn(run, ir_at(func, b->list.at[i]), values, limit);
            values[b->list.at[i]] = value;
        }
        run->steps++;
        if (!b->succ_count)
            break;
        before = block;
        block = b->succ_count == 2 ? b->succ[values[b->condition] ? 0 : 1] : b->succ[0];
    }
    free(values);
    free(phis);
}

/* Its private memory follows the caller's; words that it does not return are garbage. */
static inline void ir_run_call(struct ir_run *run, const struct ir_func *callee, uint64_t limit)
{
    const struct ir_func *caller = run->func;
    uint32_t frame = run->frame, in[IR_CALL_REGISTERS];
    memcpy(in, run->in, sizeof(in));
    memcpy(run->in, run->pass, sizeof(in));
    run->frame += caller->private_bytes;
    run->func = callee;
    ir_run_func(run, limit);
    run->func = caller;
    run->frame = frame;
    memcpy(run->in, in, sizeof(in));
}

/* Runs one work-item; false: it did not end or went astray. */
static inline bool ir_run_lane(struct ir_run *run, uint64_t limit)
{
    run->steps = 0;
    ir_run_func(run, limit);
    return !run->failed && run->steps < limit;
}

#endif
