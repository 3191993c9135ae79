#define _POSIX_C_SOURCE 200809L
#include "compiler.h"

#include <string.h>
#include <unistd.h>

#include "cc/driver/client.h"
#include "cc/driver/driver.h"
#include "chengying/device.h"
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

/* `how`: a driver whose other fields say what to do. */
static bool translate_by(struct cc_driver how, const void *request, size_t size, void **image, size_t *image_size,
                         char *why, size_t room)
{
    static struct cc_tools tools;
    struct cc_places places;
    cc_find_places(&places);
    how.helpers = places.helpers;
    how.library_dir = places.library_dir;
    how.tools = &tools;
    return cc_translate(&how, request, size, image, image_size, why, room);
}

static bool translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    (void)context;
    return translate_by((struct cc_driver){0}, request, size, image, image_size, why, room);
}

static bool find_translation(void *context, const void *request, size_t size, void **image, size_t *image_size,
                             char *why, size_t room)
{
    (void)context;
    return translate_by((struct cc_driver){.only_cached = true}, request, size, image, image_size, why, room);
}

static bool leave_translation(void *context, const void *request, size_t size, void **image, size_t *image_size,
                              char *why, size_t room)
{
    (void)context;
    return translate_by((struct cc_driver){.ends = true}, request, size, image, image_size, why, room);
}

static bool is_started(void *context)
{
    (void)context;
    return cc_client_is_started();
}

void cy_give_translator(struct cy_device *device)
{
    cy_device_set_translator(device,
                             &(struct cy_translator){translate, NULL, find_translation, leave_translation, is_started});
}
