/* DIRECTORY/0 ... DIRECTORY/f, by the first digit of the key, hold one file for each entry.  A file is written under
 * another name and renamed, so that it is there as a whole or not at all, however many processes write; it begins with
 * its key and the hash of the rest, so that a damaged one is as good as none.  Each of the sixteen directories may have a
 * sixteenth of the limit: whoever stores removes the files of its directory that were not used for the longest time. */
#define _GNU_SOURCE /* mkostemp, futimens */
#include "cc/cache.h"

#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char magic[8] = "CYCACHE1";
static const char temporary[] = "new-"; /* how names of unfinished files begin */

enum { DIRECTORIES = 16, ABANDONED_SECONDS = 3600 };

struct header {
    char magic[8];
    struct cy_digest key, content;
};

/* ---- settings ---- */

static const char *setting(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

char *cc_cache_directory(void)
{
    const char *off = setting("CHENGYING_CACHE"), *own = setting("CHENGYING_CACHE_DIR");
    const char *cache = setting("XDG_CACHE_HOME"), *home = setting("HOME");
    struct cy_buf path = {0};
    if ((off && !strcmp(off, "0")) || (!own && !cache && !home))
        return NULL;
    if (own)
        cy_buf_puts(&path, own);
    else
        cy_buf_printf(&path, "%s%s/chengying", cache ? cache : home, cache ? "" : "/.cache");
    return path.data;
}

/* $CHENGYING_CACHE_SIZE: bytes, or with K, M or G behind. */
static size_t limit_bytes(void)
{
    const char *text = setting("CHENGYING_CACHE_SIZE");
    char *end;
    if (!text)
        return (size_t)256 << 20;
    unsigned long long number = strtoull(text, &end, 10);
    static const char units[] = "KMG";
    const char *unit = *end ? strchr(units, *end) : NULL;
    return (size_t)number << (unit ? 10 * (unit - units + 1) : 0);
}

/* ---- one entry ---- */

static char *entry_path(const char *directory, const struct cy_digest *key)
{
    struct cy_buf path = {0};
    cy_buf_printf(&path, "%s/%x/", directory, key->bytes[0] >> 4);
    for (size_t i = 0; i < sizeof(key->bytes); i++)
        cy_buf_printf(&path, "%02x", key->bytes[i]);
    return path.data;
}

bool cc_cache_load(const char *directory, const struct cy_digest *key, struct cy_buf *bytes)
{
    struct header header;
    struct cy_diags diags = {0};
    char *path = entry_path(directory, key);
    bool ok = cy_file_read(path, bytes, &diags) && bytes->size >= sizeof(header);
    if (ok) {
        memcpy(&header, bytes->data, sizeof(header));
        bytes->size -= sizeof(header);
        memmove(bytes->data, bytes->data + sizeof(header), bytes->size + 1);
        struct cy_digest content = cy_sha256(bytes->data, bytes->size);
        ok = !memcmp(header.magic, magic, sizeof(magic)) && !memcmp(&header.key, key, sizeof(*key)) &&
             !memcmp(&header.content, &content, sizeof(content));
    }
    cy_buf_free(&diags.text);
    free(path);
    return ok;
}

void cc_cache_touch(const char *directory, const struct cy_digest *key)
{
    char *path = entry_path(directory, key);
    utimensat(AT_FDCWD, path, NULL, 0);
    free(path);
}

/* ---- cleaning ---- */

struct file {
    char *name;
    struct timespec used;
    size_t bytes;
};

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const struct file *)a)->used, *y = &((const struct file *)b)->used;
    return x->tv_sec != y->tv_sec ? (x->tv_sec < y->tv_sec ? -1 : 1)
                                  : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Removes the files that were not used for the longest time until at most `limit` bytes are left, and what a process that
 * died has left unfinished.  Says how much stays. */
static struct cc_cache_size trim(const char *directory, size_t limit)
{
    struct cc_cache_size left = {0};
    CY_VEC(struct file) files = {0};
    DIR *dir = opendir(directory);
    time_t now = time(NULL);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat status;
        if (*entry->d_name == '.' || fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(status.st_mode))
            continue;
        if (strncmp(entry->d_name, temporary, strlen(temporary)) != 0) {
            *cy_vec_push(&files) = (struct file){strdup(entry->d_name), status.st_mtim, (size_t)status.st_size};
            left.bytes += (size_t)status.st_size;
        } else if (!limit || now - status.st_mtim.tv_sec > ABANDONED_SECONDS) {
            unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    left.entries = files.count;
    if (left.bytes > limit)
        qsort(files.at, files.count, sizeof(*files.at), by_use);
    for (size_t i = 0; i < files.count; i++) {
        if (left.bytes > limit && !unlinkat(dirfd(dir), files.at[i].name, 0)) {
            left.bytes -= files.at[i].bytes;
            left.entries--;
        }
        free(files.at[i].name);
    }
    cy_vec_free(&files);
    if (dir)
        closedir(dir);
    return left;
}

void cc_cache_store(const char *directory, const struct cy_digest *key, const struct cy_buf *bytes)
{
    struct header header = {.key = *key, .content = cy_sha256(bytes->data, bytes->size)};
    struct cy_buf file = {0};
    char *path = entry_path(directory, key);
    size_t limit = limit_bytes() / DIRECTORIES, parent = (size_t)(strrchr(path, '/') - path);
    memcpy(header.magic, magic, sizeof(magic));
    cy_buf_printf(&file, "%.*s/%sXXXXXX", (int)parent, path, temporary);
    if (sizeof(header) + bytes->size > limit)
        goto out;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    int fd = mkostemp(file.data, O_CLOEXEC);
    if (fd < 0)
        goto out;
    bool ok = cy_write_all(fd, &header, sizeof(header)) && cy_write_all(fd, bytes->data, bytes->size);
    ok = !close(fd) && ok && !rename(file.data, path);
    if (!ok)
        unlink(file.data);
    path[parent] = 0;
    trim(path, limit);
out:
    cy_buf_free(&file);
    free(path);
}

/* ---- all of them ---- */

static struct cc_cache_size trim_all(const char *directory, size_t limit)
{
    struct cc_cache_size all = {.limit = limit_bytes()};
    for (unsigned i = 0; i < DIRECTORIES; i++) {
        struct cy_buf path = {0};
        cy_buf_printf(&path, "%s/%x", directory, i);
        struct cc_cache_size part = trim(path.data, limit);
        all.entries += part.entries;
        all.bytes += part.bytes;
        cy_buf_free(&path);
    }
    return all;
}

struct cc_cache_size cc_cache_measure(const char *directory)
{
    return trim_all(directory, SIZE_MAX);
}

void cc_cache_clear(const char *directory)
{
    trim_all(directory, 0);
}
