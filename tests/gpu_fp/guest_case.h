/* One instruction to execute, as it travels to the guest program and back. */
#ifndef CY_TESTS_GPU_FP_GUEST_CASE_H
#define CY_TESTS_GPU_FP_GUEST_CASE_H

#include <stdint.h>

struct guest_case {
    uint64_t a, b, c, result;
    uint16_t instruction; /* enum guest_instruction */
    uint8_t rm, flags;
    uint32_t unused;
};

enum guest_instruction {
#define SCALAR1(name, format, in, out, instruction, exact) GUEST_##name,
#define SCALAR2 SCALAR1
#define SCALAR3 SCALAR1
#define VECTOR1 SCALAR1
#include "guest.h"
#undef SCALAR1
#undef SCALAR2
#undef SCALAR3
#undef VECTOR1
    GUEST_COUNT
};

#endif
