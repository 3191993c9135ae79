/* From LLVM IR to our IR: the only code that walks LLVM IR. */
#ifndef CY_CC_IMPORT_IMPORT_H
#define CY_CC_IMPORT_IMPORT_H

#include "cc/ir/ir.h"
#include "cc/llvm/llvm_pipeline.h"

/* Imports every kernel of the program.  Returns false after a diagnostic that names the kernel and what cannot be
 * compiled. */
bool cc_import(const struct cc_program *program, const char *name, struct ir_module *module, struct cy_diags *diags);

/* Links several modules into one, as bitcode again (clLinkProgram). */
struct cy_cc_part;
bool cc_link_parts(const char *name, const struct cy_cc_part *parts, size_t count, struct cy_buf *bitcode,
                   struct cy_diags *diags);

#endif
