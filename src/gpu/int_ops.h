/* The integer helpers for every element width. */
#ifndef CY_GPU_INT_OPS_H
#define CY_GPU_INT_OPS_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 cy_u128;
__extension__ typedef __int128 cy_i128;

#define SEW 8
#include "gpu/int_ops.inc"
#undef SEW
#define SEW 16
#include "gpu/int_ops.inc"
#undef SEW
#define SEW 32
#include "gpu/int_ops.inc"
#undef SEW
#define SEW 64
#include "gpu/int_ops.inc"
#undef SEW

#endif
