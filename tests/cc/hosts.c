/* Programs that are hard on the compile server: they fork, wait for all children, close files that are not theirs,
 * change directory and environment, kill the server, exit halfway.  Linked only with libchengying.so. */
#define _GNU_SOURCE /* setenv, closefrom */
#include "chengying/cc.h"

#include "support/processes.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char good[] = "kernel void f(global int *a) { a[get_global_id(0)] = 7; }\n";

static bool compile(const char *source, struct cy_cc_result *result)
{
    return cy_cc("t.cl", source, strlen(source), NULL, result);
}

static bool compiles(const char *source)
{
    struct cy_cc_result result;
    bool ok = compile(source, &result);
    if (!ok)
        fputs(result.log, stderr);
    cy_cc_result_free(&result);
    return ok;
}

static size_t open_files(void)
{
    size_t count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (directory && readdir(directory))
        count++;
    closedir(directory);
    return count;
}

/* A server has a clang that forks clangs and workers, or workers are forks of the server. */
static bool wait_for(size_t servers, size_t others)
{
    pid_t pid;
    for (int tries = 0; tries < 1000; tries++) {
        size_t ours = count_processes("compile-server", &pid), clangs = count_processes("clang", &pid);
        if (ours >= servers && ours + clangs == servers + others)
            return true;
        nanosleep(&(struct timespec){0, 10000000}, NULL);
    }
    return false;
}

/* ---- the tests ---- */

static void test_nothing_is_seen_of_it(void)
{
    size_t before = open_files();
    CHECK(compiles(good));
    CHECK(!has_line("/proc/self/maps", "LLVM") && !has_line("/proc/self/maps", "clang"));
    CHECK(wait(NULL) < 0 && errno == ECHILD);
    CHECK_EQ(open_files(), before + 1); /* the server's socket */
    CHECK(!compiles("nonsense\n"));
    CHECK(compiles(good));
    CHECK_EQ(open_files(), before + 1);
    CHECK(wait_for(1, 1));
}

static void test_killed_server(void)
{
    pid_t server = 0, next = 0;
    CHECK_EQ(count_processes("compile-server", &server), 1);
    CHECK(!kill(server, SIGKILL));
    CHECK(compiles(good));
    CHECK(wait_for(1, 1));
    CHECK_EQ(count_processes("compile-server", &next), 1);
    CHECK(next != server);
    pid_t clang = 0;
    CHECK_EQ(count_processes("clang", &clang), 1);
    CHECK(!kill(clang, SIGKILL));
    CHECK(compiles(good) && compiles(good));
    CHECK(wait_for(1, 1));
}

static void test_fork(void)
{
    for (int i = 0; i < 3; i++) {
        int status = 1;
        pid_t child = fork();
        if (!child)
            _exit(i == 2 || (compiles(good) && compiles(good)) ? 0 : 1);
        CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
        CHECK(compiles(good));
        CHECK(wait_for(1, 1)); /* the child's has exited */
    }
}

/* A program that closes everything, as daemons do, and reuses the numbers. */
static void test_closed_files(void)
{
    char text[64] = "";
    closefrom(3);
    int fds[8];
    for (int i = 0; i < 8; i++)
        fds[i] = memfd_create("host", 0);
    CHECK(compiles(good));
    for (int i = 0; i < 8; i++) {
        CHECK(fds[i] >= 3 && lseek(fds[i], 0, SEEK_END) == 0 && pread(fds[i], text, sizeof(text), 0) == 0);
        close(fds[i]);
    }
    CHECK(compiles(good));
}

static void test_directory_and_environment(void)
{
    char here[4096], script[4096];
    CHECK(getcwd(here, sizeof(here)) != NULL);
    CHECK(!chdir(test_env("CY_TMP")));
    for (int i = 0; i < 2; i++) {
        char name[] = "0", path[16];
        name[0] = (char)('0' + i);
        mkdir(name, 0777);
        snprintf(path, sizeof(path), "%s/value.h", name);
        FILE *file = fopen(path, "w");
        CHECK(file && fputs(i ? "#define V 1\n" : "#error here\n", file) >= 0 && !fclose(file));
    }
    static const char source[] = "#include \"value.h\"\nkernel void f(global int *a) { *a = V; }\n";
    struct cy_cc_result result;
    CHECK(!chdir("0") && !compile(source, &result) && strstr(result.log, "./value.h:1:2: error: here"));
    cy_cc_result_free(&result);
    CHECK(!chdir("../1") && compiles(source));
    snprintf(script, sizeof(script), "%s/clang", test_env("CY_TMP"));
    FILE *file = fopen(script, "w");
    CHECK(file && fputs("#!/bin/sh\necho ours >&2\nexit 1\n", file) >= 0 && !fclose(file) && !chmod(script, 0755));
    setenv("CHENGYING_CLANG", script, 1);
    for (int i = 0; i < 3; i++) { /* started, and then forked */
        CHECK(!compile(good, &result));
        CHECK_STR(result.log, "ours\n");
        cy_cc_result_free(&result);
    }
    unsetenv("CHENGYING_CLANG");
    CHECK(compiles(good) && !chdir(here));
}

/* ---- threads ---- */

struct work {
    pthread_t thread;
    int number, wrong;
};

static void *run(void *data)
{
    struct work *work = data;
    bool is_bad = work->number == 3;
    for (int i = 0; i < 3; i++) {
        struct cy_cc_result result;
        bool ok = compile(is_bad ? "kernel void bad(global int *a) { *a = 1; }\n" : good, &result);
        work->wrong += is_bad ? ok || !strstr(result.log, "in the pass 'isel' of function 'bad'\n") : !ok;
        cy_cc_result_free(&result);
    }
    return NULL;
}

static void test_threads(void)
{
    struct work works[8];
    setenv("CHENGYING_COMPILER_FAULT", "crash@isel:bad", 1);
    size_t before = 0;
    CHECK(compiles(good));
    before = open_files();
    for (int i = 0; i < 8; i++) {
        works[i] = (struct work){.number = i};
        CHECK_EQ(pthread_create(&works[i].thread, NULL, run, &works[i]), 0);
    }
    for (int i = 0; i < 8; i++) {
        pthread_join(works[i].thread, NULL);
        CHECK_EQ(works[i].wrong, 0);
    }
    CHECK_EQ(open_files(), before);
    unsetenv("CHENGYING_COMPILER_FAULT");
    CHECK(compiles(good));
    CHECK(wait_for(1, 1));
}

static void *hang(void *unused)
{
    compiles(good);
    return unused;
}

/* A program that exits while its compiler hangs takes the compiler with it; so does one that is killed. */
static void test_end_in_the_middle(void)
{
    for (int i = 0; i < 2; i++) {
        int status;
        pthread_t thread;
        pid_t child = fork();
        if (!child) {
            setenv("CHENGYING_COMPILER_FAULT", "hang@llvm", 1);
            if (!pthread_create(&thread, NULL, hang, NULL) && wait_for(2, 3)) /* with the parent's; one works */
                kill(getpid(), i ? SIGKILL : SIGTERM);
            _exit(1);
        }
        CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
        CHECK(wait_for(1, 1));
    }
}

int main(void)
{
    setenv("TMPDIR", test_env("CY_TMP"), 1); /* for saved crash inputs */
    test_nothing_is_seen_of_it();
    test_killed_server();
    test_fork();
    test_closed_files();
    test_directory_and_environment();
    test_threads();
    test_end_in_the_middle();
    return test_finish();
}
