/* Preloaded into clang: once all its libraries are loaded and initialised, and before main, clang becomes a process
 * that forks one clang per request.  That takes a millisecond or two; starting clang takes more than twenty.  As part
 * of libchengying_llvm.so it forks workers too, which use the LLVM that clang has loaded.
 *
 * A clang that is linked statically, or has a different architecture than this library, does not get here.  It finds no
 * arguments and exits, and the server starts an ordinary one for every job. */
#define _GNU_SOURCE /* signalfd, SOCK_* */
#include "zygote.h"

#include "cc/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* Absent in the stand-alone library. */
extern __typeof__(cc_worker) cc_worker __attribute__((weak));
extern __typeof__(cc_worker_version) cc_worker_version __attribute__((weak));

static struct {
    pid_t pid;
    struct zygote_order order;
} children[4096];
static unsigned child_count;

static void tell(const struct zygote_order *order, enum zygote_event event, pid_t child, int status)
{
    struct zygote_news news = {order->job, order->kind, event, child, status};
    while (send(ZYGOTE_SOCKET, &news, sizeof(news), MSG_NOSIGNAL) < 0 && errno == EINTR)
        ;
}

static void reap(void)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        for (unsigned i = 0; i < child_count; i++)
            if (children[i].pid == pid) {
                tell(&children[i].order, ZYGOTE_ENDED, pid, status);
                children[i] = children[--child_count];
                break;
            }
}

/* In the child.  For a clang, main continues as usual. */
static void begin(const struct zygote_order *order, const int *files, int count, pid_t parent)
{
    sigset_t none;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || !zygote_place_files(files, count))
        _exit(127);
    for (int i = 0; i < count; i++)
        if (files[i] >= count - 1)
            close(files[i]);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (order->kind == ZYGOTE_WORKER)
        _exit(cc_worker() ? 0 : 1);
}

/* True: this is a child that becomes clang. */
static int take_order(int signals, pid_t self)
{
    struct zygote_order order;
    int files[ZYGOTE_MOST_FILES + 1], count = 0;
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(files))];
    struct iovec data = {&order, sizeof(order)};
    struct msghdr header = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
    ssize_t got = recvmsg(ZYGOTE_SOCKET, &header, MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return 0;
    if (got != (ssize_t)sizeof(order))
        _exit(0); /* the server is gone */
    for (struct cmsghdr *rights = CMSG_FIRSTHDR(&header); rights; rights = CMSG_NXTHDR(&header, rights))
        if (rights->cmsg_level == SOL_SOCKET && rights->cmsg_type == SCM_RIGHTS) {
            count = (int)((rights->cmsg_len - CMSG_LEN(0)) / sizeof(*files));
            memcpy(files, CMSG_DATA(rights), (size_t)count * sizeof(*files));
        }
    pid_t child = -1;
    bool can = order.kind == ZYGOTE_CLANG || (cc_worker && cc_worker_version() == order.version);
    if (can && count > 1 && !(header.msg_flags & MSG_CTRUNC) && child_count < sizeof(children) / sizeof(*children))
        child = fork();
    if (!child) {
        close(signals);
        close(ZYGOTE_SOCKET);
        begin(&order, files, count, self);
        return 1;
    }
    for (int i = 0; i < count; i++)
        close(files[i]);
    if (child < 0) {
        tell(&order, ZYGOTE_FAILED, 0, 0);
        return 0;
    }
    children[child_count].pid = child;
    children[child_count++].order = order;
    tell(&order, ZYGOTE_STARTED, child, 0);
    return 0;
}

__attribute__((constructor)) static void serve(void)
{
    const char *preload = getenv(ZYGOTE_VARIABLE);
    sigset_t child;
    if (!preload)
        return;
    if (*preload)
        setenv("LD_PRELOAD", preload, 1);
    else
        unsetenv("LD_PRELOAD");
    unsetenv(ZYGOTE_VARIABLE); /* processes started by clang are not zygotes */
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, NULL);
    int signals = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
    if (signals < 0)
        _exit(127);
    for (pid_t self = getpid();;) {
        struct pollfd ready[] = {{ZYGOTE_SOCKET, POLLIN, 0}, {signals, POLLIN, 0}};
        struct signalfd_siginfo info;
        if (poll(ready, 2, -1) < 0)
            continue;
        while (read(signals, &info, sizeof(info)) > 0)
            ;
        reap();
        if (ready[0].revents && take_order(signals, self))
            return;
    }
}
