#define _GNU_SOURCE /* strdup */
#include "cc/driver/included.h"

#include "cc/driver/clang.h"
#include "cc/driver/depend.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *cc_read_whole(const char *path, size_t *size)
{
    struct stat status;
    char *bytes = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0 && !fstat(fd, &status) && S_ISREG(status.st_mode) && (bytes = malloc((size_t)status.st_size + 1))) {
        ssize_t got = 1;
        for (*size = 0; *size < (size_t)status.st_size && got > 0; *size += got > 0 ? (size_t)got : 0)
            got = read(fd, bytes + *size, (size_t)status.st_size - *size);
        if (got < 0)
            free(bytes), bytes = NULL;
    }
    if (fd >= 0)
        close(fd);
    return bytes;
}

/* Relative names are relative to the request's directory. */
static char *read_named(const struct cc_request *request, const char *name, size_t *size)
{
    char path[PATH_MAX];
    const bool is_whole = *name == '/' || !*request->directory;
    const int length =
        snprintf(path, sizeof(path), "%s%s%s", is_whole ? "" : request->directory, is_whole ? "" : "/", name);
    return length < (int)sizeof(path) ? cc_read_whole(path, size) : NULL;
}

/* The program itself, what is included before it - which every clang has - and what is no file. */
static bool is_left_out(const struct cc_request *request, const char *name)
{
    static const char own[] = "/opencl-c-base.h";
    const size_t size = strlen(name), length = strlen(own);
    return !strcmp(name, request->name) || !strcmp(name, request->clang_header ? request->clang_header : "") ||
           (size > length && !strcmp(name + size - length, own)) ||
           !strncmp(name, CC_HEADER_DIRECTORY, strlen(CC_HEADER_DIRECTORY));
}

void cc_included_read(struct cc_included *included, const struct cc_request *request, const char *rule)
{
    struct cy_buf file = {0};
    const char *at = strstr(rule, ": ");
    included->count = 0;
    if (!cy_buf_try_reserve(&file, strlen(rule))) /* no name is longer */
        return;
    for (at = at ? at + 1 : ""; included->count < CC_MOST_INCLUDED && (at = cc_depend_next(at, &file));) {
        struct cy_cc_header *to = &included->files[included->count];
        if (is_left_out(request, file.data))
            continue;
        to->text = read_named(request, file.data, &to->size);
        to->name = to->text ? strdup(file.data) : NULL;
        if (to->name)
            included->count++;
        else
            free((void *)(uintptr_t)to->text);
    }
    cy_buf_free(&file);
}

void cc_included_free(struct cc_included *included)
{
    for (size_t i = 0; i < included->count; i++) {
        free((void *)(uintptr_t)included->files[i].name);
        free((void *)(uintptr_t)included->files[i].text);
    }
}
