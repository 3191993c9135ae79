/* Pseudo-instructions that expand to several instructions.  Those that are one instruction under another name are rows
 * of isa/aliases.def. */
#include "as/as_priv.h"

#include <string.h>

/* Operands in the order of the row's syntax. */
#define N(...) ((const int32_t[4]){__VA_ARGS__})

/* ---- constants ---- */

static bool load_constant(struct as *as, int32_t rd, int32_t value)
{
    uint32_t high = ((uint32_t)value + 0x800) >> 12;
    int32_t low = (int32_t)((uint32_t)value << 20) >> 20;
    if (high == 0)
        return as_put_op(as, CY_OP_addi, rd, 0, low, 0);
    if (!as_put_op(as, CY_OP_lui, rd, (int32_t)high, 0, 0))
        return false;
    return low == 0 || as_put_op(as, CY_OP_addi, rd, rd, low, 0);
}

static bool li(struct as *as, int unused)
{
    (void)unused;
    int32_t rd;
    int64_t value;
    struct as_operand operand;
    if (!as_xreg(as, &rd) || !as_comma(as) || !as_immediate(as, &operand) || !as_expect_end(as))
        return false;
    if (operand.modifier)
        return as_fail(as, operand.at, operand.length, "li takes a number; use lui and addi, or la");
    if (!as_soon(as, &operand.value, operand.at, operand.length, &value))
        return false;
    if (value < INT32_MIN || value > UINT32_MAX)
        return as_fail(as, operand.at, operand.length, "the value does not fit in 32 bits");
    return load_constant(as, rd, (int32_t)(uint32_t)value);
}

/* ---- addresses ---- */

static bool symbol_operand(struct as *as, struct as_operand *operand)
{
    if (!as_immediate(as, operand))
        return false;
    return !operand->modifier || as_fail(as, operand->at, operand->length, "expected a symbol");
}

/* auipc rd, %pcrel_hi(symbol); *low: the label for %pcrel_lo. */
static bool put_auipc(struct as *as, int32_t rd, const struct as_operand *symbol, struct as_value *low)
{
    if (!as_put_fix(as, CY_OP_auipc, N(rd, 0, 0), AS_FIX_PCREL_HI, &symbol->value, symbol))
        return false;
    struct as_symbol *label = as_new_symbol(as, NULL);
    label->kind = AS_LABEL;
    label->section = as->section;
    label->offset = as_here(as->section) - 4;
    label->defined_at = as_loc(as, symbol->at, symbol->length);
    *low = (struct as_value){.plus = label};
    return true;
}

/* la rd, symbol   lla is the same: there is no position-independent code through a GOT */
static bool la(struct as *as, int unused)
{
    (void)unused;
    int32_t rd;
    struct as_operand symbol;
    struct as_value low;
    if (!as_xreg(as, &rd) || !as_comma(as) || !symbol_operand(as, &symbol) || !as_expect_end(as))
        return false;
    if (!symbol.symbolic)
        return as_fail(as, symbol.at, symbol.length, "expected a symbol; use li for a number");
    return put_auipc(as, rd, &symbol, &low) &&
           as_put_fix(as, CY_OP_addi, N(rd, rd, 0), AS_FIX_PCREL_LO_I, &low, &symbol);
}

/* lw rd, symbol */
static bool load_symbol(struct as *as, int op)
{
    int32_t rd;
    struct as_operand symbol;
    struct as_value low;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_xreg(as, &rd) || !as_comma(as) || !symbol_operand(as, &symbol) || !as_expect_end(as))
        return false;
    if (!symbol.symbolic)
        return as_fail(as, symbol.at, symbol.length, "expected a symbol or offset(register)");
    as_sure(as);
    if (rd == 0)
        return as_fail(as, at, 1, "the address is formed in the destination, which cannot be x0");
    return put_auipc(as, rd, &symbol, &low) &&
           as_put_fix(as, (enum cy_op)op, N(rd, 0, rd), AS_FIX_PCREL_LO_I, &low, &symbol);
}

/* sw rs, symbol, rt   rt receives the address */
static bool store_symbol(struct as *as, int op)
{
    int32_t rs, rt;
    struct as_operand symbol;
    struct as_value low;
    if (!as_xreg(as, &rs) || !as_comma(as) || !symbol_operand(as, &symbol) || !as_comma(as) || !as_xreg(as, &rt) ||
        !as_expect_end(as))
        return false;
    if (!symbol.symbolic)
        return as_fail(as, symbol.at, symbol.length, "expected a symbol or offset(register)");
    as_sure(as);
    if (rt == 0)
        return as_fail(as, as->p - 1, 1, "the register for the address cannot be x0");
    return put_auipc(as, rt, &symbol, &low) &&
           as_put_fix(as, (enum cy_op)op, N(rs, 0, rt), AS_FIX_PCREL_LO_S, &low, &symbol);
}

/* ---- jumps ---- */

enum { CALL, TAIL, JUMP };

/* call [rd,] symbol   tail symbol   jump symbol, rt */
static bool call(struct as *as, int how)
{
    int32_t link = how == CALL ? 1 : 0, address = how == CALL ? 1 : 6;
    struct as_operand symbol;
    as_skip_blank(as);
    const char *at = as->p;
    if (how == CALL) {
        struct as_text word = as_word(as);
        int rd = cy_parse_xreg(word.text, word.length);
        as->p = at;
        if (rd >= 0) {
            if (!as_xreg(as, &link) || !as_comma(as))
                return false;
            address = link;
        }
    }
    if (!symbol_operand(as, &symbol) || (how == JUMP && (!as_comma(as) || !as_xreg(as, &address))) ||
        !as_expect_end(as))
        return false;
    if (!symbol.symbolic)
        return as_fail(as, symbol.at, symbol.length, "expected a symbol");
    if (address == 0 || address > 31)
        return as_fail(as, at, 1, "the address must be formed in one of x1 to x31");
    return as_put_fix(as, CY_OP_auipc, N(address, 0, 0), AS_FIX_CALL, &symbol.value, &symbol) &&
           as_put_op(as, CY_OP_jalr, link, 0, address, 0);
}

/* ---- arithmetic ---- */

/* sext.b, sext.h, zext.h rd, rs: a left and a right shift */
static bool extend(struct as *as, int how)
{
    int32_t rd, rs, shift = how & 31;
    if (!as_xreg(as, &rd) || !as_comma(as) || !as_xreg(as, &rs) || !as_expect_end(as))
        return false;
    return as_put_op(as, CY_OP_slli, rd, rs, shift, 0) &&
           as_put_op(as, how & 32 ? CY_OP_srli : CY_OP_srai, rd, rd, shift, 0);
}

/* ", v0.t" or nothing */
static bool optional_mask(struct as *as, int32_t *vm)
{
    *vm = 1;
    if (!as_accept(as, ','))
        return true;
    struct as_text word = as_word(as);
    if (!as_text_is(word, "v0.t")) {
        as->p = word.text;
        return as_expected(as, "v0.t");
    }
    *vm = 0;
    return true;
}

/* vmslt.vi and the like: compare with the immediate minus one.  The unsigned ones with 0 are never, or always, true. */
static bool compare_less(struct as *as, int op)
{
    int32_t vd, vs2, vm;
    int64_t value;
    struct as_operand operand;
    if (!as_vreg(as, &vd) || !as_comma(as) || !as_vreg(as, &vs2) || !as_comma(as) || !as_immediate(as, &operand) ||
        !optional_mask(as, &vm) || !as_expect_end(as))
        return false;
    if (operand.modifier || operand.symbolic)
        return as_fail(as, operand.at, operand.length, "expected a number");
    value = operand.value.addend;
    if (value == 0 && op == CY_OP_vmsleu_vi)
        return as_put_op(as, CY_OP_vmsne_vv, vd, vs2, vs2, vm);
    if (value == 0 && op == CY_OP_vmsgtu_vi)
        return as_put_op(as, CY_OP_vmseq_vv, vd, vs2, vs2, vm);
    if (value < -1023 || value > 1024)
        return as_fail(as, operand.at, operand.length, "immediate %lld is out of range: it must be from -1023 to 1024",
                       (long long)value);
    return as_put_op(as, (enum cy_op)op, vd, vs2, (int32_t)value - 1, vm);
}

/* vmsge.vx, vmsgeu.vx: not less than.  The four cases of the vector specification. */
static bool compare_not_less(struct as *as, int op)
{
    int32_t vd, vs2, rs1, vm, vt = -1;
    as_skip_blank(as);
    const char *at = as->p;
    enum cy_op less = (enum cy_op)op;
    if (!as_vreg(as, &vd) || !as_comma(as) || !as_vreg(as, &vs2) || !as_comma(as) || !as_xreg(as, &rs1) ||
        !optional_mask(as, &vm))
        return false;
    if (!vm && as_accept(as, ',') && !as_vreg(as, &vt))
        return false;
    if (!as_expect_end(as))
        return false;
    if (vm)
        return as_put_op(as, less, vd, vs2, rs1, 1) && as_put_op(as, CY_OP_vmnand_mm, vd, vd, vd, 0);
    if (vt < 0 && vd == 0)
        return as_fail(as, at, 2, "a masked '>=' into v0 needs a scratch register: add ', vt'");
    if (vt < 0)
        return as_put_op(as, less, vd, vs2, rs1, 0) && as_put_op(as, CY_OP_vmxor_mm, vd, vd, 0, 0);
    if (vt == 0 || vt == vd)
        return as_fail(as, at, 2, "the scratch register must be neither v0 nor the destination");
    if (vd == 0)
        return as_put_op(as, less, vt, vs2, rs1, 1) && as_put_op(as, CY_OP_vmandn_mm, vd, vd, vt, 0);
    return as_put_op(as, less, vt, vs2, rs1, 1) && as_put_op(as, CY_OP_vmandn_mm, vt, 0, vt, 0) &&
           as_put_op(as, CY_OP_vmandn_mm, vd, vd, 0, 0) && as_put_op(as, CY_OP_vmor_mm, vd, vt, vd, 0);
}

/* ---- the table ---- */

static const struct as_pseudo pseudos[] = {
    {"li", CY_IN_VENTUS, li, 0},
    {"la", CY_IN_VENTUS, la, 0},
    {"lla", CY_IN_VENTUS, la, 0},
    {"call", CY_IN_VENTUS, call, CALL},
    {"tail", CY_IN_VENTUS, call, TAIL},
    {"jump", CY_IN_VENTUS, call, JUMP},
    {"lb", CY_IN_VENTUS, load_symbol, CY_OP_lb},
    {"lh", CY_IN_VENTUS, load_symbol, CY_OP_lh},
    {"lw", CY_IN_VENTUS, load_symbol, CY_OP_lw},
    {"lbu", CY_IN_VENTUS, load_symbol, CY_OP_lbu},
    {"lhu", CY_IN_VENTUS, load_symbol, CY_OP_lhu},
    {"sb", CY_IN_VENTUS, store_symbol, CY_OP_sb},
    {"sh", CY_IN_VENTUS, store_symbol, CY_OP_sh},
    {"sw", CY_IN_VENTUS, store_symbol, CY_OP_sw},
    {"sext.b", CY_IN_VENTUS, extend, 24},
    {"sext.h", CY_IN_VENTUS, extend, 16},
    {"zext.h", CY_IN_VENTUS, extend, 16 | 32},
    {"vmslt.vi", CY_IN_VENTUS, compare_less, CY_OP_vmsle_vi},
    {"vmsltu.vi", CY_IN_VENTUS, compare_less, CY_OP_vmsleu_vi},
    {"vmsge.vi", CY_IN_VENTUS, compare_less, CY_OP_vmsgt_vi},
    {"vmsgeu.vi", CY_IN_VENTUS, compare_less, CY_OP_vmsgtu_vi},
    {"vmsge.vx", CY_IN_VENTUS, compare_not_less, CY_OP_vmslt_vx},
    {"vmsgeu.vx", CY_IN_VENTUS, compare_not_less, CY_OP_vmsltu_vx},
    {"li", CY_IN_EPICALL, as_li_epic, 0},
    {"la", CY_IN_EPICALL, as_la_epic, 0},
};

const struct as_pseudo *as_find_pseudo(enum cy_target target, const char *text, size_t length)
{
    for (size_t i = 0; i < CY_COUNT(pseudos); i++)
        if ((pseudos[i].targets & (1 << target)) &&
            as_text_is((struct as_text){text, (uint32_t)length}, pseudos[i].name))
            return &pseudos[i];
    return NULL;
}

const char *as_nearest_pseudo(enum cy_target target, const char *text, size_t length, unsigned limit)
{
    const char *best = NULL;
    for (size_t i = 0; i < CY_COUNT(pseudos); i++) {
        if (!(pseudos[i].targets & (1 << target)))
            continue;
        unsigned distance = cy_edit_distance(text, length, pseudos[i].name, strlen(pseudos[i].name), limit);
        if (distance < limit) {
            limit = distance;
            best = pseudos[i].name;
        }
    }
    return best;
}
