#define _POSIX_C_SOURCE 200809L
#include "compiler.h"

#include <string.h>
#include <unistd.h>

#include "asm/link.h"
#include "cc/driver.h"

/* BIN/../lib/libchengying_cc.so beside this program, or wherever the loader finds it. */
static void find_compiler(struct cy_buf *path)
{
    static const char name[] = "libchengying_cc.so";
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own));
    while (length > 0 && own[length - 1] != '/')
        length--;
    cy_buf_printf(path, "%.*s../lib/%s", length > 0 ? (int)length : 0, own, name);
    if (access(path->data, R_OK)) {
        path->size = 0;
        cy_buf_puts(path, name);
    }
}

bool cy_compile(const char *name, const struct cy_buf *source, const struct cy_cc_options *options, bool no_cache,
                struct cy_cc_result *result, struct cy_diags *diags)
{
    struct cy_buf compiler = {0}, library = {0};
    bool ok = options->library_dir || cy_library_directory("ventus", &library);
    *result = (struct cy_cc_result){0};
    if (!ok)
        cy_diag_file(diags, CY_ERROR, name, "the device library is not beside the program; was it installed?");
    find_compiler(&compiler);
    struct cc_driver driver = {.compiler = compiler.data,
                               .library_dir = options->library_dir ? options->library_dir : library.data,
                               .no_cache = no_cache};
    ok = ok && cc_drive(&driver, name, source->data ? source->data : "", source->size, options, result);
    cy_buf_free(&compiler);
    cy_buf_free(&library);
    return ok;
}
