/* The protocol between the compile server and the clang that forks for it. */
#ifndef CY_SERVER_ZYGOTE_H
#define CY_SERVER_ZYGOTE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

enum {
    ZYGOTE_SOCKET = 3,      /* its descriptor */
    ZYGOTE_MOST_FILES = 200 /* per request; the kernel passes at most 253 */
};

/* Its value becomes LD_PRELOAD in the clangs. */
#define ZYGOTE_VARIABLE "CHENGYING_CLANG_ZYGOTE"

/* Comes with the files of the clang or worker, in order of their numbers, and finally its working directory. */
enum zygote_kind { ZYGOTE_CLANG, ZYGOTE_WORKER };
struct zygote_order {
    uint32_t job, kind;
    uint32_t version; /* cc_worker_version() of the server */
};

enum zygote_event { ZYGOTE_STARTED, ZYGOTE_ENDED, ZYGOTE_FAILED };
struct zygote_news {
    uint32_t job, kind, event;
    int32_t child, status; /* as from waitpid */
};

/* In a new process: moves the files to their numbers; the last is the directory. */
static inline bool zygote_place_files(const int *files, int count)
{
    int moved[ZYGOTE_MOST_FILES + 1];
    for (int i = 0; i < count; i++)
        if ((moved[i] = fcntl(files[i], F_DUPFD_CLOEXEC, count)) < 0)
            return false;
    for (int i = 0; i < count - 1; i++)
        if (dup2(moved[i], i) < 0)
            return false;
    bool ok = !fchdir(moved[count - 1]);
    for (int i = 0; i < count; i++)
        close(moved[i]);
    return ok;
}

#endif
