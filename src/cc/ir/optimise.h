/* The IR optimisations, one file each. */
#ifndef CY_CC_IR_OPTIMISE_H
#define CY_CC_IR_OPTIMISE_H

#include "cc/ir/ir.h"

/* strength_reduce.c: addresses as base + index, and strength reduction in loops; needs uniformity. */
void ir_strength_reduce(struct ir_func *func);
/* sink_stores.c: stores next to each other that branches part are moved together. */
void ir_sink_stores(struct ir_func *func);
/* fold.c: algebraic simplification. */
struct ir_known {
    uint32_t ones;     /* bits that can be one */
    uint8_t sign_bits; /* the value is the sign extension of this many low bits */
};
struct ir_folder {
    struct ir_func *func;
    struct ir_known *known; /* by value */
    CY_VEC(ir_value) made;  /* new values, not in a block yet, to insert before the current one */
};
/* 0: nothing to do; the value itself: changed, fold again; any other value replaces it. */
ir_value ir_fold(struct ir_folder *folder, ir_value value);
void ir_know(struct ir_folder *folder, ir_value value); /* computes its row of `known` */
bool ir_is_const(const struct ir_folder *folder, ir_value value, uint32_t *out);
/* Evaluates an integer operation on constants; false: left to run time. */
bool ir_evaluate(enum ir_op op, uint32_t a, uint32_t b, uint32_t *out);

#endif
