/* The subcommands: one function for each COMMAND of commands.def, one page for each row. */
#ifndef CY_TOOLS_COMMANDS_H
#define CY_TOOLS_COMMANDS_H

#include "options.h"

#define COMMAND(name, text) int cy_cmd_##name(int argc, char **argv);
#include "commands.def"

typedef int cy_command(int argc, char **argv);

/* A command, or a second word of one that has its own options. */
struct cy_page {
    const char *name, *second; /* second: NULL for a whole command */
    const char *text;          /* what it does, in a few words */
    cy_command *run;
};
extern const struct cy_page cy_pages[];
extern const size_t cy_page_count;

/* NULL: no such page.  `second` may be NULL. */
const struct cy_page *cy_page_find(const char *name, const char *second);
/* The option table that the command parses with. */
const struct cy_usage *cy_page_usage(const struct cy_page *page);

/* `cy: error: unknown command`, with the nearest one; returns CY_EXIT_USAGE. */
int cy_unknown_command(const char *name);
/* `cy --help` */
void cy_help_print(FILE *out);

#endif
