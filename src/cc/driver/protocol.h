/* The protocol between programs and the compile server.
 *
 * A call is one message with four open files: the request (cc/driver/request.h), the file for the answer, a socket, and
 * the base directory of relative names (omitted if it was removed).  Once the answer is written, or the compile has
 * failed for good, the server sends a struct cc_reply through the socket; a program cancels the call by closing its
 * end.  So calls of different threads are independent. */
#ifndef CY_CC_DRIVER_PROTOCOL_H
#define CY_CC_DRIVER_PROTOCOL_H

#include "base/mem.h"

/* Incremented when this file or the formats of request.c and result.c change. */
#define CC_PROTOCOL 3u

enum { CC_CALL_REQUEST, CC_CALL_ANSWER, CC_CALL_REPLY, CC_CALL_DIRECTORY, CC_CALL_FILES };

struct cc_call {
    char magic[8]; /* CC_CALL_MAGIC, in every version */
    uint32_t protocol;
    uint32_t layout; /* cc_result_layout() */
};
#define CC_CALL_MAGIC "CYCALL\r\n"

enum cc_status {
    CC_REFUSED, /* a call of a different version, or an unreadable one */
    CC_ANSWERED,
    CC_BROKEN, /* answered with a log: the compiler crashed or was stopped */
};

struct cc_reply {
    char magic[8];
    uint32_t status;
};

/* The answer: whether the compile succeeded, the files it read (as from cc_clang_finish), and the result as saved by
 * result.c. */
struct cy_cc_result;
bool cc_write_answer(int file, bool ok, const struct cy_buf *dependencies, const struct cy_cc_result *result);

/* Files next to the compile server. */
#define CC_SERVER "compile-server"
#define CC_LLVM "libchengying_llvm.so"
#define CC_ZYGOTE "clang-zygote.so"

#endif
