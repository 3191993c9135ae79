#define _XOPEN_SOURCE 700
#include "paths.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strmap.h"

enum kind { READ, WRITE, WRITE_MANY };

struct cy_path {
    enum kind kind;
    const char *given;
    const char *full; /* without symbolic links; the file, or its directory, may not exist */
    bool exists;
    bool makes_directory; /* whoever writes it makes its directory first */
    dev_t device;
    ino_t inode;
    const char *prefix, *suffix; /* WRITE_MANY: `full` is the directory */
};

/* The file that a dangling link would create. */
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
        return path; /* the root, or a directory that has been removed meanwhile */
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

void cy_paths_read_lines(struct cy_paths *paths, const char *lines)
{
    for (const char *at = lines, *end; at && (end = strchr(at, '\n')); at = end + 1)
        cy_paths_read(paths, cy_arena_printf(&paths->arena, "%.*s", (int)(end - at), at));
}

void cy_paths_write(struct cy_paths *paths, const char *path)
{
    add(paths, WRITE, path);
}

void cy_paths_write_made(struct cy_paths *paths, const char *path)
{
    const size_t count = paths->list.count;
    add(paths, WRITE, path);
    if (paths->list.count > count)
        paths->list.at[count].makes_directory = true;
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

/* Indexes files by identity, so that thousands of them (the buffers of a long replay) are compared in linear time. */
struct index {
    struct cy_strmap keys;
    CY_VEC(const struct cy_path *) readers; /* by key: the first path that reads it, that writes it; NULL: none */
    CY_VEC(const struct cy_path *) writers;
    CY_VEC(const char *) suffixes; /* of all WRITE_MANY */
    struct cy_buf key;
};

static void many_key(struct index *index, const char *directory, size_t directory_size, const char *prefix,
                     size_t prefix_size, const char *suffix)
{
    index->key.size = 0;
    cy_buf_puts(&index->key, "many");
    cy_buf_append(&index->key, directory, directory_size);
    cy_buf_putc(&index->key, 0);
    cy_buf_append(&index->key, prefix, prefix_size);
    cy_buf_putc(&index->key, 0);
    cy_buf_append(&index->key, suffix, strlen(suffix));
}

static void make_key(struct index *index, const struct cy_path *path)
{
    if (path->kind == WRITE_MANY) {
        many_key(index, path->full, strlen(path->full), path->prefix, strlen(path->prefix), path->suffix);
        return;
    }
    index->key.size = 0;
    if (path->exists) {
        cy_buf_puts(&index->key, "node");
        cy_buf_append(&index->key, &path->device, sizeof(path->device));
        cy_buf_append(&index->key, &path->inode, sizeof(path->inode));
    } else {
        cy_buf_puts(&index->key, "name");
        cy_buf_puts(&index->key, path->full);
    }
}

/* The conflicting path, or NULL; then this one is recorded. */
static const struct cy_path *enter(struct index *index, const struct cy_path *path)
{
    make_key(index, path);
    uint32_t id = cy_strmap_add(&index->keys, index->key.data, index->key.size);
    if (id == index->readers.count) {
        *cy_vec_push(&index->readers) = NULL;
        *cy_vec_push(&index->writers) = NULL;
    }
    const struct cy_path *reader = index->readers.at[id], *writer = index->writers.at[id];
    const struct cy_path **slot = path->kind == READ ? &index->readers.at[id] : &index->writers.at[id];
    if (!*slot)
        *slot = path;
    return writer ? writer : path->kind == READ ? NULL : reader;
}

static bool ends_in(const char *text, size_t length, const char *suffix)
{
    size_t tail = strlen(suffix);
    return length >= tail && !memcmp(text + length - tail, suffix, tail);
}

/* The set of files PREFIX...SUFFIX that contains the file, or NULL. */
static const struct cy_path *find_many(struct index *index, const struct cy_path *path)
{
    const char *slash = strrchr(path->full, '/'), *base = slash ? slash + 1 : path->full;
    size_t length = strlen(base);
    for (size_t i = 0; slash && i < index->suffixes.count; i++) {
        const char *suffix = index->suffixes.at[i];
        for (size_t prefix = 0; ends_in(base, length, suffix) && prefix + strlen(suffix) <= length; prefix++) {
            many_key(index, path->full, (size_t)(slash - path->full), base, prefix, suffix);
            uint32_t id = cy_strmap_find(&index->keys, index->key.data, index->key.size);
            if (id != CY_STR_NONE)
                return index->writers.at[id];
        }
    }
    return NULL;
}

static void add_suffix(struct index *index, const char *suffix)
{
    for (size_t i = 0; i < index->suffixes.count; i++)
        if (!strcmp(index->suffixes.at[i], suffix))
            return;
    *cy_vec_push(&index->suffixes) = suffix;
}

static int refuse(const struct cy_usage *usage, const struct cy_path *a, const struct cy_path *b)
{
    if (a->kind == READ || b->kind == READ)
        return cy_usage_error(usage, "writing '%s' would overwrite the input '%s'; nothing was written",
                              (a->kind == READ ? b : a)->given, (a->kind == READ ? a : b)->given);
    return cy_usage_error(usage, "two outputs, '%s' and '%s', are the same file; nothing was written", a->given,
                          b->given);
}

/* What takes hours to compute must not be lost because of a name: files are renamed into place, so the directory decides. */
static bool check_writable(const struct cy_path *path)
{
    const char *slash = strrchr(path->full, '/');
    struct cy_buf directory = {0};
    struct cy_diags diags = {0};
    cy_buf_append(&directory, slash ? path->full : ".",
                  !slash                ? 1
                  : slash == path->full ? 1
                                        : (size_t)(slash - path->full));
    const bool ok = access(directory.data, W_OK) == 0 || (path->exists && access(path->full, W_OK) == 0);
    if (!ok)
        cy_diag_file(&diags, CY_ERROR, path->given, "cannot write: %s", strerror(errno));
    cy_report(&diags);
    cy_buf_free(&directory);
    return ok;
}

int cy_paths_check(struct cy_paths *paths, const struct cy_usage *usage)
{
    struct index index = {0};
    int status = CY_EXIT_OK;
    for (int many = 1; many >= 0; many--) /* sets of files first: every file is looked up in them */
        for (size_t i = 0; i < paths->list.count && status == CY_EXIT_OK; i++) {
            const struct cy_path *path = &paths->list.at[i];
            if ((path->kind == WRITE_MANY) != many)
                continue;
            const struct cy_path *other = enter(&index, path);
            if (many)
                add_suffix(&index, path->suffix);
            else if (!other)
                other = find_many(&index, path);
            if (other)
                status = refuse(usage, other, path);
        }
    for (size_t i = 0; i < paths->list.count && status == CY_EXIT_OK; i++)
        if (paths->list.at[i].kind == WRITE && !paths->list.at[i].makes_directory &&
            !check_writable(&paths->list.at[i]))
            status = CY_EXIT_INPUT;
    cy_strmap_free(&index.keys);
    cy_vec_free(&index.readers);
    cy_vec_free(&index.writers);
    cy_vec_free(&index.suffixes);
    cy_buf_free(&index.key);
    cy_vec_free(&paths->list);
    cy_arena_free(&paths->arena);
    return status;
}
