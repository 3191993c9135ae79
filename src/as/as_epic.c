/* EpicGPU's pseudo-instructions.  lui sets bits 31:14, addi adds 13 signed bits: the 14 bits below lui's may need two
 * additions (and 0x1fff, one more than twice 4095, a third). */
#include "as/as_priv.h"

#include <string.h>

/* Operands in the order of the row's syntax; "@p" comes first. */
#define N(...) ((const int32_t[4]){__VA_ARGS__})

/* Is the number at as->p a floating-point one? */
static bool looks_like_float(const char *p)
{
    if (*p == '-' || *p == '+')
        p++;
    if (*p == '.' && as_is(p[1], AS_C_DIGIT))
        return true;
    if (!as_is(*p, AS_C_DIGIT) || (p[0] == '0' && as_is(p[1], AS_C_START) && p[1] != '.' && (p[1] | 0x20) != 'e'))
        return false;
    while (as_is(*p, AS_C_DIGIT))
        p++;
    return *p == '.' || (*p | 0x20) == 'e';
}

static bool put_addi(struct as *as, int32_t rd, int32_t rs, int32_t value)
{
    return as_put_op(as, CY_OP_epic_addi, as->predicated, rd, rs, value);
}

static bool load_constant(struct as *as, int32_t rd, int32_t value)
{
    if (value >= -4096 && value <= 4095)
        return put_addi(as, rd, 0, value);
    uint32_t high = ((uint32_t)value + 0x2000) >> 14;
    int32_t low = (int32_t)((uint32_t)value << 18) >> 18;
    if (high && !as_put_op(as, CY_OP_epic_lui, as->predicated, rd, (int32_t)high, 0))
        return false;
    int32_t from = high ? rd : 0;
    while (low != 0) {
        int32_t step = low < -4096 ? -4096 : low > 4095 ? 4095 : low;
        if (!put_addi(as, rd, from, step))
            return false;
        from = rd;
        low -= step;
    }
    return true;
}

/* li rd, number   integers, characters, floats */
bool as_li_epic(struct as *as, int unused)
{
    (void)unused;
    int32_t rd;
    int64_t value;
    if (!as_ereg(as, &rd) || !as_comma(as))
        return false;
    as_skip_blank(as);
    const char *at = as->p;
    if (looks_like_float(at)) {
        uint64_t bits;
        if (!as_float(as, 4, &bits) || !as_expect_end(as))
            return false;
        return load_constant(as, rd, (int32_t)(uint32_t)bits);
    }
    struct as_operand operand;
    if (!as_immediate(as, &operand) || !as_expect_end(as))
        return false;
    if (operand.modifier)
        return as_fail(as, operand.at, operand.length, "li takes a number; use la for an address");
    if (!as_soon(as, &operand.value, operand.at, operand.length, &value))
        return false;
    if (value < INT32_MIN || value > UINT32_MAX)
        return as_fail(as, operand.at, operand.length, "the value does not fit in 32 bits");
    return load_constant(as, rd, (int32_t)(uint32_t)value);
}

/* la rd, symbol */
bool as_la_epic(struct as *as, int unused)
{
    (void)unused;
    int32_t rd;
    struct as_operand symbol;
    if (!as_ereg(as, &rd) || !as_comma(as) || !as_immediate(as, &symbol) || !as_expect_end(as))
        return false;
    if (!symbol.symbolic || symbol.modifier)
        return as_fail(as, symbol.at, symbol.length, "expected a symbol; use li for a number");
    return as_put_fix(as, CY_OP_epic_lui, N(as->predicated, rd, 0, 0), AS_FIX_EPIC_HI18, &symbol.value, &symbol) &&
           as_put_fix(as, CY_OP_epic_addi, N(as->predicated, rd, rd, 0), AS_FIX_EPIC_LO13A, &symbol.value, &symbol) &&
           as_put_fix(as, CY_OP_epic_addi, N(as->predicated, rd, rd, 0), AS_FIX_EPIC_LO13B, &symbol.value, &symbol);
}
