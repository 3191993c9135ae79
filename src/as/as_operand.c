/* Operands of instructions, by kind of field. */
#include "as/as_priv.h"

#include <string.h>

/* ---- registers ---- */

bool as_is_register(const struct as *as, const char *text, size_t length)
{
    if (length < 2 || length > 4)
        return false;
    if (as->is_epic)
        return cy_parse_ereg(text, length) >= 0;
    return cy_parse_xreg(text, length) >= 0 || cy_parse_vreg(text, length) >= 0;
}

bool as_no_register(struct as *as, const char *text, size_t length)
{
    if (as_is_register(as, text, length))
        return as_fail(as, text, length, "expected an immediate or a symbol, found the register '%.*s'", (int)length,
                       text);
    if (length < 3 || length > 5 || (as->is_epic ? *text != 'r' : *text != 'x' && *text != 'v'))
        return true;
    for (size_t i = 1; i < length; i++)
        if (!as_is(text[i], AS_C_DIGIT))
            return true;
    return as_fail(as, text, length, "there is no register '%.*s'", (int)length, text);
}

static const char *nearest_register(const struct as *as, struct as_text word)
{
    const char *best = NULL;
    unsigned best_distance = 2;
    for (unsigned i = 0; !as->is_epic && i < 32; i++) {
        const char *name = cy_xreg_name(i);
        unsigned distance = cy_edit_distance(word.text, word.length, name, strlen(name), best_distance);
        if (distance < best_distance) {
            best_distance = distance;
            best = name;
        }
    }
    return best;
}

static bool no_register(struct as *as, struct as_text word, const char *what)
{
    as->p = word.text;
    if (word.length == 0)
        return as_expected(as, what);
    bool numbered = word.length > 1 && strchr("xvr", word.text[0]) && as_is(word.text[1], AS_C_DIGIT);
    const char *nearest = NULL;
    if (!numbered && !as_is_register(as, word.text, word.length) && word.length <= 4)
        nearest = nearest_register(as, word);
    if (nearest)
        return as_fail(as, word.text, word.length, "expected %s, found '%.*s'; did you mean '%s'?", what,
                       (int)word.length, word.text, nearest);
    return as_expected(as, what);
}

bool as_xreg(struct as *as, int32_t *number)
{
    struct as_text word = as_word(as);
    *number = cy_parse_xreg(word.text, word.length);
    return *number >= 0 || no_register(as, word, "a scalar register (x0 to x63)");
}

bool as_vreg(struct as *as, int32_t *number)
{
    struct as_text word = as_word(as);
    *number = cy_parse_vreg(word.text, word.length);
    return *number >= 0 || no_register(as, word, "a vector register (v0 to v255)");
}

bool as_ereg(struct as *as, int32_t *number)
{
    as_skip_blank(as);
    const char *start = as->p;
    if (*start == '%')
        as->p++;
    struct as_text word = as_word(as);
    word.length += (uint32_t)(word.text - start);
    word.text = start;
    *number = cy_parse_ereg(word.text, word.length);
    return *number >= 0 || no_register(as, word, "a register (r0 to r31)");
}

/* ---- other operands ---- */

static const struct {
    const char *name;
    uint8_t modifier;
} modifiers[] = {
    {"hi", AS_MOD_HI},
    {"lo", AS_MOD_LO},
    {"pcrel_hi", AS_MOD_PCREL_HI},
    {"pcrel_lo", AS_MOD_PCREL_LO},
    {"got_pcrel_hi", AS_MOD_GOT_HI},
};

static bool modified(struct as *as, struct as_operand *operand)
{
    const char *percent = as->p++;
    struct as_text word = as_word(as);
    for (size_t i = 0; i < CY_COUNT(modifiers); i++)
        if (as_text_is(word, modifiers[i].name)) {
            operand->modifier = modifiers[i].modifier;
            return as_expect(as, '(') && as_expression(as, &operand->value) && as_expect(as, ')');
        }
    return as_fail(as, percent, 1 + word.length,
                   "unknown operator '%%%.*s'; expected %%hi, %%lo, %%pcrel_hi or %%pcrel_lo", (int)word.length,
                   word.text);
}

bool as_immediate(struct as *as, struct as_operand *operand)
{
    as_skip_blank(as);
    operand->at = as->p;
    operand->modifier = AS_MOD_NONE;
    bool ok = *as->p == '%' ? modified(as, operand) : as_expression(as, &operand->value);
    operand->length = (uint32_t)(as->p - operand->at);
    operand->symbolic = ok && !as_is_constant(&operand->value);
    return ok;
}

/* The number to encode, once the value is one. */
static bool constant_operand(struct as *as, const struct as_operand *operand, int32_t *result)
{
    int64_t value = operand->value.addend;
    if (value < INT32_MIN || value > UINT32_MAX)
        return as_fail(as, operand->at, operand->length, "the value does not fit in 32 bits");
    *result = (int32_t)(uint32_t)(uint64_t)value; /* 0xfffffff0 is -16 */
    switch (operand->modifier) {
    case AS_MOD_HI: *result = (int32_t)(((uint32_t)*result + 0x800) >> 12); return true;
    case AS_MOD_LO: *result = (int32_t)((uint32_t)*result << 20) >> 20; return true;
    case AS_MOD_PCREL_HI:
    case AS_MOD_GOT_HI:
    case AS_MOD_PCREL_LO: return as_fail(as, operand->at, operand->length, "%%pcrel needs a symbol, not a number");
    default: return true;
    }
}

static bool csr_operand(struct as *as, struct as_operand *operand, int32_t *value)
{
    as_skip_blank(as);
    operand->at = as->p;
    struct as_text word = as_word(as);
    operand->length = word.length;
    struct as_name *name = word.length ? as_find_name(as, word.text, word.length) : NULL;
    if (name && !name->csr_looked_up) {
        name->csr = cy_csr_find(word.text, word.length);
        name->csr_looked_up = true;
    }
    if (name && name->csr) {
        *value = name->csr->number;
        return true;
    }
    as->p = operand->at;
    if (word.length && !(name->symbol && name->symbol->kind == AS_EQUATE)) {
        const char *best = NULL;
        unsigned best_distance = 3;
        for (size_t i = 0; i < cy_csr_count; i++) {
            unsigned distance = cy_edit_distance(word.text, word.length, cy_csrs[i].short_name,
                                                 strlen(cy_csrs[i].short_name), best_distance);
            if (distance < best_distance) {
                best_distance = distance;
                best = cy_csrs[i].short_name;
            }
        }
        if (best)
            return as_fail(as, word.text, word.length, "unknown CSR '%.*s'; did you mean '%s'?", (int)word.length,
                           word.text, best);
        return as_expected(as, "a CSR");
    }
    int64_t number;
    bool ok = as_absolute_in(as, 0, 4095, "the number of a CSR", &number);
    *value = (int32_t)number;
    operand->length = (uint32_t)(as->p - operand->at);
    return ok;
}

/* e32, m1, ta, ma: each kind at most once, in this order */
static bool vtype_operand(struct as *as, int32_t *value)
{
    as_skip_blank(as);
    *value = 0;
    if (as_is(*as->p, AS_C_DIGIT)) {
        int64_t number;
        bool ok = as_absolute_in(as, 0, 2047, "the vtype", &number);
        *value = (int32_t)number;
        return ok;
    }
    int last = -1;
    do {
        struct as_text word = as_word(as);
        if (!word.length || !cy_parse_vtype_word(word.text, word.length, value)) {
            as->p = word.text;
            return as_expected(as, last < 0 ? "an element width (e8, e16, e32, e64)" : "m1, m2 ..., ta, tu, ma or mu");
        }
        char c = word.text[0];
        int kind = c == 'e' ? 0 : c == 't' ? 2 : word.text[1] == 'a' || word.text[1] == 'u' ? 3 : 1;
        if (kind <= last || (last < 0 && kind != 0))
            return as_fail(as, word.text, word.length, "'%.*s' is out of place: the order is e32, m1, ta, ma",
                           (int)word.length, word.text);
        last = kind;
    } while (as_accept(as, ','));
    return true;
}

static bool word_operand(struct as *as, const char *what, bool (*read)(const char *, size_t, int32_t *), int32_t *value)
{
    as_skip_blank(as);
    const char *start = as->p;
    while (as_is(*as->p, AS_C_WORD))
        as->p++;
    if (as->p > start && read(start, (size_t)(as->p - start), value))
        return true;
    as->p = start;
    return as_expected(as, what);
}

static bool mask_operand(struct as *as, int32_t *value)
{
    struct as_text word = as_word(as);
    if (!as_text_is(word, "v0.t")) {
        as->p = word.text;
        return as_expected(as, "v0.t");
    }
    *value = 0;
    return true;
}

bool as_read_operand(struct as *as, enum cy_field field, struct as_operand *operand, int32_t *value)
{
    as_skip_blank(as);
    operand->at = as->p;
    bool ok = false;
    switch (cy_fields[field].kind) {
    case CY_XREG:
    case CY_XNUM: ok = as_xreg(as, value); break;
    case CY_VREG: ok = as_vreg(as, value); break;
    case CY_EREG: ok = as_ereg(as, value); break;
    case CY_SIMM:
    case CY_UIMM:
    case CY_UPPER:
    case CY_PCREL:
        ok = as_immediate(as, operand);
        return ok && (operand->symbolic || constant_operand(as, operand, value));
    case CY_VM: ok = mask_operand(as, value); break;
    case CY_CSR: return csr_operand(as, operand, value);
    case CY_RM: ok = word_operand(as, "a rounding mode (rne, rtz, rdn, rup, rmm, dyn)", cy_parse_rm, value); break;
    case CY_FENCE: ok = word_operand(as, "a set of the letters iorw", cy_parse_fence, value); break;
    case CY_VTYPE: ok = vtype_operand(as, value); break;
    case CY_AQRL:
    case CY_PRED: ok = true; break; /* attached to the mnemonic: never here */
    }
    operand->length = (uint32_t)(as->p - operand->at);
    return ok;
}
