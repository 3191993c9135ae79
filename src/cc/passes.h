/* The compiler's pipeline is the table passes.def; this runs it. */
#ifndef CY_CC_PASSES_H
#define CY_CC_PASSES_H

#include "cc/backend.h"
#include "cc/progress.h"

/* One compile on its way through the table.  Zeroed, it runs everything that -O0 runs and prints nothing. */
struct cc_pipeline {
    struct cc_progress *progress; /* told of every row that begins; may be NULL */
    struct ir_dump dump;          /* what is printed, and where */
    enum cc_pass stop;            /* the last row of ours that runs; 0 (clang): all do */
    enum cc_pass only; /* of the rows on the IR this one alone, for a machine row none but uniformity; 0: all */
    int optimize;
    unsigned sgprs, vgprs; /* registers to allocate; 0: all there are */
    bool has_head;         /* the module's symbols were printed */
    bool is_timed;
    uint64_t ns[PASS_COUNT];
    uint64_t began;
};

/* A row by its name, of those that leave text; 0: there is none. */
enum cc_pass cc_find_pass(const char *name);
/* Names of all rows that leave text, with commas. */
void cc_list_passes(struct cy_buf *out);

/* Around what a row does, for a function or (NULL) the program. */
void cc_pass_begin(struct cc_pipeline *pipeline, enum cc_pass pass, const char *function);
void cc_pass_end(struct cc_pipeline *pipeline, enum cc_pass pass);

/* What the rows for one function work on. */
struct cc_unit {
    struct cc_pipeline *pipeline;
    const char *name; /* of the program, for messages */
    struct ir_func *func;
    const struct ir_module *module;
    struct cy_object *object;
    struct backend_stats *stats;
    struct cy_buf *assembly; /* NULL: not wanted */
    struct cy_diags *diags;
};
/* Runs the rows `from` ... `to` on a function, or up to where the pipeline stops.  False: a message says why. */
bool cc_run_passes(const struct cc_unit *unit, enum cc_pass from, enum cc_pass to);

#endif
