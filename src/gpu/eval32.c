/* Expressions of 32-bit elements. */
#include "gpu/eval.h"
#include "gpu/int_ops.h"

#define SEW 32
#define DSEW 64
#include "gpu/eval.inc"
