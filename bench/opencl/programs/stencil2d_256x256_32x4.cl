//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! loop 4
//! launch stencil 256 256 / 32 4 : in out 256 256
#include "stencil2d.h"
