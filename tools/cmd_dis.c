/* `cy dis`: disassembles objects, executables, raw binaries and words. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dis/dis.h"
#include "base/file.h"
#include "commands.h"
#include "options.h"
#include "paths.h"

enum {
    OPT_MARCH = 1,
    OPT_CODE,
    OPT_RELOCS,
    OPT_SYMBOLS,
    OPT_CONTENTS,
    OPT_RAW,
    OPT_LINES,
    OPT_SOURCE_LINES,
    OPT_SOURCE,
    OPT_OUTPUT,
    OPT_NO_ALIASES,
    OPT_NUMERIC,
    OPT_CSR_NAMES,
    OPT_DECIMAL,
    OPT_HEX_NUMBERS,
    OPT_NO_COMMENTS,
    OPT_SYMBOL,
    OPT_NOTES,
    OPT_START,
    OPT_STOP,
    OPT_DEMANGLE,
    OPT_BINARY,
    OPT_BASE,
    OPT_HEX,
    OPT_HEX_FILE,
};

static const struct cy_option options[] = {
    {OPT_CODE, 'd', "disassemble", NULL, "code (the default)", 0},
    {OPT_RELOCS, 'r', "reloc", NULL, "with the relocations of each instruction", 0},
    {OPT_LINES, 'l', "lines", NULL, "with the source line of each instruction, if there is a line table (cy cc -g)", 0},
    {OPT_SOURCE_LINES, 'S', "source", NULL, "with its text", 0},
    {OPT_SYMBOLS, 't', "syms", NULL, "the symbol table", 0},
    {OPT_CONTENTS, 's', "full-contents", NULL, "the contents of every section", 0},
    {OPT_NOTES, 0, "notes", NULL, "what the compiler says of the program: its options, the kernels' signatures", 0},
    {OPT_RAW, 0, "raw", NULL,
     "one word per line, prefixes not joined to their\ninstruction, as the vendor's llvm-objdump prints "
     "it",
     0},
    {OPT_SOURCE, 0, "as", NULL, "assembler source that reproduces the same sections", 0},
    {OPT_OUTPUT, 'o', "output", "FILE", "write to FILE (default: standard output)", 0},
    {OPT_SYMBOL, 'k', "symbol", "NAME", "only the code of this kernel, function or label", 0},
    {OPT_SYMBOL, 0, "kernel", "NAME", "the same", 0},
    {OPT_START, 0, "start", "ADDRESS", "start at this address", 0},
    {OPT_STOP, 0, "stop", "ADDRESS", "stop before this address", 0},
    {OPT_START, 0, "start-address", "ADDRESS", "the same as --start, for programs that call objdump", 0},
    {OPT_STOP, 0, "stop-address", "ADDRESS", "the same as --stop", 0},
    {OPT_DEMANGLE, 'C', "demangle", NULL, "for them too; names of kernels are never mangled", 0},
    {OPT_NO_ALIASES, 0, "no-aliases", NULL, "addi a0, a1, 0x0 instead of mv a0, a1", 0},
    {OPT_NUMERIC, 0, "numeric", NULL, "x10 instead of a0", 0},
    {OPT_CSR_NAMES, 0, "csr-names", NULL, "knl instead of 0x803", 0},
    {OPT_DECIMAL, 0, "decimal", NULL, "immediates in decimal (the default of --raw and --as)", 0},
    {OPT_HEX_NUMBERS, 0, "print-imm-hex", NULL, "immediates in hexadecimal (the default otherwise)", CY_OPTION_HIDDEN},
    {OPT_NO_COMMENTS, 0, "no-comments", NULL, "omit the names and targets after '#'", 0},
    {OPT_MARCH, 0, "march", "TARGET", "ventus, ventus-gen2, epic or epic-fpga; objects name their own",
     CY_OPTION_ONE_DASH},
    {OPT_BINARY, 0, "raw-binary", NULL, "FILE is raw code without a file format", 0},
    {OPT_BASE, 0, "base", "ADDRESS", "start address of raw code and words (default 0)", 0},
    {OPT_HEX, 0, "hex", NULL, "the arguments are words (8 hexadecimal digits) to decode", 0},
    {OPT_HEX_FILE, 0, "hex-file", "FILE", "FILE contains such words, one or more per line", 0},
};

static const struct cy_usage usage = {
    "dis",
    "[options] FILE...",
    "Disassembles objects and executables (Ventus, standard riscv32, EpicGPU), raw binaries and words.",
    "examples:\n"
    "  cy dis vecadd.riscv\n"
    "  cy dis -r --symbol vecadd vecadd.o\n"
    "  cy dis --hex 0010200b 5e024057\n"
    "  cy dis --as vecadd.o | cy as -o same.o -\n",
    options,
    CY_COUNT(options)};

struct dis {
    struct cy_diags diags;
    struct cy_dis listing;
    struct cy_buf out;
    const char *output, *hex_file;
    bool has_march, code, symbols, contents, notes, source, binary, hex, decimal, hex_numbers, no_comments;
    uint32_t base;
    CY_VEC(const char *) files;
};

/* ---- the command line ---- */

static int parse_address(const char *option, const char *text, uint32_t *address)
{
    uint64_t number;
    if (!cy_parse_number(text, UINT32_MAX, &number))
        return cy_usage_error(&usage, "%s needs a 32-bit address, not '%s'", option, text);
    *address = (uint32_t)number;
    return CY_EXIT_OK;
}

static int parse_option(struct dis *dis, int id, const char *value)
{
    struct cy_dis *listing = &dis->listing;
    switch (id) {
    case OPT_CODE: dis->code = true; break;
    case OPT_RELOCS: listing->relocs = true; break;
    case OPT_LINES: listing->lines = true; break;
    case OPT_SOURCE_LINES: listing->sources = true; break;
    case OPT_SYMBOLS: dis->symbols = true; break;
    case OPT_CONTENTS: dis->contents = true; break;
    case OPT_NOTES: dis->notes = true; break;
    case OPT_RAW: listing->raw = true; break;
    case OPT_SOURCE: dis->source = true; break;
    case OPT_OUTPUT: dis->output = value; break;
    case OPT_NO_ALIASES: listing->print_flags |= CY_PRINT_NO_ALIASES; break;
    case OPT_NUMERIC: listing->print_flags |= CY_PRINT_NUMERIC; break;
    case OPT_CSR_NAMES: listing->print_flags |= CY_PRINT_CSR_NAMES; break;
    case OPT_DECIMAL: dis->decimal = true; break;
    case OPT_HEX_NUMBERS: dis->hex_numbers = true; break;
    case OPT_NO_COMMENTS: dis->no_comments = true; break;
    case OPT_SYMBOL: listing->symbol = value; break;
    case OPT_DEMANGLE: break;
    case OPT_START: listing->has_range = true; return parse_address("--start", value, &listing->start);
    case OPT_STOP: listing->has_range = true; return parse_address("--stop", value, &listing->stop);
    case OPT_BINARY: dis->binary = true; break;
    case OPT_BASE: return parse_address("--base", value, &dis->base);
    case OPT_HEX: dis->hex = true; break;
    case OPT_HEX_FILE: dis->hex_file = value; break;
    case OPT_MARCH:
        if (!cy_target_find(value, &listing->target))
            return cy_usage_error(&usage, "unknown target '%s'", value);
        dis->has_march = true;
        break;
    case CY_ARGS_FILE: *cy_vec_push(&dis->files) = value; break;
    default: break;
    }
    return CY_EXIT_OK;
}

/* ---- inputs ---- */

static void list_object(struct dis *dis, struct cy_object *object)
{
    if (!dis->has_march)
        dis->listing.target = cy_dis_target(object);
    if (dis->source) {
        cy_dis_source(&dis->listing, object, &dis->out, &dis->diags);
        return;
    }
    cy_dis_header(object, &dis->out);
    if (dis->symbols)
        cy_dis_symbols(object, &dis->out);
    if (dis->contents)
        cy_dis_contents(object, &dis->out);
    if (dis->notes)
        cy_dis_notes(object, &dis->out);
    if (dis->code || (!dis->symbols && !dis->contents && !dis->notes))
        cy_dis_object(&dis->listing, object, &dis->out, &dis->diags);
}

static void list_plain(struct dis *dis, const char *name, const struct cy_buf *code)
{
    if (code->size > UINT32_MAX - dis->base)
        cy_diag_file(&dis->diags, CY_ERROR, name, "%zu bytes from 0x%x on do not fit in 32 bits", code->size,
                     dis->base);
    else
        cy_dis_bytes(&dis->listing, name, code->data, code->size, dis->base, &dis->out);
}

static void list_file(struct dis *dis, const char *path)
{
    struct cy_buf image = {0};
    struct cy_object object;
    if (!cy_file_read(path, &image, &dis->diags)) {
        cy_buf_free(&image);
        return;
    }
    if (dis->binary) {
        list_plain(dis, path, &image);
    } else if (cy_object_read(&object, path, image.data, image.size, &dis->diags)) {
        list_object(dis, &object);
        cy_object_free(&object);
    }
    cy_buf_free(&image);
}

/* Words in a text, separated by white space or commas; a leading "0x" and "#" comments are allowed. */
static bool parse_words(struct dis *dis, const char *name, const char *text, struct cy_buf *code)
{
    struct cy_source source = {.name = name, .text = text, .size = strlen(text)};
    uint32_t line = 1;
    for (const char *at = text; *at;) {
        if (*at == '#') {
            at += strcspn(at, "\n");
        } else if (isspace((unsigned char)*at) || *at == ',') {
            line += *at++ == '\n';
        } else {
            size_t length = strcspn(at, " \t\r\n\v\f,#"), skip = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') ? 2 : 0;
            size_t digits = strspn(at + skip, "0123456789abcdefABCDEF");
            if (skip + digits != length || digits == 0 || digits > 8) {
                struct cy_loc loc = {&source, line, (uint32_t)(at - text), (uint32_t)length};
                cy_diag(&dis->diags, CY_ERROR, &loc, "expected a word of 1 to 8 hexadecimal digits");
                return false;
            }
            uint32_t word = (uint32_t)strtoul(at, NULL, 16);
            char bytes[4] = {(char)word, (char)(word >> 8), (char)(word >> 16), (char)(word >> 24)};
            cy_buf_append(code, bytes, 4);
            at += length;
        }
    }
    return true;
}

static void list_words(struct dis *dis)
{
    struct cy_buf text = {0}, code = {0};
    const char *name = dis->hex_file ? dis->hex_file : dis->files.count ? "<arguments>" : "-";
    bool ok = true;
    if (dis->hex_file || !dis->files.count)
        ok = cy_file_read(name, &text, &dis->diags);
    for (size_t i = 0; !dis->hex_file && i < dis->files.count; i++)
        cy_buf_printf(&text, "%s\n", dis->files.at[i]);
    if (ok && parse_words(dis, strcmp(name, "-") == 0 ? "<stdin>" : name, text.size ? text.data : "", &code))
        list_plain(dis, NULL, &code);
    cy_buf_free(&text);
    cy_buf_free(&code);
}

/* ---- the job ---- */

static void list_all(struct dis *dis)
{
    struct cy_dis *listing = &dis->listing;
    if (dis->hex_numbers || !(dis->decimal || listing->raw || dis->source))
        listing->print_flags |= CY_PRINT_HEX;
    listing->comments = !dis->no_comments && !listing->raw;
    if (listing->has_range && listing->stop == 0)
        listing->stop = UINT32_MAX;
    if (dis->hex || dis->hex_file) {
        list_words(dis);
        return;
    }
    for (size_t i = 0; i < dis->files.count; i++)
        list_file(dis, dis->files.at[i]);
}

static int check_paths(const struct dis *dis)
{
    struct cy_paths paths = {0};
    for (size_t i = 0; i < dis->files.count && !dis->hex; i++)
        cy_paths_read(&paths, dis->files.at[i]);
    cy_paths_read(&paths, dis->hex_file);
    cy_paths_write(&paths, dis->output);
    return cy_paths_check(&paths, &usage);
}

int cy_cmd_dis(int argc, char **argv)
{
    struct dis dis = {.output = "-"};
    struct cy_args args;
    int status = CY_EXIT_OK;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        if (id == CY_ARGS_EXIT) {
            cy_vec_free(&dis.files);
            return args.status;
        }
        status = parse_option(&dis, id, args.value);
    }
    if (status == CY_EXIT_OK && !dis.files.count && !dis.hex && !dis.hex_file)
        status = cy_usage_error(&usage, "no input file");
    if (status == CY_EXIT_OK)
        status = check_paths(&dis);
    if (status == CY_EXIT_OK) {
        list_all(&dis);
        if (dis.out.size && !(dis.source && dis.diags.errors))
            cy_file_write(dis.output, dis.out.data, dis.out.size, false, &dis.diags);
        status = cy_report(&dis.diags);
    }
    cy_buf_free(&dis.out);
    cy_vec_free(&dis.files);
    return status;
}
