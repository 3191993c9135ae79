/* Diagnostics of user input: file:line:column, the source line, a caret, what was expected.
 *
 *     kernel.s:3:9: error: unknown instruction 'vad.vv'; did you mean 'vadd.vv'?
 *             vad.vv v1, v2, v3
 *             ^~~~~~
 *
 * Functions that find an error report it here and return false; the owner of the cy_diags decides what to do. */
#ifndef CY_BASE_DIAG_H
#define CY_BASE_DIAG_H

#include "base/mem.h"

/* A text from the user.  `text` is NUL-terminated; it must outlive every location that points into it. */
struct cy_source {
    const char *name;
    const char *text;
    size_t size;
    const struct cy_source *includer; /* the file or macro body that included this one, or NULL */
    uint32_t includer_line;
    const char *how; /* "included from" or "in expansion of macro 'NAME'" */
};

struct cy_loc {
    const struct cy_source *source; /* NULL: no position (command line, binary file) */
    uint32_t line;                  /* 1-based; 0: the whole file */
    uint32_t offset;                /* byte offset of the first character in source->text */
    uint32_t length;                /* characters to underline, at least 1 */
};

enum cy_severity { CY_NOTE, CY_WARNING, CY_ERROR };

struct cy_diags {
    struct cy_buf text; /* every message so far, ready to print */
    uint32_t errors, warnings;
    uint32_t error_limit; /* 0: the default (100); beyond it errors, and as many warnings, are counted, not printed */
    bool warnings_are_errors;
    bool no_warnings;
    bool muted;     /* the last error or warning was not printed: neither are its notes */
    bool no_memory; /* set by cy_diags_try */
};

void cy_diag(struct cy_diags *diags, enum cy_severity severity, const struct cy_loc *loc, const char *format, ...)
    CY_PRINTF(4, 5);
/* A message about a whole file (or about nothing in particular if name is NULL): "name: error: ..." */
void cy_diag_file(struct cy_diags *diags, enum cy_severity severity, const char *name, const char *format, ...)
    CY_PRINTF(4, 5);
/* Would a further error not be printed? */
bool cy_diags_are_full(const struct cy_diags *diags);
void cy_diags_free(struct cy_diags *diags);

/* Runs run(argument) in a scope (cy_mem_try).  If memory runs out, the messages are restored and an error that says so
 * is added; its text is omitted if there is no memory even for that. */
bool cy_diags_try(struct cy_diags *diags, void (*run)(void *argument), void *argument);

#endif
