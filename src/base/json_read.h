/* JSON, read into a tree whose memory is an arena's. */
#ifndef CY_BASE_JSON_READ_H
#define CY_BASE_JSON_READ_H

#include "base/diag.h"

enum cy_json_kind { CY_JSON_NULL, CY_JSON_BOOL, CY_JSON_NUMBER, CY_JSON_STRING, CY_JSON_ARRAY, CY_JSON_OBJECT };
struct cy_json_value {
    enum cy_json_kind kind;
    double number;                      /* of a number; 0 or 1 of a boolean */
    const char *text;                   /* of a string */
    const char *key;                    /* of an object's member */
    struct cy_json_value *first, *next; /* members of an object or array; of the one that this belongs to */
};
/* NULL: not JSON, and diags say where. */
const struct cy_json_value *cy_json_read(struct cy_arena *arena, const char *name, const struct cy_buf *text,
                                         struct cy_diags *diags);
/* A member; NULL: there is none, or the value is NULL or not an object. */
const struct cy_json_value *cy_json_get(const struct cy_json_value *object, const char *key);
double cy_json_number(const struct cy_json_value *object, const char *key);    /* 0: no such number */
const char *cy_json_text(const struct cy_json_value *object, const char *key); /* "": no such string */

#endif
