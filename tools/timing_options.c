#include "timing_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"

static void take_message(struct cy_diags *diags, enum cy_status status, char *message)
{
    if (status != CY_OK) {
        cy_buf_puts(&diags->text, message ? message : "error: out of memory\n");
        diags->errors++;
    }
    free(message);
}

bool cy_timing_is_setting(const char *assignment)
{
    const size_t length = strcspn(assignment, "=");
    return memchr(assignment, '_', length) != NULL;
}

bool cy_timing_options_read(const struct cy_timing_options *options, struct cy_timing_config *config,
                            struct cy_diags *diags)
{
    const uint32_t errors = diags->errors;
    char *message = NULL;
    cy_timing_config_default(config);
    if (options->what && !cy_timing_config_preset(config, options->what)) {
        struct cy_buf file = {0};
        /* a word that is no preset and cannot be a path is taken for a misspelt preset */
        if (!strpbrk(options->what, "/.")) {
            cy_buf_printf(&file, "preset=%s", options->what);
            const enum cy_status status = cy_timing_config_set(config, file.data, &message);
            take_message(diags, status, message);
        } else if (cy_file_read(options->what, &file, diags)) {
            const enum cy_status status =
                cy_timing_config_parse(config, options->what, file.data ? file.data : "", file.size, &message);
            take_message(diags, status, message);
        }
        cy_buf_free(&file);
    }
    for (size_t i = 0; i < options->settings.count; i++) {
        message = NULL;
        const enum cy_status status = cy_timing_config_set(config, options->settings.at[i], &message);
        take_message(diags, status, message);
    }
    return diags->errors == errors;
}
