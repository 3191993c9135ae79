/* Nothing here may terminate or hang its host program: every failure, running out of memory included, is a message.
 *
 * The server is our child only while it starts, so that a program waiting for all its children does not wait for it; it
 * exits when our end of its socket is closed.  After a fork, the child gets its own server. */
#define _GNU_SOURCE /* memfd_create, addclosefrom_np */
#include "cc/driver/client.h"

#include "base/file.h"
#include "base/pack.h"
#include "cc/driver/environment.h"
#include "cc/driver/protocol.h"
#include "cc/driver/result.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* How long we wait beyond the server's own limit, and for a call to be accepted. */
enum { GRACE_SECONDS = 30, SEND_SECONDS = 30 };

#define ENDED "the compiler %s exited without an answer"

static struct {
    pthread_mutex_t lock;
    int socket;           /* -1: there is no server */
    pid_t process;        /* whose it is */
    struct stat identity; /* of the socket: a program may close descriptors it does not own, and reuse the numbers */
    struct cy_digest version;
    atomic_bool is_started; /* the socket is no -1: for who asks without the lock */
} server = {.lock = PTHREAD_MUTEX_INITIALIZER, .socket = -1};

/* ---- the server ---- */

static bool is_ours(void)
{
    struct stat now;
    return server.socket >= 0 && !fstat(server.socket, &now) && now.st_dev == server.identity.st_dev &&
           now.st_ino == server.identity.st_ino;
}

static void forget(void)
{
    if (is_ours())
        close(server.socket);
    server.socket = -1;
    atomic_store(&server.is_started, false);
}

bool cc_client_is_started(void)
{
    return atomic_load(&server.is_started);
}

static void lock(void)
{
    pthread_mutex_lock(&server.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&server.lock);
}

/* The forked child must not use the parent's server. */
static void unlock_in_child(void)
{
    forget();
    unlock();
}

static pthread_once_t watching = PTHREAD_ONCE_INIT;

static void watch_forks(void)
{
    pthread_atfork(lock, unlock, unlock_in_child);
}

/* A program may have closed its standard files; whatever reuses their numbers would receive its output. */
static int above_standard(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1), saved = errno;
    close(fd);
    errno = high < 0 && saved == EINVAL ? EMFILE : saved; /* EINVAL: no number above is left */
    return high;
}

static bool make_sockets(int pair[2])
{
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
        return false;
    pair[0] = above_standard(pair[0]);
    pair[1] = above_standard(pair[1]);
    if (pair[0] >= 0 && pair[1] >= 0)
        return true;
    int saved = errno;
    for (int i = 0; i < 2; i++)
        if (pair[i] >= 0)
            close(pair[i]);
    errno = saved;
    return false;
}

/* Its standard files are the socket.  Signals have their default dispositions, whatever ours are. */
static int spawn(const char *program, int socket, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char name[] = CC_SERVER, *const argv[] = {name, NULL};
    int failed = posix_spawn_file_actions_init(&actions);
    if (failed)
        return failed;
    failed = posix_spawnattr_init(&attributes);
    if (!failed) {
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
        posix_spawnattr_setsigmask(&attributes, &none);
        posix_spawnattr_setsigdefault(&attributes, &all);
        for (int i = 0; i < 3 && !failed; i++)
            failed = posix_spawn_file_actions_adddup2(&actions, socket, i);
        failed = failed ? failed : posix_spawn_file_actions_addclosefrom_np(&actions, 3);
        failed = failed ? failed : posix_spawn(child, program, &actions, &attributes, argv, cc_environment());
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

/* Makes sure a server is running; `started` is a process to wait for, or 0. */
static bool have_server(const struct cc_client_call *call, pid_t *started, char *error, size_t room)
{
    *started = 0;
    if (server.process == getpid() && is_ours() && !memcmp(&server.version, call->version, sizeof(server.version)))
        return true;
    forget();
    int pair[2];
    if (!make_sockets(pair)) {
        snprintf(error, room, "cannot create a socket for the compiler: %s", strerror(errno));
        return false;
    }
    struct timeval limit = {.tv_sec = SEND_SECONDS};
    setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
    int failed = spawn(call->server, pair[1], started);
    close(pair[1]);
    if (failed || fstat(pair[0], &server.identity)) {
        snprintf(error, room, "cannot run %s: %s", call->server, strerror(failed ? failed : errno));
        close(pair[0]);
        return false;
    }
    server.socket = pair[0];
    server.process = getpid();
    server.version = *call->version;
    atomic_store(&server.is_started, true);
    return true;
}

/* ---- one call ---- */

struct files {
    int request, answer, reply, theirs; /* reply is our end of a pair, theirs the other */
};

static int memory_file(void)
{
    return above_standard(memfd_create("chengying", MFD_CLOEXEC));
}

static void close_files(struct files *files)
{
    int *all[] = {&files->request, &files->answer, &files->reply, &files->theirs};
    for (size_t i = 0; i < CY_COUNT(all); i++)
        if (*all[i] >= 0)
            close(*all[i]), *all[i] = -1;
}

static bool make_files(const struct cc_client_call *call, struct files *files, char *error, size_t room)
{
    int pair[2] = {-1, -1};
    *files = (struct files){memory_file(), -1, -1, -1};
    bool ok = files->request >= 0 && cy_write_all(files->request, call->request, call->size) &&
              (files->answer = memory_file()) >= 0 && make_sockets(pair);
    if (ok) {
        files->reply = pair[0];
        files->theirs = pair[1];
    } else {
        snprintf(error, room, "cannot create a file for the compiler: %s", strerror(errno));
        close_files(files);
    }
    return ok;
}

static bool send_call(const struct cc_client_call *call, const struct files *files)
{
    struct cc_call message = {CC_CALL_MAGIC, CC_PROTOCOL, cc_result_layout()};
    int fds[CC_CALL_FILES] = {files->request, files->answer, files->theirs, call->directory};
    size_t count = CC_CALL_FILES - (call->directory < 0);
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(fds))] = {0};
    struct iovec data = {&message, sizeof(message)};
    struct msghdr header = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = CMSG_SPACE(count * sizeof(*fds))};
    struct cmsghdr *rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(count * sizeof(*fds));
    memcpy(CMSG_DATA(rights), fds, count * sizeof(*fds));
    ssize_t sent;
    while ((sent = sendmsg(server.socket, &header, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent == sizeof(message);
}

/* Sends a call, starting a server if there is none; a previous one may have died or exited meanwhile. */
static bool deliver(const struct cc_client_call *call, const struct files *files, char *error, size_t room)
{
    bool sent = false;
    for (int tries = 0; tries < 2 && !sent; tries++) {
        pid_t started;
        lock();
        if (!have_server(call, &started, error, room)) {
            unlock();
            return false;
        }
        sent = send_call(call, files);
        if (!sent) {
            if (errno == EPIPE || errno == ECONNRESET)
                snprintf(error, room, ENDED, call->server);
            else
                snprintf(error, room, "cannot call the compiler %s: %s", call->server, strerror(errno));
            forget();
        }
        unlock();
        while (!call->ends && started && waitpid(started, NULL, 0) < 0 && errno == EINTR)
            ; /* it leaves a child running; or the program ignores SIGCHLD, or reaps every child, and was faster */
    }
    return sent;
}

bool cc_client_leave(const struct cc_client_call *call, char *error, size_t room)
{
    struct files files;
    pthread_once(&watching, watch_forks);
    bool ok = make_files(call, &files, error, room);
    if (ok) {
        ok = deliver(call, &files, error, room);
        close_files(&files);
    }
    return ok;
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

enum wait { REPLIED, GONE, LATE };

static enum wait wait_for(const struct cc_client_call *call, int socket, struct cc_reply *reply)
{
    int64_t end = call->seconds ? now_ms() + ((int64_t)call->seconds + GRACE_SECONDS) * 1000 : INT64_MAX;
    for (;;) {
        struct pollfd ready = {.fd = socket, .events = POLLIN};
        int64_t left = end - now_ms();
        if (left <= 0)
            return LATE;
        if (poll(&ready, 1, left > 3600000 ? 3600000 : (int)left) > 0) {
            ssize_t got = recv(socket, reply, sizeof(*reply), MSG_DONTWAIT);
            if (got == (ssize_t)sizeof(*reply) && !memcmp(reply->magic, CC_CALL_MAGIC, sizeof(reply->magic)))
                return REPLIED;
            if (got >= 0 || (errno != EINTR && errno != EAGAIN))
                return GONE;
        }
    }
}

static bool load_answer(int file, struct cc_client_answer *answer)
{
    struct stat status;
    if (fstat(file, &status) || status.st_size <= 0)
        return false;
    size_t size = (size_t)status.st_size, length;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED)
        return false;
    struct cy_unpack in = {bytes, (unsigned char *)bytes + size, false};
    answer->ok = cy_unpack(&in) != 0;
    const unsigned char *rule = cy_unpack_bytes(&in, &length);
    answer->dependencies = malloc(length + 1);
    bool loaded =
        answer->dependencies && !in.failed && cc_result_load(&answer->result, in.at, (size_t)(in.end - in.at));
    if (loaded)
        memcpy(answer->dependencies, rule, length + 1);
    else
        free(answer->dependencies), answer->dependencies = NULL;
    munmap(bytes, size);
    return loaded;
}

bool cc_client_run(const struct cc_client_call *call, struct cc_client_answer *answer, char *error, size_t room)
{
    struct files files;
    struct cc_reply reply;
    enum wait wait = GONE;
    pthread_once(&watching, watch_forks);
    *answer = (struct cc_client_answer){0};
    for (int tries = 0; tries < 2 && wait == GONE; tries++) { /* retry once: a killed server is no reason to fail */
        if (!make_files(call, &files, error, room))
            return false;
        if (!deliver(call, &files, error, room)) {
            close_files(&files);
            return false;
        }
        close(files.theirs), files.theirs = -1;
        wait = wait_for(call, files.reply, &reply);
        if (wait == GONE)
            close_files(&files);
    }
    bool ok = wait == REPLIED && reply.status != CC_REFUSED && load_answer(files.answer, answer);
    if (wait == GONE)
        snprintf(error, room, ENDED, call->server);
    else if (wait == LATE)
        snprintf(error, room, "the compiler %s did not answer within %u s", call->server,
                 call->seconds + GRACE_SECONDS);
    else if (reply.status == CC_REFUSED)
        snprintf(error, room, "%s has a different version than this program", call->server);
    else if (!ok)
        snprintf(error, room, "cannot read the compiler's answer: %s", strerror(ENOMEM));
    answer->no_memory = wait == REPLIED && reply.status != CC_REFUSED && !ok;
    if (wait == LATE) { /* perhaps stopped: the next call starts another one */
        lock();
        forget();
        unlock();
    }
    answer->is_broken = ok && reply.status == CC_BROKEN;
    if (wait != GONE)
        close_files(&files);
    return ok;
}

int cc_client_directory(const char *path)
{
    struct stat status;
    int fd = above_standard(open(path, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (fd >= 0 && (fstat(fd, &status) || !status.st_nlink)) {
        close(fd);
        fd = -1;
    }
    return fd;
}
