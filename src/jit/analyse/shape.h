/* What is known about the lanes of a value, of a cell and of a slot: one number, numbers at even distances, or any; and about the numbers
 * themselves.  Of a function in either form:
 *
 *   SIMT    about the lanes that are active where the value is made.  A phi where lanes meet that have come different ways, and a
 *           value behind a loop that lanes leave in different rounds, are not one number though their parts are (parting.c).
 *   VECTOR  about all lanes of the strip.
 *
 * Shapes depend on the strip, and are thrown away when anything changes. */
#ifndef CY_JIT_ANALYSE_SHAPE_H
#define CY_JIT_ANALYSE_SHAPE_H

#include "jit/sir/sir.h"

enum cy_sir_shape_kind {
    CY_SIR_SHAPE_NONE, /* nothing reaches it, or nobody may look at it */
    CY_SIR_SHAPE_ONE,  /* the base in all lanes */
    CY_SIR_SHAPE_EVEN, /* base + stride x lane, modulo the type's bits */
    CY_SIR_SHAPE_LANES /* any */
};

/* Addresses of what does not change while a workgroup runs. */
enum cy_sir_origin { CY_SIR_ORIGIN_NONE, CY_SIR_ORIGIN_METADATA, CY_SIR_ORIGIN_ARGUMENTS };

/* The base is what lane 0 has. */
struct cy_sir_shape {
    uint8_t kind;
    uint8_t origin;     /* the base is so far from there: `constant` */
    uint8_t align;      /* the base is a multiple of 2^align */
    bool is_const;      /* the base is `constant` */
    bool is_boolean;    /* each lane has 0 or 1 */
    bool is_for_active; /* vector form: lanes outside of the mask that it had may have anything */
    bool is_computed;   /* any: from ids and single numbers alone, so that lanes may well have consecutive numbers */
    bool in_group;  /* the same in all strips, but for item_factor x first item + lane_factor x its lane of the warp */
    uint32_t table; /* each lane's number is known: table - 1 is a row of cy_sir_shapes.tables; 0: they are not */
    uint64_t constant, stride;
    uint64_t item_factor, lane_factor;
};

struct cy_sir_parting;

struct cy_sir_shapes {
    const struct cy_sir_func *func;
    struct cy_arena *arena;
    struct cy_sir_shape *value, *cell, *slot;
    struct cy_sir_parting *parting;  /* NULL in vector form */
    CY_VEC(const uint64_t *) tables; /* on the arena, and so are the rows */
};

struct cy_sir_shapes cy_sir_find_shapes(struct cy_arena *arena, const struct cy_sir_func *func);
void cy_sir_free_shapes(struct cy_sir_shapes *shapes);
/* As it is in a block, which may be behind the loop of its definition. */
struct cy_sir_shape cy_sir_shape_at(const struct cy_sir_shapes *shapes, cy_sir_value value, uint32_t block);
/* Of the address of an access: base + offset + (index extended << scale). */
struct cy_sir_shape cy_sir_address_shape(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn);
static inline bool cy_sir_is_one(const struct cy_sir_shape *shape)
{
    return shape->kind <= CY_SIR_SHAPE_ONE;
}
/* A selection gives one of its values wherever it counts, as the other one is undefined, or it is for lanes that do not exist: which; 0:
 * it may give either. */
cy_sir_value cy_sir_only_choice(const struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn);
/* One number even in lanes that are not active: all lanes may take a branch by it. */
static inline bool cy_sir_is_agreed(const struct cy_sir_shape *shape)
{
    return cy_sir_is_one(shape) && !shape->is_for_active;
}
/* For people: the text form, with the shape behind each value. */
void cy_sir_print_shapes(const struct cy_sir_func *func, struct cy_buf *out);

#endif
