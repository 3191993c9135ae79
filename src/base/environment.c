#define _GNU_SOURCE /* environ */
#include "base/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strmap.h"

static const char prefix[] = "CHENGYING_";

static const struct {
    const char *name;
    bool is_for_users;
} variables[] = {
#define ENVIRONMENT(name, text) {name, true},
#define INTERNAL(name) {name, false},
#include "base/environment.def"
};

static bool is_known(const char *name, size_t length)
{
    for (size_t i = 0; i < CY_COUNT(variables); i++)
        if (strlen(variables[i].name) == length && !memcmp(variables[i].name, name, length))
            return true;
    return false;
}

/* NULL: none is near. */
static const char *nearest(const char *name, size_t length)
{
    const char *found = NULL;
    const size_t own = length - strlen(prefix);
    unsigned best = 1 + (unsigned)(own > 9 ? 3 : own / 3); /* a short name is not near to every other */
    for (size_t i = 0; i < CY_COUNT(variables); i++) {
        if (!variables[i].is_for_users)
            continue;
        const unsigned distance = cy_edit_distance(name, length, variables[i].name, strlen(variables[i].name), best);
        if (distance < best) {
            best = distance;
            found = variables[i].name;
        }
    }
    return found;
}

bool cy_environment_warn(FILE *out)
{
    bool any = false;
    if (getenv(CY_ENVIRONMENT_TOLD))
        return false;
    for (char **at = environ; at && *at; at++) {
        const size_t length = strcspn(*at, "=");
        if (strncmp(*at, prefix, strlen(prefix)) != 0 || is_known(*at, length))
            continue;
        const char *near = nearest(*at, length);
        fprintf(out, "chengying: warning: nobody reads the environment variable %.*s", (int)length, *at);
        fprintf(out, near ? "; did you mean %s?\n" : "; 'cy help --man' lists those that are read\n", near);
        any = true;
    }
    return any;
}
