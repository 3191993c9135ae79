/* `cy help`: the help of a command, its manual page, completions. */
#include "help.h"

enum { OPT_MAN = 1, OPT_COMPLETION };

static const struct cy_option options[] = {
    {OPT_MAN, 0, "man", NULL, "the manual page, for man -l", 0},
    {OPT_COMPLETION, 0, "completion", "SHELL", "the completion script for bash, zsh or fish", 0},
};

static const struct cy_usage usage = {"help",
                                      "[options] [COMMAND...]",
                                      "Shows the help of a command.",
                                      "examples:\n"
                                      "  cy help epic run\n"
                                      "  cy help --man run > cy-run.1\n"
                                      "  eval \"$(cy help --completion bash)\"\n",
                                      options,
                                      CY_COUNT(options)};

void cy_help_print(FILE *out)
{
    fputs("usage: cy COMMAND [options] FILE...\n"
          "\n"
          "Chengying is the Ventus GPGPU as software: compile, assemble, link, inspect and run\n"
          "programs for Ventus (generations 1 and 2) and for the small EpicGPU, without hardware.\n"
          "\n"
          "commands:\n",
          out);
    for (size_t i = 0; i < cy_page_count; i++)
        if (!cy_pages[i].second)
            fprintf(out, "  %-8s %s\n", cy_pages[i].name, cy_pages[i].text);
    fputs("\n"
          "examples:\n"
          "  cy exec -- clinfo                          run an OpenCL program on the machine\n"
          "  cy cc -S -o - kernel.cl                    show the code of a kernel\n"
          "  cy as -o vecadd.o examples/asm/vecadd.s    assemble a kernel\n"
          "  cy dis vecadd.o                            show its instructions, symbols, relocations\n"
          "  cy isa vadd.vv                             the manual page of one instruction\n"
          "\n"
          "exit status: 0 success, 1 an input is invalid, 2 the command line is invalid\n"
          "documentation: README.md and docs/ of the source tree; 'cy isa' prints the instruction manual\n",
          out);
}

int cy_cmd_help(int argc, char **argv)
{
    struct cy_args args;
    const char *words[2] = {NULL, NULL}, *shell = NULL;
    size_t count = 0;
    bool man = false;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_MAN: man = true; break;
        case OPT_COMPLETION: shell = args.value; break;
        case CY_ARGS_FILE:
            if (count == CY_COUNT(words))
                return cy_usage_error(&usage, "unexpected '%s'", args.value);
            words[count++] = args.value;
            break;
        case CY_ARGS_EXIT: return args.status;
        }
    }
    const struct cy_page *page = count ? cy_page_find(words[0], words[1]) : NULL;
    if (count && !page) {
        if (count > 1 && cy_page_find(words[0], NULL))
            return cy_usage_error(&usage, "'cy %s' has no command '%s'", words[0], words[1]);
        return cy_unknown_command(words[0]);
    }
    if (shell && !cy_help_completion(shell, stdout))
        return cy_usage_error(&usage, "no completions for '%s': bash, zsh or fish", shell);
    if (!shell && man)
        cy_help_man(page, stdout);
    else if (!shell && page)
        cy_usage_print(cy_page_usage(page), stdout);
    else if (!shell)
        cy_help_print(stdout);
    return CY_EXIT_OK;
}
