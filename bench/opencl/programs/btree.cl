//! buffer keys int 65536 sorted
//! buffer wanted int 8192 below 60000
//! buffer out int 8192 zero
//! launch find 262144 / 32 : keys wanted out 65536
#define KEYS 32
#include "btree.h"
