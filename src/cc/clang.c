/* clang-19 as a child process: posix_spawn, never a shell.  Everything it reads from us and writes for us is a file in
 * memory (memfd): there is nothing to pump, nothing to clean up, and a child that dies early breaks no pipe.
 *
 * The text of the program and headers that are no files are laid over the file system (clang's -ivfsoverlay) under the
 * names they have for the user, so that messages and #include know them by these names. */
#define _GNU_SOURCE /* memfd_create, addclosefrom_np, addfchdir_np, prlimit */
#include "cc/clang.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* File descriptors of the child behind the three standard ones; the headers follow. */
enum { OVERLAY = 3, DEPENDENCIES, SOURCE, PRELUDE, HEADERS };

/* A clang that has worked for this long is not going to end. */
enum { LIMIT_SECONDS = 600 };

/* Target spir gives 32-bit pointers, OpenCL's address spaces, vectors by value and kernel metadata.  This is clang's inner
 * command line (-cc1): the outer one insists that its input is a real file, and reads environment variables. */
static const char *const fixed_args[] = {
    "clang-19",
    "-cc1",
    "-triple",
    "spir",
    "-emit-llvm-bc",
    "-O2",
    "-disable-llvm-passes",
    "-disable-llvm-verifier",
    "-disable-free",
    "-fdeclare-opencl-builtins",
    "-debug-info-kind=line-tables-only",
    "-dwarf-version=4",
    "-cl-ext=-all,+cl_khr_byte_addressable_store,+cl_khr_global_int32_base_atomics,"
    "+cl_khr_global_int32_extended_atomics,+cl_khr_local_int32_base_atomics,"
    "+cl_khr_local_int32_extended_atomics,+__cl_clang_bitfields,+__opencl_c_int64,+__opencl_c_generic_address_space,"
    "+__opencl_c_program_scope_global_variables,+__opencl_c_atomic_order_acq_rel,+__opencl_c_atomic_order_seq_cst",
    /* extensions and features that clang has no name for */
    "-Dcl_khr_extended_bit_ops=1",
    "-Dcl_khr_integer_dot_product=1",
    "-D__opencl_c_integer_dot_product_input_4x8bit=1",
    "-D__opencl_c_integer_dot_product_input_4x8bit_packed=1",
    "-D__opencl_c_atomic_scope_device=1",
    "-D__opencl_c_atomic_scope_all_devices=1",
    "-D__opencl_c_work_group_collective_functions=1",
    /* clang's target spir has every extension and images; the device has not. */
    "-U__SPIR__",
    "-U__IMAGE_SUPPORT__",
    "-D__OPENCL_VERSION__=300",
    "-ffp-contract=on",
    "-fno-rounding-math",
    "-fgnuc-version=4.2.1",
    "-ferror-limit",
    "19",
    "-fbracket-depth",
    "4096",
    "-x",
    "cl",
    "-o",
    "-",
    "-ivfsoverlay",
    "/proc/self/fd/3",
    "-dependency-file",
    "/proc/self/fd/4",
    "-MT",
    "bitcode",
    "-sys-header-deps",
};

/* Comes before the source.  Bit-fields are more than the language has, but clang's code for them is ours already.  The
 * a-forms for one half are functions that clang's table of built-ins lacks and programs call. */
static const char prelude_name[] = "chengying.prelude";
#define DECLARE "__attribute__((overloadable)) "
#define STORE(suffix, space) "void " DECLARE "vstorea_half" suffix "(float, size_t, " space " half *);"
#define STORES(space)                                                                                                  \
    STORE("", space) STORE("_rte", space) STORE("_rtz", space) STORE("_rtp", space) STORE("_rtn", space)
#define LOAD(space) "float " DECLARE "vloada_half(size_t, const " space " half *);"
static const char prelude[] = "#pragma OPENCL EXTENSION __cl_clang_bitfields : enable\n" LOAD("__global")
    LOAD("__local") LOAD("__private") LOAD("__constant") STORES("__global") STORES("__local") STORES("__private") "\n";
#undef DECLARE
#undef STORE
#undef STORES
#undef LOAD

/* ---- finding it ---- */

static bool is_program(const char *path)
{
    return !access(path, X_OK);
}

/* $CHENGYING_CLANG, or clang-19 in $PATH, or where Debian's package puts it. */
static char *find_program(void)
{
    static const char usual[] = "/usr/lib/llvm-19/bin/clang";
    const char *named = getenv("CHENGYING_CLANG"), *path = getenv("PATH");
    struct cy_buf candidate = {0};
    char *found = NULL;
    if (named && *named)
        return is_program(named) ? realpath(named, NULL) : NULL;
    for (size_t length; path && *path && !found; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        candidate.size = 0;
        cy_buf_printf(&candidate, "%.*s/clang-19", (int)length, path);
        if (length && is_program(candidate.data))
            found = realpath(candidate.data, NULL);
    }
    cy_buf_free(&candidate);
    return found || !is_program(usual) ? found : realpath(usual, NULL);
}

bool cc_clang_find(struct cc_clang_place *place, const char *name, struct cy_buf *log)
{
    const char *named = getenv("CHENGYING_CLANG");
    struct cy_buf header = {0};
    *place = (struct cc_clang_place){.program = find_program()};
    if (!place->program) {
        cy_buf_printf(log, "%s: error: cannot run %s: %s; install the package clang-19\n", name,
                      named && *named ? named : "clang-19", strerror(ENOENT));
        return false;
    }
    const char *slash = strrchr(place->program, '/');
    cy_buf_printf(&header, "%.*s/../lib/clang/19/include/opencl-c-base.h", (int)(slash - place->program),
                  place->program);
    place->header = realpath(header.data, NULL);
    cy_buf_free(&header);
    return true;
}

void cc_clang_place_free(struct cc_clang_place *place)
{
    free(place->program);
    free(place->header);
    *place = (struct cc_clang_place){0};
}

/* ---- files in memory ---- */

/* A file whose descriptor is at least `floor`, so that it is in nobody's way in the child; -1: errno says why not. */
static int memory_file(const char *text, size_t size, int floor)
{
    int low = memfd_create("chengying", MFD_CLOEXEC);
    if (low < 0)
        return -1;
    int fd = low >= floor ? low : fcntl(low, F_DUPFD_CLOEXEC, floor);
    if (fd != low)
        close(low);
    if (fd < 0 && errno == EINVAL) /* so fcntl says that all numbers from the floor on are above the limit */
        errno = EMFILE;
    if (fd >= 0 && !(cy_write_all(fd, text, size) && lseek(fd, 0, SEEK_SET) == 0)) {
        close(fd);
        return -1;
    }
    return fd;
}

static void read_file(int fd, struct cy_buf *to)
{
    char chunk[16384];
    ssize_t got;
    lseek(fd, 0, SEEK_SET);
    while ((got = read(fd, chunk, sizeof(chunk))) > 0 || (got < 0 && errno == EINTR))
        if (got > 0)
            cy_buf_append(to, chunk, (size_t)got);
}

/* ---- the overlay ---- */

static void put_quoted(struct cy_buf *out, const char *text)
{
    cy_buf_putc(out, '"');
    for (; *text; text++) {
        if ((unsigned char)*text < ' ')
            cy_buf_printf(out, "\\u%04x", (unsigned)*text);
        else if (*text == '"' || *text == '\\')
            cy_buf_printf(out, "\\%c", *text);
        else
            cy_buf_putc(out, *text);
    }
    cy_buf_putc(out, '"');
}

static void put_file(struct cy_buf *out, const char *directory, const char *name, int fd)
{
    struct cy_buf path = {0};
    cy_buf_printf(&path, "%s%s%s", *name == '/' ? "" : directory,
                  *name == '/' || directory[strlen(directory) - 1] == '/' ? "" : "/", name);
    cy_buf_puts(out, "{\"name\":");
    put_quoted(out, path.data);
    cy_buf_printf(out, ",\"type\":\"file\",\"external-contents\":\"/proc/self/fd/%d\"},", fd);
    cy_buf_free(&path);
}

/* ---- running it ---- */

struct spawn {
    posix_spawn_file_actions_t actions;
    CY_VEC(const char *) argv;
    CY_VEC(int) files; /* the parent's ends, closed when the child has started */
    struct cy_arena arena;
    int floor; /* descriptors below are the child's */
    bool failed;
};

/* Gives the child a file as its descriptor `as`; returns ours. */
static int give(struct spawn *spawn, const char *text, size_t size, int as)
{
    int fd = spawn->failed ? -1 : memory_file(text, size, spawn->floor);
    spawn->failed |= fd < 0;
    if (fd >= 0)
        posix_spawn_file_actions_adddup2(&spawn->actions, fd, as);
    return fd;
}

/* The same for files that we are done with when the child runs. */
static void give_away(struct spawn *spawn, const char *text, size_t size, int as)
{
    int fd = give(spawn, text, size, as);
    if (fd >= 0)
        *cy_vec_push(&spawn->files) = fd;
}

/* Options of clBuildProgram that clang's inner command line spells otherwise or does not know. */
static void add_option(struct spawn *spawn, const char *arg)
{
    static const char *const not_clangs[] = {"-cl-denorms-are-zero", "-cl-uniform-work-group-size",
                                             "-cl-no-subgroup-ifp"};
    for (size_t i = 0; i < CY_COUNT(not_clangs); i++)
        if (!strcmp(arg, not_clangs[i]))
            return;
    if (strcmp(arg, "-g") != 0) /* ours: lines are always known */
        *cy_vec_push(&spawn->argv) = arg;
}

static void add_arguments(struct spawn *spawn, const struct cc_clang_place *place, const char *name,
                          const struct cy_cc_options *options)
{
    bool has_standard = false;
    for (size_t i = 0; i < CY_COUNT(fixed_args); i++)
        *cy_vec_push(&spawn->argv) = fixed_args[i];
    if (place->header) {
        *cy_vec_push(&spawn->argv) = "-include";
        *cy_vec_push(&spawn->argv) = place->header;
    } else {
        *cy_vec_push(&spawn->argv) = "-finclude-default-header";
    }
    *cy_vec_push(&spawn->argv) = "-include";
    *cy_vec_push(&spawn->argv) = cy_arena_printf(&spawn->arena, CC_HEADER_DIRECTORY "%s", prelude_name);
    if (options->header_count)
        *cy_vec_push(&spawn->argv) = "-I" CC_HEADER_DIRECTORY;
    for (size_t i = 0; i < options->arg_count; i++) {
        has_standard |= !strncmp(options->args[i], "-cl-std=", 8);
        add_option(spawn, options->args[i]);
    }
    if (!has_standard)
        *cy_vec_push(&spawn->argv) = "-cl-std=CL1.2";
    *cy_vec_push(&spawn->argv) = *name == '-' ? cy_arena_printf(&spawn->arena, "./%s", name) : name;
    *cy_vec_push(&spawn->argv) = NULL;
}

/* The directory that relative names are meant in, kept open so that a thread that changes it meanwhile does no harm.
 * NULL: it was removed. */
static char *open_directory(struct spawn *spawn)
{
    int fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    int high = fd >= 0 && fd < spawn->floor ? fcntl(fd, F_DUPFD_CLOEXEC, spawn->floor) : fd;
    if (fd >= 0 && high != fd)
        close(fd);
    char *path = NULL;
    if (high >= 0) {
        *cy_vec_push(&spawn->files) = high;
        char link[32];
        struct stat status;
        path = cy_arena_alloc(&spawn->arena, PATH_MAX + 1);
        snprintf(link, sizeof(link), "/proc/self/fd/%d", high);
        if (!fstat(high, &status) && status.st_nlink && readlink(link, path, PATH_MAX) > 0 && *path == '/')
            posix_spawn_file_actions_addfchdir_np(&spawn->actions, high);
        else
            path = NULL;
    }
    return path;
}

static void close_files(struct spawn *spawn)
{
    for (size_t i = 0; i < spawn->files.count; i++)
        close(spawn->files.at[i]);
    posix_spawn_file_actions_destroy(&spawn->actions);
    cy_vec_free(&spawn->argv);
    cy_vec_free(&spawn->files);
    cy_arena_free(&spawn->arena);
}

static void add_files(struct spawn *spawn, const char *name, const char *source, size_t size,
                      const struct cy_cc_options *options, const char *directory)
{
    struct cy_buf overlay = {0};
    cy_buf_puts(&overlay, "{\"version\":0,\"use-external-names\":false,\"roots\":[");
    put_file(&overlay, directory, name, SOURCE);
    give_away(spawn, source, size, SOURCE);
    put_file(&overlay, CC_HEADER_DIRECTORY, prelude_name, PRELUDE);
    give_away(spawn, prelude, strlen(prelude), PRELUDE);
    for (size_t i = 0; i < options->header_count; i++) {
        const struct cy_cc_header *header = &options->headers[i];
        put_file(&overlay, CC_HEADER_DIRECTORY, header->name, HEADERS + (int)i);
        give_away(spawn, header->text, header->size, HEADERS + (int)i);
    }
    overlay.data[overlay.size - 1] = ']'; /* the last comma */
    cy_buf_putc(&overlay, '}');
    give_away(spawn, overlay.data, overlay.size, OVERLAY);
    give_away(spawn, "", 0, STDIN_FILENO);
    cy_buf_free(&overlay);
}

static int run(struct spawn *spawn, const char *program, pid_t *child)
{
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes); /* the host's handling of signals is none of clang's business */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawn_file_actions_addclosefrom_np(&spawn->actions, spawn->floor);
    int failed =
        posix_spawn(child, program, &spawn->actions, &attributes, (char *const *)(void *)spawn->argv.at, environ);
    posix_spawnattr_destroy(&attributes);
    struct rlimit limit = {LIMIT_SECONDS, LIMIT_SECONDS};
    if (!failed)
        prlimit(*child, RLIMIT_CPU, &limit, NULL);
    return failed;
}

bool cc_clang_start(struct cc_clang *clang, const struct cc_clang_place *place, const char *name, const char *source,
                    size_t size, const struct cy_cc_options *options, struct cy_buf *log)
{
    struct spawn spawn = {.floor = HEADERS + (int)options->header_count};
    int failed = 0;
    posix_spawn_file_actions_init(&spawn.actions);
    *clang = (struct cc_clang){.name = name};
    const char *directory = open_directory(&spawn);
    add_files(&spawn, name, source, size, options, directory ? directory : "/");
    clang->bitcode = give(&spawn, "", 0, STDOUT_FILENO);
    clang->messages = give(&spawn, "", 0, STDERR_FILENO);
    clang->dependencies = give(&spawn, "", 0, DEPENDENCIES);
    if (spawn.failed) {
        cy_buf_printf(log, "%s: error: cannot make a file for clang: %s\n", name, strerror(errno));
    } else {
        add_arguments(&spawn, place, directory ? name : cy_arena_printf(&spawn.arena, "/%s", name), options);
        failed = run(&spawn, place->program, &clang->child);
        if (failed)
            cy_buf_printf(log, "%s: error: cannot run %s: %s\n", name, place->program, strerror(failed));
    }
    close_files(&spawn);
    if (!spawn.failed && !failed)
        return true;
    for (size_t i = 0; i < 3; i++) {
        int fd = (const int[]){clang->bitcode, clang->messages, clang->dependencies}[i];
        if (fd >= 0)
            close(fd);
    }
    return false;
}

/* The user knows the headers without our directory. */
static void append_messages(struct cy_buf *log, const struct cy_buf *messages)
{
    const char *at = messages->data ? messages->data : "", *hit;
    for (; (hit = strstr(at, CC_HEADER_DIRECTORY)); at = hit + strlen(CC_HEADER_DIRECTORY))
        cy_buf_append(log, at, (size_t)(hit - at));
    cy_buf_puts(log, at);
}

bool cc_clang_finish(struct cc_clang *clang, struct cy_buf *bitcode, struct cy_buf *log, struct cy_buf *dependencies)
{
    struct cy_buf messages = {0};
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(clang->child, &status, 0)) < 0 && errno == EINTR)
        ;
    read_file(clang->messages, &messages);
    append_messages(log, &messages);
    read_file(clang->bitcode, bitcode);
    bool known = ended == clang->child; /* a host that ignores SIGCHLD or waits for every child learns it before us */
    bool ok = known ? WIFEXITED(status) && !WEXITSTATUS(status) : bitcode->size > 0;
    if (known && WIFSIGNALED(status))
        cy_buf_printf(log, "%s: error: clang-19 was ended by signal %d (%s)\n", clang->name, WTERMSIG(status),
                      strsignal(WTERMSIG(status)));
    else if (!ok && !messages.size)
        cy_buf_printf(log, "%s: error: clang-19 failed and did not say why\n", clang->name);
    if (ok && known)
        read_file(clang->dependencies, dependencies);
    close(clang->bitcode);
    close(clang->messages);
    close(clang->dependencies);
    cy_buf_free(&messages);
    return ok;
}
