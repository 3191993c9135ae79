/* The program as an LLVM module: read, linked with the device library, optimised, ready to be imported. */
#ifndef CY_CC_LLVM_LLVM_PIPELINE_H
#define CY_CC_LLVM_LLVM_PIPELINE_H

#include "base/diag.h"

#include <llvm-c/Types.h>

struct cc_pipeline;

struct cc_program {
    LLVMContextRef context;
    LLVMModuleRef module;
    struct cc_pipeline *pipeline; /* the rows of LLVM's part are noted there */
    bool as_written;              /* not optimised: the user's functions are called, not inlined */
};

/* inline.c: what is inlined and what is called; false: a function calls itself. */
bool cc_plan_inlining(struct cc_program *program, const char *name, struct cy_diags *diags);

/* Links what the program uses of the device library in a directory (library.c). */
bool cc_library_link(struct cc_program *program, const char *name, const char *directory, struct cy_diags *diags);

/* The part of a mangled name that the index of the library has: _Z3maxii is max. */
const char *cc_base_name(const char *name, size_t *length);

/* `library` is the directory of the device library.  Errors go to `diags` with `name` as the file. */
bool cc_program_load(struct cc_program *program, const char *name, const struct cy_buf *bitcode, const char *library,
                     int optimize, struct cy_diags *diags);
void cc_program_free(struct cc_program *program);

/* A handler of diagnostics (import_info.c): LLVM's errors go to the struct cy_diags `diags`, not to standard error. */
void cc_on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *diags);

/* lower_libcalls.c: calls into the device library instead of operations that the machine lacks. */
void cc_lower_libcalls(struct cc_program *program);
void cc_apply_fast_math(struct cc_program *program); /* before the library is linked */
#define CC_BLOCK_PIECES 64                           /* larger blocks of memory are copied by the library */

/* opaque.c: before LLVM optimises, minima, maxima and traps become calls that it knows nothing about. */
void cc_hide(struct cc_program *program);
#define CC_TRAP "__cy_trap"

#define CC_SPIR_FUNC 75
#define CC_SPIR_KERNEL 76

#endif
