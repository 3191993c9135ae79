/* A program to run from the user's files: an executable, OpenCL C (compiled), or objects and assembly sources
 * (linked). */
#ifndef CY_TOOLS_RUN_PROGRAM_H
#define CY_TOOLS_RUN_PROGRAM_H

#include "base/diag.h"
#include "chengying/cc.h"

struct cy_run_inputs {
    const char *const *files;
    size_t file_count;
    const char *march;   /* for sources; NULL: ventus */
    const char *libdir;  /* of the device library; NULL: the one that comes with cy */
    bool no_start;       /* do not add start-up code */
    bool debug;          /* -g: variables and the directory, not only lines, for OpenCL C */
    bool unoptimized;    /* -O0 for OpenCL C */
    bool check;          /* compile for a checker */
    bool lines;          /* source lines are shown: an executable without them is compiled again, if it can be */
    const char *options; /* more for OpenCL C, as clBuildProgram takes them; NULL: none */
};
/* Appends the executable to `elf`, and the names of the files that the sources include to `included`, a line each.  Assembler warnings
 * go to diags too. */
bool cy_run_program(const struct cy_run_inputs *inputs, struct cy_buf *elf, struct cy_buf *included,
                    struct cy_diags *diags);

#endif
