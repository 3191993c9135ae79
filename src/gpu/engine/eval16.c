/* Expressions of 16-bit elements. */
#include "gpu/engine/eval.h"
#include "gpu/engine/int_ops.h"

#define SEW 16
#define DSEW 32
#include "gpu/engine/eval.inc"
