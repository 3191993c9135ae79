/* The optimisations of the IR: one file each. */
#ifndef CY_CC_IR_OPTIMISE_H
#define CY_CC_IR_OPTIMISE_H

#include "cc/ir/ir.h"

/* strength_reduce.c: addresses as base and index, and what loops add to them; wants uniformity. */
void ir_strength_reduce(struct ir_func *func);
/* fold.c: the algebra. */
struct ir_known {
    uint32_t ones;     /* bits that can be one */
    uint8_t sign_bits; /* the value is the sign extension of this many */
};
struct ir_folder {
    struct ir_func *func;
    struct ir_known *known; /* by value */
    CY_VEC(ir_value) made;  /* new values, in no block yet, that belong before the one at hand */
};
/* 0: nothing to do; the value itself: it was changed, look again; another value stands for it. */
ir_value ir_fold(struct ir_folder *folder, ir_value value);
void ir_know(struct ir_folder *folder, ir_value value); /* fills in its row of known */
/* The value of an integer operation on constants; false: left to the machine. */
bool ir_evaluate(enum ir_op op, uint32_t a, uint32_t b, uint32_t *out);

#endif
