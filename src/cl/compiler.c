/* Where the compiler and the device library are: beside our own library, in the build tree and as installed. */
#define _GNU_SOURCE /* dladdr */
#include "cl/cl_priv.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct {
    char library_dir[4096], compiler[4096];
    bool found;
} places;

/* $CHENGYING_LIBRARY names another directory. */
static bool find_library(const char *own)
{
    static const char *const names[] = {"ventus", "../share/chengying/ventus", "../../share/chengying/ventus"};
    const char *named = getenv("CHENGYING_LIBRARY");
    char probe[sizeof(places.library_dir) + 16];
    if (named && *named) {
        snprintf(places.library_dir, sizeof(places.library_dir), "%s", named);
        return true;
    }
    for (size_t i = 0; i < CY_COUNT(names); i++) {
        if (snprintf(places.library_dir, sizeof(places.library_dir), "%s/%s", own, names[i]) < 0)
            return false;
        snprintf(probe, sizeof(probe), "%s/builtins", places.library_dir);
        if (!access(probe, R_OK))
            return true;
    }
    return false;
}

static void find(void)
{
    Dl_info info;
    char own[2048];
    snprintf(own, sizeof(own), "%s", dladdr(&places, &info) && info.dli_fname ? info.dli_fname : "./");
    char *slash = strrchr(own, '/');
    snprintf(slash ? slash : own, 2, "%s", slash ? "" : ".");
    places.found = find_library(own);
    snprintf(places.compiler, sizeof(places.compiler), "%s/libchengying_cc.so", own);
    if (access(places.compiler, R_OK))
        snprintf(places.compiler, sizeof(places.compiler), "libchengying_cc.so");
}

bool cy_cl_run_compiler(const char *source, struct cy_cc_options *options, struct cy_cc_result *result,
                        struct cy_buf *log)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find);
    if (!places.found) {
        cy_buf_puts(log, "the device library is not beside libchengying_cl.so; was it installed?\n");
        return false;
    }
    struct cc_driver driver = {.compiler = places.compiler, .library_dir = places.library_dir};
    options->optimize = 2;
    bool ok = cc_drive(&driver, "<source>", source, source ? strlen(source) : 0, options, result);
    cy_buf_puts(log, result->log);
    return ok;
}
