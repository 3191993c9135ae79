/* Numbers of the machine's types: parsing, printing, and arrays of them in files. */
#ifndef CY_TOOLS_RUN_VALUES_H
#define CY_TOOLS_RUN_VALUES_H

#include "base/diag.h"

enum cy_value_kind { CY_VALUE_SIGNED, CY_VALUE_UNSIGNED, CY_VALUE_FLOAT };
struct cy_value_type {
    const char *name; /* "f32" */
    const char *npy;  /* "<f4" */
    enum cy_value_kind kind;
    unsigned size;
};
const struct cy_value_type *cy_value_type_find(const char *name, size_t length); /* or NULL */

/* One number; writes type->size bytes.  False: not a number, or out of range. */
bool cy_value_parse(const struct cy_value_type *type, const char *text, size_t length, void *bytes);
/* The same from a double (rounded to nearest even; integers must be exact). */
void cy_value_from_double(const struct cy_value_type *type, double value, void *bytes);
void cy_value_print(const struct cy_value_type *type, const void *bytes, struct cy_buf *out);

/* Files, with the format given by their name: .npy, .txt (numbers and white space), anything else raw. */
bool cy_values_read(const struct cy_value_type *type, const char *path, struct cy_buf *bytes, struct cy_diags *diags);
bool cy_values_write(const struct cy_value_type *type, const char *path, const void *bytes, size_t size,
                     struct cy_diags *diags);

#endif
