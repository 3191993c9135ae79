#define _POSIX_C_SOURCE 200809L
#include "exec_program.h"

#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "compiler.h"

/* Is the word an option whose argument is the next word? */
static bool takes_next(const struct cy_usage *usage, const char *word)
{
    for (size_t i = 0; i < usage->option_count; i++) {
        const struct cy_option *option = &usage->options[i];
        if (!option->argument || option->flags & CY_OPTION_OPTIONAL)
            continue;
        if (word[0] == '-' && word[1] == option->short_name && option->short_name && !word[2])
            return true;
        if (option->long_name && word[0] == '-' && word[1] == '-' && !strcmp(word + 2, option->long_name))
            return true;
    }
    return false;
}

int cy_exec_split(const struct cy_usage *usage, int argc, char **argv)
{
    int at = 1;
    while (at < argc && argv[at][0] == '-' && strcmp(argv[at], "--") != 0)
        at += takes_next(usage, argv[at]) ? 2 : 1;
    return at < argc ? at : argc;
}

bool cy_exec_pass_timing(const struct cy_timing_options *timing, bool print, struct cy_diags *diags)
{
    struct cy_timing_config config;
    struct cy_buf text = {0};
    if (!cy_timing_options_read(timing, &config, diags))
        return false;
    cy_buf_puts(&text, timing->what ? timing->what : cy_timing_preset_name(0));
    for (size_t i = 0; i < timing->settings.count; i++)
        cy_buf_printf(&text, ",%s", timing->settings.at[i]);
    setenv("CHENGYING_TIMING", text.data, 1);
    const char *file = getenv("CHENGYING_TIMING_PRINT"); /* of cy sweep, which reads it */
    if (print && !(file && *file == '/'))
        setenv("CHENGYING_TIMING_PRINT", "1", 1);
    cy_buf_free(&text);
    return true;
}

bool cy_exec_environment(struct cy_diags *diags)
{
    struct cy_buf library = {0};
    const bool found = cy_library_beside(CY_CL_LIBRARY, &library);
    if (found) {
        /* The loaders accept the path of a library as well as of an .icd file; the second variable is for the Khronos
         * loader. */
        setenv("OCL_ICD_VENDORS", library.data, 1);
        setenv("OCL_ICD_FILENAMES", library.data, 1);
    } else {
        cy_diag_file(diags, CY_ERROR, NULL,
                     CY_CL_LIBRARY " is not in ../lib or ../" CY_LIBDIR
                                   " beside this program; build it (make build) or "
                                   "install it (make install PREFIX=...)");
    }
    cy_buf_free(&library);
    return found;
}
