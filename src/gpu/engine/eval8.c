/* Expressions of 8-bit elements. */
#include "gpu/engine/eval.h"
#include "gpu/engine/int_ops.h"

#define SEW 8
#define DSEW 16
#include "gpu/engine/eval.inc"
