/* `cy cache`: the cache of compiled kernels. */
#include <stdio.h>
#include <stdlib.h>

#include "cc/driver/cache.h"
#include "commands.h"
#include "options.h"

enum { OPT_CLEAR = 1 };

static const struct cy_option options[] = {
    {OPT_CLEAR, 0, "clear", NULL, "remove all", 0},
};

static const struct cy_usage usage = {
    "cache",
    "[--clear]",
    "Shows the cache of compiled kernels and their translations for this host: its directory, numbers of entries and "
    "size.",
    "The environment variables CHENGYING_CACHE, CHENGYING_CACHE_DIR and CHENGYING_CACHE_SIZE are described in "
    "docs/cc.md.\n",
    options,
    CY_COUNT(options)};

int cy_cmd_cache(int argc, char **argv)
{
    struct cy_args args;
    bool clear = false;
    cy_args_start(&args, &usage, argc, argv);
    for (int id; (id = cy_args_next(&args)) != CY_ARGS_END;) {
        switch (id) {
        case OPT_CLEAR: clear = true; break;
        case CY_ARGS_FILE: return cy_usage_error(&usage, "unexpected '%s'", args.value);
        case CY_ARGS_EXIT: return args.status;
        }
    }
    char *directory = cc_cache_directory();
    if (!directory) {
        puts("the cache is off");
        return CY_EXIT_OK;
    }
    if (clear)
        cc_cache_clear(directory);
    struct cc_cache_size size = cc_cache_measure(directory);
    printf("directory  %s\nkernels    %zu\ntranslated %zu\nbytes      %zu of %zu\n", directory, size.kernels,
           size.translations, size.bytes, size.limit);
    free(directory);
    return CY_EXIT_OK;
}
