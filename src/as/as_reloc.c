/* .reloc: an explicit relocation, for those that no operand can express. */
#include "as/as_priv.h"

#include <string.h>

static bool relocation_type(struct as *as, uint8_t *type)
{
    uint16_t machine = as->is_epic ? CY_EM_EPIC : CY_EM_RISCV;
    as_skip_blank(as);
    const char *at = as->p;
    int64_t number;
    if (as_is(*at, AS_C_DIGIT)) {
        if (!as_absolute_in(as, 0, UINT8_MAX, "the type of a relocation", &number))
            return false;
        *type = (uint8_t)number;
        return true;
    }
    struct as_text word = as_word(as);
    for (unsigned i = 0; i <= UINT8_MAX; i++) {
        const char *name = cy_reloc_name(machine, i);
        if (name && as_text_is(word, name)) {
            *type = (uint8_t)i;
            return true;
        }
    }
    return word.length ? as_fail(as, at, word.length, "unknown relocation '%.*s'", (int)word.length, word.text)
                       : as_expected(as, "the name of a relocation");
}

/* An offset in the current section: a number, or a label in it. */
static bool place(struct as *as, uint32_t *offset)
{
    struct as_value value;
    as_skip_blank(as);
    const char *at = as->p;
    if (!as_expression(as, &value) || !as_simplify(as, &value))
        return false;
    int64_t number = value.addend;
    const struct as_symbol *symbol = value.plus;
    bool here = symbol && (symbol->is_section || symbol->kind == AS_LABEL) && symbol->section == as->section;
    if (here && !symbol->is_section)
        number += symbol->offset;
    if (value.deep || value.minus || (symbol && !here) || number < 0 || number > UINT32_MAX)
        return as_fail(as, at, (size_t)(as->p - at), "expected an offset in this section, or a label of it");
    *offset = (uint32_t)number;
    return true;
}

/* .reloc place, type [, symbol + number] */
bool as_dir_reloc(struct as *as, int unused)
{
    (void)unused;
    struct as_fixup fixup = {.kind = AS_FIX_RELOC, .hint = AS_NO_HINT};
    const char *start = as->p;
    if (as->section->type == CY_SHT_NOBITS)
        return as_fail(as, as->start, 6, "section %s has no contents to relocate", as->section->name);
    if (!place(as, &fixup.offset) || !as_comma(as) || !relocation_type(as, &fixup.detail))
        return false;
    if (as_accept(as, ',') && !as_expression(as, &fixup.value))
        return false;
    fixup.loc = as_loc(as, start, (size_t)(as->p - start));
    as_add_fixup(as, &fixup);
    return as_expect_end(as);
}
