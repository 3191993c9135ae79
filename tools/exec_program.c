#define _POSIX_C_SOURCE 200809L
#include "exec_program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "commands.h"
#include "compiler.h"

/* Is the word an option whose argument is the next word? */
static bool takes_next(const struct cy_usage *usage, const char *word)
{
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct cy_option *option = &usage->options[i];
        if (!option->argument || option->flags & CY_OPTION_OPTIONAL)
            continue;
        if (word[0] == '-' && word[1] == option->short_name && option->short_name && !word[2])
            return true;
        if (option->long_name && word[0] == '-' && word[1] == '-' && !strcmp(word + 2, option->long_name))
            return true;
    }
    return false;
}

int cy_exec_split(const struct cy_usage *usage, int argc, char **argv)
{
    int at = 1;
    while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0)
        at += takes_next(usage, argv[at]) ? 2 : 1;
    return at < argc ? at : argc;
}

bool cy_exec_pass_timing(const struct cy_timing_options *timing, bool print, struct cy_diags *diags)
{
    struct cy_timing_config config;
    struct cy_buf text = {0};
    if (!cy_timing_options_read(timing, &config, diags))
        return false;
    cy_buf_puts(&text, timing->what ? timing->what : cy_timing_preset_name(0));
    for (size_t i = 0; i < timing->settings.count; i++)
        cy_buf_printf(&text, ",%s", timing->settings.at[i]);
    setenv("CHENGYING_TIMING", text.data, 1);
    const char *file = getenv("CHENGYING_TIMING_PRINT"); /* of cy sweep, which reads it */
    if (print && !(file && *file == '/'))
        setenv("CHENGYING_TIMING_PRINT", "1", 1);
    cy_buf_free(&text);
    return true;
}

bool cy_exec_environment(struct cy_diags *diags)
{
    struct cy_buf library = {0};
    const bool found = cy_library_beside(CY_CL_LIBRARY, &library);
    if (found) {
        /* The loaders accept the path of a library as well as of an .icd file; the second variable is for the Khronos
         * loader. */
        setenv("OCL_ICD_VENDORS", library.data, 1);
        setenv("OCL_ICD_FILENAMES", library.data, 1);
    } else {
        cy_diag_file(diags, CY_ERROR, NULL,
                     CY_CL_LIBRARY " is not in ../lib or ../" CY_LIBDIR
                                   " beside this program; build it (make build) or "
                                   "install it (make install PREFIX=...)");
    }
    cy_buf_free(&library);
    return found;
}

/* ---- running it ---- */

static const int told[] = {SIGINT, SIGQUIT}, ours[] = {SIGTERM, SIGHUP};
static volatile sig_atomic_t running; /* the program's process */

static void pass_on(int signal)
{
    if (running)
        kill((pid_t)running, signal);
}

/* Ctrl-C is for the program, which the terminal tells as well; what it did is still to be shown.  A signal for us alone is passed on. */
static void leave_signals_to(pid_t child)
{
    struct sigaction action = {.sa_handler = SIG_IGN};
    for (size_t i = 0; i < CY_COUNT(told); i++)
        sigaction(told[i], &action, NULL);
    running = child;
    action.sa_handler = pass_on;
    for (size_t i = 0; i < CY_COUNT(ours); i++)
        sigaction(ours[i], &action, NULL);
}

/* A file without a name, to which the runtime writes when the program calls OpenCL: by our name for it, because programs close
 * files that they do not know.  -1: there is none. */
static int make_mark(void)
{
    char name[64];
    FILE *file = tmpfile();
    const int mark = file ? dup(fileno(file)) : -1;
    if (file)
        fclose(file);
    snprintf(name, sizeof(name), "/proc/%ld/fd/%d", (long)getpid(), mark);
    if (mark >= 0)
        setenv("CHENGYING_CALLED", name, 1);
    return mark;
}

_Noreturn static void become(char **program, int not_found, int mark)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* whoever kills us means the program */
    if (mark >= 0)
        fcntl(mark, F_SETFD, FD_CLOEXEC);
    execvp(program[0], program);
    fprintf(stderr, "error: cannot run %s: %s\n", program[0], strerror(errno));
    if (mark >= 0)
        cy_write_all(mark, "1", 1);
    _exit(not_found);
}

static void say_if_not_called(const char *program, int mark)
{
    if (mark >= 0 && lseek(mark, 0, SEEK_END) == 0)
        fprintf(stderr,
                "chengying: %s ended without calling OpenCL through the system's loader (libOpenCL.so.1): nothing ran "
                "on the machine\n",
                program);
    if (mark >= 0)
        close(mark);
}

int cy_exec_run(char **program, int not_found, struct cy_diags *diags)
{
    int status = 0;
    fflush(NULL);
    const int mark = make_mark();
    sigset_t ends, before;
    sigemptyset(&ends);
    for (size_t i = 0; i < CY_COUNT(told); i++)
        sigaddset(&ends, told[i]);
    for (size_t i = 0; i < CY_COUNT(ours); i++)
        sigaddset(&ends, ours[i]);
    sigprocmask(SIG_BLOCK, &ends, &before); /* until it is decided whose they are */
    const pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        become(program, not_found, mark);
    }
    if (child > 0)
        leave_signals_to(child);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0) {
        cy_diag_file(diags, CY_ERROR, NULL, "cannot start a process: %s", strerror(errno));
        return CY_EXIT_INPUT;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) {
            cy_diag_file(diags, CY_ERROR, NULL, "cannot wait for %s: %s", program[0], strerror(errno));
            return CY_EXIT_INPUT;
        }
    running = 0;
    say_if_not_called(program[0], mark);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
