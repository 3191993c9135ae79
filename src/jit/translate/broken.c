#include "jit/translate/broken.h"

#ifdef CY_BREAKABLE
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define BREAKAGE(name, what, how) #name,
#include "jit/translate/breakages.def"
};

const char *cy_jit_broken_name(void)
{
    const char *name = getenv("CHENGYING_BREAK");
    return name ? name : "";
}

/* A name that does not exist is a mistake of whoever tests, who must not take it for one that was not found. */
bool cy_jit_is_broken(enum cy_jit_breakage breakage)
{
    const char *chosen = cy_jit_broken_name();
    size_t number = 0;
    while (number < CY_COUNT(names) && strcmp(names[number], chosen) != 0)
        number++;
    if (*chosen && number == CY_COUNT(names))
        abort();
    return number == (size_t)breakage;
}
#endif
