/* The rows of abi.def as constants, for C and OpenCL C. */
#ifndef CY_ABI_ABI_H
#define CY_ABI_ABI_H

__extension__ enum cy_abi { /* addresses are above INT_MAX */
#define ABI(name, value, text) CY_##name = value,
#include "abi.def"
#undef ABI
};

#endif
