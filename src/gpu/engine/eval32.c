/* Expressions of 32-bit elements. */
#include "gpu/engine/eval.h"
#include "gpu/engine/int_ops.h"

#define SEW 32
#define DSEW 64
#include "gpu/engine/eval.inc"
