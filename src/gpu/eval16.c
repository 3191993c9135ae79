/* Expressions of 16-bit elements. */
#include "gpu/eval.h"
#include "gpu/int_ops.h"

#define SEW 16
#define DSEW 32
#include "gpu/eval.inc"
