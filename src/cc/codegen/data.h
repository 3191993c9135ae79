/* data.c: the sections beside the code. */
#ifndef CY_CC_CODEGEN_DATA_H
#define CY_CC_CODEGEN_DATA_H

#include "cc/ir/ir.h"
#include "obj/obj.h"

struct backend_stats;
void cc_emit_data(const struct ir_module *module, struct cy_object *object);
/* For a checker, once the code is there: which instructions come from inlined functions, and who called these. */
void cc_emit_calls(const struct ir_module *module, const struct backend_stats *stats, struct cy_object *object);

#endif
