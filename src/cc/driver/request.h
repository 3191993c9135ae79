/* A serialised compile: what a program sends to the compile server, and what a reproducer contains. */
#ifndef CY_CC_DRIVER_REQUEST_H
#define CY_CC_DRIVER_REQUEST_H

#include "base/mem.h"
#include "chengying/cc.h"

/* What can be asked for of a translation, as text: LLVM's code as it is first, behind the passes over it, and assembly. */
#define CC_TEXT_LLVM "llvm"
#define CC_TEXT_OPTIMISED "optimised"
#define CC_TEXT_ASSEMBLY "assembly"

struct cc_request {
    /* The source is a request of jit/abi.h, the answer's bitcode an image.  The options' arguments, if there are any, are the
     * cache's directory and the key under which the answer is kept there.  With a `dump`, one of CC_TEXT_..., the answer is text
     * instead, in `dump`.  Nothing else counts. */
    bool translates;
    const char *name, *source; /* source NULL: link the options' parts */
    size_t size;
    struct cy_cc_options options;
    const char *clang, *clang_header; /* as found by cc_clang_find; "": none */
    const char *directory;            /* base of relative names; "": it was removed */
    const char *fault;                /* $CHENGYING_COMPILER_FAULT, or "" */
    unsigned seconds;                 /* time limit; 0: none */
    const struct cy_cc_header *files; /* in a reproducer: the files that the program includes, under the names clang
                                       * used */
    size_t file_count;
};

/* Allocated by malloc; NULL: out of memory, or too large for the format. */
unsigned char *cc_request_pack(const struct cc_request *request, size_t *size);

/* Strings stay in `bytes`; arrays come from one allocation that the caller frees.  False: malformed, or out of
 * memory. */
bool cc_request_unpack(struct cc_request *request, void **arrays, const unsigned char *bytes, size_t size);

#endif
