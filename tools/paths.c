#define _XOPEN_SOURCE 700
#include "paths.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum kind { READ, WRITE, WRITE_MANY };

struct cy_path {
    enum kind kind;
    const char *given;
    const char *full; /* without symbolic links; the file, or its directory, may be missing */
    bool exists;
    dev_t device;
    ino_t inode;
    const char *prefix, *suffix; /* WRITE_MANY: `full` is the directory */
};

/* Where a link that leads nowhere would make a file. */
static const char *follow(struct cy_arena *arena, const char *path)
{
    enum { LINKS = 40 };
    char target[4096];
    for (int i = 0; i < LINKS; i++) {
        ssize_t length = readlink(path, target, sizeof(target) - 1);
        if (length <= 0)
            break;
        target[length] = 0;
        const char *slash = *target == '/' ? NULL : strrchr(path, '/');
        path = cy_arena_printf(arena, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, target);
    }
    return path;
}

static const char *full_path(struct cy_arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    if (real) {
        const char *copy = cy_arena_printf(arena, "%s", real);
        free(real);
        return copy;
    }
    path = follow(arena, path);
    const char *slash = strrchr(path, '/');
    if (slash == path || (!slash && !strcmp(path, ".")))
        return path; /* the root, or a directory that was removed under us */
    const char *parent = slash ? cy_arena_strndup(arena, path, (size_t)(slash - path)) : ".";
    return cy_arena_printf(arena, "%s/%s", full_path(arena, parent), slash ? slash + 1 : path);
}

/* Writing to these twice, or back to where one was read from, loses nothing. */
static bool is_stream(const char *path, struct stat *status)
{
    static const char *const names[] = {"-", "/dev/stdin", "/dev/stdout", "/dev/stderr"};
    for (size_t i = 0; i < CY_COUNT(names); i++)
        if (!strcmp(path, names[i]))
            return true;
    return stat(path, status) == 0 && !S_ISREG(status->st_mode);
}

static void add(struct cy_paths *paths, enum kind kind, const char *given)
{
    struct stat status = {0};
    if (!given || !*given || is_stream(given, &status))
        return;
    *cy_vec_push(&paths->list) = (struct cy_path){
        .kind = kind,
        .given = cy_arena_printf(&paths->arena, "%s", given),
        .full = full_path(&paths->arena, given),
        .exists = status.st_nlink > 0,
        .device = status.st_dev,
        .inode = status.st_ino,
    };
}

void cy_paths_read(struct cy_paths *paths, const char *path)
{
    add(paths, READ, path);
}

void cy_paths_write(struct cy_paths *paths, const char *path)
{
    add(paths, WRITE, path);
}

void cy_paths_write_many(struct cy_paths *paths, const char *directory, const char *prefix, const char *suffix)
{
    if (!directory)
        return;
    *cy_vec_push(&paths->list) = (struct cy_path){
        .kind = WRITE_MANY,
        .given = cy_arena_printf(&paths->arena, "%s/%s*%s", directory, prefix, suffix),
        .full = full_path(&paths->arena, directory),
        .prefix = cy_arena_printf(&paths->arena, "%s", prefix),
        .suffix = cy_arena_printf(&paths->arena, "%s", suffix),
    };
}

/* ---- comparing ---- */

static bool is_among(const char *file, const struct cy_path *many)
{
    size_t directory = strlen(many->full), prefix = strlen(many->prefix), suffix = strlen(many->suffix);
    if (strncmp(file, many->full, directory) != 0 || file[directory] != '/')
        return false;
    const char *base = file + directory + 1;
    size_t length = strlen(base);
    return !strchr(base, '/') && length >= prefix + suffix && !strncmp(base, many->prefix, prefix) &&
           !strcmp(base + length - suffix, many->suffix);
}

static bool is_same(const struct cy_path *a, const struct cy_path *b)
{
    if (a->kind == WRITE_MANY && b->kind == WRITE_MANY)
        return !strcmp(a->full, b->full) && !strcmp(a->prefix, b->prefix) && !strcmp(a->suffix, b->suffix);
    if (a->kind == WRITE_MANY)
        return is_among(b->full, a);
    if (b->kind == WRITE_MANY)
        return is_among(a->full, b);
    if (a->exists && b->exists)
        return a->device == b->device && a->inode == b->inode;
    return !strcmp(a->full, b->full);
}

static int refuse(const struct cy_usage *usage, const struct cy_path *a, const struct cy_path *b)
{
    if (a->kind == READ || b->kind == READ)
        return cy_usage_error(usage, "writing '%s' would overwrite the input '%s'; nothing was written",
                              (a->kind == READ ? b : a)->given, (a->kind == READ ? a : b)->given);
    return cy_usage_error(usage, "two outputs, '%s' and '%s', are the same file; nothing was written", a->given,
                          b->given);
}

int cy_paths_check(struct cy_paths *paths, const struct cy_usage *usage)
{
    int status = CY_EXIT_OK;
    for (size_t i = 0; i < paths->list.count && status == CY_EXIT_OK; i++)
        for (size_t j = 0; j < i && status == CY_EXIT_OK; j++) {
            const struct cy_path *a = &paths->list.at[j], *b = &paths->list.at[i];
            if ((a->kind != READ || b->kind != READ) && is_same(a, b))
                status = refuse(usage, a, b);
        }
    cy_vec_free(&paths->list);
    cy_arena_free(&paths->arena);
    return status;
}
