/* Loops in which the work-items of a warp take turns with a lock. */
#ifndef CY_CC_LLVM_LOCK_LOOPS_H
#define CY_CC_LLVM_LOCK_LOOPS_H

#include "cc/llvm/llvm_pipeline.h"

/* Before the library is linked: such loops keep their shape while LLVM optimises, until they are let go. */
void cc_hold_turns(const struct cc_program *program);
void cc_let_go_turns(const struct cc_program *program);

#endif
