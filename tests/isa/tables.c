/* The instruction tables are consistent: every bit is accounted for, no two rows overlap, every row and alias encodes,
 * decodes, prints and is found again, prefixes behave, and random words and operands survive the round trip. */
#include "support/test.h"

#include "isa/isa.h"
#include "random.h"

#include <ctype.h>

static uint32_t field_bits(enum cy_field field)
{
    return cy_field_insert(field, 0, -1);
}

static bool is_epic(enum cy_target target)
{
    return target == CY_EPIC || target == CY_EPIC_FPGA;
}

static bool belongs(int op, enum cy_target target)
{
    return cy_insns[op].gens & (1 << target);
}

/* ---- fields and formats ---- */

static void test_fields(void)
{
    for (int f = 1; f < CY_FIELD_COUNT; f++) {
        const struct cy_field_info *field = &cy_fields[f];
        uint32_t in_word = 0, in_value = 0;
        bool distinct = field->piece_count > 0;
        for (unsigned i = 0; i < field->piece_count; i++) {
            const struct cy_piece *piece = &field->pieces[i];
            uint32_t ones = (uint32_t)((1ull << piece->width) - 1);
            distinct &= piece->width > 0 && piece->insn_lsb + piece->width <= 32;
            distinct &= piece->value_lsb + piece->width <= field->bits;
            distinct &= !(in_word & ones << piece->insn_lsb) && !(in_value & ones << piece->value_lsb);
            in_word |= ones << piece->insn_lsb;
            in_value |= ones << piece->value_lsb;
        }
        /* no hole above the low zeros of a distance */
        uint32_t lowest = in_value & (0u - in_value);
        bool whole = in_value + lowest == (field->bits == 32 ? 0 : 1u << field->bits);
        if (!CHECK(distinct) || !CHECK(whole))
            fprintf(stderr, "  field %s\n", field->name);
    }
}

/* The bits of EpicGPU's formats that are neither fixed nor an operand, by the diagrams of the specification:
 * R and F 27:20 (without rs2 27:15); M 27:12 for lw, 27:20, 14:12 and 4:0 for stores; X 26:0; D 27:10 and 4:0;
 * C 28:13 and what f3 does not need.  The Ventus formats have no such bits. */
#define BITS(high, low) ((uint32_t)((1ull << ((high) + 1)) - (1ull << (low))))
static uint32_t dont_care(enum cy_format format)
{
    switch (format) {
    case CY_FORMAT_ER:
    case CY_FORMAT_EF: return BITS(27, 20);
    case CY_FORMAT_ER1:
    case CY_FORMAT_EF1: return BITS(27, 15);
    case CY_FORMAT_EL: return BITS(27, 12);
    case CY_FORMAT_ES: return BITS(27, 20) | BITS(14, 12) | BITS(4, 0);
    case CY_FORMAT_EX0: return BITS(26, 0);
    case CY_FORMAT_ED: return BITS(27, 10) | BITS(4, 0);
    case CY_FORMAT_ERET: return BITS(28, 13) | BITS(4, 0);
    case CY_FORMAT_E0: return BITS(28, 13) | BITS(9, 0);
    default: return 0;
    }
}

static void test_formats_cover_every_bit_once(void)
{
    for (int f = 0; f < CY_FORMAT_COUNT; f++) {
        enum cy_field fields[CY_MAX_OPERANDS];
        size_t count = cy_format_operands((enum cy_format)f, fields);
        uint32_t covered = cy_formats[f].mask;
        bool once = true;
        for (size_t i = 0; i < count; i++) {
            once &= !(covered & field_bits(fields[i]));
            covered |= field_bits(fields[i]);
        }
        if (!CHECK(once) || !CHECK_EQ(~covered, dont_care((enum cy_format)f)))
            fprintf(stderr, "  format %s\n", cy_formats[f].name);
    }
}

/* ---- rows ---- */

static void test_rows_are_sane(void)
{
    bool used[CY_FORMAT_COUNT] = {false};
    for (int op = 1; op < CY_OP_COUNT; op++) {
        const struct cy_insn_info *info = &cy_insns[op];
        used[info->format] = true;
        bool ventus = info->gens & CY_IN_VENTUS, epic = info->gens & CY_IN_EPICALL;
        bool sane = CHECK(info->id && info->mnemonic && info->semantics && info->semantics[0]);
        sane &= CHECK_EQ(info->match & ~cy_formats[info->format].mask, 0);
        sane &= CHECK(ventus != epic);
        sane &= CHECK(!(info->gens & CY_IN_FPGA) || info->gens & CY_IN_EPIC);
        sane &= CHECK((info->sched == CY_SCHED_none) == !!(info->flags & CY_F_PREFIX));
        for (const char *c = info->mnemonic; *c; c++)
            sane &= CHECK(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '.' || *c == '_');
        if (!sane)
            fprintf(stderr, "  row %s\n", info->id);
    }
    for (int f = 0; f < CY_FORMAT_COUNT; f++)
        if (!CHECK(used[f]))
            fprintf(stderr, "  format %s has no row\n", cy_formats[f].name);
}

/* Rows overlap when a word matches both.  None do: decoding never depends on an order. */
static void test_rows_do_not_overlap(void)
{
    for (int a = 1; a < CY_OP_COUNT; a++) {
        for (int b = a + 1; b < CY_OP_COUNT; b++) {
            if (!(cy_insns[a].gens & cy_insns[b].gens))
                continue;
            uint32_t both = cy_formats[cy_insns[a].format].mask & cy_formats[cy_insns[b].format].mask;
            if (!CHECK(((cy_insns[a].match ^ cy_insns[b].match) & both) != 0))
                fprintf(stderr, "  %s and %s\n", cy_insns[a].id, cy_insns[b].id);
        }
    }
}

/* ---- round trips ---- */

static void show(const char *what, enum cy_target target, const struct cy_insn *insn)
{
    struct cy_buf text = {0};
    cy_print(&text, target, insn, 0, 0);
    fprintf(stderr, "  %s: %s %s (%s) word 0x%08x prefix 0x%08x\n", what, cy_target_name(target), cy_insns[insn->op].id,
            text.data, insn->word, insn->prefix);
    cy_buf_free(&text);
}

static bool same_operands(const struct cy_insn *a, const struct cy_insn *b)
{
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[a->op].format, fields);
    return a->op == b->op && !memcmp(a->operand, b->operand, count * sizeof(a->operand[0]));
}

/* Encodes, decodes (with the prefix if there is one) and compares. */
static bool check_round_trip(enum cy_target target, struct cy_insn *insn)
{
    unsigned bad = 99;
    const char *error = cy_encode(target, insn, &bad);
    if (!CHECK_STR(error, NULL)) {
        show("does not encode", target, insn);
        return false;
    }
    uint32_t words[2] = {insn->word, 0};
    size_t count = 1;
    if (insn->prefix) {
        words[0] = insn->prefix;
        words[1] = insn->word;
        count = 2;
    }
    struct cy_insn again;
    enum cy_decode_status status;
    if (cy_insns[insn->op].flags & CY_F_PREFIX)
        status = cy_decode_word(target, insn->word, &again) ? CY_DECODE_OK : CY_DECODE_INVALID;
    else
        status = cy_decode(target, words, count, &again);
    bool same = CHECK_EQ(status, CY_DECODE_OK) && CHECK(same_operands(insn, &again)) &&
                CHECK_EQ(again.size, insn->size) && CHECK_EQ(again.word, insn->word) &&
                CHECK_EQ(again.prefix, insn->prefix) && CHECK_EQ(again.operand_count, insn->operand_count);
    if (!same)
        show("decodes otherwise", target, insn);
    return same;
}

static void test_every_row_comes_back(void)
{
    for (int t = 0; t < CY_TARGET_COUNT; t++) {
        enum cy_target target = (enum cy_target)t;
        for (int op = 1; op < CY_OP_COUNT; op++) {
            struct cy_insn insn = random_insn(op, false);
            if (!belongs(op, target)) {
                CHECK(cy_encode(target, &insn, NULL) != NULL);
                continue;
            }
            check_round_trip(target, &insn);
            for (int i = 0; i < 300; i++) {
                insn = random_insn(op, !is_epic(target));
                if (!check_round_trip(target, &insn))
                    break;
            }
        }
    }
}

/* The mnemonic and the operands of a printed line, the predicate and the order suffix cut off. */
static void split_text(char *line, int op, const char **mnemonic)
{
    *mnemonic = line;
    if (!strncmp(line, "@p ", 3))
        *mnemonic = line + 3;
    line[strcspn(line, "\t")] = 0;
    size_t own = strlen(cy_insns[op].mnemonic);
    int32_t order;
    if (line[0] != '@' && strlen(line) > own && line[own] == '.' &&
        cy_parse_aqrl(line + own + 1, strlen(line) - own - 1, &order))
        line[own] = 0;
}

static void test_every_row_prints_and_is_found(void)
{
    struct cy_buf text = {0};
    for (int t = 0; t < CY_TARGET_COUNT; t++) {
        enum cy_target target = (enum cy_target)t;
        for (int op = 1; op < CY_OP_COUNT; op++) {
            const char *name = cy_insns[op].mnemonic;
            enum cy_op found = cy_op_find(target, name, strlen(name));
            if (!belongs(op, target)) {
                CHECK(found != (enum cy_op)op);
                continue;
            }
            if (!CHECK_EQ(found, op))
                fprintf(stderr, "  %s %s\n", cy_target_name(target), cy_insns[op].id);
            struct cy_insn insn = random_insn(op, !is_epic(target));
            cy_encode(target, &insn, NULL);
            text.size = 0;
            cy_print(&text, target, &insn, 0x1000, CY_PRINT_NO_ALIASES);
            const char *mnemonic;
            split_text(text.data, op, &mnemonic);
            if (op != CY_OP_csrrw || strcmp(mnemonic, "unimp"))
                CHECK_STR(mnemonic, name);
        }
    }
    cy_buf_free(&text);
}

/* ---- aliases ---- */

enum { PARSE = 1, PRINT = 2, BOTH = 3, ALWAYS = 7 };
static const struct alias {
    const char *mnemonic, *syntax;
    int op;
    const char *fixed;
    int use;
} aliases[] = {
#define ALIAS(mnemonic, syntax, op, fixed, use) {mnemonic, syntax, CY_OP_##op, fixed, use},
#include "isa/aliases.def"
};

/* The spelling of an alias among those of its name: the one with the same operands fixed and the same text length. */
static const struct cy_spelling *find_spelling(enum cy_target target, const struct alias *alias)
{
    unsigned commas = 0, fixed = 0, seen = 0;
    for (const char *c = alias->syntax; *c; c++)
        commas += *c == ',';
    for (const char *c = alias->fixed; *c; c++)
        fixed += *c == '=';
    const struct cy_spelling *spelling = cy_spelling_find(target, alias->mnemonic, strlen(alias->mnemonic));
    for (; spelling; spelling = spelling->next) {
        seen = 0;
        bool paren = false;
        for (unsigned i = 0; i < spelling->piece_count; i++) {
            seen += spelling->pieces[i].kind == CY_PIECE_COMMA;
            paren |= spelling->pieces[i].kind == CY_PIECE_OPEN;
        }
        if (spelling->is_alias && spelling->op == (enum cy_op)alias->op && spelling->fixed_count == fixed &&
            seen == commas && paren == (strchr(alias->syntax, '(') != NULL))
            return spelling;
    }
    return NULL;
}

/* Every operand of the row is either written or fixed, and none is both. */
static bool operands_are_complete(const struct cy_spelling *spelling, size_t operand_count)
{
    unsigned written = 0, fixed = 0;
    for (unsigned i = 0; i < spelling->piece_count; i++) {
        uint8_t kind = spelling->pieces[i].kind;
        if (kind == CY_PIECE_OPERAND || kind == CY_PIECE_SUFFIX || kind == CY_PIECE_PREDICATE)
            written |= 1u << spelling->pieces[i].operand;
    }
    for (unsigned i = 0; i < spelling->fixed_count; i++)
        fixed |= 1u << spelling->fixed[i].operand;
    return !(written & fixed) && (written | fixed) == (1u << operand_count) - 1;
}

static void check_alias(enum cy_target target, const struct alias *alias, struct cy_buf *text)
{
    const struct cy_spelling *spelling = find_spelling(target, alias);
    enum cy_field fields[CY_MAX_OPERANDS];
    size_t count = cy_format_operands(cy_insns[alias->op].format, fields);
    if (!CHECK(spelling != NULL) || !CHECK(operands_are_complete(spelling, count))) {
        fprintf(stderr, "  alias %s %s\n", alias->mnemonic, alias->syntax);
        return;
    }
    for (int round = 0; round < 50; round++) {
        struct cy_insn insn = random_insn(alias->op, !is_epic(target));
        cy_spelling_finish(spelling, &insn);
        if (!check_round_trip(target, &insn))
            break;
        /* what is printed begins with this alias or, for special operands, with one that stands before it */
        text->size = 0;
        cy_print(text, target, &insn, 0, 0);
        text->data[strcspn(text->data, "\t")] = 0;
        bool allowed = !(alias->use & PRINT) && !strcmp(text->data, cy_insns[alias->op].mnemonic);
        for (size_t i = 0; i < CY_COUNT(aliases) && !allowed; i++) {
            allowed = aliases[i].op == alias->op && aliases[i].use & PRINT && !strcmp(aliases[i].mnemonic, text->data);
            if (&aliases[i] == alias)
                break;
        }
        if (!(alias->use & PRINT) && !allowed) /* another alias of the row may still fit */
            allowed =
                !strncmp(text->data, "@p ", 3) || cy_spelling_find(target, text->data, strlen(text->data)) != NULL;
        if (!CHECK(allowed)) {
            fprintf(stderr, "  alias %s prints as %s\n", alias->mnemonic, text->data);
            break;
        }
    }
}

static void test_every_alias_comes_back(void)
{
    struct cy_buf text = {0};
    for (int t = 0; t < CY_TARGET_COUNT; t++)
        for (size_t i = 0; i < CY_COUNT(aliases); i++)
            if (aliases[i].use & PARSE && belongs(aliases[i].op, (enum cy_target)t))
                check_alias((enum cy_target)t, &aliases[i], &text);
    cy_buf_free(&text);
}

static void test_defaults(void)
{
    const struct cy_spelling *spelling = cy_spelling_find(CY_GEN1, "vadd.vv", 7);
    struct cy_insn insn;
    cy_spelling_start(spelling, &insn);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_vm, -1), 1);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_rs1, -1), -1);
    spelling = cy_spelling_find(CY_GEN1, "fadd.s", 6);
    cy_spelling_start(spelling, &insn);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_rm, -1), 7);
    CHECK(cy_spelling_find(CY_GEN1, "amoadd.w.aqrl", 13) == cy_spelling_find(CY_GEN1, "amoadd.w", 8));
    CHECK(cy_spelling_find(CY_GEN1, "add.aq", 6) == NULL);
    CHECK(cy_spelling_find(CY_GEN1, "vadd.v", 6) == NULL);
    CHECK(cy_spelling_find(CY_GEN1, "", 0) == NULL);
    CHECK(cy_spelling_find(CY_GEN1, "add\0add", 7) == NULL);
    CHECK_STR(cy_mnemonic_nearest(CY_GEN1, "vad.vv", 6), "vadd.vv");
    CHECK_STR(cy_mnemonic_nearest(CY_GEN1, "vwadd.vv", 8), "vaadd.vv"); /* the one of gen2 is not offered */
    CHECK_STR(cy_mnemonic_nearest(CY_EPIC, "brunch", 6), "branch");
    CHECK_STR(cy_mnemonic_nearest(CY_GEN1, "supercalifragilistic", 20), NULL);
}

/* ---- prefixes ---- */

static void test_prefixes(void)
{
    const uint32_t regext = 0x0080200b, vadd = 0x02208057 /* vadd.vv v0, v2, v1 */, lw = 0x00052503;
    struct cy_insn insn;
    /* rs1's part is [5:3] */
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){regext, vadd}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_vs1, -1), 33);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_vs2, -1), 2);
    CHECK_EQ(insn.size, 8);
    CHECK_EQ(insn.prefix, regext);
    CHECK_EQ(cy_decode(CY_GEN1, &regext, 1, &insn), CY_DECODE_TRUNCATED);
    CHECK_EQ(insn.op, CY_OP_regext);
    CHECK_EQ(insn.size, 4);
    CHECK_EQ(cy_decode(CY_GEN1, NULL, 0, &insn), CY_DECODE_TRUNCATED);
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){regext, regext, vadd}, 3, &insn), CY_DECODE_BAD_PREFIX);
    CHECK_EQ(insn.word, regext);
    CHECK_EQ(insn.size, 4);
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){regext, 0}, 2, &insn), CY_DECODE_BAD_PREFIX);
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0, vadd}, 2, &insn), CY_DECODE_INVALID);
    CHECK_EQ(insn.size, 4);
    /* x10 + 32 exists, x10 + 64 does not */
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0x0010200b, lw}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(insn.operand[0], 42);
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0x0020200b, lw}, 2, &insn), CY_DECODE_BAD_PREFIX);
    /* parts without an operand change nothing */
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0x1c00200b, lw}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(insn.operand[0], 10);
    /* regexti: [2:0] rd, [5:3] rs2, [11:6] immediate 10:5, sign-extended */
    const uint32_t vadd_vi = 0x022fb057; /* vadd.vi v0, v2, -1 */
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0x0490300b, vadd_vi}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_vd, -1), 32);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_vs2, -1), 34);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_simm5, 0), 63);
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0x8000300b, vadd_vi}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_simm5, 0), -993);
    /* the generations' own prefixes */
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0x0010500b, vadd}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(cy_decode(CY_GEN2, (uint32_t[]){0x0010500b, vadd}, 2, &insn), CY_DECODE_INVALID);
    CHECK_EQ(cy_decode(CY_GEN2, (uint32_t[]){0x00180002, vadd}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_vd, -1), 32);
    CHECK_EQ(cy_decode(CY_GEN1, (uint32_t[]){0x00180002, vadd}, 2, &insn), CY_DECODE_INVALID);
    CHECK_EQ(cy_decode(CY_GEN2, (uint32_t[]){0x00180006, 0x0000207b}, 2, &insn), CY_DECODE_OK);
    CHECK_EQ(cy_insn_field(&insn, CY_FIELD_vd, -1), 32);
}

static void check_text(enum cy_target target, uint32_t prefix, uint32_t word, const char *expected)
{
    struct cy_buf text = {0};
    struct cy_insn insn;
    cy_decode(target, (uint32_t[]){prefix, word}, 2, &insn);
    cy_print(&text, target, &insn, 0x100, 0);
    CHECK_STR(text.data, expected);
    cy_buf_free(&text);
}

/* A prefix that the assembler inserts itself is not shown; any other is. */
static void test_prefix_text(void)
{
    check_text(CY_GEN1, 0x0080200b, 0x02208057, "vadd.vv\tv0, v2, v33");
    check_text(CY_GEN1, 0x0080228b, 0x02208057, "regext\tt0, zero, 8; vadd.vv\tv0, v2, v33"); /* rd is not 0 */
    check_text(CY_GEN1, 0x4080200b, 0x02208057,
               "regext\tzero, zero, 1032; vadd.vv\tv0, v2, v33"); /* a part for no operand */
    check_text(CY_GEN1, 0x0000200b, 0x02208057, "regext\tzero, zero, 0; vadd.vv\tv0, v2, v1");
    check_text(CY_GEN1, 0x0490300b, 0x022fb057, "vadd.vi\tv32, v34, 63");
    check_text(CY_GEN1, 0x0080500b, 0x02208057, "regpair\tzero, zero, 8; vadd.vv\tv0, v2, v33");
    check_text(CY_GEN1, 0x0080200b, 0x0020825b,
               "vbeq\tv2, v33, 0x108"); /* distance from the branch, not from its prefix */
    check_text(CY_GEN2, 0x0008006e, 0x0000a07b, "pre_m_local_64\t1, 0; vlw12.v\tv0, 0(v1)");
}

static void test_refusals(void)
{
    unsigned bad = 99;
    struct cy_insn insn = {.op = CY_OP_vadd_vv, .operand = {256, 0, 0, 1}};
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "no such register");
    CHECK_EQ(bad, 0);
    insn = (struct cy_insn){.op = CY_OP_add, .operand = {1, 64, 2}};
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "no such register");
    CHECK_EQ(bad, 1);
    insn = (struct cy_insn){.op = CY_OP_endprg, .operand = {0, 0, 32}};
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "register number above 31 cannot be used here");
    insn = (struct cy_insn){.op = CY_OP_regext, .operand = {32, 0, 0}}; /* a prefix cannot have a prefix */
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "register number above 31 cannot be used here");
    insn = (struct cy_insn){.op = CY_OP_vadd_vi, .operand = {1, 2, 1024, 1}};
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "immediate out of range");
    CHECK_EQ(bad, 2);
    insn.operand[2] = -1025;
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "immediate out of range");
    insn = (struct cy_insn){.op = CY_OP_beq, .operand = {1, 2, 3}};
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "immediate out of range");
    insn = (struct cy_insn){.op = CY_OP_vwadd_vv, .operand = {0, 2, 4, 1}};
    CHECK_STR(cy_encode(CY_GEN1, &insn, &bad), "instruction is not part of this instruction set");
    insn = (struct cy_insn){.op = CY_OP_vl4re8_v, .operand = {6, 2}};
    CHECK(cy_encode(CY_GEN1, &insn, &bad) != NULL);
    insn = (struct cy_insn){.op = CY_OP_epic_add, .operand = {0, 3, 4, 5}}; /* p, rd, rs1, rs2: r3 is read only */
    CHECK(cy_encode(CY_EPIC, &insn, &bad) != NULL);
    CHECK_EQ(bad, 1);
    insn.operand[1] = 1;
    CHECK(cy_encode(CY_EPIC, &insn, &bad) == NULL);
}

/* ---- random words ---- */

static void check_word(enum cy_target target, uint32_t word, unsigned long *decoded)
{
    struct cy_insn insn;
    if (!cy_decode_word(target, word, &insn)) {
        if (insn.op != CY_OP_INVALID || insn.word != word || insn.size != 4)
            CHECK(false && "a word that does not decode leaves the word and no row");
        return;
    }
    ++*decoded;
    uint32_t ignored = dont_care(cy_insns[insn.op].format);
    struct cy_insn again = insn;
    const char *error = cy_encode(target, &again, NULL);
    int32_t rd = cy_insn_field(&insn, CY_FIELD_erd, 1);
    bool read_only = rd == 0 || rd == 2 || rd == 3; /* the machine ignores the write, the assembler rejects it */
    bool good = read_only ? error != NULL : !error && again.word == (word & ~ignored) && !again.prefix;
    if (!good) {
        CHECK(false && "a decoded word encodes to itself");
        show("random word", target, &insn);
    }
}

static void test_random_words(void)
{
    for (int t = 0; t < CY_TARGET_COUNT; t++) {
        unsigned long decoded = 0;
        for (long i = 0; i < 1000000; i++) {
            uint32_t word = random_word();
            if (!is_epic((enum cy_target)t) && i % 4) /* the opcodes of vectors and of Ventus */
                word = (word & ~0x7fu) | (uint32_t[]){0x57, 0x0b, 0x5b, 0x7b, 0x2b, 0x07, 0x27}[i % 7];
            check_word((enum cy_target)t, word, &decoded);
        }
        CHECK(decoded > 400000);
        printf("%s: %lu of 1000000 random words decode\n", cy_target_name((enum cy_target)t), decoded);
    }
}

/* Pairs of words, as seen by the disassembler: never a crash, the text fits, and a joined pair encodes to both. */
static void test_random_pairs(void)
{
    static const uint32_t prefixes[] = {0x0000200b, 0x0000300b, 0x0000500b, 0x0000700b,
                                        0x00000002, 0x0000000a, 0x00000046};
    struct cy_buf text = {0};
    unsigned long joined = 0;
    for (long i = 0; i < 300000; i++) {
        enum cy_target target = i % 2 ? CY_GEN1 : CY_GEN2;
        uint32_t prefix = (random_word() & 0xfff00000u) | prefixes[(size_t)i % CY_COUNT(prefixes)];
        uint32_t words[2] = {prefix, (random_word() & ~0x7fu) | (i % 3 ? 0x57u : 0x7bu)};
        struct cy_insn insn;
        if (cy_decode(target, words, 2, &insn) != CY_DECODE_OK)
            continue;
        joined++;
        text.size = 0;
        cy_print(&text, target, &insn, 0, (unsigned)i & 15);
        CHECK(text.size > 0 && text.size < 200);
        struct cy_insn again = insn;
        if (!cy_encode(target, &again, NULL) && again.prefix)
            CHECK_EQ(again.word, words[1]);
    }
    CHECK(joined > 20000);
    cy_buf_free(&text);
}

/* ---- names ---- */

static void test_names(void)
{
    for (unsigned i = 0; i < 64; i++) {
        char number[8];
        snprintf(number, sizeof(number), "x%u", i);
        CHECK_EQ(cy_parse_xreg(number, strlen(number)), i);
        CHECK_EQ(cy_parse_xreg(cy_xreg_name(i), strlen(cy_xreg_name(i))), i);
    }
    CHECK_EQ(cy_parse_xreg("fp", 2), 8);
    CHECK_EQ(cy_parse_vreg("v255", 4), 255);
    CHECK_EQ(cy_parse_ereg("%ThreadIdx", 10), 3);
    CHECK_EQ(cy_parse_ereg("r31", 3), 31);
    static const char *const wrong[] = {"x64",   "x01", "x",  "v256", "v00", "r32",   "zer",
                                        "zeroo", "",    "a8", "s12",  "t7",  "%Block"};
    for (size_t i = 0; i < CY_COUNT(wrong); i++) {
        size_t length = strlen(wrong[i]);
        CHECK_EQ(cy_parse_xreg(wrong[i], length), -1);
        CHECK_EQ(cy_parse_vreg(wrong[i], length), -1);
        CHECK_EQ(cy_parse_ereg(wrong[i], length), -1);
    }
}

static void test_csrs(void)
{
    for (size_t i = 0; i < cy_csr_count; i++) {
        const struct cy_csr_info *csr = &cy_csrs[i];
        char name[40];
        snprintf(name, sizeof(name), "CSR_%s", csr->name);
        CHECK(cy_csr_by_number(csr->number) == csr);
        CHECK(cy_csr_find(csr->short_name, strlen(csr->short_name)) == csr);
        CHECK(cy_csr_find(csr->name, strlen(csr->name)) == csr);
        CHECK(cy_csr_find(name, strlen(name)) == csr);
        CHECK(i == 0 || cy_csrs[i - 1].number < csr->number);
        CHECK(csr->number < 4096 && (!csr->exists || csr->text));
    }
    const struct cy_csr_info *gidx = cy_csr_find("gidx", 4);
    CHECK(gidx && gidx->number == 0x808 && cy_csr_find("CSR_GDX", 7) == gidx && cy_csr_find("gdx", 3) == gidx);
    CHECK(cy_csr_find("nosuch", 6) == NULL);
    CHECK(cy_csr_find("CSR_", 4) == NULL);
    CHECK(cy_csr_by_number(0x80d) == NULL);
    CHECK(cy_csr_by_number(99999) == NULL);
}

static void test_operand_words(void)
{
    int32_t value = 0;
    CHECK(cy_parse_rm("rmm", 3, &value) && value == 4);
    CHECK(cy_parse_rm("dyn", 3, &value) && value == 7);
    CHECK(!cy_parse_rm("rnd", 3, &value));
    CHECK(cy_parse_fence("rw", 2, &value) && value == 3);
    CHECK(cy_parse_fence("iorw", 4, &value) && value == 15);
    CHECK(cy_parse_fence("0", 1, &value) && value == 0);
    CHECK(!cy_parse_fence("wr", 2, &value) && !cy_parse_fence("", 0, &value) && !cy_parse_fence("rr", 2, &value));
    CHECK(cy_parse_aqrl("aqrl", 4, &value) && value == 3);
    CHECK(cy_parse_aqrl("rl", 2, &value) && value == 1);
    value = 0;
    CHECK(cy_parse_vtype_word("e64", 3, &value) && cy_parse_vtype_word("mf2", 3, &value) &&
          cy_parse_vtype_word("ta", 2, &value) && cy_parse_vtype_word("mu", 2, &value) && value == 0x5f);
    CHECK(!cy_parse_vtype_word("e128", 4, &value));
    enum cy_target target;
    for (int t = 0; t < CY_TARGET_COUNT; t++)
        CHECK(cy_target_find(cy_target_name((enum cy_target)t), &target) && target == (enum cy_target)t);
    CHECK(!cy_target_find("riscv", &target));
}

TEST_MAIN(test_fields, test_formats_cover_every_bit_once, test_rows_are_sane, test_rows_do_not_overlap,
          test_every_row_comes_back, test_every_row_prints_and_is_found, test_every_alias_comes_back, test_defaults,
          test_prefixes, test_prefix_text, test_refusals, test_random_words, test_random_pairs, test_names, test_csrs,
          test_operand_words)
