/* Spin-lock loops: the critical section must run before the reconvergence point. */
#ifndef CY_CC_LLVM_LOCK_LOOPS_H
#define CY_CC_LLVM_LOCK_LOOPS_H

#include "cc/llvm/llvm_pipeline.h"

/* Before the library is linked: makes such loops keep their shape through LLVM's optimisations, until they are
 * released. */
void cc_hold_turns(const struct cc_program *program);
void cc_let_go_turns(const struct cc_program *program);

#endif
