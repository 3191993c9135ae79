/* The part of a compile that needs LLVM, in its own process, forked by the compile server for each job (or ahead of
 * it).  Like clang it is started with its files at fixed descriptor numbers. */
#ifndef CY_CC_WORKER_H
#define CY_CC_WORKER_H

#include "base/mem.h"
#include "chengying/api.h"

enum {
    CC_WORK_REQUEST,
    CC_WORK_ANSWER,
    CC_WORK_ERRORS,  /* standard error */
    CC_WORK_BITCODE, /* of the request's source, if any */
    CC_WORK_LOG,     /* clang's messages, which precede ours */
    CC_WORK_DEPENDENCIES,
    CC_WORK_PROGRESS, /* a struct cc_progress, shared with the server */
    CC_WORK_FILES
};
_Static_assert(CC_WORK_ERRORS == 2, "LLVM writes there too");

/* The result is in its file; false: it could not be written. */
CY_API bool cc_worker(void);

/* The server and the library must be the same version; the library's is cc_worker_version(). */
#define CC_WORKER_VERSION (CC_PROTOCOL << 24 ^ cc_result_layout())
CY_API uint32_t cc_worker_version(void);

#endif
