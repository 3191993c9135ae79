#define _GNU_SOURCE /* mkostemp, st_mtim */
#include "cc/driver/reproducer.h"

#include "base/file.h"
#include "base/sha256.h"
#include "cc/driver/included.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "Chengying compiler input 1\n";
static const char prefix[] = "chengying-", suffix[] = ".reproducer";

enum { MOST_KEPT = 16 };

/* ---- the directory ---- */

static bool is_reproducer(const char *name)
{
    size_t length = strlen(name);
    return !strncmp(name, prefix, strlen(prefix)) && length > strlen(suffix) &&
           !strcmp(name + length - strlen(suffix), suffix);
}

/* How many of ours there are; `oldest` receives the oldest one. */
static size_t count_kept(const char *directory, char oldest[NAME_MAX + 1])
{
    struct timespec time = {0};
    size_t count = 0;
    DIR *dir = opendir(directory);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        struct stat status;
        if (!is_reproducer(entry->d_name) || fstatat(dirfd(dir), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
            !S_ISREG(status.st_mode) || status.st_uid != geteuid())
            continue;
        if (!count++ || status.st_mtim.tv_sec < time.tv_sec ||
            (status.st_mtim.tv_sec == time.tv_sec && status.st_mtim.tv_nsec < time.tv_nsec)) {
            time = status.st_mtim;
            snprintf(oldest, NAME_MAX + 1, "%s", entry->d_name);
        }
    }
    if (dir)
        closedir(dir);
    return count;
}

static void remove_oldest(const char *directory)
{
    char oldest[NAME_MAX + 1], path[PATH_MAX];
    while (count_kept(directory, oldest) > MOST_KEPT &&
           snprintf(path, sizeof(path), "%s/%s", directory, oldest) < (int)sizeof(path) && !unlink(path))
        ;
}

/* ---- one file ---- */

static bool write_file(const char *path, const unsigned char *bytes, size_t size)
{
    char fresh[PATH_MAX];
    if (snprintf(fresh, sizeof(fresh), "%s-XXXXXX", path) >= (int)sizeof(fresh)) {
        errno = ENAMETOOLONG;
        return false;
    }
    int fd = mkostemp(fresh, O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = cy_write_all(fd, magic, strlen(magic)) && cy_write_all(fd, bytes, size);
    ok = !close(fd) && ok && !rename(fresh, path);
    int saved = errno;
    if (!ok)
        unlink(fresh);
    errno = saved;
    return ok;
}

/* Named by a hash of the contents: repeated failures on the same input leave one file. */
static bool save_in(const char *directory, const unsigned char *bytes, size_t size, char *path)
{
    struct cy_digest digest = cy_sha256(bytes, size);
    char name[17];
    for (unsigned i = 0; i < 8; i++)
        snprintf(name + 2 * i, 3, "%02x", digest.bytes[i]);
    if (snprintf(path, PATH_MAX, "%s/%s%s%s", directory, prefix, name, suffix) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    bool ok = write_file(path, bytes, size);
    int saved = errno;
    if (ok)
        remove_oldest(directory);
    errno = saved;
    return ok;
}

bool cc_reproducer_save(const struct cc_request *request, const char *dependencies, char *path, char *error,
                        size_t room)
{
    const char *named = getenv("TMPDIR");
    struct cc_included included;
    struct cc_request whole = *request;
    size_t size;
    cc_included_read(&included, request, dependencies);
    whole.files = included.files;
    whole.file_count = included.count;
    unsigned char *bytes = cc_request_pack(&whole, &size);
    errno = ENOMEM;
    bool ok = bytes && ((named && *named && save_in(named, bytes, size, path)) || save_in("/tmp", bytes, size, path));
    if (!ok)
        snprintf(error, room, "%s", strerror(errno));
    free(bytes);
    cc_included_free(&included);
    return ok;
}

bool cc_reproducer_load(struct cc_reproducer *reproducer, const char *path, char *error, size_t room)
{
    size_t size, start = strlen(magic);
    *reproducer = (struct cc_reproducer){0};
    errno = ENOMEM;
    reproducer->bytes = (unsigned char *)cc_read_whole(path, &size);
    if (!reproducer->bytes) {
        snprintf(error, room, "%s", strerror(errno));
        return false;
    }
    if (size > start && !memcmp(reproducer->bytes, magic, start) &&
        cc_request_unpack(&reproducer->request, &reproducer->arrays, reproducer->bytes + start, size - start))
        return true;
    snprintf(error, room, "not a compiler input that this version of cy can read");
    cc_reproducer_free(reproducer);
    return false;
}

void cc_reproducer_free(struct cc_reproducer *reproducer)
{
    free(reproducer->bytes);
    free(reproducer->arrays);
    *reproducer = (struct cc_reproducer){0};
}
