#define _POSIX_C_SOURCE 200809L
#include "compiler.h"

#include <string.h>
#include <unistd.h>

#include "asm/link.h"
#include "cc/driver.h"

bool cy_library_beside(const char *name, struct cy_buf *path)
{
    static const char *const places[] = {"lib", CY_LIBDIR};
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own));
    while (length > 0 && own[length - 1] != '/')
        length--;
    for (size_t i = 0; length > 0 && i < CY_COUNT(places); i++) {
        path->size = 0;
        cy_buf_printf(path, "%.*s../%s/%s", (int)length, own, places[i], name);
        if (!access(path->data, R_OK))
            return true;
    }
    path->size = 0;
    cy_buf_puts(path, name);
    return false;
}

bool cy_compile(const char *name, const struct cy_buf *source, const struct cy_cc_options *options, bool no_cache,
                struct cy_cc_result *result, struct cy_diags *diags)
{
    struct cy_buf compiler = {0}, library = {0};
    bool ok = options->library_dir || cy_library_directory("ventus", &library);
    *result = (struct cy_cc_result){0};
    if (!ok)
        cy_diag_file(diags, CY_ERROR, name, "the device library is not beside the program; was it installed?");
    cy_library_beside("libchengying_cc.so", &compiler);
    struct cc_driver driver = {.compiler = compiler.data,
                               .library_dir = options->library_dir ? options->library_dir : library.data,
                               .no_cache = no_cache};
    ok = ok && cc_drive(&driver, name, source->data ? source->data : "", source->size, options, result);
    cy_buf_free(&compiler);
    cy_buf_free(&library);
    return ok;
}
