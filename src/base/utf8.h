/* UTF-8 in text that others wrote. */
#ifndef CY_BASE_UTF8_H
#define CY_BASE_UTF8_H

#include <stddef.h>

/* The length of the sequence at `text`, of which `left` bytes are left, at least one; 0: there is none.  No surrogates, nothing
 * longer than it must be. */
size_t cy_utf8_length(const char *text, size_t left);

#endif
