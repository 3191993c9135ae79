/* The subset of TOML 1.0 that our files are written in: keys, [tables], [[arrays of tables]], strings, numbers, booleans and
 * arrays of these.  Plans of sweeps (docs/sweep.md) and recorded launches (docs/replay.md) are such files. */
#ifndef CY_BASE_TOML_H
#define CY_BASE_TOML_H

#include "base/diag.h"

/* ---- reading ---- */

enum cy_toml_kind { CY_TOML_STRING, CY_TOML_NUMBER, CY_TOML_BOOL };
struct cy_toml_value {
    const char *text; /* a string's contents; otherwise as written */
    enum cy_toml_kind kind;
    struct cy_loc loc;
};
struct cy_toml_entry {
    const char *table; /* "" before the first heading, which is at: */
    struct cy_loc table_loc;
    uint32_t element; /* of an array of tables: its number from 1, counting those of all arrays; else 0 */
    const char *key;
    struct cy_loc loc; /* of the key */
    bool is_array;
    CY_VEC(struct cy_toml_value) values;
};
struct cy_toml {
    struct cy_source source;
    struct cy_buf text;
    struct cy_arena arena;
    CY_VEC(struct cy_toml_entry) entries;
};
/* False: messages are in diags.  Free it in any case. */
bool cy_toml_read(struct cy_toml *toml, const char *path, struct cy_diags *diags);
/* The same for a text that is in memory; `name` is the file name in messages. */
bool cy_toml_parse(struct cy_toml *toml, const char *name, const char *text, size_t size, struct cy_diags *diags);
void cy_toml_free(struct cy_toml *toml);
/* A whole number without a sign, decimal or 0x and hexadecimal, with _ between digits.  False: it is something else, or has more
 * than 64 bits. */
bool cy_toml_number(const struct cy_toml_value *value, uint64_t *number);

/* ---- writing ---- */

/* A string as a value, in quotes; what cannot be written so (control characters but \n, \t and \r) becomes '?'. */
void cy_toml_put_text(struct cy_buf *out, const char *text);

#endif
