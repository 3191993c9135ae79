/* The program as an LLVM module: parsed, linked with the device library, optimised, ready to be imported. */
#ifndef CY_CC_LLVM_LLVM_PIPELINE_H
#define CY_CC_LLVM_LLVM_PIPELINE_H

#include "base/diag.h"
#include "cc/passes/passes.h"

#include <llvm-c/Types.h>

struct cc_program {
    const char *name; /* the file, for messages */
    const struct cy_buf *bitcode;
    const char *library; /* the device library's directory */
    struct cy_diags *diags;
    struct cc_progress *progress; /* told which function is imported; may be NULL */
    bool as_written;              /* not optimised: user functions are called, not inlined */
    bool check;                   /* for a checker */

    LLVMContextRef context;
    LLVMModuleRef module;
    bool has_many_loops; /* too many for most of LLVM's passes */
};

/* inline.c: decides what is inlined and what is called; false: recursion. */
bool cc_plan_inlining(struct cc_program *program, const char *name, struct cy_diags *diags);

/* Links what the program uses from the device library in a directory (library.c). */
bool cc_library_link(struct cc_program *program, const char *name, const char *directory, struct cy_diags *diags);

/* The part of a mangled name that is in the library's index: _Z3maxii is max. */
const char *cc_base_name(const char *name, size_t *length);

/* spirv.c: what llvm-spirv made becomes what clang would have made of OpenCL C. */
void cc_adapt_spirv(struct cc_program *program);

/* Runs one of the rows of stage LLVM in passes.def.  Returns false after a diagnostic. */
bool cc_run_llvm(struct cc_program *program, enum cc_pass pass);
void cc_program_free(struct cc_program *program);

/* A diagnostic handler (import_info.c): LLVM's errors go to the struct cy_diags `diags`, not to standard error. */
void cc_on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *diags);

/* lower_libcalls.c: replaces operations that the machine lacks by calls into the device library. */
void cc_lower_libcalls(struct cc_program *program);
void cc_lower_half(struct cc_program *program);      /* lower_half.c: before that */
void cc_apply_fast_math(struct cc_program *program); /* before the library is linked */
#define CC_BLOCK_PIECES 64                           /* larger blocks are copied by the library */

/* samplers.c: constant samplers become numbers, after inlining. */
bool cc_has_samplers(const struct cc_program *program);
void cc_fold_samplers(const struct cc_program *program);

/* opaque.c: before LLVM optimises, turns minima, maxima and traps into calls to opaque functions. */
void cc_hide(struct cc_program *program);
#define CC_TRAP "__cy_trap"

/* own_rows.c: marks loops that become loops of several elements per turn, all of them or those for LLVM's vectoriser.  False: there
 * are none. */
bool cc_find_own_rows(const struct cc_program *program, bool unrolls);

/* elements.c: `p->x = v` stores one element, not the vector. */
void cc_split_element_stores(struct cc_program *program);

/* check.c: for a checker, before the library is linked; and the library's intrinsics for checkers, in every program. */
void cc_prepare_check(struct cc_program *program);
void cc_lower_notes(struct cc_program *program);
#define CC_OPAQUE "__cy_opaque" /* returns its argument */

#define CC_SPIR_FUNC 75
#define CC_SPIR_KERNEL 76

#endif
