/* The commit log: a line per retired instruction that writes a register or memory (docs/replay.md, "The commit log").
 * An engine observer; one thread at a time. */
#ifndef CY_GPU_REPLAY_TRACE_H
#define CY_GPU_REPLAY_TRACE_H

#include "gpu/engine/engine.h"

struct cy_trace;
/* `write` takes the text piecewise; after it fails once, nothing more is written and cy_trace_close says so. */
struct cy_trace *cy_trace_open(bool (*write)(void *context, const char *text, size_t size), void *context);
const struct cy_observer *cy_trace_observer(const struct cy_trace *trace);
bool cy_trace_close(struct cy_trace *trace);

#endif
