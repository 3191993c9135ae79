/* start.c: start-up code. */
#ifndef CY_CC_CODEGEN_START_H
#define CY_CC_CODEGEN_START_H

#include "cc/ir/ir.h"
#include "obj/obj.h"

bool cc_needs_stack(const struct ir_module *module); /* considers compiled functions only */
void cc_emit_start(struct cy_object *object, const struct cc_target *target);

#endif
