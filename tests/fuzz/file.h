/* An input as a file, for readers that take a path. */
#ifndef CY_TESTS_FUZZ_FILE_H
#define CY_TESTS_FUZZ_FILE_H

#include "fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file {
    int fd;
    char path[32];
};

static inline struct fuzz_file fuzz_file_open(const void *bytes, size_t size)
{
    struct fuzz_file file = {.fd = memfd_create("input", 0)};
    FUZZ_CHECK(file.fd >= 0 && write(file.fd, bytes, size) == (ssize_t)size);
    snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
    return file;
}

static inline void fuzz_file_close(struct fuzz_file *file)
{
    close(file->fd);
}

#endif
