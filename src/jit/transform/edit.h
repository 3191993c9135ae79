/* What passes share that replace values by others, in SIMT form. */
#ifndef CY_JIT_TRANSFORM_EDIT_H
#define CY_JIT_TRANSFORM_EDIT_H

#include "base/graph.h"
#include "jit/sir/sir.h"

typedef CY_VEC(cy_sir_value) cy_sir_values;

/* Values are replaced in a table first, and where they are used at the end.  Constants are in the entry, each once. */
struct cy_sir_edit {
    struct cy_sir_func *func;
    struct cy_arena arena;
    cy_sir_values same; /* by value: what has replaced it, or 0 */
    cy_sir_values numbers;
    cy_sir_value *number_table;
    uint32_t number_table_size;
};

void cy_sir_edit_begin(struct cy_sir_edit *edit, struct cy_sir_func *func);
/* Everywhere the replaced values are replaced, the constants are at the entry's start, and what nobody uses goes. */
void cy_sir_edit_end(struct cy_sir_edit *edit);
cy_sir_value cy_sir_same_as(struct cy_sir_edit *edit, cy_sir_value value);
void cy_sir_edit_replace(struct cy_sir_edit *edit, cy_sir_value old, cy_sir_value by);
cy_sir_value cy_sir_number(struct cy_sir_edit *edit, enum cy_sir_type type, uint64_t value);
/* The one constant with this constant's number, which is taken out of its block's list by the caller. */
cy_sir_value cy_sir_same_number(struct cy_sir_edit *edit, cy_sir_value constant);
/* The instruction's arguments are those that have replaced them; not those of a phi. */
void cy_sir_update_arguments(struct cy_sir_edit *edit, cy_sir_value value);
/* What all arguments of a phi are the same as, itself left out; 0: there is no such value. */
cy_sir_value cy_sir_same_arguments(struct cy_sir_edit *edit, cy_sir_value phi);

struct cy_graph cy_sir_graph(struct cy_arena *arena, const struct cy_sir_func *func);
static inline bool cy_sir_is_constant(const struct cy_sir_func *func, cy_sir_value value, uint64_t *number)
{
    *number = cy_sir_at(func, value)->imm;
    return cy_sir_at(func, value)->op == CY_SIR_CONST;
}

#endif
