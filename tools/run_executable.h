/* An executable from a file, for tools that need more than it has: it is compiled again from the source that it carries. */
#ifndef CY_TOOLS_RUN_EXECUTABLE_H
#define CY_TOOLS_RUN_EXECUTABLE_H

#include "obj/obj.h"
#include "run_program.h"

/* Appends the executable, or what its source gives, to `elf`.  A note says what was done, or what is missing. */
void cy_run_executable(const struct cy_run_inputs *inputs, const char *path, const struct cy_object *object,
                       const struct cy_buf *image, struct cy_buf *elf, struct cy_diags *diags);

/* For a tool that shows lines, of a program that was linked just now: assembly has none. */
void cy_run_say_no_lines(const struct cy_run_inputs *inputs, const char *path, const struct cy_buf *elf,
                         struct cy_diags *diags);

/* After a fault: why there is an address and no line, and what would show one.  Nothing, if the program has lines. */
void cy_run_note_no_lines(const char *path, const struct cy_buf *elf, struct cy_diags *diags);

#endif
