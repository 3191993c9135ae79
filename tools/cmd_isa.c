/* `cy isa`: the manual of the instruction sets. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "isa/isa.h"
#include "options.h"

enum { OPT_MARCH = 1, OPT_MARKDOWN };

static const struct cy_option options[] = {
    {OPT_MARCH, 0, "march", "TARGET", "ventus (default), ventus-gen2, epic or epic-fpga", CY_OPTION_ONE_DASH},
    {OPT_MARKDOWN, 0, "markdown", NULL, "the whole manual as Markdown", 0},
};

static const struct cy_usage usage = {
    "isa",
    "[options] [NAME...]",
    "Shows instructions: all of them, those that match a pattern, or the page of one with its\n"
    "encoding, operands, meaning, spellings and examples.  'csr' lists control and status registers.",
    "examples:\n"
    "  cy isa                       every instruction of Ventus generation 1\n"
    "  cy isa vadd.vv               the page of one instruction\n"
    "  cy isa 'vm*' 'amo*'          instructions by pattern\n"
    "  cy isa csr                   control and status registers; 'cy isa rpc' shows one\n"
    "  cy isa --march epic lui      of another instruction set\n",
    options,
    CY_COUNT(options)};

struct isa {
    enum cy_target target;
    bool markdown;
    CY_VEC(const char *) names;
    struct cy_buf out;
};

static size_t put_pages(struct isa *isa, enum cy_target target, const char *name)
{
    enum cy_op ops[8];
    size_t count = cy_manual_find(target, name, ops, CY_COUNT(ops));
    for (size_t i = 0; i < count; i++) {
        if (isa->out.size)
            cy_buf_putc(&isa->out, '\n');
        if (strcmp(name, cy_insns[ops[i]].mnemonic) != 0)
            cy_buf_printf(&isa->out, "%s is another spelling of %s\n\n", name, cy_insns[ops[i]].mnemonic);
        cy_manual_page(&isa->out, target, ops[i]);
    }
    return count;
}

/* Other instruction sets that have the name. */
static bool put_elsewhere(struct isa *isa, const char *name)
{
    for (int t = 0; t < CY_TARGET_COUNT; t++)
        if (t != (int)isa->target && put_pages(isa, (enum cy_target)t, name))
            return true;
    return false;
}

static int unknown(const struct isa *isa, const char *name)
{
    const char *nearest = cy_mnemonic_nearest(isa->target, name, strlen(name));
    if (nearest)
        fprintf(stderr, "cy isa: error: no instruction '%s'; did you mean '%s'?\n", name, nearest);
    else
        fprintf(stderr, "cy isa: error: no instruction '%s'; 'cy isa' lists all, 'cy isa \"v*\"' those that match\n",
                name);
    return CY_EXIT_INPUT;
}

static int show(struct isa *isa, const char *name)
{
    if (strpbrk(name, "*?")) {
        if (isa->out.size)
            cy_buf_putc(&isa->out, '\n');
        if (cy_manual_list(&isa->out, isa->target, name))
            return CY_EXIT_OK;
        fprintf(stderr, "cy isa: error: no instruction of %s matches '%s'\n", cy_target_name(isa->target), name);
        return CY_EXIT_INPUT;
    }
    if (strcmp(name, "csr") == 0) {
        cy_manual_csrs(&isa->out, NULL);
        return CY_EXIT_OK;
    }
    if (put_pages(isa, isa->target, name) || cy_manual_csrs(&isa->out, name) || put_elsewhere(isa, name))
        return CY_EXIT_OK;
    return unknown(isa, name);
}

int cy_cmd_isa(int argc, char **argv)
{
    struct isa isa = {.target = CY_GEN1};
    struct cy_args args;
    int status = CY_EXIT_OK;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; status == CY_EXIT_OK && (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_MARCH:
            if (!cy_target_find(args.value, &isa.target))
                status = cy_usage_error(&usage, "unknown target '%s'", args.value);
            break;
        case OPT_MARKDOWN: isa.markdown = true; break;
        case CY_ARGS_FILE: *cy_vec_push(&isa.names) = args.value; break;
        case CY_ARGS_EXIT: cy_vec_free(&isa.names); return args.status;
        }
    }
    if (status == CY_EXIT_OK && isa.markdown && isa.names.count)
        status = cy_usage_error(&usage, "--markdown is the whole manual and takes no names");
    if (status == CY_EXIT_OK) {
        if (isa.markdown)
            cy_manual_markdown(&isa.out, isa.target);
        else if (!isa.names.count)
            cy_manual_list(&isa.out, isa.target, NULL);
        for (size_t i = 0; i < isa.names.count; i++) {
            int result = show(&isa, isa.names.at[i]);
            status = status ? status : result;
        }
        if (isa.out.size)
            fwrite(isa.out.data, 1, isa.out.size, stdout);
    }
    cy_vec_free(&isa.names);
    cy_buf_free(&isa.out);
    return status;
}
