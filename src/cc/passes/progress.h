/* Where a compile is in the table of passes.  The record lies in memory that the compiler process shares with the
 * process that watches it, so that the pass is known after a crash. */
#ifndef CY_CC_PASSES_PROGRESS_H
#define CY_CC_PASSES_PROGRESS_H

#include "cc/passes/passes.h"

/* Faults that a test provokes: CHENGYING_COMPILER_FAULT=crash@isel, or crash@isel:f for the function f only. */
enum cc_fault { CC_FAULT_NONE, CC_FAULT_CRASH, CC_FAULT_ABORT, CC_FAULT_HANG, CC_FAULT_OOM, CC_FAULT_COUNT };

struct cc_progress {
    uint32_t pass, fault, fault_pass;
    uint64_t clang_ns;       /* how long clang took: the server's measurement, for the worker's table of times */
    char function[240];      /* of the user's program, or "" */
    char fault_function[64]; /* "": any */
};

/* A pass begins; `progress` and `function` may be NULL. */
void cc_progress_enter(struct cc_progress *progress, enum cc_pass pass, const char *function);

/* "the pass 'isel' of function 'f'" */
void cc_progress_print(const struct cc_progress *progress, struct cy_buf *out);

/* False: this is not KIND@PASS or KIND@PASS:FUNCTION. */
bool cc_progress_set_fault(struct cc_progress *progress, const char *setting);
void cc_fault_now(enum cc_fault fault);

#endif
