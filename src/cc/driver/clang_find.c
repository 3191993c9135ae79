#define _GNU_SOURCE /* realpath */
#include "cc/driver/clang.h"

#include "cc/driver/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    return !access(path, X_OK);
}

/* $CHENGYING_CLANG, clang-19 in $PATH, or Debian's location. */
static char *find_program(void)
{
    static const char usual[] = "/usr/lib/llvm-19/bin/clang";
    const char *named = cc_getenv("CHENGYING_CLANG"), *path = cc_getenv("PATH");
    struct cy_buf candidate = {0};
    char *found = NULL;
    if (named && *named)
        return is_program(named) ? realpath(named, NULL) : NULL;
    for (size_t length; path && *path && !found; path += length + (path[length] == ':')) {
        length = strcspn(path, ":");
        candidate.size = 0;
        cy_buf_printf(&candidate, "%.*s/clang-19", (int)length, path);
        if (length && is_program(candidate.data))
            found = realpath(candidate.data, NULL);
    }
    cy_buf_free(&candidate);
    return found || !is_program(usual) ? found : realpath(usual, NULL);
}

bool cc_clang_find(struct cc_clang_place *place, const char *name, struct cy_buf *log)
{
    const char *named = cc_getenv("CHENGYING_CLANG");
    struct cy_buf header = {0};
    errno = 0;
    *place = (struct cc_clang_place){.program = find_program()};
    if (!place->program && errno == ENOMEM)
        cy_mem_fail();
    if (!place->program) {
        cy_buf_printf(log, "%s: error: cannot run %s: %s; install the package clang-19\n", name,
                      named && *named ? named : "clang-19", strerror(ENOENT));
        return false;
    }
    const char *slash = strrchr(place->program, '/');
    cy_buf_printf(&header, "%.*s/../lib/clang/19/include/opencl-c-base.h", (int)(slash - place->program),
                  place->program);
    place->header = realpath(header.data, NULL);
    if (!place->header && errno == ENOMEM)
        cy_mem_fail();
    cy_buf_free(&header);
    return true;
}

void cc_clang_place_free(struct cc_clang_place *place)
{
    free(place->program);
    free(place->header);
    *place = (struct cc_clang_place){0};
}
