/* `cy debug`: runs a kernel or an OpenCL program under GDB. */
#define _XOPEN_SOURCE 700 /* P_tmpdir */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands.h"
#include "exec_program.h"
#include "options.h"

enum { OPT_EX = 1, OPT_COMMAND, OPT_BATCH, OPT_GDB, OPT_OPTIMIZE, OPT_INTERPRETER, OPT_CHECK };

static const struct cy_option options[] = {
    {OPT_EX, 'e', "ex", "COMMAND", "a command for GDB, once it is connected (repeatable)", 0},
    {OPT_COMMAND, 'x', "command", "FILE", "the same: a file of commands (repeatable)", 0},
    {OPT_BATCH, 'b', "batch", NULL, "leave GDB after these commands", 0},
    {OPT_INTERPRETER, 'i', "interpreter", "NAME", "GDB's interface: console (default) or mi", 0},
    {OPT_OPTIMIZE, 'O', NULL, "LEVEL", "how kernels are compiled: 0 (default), or 2", 0},
    {OPT_CHECK, 'c', "check", NULL, "check kernels as `cy check` does, and stop at the first report", 0},
    {OPT_GDB, 0, "gdb", "PROGRAM", "GDB (default: gdb-multiarch)", 0},
};

static const struct cy_usage usage = {
    "debug",
    "[options] FILE.cl [options of 'cy run']\n       cy debug [options] -- PROGRAM [ARGUMENT...]",
    "Runs a kernel, or an OpenCL program on the Ventus machine, under GDB, which stops before the first instruction of "
    "the\n"
    "first kernel.",
    "examples:\n"
    "  cy debug vecadd.cl --global 1024 --arg buffer:f32:1024=iota --arg buffer:f32:1024 --arg 1024\n"
    "  cy debug -- ./vecadd\n"
    "  cy debug --batch --ex 'break vecadd' --ex continue --ex 'info locals' -- ./vecadd\n"
    "docs/debug.md is the manual.\n",
    options,
    CY_COUNT(options)};

struct session {
    CY_VEC(char *) gdb; /* its command line */
    CY_VEC(char *) program;
    const char *level;
    bool check;         /* kernels are checked */
    char directory[96]; /* a socket in it has a path of at most 107 */
    struct sockaddr_un address;
    int listener;
    struct cy_buf connect;
    struct cy_diags diags;
};

static bool failed(struct session *session, const char *what)
{
    cy_diag_file(&session->diags, CY_ERROR, NULL, "%s: %s", what, strerror(errno));
    return false;
}

/* A socket for GDB in a directory of its own: the program inherits it, so that GDB can connect before it has begun. */
static bool listen_for_gdb(struct session *session)
{
    const char *root = getenv("TMPDIR");
    struct sockaddr_un *address = &session->address;
    const int length =
        snprintf(session->directory, sizeof(session->directory), "%s/cy-debug-XXXXXX", root && *root ? root : P_tmpdir);
    if (length < 0 || (size_t)length + sizeof("/gdb") > sizeof(address->sun_path)) {
        session->directory[0] = 0;
        errno = ENAMETOOLONG;
        return failed(session, "no directory for the socket");
    }
    if (!mkdtemp(session->directory)) {
        session->directory[0] = 0;
        return failed(session, "no directory for the socket");
    }
    address->sun_family = AF_UNIX;
    snprintf(address->sun_path, sizeof(address->sun_path), "%s/gdb", session->directory);
    session->listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (session->listener < 0 || bind(session->listener, (struct sockaddr *)address, sizeof(*address)) ||
        listen(session->listener, 1))
        return failed(session, "no socket for GDB");
    return true;
}

/* In the child.  It has no terminal: that is GDB's, and so is Ctrl-C. */
static _Noreturn void run_program(struct session *session, bool is_kernel)
{
    const int nothing = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (nothing >= 0)
        dup2(nothing, STDIN_FILENO);
    setenv("CHENGYING_GDB_DIR", session->directory, 1);
    if (is_kernel) {
        execv("/proc/self/exe", session->program.at);
    } else {
        char where[32];
        snprintf(where, sizeof(where), "fd:%d", session->listener);
        setenv("CHENGYING_GDB", where, 1);
        setenv("CHENGYING_OPTIMIZE", session->level, 1);
        if (session->check) {
            setenv("CHENGYING_CHECK", "all", 1);
            setenv("CHENGYING_CHECK_STOP", "1", 1);
        }
        if (cy_exec_environment(&session->diags))
            execvp(session->program.at[0], session->program.at);
    }
    failed(session, session->program.at[0]);
    _exit(cy_report(&session->diags));
}

enum { NOT_STARTED = 127 };

static int status_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : CY_EXIT_INPUT;
}

/* GDB in the foreground; Ctrl-C is for it.  False: it could not be started, or something ended it. */
static bool run_gdb(struct session *session, int *result)
{
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    int status = 0;
    sigaction(SIGINT, &ignored, &before);
    const pid_t gdb = fork();
    if (gdb == 0) {
        sigaction(SIGINT, &before, NULL);
        execvp(session->gdb.at[0], session->gdb.at);
        failed(session, session->gdb.at[0]);
        cy_report(&session->diags);
        _exit(NOT_STARTED);
    }
    while (gdb > 0 && waitpid(gdb, &status, 0) < 0 && errno == EINTR)
        ;
    sigaction(SIGINT, &before, NULL);
    if (gdb < 0)
        failed(session, "cannot start GDB");
    const bool started = gdb > 0 && !(WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED);
    *result = started ? status_of(status) : CY_EXIT_INPUT;
    return started && WIFEXITED(status);
}

static int run_both(struct session *session, bool is_kernel)
{
    const pid_t program = fork();
    if (program == 0)
        run_program(session, is_kernel);
    setpgid(program, program);
    close(session->listener); /* when the program has ended, GDB notices */
    if (program < 0) {
        failed(session, "cannot start the program");
        return CY_EXIT_INPUT;
    }
    int status, end = 0;
    if (!run_gdb(session, &status)) /* a program whose debugger has gone does not run on, unknown to all */
        kill(-program, SIGKILL);
    while (waitpid(program, &end, 0) < 0 && errno == EINTR) /* after `detach` it goes on */
        ;
    return status;
}

static void remove_files(const struct session *session)
{
    if (!session->directory[0])
        return;
    unlink(session->address.sun_path);
    char path[sizeof(session->directory) + 32];
    for (unsigned i = 1;; i++) { /* the sources that the runtime has written */
        snprintf(path, sizeof(path), "%s/program%u.cl", session->directory, i);
        if (unlink(path))
            break;
    }
    rmdir(session->directory);
}

static void push(struct session *session, const char *a, const char *b)
{
    *cy_vec_push(&session->gdb) = (char *)(uintptr_t)a;
    if (b)
        *cy_vec_push(&session->gdb) = (char *)(uintptr_t)b;
}

/* GDB's disassembler knows RISC-V's own instructions only; from version 13 on, Python may do it.  The server has the text; the
 * symbols are GDB's. */
static const char disassembler[] =
    "python\n"
    "import re\n"
    "try:\n"
    "    from gdb.disassembler import Disassembler, DisassemblerResult, register_disassembler\n"
    "    class Chengying(Disassembler):\n"
    "        def __call__(self, info):\n"
    "            try:\n"
    "                size, text = gdb.execute('monitor code %#x' % info.address, False, True).split(None, 1)\n"
    "                target = re.match(r'(j|b|vb)\\S*\\s(.*, )?(0x[0-9a-f]+)$', text)\n"
    "                symbol = gdb.execute('info symbol ' + target[3], False, True) if target else ''\n"
    "                found = re.match(r'(\\S+)(?: \\+ (\\d+))? in section', symbol)\n"
    "                place = ' <%s+%s>' % (found[1], found[2] or 0) if found else ''\n"
    "                return DisassemblerResult(int(size), text.rstrip() + place)\n"
    "            except (gdb.error, ValueError):\n"
    "                return None\n"
    "    register_disassembler(Chengying('chengying'))\n"
    "except ImportError:\n"
    "    pass\n";

/* What GDB is told before the user's own commands. */
static void prepare_gdb(struct session *session, const char *gdb, const char *interpreter, bool batch)
{
    cy_buf_printf(&session->connect, "target remote %s", session->address.sun_path);
    push(session, gdb, "-q");
    push(session, "-iex", "set sysroot target:"); /* GDB gets the program from the server: there is no file of it */
    if (batch)
        push(session, "-batch", NULL);
    if (interpreter)
        push(session, "-i", interpreter);
    push(session, "-ex", "set breakpoint pending on");
    push(session, "-ex", "set print thread-events off");
    push(session, "-ex", "set remotetimeout 86400"); /* the program may take its time before the first launch */
    push(session, "-ex", disassembler);
    push(session, "-ex", session->connect.data);
}

int cy_cmd_debug(int argc, char **argv)
{
    struct session session = {.level = "0", .listener = -1};
    struct cy_args args;
    CY_VEC(const char *) commands = {0};
    const char *gdb = "gdb-multiarch", *interpreter = NULL;
    bool batch = false;
    const int own = cy_exec_split(&usage, argc, argv);
    const bool is_kernel = own >= argc || strcmp(argv[own], "--") != 0;
    char **words = argv + own + !is_kernel;
    cy_args_start(&args, &usage, own, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_EX:
        case OPT_COMMAND:
            *cy_vec_push(&commands) = id == OPT_EX ? "-ex" : "-x";
            *cy_vec_push(&commands) = args.value;
            break;
        case OPT_BATCH: batch = true; break;
        case OPT_INTERPRETER: interpreter = args.value; break;
        case OPT_GDB: gdb = args.value; break;
        case OPT_OPTIMIZE: session.level = args.value; break;
        case OPT_CHECK: session.check = true; break;
        case CY_ARGS_EXIT: cy_vec_free(&commands); return args.status;
        }
    }
    int status = CY_EXIT_OK;
    if (words >= argv + argc)
        status = cy_usage_error(&usage, "nothing to debug: FILE.cl and its options, or -- PROGRAM");
    else if (strcmp(session.level, "0") != 0 && strcmp(session.level, "2") != 0)
        status = cy_usage_error(&usage, "-O takes 0 or 2, not '%s'", session.level);
    else if (is_kernel && access(*words, R_OK)) {
        failed(&session, *words);
        status = CY_EXIT_INPUT;
    }
    char name[] = "cy", where[32], level[8], run[] = "run", check[] = "check";
    char *const command = session.check ? check : run;
    if (status == CY_EXIT_OK && listen_for_gdb(&session)) {
        snprintf(where, sizeof(where), "--gdb=fd:%d", session.listener);
        snprintf(level, sizeof(level), "-O%s", session.level);
        char *const start[] = {name, command, where, level};
        for (size_t i = 0; is_kernel && i < CY_COUNT(start); i++)
            *cy_vec_push(&session.program) = start[i];
        for (; words < argv + argc; words++)
            *cy_vec_push(&session.program) = *words;
        *cy_vec_push(&session.program) = NULL;
        prepare_gdb(&session, gdb, interpreter, batch);
        for (size_t i = 0; i < commands.count; i++)
            push(&session, commands.at[i], NULL);
        *cy_vec_push(&session.gdb) = NULL;
        status = run_both(&session, is_kernel);
    }
    remove_files(&session);
    cy_vec_free(&session.gdb);
    cy_vec_free(&session.program);
    cy_vec_free(&commands);
    cy_buf_free(&session.connect);
    return cy_report(&session.diags) == CY_EXIT_OK ? status : CY_EXIT_INPUT;
}
