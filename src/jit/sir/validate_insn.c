/* What must hold of one instruction: its arguments and types as ops.def has them, and what imm and access name. */
#include "jit/sir/validate_priv.h"

#include "isa/isa.h"
#include "jit/sir/sir_text_priv.h"

enum { SCALARS = 64, VECTORS = 256 }; /* registers */

struct check {
    struct cy_sir_func *func;
    const struct cy_sir_insn *insn;
    const struct cy_sir_op_info *op;
};

/* VOID: there is none. */
static enum cy_sir_type argument_type(const struct check *c, unsigned nth)
{
    return (enum cy_sir_type)cy_sir_at(c->func, c->insn->args[nth])->type;
}

static bool is_word(enum cy_sir_type type)
{
    return type == CY_SIR_I32 || type == CY_SIR_I64;
}

/* ---- for all operations ---- */

static const char *check_form(const struct check *c)
{
    const bool is_simt = c->func->form == CY_SIR_FORM_SIMT;
    if (is_simt && c->op->flags & CY_SIR_VECTOR)
        return "only vector form has it";
    if (is_simt && c->insn->mask)
        return "only vector form has masks";
    if (c->insn->mask && c->insn->op == CY_SIR_PHI)
        return "a phi has no mask";
    if (c->insn->flags)
        return "a pass has left its flags";
    if (c->insn->variable != CY_SIR_NOTHING && c->insn->variable >= SCALARS + VECTORS)
        return "there is no such variable";
    return NULL;
}

static const char *check_use(const struct check *c, cy_sir_value used)
{
    if (used >= c->func->insns.count || cy_sir_at(c->func, used)->op == CY_SIR_NONE)
        return cy_arena_printf(&c->func->arena, "there is no value %u", used);
    if (cy_sir_at(c->func, used)->type >= CY_SIR_TYPES)
        return cy_arena_printf(&c->func->arena, "value %u has no type", used);
    if (cy_sir_at(c->func, used)->type == CY_SIR_VOID)
        return cy_arena_printf(&c->func->arena, "instruction %u has no result", used);
    return NULL;
}

/* An index may be missing, and arguments of a row that it does not take. */
static bool may_be_none(const struct check *c, unsigned nth)
{
    return c->insn->op == CY_SIR_ROW || (nth == 1 && cy_sir_has_index(c->insn->op));
}

static const char *check_arguments(const struct check *c)
{
    for (unsigned i = 0; i < CY_COUNT(c->insn->args); i++) {
        const cy_sir_value used = c->insn->args[i];
        if (used ? i >= c->op->arguments : i < c->op->arguments && !may_be_none(c, i))
            return cy_arena_printf(&c->func->arena, "it takes %u arguments", c->op->arguments);
        const char *wrong = used ? check_use(c, used) : NULL;
        if (wrong)
            return wrong;
    }
    const char *wrong = c->insn->mask ? check_use(c, c->insn->mask) : NULL;
    if (!wrong && c->insn->mask && cy_sir_at(c->func, c->insn->mask)->type != CY_SIR_I1)
        return "the mask is not i1";
    return wrong;
}

static const char *check_phi(const struct check *c)
{
    const size_t count = c->func->blocks.at[c->insn->block].preds.count;
    if (c->insn->args[0] > c->func->phi_args.count || count > c->func->phi_args.count - c->insn->args[0])
        return "its arguments are not there";
    for (size_t i = 0; i < count; i++) {
        const cy_sir_value used = c->func->phi_args.at[c->insn->args[0] + i];
        const char *wrong = used ? check_use(c, used) : "an argument is missing";
        if (wrong)
            return wrong;
        if (cy_sir_at(c->func, used)->type != c->insn->type)
            return "its arguments are not of its type";
    }
    return NULL;
}

static const char *check_result(const struct check *c)
{
    if (c->insn->type >= CY_SIR_TYPES)
        return "there is no such type";
    if ((c->op->result == CY_SIR_RESULT_VOID) != (c->insn->type == CY_SIR_VOID))
        return c->insn->type ? "it has no result" : "it needs a type";
    if (c->op->result != CY_SIR_RESULT_SAME && c->op->result != CY_SIR_RESULT_BOOL)
        return NULL;
    for (unsigned i = 1; i < c->op->arguments; i++)
        if (argument_type(c, i) != argument_type(c, 0))
            return "its arguments are not of one type";
    if (c->op->result == CY_SIR_RESULT_SAME && argument_type(c, 0) != c->insn->type)
        return "its result is not of its arguments' type";
    if (c->op->result == CY_SIR_RESULT_BOOL && c->insn->type != CY_SIR_I1)
        return "its result is not i1";
    return NULL;
}

/* ---- what imm names ---- */

static const char *check_source(const struct check *c)
{
    if (c->insn->imm >= CY_SIR_SOURCES)
        return "there is no such source";
    return cy_sir_sources[c->insn->imm].type == c->insn->type ? NULL : "the source is of another type";
}

static const char *check_cell(const struct check *c)
{
    if (c->insn->imm >= c->func->cells.count)
        return "there is no such cell";
    const enum cy_sir_type type = c->insn->op == CY_SIR_GET ? (enum cy_sir_type)c->insn->type : argument_type(c, 0);
    return c->func->cells.at[c->insn->imm].type == type ? NULL : "the cell is of another type";
}

static const char *check_row(const struct check *c)
{
    enum { ROUNDINGS = 5 };
    const uint64_t row = c->insn->imm & UINT16_MAX;
    if (!row || row >= CY_OP_COUNT)
        return "there is no such instruction";
    return c->insn->imm >> 16 < ROUNDINGS ? NULL : "there is no such rounding mode";
}

static const char *check_imm(const struct check *c)
{
    enum { FENCES = 1 << 12 };
    const uint64_t imm = c->insn->imm;
    const unsigned bits = cy_sir_bits((enum cy_sir_type)c->insn->type);
    switch (cy_sir_imm_of(c->insn->op)) {
    case CY_SIR_IMM_NONE: return imm ? "it has no imm" : NULL;
    case CY_SIR_IMM_NUMBER: return bits < 64 && imm >> bits ? "the constant does not fit its type" : NULL;
    case CY_SIR_IMM_SOURCE: return check_source(c);
    case CY_SIR_IMM_CELL: return check_cell(c);
    case CY_SIR_IMM_ROW: return check_row(c);
    case CY_SIR_IMM_FENCE: return imm < FENCES ? NULL : "a fence has 12 bits";
    case CY_SIR_IMM_X: return imm < SCALARS ? NULL : "there is no such register";
    case CY_SIR_IMM_V: return imm < VECTORS ? NULL : "there is no such register";
    case CY_SIR_IMM_TRAP: return imm < CY_SIR_TRAPS ? NULL : "there is no such trap";
    case CY_SIR_IMM_GROUP: return imm < c->func->groups.count ? NULL : "there is no such group";
    case CY_SIR_IMM_SLOT: return imm < c->func->slots ? NULL : "there is no such slot";
    case CY_SIR_IMM_CODE: return imm < c->func->codes.count ? NULL : "there is no such code";
    case CY_SIR_IMM_COUNTER: return imm < c->func->counters ? NULL : "there is no such counter";
    }
    return NULL;
}

/* ---- memory ---- */

static const char *check_address(const struct check *c, enum cy_sir_space space)
{
    const enum cy_sir_type address = argument_type(c, 0), index = argument_type(c, 1);
    if (address != (space == CY_SIR_FAR ? CY_SIR_I64 : CY_SIR_I32))
        return space == CY_SIR_FAR ? "a far address is i64" : "a near or private address is i32";
    if (index != CY_SIR_VOID && (index == CY_SIR_I1 || index > address))
        return "an index is i8, or larger, and at most as large as the address";
    return NULL;
}

/* The words that it moves. */
static const char *check_data(const struct check *c, const struct cy_sir_access *access)
{
    const unsigned bits = access->bytes * 8u, op = c->insn->op;
    const bool gives = op != CY_SIR_STORE && op != CY_SIR_SC;
    if (gives && cy_sir_bits((enum cy_sir_type)c->insn->type) != bits)
        return "its result is not as large as the access";
    for (unsigned i = 2; i < c->op->arguments; i++)
        if (cy_sir_bits(argument_type(c, i)) != bits)
            return "its data are not as large as the access";
    if (op == CY_SIR_SC && c->insn->type != CY_SIR_I32)
        return "its result is i32";
    return NULL;
}

static const char *check_access(const struct check *c)
{
    enum { READS = 1, WRITES = 2 };
    const enum cy_sir_need need = cy_sir_needs_access(c->insn->op);
    const bool has = c->insn->access != CY_SIR_NOTHING;
    if (has ? need == CY_SIR_NEVER : need == CY_SIR_ALWAYS)
        return has ? "it makes no access" : "it needs an access";
    if (has && c->insn->access >= c->func->accesses.count)
        return "there is no such access";
    if (c->insn->op == CY_SIR_CHECK && c->func->accesses.at[c->insn->access].group != c->insn->imm)
        return "the access is not of its group";
    if (c->insn->op == CY_SIR_CHECK)
        return check_address(c, (enum cy_sir_space)c->func->groups.at[c->insn->imm].space);
    if (!has || !cy_sir_has_index(c->insn->op))
        return NULL;
    const struct cy_sir_access *access = &c->func->accesses.at[c->insn->access];
    const unsigned rights = (c->op->flags & CY_SIR_READS ? READS : 0) | (c->op->flags & CY_SIR_WRITES ? WRITES : 0);
    if (c->insn->op != CY_SIR_SC && rights & ~(unsigned)access->rights)
        return "the access does not have its rights";
    if (c->insn->op == CY_SIR_SC && !(access->rights & WRITES))
        return "the access does not have its rights";
    const char *wrong = check_address(c, (enum cy_sir_space)access->space);
    return wrong || c->insn->op == CY_SIR_PREFETCH ? wrong : check_data(c, access);
}

/* ---- types of single operations ---- */

static bool is_float(unsigned op)
{
    return op >= CY_SIR_FADD && op <= CY_SIR_FNARROW;
}

static const char *check_types(const struct check *c)
{
    const enum cy_sir_type type = (enum cy_sir_type)c->insn->type, a = argument_type(c, 0), b = argument_type(c, 1);
    if (is_float(c->insn->op) && a < CY_SIR_I16)
        return "a floating-point number is i16, i32 or i64";
    switch (c->insn->op) {
    case CY_SIR_SELECT:
        return a == CY_SIR_I1 && b == type && argument_type(c, 2) == type ? NULL
                                                                          : "it takes i1 and two values of its type";
    case CY_SIR_TRUNC: return type < a ? NULL : "its result is not smaller";
    case CY_SIR_ZEXT:
    case CY_SIR_SEXT: return type > a ? NULL : "its result is not larger";
    case CY_SIR_FWIDEN: return type > a ? NULL : "its result is not larger";
    case CY_SIR_HTOF: return type == CY_SIR_I32 && a == CY_SIR_I16 ? NULL : "it makes i32 of i16";
    case CY_SIR_FTOH: return type == CY_SIR_I16 && a == CY_SIR_I32 ? NULL : "it makes i16 of i32";
    case CY_SIR_FNARROW: return type < a && type >= CY_SIR_I16 ? NULL : "its result is not a smaller number";
    case CY_SIR_PAIR: return type == CY_SIR_I64 && a == CY_SIR_I32 && b == a ? NULL : "it makes i64 of i32 and i32";
    case CY_SIR_LOW:
    case CY_SIR_HIGH: return type == CY_SIR_I32 && a == CY_SIR_I64 ? NULL : "it makes i32 of i64";
    case CY_SIR_PUT_X:
    case CY_SIR_PUT_V: return a == CY_SIR_I32 ? NULL : "a register is i32";
    case CY_SIR_GET_X:
    case CY_SIR_GET_V: return type == CY_SIR_I32 ? NULL : "a register is i32";
    case CY_SIR_SPLIT:
    case CY_SIR_ANY:
    case CY_SIR_ALL: return a == CY_SIR_I1 ? NULL : "it takes i1";
    case CY_SIR_POPCOUNT:
    case CY_SIR_FIRST: return a == CY_SIR_I1 && type == CY_SIR_I32 ? NULL : "it makes i32 of i1";
    case CY_SIR_EXTRACT: return a == type && b == CY_SIR_I32 ? NULL : "it takes a value of its type, and i32";
    case CY_SIR_INSERT:
        return a == type && b == CY_SIR_I32 && argument_type(c, 2) == type
                   ? NULL
                   : "it takes a value of its type, i32, and another value";
    case CY_SIR_COUNT: return is_word(a) ? NULL : "a counter grows by i32 or i64";
    case CY_SIR_PREFETCH: return is_word(a) ? NULL : "an address is i32 or i64";
    default: return NULL;
    }
}

const char *cy_sir_check_insn(struct cy_sir_func *func, cy_sir_value value)
{
    const struct cy_sir_insn *insn = cy_sir_at(func, value);
    const struct check c = {func, insn, &cy_sir_ops[insn->op]};
    const char *wrong = check_form(&c);
    if (!wrong && insn->op == CY_SIR_PHI)
        return insn->type == CY_SIR_VOID || insn->type >= CY_SIR_TYPES ? "it needs a type" : check_phi(&c);
    wrong = wrong ? wrong : check_arguments(&c);
    wrong = wrong ? wrong : check_result(&c);
    wrong = wrong ? wrong : check_imm(&c);
    wrong = wrong ? wrong : check_types(&c);
    return wrong ? wrong : check_access(&c);
}
