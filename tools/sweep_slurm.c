/* Sweeps on a Slurm cluster.
 *
 * The missing points are submitted as a job array, some points per task.  A task writes each result into the store as soon as it
 * has it, so the store alone says what is done: whatever happens to tasks, nodes or this process, what is missing afterwards is
 * submitted again, and a point that was measured twice is the same. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "sweep.h"

enum { MOST_FRUITLESS = 8, MOST_FAILED = 3, POLL_MS = 250, ASK_EVERY = 8 };

/* Runs a command of Slurm and returns what it prints.  False: it failed, and has said why in `output`. */
static bool ask(const char *const *words, struct cy_buf *output)
{
    union {
        const char *const *words;
        char *const *argv;
    } list = {.words = words};
    int ends[2], status = -1;
    char block[1024];
    if (pipe(ends) != 0)
        return false;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        execvp(words[0], list.argv);
        dprintf(1, "cannot run %s: %s", words[0], strerror(errno));
        _exit(127);
    }
    close(ends[1]);
    for (ssize_t got; child > 0 && (got = read(ends[0], block, sizeof(block))) != 0;)
        if (got > 0)
            cy_buf_append(output, block, (size_t)got);
        else if (errno != EINTR)
            break;
    close(ends[0]);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- tasks ---- */

/* The list has one point per line; the task's number selects a chunk of it. */
void cy_sweep_work(struct cy_sweep *sweep)
{
    const char *task = getenv("SLURM_ARRAY_TASK_ID");
    const size_t first = task ? (size_t)strtoull(task, NULL, 10) * sweep->chunk : 0;
    struct cy_buf list = {0};
    if (!cy_file_read(sweep->worker, &list, &sweep->diags))
        return;
    size_t number = 0;
    sweep->jobs = 1;
    for (char *line = list.data; line && *line; number++) {
        char *end;
        const size_t point = (size_t)strtoull(line, &end, 10);
        if (end == line || point >= sweep->plan.points.count) {
            cy_diag_file(&sweep->diags, CY_ERROR, sweep->worker, "line %zu: not a point of the plan", number + 1);
            break;
        }
        if (number >= first && number < first + sweep->chunk &&
            !cy_sweep_load(&sweep->store, sweep->keys[point]).is_there)
            cy_sweep_run_points(sweep, &point, 1);
        line = end + strspn(end, "\n");
    }
    cy_buf_free(&list);
}

/* ---- submitting ---- */

/* Nodes that do not answer, as a list for --exclude. */
static void find_dead_nodes(struct cy_buf *dead)
{
    struct cy_buf output = {0};
    const char *const words[] = {"sinfo", "-h", "-N", "-o", "%N %t", NULL};
    if (ask(words, &output))
        for (char *line = output.data, *next; line && *line; line = next) {
            char *space = strchr(line, ' ');
            next = strchr(line, '\n');
            if (next)
                *next++ = 0;
            if (space && (strchr(space, '*') || strstr(space, "down") || strstr(space, "fail")))
                cy_buf_printf(dead, "%s%.*s", dead->size ? "," : "", (int)(space - line), line);
        }
    cy_buf_free(&output);
}

/* Returns the job's number as text in `job`. */
static bool submit(struct cy_sweep *sweep, const size_t *points, size_t count, unsigned attempt, struct cy_buf *job)
{
    struct cy_buf list = {0}, file = {0}, array = {0}, command = {0}, log = {0}, dead = {0}, output = {0};
    const char *words[16] = {"sbatch",     "--parsable",        "--job-name=cy-sweep",
                             "--ntasks=1", "--cpus-per-task=1", "--requeue"};
    size_t word = 6;
    for (size_t i = 0; i < count; i++)
        cy_buf_printf(&list, "%zu\n", points[i]);
    cy_buf_printf(&file, "%s/points.%ld.%u", sweep->store.directory.data, (long)getpid(), attempt);
    cy_buf_printf(&array, "--array=0-%zu", (count - 1) / sweep->chunk);
    cy_buf_printf(&log, "--output=%s/log.%%A", sweep->store.directory.data);
    cy_buf_puts(&command,
                "--wrap=exec \"$CY_SWEEP\" sweep --quiet --worker \"$CY_SWEEP_LIST\" --chunk \"$CY_SWEEP_CHUNK\" "
                "--store \"$CY_SWEEP_STORE\" \"$CY_SWEEP_PLAN\"");
    char chunk[24];
    snprintf(chunk, sizeof(chunk), "%zu", sweep->chunk);
    setenv("CY_SWEEP", sweep->program.data, 1);
    setenv("CY_SWEEP_LIST", file.data, 1);
    setenv("CY_SWEEP_CHUNK", chunk, 1);
    setenv("CY_SWEEP_STORE", sweep->store.directory.data, 1);
    setenv("CY_SWEEP_PLAN", sweep->path, 1);
    find_dead_nodes(&dead);
    struct cy_buf exclude = {0};
    if (dead.size) {
        cy_buf_printf(&exclude, "--exclude=%s", dead.data);
        words[word++] = exclude.data;
    }
    words[word++] = "--open-mode=append";
    words[word++] = log.data;
    words[word++] = array.data;
    words[word++] = command.data;
    words[word] = NULL;
    bool ok = cy_file_write(file.data, list.data, list.size, false, &sweep->diags);
    if (ok && !ask(words, &output)) {
        cy_diag_file(&sweep->diags, CY_ERROR, "sbatch", "%.*s",
                     (int)strcspn(output.data ? output.data : "failed", "\n"), output.data ? output.data : "failed");
        ok = false;
    }
    if (ok)
        cy_buf_append(job, output.data, strcspn(output.data, ";\n"));
    cy_buf_free(&list);
    cy_buf_free(&file);
    cy_buf_free(&array);
    cy_buf_free(&command);
    cy_buf_free(&log);
    cy_buf_free(&dead);
    cy_buf_free(&exclude);
    cy_buf_free(&output);
    return ok;
}

enum job_state { JOB_GONE, JOB_WAITS, JOB_RUNS };

/* Waits: every task that is left waits for a place, which may take hours on a busy cluster. */
static enum job_state find_state(const char *job)
{
    struct cy_buf output = {0};
    enum job_state state = JOB_GONE;
    const char *const words[] = {"squeue", "-h", "-j", job, "-o", "%t", NULL};
    if (ask(words, &output) && output.size) { /* a job that is long gone is an error */
        state = JOB_WAITS;
        for (const char *line = output.data; *line; line += strcspn(line, "\n"), line += *line == '\n')
            if (strncmp(line, "PD", 2) != 0)
                state = JOB_RUNS;
    }
    cy_buf_free(&output);
    return state;
}

static void cancel(const char *job)
{
    struct cy_buf output = {0};
    const char *const words[] = {"scancel", "-Q", job, NULL};
    ask(words, &output);
    cy_buf_free(&output);
}

/* Waits until nothing of `points` is missing, the job has gone, or nothing has arrived for long while tasks ran. */
static size_t wait_for(struct cy_sweep *sweep, const char *job, size_t stall_seconds, size_t *points, size_t all,
                       enum job_state *state)
{
    size_t missing = cy_sweep_missing(sweep, points), quiet_polls = 0;
    *state = JOB_WAITS;
    for (unsigned poll = 1; missing; poll++) {
        nanosleep(&(struct timespec){0, POLL_MS * 1000000L}, NULL);
        if (poll % ASK_EVERY == 0)
            *state = find_state(job);
        cy_sweep_refresh(sweep);
        const size_t left = cy_sweep_missing(sweep, points);
        quiet_polls = left == missing && *state == JOB_RUNS ? quiet_polls + 1 : 0;
        missing = left;
        cy_sweep_progress(sweep, all - missing, all);
        if (*state == JOB_GONE || quiet_polls > stall_seconds * 1000 / POLL_MS)
            break;
    }
    return missing;
}

void cy_sweep_slurm(struct cy_sweep *sweep, const size_t *points, size_t count)
{
    size_t *left = cy_xrealloc(NULL, sweep->plan.points.count * sizeof(left[0]));
    size_t missing = count, stall_seconds = sweep->stall_seconds;
    unsigned fruitless = 0, failed = 0; /* attempts in a row without a result; of these, those whose tasks all ended */
    memcpy(left, points, count * sizeof(left[0]));
    for (unsigned attempt = 1; missing && fruitless < MOST_FRUITLESS && failed < MOST_FAILED; attempt++) {
        struct cy_buf job = {0};
        if (attempt > 1 && !sweep->quiet)
            fprintf(stderr, "%zu points are missing: submitted again\n", missing);
        if (!submit(sweep, left, missing, attempt, &job))
            break;
        const size_t before = missing;
        enum job_state state;
        missing = wait_for(sweep, job.data, stall_seconds, left, count, &state);
        cancel(job.data);
        cy_buf_free(&job);
        if (missing < before) {
            fruitless = failed = 0;
            continue;
        }
        fruitless++;
        if (state == JOB_GONE)
            failed++;
        else
            stall_seconds *= 2; /* a machine that is slow, rather than a node that died */
    }
    if (missing)
        cy_diag_file(&sweep->diags, CY_ERROR, sweep->store.directory.data,
                     "%zu points have no result; the tasks' messages are in log.* there", missing);
    cy_free(left);
}
