/* Runs the rows of passes.def on a function: runs, times, dumps and validates each as the table says. */
#ifndef CY_CC_RUN_PASSES_H
#define CY_CC_RUN_PASSES_H

#include "cc/codegen/backend.h"
#include "cc/codegen/mir.h"
#include "cc/passes/passes.h"

/* The state that the per-function rows share. */
struct cc_unit {
    struct cc_pipeline *pipeline;
    const char *name; /* the program's, for messages */
    struct ir_func *func;
    const struct ir_module *module;
    struct cy_object *object;
    struct backend_stats *stats;
    struct cy_buf *assembly; /* NULL: not requested */
    struct cy_diags *diags;
};
/* Runs rows `from` ... `to` on a function, or until the pipeline's stop row.  Returns false after a diagnostic. */
bool cc_run_passes(const struct cc_unit *unit, enum cc_pass from, enum cc_pass to);

/* Compiles one kernel whose CFG and uniformity have been analysed: appends its code to the object's .text, and adds the
 * resource record, symbols and relocations.  `assembly` and `dump` (may be NULL) receive text.  Returns false after a
 * diagnostic. */
bool cy_backend(struct ir_func *func, const struct ir_module *module, struct cy_object *object,
                struct backend_stats *stats, struct cy_buf *assembly, const struct cc_dump *dump,
                struct cy_diags *diags);

/* Parts of the pipeline for tests that have a function but no program: all -O2 passes on the IR (uniformity must be
 * analysed again afterwards), and register allocation. */
void ir_optimise(struct ir_func *func);
bool mir_allocate(struct mir_func *func, const struct cc_dump *dump, struct cy_diags *diags);

#endif
