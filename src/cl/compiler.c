/* The compiler is a library of its own, loaded when a program is first built: it brings LLVM along, which a process that
 * only asks for devices or loads binaries should not wait for. */
#define _GNU_SOURCE /* dladdr */
#include "cl/cl_priv.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct cy_cl_compiler compiler;

/* Directories beside our own library, in the build tree and as installed; CHENGYING_LIBRARY names another one. */
static bool find_library(const char *own)
{
    static const char *const places[] = {"ventus", "../share/chengying/ventus", "../../share/chengying/ventus"};
    const char *named = getenv("CHENGYING_LIBRARY");
    char probe[sizeof(compiler.library_dir) + 16];
    if (named && *named) {
        snprintf(compiler.library_dir, sizeof(compiler.library_dir), "%s", named);
        return true;
    }
    for (size_t i = 0; i < CY_COUNT(places); i++) {
        if (snprintf(compiler.library_dir, sizeof(compiler.library_dir), "%s/%s", own, places[i]) < 0)
            return false;
        snprintf(probe, sizeof(probe), "%s/builtins.bc", compiler.library_dir);
        if (!access(probe, R_OK))
            return true;
    }
    return false;
}

static void load(void)
{
    Dl_info info;
    char own[2048], path[sizeof(own) + 32];
    void *library = NULL;
    snprintf(own, sizeof(own), "%s", dladdr(&compiler, &info) && info.dli_fname ? info.dli_fname : "./");
    char *slash = strrchr(own, '/');
    snprintf(slash ? slash : own, 2, "%s", slash ? "" : ".");
    if (!find_library(own)) {
        snprintf(compiler.why, sizeof(compiler.why),
                 "the device library is not beside libchengying_cl.so; was it "
                 "installed?");
        return;
    }
    snprintf(path, sizeof(path), "%s/libchengying_cc.so", own);
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libchengying_cc.so", RTLD_NOW | RTLD_LOCAL);
    void *compile = library ? dlsym(library, "cy_cc") : NULL;
    void *free_result = library ? dlsym(library, "cy_cc_result_free") : NULL;
    if (!compile || !free_result) {
        snprintf(compiler.why, sizeof(compiler.why), "cannot load the compiler: %s", dlerror());
        return;
    }
    /* POSIX: a pointer to a function comes out of dlsym as a pointer to data */
    memcpy(&compiler.compile, &compile, sizeof(compile));
    memcpy(&compiler.free_result, &free_result, sizeof(free_result));
}

const struct cy_cl_compiler *cy_cl_compiler(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return &compiler;
}
