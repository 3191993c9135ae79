/* Prototypes of the subcommands, one per row of commands.def. */
#ifndef CY_TOOLS_COMMANDS_H
#define CY_TOOLS_COMMANDS_H

#define COMMAND(name, text) int cy_cmd_##name(int argc, char **argv);
#include "commands.def"
#undef COMMAND

#endif
