/* Resolves every open reference: patched if the distance or number is final, otherwise a relocation.
 *
 * The distance to a local symbol of the same section is final, because we never move code when linking.  References to
 * global symbols become relocations even then, as in other assemblers: another definition may take precedence. */
#include "as/as_priv.h"

#include <stdlib.h>
#include <string.h>

struct fix {
    struct as *as;
    struct as_section *section;
    struct as_fixup *fixup;
    struct as_value value; /* evaluated */
};

static uint32_t read_word(const struct fix *fix, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, fix->section->data.data + offset, 4);
    return word;
}

static void write_word(const struct fix *fix, uint32_t offset, uint32_t word)
{
    memcpy(fix->section->data.data + offset, &word, 4);
}

static void patch(const struct fix *fix, uint32_t offset, enum cy_field field, int32_t value)
{
    write_word(fix, offset, cy_field_insert(field, read_word(fix, offset), value));
}

static bool fail(const struct fix *fix, const char *text)
{
    return as_error_at(fix->as, &fix->fixup->loc, "%s", text);
}

/* ---- relocations ---- */

/* Can a relocation refer to this symbol? */
static bool usable(const struct fix *fix, const struct as_symbol *symbol)
{
    if (symbol->kind != AS_UNDEFINED)
        return true;
    if (!symbol->name)
        return as_error_at(fix->as, &fix->fixup->loc, "there is no label '%u:' after this", symbol->number);
    if (symbol->is_private)
        return as_error_at(fix->as, &fix->fixup->loc, "'%s' is not defined, and no other file can define it",
                           symbol->name);
    return true;
}

static bool relocate_to(const struct fix *fix, uint32_t type, struct as_symbol *symbol, int64_t addend)
{
    if (!usable(fix, symbol))
        return false;
    if (addend < INT32_MIN || addend > UINT32_MAX)
        return fail(fix, "the distance from the symbol does not fit in 32 bits");
    symbol->relocated = true;
    *cy_vec_push(&fix->section->relocs) = (struct cy_reloc){
        .offset = fix->fixup->offset,
        .type = type,
        .symbol = symbol->ordinal,
        .addend = (int32_t)(uint32_t)(uint64_t)addend,
    };
    return true;
}

static bool relocate(const struct fix *fix, uint32_t type)
{
    if (fix->value.minus || !fix->value.plus)
        return fail(fix, "expected a symbol, or a symbol and a number");
    return relocate_to(fix, type, fix->value.plus, fix->value.addend);
}

/* ---- data ---- */

static bool data_number(const struct fix *fix, int64_t value)
{
    unsigned bytes = fix->fixup->detail;
    int64_t unit = bytes < 8 ? (int64_t)1 << (8 * bytes) : 0;
    if (bytes < 8 && (value < -(unit / 2) || value >= unit))
        return as_error_at(fix->as, &fix->fixup->loc, "the value %lld does not fit in %u byte%s", (long long)value,
                           bytes, bytes > 1 ? "s" : "");
    for (unsigned i = 0; i < bytes; i++)
        fix->section->data.data[fix->fixup->offset + i] = (char)(uint8_t)((uint64_t)value >> (8 * i));
    return true;
}

static bool epic_data(const struct fix *fix)
{
    unsigned bytes = fix->fixup->detail;
    const struct as_value *value = &fix->value;
    if (!value->minus)
        return bytes == 8 ? fail(fix, "an address has 4 bytes on EpicGPU")
                          : relocate(fix, bytes == 4   ? CY_R_EPIC_32
                                          : bytes == 2 ? CY_R_EPIC_16
                                                       : CY_R_EPIC_8);
    if (bytes != 4 || !value->plus || value->minus->kind != AS_LABEL || value->minus->section != fix->section)
        return fail(fix, "the difference of these symbols is not known, and no relocation can express it");
    int64_t from_here = (int64_t)fix->fixup->offset - (int64_t)value->minus->offset;
    return relocate_to(fix, CY_R_EPIC_32_PCREL, value->plus, value->addend + from_here);
}

static bool fix_data(const struct fix *fix)
{
    static const uint32_t add[9] = {
        [1] = CY_R_RISCV_ADD8, [2] = CY_R_RISCV_ADD16, [4] = CY_R_RISCV_ADD32, [8] = CY_R_RISCV_ADD64};
    static const uint32_t sub[9] = {
        [1] = CY_R_RISCV_SUB8, [2] = CY_R_RISCV_SUB16, [4] = CY_R_RISCV_SUB32, [8] = CY_R_RISCV_SUB64};
    unsigned bytes = fix->fixup->detail;
    const struct as_value *value = &fix->value;
    if (as_is_constant(value))
        return data_number(fix, value->addend);
    if (fix->as->is_epic)
        return epic_data(fix);
    if (!value->minus) {
        if (bytes < 4)
            return as_error_at(fix->as, &fix->fixup->loc, "an address does not fit in %u byte%s", bytes,
                               bytes > 1 ? "s" : "");
        return relocate(fix, bytes == 4 ? CY_R_RISCV_32 : CY_R_RISCV_64);
    }
    if (!value->plus)
        return fail(fix, "a symbol can only be subtracted from another symbol");
    return relocate_to(fix, add[bytes], value->plus, value->addend) && relocate_to(fix, sub[bytes], value->minus, 0);
}

/* ---- immediates ---- */

static bool fix_field(const struct fix *fix)
{
    enum cy_field field = (enum cy_field)fix->fixup->detail;
    int64_t low, high, value = fix->value.addend;
    unsigned step;
    if (!as_is_constant(&fix->value)) {
        as_not_constant(fix->as, &fix->value, &fix->fixup->loc);
        if (!fix->as->is_epic)
            as_note_at(fix->as, &fix->fixup->loc, "use %%hi and %%lo for an address, or la");
        return false;
    }
    if (!cy_field_fits(field, value, &low, &high, &step))
        return as_error_at(fix->as, &fix->fixup->loc, "immediate %lld is out of range: it must be from %lld to %lld",
                           (long long)value, (long long)low, (long long)high);
    patch(fix, fix->fixup->offset, field, (int32_t)value);
    return true;
}

static int32_t low12(uint32_t value)
{
    return (int32_t)(value << 20) >> 20;
}

static int32_t high20(uint32_t value)
{
    return (int32_t)((value + 0x800) >> 12);
}

static bool fits_32(const struct fix *fix)
{
    if (fix->value.addend >= INT32_MIN && fix->value.addend <= UINT32_MAX)
        return true;
    return fail(fix, "the value does not fit in 32 bits");
}

static bool fix_absolute(const struct fix *fix, enum cy_field field, bool is_high, uint32_t type)
{
    if (!as_is_constant(&fix->value))
        return relocate(fix, type);
    uint32_t value = (uint32_t)(uint64_t)fix->value.addend;
    if (!fits_32(fix))
        return false;
    patch(fix, fix->fixup->offset, field, is_high ? high20(value) : low12(value));
    return true;
}

/* ---- distances ---- */

/* The distance from `from` to a label of the same section. */
static bool same_section(const struct fix *fix, uint32_t from, int64_t *distance)
{
    const struct as_symbol *symbol = fix->value.plus;
    if (!symbol || fix->value.minus || symbol->kind != AS_LABEL || symbol->section != fix->section)
        return false;
    *distance = (int64_t)symbol->offset + fix->value.addend - (int64_t)from;
    return true;
}

/* Requests the long form of a conditional branch; false: there is none. */
static bool lengthen(const struct fix *fix)
{
    if (fix->fixup->hint == AS_NO_HINT || fix->as->pass >= AS_MAX_PASSES)
        return false;
    fix->as->hints.at[fix->fixup->hint] = 1;
    fix->as->again = true;
    return true;
}

static bool out_of_reach(const struct fix *fix, int64_t distance, int64_t low, int64_t high, unsigned step)
{
    struct as *as = fix->as;
    const struct as_fixup *fixup = fix->fixup;
    if (distance & (step - 1))
        return as_error_at(as, &fixup->loc, "the target is %lld bytes away, which is not a multiple of %u",
                           (long long)distance, step);
    if (lengthen(fix))
        return true;
    if (fixup->is_vector && !as->is_epic)
        return as_error_at(as, &fixup->loc,
                           "the target is %lld bytes away, and a vector branch reaches from %lld to %lld; it cannot be "
                           "inverted without changing which lanes run: branch to a jump that is near",
                           (long long)distance, (long long)low, (long long)high);
    return as_error_at(as, &fixup->loc, "the target is %lld bytes away, and this reaches from %lld to %lld",
                       (long long)distance, (long long)low, (long long)high);
}

static bool fix_jump(const struct fix *fix, enum cy_field field, uint32_t type)
{
    int64_t distance = fix->value.addend, low, high;
    unsigned step;
    bool is_number = as_is_constant(&fix->value);
    bool is_near = same_section(fix, fix->fixup->offset, &distance);
    if (!is_number && (!is_near || fix->value.plus->binding == CY_STB_WEAK) && lengthen(fix))
        return true; /* distance unknown: like GNU as, take the form that reaches */
    if ((is_number || is_near) && !cy_field_fits(field, distance, &low, &high, &step))
        return out_of_reach(fix, distance, low, high, step);
    if (!is_number && !(is_near && as_is_local(fix->value.plus)))
        return relocate(fix, type);
    patch(fix, fix->fixup->offset, field, (int32_t)distance);
    return true;
}

static bool needs_symbol(const struct fix *fix)
{
    return fail(fix, "expected a symbol, found a number");
}

static bool fix_call(const struct fix *fix)
{
    int64_t distance;
    uint32_t offset = fix->fixup->offset;
    if (as_is_constant(&fix->value))
        return needs_symbol(fix);
    if (offset + 8 > fix->section->data.size) /* the jalr was not emitted, which was reported */
        return false;
    if (!same_section(fix, offset, &distance) || !as_is_local(fix->value.plus))
        return relocate(fix, CY_R_RISCV_CALL_PLT);
    patch(fix, offset, CY_FIELD_imm20, high20((uint32_t)(uint64_t)distance));
    patch(fix, offset + 4, CY_FIELD_imm12, low12((uint32_t)(uint64_t)distance));
    return true;
}

static bool fix_pcrel_high(const struct fix *fix)
{
    int64_t distance;
    if (as_is_constant(&fix->value))
        return needs_symbol(fix);
    if (!same_section(fix, fix->fixup->offset, &distance) || !as_is_local(fix->value.plus))
        return relocate(fix, CY_R_RISCV_PCREL_HI20);
    patch(fix, fix->fixup->offset, CY_FIELD_imm20, high20((uint32_t)(uint64_t)distance));
    return true;
}

/* The %pcrel_hi or %got_pcrel_hi at this offset. */
static struct as_fixup *find_high(const struct as_section *section, uint32_t offset)
{
    size_t low = 0, high = section->fixups.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (section->fixups.at[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < section->fixups.count && section->fixups.at[low].offset == offset; low++)
        if (section->fixups.at[low].kind == AS_FIX_PCREL_HI || section->fixups.at[low].kind == AS_FIX_GOT_HI)
            return &section->fixups.at[low];
    return NULL;
}

static bool fix_pcrel_low(const struct fix *fix, enum cy_field field, uint32_t type)
{
    struct as_symbol *label = fix->value.plus;
    if (!label || fix->value.minus || fix->value.addend)
        return fail(fix, "%pcrel_lo takes the label of the auipc, without an offset");
    if (!usable(fix, label))
        return false;
    bool is_here = label->kind == AS_LABEL && label->section == fix->section;
    struct as_fixup *high = is_here ? find_high(fix->section, label->offset) : NULL;
    if (!high)
        return as_error_at(fix->as, &fix->fixup->loc, "%s does not mark an auipc with %%pcrel_hi",
                           as_symbol_text(fix->as, label));
    struct fix other = {fix->as, fix->section, high, high->value};
    int64_t distance;
    if (!as_evaluate(fix->as, &other.value, &high->loc))
        return false;
    if (high->kind == AS_FIX_GOT_HI || !same_section(&other, high->offset, &distance) || !as_is_local(other.value.plus))
        return relocate(fix, type);
    patch(fix, fix->fixup->offset, field, low12((uint32_t)(uint64_t)distance));
    return true;
}

/* ---- EpicGPU ---- */

static bool fix_epic_part(const struct fix *fix)
{
    uint32_t value = (uint32_t)(uint64_t)fix->value.addend;
    int32_t low = (int32_t)(value << 18) >> 18;
    int32_t half = low >> 1;
    bool is_number = as_is_constant(&fix->value);
    if (is_number && !fits_32(fix))
        return false;
    switch (fix->fixup->kind) {
    case AS_FIX_EPIC_HI18:
        if (!is_number)
            return relocate(fix, CY_R_EPIC_HI18);
        patch(fix, fix->fixup->offset, CY_FIELD_eimm18, (int32_t)((value + 0x2000) >> 14));
        return true;
    case AS_FIX_EPIC_LO13A:
        if (!is_number)
            return relocate(fix, CY_R_EPIC_LO13A);
        patch(fix, fix->fixup->offset, CY_FIELD_eimm13, half);
        return true;
    default:
        if (!is_number)
            return relocate(fix, CY_R_EPIC_LO13B);
        if (low - half > 4095)
            return fail(fix, "la cannot load this number; use li");
        patch(fix, fix->fixup->offset, CY_FIELD_eimm13, low - half);
        return true;
    }
}

static bool fix_epic_call(const struct fix *fix)
{
    int64_t low, high;
    if (!as_is_constant(&fix->value))
        return relocate(fix, CY_R_EPIC_CALL);
    if (!cy_field_fits(CY_FIELD_ecall, fix->value.addend, &low, &high, NULL))
        return as_error_at(fix->as, &fix->fixup->loc, "the address must be a multiple of 4 from %lld to %lld",
                           (long long)low, (long long)high);
    patch(fix, fix->fixup->offset, CY_FIELD_ecall, (int32_t)fix->value.addend);
    return true;
}

/* ---- .reloc ---- */

static bool fix_reloc(const struct fix *fix)
{
    if (fix->fixup->offset >= as_here(fix->section) && fix->fixup->detail != 0)
        return fail(fix, "the place is beyond the end of the section");
    if (!as_is_constant(&fix->value))
        return relocate(fix, fix->fixup->detail);
    if (!fits_32(fix))
        return false;
    *cy_vec_push(&fix->section->relocs) = (struct cy_reloc){
        .offset = fix->fixup->offset,
        .type = fix->fixup->detail,
        .symbol = CY_NO_SYMBOL,
        .addend = (int32_t)(uint32_t)(uint64_t)fix->value.addend,
    };
    return true;
}

/* ---- all of them ---- */

static bool apply(const struct fix *fix)
{
    switch ((enum as_fixup_kind)fix->fixup->kind) {
    case AS_FIX_DATA: return fix_data(fix);
    case AS_FIX_FIELD: return fix_field(fix);
    case AS_FIX_BRANCH: return fix_jump(fix, CY_FIELD_boff, CY_R_RISCV_BRANCH);
    case AS_FIX_JAL: return fix_jump(fix, CY_FIELD_joff, CY_R_RISCV_JAL);
    case AS_FIX_CALL: return fix_call(fix);
    case AS_FIX_PCREL_HI: return fix_pcrel_high(fix);
    case AS_FIX_GOT_HI: return as_is_constant(&fix->value) ? needs_symbol(fix) : relocate(fix, CY_R_RISCV_GOT_HI20);
    case AS_FIX_PCREL_LO_I: return fix_pcrel_low(fix, CY_FIELD_imm12, CY_R_RISCV_PCREL_LO12_I);
    case AS_FIX_PCREL_LO_S: return fix_pcrel_low(fix, CY_FIELD_simm12, CY_R_RISCV_PCREL_LO12_S);
    case AS_FIX_HI: return fix_absolute(fix, CY_FIELD_imm20, true, CY_R_RISCV_HI20);
    case AS_FIX_LO_I: return fix_absolute(fix, CY_FIELD_imm12, false, CY_R_RISCV_LO12_I);
    case AS_FIX_LO_S: return fix_absolute(fix, CY_FIELD_simm12, false, CY_R_RISCV_LO12_S);
    case AS_FIX_EPIC_JUMP: return fix_jump(fix, CY_FIELD_ejoff, CY_R_EPIC_JUMP);
    case AS_FIX_EPIC_CALL: return fix_epic_call(fix);
    case AS_FIX_EPIC_HI18:
    case AS_FIX_EPIC_LO13A:
    case AS_FIX_EPIC_LO13B: return fix_epic_part(fix);
    case AS_FIX_RELOC: return fix_reloc(fix);
    }
    return false;
}

static void resolve_sizes(struct as *as)
{
    for (size_t i = 0; i < as->symbols.count; i++) {
        struct as_symbol *symbol = as->symbols.at[i];
        if (!symbol->has_size || !as_evaluate(as, &symbol->size, &symbol->size_at))
            continue;
        if (!as_is_constant(&symbol->size))
            as_not_constant(as, &symbol->size, &symbol->size_at);
        else if (symbol->size.addend < 0 || symbol->size.addend > UINT32_MAX)
            as_error_at(as, &symbol->size_at, "the size of '%s' is %lld", symbol->name, (long long)symbol->size.addend);
    }
}

/* A section's name denotes its start if nothing else has that name. */
static void resolve_section_names(struct as *as)
{
    for (size_t i = 0; i < as->sections.count; i++) {
        struct as_section *section = as->sections.at[i];
        struct as_symbol *symbol = as_find_name(as, section->name, strlen(section->name))->symbol;
        if (symbol && symbol->kind == AS_UNDEFINED && !symbol->declared) {
            symbol->kind = AS_EQUATE;
            symbol->value = (struct as_value){.plus = section->symbol};
            symbol->is_private = true;
        }
    }
}

static int by_offset(const void *a, const void *b)
{
    const struct as_fixup *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    return x->ordinal < y->ordinal ? -1 : 1;
}

void as_resolve(struct as *as)
{
    resolve_section_names(as);
    resolve_sizes(as);
    for (size_t i = 0; i < as->sections.count; i++) {
        struct as_section *section = as->sections.at[i];
        if (section->unsorted)
            qsort(section->fixups.at, section->fixups.count, sizeof(*section->fixups.at), by_offset);
        for (size_t j = 0; j < section->fixups.count; j++) {
            struct as_fixup *fixup = &section->fixups.at[j];
            struct fix fix = {as, section, fixup, fixup->value};
            if (as_evaluate(as, &fix.value, &fixup->loc))
                apply(&fix);
        }
    }
}
