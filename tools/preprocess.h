/* file.S goes through the C preprocessor first, as with compilers. */
#ifndef CY_TOOLS_PREPROCESS_H
#define CY_TOOLS_PREPROCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/mem.h"

struct cy_preprocess {
    const char *const *include_dirs;
    size_t include_dir_count;
    const char *const *defines; /* NAME=VALUE */
    size_t define_count;
};

bool cy_wants_preprocessor(const char *file);
bool cy_preprocess(const struct cy_preprocess *macros, const char *file, struct cy_buf *text);

#endif
