/* The library interface. */
#include "cc/driver/driver.h"

#include <stdlib.h>
#include <string.h>

bool cy_cc(const char *name, const char *source, size_t size, const struct cy_cc_options *options,
           struct cy_cc_result *result)
{
    static const char missing[] = ": error: the device library was not found next to the program; is it installed?\n";
    struct cc_places places;
    cc_find_places(&places);
    if (!places.has_library && !(options && options->library_dir)) {
        *result = (struct cy_cc_result){.log = malloc(strlen(name) + sizeof(missing))};
        if (result->log)
            strcat(strcpy(result->log, name), missing);
        return false;
    }
    struct cc_driver driver = {.helpers = places.helpers,
                               .library_dir =
                                   options && options->library_dir ? options->library_dir : places.library_dir};
    return cc_drive(&driver, name, source, size, options, result);
}

bool cy_cc_translate(void *context, const void *request, size_t size, void **image, size_t *image_size, char *why,
                     size_t room)
{
    struct cc_places places;
    (void)context;
    cc_find_places(&places);
    struct cc_driver driver = {.helpers = places.helpers, .library_dir = places.library_dir};
    return cc_translate(&driver, request, size, image, image_size, why, room);
}
