/* Expressions of 8-bit elements. */
#include "gpu/eval.h"
#include "gpu/int_ops.h"

#define SEW 8
#define DSEW 16
#include "gpu/eval.inc"
