//! buffer in float 1048576 noise
//! buffer out float 1048576 zero
//! loop 4
//! launch stencil 1024 1024 / 16 16 : in out 1024 1024
#include "stencil2d.h"
