/* Expressions of 64-bit elements. */
#include "gpu/eval.h"
#include "gpu/int_ops.h"

#define SEW 64
#define DSEW 128
#include "gpu/eval.inc"
