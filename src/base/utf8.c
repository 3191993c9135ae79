#include "base/utf8.h"

#include "base/mem.h"

#include <stdbool.h>

size_t cy_utf8_length(const char *text, size_t left)
{
    const unsigned char *at = (const unsigned char *)text;
    static const struct {
        unsigned char first, last, low, high; /* of the first byte, and of the second */
        size_t length;
    } forms[] = {{0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
                 {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
                 {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4}};
    if (*at < 0x80)
        return 1;
    for (size_t i = 0; i < CY_COUNT(forms); i++) {
        if (*at < forms[i].first || *at > forms[i].last)
            continue;
        bool ok = left >= forms[i].length && at[1] >= forms[i].low && at[1] <= forms[i].high;
        for (size_t k = 2; ok && k < forms[i].length; k++)
            ok = (at[k] & 0xc0) == 0x80;
        return ok ? forms[i].length : 0;
    }
    return 0;
}
