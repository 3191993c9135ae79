//! buffer in float 4096 noise
//! buffer out float 4096 zero
//! loop 4
//! launch copy2d 64 64 / 16 16 : in out 64
#include "copy2d.h"
