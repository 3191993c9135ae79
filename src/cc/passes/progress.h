/* How far a compile has got in the pass table.  The record is in memory shared between the compiler process and the one
 * that watches it, so that the pass is known after a crash. */
#ifndef CY_CC_PASSES_PROGRESS_H
#define CY_CC_PASSES_PROGRESS_H

#include "cc/passes/passes.h"

/* Faults provoked by tests: CHENGYING_COMPILER_FAULT=crash@isel, or crash@isel:f for function f only. */
enum cc_fault { CC_FAULT_NONE, CC_FAULT_CRASH, CC_FAULT_ABORT, CC_FAULT_HANG, CC_FAULT_OOM, CC_FAULT_COUNT };

struct cc_progress {
    uint32_t pass, fault, fault_pass;
    uint64_t clang_ns;       /* clang's time, measured by the server, for the worker's table of times */
    char function[240];      /* of the user's program, or "" */
    char fault_function[64]; /* "": any */
};

/* A pass starts; `progress` and `function` may be NULL. */
void cc_progress_enter(struct cc_progress *progress, enum cc_pass pass, const char *function);

/* "the pass 'isel' of function 'f'" */
void cc_progress_print(const struct cc_progress *progress, struct cy_buf *out);

/* False: not of the form KIND@PASS or KIND@PASS:FUNCTION. */
bool cc_progress_set_fault(struct cc_progress *progress, const char *setting);
void cc_fault_now(enum cc_fault fault);

#endif
