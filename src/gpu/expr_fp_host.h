/* stand-in until the host helpers arrive */
#define S int32_t
#define FP &fp
#include "gpu/expr_fp.h"
