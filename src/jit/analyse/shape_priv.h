/* Between shape.c, shape_rules.c, unset.c and parting.c. */
#ifndef CY_JIT_ANALYSE_SHAPE_PRIV_H
#define CY_JIT_ANALYSE_SHAPE_PRIV_H

#include "jit/analyse/shape.h"

/* ---- shape_rules.c ---- */

struct cy_sir_shape cy_shape_constant(enum cy_sir_type type, uint64_t number);
struct cy_sir_shape cy_shape_lanes(void);
struct cy_sir_shape cy_shape_source(const struct cy_sir_func *func, enum cy_sir_source source);
/* What holds for either: where ways meet. */
struct cy_sir_shape cy_shape_meet(const struct cy_sir_shape *a, const struct cy_sir_shape *b);
struct cy_sir_shape cy_shape_weaken(const struct cy_sir_shape *before, const struct cy_sir_shape *now);
bool cy_shape_is_equal(const struct cy_sir_shape *a, const struct cy_sir_shape *b);
/* Of a pure operation, by its arguments' shapes; `of` is the type of the first argument. */
struct cy_sir_shape cy_shape_of(struct cy_sir_shapes *shapes, enum cy_sir_op op, enum cy_sir_type type,
                                enum cy_sir_type of, const struct cy_sir_shape *args, unsigned count);

/* Each lane's number is known, or how far it is from what the launch gives: it is the same whenever it is computed. */
static inline bool cy_shape_is_given(const struct cy_sir_shape *shape)
{
    return shape->table || shape->is_const;
}

/* ---- unset.c ---- */

/* By cell: it may be read before it is set, when it is 0. */
bool *cy_cells_read_unset(struct cy_arena *arena, const struct cy_sir_func *func);

/* ---- parting.c ---- */

struct cy_sir_parting *cy_parting_new(struct cy_arena *arena, const struct cy_sir_func *func);
/* Lanes part at a block's vbranch.  True: that was not known. */
bool cy_parting_add(struct cy_sir_parting *parting, uint32_t block);
/* Do lanes meet there that have come different ways? */
bool cy_parting_meets(const struct cy_sir_parting *parting, uint32_t block);
/* Is a block behind a loop around the other one that lanes leave in different rounds? */
bool cy_parting_is_behind(const struct cy_sir_parting *parting, uint32_t from, uint32_t block);

#endif
