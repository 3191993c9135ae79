/* The part of a compile that needs LLVM, as a process of its own: what the compile server forks, or has forked, for each
 * job.  Like clang it is started with files of fixed numbers. */
#ifndef CY_CC_WORKER_H
#define CY_CC_WORKER_H

#include "base/mem.h"
#include "chengying/api.h"

enum {
    CC_WORK_REQUEST,
    CC_WORK_ANSWER,
    CC_WORK_ERRORS,  /* standard error */
    CC_WORK_BITCODE, /* of the request's source, if it has one */
    CC_WORK_LOG,     /* clang's messages, before ours */
    CC_WORK_DEPENDENCIES,
    CC_WORK_PROGRESS, /* a struct cc_progress, shared with the server */
    CC_WORK_FILES
};
_Static_assert(CC_WORK_ERRORS == 2, "LLVM writes there too");

/* The answer is in its file; false: it could not be written. */
CY_API bool cc_worker(void);

/* The server and the library must be of one version: the library's is cc_worker_version(). */
#define CC_WORKER_VERSION (CC_PROTOCOL << 24 ^ cc_result_layout())
CY_API uint32_t cc_worker_version(void);

#endif
