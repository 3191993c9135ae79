#define _GNU_SOURCE /* memmem, strsignal */
#include "server.h"

#include "cc/driver/asm_rewrite.h"
#include "cc/driver/protocol.h"
#include "cc/driver/spirv.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- completion ---- */

static void reply(struct job *job, enum cc_status status)
{
    struct cc_reply message = {CC_CALL_MAGIC, status};
    job->phase = JOB_DONE; /* the loop frees it */
    send(job->reply, &message, sizeof(message), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* An answer without the compiler: a log, or with compile_only the bitcode from clang. */
static void answer(struct job *job, bool ok, enum cc_status status)
{
    struct cy_cc_result result = {.log = job->log.data ? job->log.data : (char[]){""}};
    unsigned long long times[PASS_COUNT] = {[PASS_clang] = job->progress->clang_ns};
    if (ok && job->request.options.time_passes) {
        result.pass_ns = times;
        result.pass_count = PASS_COUNT;
    }
    if (ok) {
        result.bitcode = (unsigned char *)job->bitcode.data;
        result.bitcode_size = job->bitcode.size;
    }
    if (ftruncate(job->answer, 0) || lseek(job->answer, 0, SEEK_SET) ||
        !cc_write_answer(job->answer, ok, &job->dependencies, &result))
        status = CC_BROKEN; /* the client detects the incomplete answer */
    reply(job, status);
}

static bool has_text(const struct cy_buf *buf, const char *text)
{
    return buf->size && memmem(buf->data, buf->size, text, strlen(text));
}

/* A child ended abnormally: reports how, and in which pass. */
static void answer_broken(struct job *job, int status)
{
    struct cy_buf said = {0};
    bool is_front = job->phase == JOB_FRONT;
    const char *who = is_front ? job->clang.argv.at[0] : "the compiler";
    if (is_front) {
        cc_clang_finish(&job->clang, status, &job->bitcode, &said, &job->dependencies);
    } else {
        cc_read_memory_file(job->errors, &said);
    }
    cy_buf_append(&job->log, said.data, said.size);
    if (said.size && said.data[said.size - 1] != '\n')
        cy_buf_putc(&job->log, '\n');
    cy_buf_printf(&job->log, "%s: error: %s ", job->request.name, who);
    if (job->is_late)
        cy_buf_printf(&job->log, "did not finish within %u s and was stopped", job->request.seconds);
    else if (has_text(&said, "out of memory") || has_text(&said, "bad_alloc"))
        cy_buf_puts(&job->log, "ran out of memory");
    else if (WIFSIGNALED(status))
        cy_buf_printf(&job->log, "was terminated by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        cy_buf_printf(&job->log, "exited with status %d", WEXITSTATUS(status));
    cy_buf_puts(&job->log, " in ");
    cc_progress_print(job->progress, &job->log);
    if (job->is_late)
        cy_buf_puts(&job->log, "; CHENGYING_COMPILE_SECONDS sets the limit, 0 is none");
    cy_buf_putc(&job->log, '\n');
    cy_buf_free(&said);
    answer(job, false, CC_BROKEN);
}

/* ---- LLVM and the back end ---- */

static void start_back(struct server *server, struct job *job)
{
    job->phase = JOB_BACK;
    job->progress->pass = PASS_COUNT; /* not started; a fault is the worker's, not ours */
    if (!fork_worker(server, job))
        answer(job, false, CC_ANSWERED);
}

static void back_ended(struct job *job, int status)
{
    if (WIFEXITED(status) && !WEXITSTATUS(status) && !job->is_late)
        reply(job, CC_ANSWERED);
    else
        answer_broken(job, status);
}

/* ---- clang ---- */

static void start_front(struct server *server, struct job *job)
{
    char link[32], path[PATH_MAX];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", job->directory);
    ssize_t length = readlink(link, path, sizeof(path) - 1);
    path[length > 0 ? length : 0] = 0;
    job->phase = JOB_FRONT;
    job->front_ns = now_ns();
    job->progress->pass = PASS_clang; /* a fault is clang's, not ours */
    const struct cy_buf *text = job->step == CC_CLANG_PREPROCESSED ? &job->text : NULL;
    cc_clang_free(&job->clang);
    if (!cc_clang_prepare(&job->clang, &job->request, *path == '/' ? path : "/", job->step, text, &job->log) ||
        !fork_clang(server, job))
        answer(job, false, CC_ANSWERED);
}

static void clear(struct cy_buf *buf)
{
    buf->size = 0;
    if (buf->data)
        *buf->data = 0;
}

static void restart_front(struct server *server, struct job *job, enum cc_clang_step step)
{
    job->step = step;
    clear(&job->bitcode);
    start_front(server, job);
}

/* Inline assembly goes through clang in disguise (asm_rewrite.h): rewrites what the preprocessor made. */
static void preprocessor_ended(struct server *server, struct job *job)
{
    job->is_preprocessed = true;
    clear(&job->text);
    if (cc_rewrite_asm(job->bitcode.data ? job->bitcode.data : "", job->bitcode.size, &job->text)) {
        restart_front(server, job, CC_CLANG_PREPROCESSED);
        return;
    }
    clear(&job->log);
    clear(&job->dependencies);
    restart_front(server, job, CC_CLANG_WHOLE);
}

static void front_ended(struct server *server, struct job *job, int status)
{
    struct cy_buf none = {0}; /* only the preprocessor knows what was included */
    job->progress->clang_ns += now_ns() - job->front_ns;
    if (job->is_late || WIFSIGNALED(status)) {
        answer_broken(job, status);
        return;
    }
    bool ok = cc_clang_finish(&job->clang, status, &job->bitcode, &job->log,
                              job->step == CC_CLANG_PREPROCESSED ? &none : &job->dependencies);
    cy_buf_free(&none);
    if (!ok && job->step == CC_CLANG_WHOLE && !job->is_preprocessed && job->log.size && cc_blames_asm(job->log.data)) {
        clear(&job->log);
        restart_front(server, job, CC_CLANG_PREPROCESS);
    } else if (!ok) {
        answer(job, false, CC_ANSWERED);
    } else if (job->step == CC_CLANG_PREPROCESS) {
        preprocessor_ended(server, job);
    } else if (job->request.options.compile_only) {
        answer(job, true, CC_ANSWERED);
    } else {
        start_back(server, job);
    }
}

/* ---- a job ---- */

void job_child_ended(struct server *server, struct job *job, int status)
{
    job->child = 0;
    if (job->is_off)
        job->phase = JOB_DONE;
    else if (job->phase == JOB_FRONT)
        front_ended(server, job, status);
    else if (job->phase == JOB_BACK)
        back_ended(job, status);
}

void job_stop(struct job *job)
{
    if (job->child > 0)
        kill(job->child, SIGKILL);
}

bool job_is_kept(const struct job *job)
{
    return job->request.translates && job->request.options.arg_count && job->phase != JOB_DONE;
}

void job_leave_off(struct job *job)
{
    enum { PATIENT = 10 };
    job->is_off = true;
    if (job->phase == JOB_WAITING && !job_is_kept(job))
        job->phase = JOB_DONE;
    else if (!job_is_kept(job))
        job_stop(job);
    else if (job->child > 0)
        setpriority(PRIO_PROCESS, (id_t)job->child, PATIENT);
}

void job_free(struct job *job)
{
    int files[] = {job->request_file, job->answer, job->reply, job->directory, job->progress_file, job->errors};
    for (size_t i = 0; i < CY_COUNT(files); i++)
        if (files[i] >= 0)
            close(files[i]);
    if (job->bytes)
        munmap(job->bytes, job->size);
    if (job->progress)
        munmap(job->progress, sizeof(*job->progress));
    cc_clang_free(&job->clang);
    cy_buf_free(&job->log);
    cy_buf_free(&job->bitcode);
    cy_buf_free(&job->text);
    cy_buf_free(&job->dependencies);
    free(job->arrays);
    free(job);
}

static bool read_request(struct job *job)
{
    struct stat status;
    if (fstat(job->request_file, &status) || status.st_size <= 0)
        return false;
    job->size = (size_t)status.st_size;
    void *bytes = mmap(NULL, job->size, PROT_READ, MAP_PRIVATE, job->request_file, 0);
    if (bytes == MAP_FAILED)
        return false;
    job->bytes = bytes;
    return cc_request_unpack(&job->request, &job->arrays, bytes, job->size);
}

static bool make_progress(struct job *job)
{
    job->progress_file = cc_memory_file("", 0, 3);
    if (job->progress_file < 0 || ftruncate(job->progress_file, sizeof(*job->progress)))
        return false;
    void *shared = mmap(NULL, sizeof(*job->progress), PROT_READ | PROT_WRITE, MAP_SHARED, job->progress_file, 0);
    job->progress = shared == MAP_FAILED ? NULL : shared;
    return job->progress != NULL;
}

static void set_end(struct job *job)
{
    enum { PUT_OFF_MS = 20000 }; /* less than clients wait for a late answer */
    job->ends_ms = job->request.seconds ? now_ms() + (int64_t)job->request.seconds * 1000 : INT64_MAX;
    job->latest_ms = job->request.seconds && job->request.translates ? job->ends_ms + PUT_OFF_MS : job->ends_ms;
}

void job_accept(struct server *server, int request, int answer_file, int reply_socket, int directory)
{
    struct job *job = calloc(1, sizeof(*job));
    if (!job) { /* without an answer the client tries another server */
        close(request), close(answer_file), close(reply_socket), close(directory);
        return;
    }
    job->number = ++server->calls;
    job->request_file = request;
    job->answer = answer_file;
    job->reply = reply_socket;
    job->directory = directory;
    job->errors = job->progress_file = -1;
    *cy_vec_push(&server->jobs) = job;
    if (!read_request(job) || !make_progress(job)) {
        reply(job, CC_REFUSED);
        return;
    }
    job->ends_ms = job->latest_ms = INT64_MAX;
    if (!job->request.translates)
        set_end(job);
    if (*job->request.fault && !cc_progress_set_fault(job->progress, job->request.fault)) {
        cy_buf_printf(&job->log, "%s: error: CHENGYING_COMPILER_FAULT=%s is not KIND@PASS\n", job->request.name,
                      job->request.fault);
        answer(job, false, CC_ANSWERED);
    } else if (job->request.source && !job->request.options.is_ir && !job->request.translates) {
        bool is_text = !cc_is_spirv(job->request.source, job->request.size);
        if (is_text && cc_has_asm(job->request.source, job->request.size))
            job->step = CC_CLANG_PREPROCESS;
        start_front(server, job);
    } else if (!job->request.translates) {
        start_back(server, job);
    }
}

void job_start_waiting(struct server *server)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    long running = 0;
    for (size_t i = 0; i < server->jobs.count; i++)
        running += server->jobs.at[i]->request.translates && server->jobs.at[i]->phase == JOB_BACK;
    for (size_t i = 0; i < server->jobs.count && (running < processors || !running); i++) {
        struct job *job = server->jobs.at[i];
        if (job->phase != JOB_WAITING)
            continue;
        set_end(job);
        start_back(server, job);
        if (job->is_off)
            job_leave_off(job);
        running++;
    }
}
