/* Values that become variables: a value with several places where it is made, or that is made where not all of its uses are reached,
 * is put into a cell where it is made, and taken out of it in every other block that uses it. */
#ifndef CY_JIT_TRANSFORM_CELLS_H
#define CY_JIT_TRANSFORM_CELLS_H

#include "jit/sir/sir.h"

/* Behind the value, in all lanes. */
void cy_sir_set_after(struct cy_sir_func *func, cy_sir_value value, uint32_t cell);
/* In blocks that do not make it, a value below `count` is what its cell holds at the block's start; NOTHING: it has none. */
void cy_sir_use_cells(struct cy_sir_func *func, const uint32_t *cell_of, size_t count);

#endif
