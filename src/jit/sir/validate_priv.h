#ifndef CY_JIT_SIR_VALIDATE_PRIV_H
#define CY_JIT_SIR_VALIDATE_PRIV_H

#include "jit/sir/sir.h"

/* What is wrong with an instruction of a block, apart from where its arguments are defined; NULL: nothing.  The tables of the function
 * are valid, and so are the block's predecessors. */
const char *cy_sir_check_insn(struct cy_sir_func *func, cy_sir_value value);
/* What is wrong with cells, accesses, groups and the shape of the launch. */
const char *cy_sir_check_tables(struct cy_sir_func *func);

#endif
