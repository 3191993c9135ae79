#define _GNU_SOURCE /* environ */
#include "cc/driver/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char **own;

char **cc_environment_copy(void)
{
    size_t count = 0, bytes = 0;
    while (environ && environ[count])
        bytes += strlen(environ[count++]) + 1;
    char **copy = malloc((count + 1) * sizeof(*copy) + bytes), *text = copy ? (char *)(copy + count + 1) : NULL;
    if (!copy)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        copy[i] = text;
        text = stpcpy(text, environ[i]) + 1;
    }
    copy[count] = NULL;
    return copy;
}

void cc_environment_use(char **copy)
{
    own = copy;
}

char **cc_environment(void)
{
    return own ? own : environ;
}

const char *cc_getenv(const char *name)
{
    const size_t length = strlen(name);
    if (!own)
        return getenv(name);
    for (char **variable = own; *variable; variable++)
        if (!strncmp(*variable, name, length) && (*variable)[length] == '=')
            return *variable + length + 1;
    return NULL;
}
