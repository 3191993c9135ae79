/* What the compile server and the clang that it forks say to each other. */
#ifndef CY_SERVER_ZYGOTE_H
#define CY_SERVER_ZYGOTE_H

#include <stdint.h>

enum {
    ZYGOTE_SOCKET = 3,      /* its descriptor */
    ZYGOTE_MOST_FILES = 200 /* of one order; the kernel passes no more than 253 */
};

/* Its value is what LD_PRELOAD is to be in the clangs. */
#define ZYGOTE_VARIABLE "CHENGYING_CLANG_ZYGOTE"

/* With the files of the clang, by their numbers, and at the end the directory that it is to run in. */
struct zygote_order {
    uint32_t job;
};

enum zygote_event { ZYGOTE_STARTED, ZYGOTE_ENDED, ZYGOTE_FAILED };
struct zygote_news {
    uint32_t job, event;
    int32_t child, status; /* as waitpid gives it */
};

#endif
