/* Two runs compared: their commit traces warp by warp (trace.c), their profiles line by line (profile.c). */
#ifndef CY_DIFF_DIFF_H
#define CY_DIFF_DIFF_H

#include "base/diag.h"

/* One line of a trace: docs/replay.md, "The commit log"; what follows a ';' in a full trace is left out. */
struct cy_trace_record {
    uint32_t warp, line; /* line of the file */
    uint32_t pc, word;
    const char *effect; /* registers and memory written, as in the line */
};
struct cy_trace_log {
    const char *name;
    struct cy_buf text;                     /* records point into it */
    CY_VEC(struct cy_trace_record) records; /* by warp, in order */
};
/* False: messages are in diags; free it in any case. */
bool cy_trace_log_read(struct cy_trace_log *log, const char *path, struct cy_diags *diags);
void cy_trace_log_free(struct cy_trace_log *log);

/* Where they differ: `left` records of the first and `right` of the second trace, from these indices on.  Both 1 and the same
 * instruction: it had another effect. */
struct cy_trace_finding {
    uint32_t warp;
    size_t left_at, left, right_at, right;
};
struct cy_trace_findings {
    CY_VEC(struct cy_trace_finding) list;
    size_t instructions; /* compared, of the first trace */
};
void cy_trace_compare(const struct cy_trace_log *left, const struct cy_trace_log *right,
                      struct cy_trace_findings *findings);

/* Appends a table of the lines that differ, by kernel and by how much.  False: messages are in diags. */
bool cy_profile_compare(const char *left, const char *right, struct cy_buf *out, bool *is_same, struct cy_diags *diags);

#endif
