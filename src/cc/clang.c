/* clang-19 as a child process: source on its standard input, bitcode on its standard output, messages on its standard
 * error.  posix_spawn, never a shell; the three pipes are served together, so that none can block the others. */
#define _GNU_SOURCE /* pipe2, environ */
#include "cc/clang.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CLANG "clang-19"

/* Target spir gives 32-bit pointers, OpenCL's address spaces, vectors by value and kernel metadata. */
static const char *const fixed_args[] = {
    CLANG,
    "-x",
    "cl",
    "-target",
    "spir",
    "-O2",
    "-Xclang",
    "-disable-llvm-passes",
    "-emit-llvm",
    "-c",
    "-o",
    "-",
    "-Xclang",
    "-cl-ext=-all,+cl_khr_byte_addressable_store,+cl_khr_global_int32_base_atomics,"
    "+cl_khr_global_int32_extended_atomics,+cl_khr_local_int32_base_atomics,"
    "+cl_khr_local_int32_extended_atomics,+__opencl_c_int64,+__opencl_c_generic_address_space",
    "-ffp-contract=on",
};

static bool make_pipes(int pipes[3][2])
{
    for (int i = 0; i < 3; i++)
        if (pipe2(pipes[i], O_CLOEXEC) < 0) {
            while (i-- > 0)
                close(pipes[i][0]), close(pipes[i][1]);
            return false;
        }
    return true;
}

/* Feeds and drains the child until it has closed both outputs. */
static void serve(int in, int out, int err, const char *source, size_t size, struct cy_buf *bitcode, struct cy_buf *log)
{
    struct pollfd fds[3] = {
        {.fd = in, .events = POLLOUT}, {.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    char chunk[16384];
    fcntl(in, F_SETFL, O_NONBLOCK);
    while (fds[1].fd >= 0 || fds[2].fd >= 0) {
        if (poll(fds, 3, -1) < 0 && errno != EINTR)
            break;
        if (fds[0].fd >= 0 && fds[0].revents) {
            ssize_t wrote = size ? write(in, source, size) : 0;
            if (wrote > 0)
                source += wrote, size -= (size_t)wrote;
            if (!size || (wrote < 0 && errno != EAGAIN && errno != EINTR)) {
                close(in);
                fds[0].fd = -1;
            }
        }
        for (int i = 1; i < 3; i++)
            if (fds[i].fd >= 0 && fds[i].revents) {
                ssize_t got = read(fds[i].fd, chunk, sizeof(chunk));
                if (got > 0)
                    cy_buf_append(i == 1 ? bitcode : log, chunk, (size_t)got);
                else if (!got || (errno != EAGAIN && errno != EINTR))
                    fds[i].fd = -1;
            }
    }
    if (fds[0].fd >= 0)
        close(in);
}

/* clang calls its standard input <stdin>; the user knows it by another name. */
static void rename_stdin(struct cy_buf *text, size_t from, const char *name)
{
    static const char stdin_name[] = "<stdin>";
    struct cy_buf renamed = {0};
    const char *at = text->data ? text->data + from : "";
    for (const char *hit; (hit = strstr(at, stdin_name)); at = hit + strlen(stdin_name)) {
        cy_buf_append(&renamed, at, (size_t)(hit - at));
        cy_buf_puts(&renamed, name);
    }
    cy_buf_puts(&renamed, at);
    text->size = from;
    cy_buf_append(text, renamed.data ? renamed.data : "", renamed.size);
    cy_buf_free(&renamed);
}

bool cy_clang(const char *name, const char *source, size_t size, const char *const *args, size_t arg_count,
              struct cy_buf *bitcode, struct cy_buf *log)
{
    int pipes[3][2], status = 0, failed;
    size_t log_start = log->size, count = CY_COUNT(fixed_args);
    pid_t child;
    posix_spawn_file_actions_t actions;
    CY_VEC(const char *) argv = {0};
    for (size_t i = 0; i < count; i++)
        *cy_vec_push(&argv) = fixed_args[i];
    for (size_t i = 0; i < arg_count; i++)
        *cy_vec_push(&argv) = args[i];
    *cy_vec_push(&argv) = "-";
    *cy_vec_push(&argv) = NULL;
    if (!make_pipes(pipes)) {
        cy_buf_printf(log, "%s: error: cannot make a pipe to clang: %s\n", name, strerror(errno));
        cy_vec_free(&argv);
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, pipes[0][0], 0);
    posix_spawn_file_actions_adddup2(&actions, pipes[1][1], 1);
    posix_spawn_file_actions_adddup2(&actions, pipes[2][1], 2);
    sigset_t pipe_signal, old_mask;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE); /* a clang that stops reading must not kill its caller */
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &old_mask);
    failed = posix_spawnp(&child, CLANG, &actions, NULL, (char *const *)(void *)argv.at, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(pipes[0][0]), close(pipes[1][1]), close(pipes[2][1]);
    if (failed) {
        close(pipes[0][1]);
        cy_buf_printf(log, "%s: error: cannot run " CLANG ": %s; install the package " CLANG "\n", name,
                      strerror(failed));
    } else {
        serve(pipes[0][1], pipes[1][0], pipes[2][0], source, size, bitcode, log);
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        rename_stdin(log, log_start, name);
    }
    struct timespec now = {0};
    while (sigtimedwait(&pipe_signal, NULL, &now) > 0)
        ;
    pthread_sigmask(SIG_SETMASK, &old_mask, NULL);
    close(pipes[1][0]), close(pipes[2][0]);
    cy_vec_free(&argv);
    return !failed && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
