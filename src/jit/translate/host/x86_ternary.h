/* A fault of LLVM's back end for AVX-512, which is avoided for as long as the linked LLVM has it (x86_ternary.c). */
#ifndef CY_JIT_TRANSLATE_X86_TERNARY_H
#define CY_JIT_TRANSLATE_X86_TERNARY_H

#include "jit/translate/translate.h"

struct translator;

/* Does the linked LLVM have the fault?  Found out by a compile of a few milliseconds, unless `facts` has it. */
bool x86_has_ternary_fault(const struct cy_jit_facts *facts);
/* After all passes over LLVM's code: keeps LLVM from making what it would make wrongly. */
void x86_avoid_ternary_fault(struct translator *t);

#endif
