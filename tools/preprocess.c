#define _POSIX_C_SOURCE 200809L
#include "preprocess.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

bool cy_wants_preprocessor(const char *file)
{
    size_t length = strlen(file);
    return length > 2 && strcmp(file + length - 2, ".S") == 0;
}

/* Runs clang -E; its messages go to standard error. */
static bool spawn_preprocessor(const struct cy_preprocess *macros, const char *file, int output, pid_t *child)
{
    static const char *const programs[] = {"clang-19", "clang"};
    CY_VEC(char *) argv = {0};
    struct cy_arena arena = {0};
    int error = ENOENT;
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return false;
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    for (size_t i = 0; i < CY_COUNT(programs) && error == ENOENT; i++) {
        argv.count = 0;
        *cy_vec_push(&argv) = cy_arena_printf(&arena, "%s", programs[i]);
        *cy_vec_push(&argv) = cy_arena_printf(&arena, "--target=riscv32-unknown-elf");
        *cy_vec_push(&argv) = cy_arena_printf(&arena, "-E");
        *cy_vec_push(&argv) = cy_arena_printf(&arena, "-xassembler-with-cpp");
        for (size_t j = 0; j < macros->include_dir_count; j++)
            *cy_vec_push(&argv) = cy_arena_printf(&arena, "-I%s", macros->include_dirs[j]);
        for (size_t j = 0; j < macros->define_count; j++)
            *cy_vec_push(&argv) = cy_arena_printf(&arena, "-D%s", macros->defines[j]);
        *cy_vec_push(&argv) = cy_arena_printf(&arena, "%s%s", file[0] == '-' ? "./" : "", file);
        *cy_vec_push(&argv) = NULL;
        error = posix_spawnp(child, programs[i], &actions, NULL, argv.at, environ);
    }
    posix_spawn_file_actions_destroy(&actions);
    cy_vec_free(&argv);
    cy_arena_free(&arena);
    if (error)
        fprintf(stderr, "%s: error: a .S file needs clang as its preprocessor: %s\n", file, strerror(error));
    return error == 0;
}

bool cy_preprocess(const struct cy_preprocess *macros, const char *file, struct cy_buf *text)
{
    int ends[2], status = 1;
    pid_t child;
    if (pipe(ends) != 0) {
        perror("cy: error: pipe");
        return false;
    }
    bool started = spawn_preprocessor(macros, file, ends[1], &child);
    close(ends[1]);
    for (ssize_t got = 1; started && got > 0;) {
        cy_buf_reserve(text, 1 << 16);
        got = read(ends[0], text->data + text->size, 1 << 16);
        text->size += got > 0 ? (size_t)got : 0;
    }
    close(ends[0]);
    if (started)
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            continue;
    return started && status == 0;
}
