/* What the two halves of the pass masks share. */
#ifndef CY_JIT_TRANSFORM_MASKS_PRIV_H
#define CY_JIT_TRANSFORM_MASKS_PRIV_H

#include "base/graph.h"
#include "jit/transform/transform.h"

struct side {       /* where lanes wait for others to come to the join */
    uint32_t block; /* in which they go on */
    uint32_t from;  /* the branch at which they parted; NOTHING: any */
    uint32_t cell;
};

struct join {
    uint32_t block, arrived, gate;
    CY_VEC(struct side) sides;
};

struct masks {
    struct cy_sir_func *func;
    struct cy_arena arena;
    uint32_t block_count; /* as it was */
    struct cy_graph graph;
    CY_VEC(struct join) joins;
    uint32_t *join_of;             /* by block: a row of joins; NOTHING: it is none */
    struct cy_graph_region region; /* of the join that is looked at */
    bool *is_open;                 /* by block: lanes may wait elsewhere */
    bool *is_met;                  /* by block: lanes come to it one after the other */
    uint32_t *cell_of;             /* by value: the cell that has taken its place */
    bool *is_masked;               /* by value: that is set under the mask */
    uint64_t *live;                /* by block: a set of values, live at its start */
    size_t words;                  /* of such a set */
    uint32_t mask_cell;            /* of active lanes */
    cy_sir_value *mask;            /* by block: its active lanes */
};

/* ---- masks_waiting.c ---- */

/* Everything but `gate` and `mask`. */
void masks_prepare(struct masks *m);
uint32_t masks_new_cell(struct masks *m, enum cy_sir_type type, uint32_t variable);
void masks_find_graph(struct masks *m);
/* Does it matter which side of a vbranch goes first? */
bool masks_in_order(const struct cy_sir_block *block);
/* Which side waits, where it does not matter. */
unsigned masks_waiting_side(const struct cy_sir_block *block);
/* The number of a side at which lanes wait, of one branch, or NOTHING for any; of all sides: there is none. */
size_t masks_find_side(const struct join *join, uint32_t from, uint32_t block);

#endif
