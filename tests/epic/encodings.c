/* encodings.txt, which was written from the ISA document, against assembler, decoder, encoder and printer. */
#include "chengying/asm.h"
#include "epic/gpu.h"
#include "isa/isa.h"
#include "obj/obj.h"

struct line {
    uint32_t word;      /* don't-care bits 0 */
    uint32_t dont_care; /* 1 where they are */
    bool in_fpga;
    const char *text;
};

static bool read_line(char *line, struct line *read)
{
    unsigned bits = 0;
    read->word = read->dont_care = 0;
    char *p = line;
    for (; bits < 32 && *p; p++) {
        if (*p == ' ')
            continue;
        if (!strchr("01x", *p))
            return false;
        read->word = read->word << 1 | (*p == '1');
        read->dont_care = read->dont_care << 1 | (*p == 'x');
        bits++;
    }
    p += strspn(p, " ");
    if (bits != 32 || (*p != 'F' && *p != '-'))
        return false;
    read->in_fpga = *p++ == 'F';
    read->text = p + strspn(p, " ");
    p[strcspn(p, "\n")] = 0;
    return *read->text != 0;
}

/* The one word that this assembles to; false: it does not. */
static bool assemble(const char *text, const char *march, uint32_t *word)
{
    struct cy_asm_options options = {.march = march};
    struct cy_asm_result result;
    struct cy_buf source = {0};
    struct cy_diags diags = {0};
    struct cy_object object;
    cy_buf_printf(&source, "%s\n", text);
    bool ok = cy_asm("line", source.data, source.size, &options, &result);
    if (ok && CHECK(cy_object_read(&object, "line", result.object, result.object_size, &diags))) {
        const struct cy_section *section = cy_object_find_section(&object, ".text");
        if (CHECK(section && section->size == 4))
            memcpy(word, section->data.data, 4);
        cy_object_free(&object);
    }
    cy_asm_result_free(&result);
    cy_diags_free(&diags);
    cy_buf_free(&source);
    return ok;
}

static bool same_insn(const struct cy_insn *a, const struct cy_insn *b)
{
    return a->op == b->op && a->operand_count == b->operand_count &&
           memcmp(a->operand, b->operand, a->operand_count * sizeof(a->operand[0])) == 0;
}

static void check_line(const struct line *line, bool seen[CY_OP_COUNT])
{
    uint32_t word = ~line->word;
    struct cy_insn insn, other;
    CHECK(assemble(line->text, "epic", &word));
    CHECK_EQ(word, line->word);
    if (!CHECK(cy_decode_word(CY_EPIC, line->word, &insn)))
        return;
    seen[insn.op] = true;
    const char *mnemonic = strncmp(line->text, "@p ", 3) == 0 ? line->text + 3 : line->text;
    const size_t length = strlen(cy_insns[insn.op].mnemonic);
    CHECK(strncmp(mnemonic, cy_insns[insn.op].mnemonic, length) == 0 && strchr(" ", mnemonic[length]));
    /* Every don't-care bit alone, and all of them. */
    for (unsigned bit = 0; bit < 33; bit++) {
        const uint32_t noise = bit == 32 ? line->dont_care : line->dont_care & 1u << bit;
        CHECK(cy_decode_word(CY_EPIC, line->word | noise, &other) && same_insn(&insn, &other));
    }
    CHECK(cy_encode(CY_EPIC, &insn, NULL) == NULL);
    CHECK_EQ(insn.word, line->word);
    /* What is printed assembles to the same word. */
    struct cy_buf printed = {0};
    cy_print(&printed, CY_EPIC, &insn, 0, 0);
    word = ~line->word;
    CHECK(assemble(printed.data, "epic", &word));
    CHECK_EQ(word, line->word);
    cy_buf_free(&printed);
    /* The FPGA has some of them. */
    CHECK_EQ(cy_decode_word(CY_EPIC_FPGA, line->word, &other), line->in_fpga);
    CHECK_EQ(assemble(line->text, "epic-fpga", &word), line->in_fpga);
}

/* Not instructions: func5 that the document does not have, the old lui and li, M-type 10, the empty C-types, X-type 11. */
static void test_holes(void)
{
    struct cy_insn insn;
    for (uint32_t func5 = 0; func5 < 32; func5++) {
        const bool r = func5 <= 12 || (func5 >= 24 && func5 <= 29);
        const bool f = (func5 <= 13 && func5 != 5) || (func5 >= 16 && func5 <= 19) || func5 == 24 || func5 == 26 ||
                       func5 == 28 || func5 == 29;
        CHECK_EQ(cy_decode_word(CY_EPIC, 0u << 29 | func5 << 10, &insn), r);
        CHECK_EQ(cy_decode_word(CY_EPIC, 1u << 29 | func5 << 10, &insn), r && func5 != 6);
        CHECK_EQ(cy_decode_word(CY_EPIC, 2u << 29 | func5 << 10, &insn), func5 == 31);
        CHECK_EQ(cy_decode_word(CY_EPIC, 3u << 29 | func5 << 10, &insn), f);
        CHECK_EQ(cy_decode_word(CY_EPIC, 4u << 29 | func5 << 10, &insn), func5 % 4 != 2);
        CHECK_EQ(cy_decode_word(CY_EPIC, 7u << 29 | func5 << 10, &insn), func5 % 8 != 4 && func5 % 8 != 5);
    }
    CHECK(!cy_decode_word(CY_EPIC, 5u << 29 | 3u << 27, &insn));
}

static void test_golden(void)
{
    static bool seen[CY_OP_COUNT];
    struct cy_buf path = {0};
    char text[256];
    struct line line;
    cy_buf_printf(&path, "%s/tests/epic/encodings.txt", test_env("CY_SOURCE"));
    FILE *file = fopen(path.data, "r");
    if (!CHECK(file != NULL))
        return;
    for (int number = 1; fgets(text, sizeof(text), file); number++) {
        if (text[0] == '#' || text[0] == '\n')
            continue;
        const unsigned long failed = test_counts.failed;
        if (CHECK(read_line(text, &line)))
            check_line(&line, seen);
        if (test_counts.failed != failed)
            fprintf(stderr, "encodings.txt:%d: %s\n", number, text);
    }
    fclose(file);
    cy_buf_free(&path);
    /* No row of the table is missing in the file. */
    for (int op = 1; op < CY_OP_COUNT; op++)
        if (cy_insns[op].gens & CY_IN_EPIC)
            if (!CHECK(seen[op]))
                fprintf(stderr, "%s\n", cy_insns[op].mnemonic);
}

TEST_MAIN(test_golden, test_holes)
