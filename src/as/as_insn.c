/* Instructions: parsed by the syntax pieces of the ISA tables, encoded by cy_encode. */
#include "as/as_priv.h"

#include <string.h>

/* ---- parentheses ---- */

/* "(a1)" where "4(a1)" is allowed: the offset is omitted. */
static bool offset_is_left_out(struct as *as)
{
    as_skip_blank(as);
    const char *p = as->p;
    if (*p++ != '(')
        return false;
    while (as_is(*p, AS_C_BLANK))
        p++;
    const char *start = p;
    while (as_is(*p, AS_C_WORD))
        p++;
    size_t length = (size_t)(p - start);
    while (as_is(*p, AS_C_BLANK))
        p++;
    return *p == ')' && as_is_register(as, start, length);
}

/* "0(a1)" where the syntax is "(a1)". */
static bool open_parenthesis(struct as *as, bool behind_operand)
{
    as_skip_blank(as);
    const char *at = as->p;
    if (*at != '(' && !behind_operand) {
        struct as_operand offset = {0};
        if (!as_immediate(as, &offset))
            return false;
        if (offset.symbolic || offset.modifier || offset.value.addend != 0)
            return as_fail(as, at, (size_t)(as->p - at), "this instruction has no offset: expected '(' or 0");
    }
    return as_expect(as, '(');
}

/* ---- one way to parse the operands ---- */

struct attempt {
    struct cy_insn insn;
    struct as_operand operands[CY_MAX_OPERANDS];
    bool extension_written; /* the optional operand of a prefix */
};

static bool read_pieces(struct as *as, const struct cy_spelling *spelling, struct attempt *attempt, int32_t suffix,
                        bool predicated)
{
    bool can_predicate = false, behind_operand = false;
    for (unsigned i = 0; i < spelling->piece_count; i++) {
        const struct cy_syntax_piece *piece = &spelling->pieces[i];
        struct as_operand *operand = &attempt->operands[piece->operand];
        int32_t *value = &attempt->insn.operand[piece->operand];
        bool was_operand = behind_operand;
        behind_operand = false;
        switch (piece->kind) {
        case CY_PIECE_OPERAND:
            behind_operand = true;
            operand->symbolic = false;
            operand->modifier = AS_MOD_NONE;
            if (i + 1 < spelling->piece_count && spelling->pieces[i + 1].kind == CY_PIECE_OPEN &&
                offset_is_left_out(as)) {
                operand->at = as->p;
                operand->length = 1;
                *value = 0;
            } else if (!as_read_operand(as, (enum cy_field)piece->field, operand, value)) {
                return false;
            }
            break;
        case CY_PIECE_COMMA:
            if (!as_comma(as))
                return false;
            break;
        case CY_PIECE_OPEN:
            if (!open_parenthesis(as, was_operand))
                return false;
            break;
        case CY_PIECE_CLOSE:
            if (!as_expect(as, ')'))
                return false;
            break;
        case CY_PIECE_V0: {
            struct as_text word = as_word(as);
            if (!as_text_is(word, "v0")) {
                as->p = word.text;
                return as_expected(as, "v0");
            }
            break;
        }
        case CY_PIECE_OPTIONAL:
            if (as_at_end(as))
                i = spelling->piece_count;
            else
                attempt->extension_written = true;
            break;
        case CY_PIECE_SUFFIX: *value = suffix; break;
        case CY_PIECE_PREDICATE:
            *value = predicated;
            can_predicate = true;
            break;
        default: break;
        }
    }
    if (predicated && !can_predicate)
        return as_fail(as, as->start, 2, "'%s' cannot be predicated", spelling->mnemonic);
    return as_expect_end(as);
}

/* ---- code ---- */

static bool put_words(struct as *as, const struct cy_insn *insn)
{
    struct as_section *section = as->section;
    if (section->align < 4)
        section->align = 4;
    if (as_here(section) & 3) {
        struct cy_loc loc = as_loc(as, as->start, 1);
        cy_diag(as->diags, CY_WARNING, &loc, "the instruction is not aligned to 4 bytes");
    }
    uint8_t *place = as_emit(as, insn->size, false);
    if (!place)
        return false;
    if (insn->prefix) {
        memcpy(place, &insn->prefix, 4);
        place += 4;
    }
    memcpy(place, &insn->word, 4);
    return true;
}

static bool cannot_encode(struct as *as, const struct cy_insn *insn, const struct as_operand *operands, unsigned bad,
                          const char *why)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    if (!operands || bad >= count || !operands[bad].at)
        return as_fail(as, as->start, 1, "%s", why);
    const struct cy_field_info *field = &cy_fields[fields[bad]];
    bool is_number =
        field->kind == CY_SIMM || field->kind == CY_UIMM || field->kind == CY_UPPER || field->kind == CY_PCREL;
    if (!is_number)
        return as_fail(as, operands[bad].at, operands[bad].length, "%s", why);
    int64_t low, high;
    unsigned step;
    cy_field_fits(fields[bad], insn->operand[bad], &low, &high, &step);
    if (field->slot == CY_EXT_IMM && !as->is_epic) { /* with a prefix */
        low = field->kind == CY_SIMM ? -1024 : 0;
        high = 1023;
    }
    if (step > 1)
        return as_fail(as, operands[bad].at, operands[bad].length,
                       "immediate %d is out of range: it must be a multiple of %u from %lld to %lld",
                       insn->operand[bad], step, (long long)low, (long long)high);
    return as_fail(as, operands[bad].at, operands[bad].length,
                   "immediate %d is out of range: it must be from %lld to %lld", insn->operand[bad], (long long)low,
                   (long long)high);
}

/* The kind of fixup for a symbolic operand; false after a diagnostic. */
static bool fixup_kind(struct as *as, enum cy_field id, const struct as_operand *operand, enum as_fixup_kind *kind)
{
    const struct cy_field_info *field = &cy_fields[id];
    bool is_store = field->piece_count == 2;
    bool is_low = field->kind == CY_SIMM && field->bits == 12;
    switch (operand->modifier) {
    case AS_MOD_HI:
    case AS_MOD_PCREL_HI:
    case AS_MOD_GOT_HI:
        *kind = operand->modifier == AS_MOD_HI         ? AS_FIX_HI
                : operand->modifier == AS_MOD_PCREL_HI ? AS_FIX_PCREL_HI
                                                       : AS_FIX_GOT_HI;
        return field->kind == CY_UPPER ||
               as_fail(as, operand->at, operand->length, "%%hi and %%pcrel_hi belong to lui and auipc");
    case AS_MOD_LO:
        *kind = is_store ? AS_FIX_LO_S : AS_FIX_LO_I;
        return is_low || as_fail(as, operand->at, operand->length, "%%lo needs a 12-bit signed immediate");
    case AS_MOD_PCREL_LO:
        *kind = is_store ? AS_FIX_PCREL_LO_S : AS_FIX_PCREL_LO_I;
        return is_low || as_fail(as, operand->at, operand->length, "%%pcrel_lo needs a 12-bit signed immediate");
    default: break;
    }
    if (field->kind == CY_PCREL)
        *kind = field->bits == 13 ? AS_FIX_BRANCH : field->bits == 21 ? AS_FIX_JAL : AS_FIX_EPIC_JUMP;
    else
        *kind = id == CY_FIELD_ecall ? AS_FIX_EPIC_CALL : AS_FIX_FIELD;
    return true;
}

/* Is the target of a conditional branch at offset `here` out of range?  *hint: the hint to correct if that turns out
 * later. */
static bool is_long(struct as *as, const struct as_value *target, uint32_t here, uint32_t *hint)
{
    *hint = AS_NO_HINT;
    if (target->deep || target->minus || !target->plus)
        return false;
    const struct as_symbol *symbol = target->plus;
    if (symbol->kind == AS_UNDEFINED) {
        *hint = as_new_hint(as);
        return as->hints.at[*hint] != 0;
    }
    if (symbol->kind != AS_LABEL || symbol->section != as->section)
        return true; /* distance unknown */
    int64_t distance = (int64_t)symbol->offset + target->addend - (int64_t)here;
    return distance < -4096 || distance > 4094;
}

/* The inverted branch over a jal: bit 12 of a branch inverts its condition. */
static bool put_long_branch(struct as *as, struct cy_insn *insn, const struct as_operand *operand)
{
    insn->word = cy_field_insert(CY_FIELD_boff, insn->word ^ 0x1000, 8);
    if (!put_words(as, insn))
        return false;
    struct as_fixup fixup = {
        .offset = as_here(as->section),
        .kind = AS_FIX_JAL,
        .hint = AS_NO_HINT,
        .value = operand->value,
        .loc = as_loc(as, operand->at, operand->length),
    };
    struct cy_insn jump = {.word = cy_insns[CY_OP_jal].match, .size = 4};
    if (!put_words(as, &jump))
        return false;
    as_add_fixup(as, &fixup);
    return true;
}

void as_note_register(struct as *as, enum cy_field field, int32_t number)
{
    struct as_region *region = as->regions.count ? &as->regions.at[as->regions.count - 1] : NULL;
    enum cy_field_kind kind = cy_fields[field].kind;
    if (!region || (kind != CY_VREG && kind != CY_XREG))
        return;
    uint16_t *most = kind == CY_VREG ? &region->vgprs : &region->sgprs;
    if (number >= *most)
        *most = (uint16_t)(number + 1);
}

/* For the register counts of kernels; numbers below 32 do not matter there. */
static void note_use(struct as *as, const struct cy_insn *insn)
{
    if ((cy_insns[insn->op].flags & CY_F_CALL) && insn->operand[0] != 0 && as->regions.count)
        as->regions.at[as->regions.count - 1].calls = true;
    if (!insn->prefix)
        return;
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[insn->op].format, fields);
    for (size_t i = 0; i < count; i++)
        as_note_register(as, fields[i], insn->operand[i]);
}

/* For the instruction just emitted. */
static void add_operand_fixup(struct as *as, const struct cy_insn *insn, const struct as_operand *operand,
                              enum cy_field field, enum as_fixup_kind kind, uint32_t hint)
{
    struct as_fixup fixup = {
        .offset = as_here(as->section) - 4u,
        .kind = (uint8_t)kind,
        .detail = (uint8_t)field,
        .is_vector = (cy_insns[insn->op].flags & CY_F_DIVERGE) != 0,
        .hint = hint,
        .value = operand->value,
        .loc = as_loc(as, operand->at, operand->length),
    };
    as_add_fixup(as, &fixup);
}

bool as_put(struct as *as, struct cy_insn *insn, const struct as_operand *operands)
{
    struct as_section *section = as->section;
    unsigned bad = CY_MAX_OPERANDS;
    if (section->prefix.active && !as_apply_prefix(as, insn, operands))
        return false;
    const char *why = cy_encode(as->target, insn, &bad);
    if (why)
        return cannot_encode(as, insn, operands, bad, why);
    note_use(as, insn);
    enum cy_field fields[CY_MAX_OPERANDS];
    enum as_fixup_kind kinds[CY_MAX_OPERANDS];
    uint32_t hint = AS_NO_HINT, symbolic = 0; /* one bit per operand */
    for (unsigned i = 0; operands && i < insn->operand_count; i++) {
        if (!operands[i].symbolic)
            continue;
        if (!symbolic)
            cy_format_operands(cy_insns[insn->op].format, fields);
        symbolic |= 1u << i;
        if (!fixup_kind(as, fields[i], &operands[i], &kinds[i]))
            return false;
        if (kinds[i] == AS_FIX_BRANCH && (cy_insns[insn->op].flags & CY_F_BRANCH) &&
            is_long(as, &operands[i].value, as_here(section) + insn->size - 4u, &hint))
            return put_long_branch(as, insn, &operands[i]);
    }
    if (!put_words(as, insn))
        return false;
    for (unsigned i = 0; symbolic >> i; i++)
        if (symbolic >> i & 1)
            add_operand_fixup(as, insn, &operands[i], fields[i], kinds[i], hint);
    return true;
}

bool as_put_op(struct as *as, enum cy_op op, int32_t a, int32_t b, int32_t c, int32_t d)
{
    struct cy_insn insn = {.op = op, .operand = {a, b, c, d}};
    return as_put(as, &insn, NULL);
}

bool as_put_fix(struct as *as, enum cy_op op, const int32_t numbers[4], enum as_fixup_kind kind,
                const struct as_value *value, const struct as_operand *where)
{
    struct cy_insn insn = {.op = op, .operand = {numbers[0], numbers[1], numbers[2], numbers[3]}};
    if (!as_no_prefix_pending(as))
        return false;
    const char *why = cy_encode(as->target, &insn, NULL);
    if (why)
        return as_fail(as, as->start, 1, "%s", why);
    note_use(as, &insn);
    struct as_operand operand = *where;
    operand.value = *value;
    if (!put_words(as, &insn))
        return false;
    add_operand_fixup(as, &insn, &operand, CY_FIELD_NONE, kind, AS_NO_HINT);
    return true;
}

/* ---- the statement ---- */

static bool read_spelling(struct as *as, const struct cy_spelling *spelling, const char *mnemonic, size_t length,
                          bool predicated, struct attempt *attempt)
{
    int32_t suffix = 0;
    size_t own = strlen(spelling->mnemonic);
    if (own < length) /* ".aqrl" */
        cy_parse_aqrl(mnemonic + own + 1, length - own - 1, &suffix);
    attempt->extension_written = false;
    cy_spelling_start(spelling, &attempt->insn);
    memset(attempt->operands, 0, sizeof(attempt->operands));
    if (!read_pieces(as, spelling, attempt, suffix, predicated))
        return false;
    cy_spelling_finish(spelling, &attempt->insn);
    return true;
}

static bool emit_attempt(struct as *as, struct attempt *attempt)
{
    if (cy_insns[attempt->insn.op].flags & CY_F_PREFIX) {
        bool fill = (cy_insns[attempt->insn.op].format == CY_FORMAT_PREM ||
                     cy_insns[attempt->insn.op].format == CY_FORMAT_PRE) &&
                    !attempt->extension_written;
        if (!as_put(as, &attempt->insn, attempt->operands))
            return false;
        fill |= as->options->flags & CY_ASM_FILL_PREFIXES && attempt->insn.word >> 20 == 0;
        return as_take_prefix(as, &attempt->insn, fill);
    }
    return as_put(as, &attempt->insn, attempt->operands);
}

bool as_instruction(struct as *as, const struct as_name *name, const char *mnemonic, size_t length, bool predicated)
{
    const struct cy_spelling *spelling = name->spelling;
    const struct as_pseudo *pseudo = name->pseudo;
    const char *start = as->p;
    struct attempt attempt;
    as->in_operand = true;
    as->complaint.at = NULL;
    as->trying = spelling && (spelling->next || pseudo);
    bool read = false;
    for (; spelling && !read; spelling = spelling->next) {
        as->p = start;
        as->depth = 0;
        read = read_spelling(as, spelling, mnemonic, length, predicated, &attempt);
    }
    bool was_trying = as->trying;
    as->trying = false;
    if (read) {
        bool ok = emit_attempt(as, &attempt);
        as->in_operand = false;
        return ok;
    }
    bool ok = false;
    if (pseudo) { /* the last alternative: its own error wins only if it got further */
        as->p = start;
        as->trying = was_trying;
        as->predicated = predicated;
        bool prefixed = as->section->prefix.active;
        uint32_t before = as_here(as->section);
        ok = pseudo->run(as, pseudo->argument);
        as->trying = false;
        if (ok && prefixed && as_here(as->section) - before > 4)
            ok = as_fail(as, mnemonic, length, "'%.*s' expands to several instructions: it cannot follow a prefix",
                         (int)length, mnemonic);
    }
    as->in_operand = false;
    if (!ok && was_trying && as->complaint.at)
        as_fail(as, as->complaint.at, as->complaint.length, "%s", as->complaint.text);
    return ok;
}
