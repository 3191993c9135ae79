/* Settings that a user writes, `key = value`, one on a command line or a file of them with comments after '#'.  Errors point at
 * the word; a file is read to its end, so that all its errors are reported. */
#ifndef CY_BASE_SETTINGS_H
#define CY_BASE_SETTINGS_H

#include "base/diag.h"

struct cy_word {
    const char *text;
    size_t length;
};
bool cy_word_is(struct cy_word word, const char *text);
/* A number in C's notation; K, M and G after it are 2^10, 2^20 and 2^30. */
bool cy_word_number(struct cy_word word, uint64_t *value);

struct cy_settings {
    const char *noun,
        *kind; /* what messages call a key where it is missing ("key"), and where it is unknown ("setting") */
    /* False: it has complained.  An empty value is missing: an unknown key is reported before that. */
    bool (*set)(struct cy_settings *settings, struct cy_word key, struct cy_word value);
    void *context;
    struct cy_diags *diags;
    const struct cy_source *source; /* of the file being read; NULL: a command line, which has no line to show */
    uint32_t line;
};

/* Reports an error at the word; returns false. */
bool cy_settings_fail(const struct cy_settings *settings, struct cy_word word, const char *format, ...) CY_PRINTF(3, 4);
/* An unknown key; `nearest` may be NULL. */
bool cy_settings_unknown(const struct cy_settings *settings, struct cy_word key, const char *nearest);

/* A key that is known, without a value. */
bool cy_settings_no_value(const struct cy_settings *settings, struct cy_word key, struct cy_word value);

bool cy_settings_line(struct cy_settings *settings, const char *text, size_t size);
bool cy_settings_file(struct cy_settings *settings, const char *name, const char *text, size_t size);

#endif
