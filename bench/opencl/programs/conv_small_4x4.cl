//! buffer in float 65536 noise
//! buffer mask float 25 noise
//! buffer out float 65536 zero
//! launch conv 256 256 / 4 4 : in mask out 256
#include "conv_small.h"
