//! buffer in float 61440 noise
//! buffer out float 61440 zero
//! loop 4
//! launch stencil 240 256 / 6 32 : in out 240 256
#include "stencil2d.h"
