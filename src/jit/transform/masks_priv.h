/* What the parts of the pass masks share. */
#ifndef CY_JIT_TRANSFORM_MASKS_PRIV_H
#define CY_JIT_TRANSFORM_MASKS_PRIV_H

#include "base/graph.h"
#include "jit/transform/transform.h"

/* A block may exist twice: for lanes that need not be all of the strip's, and for all of them, where nothing has a mask. */
enum version { PARTIAL, FULL, VERSIONS };

struct side {       /* where lanes wait for others to come to the join */
    uint32_t block; /* in which they go on */
    uint32_t from;  /* the branch at which they parted; NOTHING: any */
    uint32_t cell;
};

struct join {
    uint32_t block, arrived, gate;
    uint32_t level, rank; /* cells of its stack; NOTHING: it has none */
    CY_VEC(struct side) sides;
    CY_VEC(uint32_t) branches; /* whose sides meet here */
};

/* Where lanes go from a block of the function as it was; passes that make vector form change it while it is read. */
struct way {
    enum cy_sir_terminator terminator;
    cy_sir_value condition;
    uint32_t succ[2], join, pc;
    bool in_order;
    uint8_t alone; /* enum cy_sir_alone */
    uint32_t case_count;
    struct cy_sir_case *cases;
    const cy_sir_value *list; /* the block's instructions */
    size_t count;
};

/* A branch from which lanes go one after the other, and its cells. */
struct masks_alone {
    uint32_t branch, head;
    uint32_t left;    /* lanes that have not gone */
    uint32_t jumping; /* of these, those that take the then-side */
    uint32_t full;    /* they come from the full version */
};

struct masks {
    struct cy_sir_func *func;
    struct cy_arena arena;
    uint32_t block_count; /* as it was, when barriers had been put into blocks of their own */
    cy_sir_value value_count;
    struct cy_graph graph;
    CY_VEC(uint32_t) barriers;
    bool is_whole;   /* strips have all of their lanes */
    struct way *way; /* by block */
    uint32_t *home;  /* by value: its block */
    CY_VEC(struct masks_alone) alone;
    CY_VEC(struct join) joins;
    uint32_t *join_of;             /* by block: a row of joins; NOTHING: it is none */
    struct cy_graph_region region; /* of the join that is looked at */
    bool *is_open;                 /* by block: lanes may wait elsewhere */
    bool *is_met;                  /* by block: lanes come to it one after the other */
    bool *is_barrier;   /* by block: a barrier, and nothing else, which all lanes pass together: it exists once */
    uint32_t *cell_of;  /* by value: the cell that has taken its place */
    bool *is_masked;    /* by value: that is set under the mask */
    bool *is_first;     /* by value: that is made before the versions part */
    cy_sir_value *copy; /* by value: what stands for it in the full version of its block, if that has a copy; 0 */
    uint64_t *live;     /* by block: a set of values, live at its start */
    size_t words;       /* of such a set */
    uint32_t mask_cell; /* of active lanes */
    cy_sir_value *mask; /* by block: active lanes of its partial version */
    uint32_t *version[VERSIONS]; /* by block: where it is; NOTHING: it does not exist */
};

static inline bool masks_is_double(const struct masks *m, uint32_t block)
{
    return m->version[PARTIAL][block] != CY_SIR_NOTHING && !m->is_barrier[block];
}

/* ---- masks_barriers.c ---- */

void masks_cut_barriers(struct masks *m);

/* ---- masks.c ---- */

bool masks_needs_mask(const struct cy_sir_insn *insn);
/* A copy of an instruction makes an access of its own: it is checked with others, and its lanes may lie in another way. */
uint32_t masks_copy_access(struct masks *m, uint32_t access);

/* ---- masks_waiting.c ---- */

/* Everything but gates, versions, masks and copies. */
void masks_prepare(struct masks *m);
uint32_t masks_new_cell(struct masks *m, enum cy_sir_type type, uint32_t variable);
void masks_find_graph(struct masks *m);
/* Does it matter which side of a vbranch goes first? */
bool masks_in_order(const struct way *way);
/* Which side waits, where it does not matter. */
unsigned masks_waiting_side(const struct way *way);
/* The number of a side at which lanes wait, of one branch, or NOTHING for any; of all sides: there is none. */
size_t masks_find_side(const struct join *join, uint32_t from, uint32_t block);

/* ---- masks_ways.c ---- */

/* Cells and masks, at a block's end. */
cy_sir_value masks_emit(struct masks *m, uint32_t block, enum cy_sir_op op, enum cy_sir_type type, cy_sir_value a,
                        cy_sir_value b);
cy_sir_value masks_get(struct masks *m, uint32_t block, uint32_t cell);
void masks_set(struct masks *m, uint32_t block, uint32_t cell, cy_sir_value value, cy_sir_value mask); /* 0: in all */
cy_sir_value masks_exists(struct masks *m, uint32_t block);
/* All lanes that exist go on in a block, in the version for which they are enough; the code is in block `at`. */
void masks_go_together(struct masks *m, uint32_t at, uint32_t to);
/* Terminators of a block in one of its versions, and of gates. */
void masks_leave(struct masks *m, enum version version, uint32_t block);
void masks_make_gate(struct masks *m, const struct join *join);

/* ---- masks_stack.c: of a join that has a stack ---- */

/* Lanes begin to wait at a side: they are a new entry, if there are any, and if there is a stack. */
void masks_push(struct masks *m, uint32_t at, const struct join *join, cy_sir_value lanes);
/* At the gate, the last entry is taken from the stack in a block that is returned, unless it is empty. */
uint32_t masks_pop(struct masks *m, const struct join *join, uint32_t *empty);
/* Of lanes that wait at a side those that were in the entry. */
cy_sir_value masks_popped(struct masks *m, uint32_t at, const struct join *join, cy_sir_value lanes);
/* A block in which the strip goes on when all lanes have gone. */
uint32_t masks_after_alone(struct masks *m, const struct masks_alone *alone);

/* ---- masks_alone.c ---- */

/* What lanes execute one after the other. */
void masks_make_alone(struct masks *m);

/* ---- masks_repair.c ---- */

/* Definitions that no longer dominate their uses. */
void masks_repair(struct masks *m);
/* Conditions of branches that all lanes take together. */
void masks_agree(struct masks *m);

#endif
