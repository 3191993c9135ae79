/* Where a compile is.  The record lies in memory that the compiler process shares with the process that watches it, so
 * that the stage is known after a crash. */
#ifndef CY_CC_PROGRESS_H
#define CY_CC_PROGRESS_H

#include "base/mem.h"

enum cc_stage {
#define STAGE(id, word, text) CC_STAGE_##id,
#include "cc/stages.def"
    CC_STAGE_COUNT
};

/* Faults that a test provokes: CHENGYING_COMPILER_FAULT=crash@isel, or crash@isel:f for the function f only. */
enum cc_fault { CC_FAULT_NONE, CC_FAULT_CRASH, CC_FAULT_ABORT, CC_FAULT_HANG, CC_FAULT_OOM, CC_FAULT_COUNT };

struct cc_progress {
    uint32_t stage, fault, fault_stage;
    char function[240];      /* of the user's program, or "" */
    char fault_function[64]; /* "": any */
};

/* A stage begins; `progress` and `function` may be NULL. */
void cc_progress_enter(struct cc_progress *progress, enum cc_stage stage, const char *function);

/* "the pass 'isel' of function 'f'" */
void cc_progress_print(const struct cc_progress *progress, struct cy_buf *out);

/* False: this is not KIND@STAGE or KIND@STAGE:FUNCTION. */
bool cc_progress_set_fault(struct cc_progress *progress, const char *setting);
void cc_fault_now(enum cc_fault fault);

#endif
