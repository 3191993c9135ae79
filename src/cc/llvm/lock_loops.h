/* Spin-lock loops: the critical section must run before the reconvergence point. */
#ifndef CY_CC_LLVM_LOCK_LOOPS_H
#define CY_CC_LLVM_LOCK_LOOPS_H

#include "cc/llvm/llvm_pipeline.h"

/* Before the library is linked: makes such loops keep their shape through LLVM's optimisations, until they are
 * released. */
void cc_hold_turns(const struct cc_program *program);
void cc_let_go_turns(const struct cc_program *program);

/* wait_loops.c: makes what follows a waiting loop, up to the release of the lock, a part of it.  `latch` becomes its last
 * block. */
bool cc_sink_release(const struct cc_program *program, LLVMBuilderRef builder, LLVMBasicBlockRef header,
                     LLVMBasicBlockRef *latch);
/* Before that: if there are waiting loops, functions with atomic operations are inlined, blocks split where a loop may end, and
 * the side of a branch for which the other one waits runs first. */
void cc_prepare_locks(const struct cc_program *program, LLVMBuilderRef builder, LLVMValueRef meeting);

#endif
