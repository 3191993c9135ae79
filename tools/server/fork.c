#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "server.h"
#include "zygote.h"

#include "cc/driver/protocol.h"
#include "cc/driver/result.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* What every child process does first; false: the server has died meanwhile. */
static bool child_begins(pid_t parent)
{
    sigset_t none;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &usual, NULL); /* including a sanitizer's */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent;
}

static bool cannot(struct job *job, const char *what, const char *name)
{
    cy_buf_printf(&job->log, "%s: error: cannot %s%s: %s\n", job->request.name, what, name, strerror(errno));
    return false;
}

/* ---- started, or forked here ---- */

_Noreturn static void become_clang(struct job *job, pid_t server)
{
    struct cc_clang *clang = &job->clang;
    const struct cc_progress *progress = job->progress;
    if (!child_begins(server) || fchdir(job->directory))
        _exit(127);
    for (size_t i = 0; i < clang->files.count; i++)
        if (dup2(clang->files.at[i], (int)i) < 0)
            _exit(127);
    if (progress->fault && progress->fault_pass == PASS_clang) {
        cc_fault_now((enum cc_fault)progress->fault);
        static const char message[] = "out of memory\n";
        if (write(STDERR_FILENO, message, strlen(message)) > 0)
            abort();
    }
    execv(job->request.clang, (char *const *)(void *)clang->argv.at);
    dprintf(STDERR_FILENO, "%s: error: cannot run %s: %s\n", job->request.name, job->request.clang, strerror(errno));
    _exit(127);
}

static bool start_clang(struct job *job)
{
    pid_t self = getpid();
    *cy_vec_push(&job->clang.argv) = NULL;
    job->by_zygote = false;
    job->child = fork();
    if (!job->child)
        become_clang(job, self);
    if (job->child < 0) {
        job->child = 0;
        return cannot(job, "run ", job->request.clang);
    }
    cc_clang_started(&job->clang, job->child);
    return true;
}

static bool load_llvm(struct server *server)
{
    struct cy_buf path = {0};
    uint32_t (*version)(void) = NULL;
    if (server->worker)
        return true;
    cy_buf_printf(&path, "%s/" CC_LLVM, server->directory);
    server->no_worker.size = 0;
    void *library = dlopen(path.data, RTLD_LAZY | RTLD_LOCAL);
    if (library) {
        void *symbol = dlsym(library, "cc_worker_version"); /* POSIX: a function's address is returned as data */
        memcpy(&version, &symbol, sizeof(symbol));
        symbol = dlsym(library, "cc_worker");
        if (symbol && version && version() == CC_WORKER_VERSION)
            memcpy(&server->worker, &symbol, sizeof(symbol));
        else
            cy_buf_printf(&server->no_worker, "%s has a different version than the compile server", path.data);
    } else {
        cy_buf_printf(&server->no_worker, "cannot load the compiler: %s", dlerror());
    }
    cy_buf_free(&path);
    return server->worker != NULL;
}

static bool start_worker(struct server *server, struct job *job, const int *files)
{
    pid_t self = getpid();
    if (!load_llvm(server)) {
        cy_buf_printf(&job->log, "%s: error: %s\n", job->request.name, server->no_worker.data);
        return false;
    }
    job->by_zygote = false;
    job->child = fork();
    if (!job->child) {
        if (!child_begins(self) || !zygote_place_files(files, CC_WORK_FILES + 1))
            _exit(127);
        _exit(server->worker() ? 0 : 1);
    }
    if (job->child > 0)
        return true;
    job->child = 0;
    return cannot(job, "start a compiler", "");
}

/* ---- forked by the zygote ---- */

_Noreturn static void become_zygote(const struct server *server, const char *program, int socket, pid_t parent)
{
    char *const argv[] = {(char[]){"clang-19"}, (char[]){"-cc1"}, (char[]){"@/proc/self/fd/5"}, NULL};
    _Static_assert(CC_CLANG_ARGUMENTS == 5, "it is in argv");
    const char *preload = getenv("LD_PRELOAD");
    struct cy_buf ours = {0};
    if (!child_begins(parent) || dup2(socket, ZYGOTE_SOCKET) < 0)
        _exit(127);
    cy_buf_printf(&ours, "%s/" ZYGOTE_LIBRARY "%s%s", server->directory, preload && *preload ? ":" : "",
                  preload ? preload : "");
    setenv(ZYGOTE_VARIABLE, preload ? preload : "", 1);
    setenv("LD_PRELOAD", ours.data, 1);
    execv(program, argv);
    _exit(127);
}

static void start_zygote(struct server *server, const char *program)
{
    struct zygote *zygote = &server->zygote;
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return;
    int high = fcntl(pair[1], F_DUPFD_CLOEXEC, ZYGOTE_SOCKET + 1); /* dup2 to itself would leave close-on-exec set */
    pid_t self = getpid();
    zygote->pid = high < 0 ? -1 : fork();
    if (!zygote->pid)
        become_zygote(server, program, high, self);
    close(pair[1]);
    if (high >= 0)
        close(high);
    if (zygote->pid < 0) {
        close(pair[0]);
        return;
    }
    zygote->socket = pair[0];
    free(zygote->program);
    zygote->program = strdup(program);
}

static bool send_order(struct server *server, struct job *job, enum zygote_kind kind, const int *files, size_t count)
{
    struct zygote_order order = {job->number, kind, CC_WORKER_VERSION};
    size_t size = count * sizeof(*files);
    _Alignas(struct cmsghdr) char control[CMSG_SPACE((ZYGOTE_MOST_FILES + 1) * sizeof(*files))] = {0};
    struct iovec data = {&order, sizeof(order)};
    struct msghdr header = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(rights), files, size);
    job->child = 0;
    job->by_zygote = sendmsg(server->zygote.socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(order);
    return job->by_zygote;
}

static bool may_order(const struct server *server, const struct job *job)
{
    return !server->zygote.is_useless &&
           (!server->zygote.program || !strcmp(server->zygote.program, job->request.clang)) &&
           !(job->progress->fault && job->progress->fault_pass == PASS_clang);
}

bool fork_clang(struct server *server, struct job *job)
{
    int files[ZYGOTE_MOST_FILES + 1];
    size_t count = job->clang.files.count;
    if (!job->clang.is_spirv && may_order(server, job) && count <= ZYGOTE_MOST_FILES &&
        cc_clang_write_arguments(&job->clang)) {
        memcpy(files, job->clang.files.at, count * sizeof(*files));
        files[count] = job->directory;
        if (server->zygote.socket < 0)
            start_zygote(server, job->request.clang);
        if (server->zygote.socket >= 0 && send_order(server, job, ZYGOTE_CLANG, files, count + 1))
            return true; /* its files stay open, in case the zygote fails */
    }
    bool ok = start_clang(job);
    if (ok && server->zygote.is_useless && !job->request.options.compile_only)
        load_llvm(server); /* while clang is working */
    return ok;
}

bool fork_worker(struct server *server, struct job *job)
{
    int files[CC_WORK_FILES + 1];
    bool has_clang = job->clang.files.count > 0;
    int log = cc_memory_file(job->log.data, job->log.size, 3);
    int none = cc_memory_file("", 0, 3);
    if (job->errors < 0)
        job->errors = cc_memory_file("", 0, 3);
    files[CC_WORK_REQUEST] = job->request_file;
    files[CC_WORK_ANSWER] = job->answer;
    files[CC_WORK_ERRORS] = job->errors;
    files[CC_WORK_BITCODE] = has_clang ? job->clang.files.at[STDOUT_FILENO] : none;
    files[CC_WORK_LOG] = log;
    files[CC_WORK_DEPENDENCIES] = has_clang ? job->clang.files.at[CC_CLANG_DEPENDENCIES] : none;
    files[CC_WORK_PROGRESS] = job->progress_file;
    files[CC_WORK_FILES] = job->directory;
    bool ok = log >= 0 && none >= 0 && job->errors >= 0;
    if (!ok)
        cannot(job, "create a file for a compiler", "");
    else if (server->zygote.socket < 0 || server->zygote.has_no_worker ||
             !send_order(server, job, ZYGOTE_WORKER, files, CC_WORK_FILES + 1))
        ok = start_worker(server, job, files);
    if (log >= 0)
        close(log);
    if (none >= 0)
        close(none);
    return ok;
}

/* ---- messages from the zygote ---- */

/* The zygote failed to do it. */
static void start_here(struct server *server, struct job *job)
{
    if (!(job->phase == JOB_FRONT ? start_clang(job) : fork_worker(server, job)))
        job_child_ended(server, job, 127 << 8);
}

static void hear(struct server *server, struct job *job, const struct zygote_news *news)
{
    if (news->event == ZYGOTE_STARTED) {
        job->child = news->child;
        server->zygote.has_worked = true;
        if (job->phase == JOB_FRONT)
            cc_clang_started(&job->clang, job->child);
        if (job->is_off)
            job_leave_off(job);
        if (job->is_late)
            job_stop(job);
    } else if (news->event == ZYGOTE_ENDED) {
        job_child_ended(server, job, news->status);
    } else {
        server->zygote.has_no_worker |= news->kind == ZYGOTE_WORKER;
        start_here(server, job);
    }
}

/* It should live as long as we do; but if it is killed, it is replaced. */
static void zygote_ended(struct server *server)
{
    close(server->zygote.socket);
    server->zygote.socket = -1;
    server->zygote.is_useless = !server->zygote.has_worked;
    server->zygote.has_worked = false;
    for (size_t i = 0; i < server->jobs.count; i++) {
        struct job *job = server->jobs.at[i];
        if (job->phase == JOB_DONE || !job->by_zygote)
            continue;
        if (job->child || job->is_late) /* it died with the zygote, and its files are closed */
            job_child_ended(server, job, SIGKILL);
        else
            start_here(server, job);
    }
}

void fork_hear_zygote(struct server *server)
{
    struct zygote_news news;
    ssize_t got = -1;
    if (server->zygote.socket < 0)
        return;
    while ((got = recv(server->zygote.socket, &news, sizeof(news), MSG_DONTWAIT)) == (ssize_t)sizeof(news))
        for (size_t i = 0; i < server->jobs.count; i++) {
            struct job *job = server->jobs.at[i];
            if (job->number == news.job && job->by_zygote && job->phase != JOB_DONE &&
                (job->phase == JOB_FRONT) == (news.kind == ZYGOTE_CLANG)) {
                hear(server, job, &news);
                break;
            }
        }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        zygote_ended(server);
}
