/* Calls the compiler, which is next to our own library, as is the device library. */
#include "cl/program/program_priv.h"

#include "cc/driver/driver.h"
#include "cc/driver/environment.h"
#include "cc/driver/translator.h"

#include <stdio.h>
#include <stdlib.h>

static struct cc_places places;

/* $CHENGYING_LIBRARY overrides the device library. */
static void find(void)
{
    const char *named = getenv("CHENGYING_LIBRARY");
    cc_find_places(&places);
    if (named && *named) {
        snprintf(places.library_dir, sizeof(places.library_dir), "%s", named);
        places.has_library = true;
    }
}

static pthread_once_t found = PTHREAD_ONCE_INIT;

/* The machine may have its kernels translated by the compile server. */
static enum cy_status give_translator(cl_device_id device, char **why)
{
    (void)why;
    static struct cc_tools tools;
    static struct cc_driver driver = {.helpers = places.helpers, .library_dir = places.library_dir, .tools = &tools};
    pthread_once(&found, find);
    if (!driver.environment)
        driver.environment = cc_environment_copy();
    if (driver.environment) {
        const struct cy_translator translator = cc_translator(&driver);
        cy_device_set_translator(device->machine, &translator);
    }
    return CY_OK; /* without one the interpreter runs everything */
}

const struct cy_cl_attachment cy_cl_compiler_attachment = {.open = give_translator};

cl_int cy_cl_run_compiler(const char *name, const char *source, size_t size, struct cy_cc_options *options,
                          struct cy_cc_result *result, struct cy_buf *log)
{
    pthread_once(&found, find);
    if (!places.has_library) {
        cy_buf_try_printf(log, "the device library was not found next to libchengying_cl.so; is it installed?\n");
        return CL_BUILD_PROGRAM_FAILURE;
    }
    struct cc_driver driver = {.helpers = places.helpers, .library_dir = places.library_dir};
    const char *level = getenv("CHENGYING_OPTIMIZE");
    options->optimize = level && !strcmp(level, "0") ? 0 : 2;
    char file[512] = "";
    if (source)
        CY_CL_TELL(names, source, file, sizeof(file));
    bool ok = cc_drive(&driver, *file ? file : name, source, size, options, result);
    if (result->no_memory || !cy_buf_try_printf(log, "%s", result->log ? result->log : ""))
        return CL_OUT_OF_HOST_MEMORY;
    return ok ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}
