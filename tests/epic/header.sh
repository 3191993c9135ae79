#!/bin/bash
# The public header can be included by C++ and by C, alone, with all warnings; the example of its first comment compiles.
set -eu
{
    echo '#include "chengying/epic.h"'
    echo '#include <stdio.h>'
    echo 'bool show(void *, const struct cy_epic_frame *);'
    echo 'void use(const uint32_t *stream, size_t stream_words, void *window);'
    echo 'void use(const uint32_t *stream, size_t stream_words, void *window) {'
    sed -n '/^ \*     struct cy_epic \*gpu;/,/^ \*     cy_epic_destroy/s/^ \*//p' "$CY_SOURCE/include/chengying/epic.h" |
        sed 's/ != CY_EPIC_OK) \.\.\.$/ != CY_EPIC_OK) return;/'
    echo '}'
} >"$CY_TMP/use.c"
grep -q cy_epic_launch "$CY_TMP/use.c"
flags="-Wall -Wextra -Wpedantic -Werror -fsyntax-only -I$CY_SOURCE/include"
gcc -std=c17 $flags "$CY_TMP/use.c"
g++ -std=c++11 $flags -x c++ "$CY_TMP/use.c"
