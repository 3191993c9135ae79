/* Translators that are wrong on purpose: they show that the engine verify and random programs find such faults.  CHENGYING_BREAK names the
 * breakage.  Only builds with CY_BREAKABLE have them; in others a breakage is a constant, and nothing of it is left in the code. */
#ifndef CY_JIT_TRANSLATE_BROKEN_H
#define CY_JIT_TRANSLATE_BROKEN_H

#include <stdbool.h>

enum cy_jit_breakage {
#define BREAKAGE(name, what, how) CY_BROKEN_##name,
#include "jit/translate/breakages.def"
};

#ifdef CY_BREAKABLE
bool cy_jit_is_broken(enum cy_jit_breakage breakage);
const char *cy_jit_broken_name(void); /* of the chosen one; "": there is none */
#define cy_jit_broken(name) cy_jit_is_broken(CY_BROKEN_##name)
#else
#define cy_jit_broken(name) ((void)CY_BROKEN_##name, false)
#endif

#endif
