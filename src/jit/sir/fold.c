/* What pure operations compute, for one lane: the last column of ops.def. */
#include "jit/sir/sir.h"

#include "jit/sir/sir_priv.h"

static uint64_t cut(uint64_t value, unsigned bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static int64_t extend(uint64_t value, unsigned bits)
{
    assert(bits);
    return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

bool cy_sir_folds(enum cy_sir_op op)
{
    switch (op) {
#define OP(id, name, arguments, result, flags, value)                                                                  \
    case CY_SIR_##id:                                                                                                  \
        return (#value)[0] != 'O'; /* OWN */
#include "jit/sir/ops.def"
    default: return false;
    }
}

static uint64_t not_folded(void)
{
    assert(!"the operation does not depend on its arguments alone");
    return 0;
}

uint64_t cy_sir_fold(enum cy_sir_op op, enum cy_sir_type type, enum cy_sir_type of_arguments, uint64_t a, uint64_t b,
                     uint64_t c)
{
    const unsigned T = cy_sir_bits(type), W = cy_sir_bits(of_arguments);
    const int64_t sa = extend(a, W), sb = extend(b, W);
    switch (op) {
#define OWN not_folded()
#define OP(id, name, arguments, result, flags, value)                                                                  \
    case CY_SIR_##id:                                                                                                  \
        return cut((uint64_t)(value), T);
#include "jit/sir/ops.def"
#undef OWN
    default: return not_folded();
    }
}
