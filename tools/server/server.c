/* The server's life cycle: started by a program (cc/driver/client.c) with a socket as its standard files; it exits with
 * that program, or after it has been idle for a while. */
#define _GNU_SOURCE /* accept4 flags, pidfd_open */
#include "server.h"

#include "cc/driver/protocol.h"
#include "cc/driver/result.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { IDLE_MS = 60000 };

uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t now_ms(void)
{
    return (int64_t)(now_ns() / 1000000);
}

/* ---- incoming calls ---- */

static void refuse(int reply)
{
    struct cc_reply message = {CC_CALL_MAGIC, CC_REFUSED};
    send(reply, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void hear_program(struct server *server)
{
    struct cc_call call = {0};
    int files[CC_CALL_FILES];
    size_t count = 0;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(files))];
    struct iovec data = {&call, sizeof(call)};
    struct msghdr header = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    ssize_t got = recvmsg(server->control, &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
    if (got <= 0) {
        server->is_closed = got == 0 || (errno != EINTR && errno != EAGAIN);
        return;
    }
    for (struct cmsghdr *rights = CMSG_FIRSTHDR(&header); rights; rights = CMSG_NXTHDR(&header, rights))
        if (rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
            count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(*files);
            memcpy(files, CMSG_DATA(rights), count * sizeof(*files));
        }
    bool is_known = got == (ssize_t)sizeof(call) && !memcmp(call.magic, CC_CALL_MAGIC, sizeof(call.magic)) &&
                    call.protocol == CC_PROTOCOL && call.layout == cc_result_layout();
    if (is_known && count >= CC_CALL_DIRECTORY && !(header.msg_flags & MSG_CTRUNC)) {
        job_accept(server, files[CC_CALL_REQUEST], files[CC_CALL_ANSWER], files[CC_CALL_REPLY],
                   count > CC_CALL_DIRECTORY ? files[CC_CALL_DIRECTORY] : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
        return;
    }
    if (count > CC_CALL_REPLY && !is_known)
        refuse(files[CC_CALL_REPLY]);
    for (size_t i = 0; i < count; i++) /* without an answer the client tries another server */
        close(files[i]);
}

static void reap(struct server *server)
{
    struct signalfd_siginfo info;
    int status;
    pid_t pid;
    while (read(server->signals, &info, sizeof(info)) > 0)
        ;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == server->zygote.pid) {
            server->zygote.pid = 0;
            fork_hear_zygote(server); /* handle its earlier messages first */
            continue;
        }
        for (size_t i = 0; i < server->jobs.count; i++)
            if (server->jobs.at[i]->child == pid && !server->jobs.at[i]->by_zygote) {
                job_child_ended(server, server->jobs.at[i], status);
                break;
            }
    }
}

/* ---- time-outs ---- */

/* The limit of a translation says how much work it is worth: on a busy host, CPU time counts. */
static bool put_off(struct job *job, int64_t now)
{
    enum { LEAST_MS = 100 };
    const int64_t limit = (int64_t)job->request.seconds * 1000;
    struct timespec used = {0};
    clockid_t clock;
    if (now >= job->latest_ms)
        return false;
    if (job->child > 0 && (clock_getcpuclockid(job->child, &clock) || clock_gettime(clock, &used)))
        return false;
    const int64_t left = limit - (used.tv_sec * 1000 + used.tv_nsec / 1000000);
    if (left <= 0)
        return false;
    job->ends_ms = now + (left > LEAST_MS ? left : LEAST_MS);
    if (job->ends_ms > job->latest_ms)
        job->ends_ms = job->latest_ms;
    return true;
}

static void stop_late(struct server *server)
{
    int64_t now = now_ms();
    for (size_t i = 0; i < server->jobs.count; i++) {
        struct job *job = server->jobs.at[i];
        if (job->phase == JOB_DONE || job->is_late || now < job->ends_ms || put_off(job, now))
            continue;
        job->is_late = true;
        if (job->child)
            job_stop(job);
        else if (server->zygote.pid > 0)
            kill(server->zygote.pid, SIGKILL); /* it has not even started this job */
    }
}

static void sweep(struct server *server)
{
    size_t kept = 0;
    for (size_t i = 0; i < server->jobs.count; i++)
        if (server->jobs.at[i]->phase == JOB_DONE)
            job_free(server->jobs.at[i]);
        else
            server->jobs.at[kept++] = server->jobs.at[i];
    server->jobs.count = kept;
}

static int milliseconds_left(const struct server *server, int64_t idle_since)
{
    int64_t end = server->jobs.count ? INT64_MAX : idle_since + IDLE_MS, now = now_ms();
    for (size_t i = 0; i < server->jobs.count; i++)
        if (!server->jobs.at[i]->is_late && server->jobs.at[i]->ends_ms < end)
            end = server->jobs.at[i]->ends_ms;
    return end <= now ? 0 : end - now > INT_MAX ? INT_MAX : (int)(end - now);
}

/* ---- the loop ---- */

static bool has_work(const struct server *server)
{
    bool has = !server->is_gone;
    for (size_t i = 0; i < server->jobs.count; i++)
        has |= job_is_kept(server->jobs.at[i]);
    return has;
}

/* Waits for an event.  False: the client program is gone, or there is no memory. */
static bool wait_and_hear(struct server *server, int64_t idle_since)
{
    enum { CONTROL, HOST, SIGNALS, ZYGOTE, JOBS };
    size_t count = server->jobs.count;
    struct pollfd *ready = calloc(JOBS + count, sizeof(*ready));
    if (!ready)
        return false;
    ready[CONTROL] = (struct pollfd){server->is_closed ? -1 : server->control, POLLIN, 0};
    ready[HOST] = (struct pollfd){server->is_gone ? -1 : server->host, POLLIN, 0};
    ready[SIGNALS] = (struct pollfd){server->signals, POLLIN, 0};
    ready[ZYGOTE] = (struct pollfd){server->zygote.socket, POLLIN, 0};
    for (size_t i = 0; i < count; i++)
        ready[JOBS + i] = (struct pollfd){server->jobs.at[i]->is_off ? -1 : server->jobs.at[i]->reply, 0, 0};
    bool lives = true;
    if (poll(ready, JOBS + count, milliseconds_left(server, idle_since)) > 0) {
        server->is_gone |= ready[HOST].revents != 0;
        for (size_t i = 0; i < count; i++)
            if (ready[JOBS + i].revents)
                job_leave_off(server->jobs.at[i]);
        if (ready[ZYGOTE].revents)
            fork_hear_zygote(server);
        if (ready[SIGNALS].revents)
            reap(server);
        if (ready[CONTROL].revents)
            hear_program(server);
        lives = has_work(server);
    }
    free(ready);
    return lives;
}

static void serve(struct server *server)
{
    int64_t idle_since = now_ms();
    for (bool lives = true; lives;) {
        stop_late(server);
        sweep(server);
        job_start_waiting(server);
        if (server->jobs.count)
            idle_since = now_ms();
        else if (server->is_closed || now_ms() - idle_since >= IDLE_MS)
            break;
        lives = wait_and_hear(server, idle_since);
    }
}

/* ---- start-up ---- */

static char *own_directory(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = 0;
    char *slash = strrchr(path, '/');
    if (!slash)
        return NULL;
    *slash = 0;
    return strdup(path);
}

/* Moves the socket out of the way, so that our standard files are free. */
static int take_control(void)
{
    int control = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing < 0)
        nothing = cc_memory_file("", 0, 3);
    for (int i = 0; i < 3; i++)
        if (control < 0 || nothing < 0 || dup2(nothing, i) < 0)
            return -1;
    close(nothing);
    return control;
}

/* Compilers leave no core files, get as many files as allowed and a stack for deep recursion; and when the machine runs
 * out of memory they are killed first. */
static void set_limits(void)
{
    struct rlimit limit = {0, 0};
    setrlimit(RLIMIT_CORE, &limit);
    if (!getrlimit(RLIMIT_NOFILE, &limit)) {
        limit.rlim_cur = limit.rlim_max < 65536 ? limit.rlim_max : 65536;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    int score = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (score >= 0) {
        ssize_t done = write(score, "1000", 4); /* best effort */
        (void)done;
        close(score);
    }
}

int main(int argc, char **argv)
{
    struct server server = {.zygote.socket = -1};
    sigset_t child;
    int type;
    (void)argv;
    if (argc != 1 || getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &type, &(socklen_t){sizeof(type)}) ||
        type != SOCK_SEQPACKET) {
        fputs("compile-server: part of Chengying, started by programs that compile OpenCL C\n", stderr);
        return 2;
    }
    server.host = (int)syscall(SYS_pidfd_open, getppid(), 0);
    if (server.host >= 0)
        fcntl(server.host, F_SETFD, FD_CLOEXEC);
    pid_t detached = fork(); /* the program must not have a child that it does not know about */
    if (detached)
        _exit(detached < 0);
    if (setsid() < 0) /* the session that we kill at the end is our own */
        _exit(1);
    set_limits();
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    server.signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    server.control = take_control();
    server.directory = own_directory();
    if (server.signals >= 0 && server.control >= 0 && server.directory && !chdir("/"))
        serve(&server);
    kill(0, SIGKILL); /* with everything it has started */
}
