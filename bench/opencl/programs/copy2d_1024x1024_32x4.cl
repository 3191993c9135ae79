//! buffer in float 1048576 noise
//! buffer out float 1048576 zero
//! loop 4
//! launch copy2d 1024 1024 / 32 4 : in out 1024
#include "copy2d.h"
