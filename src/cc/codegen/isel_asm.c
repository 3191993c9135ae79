/* Inline assembly: its operands are in registers of their own, which copies fill and empty.
 *
 *     copy  in <- ...                   if it must be in a certain register
 *     asm_uses  in, ...                 } nothing but spill code can come between these
 *     asm                               }
 *     asm_defs  out, ...                }
 *     copy  ... <- out
 *
 * An input tied to an output is in the same virtual register.  Selection walks backwards: outputs, assembly, inputs. */
#include "cc/codegen/isel_priv.h"

#include <string.h>

static const struct ir_asm *assembly_of(const struct isel *s)
{
    return &s->mir->module->asms.at[isel_at(s, s->assembly)->imm];
}

static void enter(struct isel *s, ir_value assembly)
{
    if (s->assembly == assembly)
        return;
    s->assembly = assembly;
    memset(s->asm_regs, 0, sizeof(s->asm_regs));
}

static mir_reg fixed_register(struct isel *s, const struct ir_asm_operand *operand, enum mir_class class)
{
    mir_reg low = mir_new_fixed(s->mir, class, (unsigned)operand->fixed);
    if (operand->is_pair)
        mir_new_fixed(s->mir, class, (unsigned)operand->fixed + 1);
    return low;
}

static mir_reg operand_register(struct isel *s, unsigned number)
{
    const struct ir_asm_operand *operand = &assembly_of(s)->operands[number];
    enum mir_class class = operand->is_vector ? MIR_V : MIR_S;
    mir_reg *reg = &s->asm_regs[number];
    if (!*reg)
        *reg = operand->tie >= 0     ? operand_register(s, (unsigned)operand->tie)
               : operand->fixed >= 0 ? fixed_register(s, operand, class)
               : operand->is_pair    ? mir_new_pair(s->mir, class)
                                     : mir_new_reg(s->mir, class);
    return *reg;
}

/* Emits the registers of the operands that `wanted` selects, several to an instruction; a pair is never split. */
static void emit_registers(struct isel *s, unsigned op, bool (*wanted)(const struct ir_asm_operand *))
{
    const struct ir_asm *of = assembly_of(s);
    int32_t list[CY_MAX_OPERANDS];
    unsigned count = 0, words = 0, wide = 0;
    for (unsigned i = 0; i <= of->count; i++) {
        const struct ir_asm_operand *operand = &of->operands[i];
        bool is_wanted = i < of->count && wanted(operand);
        unsigned size = is_wanted && operand->is_pair ? 2 : 1;
        if (count && (i == of->count || (is_wanted && words + size > CY_MAX_OPERANDS))) {
            isel_emit_wide(s, op, wide, count, list);
            count = words = wide = 0;
        }
        if (!is_wanted)
            continue;
        wide |= operand->is_pair && operand->fixed < 0 ? 1u << count : 0;
        list[count++] = operand_register(s, i);
        words += size;
        if (operand->is_pair && operand->fixed >= 0) { /* two registers of their own */
            list[count] = list[count - 1] + 1;
            count++;
        }
    }
}

static bool is_input(const struct ir_asm_operand *operand)
{
    return !operand->is_output;
}
static bool is_early(const struct ir_asm_operand *operand)
{
    return operand->is_output && operand->is_early;
}
static bool is_late(const struct ir_asm_operand *operand)
{
    return operand->is_output && !operand->is_early;
}

/* An input that may be in any register is read from its own. */
static bool reads_own(const struct isel *s, const struct ir_insn *input)
{
    const struct ir_asm_operand *operand = &assembly_of(s)->operands[input->imm / 2];
    return operand->tie < 0 && operand->fixed < 0 && !operand->is_pair &&
           (operand->is_vector ||
            (!isel_is_v(s, input->args[0]) && !isel_is(s, input->args[0], 0))); /* x0 is no register of ours */
}

static void find_inputs(struct isel *s, ir_value assembly)
{
    const struct ir_block *block = &s->ir->blocks.at[s->block];
    size_t at = 0;
    while (block->list.at[at] != assembly)
        at++;
    for (size_t i = at - (size_t)isel_at(s, assembly)->extra; i < at; i++) {
        const struct ir_insn *input = isel_at(s, block->list.at[i]);
        if (reads_own(s, input))
            s->asm_regs[input->imm / 2] = assembly_of(s)->operands[input->imm / 2].is_vector
                                              ? isel_v(s, input->args[0])
                                              : isel_s(s, input->args[0]);
    }
}

static void select_asm(struct isel *s, ir_value value)
{
    enter(s, value);
    find_inputs(s, value);
    s->mir->has_asm = true;
    if (mir_asm_has(assembly_of(s)->clobbers, MIR_RA) && s->mir->is_function)
        s->mir->has_calls = true; /* it saves its own return address */
    emit_registers(s, MIR_ASM_USES, is_input);
    EMIT(s, MIR_ASM, isel_at(s, value)->imm);
    emit_registers(s, MIR_ASM_EARLY, is_early);
    emit_registers(s, MIR_ASM_DEFS, is_late);
}

/* What differs between the lanes is read from one of them. */
static void select_input(struct isel *s, const struct ir_insn *insn)
{
    if (reads_own(s, insn))
        return;
    mir_reg to = operand_register(s, (unsigned)insn->imm / 2) + insn->imm % 2;
    if (mir_class_of(s->mir, to) == MIR_S && isel_is_v(s, insn->args[0]))
        EMIT(s, MIR_COPY, to, isel_v(s, insn->args[0]));
    else
        isel_move(s, to, insn->args[0]);
}

bool isel_asm_op(struct isel *s, ir_value value, const struct ir_insn *insn)
{
    switch (insn->op) {
    case IR_ASMIN: select_input(s, insn); return true;
    case IR_ASM: select_asm(s, value); return true;
    case IR_ASMOUT:
        enter(s, insn->args[0]);
        EMIT(s, MIR_COPY, isel_own(s, value), operand_register(s, (unsigned)insn->imm / 2) + insn->imm % 2);
        return true;
    default: return false;
    }
}
