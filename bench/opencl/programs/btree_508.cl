//! buffer keys int 258064 sorted
//! buffer wanted int 1024 below 258064
//! buffer out int 1024 zero
//! launch find 520192 / 508 : keys wanted out 258064
#define KEYS 508
#include "btree.h"
