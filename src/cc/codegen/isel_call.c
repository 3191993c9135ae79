/* Calls, by the ABI: words are passed and returned in v0-v31, through registers fixed to those.
 *
 *     copy  v0 <- ...                   copies into fixed registers; other code may stand between them
 *     uses  v0, v1                      } nothing can come between these three
 *     call  f                           }
 *     defs  v0                          }
 *     copy  ... <- v0
 *
 * Selection walks backwards, so it sees a call's results first, then the call, then its arguments. */
#include "cc/codegen/isel_priv.h"

/* Emits as many USES or DEFS as the registers need; 0 is none. */
static void emit_list(struct isel *s, unsigned op, const mir_reg *regs, unsigned count)
{
    int32_t operands[CY_MAX_OPERANDS];
    unsigned filled = 0;
    for (unsigned i = 0; i < count; i++) {
        if (regs[i])
            operands[filled++] = regs[i];
        if (filled && (filled == CY_MAX_OPERANDS || i + 1 == count)) {
            isel_emit(s, op, filled, operands);
            filled = 0;
        }
    }
}

static mir_reg fixed_of(struct isel *s, mir_reg *table, int32_t word)
{
    if (!table[word])
        table[word] = mir_new_fixed(s->mir, MIR_V, (unsigned)word);
    return table[word];
}

static void select_call(struct isel *s, const struct ir_insn *insn)
{
    for (int32_t i = 0; i < insn->extra; i++)
        s->arg[i] = mir_new_fixed(s->mir, MIR_V, (unsigned)i);
    emit_list(s, MIR_USES, s->arg, (unsigned)insn->extra);
    EMIT(s, MIR_CALL, insn->imm);
    emit_list(s, MIR_DEFS, s->result, s->result_count);
    s->result_count = 0;
    s->mir->has_calls = true;
}

/* An address is uniform; it is divergent only through temporal divergence (temporal.c). */
static void select_address(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    mir_reg d = isel_own(s, value), scalar = insn->is_divergent ? isel_temp(s, MIR_S) : d;
    if (insn->op == IR_FRAME)
        EMIT(s, MIR_FRAME, scalar, 0);
    else
        EMIT(s, MIR_COPY, scalar, MIR_TP);
    if (scalar != d)
        EMIT(s, MIR_COPY, d, scalar);
}

bool isel_call_op(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    switch (insn->op) {
    case IR_FRAME:
    case IR_NEXT: select_address(s, value, insn); return true;
    case IR_PARAM: EMIT(s, MIR_COPY, isel_own(s, value), fixed_of(s, s->param, insn->imm)); return true;
    case IR_RETVAL: isel_move(s, fixed_of(s, s->retval, insn->imm), insn->args[0]); return true;
    case IR_ARG: isel_move(s, s->arg[insn->imm], insn->args[0]); return true;
    case IR_CALL: select_call(s, insn); return true;
    case IR_RESULT: {
        mir_reg word = mir_new_fixed(s->mir, MIR_V, (unsigned)insn->imm);
        s->result[s->result_count++] = word;
        EMIT(s, MIR_COPY, isel_own(s, value), word);
        return true;
    }
    default: return false;
    }
}

void isel_function_ends(struct isel *s)
{
    s->line = 0;
    emit_list(s, MIR_DEFS, s->param, IR_CALL_REGISTERS);
    s->out = 0;
    isel_flush(s);
    emit_list(s, MIR_USES, s->retval, IR_CALL_REGISTERS);
    s->out = s->mir->exit;
    isel_flush(s);
}
