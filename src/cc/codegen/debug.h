/* Debug information for an object whose code is complete. */
#ifndef CY_CC_CODEGEN_DEBUG_H
#define CY_CC_CODEGEN_DEBUG_H

#include "cc/codegen/backend.h"

struct cc_debug {
    struct cy_object *object;
    const char *name; /* of the source */
    const struct ir_module *module;
    const struct backend_stats *stats; /* by module function */
    bool no_directory;                 /* the unit has none: the executable is the same wherever it is compiled */
};
void cc_emit_debug(const struct cc_debug *debug);

#endif
