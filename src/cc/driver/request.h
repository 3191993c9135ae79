/* A compile as a row of bytes: what a program sends to the compile server, and what a reproducer holds. */
#ifndef CY_CC_DRIVER_REQUEST_H
#define CY_CC_DRIVER_REQUEST_H

#include "base/mem.h"
#include "chengying/cc.h"

struct cc_request {
    const char *name, *source; /* source NULL: the options' parts are linked */
    size_t size;
    struct cy_cc_options options;
    const char *clang, *clang_header; /* as cc_clang_find found them; "": there is none */
    const char *directory;            /* that relative names are meant in; "": it was removed */
    const char *fault;                /* $CHENGYING_COMPILER_FAULT, or "" */
    unsigned seconds;                 /* that it may take; 0: as long as it likes */
    const struct cy_cc_header *files; /* of a reproducer: files that the program includes, by the names clang knew */
    size_t file_count;
};

/* Allocated by malloc; NULL: there is no memory, or more than the format can hold. */
unsigned char *cc_request_pack(const struct cc_request *request, size_t *size);

/* Texts stay in `bytes`, arrays come from one allocation that the caller frees.  False: these are no such bytes, or there is
 * no memory. */
bool cc_request_unpack(struct cc_request *request, void **arrays, const unsigned char *bytes, size_t size);

#endif
