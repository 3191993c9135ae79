/* The pass table, passes.def, and the state of one compile passing through it. */
#ifndef CY_CC_PASSES_PASSES_H
#define CY_CC_PASSES_PASSES_H

#include "base/mem.h"

enum cc_pass {
#define PASS(name, stage, level, help, check) PASS_##name,
#include "cc/passes/passes.def"
    PASS_COUNT /* in a compile's progress: nothing has started */
};

enum cc_stage { CC_FRONT, CC_LLVM, CC_IR, CC_MACHINE, CC_ALLOC, CC_EMIT, CC_OBJECT };
enum cc_check { CC_CHECK_NOTHING, CC_CHECK_IR, CC_CHECK_UNIFORM, CC_CHECK_CODE, CC_CHECK_PLACES, CC_CHECK_MEETING };

struct cc_pass_info {
    const char *name, *help;
    uint8_t stage, level, check;
};
extern const struct cc_pass_info cc_passes[PASS_COUNT];

/* The program's text after a pass; `pass` is a name or "all". */
struct cc_dump {
    const char *pass;
    struct cy_buf *out;
};
bool cc_is_dumped(const struct cc_dump *dump, const char *pass); /* dump may be NULL */

struct cc_progress;

/* One compile going through the table.  Zeroed, it runs what -O0 runs and prints nothing. */
struct cc_pipeline {
    struct cc_progress *progress; /* told when each row starts; may be NULL */
    struct cc_dump dump;          /* what to print, and where */
    enum cc_pass stop;            /* the last of our rows to run; 0 (clang): run all */
    enum cc_pass only;            /* of the IR rows run only this one (for a machine row: only uniformity); 0: all */
    int optimize;
    unsigned sgprs, vgprs; /* registers to allocate from; 0: all */
    bool has_head;         /* the module's symbols have been printed */
    bool is_timed;
    uint64_t ns[PASS_COUNT];
    uint64_t began;
};

/* Does the row produce text that can be printed? */
bool cc_has_text(enum cc_pass pass);
/* The row of that name, among those that produce text; 0: none. */
enum cc_pass cc_find_pass(const char *name);
/* The names of all rows that produce text, comma-separated. */
void cc_list_passes(struct cy_buf *out);

/* Bracket a row's work on a function or (NULL) on the program. */
void cc_pass_begin(struct cc_pipeline *pipeline, enum cc_pass pass, const char *function);
void cc_pass_end(struct cc_pipeline *pipeline, enum cc_pass pass);

#endif
