/* The table of passes, passes.def, and one compile on its way through it. */
#ifndef CY_CC_PASSES_PASSES_H
#define CY_CC_PASSES_PASSES_H

#include "base/mem.h"

enum cc_pass {
#define PASS(name, stage, level, help, check) PASS_##name,
#include "cc/passes/passes.def"
    PASS_COUNT /* of a compile's progress: nothing has begun */
};

enum cc_stage { CC_FRONT, CC_LLVM, CC_IR, CC_MACHINE, CC_ALLOC, CC_OBJECT };
enum cc_check { CC_CHECK_NOTHING, CC_CHECK_IR, CC_CHECK_UNIFORM, CC_CHECK_CODE, CC_CHECK_PLACES, CC_CHECK_MEETING };

struct cc_pass_info {
    const char *name, *help;
    uint8_t stage, level, check;
};
extern const struct cc_pass_info cc_passes[PASS_COUNT];

/* Text of the program after passes: a pass's name, or "all". */
struct cc_dump {
    const char *pass;
    struct cy_buf *out;
};
bool cc_is_dumped(const struct cc_dump *dump, const char *pass); /* dump may be NULL */

struct cc_progress;

/* One compile on its way through the table.  Zeroed, it runs everything that -O0 runs and prints nothing. */
struct cc_pipeline {
    struct cc_progress *progress; /* told of every row that begins; may be NULL */
    struct cc_dump dump;          /* what is printed, and where */
    enum cc_pass stop;            /* the last row of ours that runs; 0 (clang): all do */
    enum cc_pass only; /* of the rows on the IR this one alone, for a machine row none but uniformity; 0: all */
    int optimize;
    unsigned sgprs, vgprs; /* registers to allocate; 0: all there are */
    bool has_head;         /* the module's symbols were printed */
    bool is_timed;
    uint64_t ns[PASS_COUNT];
    uint64_t began;
};

/* Does the row leave text that can be printed? */
bool cc_has_text(enum cc_pass pass);
/* A row by its name, of those that leave text; 0: there is none. */
enum cc_pass cc_find_pass(const char *name);
/* Names of all rows that leave text, with commas. */
void cc_list_passes(struct cy_buf *out);

/* Around what a row does, for a function or (NULL) the program. */
void cc_pass_begin(struct cc_pipeline *pipeline, enum cc_pass pass, const char *function);
void cc_pass_end(struct cc_pipeline *pipeline, enum cc_pass pass);

#endif
