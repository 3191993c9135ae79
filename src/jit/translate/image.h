/* From LLVM's code to an image: passes of our own before, between and after LLVM's, and code generation. */
#ifndef CY_JIT_TRANSLATE_IMAGE_H
#define CY_JIT_TRANSLATE_IMAGE_H

#include "base/mem.h"

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

struct translator;

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
void find_conversions(struct translator *t);   /* after registers have become values */
void settle_conversions(struct translator *t); /* after LLVM's passes */

/* interleaved.c */
unsigned bits_of_type(LLVMTypeRef type);  /* of a number or a vector's element; 0: it is neither */
bool keep_elements(struct translator *t); /* after settle_conversions(); what is no longer used is left */

/* order.c */
void order_blocks(struct translator *t); /* so that fewer values are live at once */

/* switches.c */
void make_switches(struct translator *t); /* of trees of comparisons */

/* object.c */
#define GROUP_CHECK "chengying.group" /* metadata of branches that ask about all strips of the workgroup */
bool is_used_only_in(LLVMValueRef value, LLVMBasicBlockRef block);
bool make_image(struct translator *t, struct cy_buf *image);
bool optimise(struct translator *t, LLVMTargetMachineRef machine);
LLVMTargetMachineRef make_machine(struct translator *t);

#endif
