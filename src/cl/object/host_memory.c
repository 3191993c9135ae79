/* The memory that a process may use: the host's, or what the control groups of a container leave of it.  Beyond that the
 * kernel kills the process, so no device may promise it. */
#include "cl/object/host_memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 + 256 };

static uint64_t read_limit(const char *directory, const char *name)
{
    char path[PATH_BYTES + 64], text[64] = "", *end;
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (!file)
        return UINT64_MAX;
    if (!fgets(text, sizeof(text), file))
        text[0] = 0;
    fclose(file);
    unsigned long long limit = strtoull(text, &end, 10);
    return end == text ? UINT64_MAX : limit; /* "max": none */
}

/* A group has no more than the groups around it.  In a container the outer ones, and often the path itself, are not to be
 * seen: what is mounted is then the container's own group. */
static uint64_t least_on_path(const char *mount, const char *group, const char *name)
{
    char path[PATH_BYTES];
    const size_t start = strlen(mount);
    uint64_t least = UINT64_MAX;
    int length = snprintf(path, sizeof(path), "%s%s", mount, group);
    if (length < 0 || (size_t)length >= sizeof(path))
        return least;
    for (;;) {
        uint64_t limit = read_limit(path, name);
        least = limit < least ? limit : least;
        char *slash = strrchr(path + start, '/');
        if (!slash)
            return least;
        *slash = 0;
    }
}

static bool names_memory(const char *controllers)
{
    for (const char *at = controllers; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == 6 && !strncmp(at, "memory", 6))
            return true;
    return false;
}

uint64_t cy_cl_cgroup_limit(const char *root)
{
    char path[PATH_BYTES], line[PATH_BYTES], mount[PATH_BYTES];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
    FILE *file = fopen(path, "r");
    if (!file)
        return least;
    while (fgets(line, sizeof(line), file)) { /* number:controllers:path */
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *controllers++ = *group++ = 0;
        const bool is_unified = !*controllers; /* version 2 has one hierarchy */
        if (!is_unified && !names_memory(controllers))
            continue;
        snprintf(mount, sizeof(mount), "%s/sys/fs/cgroup%s", root, is_unified ? "" : "/memory");
        uint64_t limit = least_on_path(mount, group, is_unified ? "memory.max" : "memory.limit_in_bytes");
        least = limit < least ? limit : least;
    }
    fclose(file);
    return least;
}

uint64_t cy_cl_usable_memory(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page > 0 ? (uint64_t)pages * (uint64_t)page : 1ull << 30;
    uint64_t limit = cy_cl_cgroup_limit("");
    return limit < bytes ? limit : bytes;
}
