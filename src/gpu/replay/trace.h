/* Traces: what every instruction did, as text.  An engine observer; one thread at a time. */
#ifndef CY_GPU_REPLAY_TRACE_H
#define CY_GPU_REPLAY_TRACE_H

#include "gpu/engine/engine.h"

enum cy_trace_format {
    CY_TRACE_COMMIT, /* the commit log: a line per instruction that writes a register or memory */
    CY_TRACE_FULL,   /* a line per instruction: the same, then the instruction itself and its effect on control flow */
};

/* By name, "commit" or "full"; false: no such format. */
bool cy_trace_format_parse(const char *name, enum cy_trace_format *format);

struct cy_trace;
/* `write` takes the text piecewise; after it fails once, nothing more is written and cy_trace_close says so. */
struct cy_trace *cy_trace_open(enum cy_trace_format format, bool (*write)(void *context, const char *text, size_t size),
                               void *context);
const struct cy_observer *cy_trace_observer(const struct cy_trace *trace);
bool cy_trace_close(struct cy_trace *trace);

#endif
