#define _XOPEN_SOURCE 700
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Positions inside a file are 32-bit numbers everywhere; this also stops a read of /dev/zero. */
#define LARGEST_FILE_BYTES ((size_t)1 << 30)

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool read_all(int fd, const char *name, struct cy_buf *buf, struct cy_diags *diags)
{
    enum { CHUNK = 64 << 10 };
    size_t total = 0;
    for (;;) {
        cy_buf_reserve(buf, CHUNK);
        ssize_t got = read(fd, buf->data + buf->size, CHUNK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            cy_diag_file(diags, CY_ERROR, name, "cannot read: %s", strerror(errno));
            return false;
        }
        buf->size += (size_t)got;
        buf->data[buf->size] = 0;
        total += (size_t)got;
        if (got == 0)
            return true;
        if (total > LARGEST_FILE_BYTES) {
            cy_diag_file(diags, CY_ERROR, name, "the file is larger than 1 GiB");
            return false;
        }
    }
}

struct reading {
    int fd;
    const char *name;
    struct cy_buf *buf;
    struct cy_diags *diags;
    bool ok;
};

static void read_into(void *argument)
{
    struct reading *reading = argument;
    reading->ok = read_all(reading->fd, reading->name, reading->buf, reading->diags);
}

bool cy_file_read(const char *path, struct cy_buf *buf, struct cy_diags *diags)
{
    if (is_standard(path))
        return read_all(STDIN_FILENO, "<stdin>", buf, diags);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        cy_diag_file(diags, CY_ERROR, path, "cannot open: %s", strerror(errno));
        return false;
    }
    struct reading reading = {.fd = fd, .name = path, .buf = buf, .diags = diags};
    const struct cy_buf before = *buf, messages = diags->text;
    bool had_memory = cy_mem_try(read_into, &reading);
    close(fd);
    if (!had_memory) {
        cy_buf_undo(buf, before);
        cy_buf_undo(&diags->text, messages);
        cy_mem_fail();
    }
    return reading.ok;
}

/* False: it cannot be mapped. */
static bool map_file(const char *path, struct cy_file_bytes *bytes)
{
    struct stat status;
    void *map = MAP_FAILED;
    const int fd = is_standard(path) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0)
        map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (map == MAP_FAILED)
        return false;
    *bytes = (struct cy_file_bytes){.data = map, .size = (size_t)status.st_size};
    return true;
}

bool cy_file_map(const char *path, struct cy_file_bytes *bytes, struct cy_diags *diags)
{
    *bytes = (struct cy_file_bytes){0};
    if (map_file(path, bytes))
        return true;
    if (!cy_file_read(path, &bytes->read, diags)) {
        cy_buf_free(&bytes->read);
        return false;
    }
    bytes->data = bytes->read.data;
    bytes->size = bytes->read.size;
    return true;
}

void cy_file_unmap(struct cy_file_bytes *bytes)
{
    union {
        const char *bytes;
        void *map;
    } mapped = {.bytes = bytes->data};
    if (bytes->read.data)
        cy_buf_free(&bytes->read);
    else if (bytes->data)
        munmap(mapped.map, bytes->size);
    *bytes = (struct cy_file_bytes){0};
}

bool cy_write_all(int fd, const void *bytes, size_t size)
{
    const char *at = bytes;
    while (size > 0) {
        ssize_t put = write(fd, at, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        at += put;
        size -= (size_t)put;
    }
    return true;
}

/* Devices and pipes cannot be replaced by a rename: they are written in place. */
static bool write_in_place(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool ok = cy_write_all(fd, bytes, size);
    int error = errno;
    if (close(fd) != 0 && ok)
        return false;
    errno = error;
    return ok;
}

static bool write_and_rename(const char *path, const void *bytes, size_t size, bool executable)
{
    struct cy_buf temporary = {0};
    if (!cy_buf_try_reserve(&temporary, strlen(path) + 64)) {
        errno = ENOMEM;
        return false;
    }
    int fd = -1, error = 0;
    for (unsigned attempt = 0; fd < 0; attempt++) {
        temporary.size = 0;
        cy_buf_printf(&temporary, "%s.tmp%ld.%u", path, (long)getpid(), attempt);
        fd = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, executable ? 0777 : 0666);
        if (fd < 0 && (errno != EEXIST || attempt > 1000)) {
            error = errno;
            goto out;
        }
    }
    if (!cy_write_all(fd, bytes, size))
        error = errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && rename(temporary.data, path) != 0)
        error = errno;
    if (error)
        unlink(temporary.data);
out:
    cy_buf_free(&temporary);
    errno = error;
    return error == 0;
}

bool cy_file_write(const char *path, const void *bytes, size_t size, bool executable, struct cy_diags *diags)
{
    bool ok;
    /* Through its name in /dev a file would be overwritten from its start. */
    if (is_standard(path) || strcmp(path, "/dev/stdout") == 0) {
        ok = fflush(stdout) == 0 && cy_write_all(STDOUT_FILENO, bytes, size);
    } else {
        struct stat status;
        bool exists = stat(path, &status) == 0;
        if (exists && S_ISDIR(status.st_mode)) {
            errno = EISDIR;
            ok = false;
        } else if (exists && !S_ISREG(status.st_mode)) {
            ok = write_in_place(path, bytes, size);
        } else {
            char *target = realpath(path, NULL); /* through a symbolic link, not over it */
            ok = (target || errno != ENOMEM) && write_and_rename(target ? target : path, bytes, size, executable);
            int error = errno;
            free(target); /* libc's */
            errno = error;
        }
    }
    if (!ok)
        cy_diag_file(diags, CY_ERROR, is_standard(path) ? "<stdout>" : path, "cannot write: %s", strerror(errno));
    return ok;
}
