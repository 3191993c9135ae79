#define _POSIX_C_SOURCE 200809L
#include "compiler.h"

#include <string.h>
#include <unistd.h>

#include "cc/driver/translator.h"
#include "isa/isa.h"

bool cy_library_beside(const char *name, struct cy_buf *path)
{
    static const char *const places[] = {"lib", CY_LIBDIR};
    char own[4096];
    ssize_t length = readlink("/proc/self/exe", own, sizeof(own));
    for (int parts = 0; length > 0 && parts < 2; length--) /* "/usr/bin/cy" -> "/usr/" */
        parts += own[length - 1] == '/';
    length++;
    for (size_t i = 0; length > 0 && i < CY_COUNT(places); i++) {
        path->size = 0;
        cy_buf_printf(path, "%.*s%s/%s", (int)length, own, places[i], name);
        if (!access(path->data, R_OK))
            return true;
    }
    path->size = 0;
    cy_buf_puts(path, name);
    return false;
}

bool cy_generation(const char *march, unsigned *generation)
{
    enum cy_target target;
    bool ok = cy_target_find(march, &target) && (target == CY_GEN1 || target == CY_GEN2);
    if (ok)
        *generation = target == CY_GEN2 ? 2 : 1;
    return ok;
}

bool cy_compile(const char *name, const struct cy_buf *source, const struct cy_cc_options *options,
                const struct cy_compile_how *how, struct cy_cc_result *result, struct cy_diags *diags)
{
    struct cc_places places;
    char error[512] = "";
    cc_find_places(&places);
    *result = (struct cy_cc_result){0};
    if (!places.has_library && !options->library_dir) {
        cy_diag_file(diags, CY_ERROR, name, "the device library was not found next to the program; is it installed?");
        return false;
    }
    struct cc_driver driver = {.helpers = places.helpers,
                               .library_dir = options->library_dir ? options->library_dir : places.library_dir,
                               .time_limit = how->time_limit,
                               .reproducer = source ? NULL : name,
                               .files = how->files,
                               .no_cache = how->no_cache};
    if (source)
        return cc_drive(&driver, name, source->data ? source->data : "", source->size, options, result);
    bool ok = cc_reproduce(&driver, result, error, sizeof(error));
    if (*error)
        cy_diag_file(diags, CY_ERROR, name, "%s", error);
    return ok;
}

void cy_give_translator(struct cy_device *device)
{
    static struct cc_places places;
    static struct cc_tools tools;
    static struct cc_driver driver = {.helpers = places.helpers, .library_dir = places.library_dir, .tools = &tools};
    cc_find_places(&places);
    const struct cy_translator translator = cc_translator(&driver);
    cy_device_set_translator(device, &translator);
}
