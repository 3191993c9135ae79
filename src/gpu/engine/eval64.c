/* Expressions of 64-bit elements. */
#include "gpu/engine/eval.h"
#include "gpu/engine/int_ops.h"

#define SEW 64
#define DSEW 128
#include "gpu/engine/eval.inc"
