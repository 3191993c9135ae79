/* Between forms.c and forms_stores.c. */
#ifndef CY_JIT_TRANSFORM_FORMS_PRIV_H
#define CY_JIT_TRANSFORM_FORMS_PRIV_H

#include "jit/analyse/address.h"
#include "jit/transform/transform.h"

struct forms {
    struct cy_sir_func *func;
    struct cy_arena arena;
    struct cy_sir_shapes shapes;
    uint32_t *start, *members; /* of group g: accesses members[start[g]] to members[start[g + 1] - 1] */
};

bool forms_gathers(const struct cy_sir_func *func); /* its host gathers and scatters words */
struct cy_sir_address forms_address(struct forms *f, const struct cy_sir_insn *insn);

/* forms_stores.c: those of a block that follow each other, and together are words of one element of each lane. */
void forms_join_stores(struct forms *f, uint32_t block);

#endif
