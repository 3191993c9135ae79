//! buffer in float 62500 noise
//! buffer out float 62500 zero
//! loop 4
//! launch stencil 250 250 / 10 10 : in out 250 250
#include "stencil2d.h"
