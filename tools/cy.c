/* `cy`: finds the subcommand in commands.def and runs it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strmap.h"
#include "commands.h"
#include "options.h"

static const struct command {
    const char *name, *text;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, text) {#name, text, cy_cmd_##name},
#include "commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static void print_help(FILE *out)
{
    fputs("usage: cy COMMAND [options] FILE...\n"
          "\n"
          "Chengying is the Ventus GPGPU as software: compile, assemble, link, look at and run\n"
          "programs for Ventus (generations 1 and 2) and for the small EpicGPU, with no board.\n"
          "\n"
          "commands:\n",
          out);
    for (const struct command *command = commands; command->name; command++)
        fprintf(out, "  %-8s %s\n", command->name, command->text);
    fputs("  help     show the help of a command: 'cy help as' is 'cy as --help'\n"
          "\n"
          "examples:\n"
          "  cy exec -- clinfo                          run an OpenCL program on the machine\n"
          "  cy cc -S -o - kernel.cl                    see the code of a kernel\n"
          "  cy as -o vecadd.o examples/asm/vecadd.s    assemble a kernel\n"
          "  cy dis vecadd.o                            see its instructions, symbols, relocations\n"
          "  cy isa vadd.vv                             the manual page of one instruction\n"
          "\n"
          "exit status: 0 done, 1 something is wrong with an input, 2 something is wrong with the command line\n"
          "documentation: README.md and docs/ of the source tree; 'cy isa' prints the instruction manual\n",
          out);
}

static const struct command *find_command(const char *name)
{
    for (const struct command *command = commands; command->name; command++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

static int unknown_command(const char *name)
{
    const char *nearest = NULL;
    unsigned best = 3; /* distance 2 still turns "asm" into "as" and "disasm"'s typos into nothing */
    for (const struct command *command = commands; command->name; command++) {
        unsigned distance = cy_edit_distance(name, strlen(name), command->name, strlen(command->name), best + 1);
        if (distance < best && distance < strlen(command->name)) {
            best = distance;
            nearest = command->name;
        }
    }
    if (nearest)
        fprintf(stderr, "cy: error: unknown command '%s'; did you mean '%s'?\n", name, nearest);
    else
        fprintf(stderr, "cy: error: unknown command '%s'; try 'cy --help'\n", name);
    return CY_EXIT_USAGE;
}

/* cy help [command] */
static int help(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stdout);
        return CY_EXIT_OK;
    }
    const struct command *command = find_command(argv[1]);
    if (!command)
        return unknown_command(argv[1]);
    char flag[] = "--help";
    char *command_argv[] = {argv[1], flag, NULL};
    return command->run(2, command_argv);
}

/* A full disk or a closed pipe shows only when the output is flushed. */
static int finish(int status)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("cy: error: cannot write to standard output");
        return status ? status : CY_EXIT_INPUT;
    }
    return status;
}

static void out_of_memory(void)
{
    fputs("cy: error: out of memory\n", stderr);
    _Exit(CY_EXIT_INPUT); /* perhaps on a thread: no exit handlers */
}

int main(int argc, char **argv)
{
    cy_mem_on_failure(out_of_memory);
    if (argc < 2) {
        print_help(stderr);
        return CY_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0)
        return finish(help(argc - 1, argv + 1));
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        puts("cy (Chengying) " CY_VERSION);
        return finish(CY_EXIT_OK);
    }
    const struct command *command = find_command(name);
    if (!command) {
        if (name[0] == '-') {
            fprintf(stderr, "cy: error: unknown option '%s'; try 'cy --help'\n", name);
            return CY_EXIT_USAGE;
        }
        return unknown_command(name);
    }
    return finish(command->run(argc - 1, argv + 1));
}
