/* The value of a row's expression for one element of any width: called lane by lane by the general handlers. */
#ifndef CY_GPU_ENGINE_EVAL_H
#define CY_GPU_ENGINE_EVAL_H

#include "gpu/fp/fp.h"
#include "isa/isa.h"

struct cy_eval {
    struct cy_fp fp;     /* rounding mode in, flags out */
    uint8_t vxrm, vxsat; /* fixed-point rounding in, saturation out */
    uint8_t mask;        /* the v0 mask bit of the element */
};
/* a: first source (vs1, rs1, immediate), b: vs2, d: old destination; values in their low bits. */
typedef uint64_t cy_eval_fn(struct cy_eval *e, uint64_t a, uint64_t b, uint64_t d);

/* By row, for elements of 8 to 64 bits.  Scalar rows: a = rs1, b = rs2 or the immediate, d = rs3; atomics: a = the word
 * in memory; vadd12: a = vs1, b = the immediate.  NULL for rows without an expression. */
extern cy_eval_fn *const cy_evals_8[CY_OP_COUNT];
extern cy_eval_fn *const cy_evals_16[CY_OP_COUNT];
extern cy_eval_fn *const cy_evals_32[CY_OP_COUNT];
extern cy_eval_fn *const cy_evals_64[CY_OP_COUNT];

static inline cy_eval_fn *cy_eval(enum cy_op op, unsigned sew)
{
    cy_eval_fn *const *table = sew == 32 ? cy_evals_32 : sew == 64 ? cy_evals_64 : sew == 16 ? cy_evals_16 : cy_evals_8;
    return table[op];
}

#endif
