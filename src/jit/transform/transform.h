/* The passes over the strip IR; passes.def is their list, and cy_sir_run_passes runs it. */
#ifndef CY_JIT_TRANSFORM_H
#define CY_JIT_TRANSFORM_H

#include "jit/abi.h"
#include "jit/sir/sir.h"

/* Sets the strip of an imported function.  False: a warp, which must be one, is too wide or too narrow. */
bool cy_sir_choose_strip(struct cy_sir_func *func, const struct cy_jit_request *request);

#define PASS(name, from, to, file, text) void cy_sir_pass_##name(struct cy_sir_func *func);
#include "jit/transform/passes.def"

enum {
    CY_SIR_PASSES = 0
#define PASS(name, from, to, file, text) +1
#include "jit/transform/passes.def"
};

enum cy_sir_pass_form { CY_SIR_PASS_SIMT, CY_SIR_PASS_VECTOR, CY_SIR_PASS_ANY };
extern const struct cy_sir_pass {
    const char *name, *file, *text;
    enum cy_sir_pass_form from, to;
    void (*run)(struct cy_sir_func *func);
} cy_sir_passes[CY_SIR_PASSES];

/* What to run, and what to tell.  Zeroed: all passes, and nothing.  Names of passes are those of the table, or "import" for what there
 * is before the first one. */
struct cy_sir_pipeline {
    const char *only; /* runs this pass alone */
    const char *stop; /* the last that runs */
    const char *dump; /* the function is printed after this one, or after "all" */
    struct cy_buf *out;
    uint64_t ns[CY_SIR_PASSES]; /* how long each took */
};
bool cy_sir_knows_pass(const char *name);
/* A function in vector form is not given to the passes that make it: it goes on with those behind them.  What is wrong, in words on
 * the function's arena; NULL: nothing, and the function is valid. */
const char *cy_sir_run_passes(struct cy_sir_func *func, struct cy_sir_pipeline *pipeline);

#endif
