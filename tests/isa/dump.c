/* What the scripts of this directory ask the tables: a program that prints rows, and the text of words.
 *
 *   isa_dump rows                   id, mnemonic, match, mask, set of targets, syntax, fields with their bits; one row a line
 *   isa_dump csrs                   number, name
 *   isa_dump text TARGET FLAGS STEP words (32 bits, little endian) from standard input; one line each, as cy_print writes it
 *                                   with these flags at pc 0, STEP, 2 * STEP ...; prefixes are not joined
 *   isa_dump lines TARGET           lines of one or two words in hexadecimal from standard input; the text of the
 *                                   instruction at 0 that they are
 *   isa_dump random TARGET COUNT    COUNT instructions of each row, most with operands that need a prefix: prefix (0: none),
 *                                   word, id, text as if the instruction's own word were at 0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "random.h"

static void print_field(enum cy_field id)
{
    static const char *const kinds[] = {"XREG", "XNUM", "VREG", "EREG", "SIMM",  "UIMM",  "UPPER", "PCREL",
                                        "VM",   "CSR",  "RM",   "AQRL", "VTYPE", "FENCE", "PRED"};
    const struct cy_field_info *field = &cy_fields[id];
    printf(" %s:%s:%u", field->name, kinds[field->kind], field->bits);
    for (unsigned i = 0; i < field->piece_count; i++)
        printf(":%u,%u,%u", field->pieces[i].insn_lsb, field->pieces[i].width, field->pieces[i].value_lsb);
}

static void print_rows(void)
{
    for (int op = 1; op < CY_OP_COUNT; op++) {
        const struct cy_insn_info *info = &cy_insns[op];
        enum cy_field fields[CY_MAX_OPERANDS];
        size_t count = cy_format_operands(info->format, fields);
        printf("%s\t%s\t0x%08x\t0x%08x\t%u\t%s\t%s\t", info->id, info->mnemonic, info->match,
               cy_formats[info->format].mask, info->gens, cy_formats[info->format].name,
               cy_formats[info->format].syntax);
        for (size_t i = 0; i < count; i++)
            print_field(fields[i]);
        putchar('\n');
    }
}

static void print_text(enum cy_target target, unsigned flags, uint32_t step)
{
    struct cy_buf line = {0};
    uint32_t word, pc = 0;
    for (; fread(&word, sizeof(word), 1, stdin) == 1; pc += step) {
        struct cy_insn insn;
        cy_decode_word(target, word, &insn);
        line.size = 0;
        cy_print(&line, target, &insn, pc, flags);
        puts(line.data);
    }
    cy_buf_free(&line);
}

static void print_lines(enum cy_target target)
{
    struct cy_buf text = {0};
    char line[80];
    while (fgets(line, sizeof(line), stdin)) {
        uint32_t words[2];
        char *end = line;
        size_t count = 0;
        for (; count < 2 && *end && *end != '\n'; count++)
            words[count] = (uint32_t)strtoul(end, &end, 16);
        struct cy_insn insn;
        enum cy_decode_status status = cy_decode(target, words, count, &insn);
        text.size = 0;
        cy_print(&text, target, &insn, 0, 0);
        puts(status == CY_DECODE_OK && insn.size == 4 * count ? text.data : "(not one instruction)");
    }
    cy_buf_free(&text);
}

static void print_random(enum cy_target target, int count)
{
    struct cy_buf line = {0};
    for (int i = 0; i < count * CY_OP_COUNT; i++) {
        int op = i % CY_OP_COUNT;
        if (op == CY_OP_INVALID || !(cy_insns[op].gens & (1 << target)))
            continue;
        struct cy_insn insn = random_insn(op, true);
        if (cy_encode(target, &insn, NULL))
            continue;
        line.size = 0;
        cy_print(&line, target, &insn, insn.prefix ? -4u : 0, 0);
        printf("%08x\t%08x\t%s\t%s\n", insn.prefix, insn.word, cy_insns[op].id, line.data);
    }
    cy_buf_free(&line);
}

int main(int argc, char **argv)
{
    enum cy_target target;
    if (argc == 2 && !strcmp(argv[1], "rows")) {
        print_rows();
    } else if (argc == 2 && !strcmp(argv[1], "csrs")) {
        for (size_t i = 0; i < cy_csr_count; i++)
            printf("0x%03x\t%s\n", cy_csrs[i].number, cy_csrs[i].short_name);
    } else if (argc == 5 && !strcmp(argv[1], "text") && cy_target_find(argv[2], &target)) {
        print_text(target, (unsigned)atoi(argv[3]), (uint32_t)atoi(argv[4]));
    } else if (argc == 3 && !strcmp(argv[1], "lines") && cy_target_find(argv[2], &target)) {
        print_lines(target);
    } else if (argc == 4 && !strcmp(argv[1], "random") && cy_target_find(argv[2], &target)) {
        print_random(target, atoi(argv[3]));
    } else {
        fprintf(stderr, "usage: isa_dump rows | csrs | text TARGET FLAGS STEP | lines TARGET | random TARGET COUNT\n");
        return 2;
    }
    return ferror(stdout) ? 1 : 0;
}
