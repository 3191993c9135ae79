/* What the two halves of the pass promote share. */
#ifndef CY_JIT_TRANSFORM_PROMOTE_PRIV_H
#define CY_JIT_TRANSFORM_PROMOTE_PRIV_H

#include "base/graph.h"
#include "jit/analyse/shape.h"
#include "jit/transform/transform.h"

struct promoted { /* a phi that stands for a cell */
    cy_sir_value phi;
    uint32_t cell, next; /* the next one of its block; NOTHING: none */
};

struct promote {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_graph graph; /* of the blocks, and a root from which all phases start */
    struct cy_walk walk;
    struct cy_dominators above;
    struct cy_sir_shapes shapes;
    CY_VEC(struct promoted) phis;
    uint32_t *phis_of; /* by block: the first one in phis; NOTHING: none */
    cy_sir_value *now; /* by cell: what it holds; 0: what it starts with */
    cy_sir_value *by;  /* by value, of those that were there before: what has taken its place, or 0 */
    size_t count;      /* of these */
};

/* ---- promote_phis.c ---- */

/* Phis where several values of a cell meet that is read later. */
void promote_place_phis(struct promote *p);

#endif
