/* The table of passes, and where a compile is in it.  The record lies in memory that the compiler process shares with the
 * process that watches it, so that the pass is known after a crash. */
#ifndef CY_CC_PROGRESS_H
#define CY_CC_PROGRESS_H

#include "base/mem.h"

enum cc_pass {
#define PASS(name, stage, level, help, check) PASS_##name,
#include "cc/passes.def"
    PASS_COUNT /* of a compile's progress: nothing has begun */
};

enum cc_stage { CC_FRONT, CC_LLVM, CC_IR, CC_MACHINE, CC_ALLOC, CC_OBJECT };
enum cc_check { CC_CHECK_NOTHING, CC_CHECK_IR, CC_CHECK_UNIFORM, CC_CHECK_CODE, CC_CHECK_PLACES, CC_CHECK_MEETING };

struct cc_pass_info {
    const char *name, *help;
    uint8_t stage, level, check;
};
extern const struct cc_pass_info cc_passes[PASS_COUNT];

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
