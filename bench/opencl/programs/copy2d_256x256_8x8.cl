//! buffer in float 65536 noise
//! buffer out float 65536 zero
//! loop 4
//! launch copy2d 256 256 / 8 8 : in out 256
#include "copy2d.h"
