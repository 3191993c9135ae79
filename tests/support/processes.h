/* The processes that a test has started: compile servers and their compilers. */
#ifndef CY_TEST_PROCESSES_H
#define CY_TEST_PROCESSES_H

#include "support/test.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static inline bool has_line(const char *path, const char *text)
{
    char line[4096];
    bool found = false;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof(line), file))
        found |= strstr(line, text) != NULL;
    if (file)
        fclose(file);
    return found;
}

static inline bool is_of_this_test(const char *process)
{
    char path[300], text[65536], ours[4200];
    snprintf(path, sizeof(path), "/proc/%s/environ", process);
    snprintf(ours, sizeof(ours), "CY_TMP=%s", test_env("CY_TMP"));
    int fd = open(path, O_RDONLY);
    ssize_t size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[size > 0 ? size : 0] = 0;
    for (char *at = text; at < text + size; at += strlen(at) + 1)
        if (!strcmp(at, ours))
            return true;
    return false;
}

/* Live processes with our environment and this name; one of them in `found`. */
static inline size_t count_processes(const char *comm, pid_t *found)
{
    size_t count = 0;
    DIR *directory = opendir("/proc");
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[300];
        snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
        if (*entry->d_name < '0' || *entry->d_name > '9' || !has_line(path, comm) || !is_of_this_test(entry->d_name))
            continue;
        *found = (pid_t)strtol(entry->d_name, NULL, 10);
        count++;
    }
    closedir(directory);
    return count;
}

#endif
