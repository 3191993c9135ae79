/* How the lanes of an access lie, as accesses are checked and made. */
#ifndef CY_JIT_ANALYSE_ADDRESS_H
#define CY_JIT_ANALYSE_ADDRESS_H

#include "jit/analyse/shape.h"

struct cy_sir_address {
    enum cy_sir_shape_kind kind;
    bool may_be_row; /* LANES: their words may turn out to be consecutive, or one, when the code runs */
    int64_t stride;  /* EVEN: bytes from lane to lane, a multiple of the alignment and not far apart */
};

/* `align`: of what is checked together. */
struct cy_sir_address cy_sir_address_of(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn, uint32_t align);
/* Does it load what does not change while a workgroup runs, and is always there?  Metadata, and arguments. */
bool cy_sir_is_constant_load(struct cy_sir_shapes *shapes, const struct cy_sir_insn *insn);

#endif
