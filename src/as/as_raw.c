/* .insn: an instruction given by its fields, for encodings that are not in the tables. */
#include "as/as_priv.h"

#include <string.h>

struct raw {
    uint32_t word;
    int64_t number;
};

static bool bits(struct as *as, struct raw *raw, unsigned shift, unsigned width, bool comma_before)
{
    if (comma_before && !as_comma(as))
        return false;
    if (!as_absolute_in(as, 0, ((int64_t)1 << width) - 1, "the field", &raw->number))
        return false;
    raw->word |= (uint32_t)raw->number << shift;
    return true;
}

/* A scalar or vector register below 32. */
static bool reg(struct as *as, struct raw *raw, unsigned shift)
{
    as_skip_blank(as);
    struct as_text word = as_word(as);
    int number = cy_parse_xreg(word.text, word.length);
    if (number < 0)
        number = cy_parse_vreg(word.text, word.length);
    if (number < 0 || number > 31) {
        as->p = word.text;
        return as_expected(as, "a register below 32");
    }
    raw->word |= (uint32_t)number << shift;
    return true;
}

static bool comma_reg(struct as *as, struct raw *raw, unsigned shift)
{
    return as_comma(as) && reg(as, raw, shift);
}

static bool field(struct as *as, struct raw *raw, enum cy_field id)
{
    as_skip_blank(as);
    const char *at = as->p;
    int64_t value, low, high;
    if (!as_absolute(as, &value))
        return false;
    if (!cy_field_fits(id, value, &low, &high, NULL))
        return as_fail(as, at, (size_t)(as->p - at), "immediate %lld is out of range: it must be from %lld to %lld",
                       (long long)value, (long long)low, (long long)high);
    raw->word = cy_field_insert(id, raw->word, (int32_t)value);
    return true;
}

/* imm(rs1) */
static bool address(struct as *as, struct raw *raw, enum cy_field id)
{
    return field(as, raw, id) && as_expect(as, '(') && reg(as, raw, 15) && as_expect(as, ')');
}

static bool i_type(struct as *as, struct raw *raw)
{
    if (!bits(as, raw, 12, 3, true) || !comma_reg(as, raw, 7) || !as_comma(as))
        return false;
    as_skip_blank(as);
    if (as_is(*as->p, AS_C_START))
        return reg(as, raw, 15) && as_comma(as) && field(as, raw, CY_FIELD_imm12);
    return address(as, raw, CY_FIELD_imm12);
}

static bool fields_of(struct as *as, struct as_text type, struct raw *raw)
{
    if (as_text_is(type, "r"))
        return bits(as, raw, 12, 3, true) && bits(as, raw, 25, 7, true) && comma_reg(as, raw, 7) &&
               comma_reg(as, raw, 15) && comma_reg(as, raw, 20);
    if (as_text_is(type, "r4"))
        return bits(as, raw, 12, 3, true) && bits(as, raw, 25, 2, true) && comma_reg(as, raw, 7) &&
               comma_reg(as, raw, 15) && comma_reg(as, raw, 20) && comma_reg(as, raw, 27);
    if (as_text_is(type, "i"))
        return i_type(as, raw);
    if (as_text_is(type, "s"))
        return bits(as, raw, 12, 3, true) && comma_reg(as, raw, 20) && as_comma(as) &&
               address(as, raw, CY_FIELD_simm12);
    if (as_text_is(type, "b") || as_text_is(type, "sb"))
        return bits(as, raw, 12, 3, true) && comma_reg(as, raw, 15) && comma_reg(as, raw, 20) && as_comma(as) &&
               field(as, raw, CY_FIELD_boff);
    if (as_text_is(type, "u"))
        return comma_reg(as, raw, 7) && as_comma(as) && field(as, raw, CY_FIELD_imm20);
    if (as_text_is(type, "j") || as_text_is(type, "uj"))
        return comma_reg(as, raw, 7) && as_comma(as) && field(as, raw, CY_FIELD_joff);
    return as_fail(as, type.text, type.length ? type.length : 1,
                   "unknown instruction type '%.*s'; expected r, r4, i, s, b, u or j", (int)type.length, type.text);
}

/* .insn word   .insn 4, word   .insn TYPE opcode, ... */
bool as_dir_insn(struct as *as, int unused)
{
    (void)unused;
    struct raw raw = {0};
    as_skip_blank(as);
    if (as_is(*as->p, AS_C_START)) {
        struct as_text type = as_word(as);
        if (!bits(as, &raw, 0, 7, false) || !fields_of(as, type, &raw))
            return false;
    } else {
        if (!as_absolute_in(as, 0, UINT32_MAX, "the instruction", &raw.number))
            return false;
        if (as_accept(as, ',') && !as_absolute_in(as, 0, UINT32_MAX, "the instruction", &raw.number))
            return false;
        raw.word = (uint32_t)raw.number;
    }
    if (!as_expect_end(as) || !as_no_prefix_pending(as))
        return false;
    uint8_t *place = as_emit(as, 4, false);
    if (place)
        memcpy(place, &raw.word, 4);
    return place != NULL;
}
