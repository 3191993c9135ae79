/* The compile server: LLVM and clang in separate processes.
 *
 *     server.c   its life cycle: calls arrive, children exit, time passes
 *     job.c      one call: clang, then a worker for LLVM and the back end
 *     fork.c     both are forked from a waiting clang (zygote.c); where that is impossible, clangs are started, and
 *     workers
 *                are forks of the server
 *
 * Of a program the server itself only rewrites inline assembly (asm_rewrite.h): a kernel can bring down nothing but clang and
 * the worker. */
#ifndef CY_SERVER_SERVER_H
#define CY_SERVER_SERVER_H

#include "cc/driver/clang.h"
#include "cc/passes/progress.h"
#include "cc/worker.h"

#include <sys/types.h>

struct job {
    uint32_t number;
    int request_file, answer, reply, directory, progress_file;
    void *bytes, *arrays; /* of the request */
    size_t size;
    struct cc_request request;
    enum { JOB_WAITING, JOB_FRONT, JOB_BACK, JOB_DONE } phase; /* only translations wait */
    pid_t child;                                               /* 0: none yet (the zygote has the request) */
    bool by_zygote;                                            /* the zygote has forked it, or will */
    bool is_off;                                               /* the client no longer waits for the answer */
    bool is_late;                                              /* it was stopped by its time limit */
    int64_t ends_ms;                                           /* its deadline on this clock; INT64_MAX: none */
    int64_t latest_ms;                                         /* a translation's deadline may be put off until then */
    struct cc_progress *progress;                              /* shared with the worker */
    struct cc_clang clang;
    enum cc_clang_step step; /* of JOB_FRONT: a program with inline assembly takes two */
    bool is_preprocessed;    /* it has taken the first */
    struct cy_buf text;      /* for the second */
    uint64_t front_ns;       /* when clang was started */
    int errors;              /* the worker's standard error; -1: none */
    struct cy_buf log, bitcode, dependencies;
};

struct zygote {
    pid_t pid;
    int socket;         /* -1: none */
    char *program;      /* the clang */
    bool has_worked;    /* it has forked something */
    bool is_useless;    /* this clang cannot be preloaded */
    bool has_no_worker; /* it forks only clangs */
};

struct server {
    int control, host, signals; /* host: the program's pidfd, or -1 */
    bool is_closed;             /* no more calls arrive */
    bool is_gone;               /* the program has ended */
    char *directory;            /* of our own files */
    CY_VEC(struct job *) jobs;
    uint32_t calls;
    struct zygote zygote;
    bool (*worker)(void);    /* NULL: LLVM is not loaded */
    struct cy_buf no_worker; /* why */
};

/* job.c */
void job_accept(struct server *server, int request, int answer, int reply, int directory);
void job_child_ended(struct server *server, struct job *job, int status);
void job_stop(struct job *job); /* kills its child, whose exit is still to be reported */
/* Starts translations that wait: there are no more at a time than processors, but a program that ends may leave many at once. */
void job_start_waiting(struct server *server);
/* A translation is finished even if nobody waits for it any more: the next run finds it in the cache. */
bool job_is_kept(const struct job *job);
/* Nobody waits for the answer: it is stopped, or finished when the processor has nothing better to do. */
void job_leave_off(struct job *job);
void job_free(struct job *job);

/* fork.c: starts a process for a job; false: the job's log has the reason. */
bool fork_clang(struct server *server, struct job *job);
bool fork_worker(struct server *server, struct job *job);
void fork_hear_zygote(struct server *server);

int64_t now_ms(void);
uint64_t now_ns(void);

#endif
