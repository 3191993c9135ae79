/* What the scripts of this directory ask the tables: a program that prints rows, and the text of words.
 *
 *   isa_dump rows                   id, mnemonic, match, mask, set of targets, syntax, fields with their bits; one row a line
 *   isa_dump csrs                   number, name
 *   isa_dump text TARGET FLAGS      words (32 bits, little endian) from standard input; one line each, as cy_print writes it
 *                                   with these flags at pc 0, 4, 8 ...; prefixes are not joined */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

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

static void print_text(enum cy_target target, unsigned flags)
{
    struct cy_buf line = {0};
    uint32_t word, pc = 0;
    for (; fread(&word, sizeof(word), 1, stdin) == 1; pc += 4) {
        struct cy_insn insn;
        cy_decode_word(target, word, &insn);
        line.size = 0;
        cy_print(&line, target, &insn, pc, flags);
        puts(line.data);
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
    } else if (argc == 4 && !strcmp(argv[1], "text") && cy_target_find(argv[2], &target)) {
        print_text(target, (unsigned)atoi(argv[3]));
    } else {
        fprintf(stderr, "usage: isa_dump rows | csrs | text TARGET FLAGS\n");
        return 2;
    }
    return ferror(stdout) ? 1 : 0;
}
