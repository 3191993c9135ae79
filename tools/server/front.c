#define _GNU_SOURCE /* SOCK_CLOEXEC */
#include "server.h"
#include "zygote.h"

#include "cc/protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

bool child_begins(pid_t parent)
{
    sigset_t none;
    struct sigaction usual = {.sa_handler = SIG_DFL};
    for (int signal = 1; signal < NSIG; signal++)
        sigaction(signal, &usual, NULL); /* a sanitizer's among them */
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == parent;
}

/* ---- one that is started ---- */

_Noreturn static void become_clang(struct job *job, pid_t server)
{
    struct cc_clang *clang = &job->clang;
    const struct cc_progress *progress = job->progress;
    if (!child_begins(server) || (job->directory >= 0 && fchdir(job->directory)))
        _exit(127);
    for (size_t i = 0; i < clang->files.count; i++)
        if (dup2(clang->files.at[i], (int)i) < 0)
            _exit(127);
    if (progress->fault && progress->fault_stage == CC_STAGE_FRONT_END) {
        cc_fault_now((enum cc_fault)progress->fault);
        static const char message[] = "out of memory\n";
        if (write(STDERR_FILENO, message, strlen(message)) > 0)
            abort();
    }
    execv(job->request.clang, (char *const *)(void *)clang->argv.at);
    dprintf(STDERR_FILENO, "%s: error: cannot run %s: %s\n", job->request.name, job->request.clang, strerror(errno));
    _exit(127);
}

bool front_start_plain(struct job *job)
{
    pid_t self = getpid();
    *cy_vec_push(&job->clang.argv) = NULL;
    job->by_zygote = false;
    job->child = fork();
    if (!job->child)
        become_clang(job, self);
    if (job->child < 0) {
        job->child = 0;
        cy_buf_printf(&job->log, "%s: error: cannot run %s: %s\n", job->request.name, job->request.clang,
                      strerror(errno));
        return false;
    }
    cc_clang_started(&job->clang);
    return true;
}

/* ---- one that is forked ---- */

_Noreturn static void become_zygote(const struct server *server, const char *program, int socket, pid_t parent)
{
    char *const argv[] = {(char[]){"clang-19"}, (char[]){"-cc1"}, (char[]){"@/proc/self/fd/5"}, NULL};
    _Static_assert(CC_CLANG_ARGUMENTS == 5, "it is in argv");
    const char *preload = getenv("LD_PRELOAD");
    struct cy_buf ours = {0};
    if (!child_begins(parent) || dup2(socket, ZYGOTE_SOCKET) < 0)
        _exit(127);
    cy_buf_printf(&ours, "%s/" CC_ZYGOTE "%s%s", server->directory, preload && *preload ? ":" : "",
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
    int high = fcntl(pair[1], F_DUPFD_CLOEXEC, ZYGOTE_SOCKET + 1); /* dup2 to itself would leave it closed by exec */
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

static bool send_order(struct server *server, struct job *job)
{
    struct zygote_order order = {job->number};
    int files[ZYGOTE_MOST_FILES + 1];
    size_t count = job->clang.files.count;
    if (count > ZYGOTE_MOST_FILES)
        return false;
    memcpy(files, job->clang.files.at, count * sizeof(*files));
    int root = job->directory < 0 ? open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    files[count] = job->directory < 0 ? root : job->directory;
    size_t size = (count + 1) * sizeof(*files);
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(files))] = {0};
    struct iovec data = {&order, sizeof(order)};
    struct msghdr header = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(size)};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(rights), files, size);
    bool sent = sendmsg(server->zygote.socket, &header, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(order);
    if (root >= 0)
        close(root);
    return sent;
}

/* The first clang of a server is started: many programs build once. */
static bool may_fork(const struct server *server, const struct job *job)
{
    return server->calls > 1 && !server->zygote.is_useless &&
           (!server->zygote.program || !strcmp(server->zygote.program, job->request.clang)) &&
           !(job->progress->fault && job->progress->fault_stage == CC_STAGE_FRONT_END);
}

bool front_start(struct server *server, struct job *job)
{
    if (may_fork(server, job) && cc_clang_write_arguments(&job->clang)) {
        if (server->zygote.socket < 0)
            start_zygote(server, job->request.clang);
        job->by_zygote = server->zygote.socket >= 0 && send_order(server, job);
        if (job->by_zygote)
            return true; /* its files stay open, in case that the zygote fails */
    }
    return front_start_plain(job);
}

static void start_again(struct server *server, struct job *job)
{
    job->child = 0;
    if (!front_start_plain(job))
        job_child_ended(server, job, 127 << 8);
}

void front_hear_zygote(struct server *server)
{
    struct zygote_news news;
    ssize_t got;
    while ((got = recv(server->zygote.socket, &news, sizeof(news), MSG_DONTWAIT)) == (ssize_t)sizeof(news)) {
        for (size_t i = 0; i < server->jobs.count; i++) {
            struct job *job = server->jobs.at[i];
            if (job->number != news.job || job->phase != JOB_FRONT)
                continue;
            if (news.event == ZYGOTE_STARTED) {
                job->child = news.child;
                cc_clang_started(&job->clang);
                if (job->is_off || job->is_late)
                    job_stop(job);
            } else if (news.event == ZYGOTE_ENDED) {
                job_child_ended(server, job, news.status);
            } else {
                start_again(server, job);
            }
            break;
        }
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        front_zygote_ended(server);
}

/* It should live as long as we do. */
void front_zygote_ended(struct server *server)
{
    struct zygote *zygote = &server->zygote;
    if (zygote->socket >= 0)
        close(zygote->socket);
    zygote->socket = -1;
    zygote->is_useless = true;
    for (size_t i = 0; i < server->jobs.count; i++) {
        struct job *job = server->jobs.at[i];
        if (job->phase != JOB_FRONT || !job->by_zygote)
            continue;
        if (job->child || job->is_late) /* it died with the zygote, and its files are closed */
            job_child_ended(server, job, SIGKILL);
        else
            start_again(server, job);
    }
}
