#include "cc/driver/translator.h"

#include "cc/driver/client.h"

static bool translate(void *driver, const void *request, size_t size, void **image, size_t *image_size, char *why,
                      size_t room)
{
    return cc_translate(driver, request, size, image, image_size, why, room);
}

static bool find(void *driver, const void *request, size_t size, void **image, size_t *image_size, char *why,
                 size_t room)
{
    struct cc_driver how = *(const struct cc_driver *)driver;
    how.only_cached = true;
    return cc_translate(&how, request, size, image, image_size, why, room);
}

static bool leave(void *driver, const void *request, size_t size, void **image, size_t *image_size, char *why,
                  size_t room)
{
    struct cc_driver how = *(const struct cc_driver *)driver;
    how.ends = true;
    return cc_translate(&how, request, size, image, image_size, why, room);
}

static bool is_started(void *driver)
{
    (void)driver;
    return cc_client_is_started();
}

struct cy_translator cc_translator(struct cc_driver *driver)
{
    return (struct cy_translator){translate, driver, find, leave, is_started};
}
