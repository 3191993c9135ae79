/* The compile server as seen from a program that compiles: started by the first call, one for the process. */
#ifndef CY_CC_DRIVER_CLIENT_H
#define CY_CC_DRIVER_CLIENT_H

#include "base/sha256.h"
#include "chengying/cc.h"

struct cc_client_call {
    const char *server;              /* the program */
    const struct cy_digest *version; /* of everything that a server loads and keeps: another one means another server */
    const void *request;
    size_t size;
    unsigned seconds; /* that the server may take; 0: as long as it likes */
    int directory;    /* that relative names are meant in; -1: it was removed */
};

struct cc_client_answer {
    bool ok, is_broken; /* broken: the compiler crashed or was stopped, and the log says where */
    bool no_memory;     /* there is no answer for want of memory */
    char *dependencies; /* freed by the caller */
    struct cy_cc_result result;
};

/* False: there is no answer, and `error` says why, as what comes behind "error: ". */
bool cc_client_run(const struct cc_client_call *call, struct cc_client_answer *answer, char *error, size_t room);

/* A directory, kept open so that a thread that changes ours meanwhile does no harm; -1: it was removed. */
int cc_client_directory(const char *path);

#endif
