/* The part of a compile that needs LLVM, for the compile server: it loads libchengying_llvm.so and calls this in a child
 * process. */
#ifndef CY_CC_WORKER_H
#define CY_CC_WORKER_H

#include "base/mem.h"

struct cc_progress;
struct cc_request;

struct cc_work {
    const struct cc_request *request;
    const struct cy_buf *bitcode; /* of the request's source, if it has one */
    const struct cy_buf *log;     /* clang's messages, before ours */
    const struct cy_buf *dependencies;
    struct cc_progress *progress;
    int answer; /* the file */
};

/* False: the answer could not be written. */
bool cc_worker(const struct cc_work *work);
/* The server and the library are of one build. */
uint32_t cc_worker_version(void);

#endif
