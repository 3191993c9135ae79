/* Runs the rows of passes.def on a function: each is executed, timed, printed and validated as the table says. */
#ifndef CY_CC_RUN_PASSES_H
#define CY_CC_RUN_PASSES_H

#include "cc/codegen/backend.h"
#include "cc/codegen/mir.h"
#include "cc/passes/passes.h"

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

/* Compiles one kernel, whose control flow and uniformity are analysed: appends code to the object's .text, the resource
 * record, symbols and relocations.  `assembly` and `dump` (may be NULL) get text.  False: a message
 * says why. */
bool cy_backend(struct ir_func *func, const struct ir_module *module, struct cy_object *object,
                struct backend_stats *stats, struct cy_buf *assembly, const struct cc_dump *dump,
                struct cy_diags *diags);

/* Parts of the pipeline, for tests that have a function and no program: all that -O2 does to the IR (uniformity has to be
 * analysed after it), and register allocation. */
void ir_optimise(struct ir_func *func);
bool mir_allocate(struct mir_func *func, const struct cc_dump *dump, struct cy_diags *diags);

#endif
