/* data.c: the sections beside the code. */
#ifndef CY_CC_CODEGEN_DATA_H
#define CY_CC_CODEGEN_DATA_H

#include "cc/ir/ir.h"
#include "obj/obj.h"

void cc_emit_data(const struct ir_module *module, struct cy_object *object);

#endif
