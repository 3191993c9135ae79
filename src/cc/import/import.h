/* From LLVM's IR to ours: the one place that walks LLVM. */
#ifndef CY_CC_IMPORT_IMPORT_H
#define CY_CC_IMPORT_IMPORT_H

#include "cc/ir/ir.h"
#include "cc/llvm/llvm_pipeline.h"

/* Every kernel of the program.  What cannot be compiled is named with its kernel, and false is returned. */
bool cc_import(const struct cc_program *program, const char *name, struct ir_module *module, struct cy_diags *diags);

/* Several modules in one, as bitcode again (clLinkProgram). */
struct cy_cc_part;
bool cc_link_parts(const char *name, const struct cy_cc_part *parts, size_t count, struct cy_buf *bitcode,
                   struct cy_diags *diags);

#endif
