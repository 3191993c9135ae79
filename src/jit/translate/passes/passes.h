/* From LLVM's code to an image: passes of our own before, between and after LLVM's, and code generation. */
#ifndef CY_JIT_TRANSLATE_PASSES_H
#define CY_JIT_TRANSLATE_PASSES_H

#include "base/mem.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

struct translator;

/* loops.c */
enum { MEMORY_PARAMETER = 1, SITES_PARAMETER = 2 }; /* of the functions that run a workgroup */
void find_loops(struct translator *t);
/* i1: all addresses that `lowest` has in the loop are in the site.  NULL: it is in no loop. */
LLVMValueRef loop_check(struct translator *t, LLVMValueRef lowest, uint32_t site, unsigned align);
/* The same of lanes' addresses; i1, always. */
LLVMValueRef lanes_check(struct translator *t, LLVMValueRef addresses, uint32_t site, unsigned align);
LLVMValueRef loop_poll(struct translator *t, LLVMValueRef left); /* i1: the loop's turns need not be counted */
bool hoist_loop_checks(struct translator *t);                    /* true: loops have become splittable */

/* nans.c */
LLVMValueRef our_nan(const struct translator *t,
                     LLVMTypeRef type); /* the guest's one: of 32 or 64 bits, or a vector of these */
void settle_nans(struct translator *t); /* after registers have become values */

/* canonical.c */
void settle_canonicalisation(struct translator *t); /* after LLVM's passes */

/* join_halves.c */
void join_halves(struct translator *t);
void count_pointers(struct translator *t); /* before checks are moved out of loops */

/* halves.c */
void find_conversions(struct translator *t); /* after registers have become values */
/* Of a vector of words: in which form does not matter yet.  Halves are in the lower 16 bits, the upper ones 0. */
LLVMValueRef call_conversion(struct translator *t, bool narrows, LLVMValueRef x);
void settle_conversions(struct translator *t); /* after LLVM's passes */

/* interleaved.c */
unsigned bits_of_type(LLVMTypeRef type);  /* of a number or a vector's element; 0: it is neither */
bool keep_elements(struct translator *t); /* after settle_conversions(); what is no longer used is left */

/* small.c */
void compute_small(struct translator *t); /* stored bytes and halves, after registers have become values */

/* order.c */
void order_blocks(struct translator *t); /* so that fewer values are live at once */

/* switches.c */
void make_switches(struct translator *t); /* of trees of comparisons */

/* object.c */
#define GROUP_CHECK "chengying.group" /* metadata of branches that ask about all strips of the workgroup */
bool is_used_only_in(LLVMValueRef value, LLVMBasicBlockRef block);
bool make_image(struct translator *t, struct cy_buf *image);
bool make_assembly(struct translator *t, struct cy_buf *text);
bool optimise(struct translator *t, LLVMTargetMachineRef machine);
LLVMTargetMachineRef make_machine(struct translator *t);
/* For tests of LLVM: object code of t->module, which is no guest code, by LLVM's passes, what the level does after them, and code
 * generation, all as for guest code. */
bool compile_module(struct translator *t, LLVMMemoryBufferRef *file);

#endif
