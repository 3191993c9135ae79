#define _POSIX_C_SOURCE 200809L
#include "compiler.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* BIN/../lib/libchengying_cc.so beside this program, or wherever the loader finds it. */
bool cy_compiler_load(struct cy_compiler *compiler, struct cy_diags *diags)
{
    static const char name[] = "libchengying_cc.so";
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 64);
    void *library = NULL;
    if (length > 0) {
        path[length] = 0;
        char *slash = strrchr(path, '/');
        snprintf(slash ? slash : path, 64, "/../lib/%s", name);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    if (!library)
        library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        cy_diag_file(diags, CY_ERROR, NULL, "cannot load the compiler: %s", dlerror());
        return false;
    }
    /* POSIX: a pointer to a function comes out of dlsym as a pointer to data */
    void *compile = dlsym(library, "cy_cc"), *free_result = dlsym(library, "cy_cc_result_free");
    memcpy(&compiler->compile, &compile, sizeof(compile));
    memcpy(&compiler->free_result, &free_result, sizeof(free_result));
    return compile && free_result;
}
