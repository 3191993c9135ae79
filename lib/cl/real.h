/* For files that are compiled for float and for double. */
#ifdef CY_DOUBLE
#include "double.h"
#else
#include "float.h"
#endif
