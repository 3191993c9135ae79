/* Other output generated from the option tables: manual pages and completions. */
#ifndef CY_TOOLS_HELP_H
#define CY_TOOLS_HELP_H

#include "commands.h"

/* The manual page of a command; NULL: of `cy` itself. */
void cy_help_man(const struct cy_page *page, FILE *out);
/* The completion script for "bash", "zsh" or "fish".  False: another shell. */
bool cy_help_completion(const char *shell, FILE *out);

#endif
