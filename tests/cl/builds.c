/* Building programs: callbacks, headers, messages, options, the cache, and difficult host programs. */
#define _GNU_SOURCE /* setenv, environ */
#include "cl_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char kernel_source[] = "kernel void f(global int *a) { a[get_global_id(0)] = 7; }\n";

static cl_program program_of(const char *source)
{
    cl_int error;
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    CHECK_EQ(error, CL_SUCCESS);
    return program;
}

static cl_build_status status_of(cl_program program)
{
    cl_build_status status = 1234;
    CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL),
             CL_SUCCESS);
    return status;
}

static const char *log_of(cl_program program)
{
    static char log[8192];
    *log = 0;
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof(log), log, NULL);
    return log;
}

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000}, NULL);
}

/* A file of the test's directory. */
static const char *path_of(const char *name)
{
    static char paths[4][4096];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", test_env("CY_TMP"), name);
    return path;
}

static void write_file(const char *name, const char *text, mode_t mode)
{
    FILE *file = fopen(path_of(name), "w");
    CHECK(file && fputs(text, file) >= 0 && !fclose(file) && !chmod(path_of(name), mode));
}

/* clang is this shell script from now on. */
static void use_clang(const char *script)
{
    char text[8192];
    snprintf(text, sizeof(text), "#!/bin/sh\n%s\n", script);
    write_file("clang", text, 0755);
    setenv("CHENGYING_CLANG", path_of("clang"), 1);
}

/* One that waits until open_gate(). */
static void use_gated_clang(void)
{
    char script[8192];
    unlink(path_of("gate"));
    snprintf(script, sizeof(script), "while [ ! -e '%s' ]; do sleep 0.02; done; exec clang-19 \"$@\"", path_of("gate"));
    use_clang(script);
}

static void open_gate(void)
{
    write_file("gate", "", 0644);
}

/* ---- callbacks ---- */

struct called {
    pthread_mutex_t lock;
    cl_program program;
    pthread_t thread;
    int times;
};

static void CL_CALLBACK call(cl_program program, void *data)
{
    struct called *called = data;
    pthread_mutex_lock(&called->lock);
    called->program = program;
    called->thread = pthread_self();
    called->times++;
    pthread_mutex_unlock(&called->lock);
}

static int wait_for(struct called *called)
{
    for (int tries = 0; tries < 3000; tries++) {
        pthread_mutex_lock(&called->lock);
        int times = called->times;
        pthread_mutex_unlock(&called->lock);
        if (times)
            return times;
        pause_ms(10);
    }
    return 0;
}

static void test_build_with_callback(void)
{
    struct called called = {.lock = PTHREAD_MUTEX_INITIALIZER};
    size_t count;
    cl_program program = program_of(kernel_source);
    use_gated_clang();
    CHECK_EQ(clBuildProgram(program, 1, &device, "-DA", call, &called), CL_SUCCESS);
    CHECK_EQ(status_of(program), CL_BUILD_IN_PROGRESS);
    CHECK_EQ(clBuildProgram(program, 1, &device, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_EQ(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof(count), &count, NULL),
             CL_INVALID_PROGRAM_EXECUTABLE);
    open_gate();
    clReleaseKernel(kernel_of(program, "f")); /* waits for the build */
    CHECK_EQ(wait_for(&called), 1);
    CHECK(called.program == program);
    CHECK(!pthread_equal(called.thread, pthread_self()));
    CHECK_EQ(status_of(program), CL_BUILD_SUCCESS);
    clReleaseKernel(kernel_of(program, "f"));
    unsetenv("CHENGYING_CLANG");
    CHECK_EQ(clBuildProgram(program, 1, &device, NULL, NULL, NULL), CL_SUCCESS);
    clReleaseProgram(program);
}

/* The application may release everything while a build runs. */
static void test_release_during_build(void)
{
    struct called called = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const char *name = "h.h";
    cl_program program = program_of("#include \"h.h\"\n"), header = program_of(kernel_source);
    use_gated_clang();
    CHECK_EQ(clCompileProgram(program, 0, NULL, NULL, 1, &header, &name, call, &called), CL_SUCCESS);
    clReleaseProgram(header);
    clReleaseProgram(program);
    open_gate();
    CHECK_EQ(wait_for(&called), 1);
    unsetenv("CHENGYING_CLANG");
    pause_ms(20); /* the sanitizer reports leaks when the process exits */
}

static void test_failing_callbacks(void)
{
    struct called called = {.lock = PTHREAD_MUTEX_INITIALIZER};
    cl_program program = program_of("kernel void f() { x; }\n");
    CHECK_EQ(clBuildProgram(program, 1, &device, NULL, call, &called), CL_SUCCESS);
    CHECK_EQ(wait_for(&called), 1);
    CHECK_EQ(status_of(program), CL_BUILD_ERROR);
    CHECK(strstr(log_of(program), "<source>:1:19: error: use of undeclared identifier 'x'"));
    called.times = 0;
    CHECK_EQ(clBuildProgram(program, 1, &device, "-unknown", call, &called), CL_INVALID_BUILD_OPTIONS);
    pause_ms(50);
    CHECK_EQ(called.times, 0); /* not started, so it cannot have ended */
    clReleaseProgram(program);
}

static void test_link_with_callback(void)
{
    struct called called[2] = {{.lock = PTHREAD_MUTEX_INITIALIZER}, {.lock = PTHREAD_MUTEX_INITIALIZER}};
    cl_int error;
    cl_program part = program_of(kernel_source);
    CHECK_EQ(clCompileProgram(part, 0, NULL, NULL, 0, NULL, NULL, call, &called[0]), CL_SUCCESS);
    CHECK_EQ(wait_for(&called[0]), 1);
    cl_program whole = clLinkProgram(context, 0, NULL, NULL, 1, &part, call, &called[1], &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK(whole != NULL);
    clReleaseProgram(part);
    CHECK_EQ(wait_for(&called[1]), 1);
    CHECK(called[1].program == whole);
    CHECK_EQ(status_of(whole), CL_BUILD_SUCCESS);
    clReleaseKernel(kernel_of(whole, "f"));
    clReleaseProgram(whole);
}

/* A program that is rebuilt over and over, sometimes from a binary or with a callback, while other threads create
 * kernels from it: every caller gets a kernel, of the previous build or the next. */
static cl_program rebuilt;
static atomic_bool is_over;

static void *make_kernels(void *data)
{
    cl_int *wrong = data;
    while (!atomic_load(&is_over)) {
        cl_int error;
        cl_kernel kernel = clCreateKernel(rebuilt, "f", &error);
        if (kernel)
            clReleaseKernel(kernel);
        else
            *wrong = error;
        nanosleep(&(struct timespec){0, 20000}, NULL); /* a program with kernels cannot be rebuilt */
    }
    return NULL;
}

static void test_kernels_during_builds(void)
{
    enum { THREADS = 3, BUILDS = 60, TRIES = 20000 };
    pthread_t threads[THREADS];
    cl_int wrong[THREADS] = {0}, status, error;
    cl_program first = build(kernel_source, NULL);
    size_t size;
    CHECK_EQ(clGetProgramInfo(first, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL), CL_SUCCESS);
    unsigned char *bytes = malloc(size);
    CHECK_EQ(clGetProgramInfo(first, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL), CL_SUCCESS);
    const unsigned char *binary = bytes;
    rebuilt = clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &error);
    CHECK_EQ(error, CL_SUCCESS);
    CHECK_EQ(clBuildProgram(rebuilt, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, make_kernels, &wrong[i]), 0);
    struct called called = {.lock = PTHREAD_MUTEX_INITIALIZER};
    int built = 0, begun = 0;
    for (int i = 0; built + begun < BUILDS && i < TRIES; i++) {
        error = clBuildProgram(rebuilt, 0, NULL, NULL, i % 2 ? call : NULL, i % 2 ? &called : NULL);
        if (error != CL_SUCCESS && !CHECK_EQ(error, CL_INVALID_OPERATION)) /* it has kernels, or is being built */
            break;
        if (error != CL_SUCCESS)
            pause_ms(1);
        built += error == CL_SUCCESS && i % 2 == 0;
        begun += error == CL_SUCCESS && i % 2;
    }
    for (int tries = 0; tries < 3000 && begun && wait_for(&called) < begun; tries++)
        pause_ms(10);
    atomic_store(&is_over, true);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        CHECK_EQ(wrong[i], CL_SUCCESS);
    }
    CHECK_EQ(built + begun, BUILDS);
    clReleaseProgram(first), clReleaseProgram(rebuilt);
    free(bytes);
}

/* ---- messages and headers ---- */

static void test_names_in_messages(void)
{
    const char *names[] = {"dir/outer.h", "dir/inner.h"};
    cl_program program = program_of("#include \"dir/outer.h\"\nkernel void f() { y; }\n");
    cl_program headers[] = {program_of("\n#include \"inner.h\"\n"), program_of("\n\nint g(void) { return z; }\n")};
    CHECK_EQ(clCompileProgram(program, 0, NULL, NULL, 2, headers, names, NULL, NULL), CL_COMPILE_PROGRAM_FAILURE);
    const char *log = log_of(program);
    CHECK(!strncmp(log, "In file included from <source>:1:\nIn file included from dir/outer.h:2:\n", 71));
    CHECK(strstr(log, "\ndir/inner.h:3:22: error: use of undeclared identifier 'z'"));
    CHECK(strstr(log, "\n<source>:2:19: error: use of undeclared identifier 'y'"));
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-Werror", NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(log_of(program), "'dir/outer.h' file not found"));
    for (int i = 0; i < 2; i++)
        clReleaseProgram(headers[i]);
    clReleaseProgram(program);
}

/* Real headers: of the directory the process is in, and of -I, with a space in its name. */
static void test_directories(void)
{
    char here[4096];
    CHECK(getcwd(here, sizeof(here)) != NULL);
    mkdir(path_of("in here"), 0777);
    write_file("in here/a.h", "#define A 1\n", 0644);
    write_file("b.h", "#define B 2\n", 0644);
    CHECK(!chdir(test_env("CY_TMP")));
    cl_program program = program_of("#include <a.h>\n#include \"b.h\"\nkernel void f(global int *a) { *a = A + B; }\n");
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-I \"in here\"", NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-I\"in here\" -D\"C=1 + 1\"", NULL, NULL), CL_SUCCESS);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    clReleaseProgram(program);
    mkdir(path_of("gone"), 0777);
    CHECK(!chdir(path_of("gone")) && !rmdir(path_of("gone"))); /* a directory that no longer exists */
    clReleaseProgram(build(kernel_source, NULL));
    CHECK(!chdir(here));
}

/* ---- options ---- */

static void test_options(void)
{
    static const struct {
        const char *text;
        cl_int error;
        const char *log; /* what the log has; NULL: anything */
    } cases[] = {
        {"", CL_SUCCESS, NULL},
        {"   \t ", CL_SUCCESS, NULL},
        {"-DV=7 -U V -DV=8", CL_SUCCESS, NULL},
        {"-D V=7 -D W", CL_SUCCESS, NULL},
        {"-DV= -D W=", CL_SUCCESS, NULL},
        {"-D\"V=1 + 1\" -D 'W=(2)'", CL_SUCCESS, NULL},
        {"-DS=\\\"text\\\"", CL_SUCCESS, NULL},
        {"-cl-std=CL1.2 -w", CL_SUCCESS, NULL},
        {"-cl-std=CL3.0 -Werror -g", CL_SUCCESS, NULL},
        {"-cl-single-precision-constant -cl-denorms-are-zero -cl-fp32-correctly-rounded-divide-sqrt", CL_SUCCESS, NULL},
        {"-cl-opt-disable -cl-strict-aliasing -cl-uniform-work-group-size -cl-no-subgroup-ifp", CL_SUCCESS, NULL},
        {"-cl-mad-enable -cl-no-signed-zeros -cl-unsafe-math-optimizations -cl-finite-math-only", CL_SUCCESS, NULL},
        {"-cl-fast-relaxed-math -cl-kernel-arg-info", CL_SUCCESS, NULL},
        {"-O3", CL_SUCCESS, "note: build option '-O3' is accepted; it means -O2, the default\n"},
        {"-O0", CL_SUCCESS, "note: build option '-O0' is accepted; it means -cl-opt-disable\n"},
        {"-Os -O -O1 -O2", CL_SUCCESS, "build option '-O' is accepted"},
        {"-O4", CL_INVALID_BUILD_OPTIONS, "error: build option '-O4' is not supported; the levels are "},
        {"-Ofast", CL_INVALID_BUILD_OPTIONS, "'-Ofast' is not supported"},
        {"-cl-std=CLC++", CL_SUCCESS, NULL},
        {"-cl-std=CLC++2021", CL_SUCCESS, NULL},
        {"-cl-std=CLC++2025", CL_INVALID_BUILD_OPTIONS, "those of C++ for OpenCL CLC++1.0 (or CLC++) and CLC++2021"},
        {"-D", CL_INVALID_BUILD_OPTIONS, "missing after '-D'"},
        {"-I", CL_INVALID_BUILD_OPTIONS, NULL},
        {"-D \"\"", CL_INVALID_BUILD_OPTIONS, NULL},
        {"-", CL_INVALID_BUILD_OPTIONS, NULL},
        {"file.cl", CL_INVALID_BUILD_OPTIONS, NULL},
        {"-cl-std=CL9.9", CL_INVALID_BUILD_OPTIONS, "'-cl-std=CL9.9' is not supported; the versions"},
        {"-cl-unknown", CL_INVALID_BUILD_OPTIONS, NULL},
        {"-create-library", CL_INVALID_BUILD_OPTIONS, "clBuildProgram does not take the option '-create-library'"},
        {"-w -o x", CL_INVALID_BUILD_OPTIONS, NULL},
    };
    cl_program program = program_of(kernel_source);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        if (!CHECK_EQ(clBuildProgram(program, 0, NULL, cases[i].text, NULL, NULL), cases[i].error) ||
            !CHECK(!cases[i].error || *log_of(program)) ||
            !CHECK(!cases[i].log || strstr(log_of(program), cases[i].log)))
            fprintf(stderr, "options: %s\n%s", cases[i].text, log_of(program));
    clReleaseProgram(program);
}

/* Invalid options leave an executable alone; without one the build has failed. */
static void test_refused_options(void)
{
    cl_build_status status;
    cl_int error;
    cl_program program = program_of(kernel_source);
    for (int is_built = 0; is_built < 2; is_built++) {
        CHECK_EQ(clBuildProgram(program, 0, NULL, "-cl-std=CL9", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
        CHECK(strstr(log_of(program), "CL9"));
        CHECK_EQ(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, NULL),
                 CL_SUCCESS);
        CHECK_EQ(status, is_built ? CL_BUILD_SUCCESS : CL_BUILD_ERROR);
        cl_uint count = 0;
        error = clCreateKernelsInProgram(program, 0, NULL, &count);
        CHECK_EQ(error, is_built ? CL_SUCCESS : CL_INVALID_PROGRAM_EXECUTABLE);
        if (!is_built)
            CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    }
    CHECK_EQ(clCompileProgram(program, 0, NULL, "-nothing", 0, NULL, NULL, NULL, NULL), CL_INVALID_COMPILER_OPTIONS);
    CHECK(strstr(log_of(program), "clCompileProgram does not take the option '-nothing'"));
    clReleaseProgram(program);
}

/* ---- hosts ---- */

static size_t open_files(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory))
        count++;
    closedir(directory);
    return count;
}

static void test_nothing_left_behind(void)
{
    clReleaseProgram(build(kernel_source, NULL));
    size_t before = open_files();
    clReleaseProgram(build(kernel_source, "-DAGAIN"));
    cl_program bad = program_of("nonsense");
    CHECK_EQ(clBuildProgram(bad, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    clReleaseProgram(bad);
    CHECK_EQ(open_files(), before);
    CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD);
}

static void reap(int signal)
{
    int saved = errno;
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    errno = saved;
}

/* A host that ignores its children, or that reaps all of them. */
static void test_signals(void)
{
    signal(SIGCHLD, SIG_IGN);
    clReleaseProgram(build(kernel_source, "-DONE"));
    signal(SIGCHLD, reap);
    clReleaseProgram(build(kernel_source, "-DTWO"));
    cl_program bad = program_of("nonsense");
    CHECK_EQ(clBuildProgram(bad, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    clReleaseProgram(bad);
    signal(SIGCHLD, SIG_DFL);
}

/* Without standard input and output, whose numbers the next files get; and with no descriptor left, or one. */
static void test_file_numbers(void)
{
    int saved[3];
    for (int i = 0; i < 3; i++) {
        saved[i] = fcntl(i, F_DUPFD_CLOEXEC, 100);
        close(i);
    }
    cl_program program = program_of(kernel_source);
    cl_int without = clBuildProgram(program, 0, NULL, "-DWITHOUT", NULL, NULL);
    for (int i = 0; i < 3; i++) {
        dup2(saved[i], i);
        close(saved[i]);
    }
    CHECK_EQ(without, CL_SUCCESS);
    struct rlimit old, low;
    getrlimit(RLIMIT_NOFILE, &old);
    int next = fcntl(0, F_DUPFD_CLOEXEC, 3);
    close(next);
    for (int numbers = 0; numbers < 2; numbers++) {
        low = old;
        low.rlim_cur = (rlim_t)(next + numbers);
        setrlimit(RLIMIT_NOFILE, &low);
        cl_int few = clBuildProgram(program, 0, NULL, "-DFEW", NULL, NULL);
        setrlimit(RLIMIT_NOFILE, &old);
        CHECK_EQ(few, CL_BUILD_PROGRAM_FAILURE);
        CHECK(strstr(log_of(program), "Too many open files"));
    }
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-DMANY", NULL, NULL), CL_SUCCESS);
    clReleaseProgram(program);
}

/* ---- clang ---- */

static void test_clang_in_trouble(void)
{
    static const struct {
        const char *script, *message;
    } cases[] = {
        {"kill -SEGV $$", "<source>: error: clang-19 was terminated by signal 11"},
        {"kill -KILL $$", "<source>: error: clang-19 was terminated by signal 9"},
        {"exit 3", "<source>: error: clang-19 failed without a message"},
        {"echo trouble >&2; exit 1", "trouble"},
        {"echo no bitcode", "bitcode"},
        {"", "bitcode"},
    };
    cl_program program = program_of(kernel_source);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        use_clang(cases[i].script);
        CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
        if (!CHECK(strstr(log_of(program), cases[i].message)))
            fprintf(stderr, "%s: %s\n", cases[i].script, log_of(program));
    }
    setenv("CHENGYING_CLANG", "/nowhere/clang", 1);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    CHECK(strstr(log_of(program), "install the package clang-19"));
    unsetenv("CHENGYING_CLANG");
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, NULL, NULL), CL_SUCCESS);
    clReleaseProgram(program);
}

/* ---- the cache ---- */

static bool is_loaded(const char *library)
{
    char line[4096];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof(line), maps))
        found |= strstr(line, library) != NULL;
    fclose(maps);
    return found;
}

/* In a separate process: the first fills the cache; a compiler that crashes shows that the second asks none.  Neither loads
 * LLVM. */
static int build_in_new_process(bool is_first)
{
    if (!is_first)
        setenv("CHENGYING_COMPILER_FAULT", "crash@isel", 1);
    set_up(0);
    cl_program program = program_of(kernel_source);
    CHECK_EQ(clBuildProgram(program, 0, NULL, "-DCACHED", NULL, NULL), CL_SUCCESS);
    CHECK(!is_loaded("libLLVM") && !is_loaded("libclang"));
    clReleaseKernel(kernel_of(program, "f"));
    clReleaseProgram(program);
    tear_down();
    return test_finish();
}

static void test_cached(void)
{
    setenv("CHENGYING_CACHE", "1", 1);
    setenv("CHENGYING_CACHE_DIR", path_of("cache"), 1);
    for (int i = 0; i < 2; i++) {
        pid_t child;
        int status = 1;
        char *words[] = {(char[]){"builds"}, i ? (char[]){"second"} : (char[]){"first"}, NULL};
        child = fork();
        if (!child) {
            execv("/proc/self/exe", words);
            _exit(127);
        }
        waitpid(child, &status, 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    setenv("CHENGYING_CACHE", "0", 1);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return build_in_new_process(!strcmp(argv[1], "first"));
    test_cached(); /* before there are threads: it forks */
    set_up(0);
    test_build_with_callback();
    test_release_during_build();
    test_failing_callbacks();
    test_link_with_callback();
    test_kernels_during_builds();
    test_names_in_messages();
    test_directories();
    test_options();
    test_refused_options();
    test_nothing_left_behind();
    test_signals();
    test_file_numbers();
    test_clang_in_trouble();
    static struct called called = {.lock = PTHREAD_MUTEX_INITIALIZER};
    static cl_program program;
    program = program_of(kernel_source);
    CHECK_EQ(clBuildProgram(program, 0, NULL, NULL, call, &called), CL_SUCCESS);
    pause_ms(30);
    return test_finish(); /* the build continues */
}
