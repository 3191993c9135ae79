/* What programs and the compile server say to each other.
 *
 * A call is one message with four open files: the request (cc/driver/request.h), where the answer is to be written, a
 * socket, and the directory that relative names are meant in (left out when it was removed).  When the answer is written,
 * or the compile has failed for good, a struct cc_reply comes through the socket; the call is off when the program closes
 * its end.  So calls of several threads need not know of each other. */
#ifndef CY_CC_DRIVER_PROTOCOL_H
#define CY_CC_DRIVER_PROTOCOL_H

#include "base/mem.h"

/* Counts changes of this file and of what request.c and result.c write. */
#define CC_PROTOCOL 2u

enum { CC_CALL_REQUEST, CC_CALL_ANSWER, CC_CALL_REPLY, CC_CALL_DIRECTORY, CC_CALL_FILES };

struct cc_call {
    char magic[8]; /* CC_CALL_MAGIC, whatever the version */
    uint32_t protocol;
    uint32_t layout; /* cc_result_layout() */
};
#define CC_CALL_MAGIC "CYCALL\r\n"

enum cc_status {
    CC_REFUSED, /* a call of another version, or none that can be read */
    CC_ANSWERED,
    CC_BROKEN, /* answered with a log: the compiler crashed, or was stopped */
};

struct cc_reply {
    char magic[8];
    uint32_t status;
};

/* The answer: whether the compile succeeded, the files it read (as clang_finish gives them), and the result as result.c
 * saves it. */
struct cy_cc_result;
bool cc_write_answer(int file, bool ok, const struct cy_buf *dependencies, const struct cy_cc_result *result);

/* Files beside the compile server. */
#define CC_SERVER "compile-server"
#define CC_LLVM "libchengying_llvm.so"
#define CC_ZYGOTE "clang-zygote.so"

#endif
