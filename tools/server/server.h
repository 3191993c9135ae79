/* The compile server: LLVM and clang in processes of their own.
 *
 *     server.c   its life: calls come in, children end, time passes
 *     job.c      one call: clang, then a worker (a fork of the server) for LLVM and the back end
 *     front.c    clangs: forked from one that waits (zygote.c), or started
 *
 * The server itself looks at no program: what a kernel can bring down are clang and the worker. */
#ifndef CY_SERVER_SERVER_H
#define CY_SERVER_SERVER_H

#include "cc/clang.h"
#include "cc/progress.h"
#include "cc/worker.h"

#include <sys/types.h>

struct job {
    uint32_t number;
    int answer, reply, directory; /* directory -1: it was removed */
    void *bytes, *arrays;         /* of the request */
    size_t size;
    struct cc_request request;
    enum { JOB_FRONT, JOB_BACK, JOB_DONE } phase;
    pid_t child;                  /* 0: none yet (the zygote has the order) */
    bool by_zygote;               /* its clang */
    bool is_off;                  /* nobody waits for the answer any more */
    bool is_late;                 /* it was stopped because of its time limit */
    int64_t ends_ms;              /* by this clock it is late; INT64_MAX: never */
    struct cc_progress *progress; /* shared with the worker */
    struct cc_clang clang;
    int errors; /* what the worker writes to standard error; -1: there is none */
    struct cy_buf log, bitcode, dependencies;
};

struct zygote {
    pid_t pid;
    int socket;      /* -1: there is none */
    char *program;   /* the clang */
    bool is_useless; /* this clang cannot be preloaded */
};

struct server {
    int control, host, signals; /* host: the program's pidfd, or -1 */
    bool is_closed;             /* no more calls come */
    char *directory;            /* of our own files */
    CY_VEC(struct job *) jobs;
    uint32_t calls;
    struct zygote zygote;
    bool (*worker)(const struct cc_work *work); /* NULL: LLVM is not loaded */
    struct cy_buf no_worker;                    /* why */
};

/* job.c */
void job_accept(struct server *server, int request, int answer, int reply, int directory);
void job_child_ended(struct server *server, struct job *job, int status);
void job_stop(struct job *job); /* kills what it is at; its end is still to be heard of */
void job_free(struct job *job);
bool server_load_llvm(struct server *server);

/* front.c: a clang for a job; false: the job's log says why not. */
bool front_start(struct server *server, struct job *job);
bool front_start_plain(struct job *job);
void front_hear_zygote(struct server *server);
void front_zygote_ended(struct server *server);

/* What every child process does first; false: the server has died meanwhile. */
bool child_begins(pid_t parent);
int64_t now_ms(void);

#endif
