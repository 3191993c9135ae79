/* `cy`: finds the subcommand in commands.def and runs it. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "commands.h"

/* A full disk or a closed pipe shows up only when the output is flushed. */
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
    if (cy_environment_warn(stderr))
        setenv(CY_ENVIRONMENT_TOLD, "1", 1); /* the programs that we start need not say it again */
    if (argc < 2) {
        cy_help_print(stderr);
        return CY_EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
        cy_help_print(stdout);
        return finish(CY_EXIT_OK);
    }
    if (strcmp(name, "--version") == 0 || strcmp(name, "-V") == 0) {
        puts("cy (Chengying) " CY_VERSION);
        return finish(CY_EXIT_OK);
    }
    const struct cy_page *page = cy_page_find(name, NULL);
    if (!page) {
        if (name[0] == '-') {
            fprintf(stderr, "cy: error: unknown option '%s'; try 'cy --help'\n", name);
            return CY_EXIT_USAGE;
        }
        return cy_unknown_command(name);
    }
    return finish(page->run(argc - 1, argv + 1));
}
