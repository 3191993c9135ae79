/* The compile server as seen by a client program: started by the first call, one per process. */
#ifndef CY_CC_DRIVER_CLIENT_H
#define CY_CC_DRIVER_CLIENT_H

#include "base/sha256.h"
#include "chengying/cc.h"

struct cc_client_call {
    const char *server;              /* the program */
    const struct cy_digest *version; /* of everything that a server loads and keeps: a different one means a different
                                      * server */
    const void *request;
    size_t size;
    unsigned seconds; /* time limit for the server; 0: none */
    int directory;    /* base of relative names; -1: it was removed */
    bool ends;        /* this process does, and waits for nothing */
};

struct cc_client_answer {
    bool ok, is_broken; /* broken: the compiler crashed or was stopped, and the log says where */
    bool no_memory;     /* no answer because memory ran out */
    char *dependencies; /* freed by the caller */
    struct cy_cc_result result;
};

/* False: no answer, and `error` has the reason in the form that follows "error: ". */
bool cc_client_run(const struct cc_client_call *call, struct cc_client_answer *answer, char *error, size_t room);

/* The same for a call that `ends`: there is no answer. */
bool cc_client_leave(const struct cc_client_call *call, char *error, size_t room);

/* Has this process a server?  It may have ended meanwhile. */
bool cc_client_is_started(void);

/* A directory, kept open so that a chdir in another thread does no harm; -1: it was removed. */
int cc_client_directory(const char *path);

#endif
